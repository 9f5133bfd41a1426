// How large the blocks of kernels are, and for how many of them a multiprocessor shall have registers.
// RUN: idc-opt %s -split-input-file -id-place-barriers -id-set-launch-bounds | FileCheck %s
// RUN: idc-opt %root/test/unit/emulator/Inputs/cooperative_turns.mlir -id-place-barriers -id-set-launch-bounds | FileCheck %s --check-prefix=TEAM

// 40 registers beside 16 words of data: 12 blocks of 128 threads. With what a twiddle looks up there are more words, and
// fewer blocks; a second tile that is read leaves room for one less.
// CHECK-LABEL: func.func @chain
// CHECK: id.kernel "data"
// CHECK-SAME: id.resident_blocks = 12 : i64
// CHECK-SAME: id.threads = 128 : i64
// CHECK: id.kernel "factors"
// CHECK-SAME: id.resident_blocks = 8 : i64
// CHECK: id.kernel "beside"
// CHECK-SAME: id.resident_blocks = 11 : i64
!s = !id.seq<2**10, complex<f32>>
!a = !id.tile<2**10, "reg(10..8) lane(5..1) warp(7..6)", complex<f32>>
func.func @chain(%x: !s, %w: !s) -> !s {
  %0 = id.kernel "data" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  %3 = id.kernel "factors" grid(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.twiddle %1 omega(1024, t10*t1 + t9*t2 + t8*t3) : !a
    %4 = id.store %2 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %4 : !s
  }
  %5 = id.kernel "beside" grid(%3, %w) : (!s, !s) -> !s {
  ^bb0(%in: !s, %factor: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.load %factor [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %4 = id.pointwise(%1, %2) : (!a, !a) -> !a {
    ^bb0(%p: complex<f32>, %q: complex<f32>):
      %r = complex.mul %p, %q : complex<f32>
      id.yield %r : complex<f32>
    }
    %6 = id.store %4 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %6 : !s
  }
  return %5 : !s
}

// -----

// Tiles of 27 threads share a block with others. Of the six blocks that fit and talk to none, a quarter fewer.
// CHECK-LABEL: func.func @small
// CHECK: id.kernel "k"
// CHECK-SAME: id.resident_blocks = 4 : i64
// CHECK-SAME: id.threads = 243 : i64
!s = !id.seq<3**4, f32>
!t = !id.tile<3**4, "reg(4) lane(3..1)", f32>
func.func @small(%x: !s) -> !s {
  %0 = id.kernel "k" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [4, 3, 2, 1] : !s -> !t
    %2 = id.store %1 [4, 3, 2, 1] : !t -> !s
    id.yield %2 : !s
  }
  return %0 : !s
}

// -----

// As many as the launch says.
// CHECK-LABEL: func.func @asked
// CHECK: id.kernel "k" resident 7
// CHECK-SAME: id.resident_blocks = 7 : i64
!s = !id.seq<3**4, f32>
!t = !id.tile<3**4, "reg(4) lane(3..1)", f32>
func.func @asked(%x: !s) -> !s {
  %0 = id.kernel "k" resident 7(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [4, 3, 2, 1] : !s -> !t
    %2 = id.store %1 [4, 3, 2, 1] : !t -> !s
    id.yield %2 : !s
  }
  return %0 : !s
}

// Two blocks of a team.
// TEAM: id.kernel
// TEAM-SAME: id.resident_blocks = 2 : i64

// -----

// Of 512 threads with 36 words there is one block with 128 registers for each; two have half as many again as the data.
// With 48 words they have not.
// CHECK-LABEL: func.func @two
// CHECK: id.kernel "k"
// CHECK-SAME: id.resident_blocks = 2 : i64
// CHECK-SAME: id.threads = 512 : i64
// CHECK: id.kernel "one"
// CHECK-SAME: id.resident_blocks = 1 : i64
!s = !id.seq<3**2 * 2**11, f32>
!t = !id.tile<3**2 * 2**11, "reg(13..10) lane(5..1) warp(9..6)", f32>
!s48 = !id.seq<3 * 2**13, f32>
!t48 = !id.tile<3 * 2**13, "reg(14..10) lane(5..1) warp(9..6)", f32>
func.func @two(%x: !s, %y: !s48) -> (!s, !s48) {
  %0 = id.kernel "k" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !t
    %2 = id.store %1 [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !t -> !s
    id.yield %2 : !s
  }
  %3 = id.kernel "one" grid(%y) : (!s48) -> !s48 {
  ^bb0(%in: !s48):
    %1 = id.load %in [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s48 -> !t48
    %2 = id.store %1 [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !t48 -> !s48
    id.yield %2 : !s48
  }
  return %0, %3 : !s, !s48
}
