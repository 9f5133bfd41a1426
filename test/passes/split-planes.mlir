// What several highest digits of an argument tell apart is taken at one digit after the other
// (compiler/passes/SplitPlanes.cpp).
// RUN: idc-opt %s --id-split-planes | FileCheck %s

// The first digit named is the most significant of the node's array: part 1 has digit 17 = 1, digit 18 = 0.
// CHECK-LABEL: func.func @apart
// CHECK: %[[HIGH:.*]]:2 = id.node [18](%arg0) : (!id.seq<2**18, f32>) -> (!id.seq<2**17, f32>, !id.seq<2**17, f32>)
// CHECK: %[[FIRST:.*]]:2 = id.node [17](%[[HIGH]]#0)
// CHECK: %[[SECOND:.*]]:2 = id.node [17](%[[HIGH]]#1)
// CHECK: return %[[SECOND]]#0, %[[FIRST]]#1
func.func @apart(%x: !id.seq<2**18, f32>) -> (!id.seq<2**16, f32>, !id.seq<2**16, f32>) {
  %0:2 = id.node [18, 17] (%x) : (!id.seq<2**18, f32>) -> (!id.seq<2**16, f32>, !id.seq<2**16, f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    id.yield %c, %b : f32, f32
  }
  return %0#0, %0#1 : !id.seq<2**16, f32>, !id.seq<2**16, f32>
}

// The lowest digits lie together.
// CHECK-LABEL: func.func @low
// CHECK: id.node [2, 1]
func.func @low(%x: !id.seq<2**18, f32>) -> (!id.seq<2**16, f32>, !id.seq<2**16, f32>) {
  %0:2 = id.node [2, 1] (%x) : (!id.seq<2**18, f32>) -> (!id.seq<2**16, f32>, !id.seq<2**16, f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    id.yield %c, %b : f32, f32
  }
  return %0#0, %0#1 : !id.seq<2**16, f32>, !id.seq<2**16, f32>
}

// In place, a kernel reads all before another writes.
// CHECK-LABEL: func.func @in_place
// CHECK: id.node [18, 17]
func.func @in_place(%x: !id.seq<2**18, f32>) -> (!id.seq<2**16, f32>, !id.seq<2**16, f32>) attributes {id.in_place} {
  %0:2 = id.node [18, 17] (%x) : (!id.seq<2**18, f32>) -> (!id.seq<2**16, f32>, !id.seq<2**16, f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    id.yield %c, %b : f32, f32
  }
  return %0#0, %0#1 : !id.seq<2**16, f32>, !id.seq<2**16, f32>
}
