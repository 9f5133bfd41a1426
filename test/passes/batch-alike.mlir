// What follows alike on all results of a node is done once (compiler/passes/BatchAlike.cpp).
// RUN: idc-opt %s --id-batch-alike | FileCheck %s

// Both halves are doubled; the second one alone is negated, after the digit is taken away.
// CHECK-LABEL: func.func @halves
// CHECK: %[[KEPT:.*]] = id.node [1](%arg0) {id.batched} : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32>
// CHECK: %[[HIGH:.*]] = id.permute %[[KEPT]] [1, 3, 2]
// CHECK: %[[TWICE:.*]] = id.node [2](%[[HIGH]]) {id.batched} : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32>
// CHECK: %[[TURNED:.*]] = id.permute %[[TWICE]] [3, 1, 2] {id.batched}
// CHECK: %[[PARTS:.*]]:2 = id.node [3](%[[TURNED]]) {id.batched} : (!id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>)
// CHECK: %[[NEGATED:.*]] = id.pointwise(%[[PARTS]]#1)
// CHECK-NOT: id.node
// CHECK: return %[[PARTS]]#0, %[[NEGATED]]
func.func @halves(%x: !id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  %0:2 = id.node [1] (%x) : (!id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    id.yield %c, %b : f32, f32
  }
  %1 = id.node [2] (%0#0) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    id.yield %c, %c : f32, f32
  }
  %2 = id.node [2] (%0#1) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    id.yield %c, %c : f32, f32
  }
  %3 = id.permute %2 [1, 2] : <2**2, f32> -> <2**2, f32>
  %4 = id.permute %1 [1, 2] : <2**2, f32> -> <2**2, f32>
  %5 = id.pointwise (%3) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %4, %5 : !id.seq<2**2, f32>, !id.seq<2**2, f32>
}

// Another constant is another step; so is one that takes both halves in another order.
// CHECK-LABEL: func.func @differ
// CHECK: id.node [1](%arg0) : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>)
// CHECK-COUNT-4: id.pointwise
func.func @differ(%x: !id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  %0:2 = id.node [1] (%x) : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  %1 = id.pointwise (%0#0) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    %k = arith.constant 2.0 : f32
    %n = arith.mulf %a, %k : f32
    id.yield %n : f32
  }
  %2 = id.pointwise (%0#1) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    %k = arith.constant 3.0 : f32
    %n = arith.mulf %a, %k : f32
    id.yield %n : f32
  }
  %3 = id.pointwise (%1, %2) : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %n = arith.subf %a, %b : f32
    id.yield %n : f32
  }
  %4 = id.pointwise (%2, %1) : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %n = arith.subf %a, %b : f32
    id.yield %n : f32
  }
  return %3, %4 : !id.seq<2, f32>, !id.seq<2, f32>
}

// Two splits that follow alike on both halves are no work: they stay.
// CHECK-LABEL: func.func @splits
// CHECK: %[[HALVES:.*]]:2 = id.node [2](%arg0) :
// CHECK: %[[LOW:.*]]:2 = id.node [1](%[[HALVES]]#0) :
// CHECK: %[[HIGH:.*]]:2 = id.node [1](%[[HALVES]]#1) :
// CHECK: %[[CHANGED:.*]] = id.pointwise(%[[LOW]]#0)
// CHECK: return %[[CHANGED]], %[[LOW]]#1, %[[HIGH]]#0, %[[HIGH]]#1
func.func @splits(%x: !id.seq<2**3, f32>)
    -> (!id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>) {
  %0:2 = id.node [2] (%x) : (!id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  %1:2 = id.node [1] (%0#0) : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  %2:2 = id.node [1] (%0#1) : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  %3 = id.pointwise (%1#0) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %3, %1#1, %2#0, %2#1 : !id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>
}
