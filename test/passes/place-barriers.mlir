// Who meets around exchanges, and where these lie in shared memory.
// RUN: idc-opt %s -split-input-file -id-place-barriers | FileCheck %s
// RUN: idc-opt %root/test/unit/emulator/Inputs/cooperative_turns.mlir -id-place-barriers | FileCheck %s --check-prefix=TURNS

// A chain's exchanges take turns in one place: the first writes at once, the second when the first has been read. Where
// the warps keep their data only warps meet.
// CHECK-LABEL: func.func @chain
// CHECK: id.kernel "k" grid(%arg0) {id.shared_bytes = 8192 : i64}
// CHECK: id.exchange {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<warp>, id.shared_offset = 0 : i64}
// CHECK: id.exchange {{.*}}{id.before = #id.meeting<block>, id.between = #id.meeting<block>, id.shared_offset = 0 : i64}
!s = !id.seq<2**10, complex<f32>>
!a = !id.tile<2**10, "reg(10..8) lane(5..1) warp(7..6)", complex<f32>>
!b = !id.tile<2**10, "reg(5..3) lane(10..8, 2..1) warp(7..6)", complex<f32>>
!c = !id.tile<2**10, "reg(7..5) lane(10..8, 2..1) warp(4..3)", complex<f32>>
func.func @chain(%x: !s) -> !s {
  %0 = id.kernel "k" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.exchange %1 by shared <padded = false, words = 1024, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128, 9, 256, 10, 512> : !a -> !b
    %3 = id.exchange %2 by shared <padded = false, words = 1024, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128, 9, 256, 10, 512> : !b -> !c
    %4 = id.store %3 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !c -> !s
    id.yield %4 : !s
  }
  return %0 : !s
}

// -----

// Blocks of a cluster have to run before words are sent to them. Those that draw numbers wait for their words only.
// CHECK-LABEL: func.func @clusters
// CHECK: id.kernel "once"
// CHECK: by cluster {{.*}}{id.before = #id.meeting<started>, id.between = #id.meeting<cluster>, id.shared_offset = 0 : i64}
// CHECK: by shared {{.*}}{id.before = #id.meeting<block>, id.between = #id.meeting<block>, id.shared_offset = 0 : i64}
// CHECK: id.kernel "persistent"
// CHECK: by cluster {{.*}}{id.before = #id.meeting<started>, id.between = #id.meeting<words>, id.shared_offset = 0 : i64}
// CHECK: id.kernel "late"
// CHECK: by shared {{.*}}{id.before = #id.meeting<block>, id.between = #id.meeting<block>, id.shared_offset = 0 : i64}
// CHECK: by cluster {{.*}}{id.before = #id.meeting<cluster>, id.between = #id.meeting<words>, id.shared_offset = 0 : i64}
!s = !id.seq<2**10, f32>
!a = !id.tile<2**10, "reg(10..8) lane(5..1) warp(6) rank(7)", f32>
!b = !id.tile<2**10, "reg(7, 9, 8) lane(5..1) warp(6) rank(10)", f32>
!c = !id.tile<2**10, "reg(7, 6, 8) lane(5..1) warp(9) rank(10)", f32>
!d = !id.tile<2**10, "reg(6, 9, 8) lane(5..1) warp(10) rank(7)", f32>
func.func @clusters(%x: !s) -> !s {
  %0 = id.kernel "once" cluster 2(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.exchange %1 by cluster <padded = false, words = 512, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128, 9, 256> : !a -> !b
    %3 = id.exchange %2 by shared <padded = false, words = 512, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128, 9, 256> : !b -> !c
    %4 = id.store %3 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !c -> !s
    id.yield %4 : !s
  }
  %5 = id.kernel "persistent" cluster 2 persistent(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.exchange %1 by cluster <padded = false, words = 512, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128, 9, 256> : !a -> !b
    %4 = id.store %2 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %4 : !s
  }
  %6 = id.kernel "late" cluster 2 persistent(%5) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.exchange %1 by shared <padded = false, words = 512, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 8, 64, 9, 128, 10, 256> : !a -> !d
    %3 = id.exchange %2 by cluster <padded = false, words = 512, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128, 9, 256> : !d -> !b
    %4 = id.store %3 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %4 : !s
  }
  return %6 : !s
}

