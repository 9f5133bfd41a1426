// Steps that no chain can take are flat kernels: the digits of their nodes in registers, all others in the block field.
// RUN: idc-opt %s --split-input-file --id-to-stages | FileCheck %s

// Two inputs meet: both are loaded, the second through its permutation. That is a chain.
// CHECK-LABEL: func.func @joins
// CHECK: id.kernel "joins_k0" grid(%arg0, %arg1)
// CHECK: id.load %arg2 [2, 1] {{.*}} "[[MAPPING:reg.*]]"
// CHECK: id.load %arg3 [1, 2] {{.*}} "[[MAPPING]]"
// CHECK: id.pointwise
// CHECK: id.store
func.func @joins(%x: !id.seq<2**2, f32>, %y: !id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  %0 = id.permute %y [1, 2] : <2**2, f32> -> <2**2, f32>
  %1 = id.pointwise (%x, %0) : (!id.seq<2**2, f32>, !id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  return %1 : !id.seq<2**2, f32>
}

// -----

// A digit vanishes and another comes: one kernel, since a thread can hold the values of both. 
// CHECK-LABEL: func.func @contracts
// CHECK: id.kernel "contracts_k0" grid
// CHECK: id.load {{.*}} "reg(1) lane(3..2)"
// CHECK: id.node [1]
// CHECK-SAME: "lane(2..1)"
// CHECK: id.node [2]
// CHECK: id.store {{.*}} "reg(2) lane(3, 1)"
// CHECK-NOT: id.kernel
func.func @contracts(%x: !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  %0 = id.node [1] (%x) : (!id.seq<2**3, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %1 = id.node [2] (%0) : (!id.seq<2**2, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32):
    id.yield %a, %a : f32, f32
  }
  return %1 : !id.seq<2**3, f32>
}

// -----

// Digits of other radices, and a result that is an argument: it is copied, to each place it is returned at.
// CHECK-LABEL: func.func @copies
// CHECK: id.kernel "copies_k0" grid
// CHECK: id.load
// CHECK: id.store
// CHECK: id.store
// CHECK-NOT: id.kernel
// CHECK: return %0#0, %0#1
func.func @copies(%x: !id.seq<3 * 2, f32>) -> (!id.seq<3 * 2, f32>, !id.seq<3 * 2, f32>) {
  return %x, %x : !id.seq<3 * 2, f32>, !id.seq<3 * 2, f32>
}

// -----

// What a step of a chain takes beside the value of the step before is loaded where it is used.
// CHECK-LABEL: func.func @chains
// CHECK: id.kernel "chains_k0" grid(%arg0)
// CHECK: %[[FIRST:.*]] = id.load
// CHECK: id.node [6](%[[FIRST]])
// CHECK: %[[OTHER:.*]] = id.load
// CHECK: id.pointwise(%{{.*}}, %[[OTHER]])
// CHECK-NOT: id.kernel
func.func @chains(%x: !id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  %0 = id.node [6] (%x) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.pointwise (%0, %x) : (!id.seq<2**6, f32>, !id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    id.yield %s : f32
  }
  %2 = id.node [1] (%1) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %2 : !id.seq<2**6, f32>
}

// -----

// What a step makes and what is its copy are two results.
// CHECK-LABEL: func.func @returned_twice
// CHECK: %[[MADE:.*]] = id.kernel "returned_twice_k0" grid(%arg0, %arg1)
// CHECK: %[[COPY:.*]] = id.kernel "returned_twice_k1" grid(%[[MADE]])
// CHECK: return %[[MADE]], %[[COPY]]
func.func @returned_twice(%x: !id.seq<2**2, f32>, %y: !id.seq<2**2, f32>)
    -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  %0 = id.pointwise (%x, %y) : (!id.seq<2**2, f32>, !id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  return %0, %0 : !id.seq<2**2, f32>, !id.seq<2**2, f32>
}

// -----

// A shared input is loaded where it is used: its map has places for digits that the buffer lacks. No chain starts with
// it, and what follows does not go through memory.
// CHECK-LABEL: func.func @shares
// CHECK: id.kernel "shares_k0" grid(%arg0, %arg1)
// CHECK: id.load %{{.*}} [6, 5, 4, 3, 2, 1] : <2**6, f32>
// CHECK: id.load %{{.*}} [1, 2, 6, 5, 4, 3] : <2**2, f32> -> <2**6,
// CHECK: id.kernel "shares_k1" dependent(%arg1)
// CHECK: id.load %{{.*}} [6, 5, 4, 3, 2, 1] : <2**2, f32> -> <2**6, "reg(6, 1) lane(5..2)", f32>
// CHECK: id.kernel "shares_k2" dependent(%arg1)
// CHECK: return %0, %1, %2
func.func @shares(%x: !id.seq<2**6, f32>, %w: !id.seq<2**2, f32>)
    -> (!id.seq<2**6, f32>, !id.seq<2**6, f32>, !id.seq<2**6, f32>) {
  %0 = id.repeat %w : !id.seq<2**2, f32> -> !id.seq<2**6, f32>
  %1 = id.permute %0 [1, 2, 6, 5, 4, 3] : !id.seq<2**6, f32> -> !id.seq<2**6, f32>
  %2 = id.pointwise (%x, %1) : (!id.seq<2**6, f32>, !id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %3 = id.node [6] (%0) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %b, %s : f32, f32
  }
  %4 = id.node [1] (%3) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %2, %4, %0 : !id.seq<2**6, f32>, !id.seq<2**6, f32>, !id.seq<2**6, f32>
}
