// What a contraction leaves is given back to the digits that it took away, where a step takes it together with what was
// contracted.
// RUN: idc-opt %s -id-expand-repeats | FileCheck %s
// RUN: idc-opt %s -id-expand-repeats=target=cpu | FileCheck %s --check-prefix=CPU
// CPU-COUNT-4: id.repeat
// CPU-NOT: id.repeat

// Digits 2, then 1, of radices 3 and 2 below a digit that stays: digit 1 comes back first, in place 1, then digit 2.
// CHECK-LABEL: func.func @rows
// CHECK: %[[S:.*]] = id.node [1](%{{.*}}) : (!id.seq<2**2, f32>) -> !id.seq<2, f32>
// CHECK-NOT: id.repeat
// CHECK: %[[A:.*]] = id.node [1](%[[S]]) : (!id.seq<2, f32>) -> !id.seq<2**2, f32> {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT: id.yield %[[E]], %[[E]] : f32, f32
// CHECK: %[[B:.*]] = id.node [2](%[[A]]) : (!id.seq<2**2, f32>) -> !id.seq<2 * 3 * 2, f32>
// CHECK: id.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32
// CHECK: id.pointwise(%arg0, %[[B]])
func.func @rows(%x: !id.seq<2 * 3 * 2, f32>) -> !id.seq<2 * 3 * 2, f32> {
  %0 = id.node [2](%x) : (!id.seq<2 * 3 * 2, f32>) -> !id.seq<2 * 2, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    id.yield %t : f32
  }
  %1 = id.node [1](%0) : (!id.seq<2 * 2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %2 = id.repeat %1 : <2, f32> -> <3 * 2 * 2, f32>
  %3 = id.permute %2 [1, 3, 2] : <3 * 2 * 2, f32> -> <2 * 3 * 2, f32>
  %4 = id.pointwise(%x, %3) : (!id.seq<2 * 3 * 2, f32>, !id.seq<2 * 3 * 2, f32>) -> !id.seq<2 * 3 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    id.yield %s : f32
  }
  return %4 : !id.seq<2 * 3 * 2, f32>
}

// Through steps that keep digits, on both sides of the contraction.
// CHECK-LABEL: func.func @through
// CHECK-NOT: id.repeat
// CHECK: return
func.func @through(%x: !id.seq<2, f32>) -> !id.seq<2, f32> {
  %0 = id.pointwise(%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    id.yield %s : f32
  }
  %1 = id.node [1](%0) : (!id.seq<2, f32>) -> !id.seq<1, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %2 = id.pointwise(%1) : (!id.seq<1, f32>) -> !id.seq<1, f32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    id.yield %s : f32
  }
  %3 = id.repeat %2 : <1, f32> -> <2, f32>
  %4 = id.pointwise(%3, %x) : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    id.yield %s : f32
  }
  return %4 : !id.seq<2, f32>
}

// What comes from elsewhere is only loaded, and so is what has lost other digits than it is repeated along.
// CHECK-LABEL: func.func @elsewhere
// CHECK: id.repeat
// CHECK-NOT: id.repeat
func.func @elsewhere(%x: !id.seq<2, f32>, %y: !id.seq<2, f32>) -> !id.seq<2, f32> {
  %0 = id.node [1](%y) : (!id.seq<2, f32>) -> !id.seq<1, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %1 = id.repeat %0 : <1, f32> -> <2, f32>
  %2 = id.pointwise(%x, %1) : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    id.yield %s : f32
  }
  return %2 : !id.seq<2, f32>
}

// CHECK-LABEL: func.func @other_digit
// CHECK: id.repeat
func.func @other_digit(%x: !id.seq<2 * 2, f32>) -> !id.seq<2 * 2, f32> {
  %0 = id.node [1](%x) : (!id.seq<2 * 2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %1 = id.repeat %0 : <2, f32> -> <2 * 2, f32>
  %2 = id.pointwise(%x, %1) : (!id.seq<2 * 2, f32>, !id.seq<2 * 2, f32>) -> !id.seq<2 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    id.yield %s : f32
  }
  return %2 : !id.seq<2 * 2, f32>
}
