// Every exchange gets its means: nothing, other registers, shuffles, shared memory with a layout.
// RUN: idc-opt %s --id-plan-exchanges | FileCheck %s
// RUN: idc-opt %s "--id-plan-exchanges=max-shuffle-swaps=3" | FileCheck %s --check-prefix=MORE
// RUN: idc-opt %s "--id-plan-exchanges=max-shuffle-swaps=0" | FileCheck %s --check-prefix=NONE

!s = !id.seq<2**10, complex<f32>>
!a = !id.tile<2**10, "reg(10..8) lane(5..1) warp(7..6)", complex<f32>>
!b = !id.tile<2**10, "reg(8, 9, 10) lane(5..1) warp(7..6)", complex<f32>>
!c = !id.tile<2**10, "reg(1, 9, 10) lane(5..2, 8) warp(7..6)", complex<f32>>
!d = !id.tile<2**10, "reg(5, 4, 10) lane(9, 1, 3, 2, 8) warp(7..6)", complex<f32>>
!e = !id.tile<2**10, "reg(7, 6, 10) lane(9, 1, 3, 2, 8) warp(5, 4)", complex<f32>>

// CHECK-LABEL: func.func @transform
// CHECK: id.exchange %{{.*}} by none :
// CHECK: id.exchange %{{.*}} by registers :
// CHECK: id.exchange %{{.*}} by shuffle :
// CHECK: id.exchange %{{.*}} by shared <padded = false, words = 1024, columns = {{[0-9, ]*}}> :
// CHECK: id.exchange %{{.*}} by shared <padded = false, words = 1024, columns = {{[0-9, ]*}}> :

// MORE-LABEL: func.func @transform
// MORE: by none
// MORE: by registers
// MORE: by shuffle
// MORE: by shuffle
// MORE: by shared

// NONE-LABEL: func.func @transform
// NONE: by none
// NONE: by registers
// NONE: by shared
// NONE: by shared
// NONE: by shared
func.func @transform(%x: !s) -> !s {
  %0 = id.kernel "k" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.exchange %1 : !a -> !a
    %3 = id.exchange %2 : !a -> !b
    %4 = id.exchange %3 : !b -> !c
    %5 = id.exchange %4 : !c -> !d
    %6 = id.exchange %5 : !d -> !e
    %7 = id.store %6 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !e -> !s
    id.yield %7 : !s
  }
  return %0 : !s
}

// Real numbers of 4 bytes, block digits that stay. Columns are those of the tile's digits: the block's has none.
// CHECK-LABEL: func.func @minima
// CHECK: by shared <padded = false, words = 256, columns = 1, {{[0-9]+}}, 2, {{[0-9]+}}, 3, {{[0-9]+}}, 4, {{[0-9]+}}, 5, {{[0-9]+}}, 6, {{[0-9]+}}, 7, {{[0-9]+}}, 8, {{[0-9]+}}>
func.func @minima(%x: !id.seq<2**9, f32>) -> !id.seq<2**9, f32> {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**9, f32>) -> !id.seq<2**9, f32> {
  ^bb0(%in: !id.seq<2**9, f32>):
    %1 = id.load %in [9, 8, 7, 6, 5, 4, 3, 2, 1] : !id.seq<2**9, f32> -> !id.tile<2**9, "reg(8..6) lane(5..1) block(9)", f32>
    %2 = id.exchange %1 : !id.tile<2**9, "reg(8..6) lane(5..1) block(9)", f32>
        -> !id.tile<2**9, "reg(3..1) lane(8..4) block(9)", f32>
    %3 = id.store %2 [9, 8, 7, 6, 5, 4, 3, 2, 1] : !id.tile<2**9, "reg(3..1) lane(8..4) block(9)", f32> -> !id.seq<2**9, f32>
    id.yield %3 : !id.seq<2**9, f32>
  }
  return %0 : !id.seq<2**9, f32>
}

// Another radix: a padded layout. The rank moves: through the shared memory of the cluster's blocks.
// CHECK-LABEL: func.func @others
// CHECK: by shared <padded = true, words = {{[0-9]+}}, columns = {{[0-9, ]*}}>
// CHECK: by cluster <padded = false, words = {{[0-9]+}}, columns = {{[0-9, ]*}}>
func.func @others(%x: !id.tile<3**4, "reg(4) lane(3..1)", f32>, %y: !id.tile<2**7, "reg(7) lane(5..1) rank(6)", f32>) {
  %0 = id.exchange %x : !id.tile<3**4, "reg(4) lane(3..1)", f32> -> !id.tile<3**4, "reg(1) lane(4..2)", f32>
  %1 = id.exchange %y : !id.tile<2**7, "reg(7) lane(5..1) rank(6)", f32>
      -> !id.tile<2**7, "reg(6) lane(5..1) rank(7)", f32>
  func.call @use(%0, %1) : (!id.tile<3**4, "reg(1) lane(4..2)", f32>, !id.tile<2**7, "reg(6) lane(5..1) rank(7)", f32>) -> ()
  return
}
func.func private @use(!id.tile<3**4, "reg(1) lane(4..2)", f32>, !id.tile<2**7, "reg(6) lane(5..1) rank(7)", f32>)

// Read from computed places: lanes take numbers far apart, here those of reversed digits, so the layout is made for them,
// too. Neighbours in order are read as they were written.
// CHECK-LABEL: func.func @computed
// CHECK: by shared <padded = true, words = 67, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 17, 6, 34> {{.*}} from [1], [2], [3], [4], [5], [6]
// CHECK: by shared <padded = true, words = 64, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32> {{.*}} from [1, 2, 3, 4, 5, 6]
!t = !id.tile<2**6, "reg(6) lane(5..1)", complex<f32>>
func.func @computed(%x: !t) {
  %0 = id.exchange %x by shared : !t -> !t from [1], [2], [3], [4], [5], [6] {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %3 = id.digit 3 : i64
    %4 = id.digit 4 : i64
    %5 = id.digit 5 : i64
    %6 = id.digit 6 : i64
    id.yield %6, %5, %4, %3, %2, %1 : i64, i64, i64, i64, i64, i64
  }
  %7 = id.exchange %x by shared : !t -> !t from [1, 2, 3, 4, 5, 6] {
    %1 = id.digit 1 : i64
    %c63 = arith.constant 63 : i64
    %2 = arith.remui %1, %c63 : i64
    id.yield %2 : i64
  }
  func.call @keep(%0, %7) : (!t, !t) -> ()
  return
}
func.func private @keep(!t, !t)
