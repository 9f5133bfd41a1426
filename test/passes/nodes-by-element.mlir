// Nodes that do the same with each element alone are steps on elements (compiler/passes/NodesByElement.cpp).
// RUN: idc-opt %s --id-nodes-by-element --canonicalize | FileCheck %s

// One element for all is repeated along the node's digits, which need not be the highest.
// CHECK-LABEL: func.func @divided
// CHECK-NEXT: %[[LONG:.*]] = id.repeat %arg1 : <2, f32> -> <3 * 2, f32>
// CHECK-NEXT: %[[MOVED:.*]] = id.permute %[[LONG]] [1, 2] : <3 * 2, f32> -> <2 * 3, f32>
// CHECK-NEXT: id.pointwise(%arg0, %[[MOVED]])
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[Y:.*]] = arith.divf %[[X]], %[[S]]
// CHECK-NEXT: id.yield %[[Y]]
// CHECK-NOT: id.node
func.func @divided(%x: !id.seq<2 * 3, f32>, %s: !id.seq<2, f32>) -> !id.seq<2 * 3, f32> {
  %0 = id.node [1] (%x, %s) : (!id.seq<2 * 3, f32>, !id.seq<2, f32>) -> !id.seq<2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %p = arith.divf %a, %d : f32
    %q = arith.divf %b, %d : f32
    %r = arith.divf %c, %d : f32
    id.yield %p, %q, %r : f32, f32, f32
  }
  return %0 : !id.seq<2 * 3, f32>
}

// Several results, of elements of two numbers, of several digits; what all elements share is made once.
// CHECK-LABEL: func.func @several
// CHECK: id.pointwise(%arg0, %arg1)
// CHECK-COUNT-1: id.parameter
// CHECK: id.yield
// CHECK-NOT: id.node
func.func @several(%x: !id.seq<2**2, !id.record<f32, i32>>, %y: !id.seq<2**2, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, !id.record<f32, i32>>) attributes {id.scalars = [f32]} {
  %0:2 = id.node [2, 1] (%x, %y) : (!id.seq<2**2, !id.record<f32, i32>>, !id.seq<2**2, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, !id.record<f32, i32>>) {
  ^bb0(%a0: f32, %k0: i32, %a1: f32, %k1: i32, %a2: f32, %k2: i32, %a3: f32, %k3: i32, %b0: f32, %b1: f32, %b2: f32, %b3: f32):
    %p = id.parameter 0 : f32
    %m0 = arith.mulf %a0, %p : f32
    %s0 = arith.addf %m0, %b0 : f32
    %m1 = arith.mulf %a1, %p : f32
    %s1 = arith.addf %m1, %b1 : f32
    %m2 = arith.mulf %a2, %p : f32
    %s2 = arith.addf %m2, %b2 : f32
    %m3 = arith.mulf %a3, %p : f32
    %s3 = arith.addf %m3, %b3 : f32
    id.yield %s0, %s1, %s2, %s3, %b0, %k0, %b1, %k1, %b2, %k2, %b3, %k3 : f32, f32, f32, f32, f32, i32, f32, i32, f32, i32, f32, i32
  }
  return %0#0, %0#1 : !id.seq<2**2, f32>, !id.seq<2**2, !id.record<f32, i32>>
}

// What takes another element, does something else with one, or leaves elements out, stays.
// CHECK-LABEL: func.func @other
// CHECK-COUNT-4: id.node
func.func @other(%x: !id.seq<2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>, !id.seq<1, f32>) {
  %0 = id.node [1] (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [1] (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %a : f32
    %q = arith.addf %b, %a : f32
    id.yield %p, %q : f32, f32
  }
  %2 = id.node [1] (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %p = arith.addf %a, %one : f32
    %q = arith.addf %b, %two : f32
    id.yield %p, %q : f32, f32
  }
  %3 = id.node [1] (%x) : (!id.seq<2, f32>) -> !id.seq<1, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a : f32
  }
  return %0, %1, %2, %3 : !id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>, !id.seq<1, f32>
}

// A condition that is another element's.
// CHECK-LABEL: func.func @first_decides
// CHECK: id.node
func.func @first_decides(%x: !id.seq<2, f32>, %y: !id.seq<2, i1>) -> !id.seq<2, f32> {
  %0 = id.node [1] (%x, %y) : (!id.seq<2, f32>, !id.seq<2, i1>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32, %c: i1, %d: i1):
    %zero = arith.constant 0.0 : f32
    %p = arith.select %c, %a, %zero : f32
    %q = arith.select %c, %b, %zero : f32
    id.yield %p, %q : f32, f32
  }
  return %0 : !id.seq<2, f32>
}

// Copies of one element.
// CHECK-LABEL: func.func @copies
// CHECK: id.node
func.func @copies(%s: !id.seq<1, f32>) -> !id.seq<2, f32> {
  %0 = id.node [1] (%s) : (!id.seq<1, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    id.yield %a, %a : f32, f32
  }
  return %0 : !id.seq<2, f32>
}
