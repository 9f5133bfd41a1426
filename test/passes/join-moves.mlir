// RUN: idc-opt %s --id-join-moves --split-input-file | FileCheck %s
// RUN: idc-opt %s --id-join-moves=target=cpu --split-input-file | FileCheck %s --check-prefix=CPU

// Two neighbours of each element, and the element itself: one step yields all.
// CHECK-LABEL: func.func @neighbours
// CHECK: %[[NEXT:.*]] = id.gather %arg0
// CHECK: %[[ALL:.*]]:2 = id.pointwise(%[[NEXT]], %arg0)
// CHECK: id.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK: return %[[ALL]]#0, %[[ALL]]#1
// CPU-LABEL: func.func @neighbours
// CPU: return
func.func @neighbours(%x: !id.seq<64, f32>) -> (!id.seq<64, f32>, !id.seq<64, f32>) {
  %0 = id.gather %x lowest 1 : <64, f32> -> <64, f32> from {
    %d = id.digit 1 : i64
    %c1 = arith.constant 1 : i64
    %c64 = arith.constant 64 : i64
    %n = arith.addi %d, %c1 : i64
    %k = arith.remui %n, %c64 : i64
    id.yield %k : i64
  }
  return %0, %x : !id.seq<64, f32>, !id.seq<64, f32>
}

// -----

// A step on the same elements makes its results beside what is only moved.
// CHECK-LABEL: func.func @beside
// CHECK: %[[BOTH:.*]]:2 = id.pointwise(%arg0, %arg0)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[A]]
// CHECK-NEXT: id.yield %[[N]], %[[B]]
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @beside(%x: !id.seq<64, f32>) -> (!id.seq<64, f32>, !id.seq<64, f32>) {
  %0 = id.pointwise(%x) : (!id.seq<64, f32>) -> !id.seq<64, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %0, %x : !id.seq<64, f32>, !id.seq<64, f32>
}

// -----

// Of two arguments, one as its mirror image, beside what a step makes of both.
// CHECK-LABEL: func.func @two
// CHECK: %[[MIRROR:.*]] = id.permute %arg1
// CHECK: %[[ALL:.*]]:3 = id.pointwise(%arg0, %arg1, %arg0, %[[MIRROR]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32):
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: id.yield %[[SUM]], %[[C]], %[[D]]
// CHECK: return %[[ALL]]#1, %[[ALL]]#2, %[[ALL]]#0
func.func @two(%x: !id.seq<2**6, f32>, %y: !id.seq<2**6, f32>)
    -> (!id.seq<2**6, f32>, !id.seq<2**6, f32>, !id.seq<2**6, f32>) {
  %0 = id.permute %y [-6, -5, -4, -3, -2, -1] : <2**6, f32> -> <2**6, f32>
  %1 = id.pointwise(%x, %y) : (!id.seq<2**6, f32>, !id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  return %x, %0, %1 : !id.seq<2**6, f32>, !id.seq<2**6, f32>, !id.seq<2**6, f32>
}

// -----

// Not of other lengths, of two arguments with elements narrower than a register, of elements that lie in sectors of their own, and of digits in another order.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: id.pointwise
func.func @stays(%x: !id.seq<512, f32>, %y: !id.seq<2**6, f32>, %v: !id.seq<7, i16>, %w: !id.seq<7, i16>)
    -> (!id.seq<512, f32>, !id.seq<2**6, f32>, !id.seq<32, f32>, !id.seq<512, f32>, !id.seq<7, i16>, !id.seq<7, i16>) {
  %0 = id.resize %x lowest 1 : <512, f32> -> <32, f32>
  %1 = id.gather %x lowest 1 : <512, f32> -> <512, f32> from {
    %d = id.digit 1 : i64
    %c33 = arith.constant 33 : i64
    %c512 = arith.constant 512 : i64
    %n = arith.muli %d, %c33 : i64
    %k = arith.remui %n, %c512 : i64
    id.yield %k : i64
  }
  %2 = id.permute %y [5, 6, 4, 3, 2, 1] : <2**6, f32> -> <2**6, f32>
  return %x, %2, %0, %1, %v, %w : !id.seq<512, f32>, !id.seq<2**6, f32>, !id.seq<32, f32>, !id.seq<512, f32>,
                                  !id.seq<7, i16>, !id.seq<7, i16>
}
