// Where the values between kernels lie, and which results may lie on which arguments.
// RUN: idc-opt %s -split-input-file -id-place-barriers -id-place-buffers | FileCheck %s

// In a chain they alternate between workspace and output. The first of three kernels writes the output, when all of the
// input may not yet have been read; each thread writes what it has read.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: id.in_place_pairs = []
// CHECK: id.kernel "a" {{.*}}id.places = [{input = 0 : i64}, {output = 0 : i64}]
// CHECK: id.kernel "b" {{.*}}id.places = [{output = 0 : i64}, {workspace = 0 : i64}]
// CHECK: id.kernel "c" {{.*}}id.places = [{workspace = 0 : i64}, {output = 0 : i64}]
!s = !id.seq<2**10, f32>
!a = !id.tile<2**10, "reg(10..8) lane(5..1) warp(7..6)", f32>
func.func @chain(%x: !s) -> !s {
  %0 = id.kernel "a" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  %3 = id.kernel "b" grid(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  %4 = id.kernel "c" grid(%3) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  return %4 : !s
}

// -----

// Of two kernels the first writes the workspace: nothing is read when the result is written.
// CHECK-LABEL: func.func @two
// CHECK-SAME: id.in_place_pairs = [array<i64: 0, 0, 0>]
// CHECK: id.kernel "a" {{.*}}id.places = [{input = 0 : i64}, {workspace = 0 : i64}]
// CHECK: id.kernel "b" {{.*}}id.places = [{workspace = 0 : i64}, {output = 0 : i64}]
!s = !id.seq<2**10, f32>
!a = !id.tile<2**10, "reg(10..8) lane(5..1) warp(7..6)", f32>
func.func @two(%x: !s) -> !s {
  %0 = id.kernel "a" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : !a -> !s
    id.yield %2 : !s
  }
  %3 = id.kernel "b" grid(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  return %3 : !s
}

// -----

// A function that is to work in place is compiled for equal pointers: each thread writes what it has read.
// CHECK-LABEL: func.func @asked
// CHECK-SAME: id.in_place_pairs = [array<i64: 0, 0, 1>]
!s = !id.seq<2**10, f32>
!a = !id.tile<2**10, "reg(10..8) lane(5..1) warp(7..6)", f32>
func.func @asked(%x: !s) -> !s attributes {id.in_place} {
  %0 = id.kernel "a" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  return %0 : !s
}

// -----

// Where kernels are no chain, values have a place while they are needed, in multiples of 16 bytes.
// CHECK-LABEL: func.func @graph
// CHECK: id.kernel "a" {{.*}}id.places = [{input = 0 : i64}, {workspace = 0 : i64}, {workspace = 16 : i64}]
// CHECK: id.kernel "b" {{.*}}id.places = [{workspace = 0 : i64}, {workspace = 16 : i64}, {output = 0 : i64}]
!s = !id.seq<2, f32>
!r = !id.tile<2, "reg(1)", f32>
func.func @graph(%x: !s) -> !s {
  %0:2 = id.kernel "a" grid(%x) : (!s) -> (!s, !s) {
  ^bb0(%in: !s):
    %1 = id.load %in [1] : !s -> !r
    %2 = id.store %1 [1] : !r -> !s
    %3 = id.store %1 [1] : !r -> !s
    id.yield %2, %3 : !s, !s
  }
  %4 = id.kernel "b" grid(%0#0, %0#1) : (!s, !s) -> !s {
  ^bb0(%p: !s, %q: !s):
    %1 = id.load %p [1] : !s -> !r
    %2 = id.load %q [1] : !s -> !r
    %3 = id.pointwise(%1, %2) : (!r, !r) -> !r {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      id.yield %c : f32
    }
    %5 = id.store %3 [1] : !r -> !s
    id.yield %5 : !s
  }
  return %4 : !s
}