// -----

// What other blocks read stays until the cluster meets again: the second exchange from computed places has a place of its
// own, the third, behind a barrier of the cluster, that of the first. Who reads last meets once more before blocks end.
// CHECK-LABEL: func.func @peers
// CHECK: id.kernel "k" cluster 2(%arg0) {id.shared_bytes = 128 : i64}
// CHECK: by cluster {{.*}}{id.after = #id.meeting<none>, id.before = #id.meeting<none>, id.between = #id.meeting<cluster>, id.shared_offset = 0 : i64}
// CHECK: by cluster {{.*}}{id.after = #id.meeting<none>, id.before = #id.meeting<none>, id.between = #id.meeting<cluster>, id.shared_offset = 64 : i64}
// CHECK: by cluster {{.*}}{id.after = #id.meeting<cluster>, id.before = #id.meeting<none>, id.between = #id.meeting<cluster>, id.shared_offset = 0 : i64}
!s = !id.seq<2**5, f32>
!a = !id.tile<2**5, "reg(1) lane(4..2) rank(5)", f32>
func.func @peers(%x: !s) -> !s {
  %0 = id.kernel "k" cluster 2(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [5, 4, 3, 2, 1] : !s -> !a
    %2 = id.exchange %1 by cluster <padded = true, words = 16, columns = 1, 1, 2, 2, 3, 4, 4, 8> : !a -> !a from [5, 4, 3, 2, 1] {
      %d = id.digit 1 : i64
      id.yield %d : i64
    }
    %3 = id.exchange %2 by cluster <padded = true, words = 16, columns = 1, 1, 2, 2, 3, 4, 4, 8> : !a -> !a from [5, 4, 3, 2, 1] {
      %d = id.digit 5 : i64
      id.yield %d : i64
    }
    %4 = id.exchange %3 by cluster <padded = true, words = 16, columns = 1, 1, 2, 2, 3, 4, 4, 8> : !a -> !a from [5, 4, 3, 2, 1] {
      %d = id.digit 5 : i64
      id.yield %d : i64
    }
    %5 = id.store %4 [5, 4, 3, 2, 1] : !a -> !s
    id.yield %5 : !s
  }
  return %0 : !s
}

// -----

// Sections of ever fewer threads: what lives at the same time lies side by side, and 16 threads are of one warp. Where a
// block has the tiles of several problems they are not.
// CHECK-LABEL: func.func @sections
// CHECK: id.kernel "one" grid(%arg0) {id.shared_bytes = 2112 : i64}
// CHECK: id.exchange {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<block>, id.shared_offset = 0 : i64}
// CHECK: id.exchange {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<warp>, id.shared_offset = 2048 : i64}
// CHECK: id.kernel "several" grid(%{{.*}}) {id.shared_bytes = 32 : i64}
// CHECK: id.exchange {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<block>, id.shared_offset = 0 : i64}
!s = !id.seq<2**10, f32>
!r = !id.seq<2**5, f32>
!a = !id.tile<2**10, "reg(1) lane(10..2)", f32>
!b = !id.tile<2**9, "lane(9..1)", f32>
!c = !id.tile<2**9, "reg(5..1) lane(9..6)", f32>
!d = !id.tile<2**4, "lane(4..1)", f32>
!e = !id.tile<2**5, "reg(1) lane(5..2)", f32>
!f = !id.tile<2**4, "reg(1) lane(4..2)", f32>
!g = !id.tile<2**3, "lane(3..1)", f32>
func.func @sections(%x: !s) -> !id.seq<2**3, f32> {
  %0 = id.kernel "one" grid(%x) : (!s) -> !id.seq<2**3, f32> {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.node [1](%1) : (!a) -> !b {
    ^bb0(%p: f32, %q: f32):
      %y = arith.addf %p, %q : f32
      id.yield %y : f32
    }
    %3 = id.exchange %2 by shared <padded = true, words = 512, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128, 9, 256> : !b -> !c
    %4 = id.node [5, 4, 3, 2, 1](%3) : (!c) -> !d {
    ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %e4: f32, %e5: f32, %e6: f32, %e7: f32, %e8: f32, %e9: f32, %e10: f32, %e11: f32, %e12: f32, %e13: f32, %e14: f32, %e15: f32, %e16: f32, %e17: f32, %e18: f32, %e19: f32, %e20: f32, %e21: f32, %e22: f32, %e23: f32, %e24: f32, %e25: f32, %e26: f32, %e27: f32, %e28: f32, %e29: f32, %e30: f32, %e31: f32):
      id.yield %e0 : f32
    }
    %5 = id.exchange %4 by shared <padded = true, words = 16, columns = 1, 1, 2, 2, 3, 4, 4, 8> : !d -> !f
    %6 = id.node [1](%5) : (!f) -> !g {
    ^bb0(%p: f32, %q: f32):
      %y = arith.addf %p, %q : f32
      id.yield %y : f32
    }
    %7 = id.store %6 [3, 2, 1] : !g -> !id.seq<2**3, f32>
    id.yield %7 : !id.seq<2**3, f32>
  }
  %8 = id.kernel "several" grid(%0) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%in: !id.seq<2**3, f32>):
    %1 = id.load %in [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(3) lane(2..1)", f32>
    %2 = id.exchange %1 by shared <padded = true, words = 8, columns = 1, 1, 2, 2, 3, 4> : !id.tile<2**3, "reg(3) lane(2..1)", f32> -> !id.tile<2**3, "reg(1) lane(3..2)", f32>
    %3 = id.store %2 [3, 2, 1] : !id.tile<2**3, "reg(1) lane(3..2)", f32> -> !id.seq<2**3, f32>
    id.yield %3 : !id.seq<2**3, f32>
  }
  return %8 : !id.seq<2**3, f32>
}

