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

// Not of two arguments, of other lengths, and of elements that lie in sectors of their own.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: id.pointwise
func.func @stays(%x: !id.seq<512, f32>, %y: !id.seq<512, f32>)
    -> (!id.seq<512, f32>, !id.seq<512, f32>, !id.seq<32, f32>, !id.seq<512, f32>) {
  %0 = id.resize %x lowest 1 : <512, f32> -> <32, f32>
  %1 = id.gather %x lowest 1 : <512, f32> -> <512, f32> from {
    %d = id.digit 1 : i64
    %c33 = arith.constant 33 : i64
    %c512 = arith.constant 512 : i64
    %n = arith.muli %d, %c33 : i64
    %k = arith.remui %n, %c512 : i64
    id.yield %k : i64
  }
  return %x, %y, %0, %1 : !id.seq<512, f32>, !id.seq<512, f32>, !id.seq<32, f32>, !id.seq<512, f32>
}