// A team posts without a barrier; what waits for the second half is parked twice, totals of turns lie below.
// TURNS: id.kernel "sums_k0" team 4(%arg0) {id.parked_bytes = [[PARKED:[0-9]+]] : i64, id.shared_bytes = {{[0-9]+}} : i64}
// TURNS: by grid {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<none>}
// TURNS: id.node {{.*}} {id.shared_offset = {{[0-9]+}} : i64} : (!id.tile<2**2, "rank(_, _) turn(2..1)", f32>)
// TURNS: id.exchange %{{.*}}#1 by shared {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<none>, id.parked, id.shared_offset

// -----

// What is staged lies where exchanges do, in places of equal size, and the block meets behind what it copies and ahead
// of what it copies.
// CHECK-LABEL: func.func @staged
// CHECK: id.kernel "k" grid(%arg0) {id.shared_bytes = 480 : i64}
// CHECK: id.load {{.*}}{id.between = #id.meeting<block>, id.shared_offset = 0 : i64, staged}
// CHECK: id.exchange {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<block>, id.shared_offset = 240 : i64}
// CHECK: id.store {{.*}}{id.before = #id.meeting<none>, id.between = #id.meeting<block>, id.shared_offset = 0 : i64, staged}
!s = !id.seq<5**2, complex<f32>>
!a = !id.tile<5**2, "reg(2) lane(1)", complex<f32>>
!b = !id.tile<5**2, "reg(1) lane(2)", complex<f32>>
func.func @staged(%x: !s) -> !s {
  %0 = id.kernel "k" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [2, 1] {staged} : !s -> !a
    %2 = id.exchange %1 by shared <padded = true, words = 25, columns = 1, 1, 2, 5> : !a -> !b
    %3 = id.store %2 [2, 1] {staged} : !b -> !s
    id.yield %3 : !s
  }
  return %0 : !s
}

// -----

// An array that is not dense is no stretch of memory.
// CHECK-LABEL: func.func @strided
// CHECK: id.load %arg1 [2, 1] :
// CHECK: id.store {{.*}}staged
!s = !id.seq<5**2, complex<f32>>
!a = !id.tile<5**2, "reg(2) lane(1)", complex<f32>>
func.func @strided(%x: !s {id.layout = {batch = 50 : i64, offset = 0 : i64, sizes = array<i64: 25>, strides = array<i64: 2>}}) -> !s {
  %0 = id.kernel "k" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [2, 1] {staged} : !s -> !a
    %3 = id.store %1 [2, 1] {staged} : !a -> !s
    id.yield %3 : !s
  }
  return %0 : !s
}
