// Which steps share a flat kernel, and what is stored or made again between two (compiler/passes/Groups.cpp).
// On a CPU a thread holds 16 words of a value; on a GPU a block holds a group in levels (passes/levels.mlir).
// RUN: idc-opt %s --split-input-file --id-to-stages=target=cpu | FileCheck %s

// Two steps on two digits of radix 3: 9 numbers per thread, one kernel.
// CHECK-LABEL: func.func @ternary
// CHECK: id.kernel "ternary_k0" grid
// CHECK: id.load {{.*}} "reg(2..1) block(4..3)"
// CHECK-NOT: id.kernel
func.func @ternary(%x: !id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  %0 = id.node [1] (%x) : (!id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a, %c : f32, f32, f32
  }
  %1 = id.node [2] (%0) : (!id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a, %c : f32, f32, f32
  }
  return %1 : !id.seq<3**4, f32>
}

// -----

// The third digit would make 27 numbers per thread: a second kernel. (Shorter ones are chains.)
// CHECK-LABEL: func.func @budget
// CHECK: id.kernel "budget_k0" grid
// CHECK: id.load {{.*}} "reg(2..1) block(12..3)"
// CHECK: id.kernel "budget_k1" grid
// CHECK: id.load {{.*}} "reg(4..3) block(12..5, 2..1)"
func.func @budget(%x: !id.seq<3**12, f32>) -> !id.seq<3**12, f32> {
  %0 = id.node [1] (%x) : (!id.seq<3**12, f32>) -> !id.seq<3**12, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %a, %c : f32, f32, f32
  }
  %1 = id.node [2] (%0) : (!id.seq<3**12, f32>) -> !id.seq<3**12, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %a, %c : f32, f32, f32
  }
  %2 = id.node [3] (%1) : (!id.seq<3**12, f32>) -> !id.seq<3**12, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %a, %c : f32, f32, f32
  }
  %3 = id.node [4] (%2) : (!id.seq<3**12, f32>) -> !id.seq<3**12, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %a, %c : f32, f32, f32
  }
  return %3 : !id.seq<3**12, f32>
}

// -----

// A permutation inside a group renames digits; one behind it becomes the order of the store.
// CHECK-LABEL: func.func @renames
// CHECK: id.kernel "renames_k0" grid
// CHECK: %[[T:.*]] = id.node [1]
// CHECK: id.rename %[[T]] [1, 2] : <3 * 5, "reg(1) block(2)", f32> -> <5 * 3, "reg(2) block(1)", f32>
// CHECK: id.pointwise
// CHECK: id.store %{{.*}} [1, 2]
// CHECK-NOT: id.kernel
func.func @renames(%x: !id.seq<3 * 5, f32>, %y: !id.seq<5 * 3, f32>) -> !id.seq<3 * 5, f32> {
  %0 = id.node [1] (%x) : (!id.seq<3 * 5, f32>) -> !id.seq<3 * 5, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32):
    id.yield %e, %d, %c, %b, %a : f32, f32, f32, f32, f32
  }
  %1 = id.permute %0 [1, 2] : <3 * 5, f32> -> <5 * 3, f32>
  %2 = id.pointwise (%y, %1) : (!id.seq<5 * 3, f32>, !id.seq<5 * 3, f32>) -> !id.seq<5 * 3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %3 = id.permute %2 [1, 2] : <5 * 3, f32> -> <3 * 5, f32>
  return %3 : !id.seq<3 * 5, f32>
}

// -----

// Four digits contracted, four contracted and put back, four put back. What the last kernel needs of the first is made
// again from the input: 2^8 numbers read instead of 2^8 - 2^4 written and read.
// CHECK-LABEL: func.func @by_cost
// CHECK: id.kernel "by_cost_k0" grid(%arg0) : (!id.seq<2**8, f32>) -> !id.seq<2**4, f32>
// CHECK: id.kernel "by_cost_k1" grid(%0) : (!id.seq<2**4, f32>) -> !id.seq<2**4, f32>
// CHECK: id.kernel "by_cost_k2" grid(%arg0, %1)
// CHECK: id.store {{.*}} "reg(4..1) block(8..5)"
// CHECK-NOT: id.kernel
func.func @by_cost(%x: !id.seq<2**8, f32>) -> !id.seq<2**8, f32> {
  %s0, %l0 = id.node [1] (%x) : (!id.seq<2**8, f32>) -> (!id.seq<2**7, f32>, !id.seq<2**7, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s1, %l1 = id.node [1] (%s0) : (!id.seq<2**7, f32>) -> (!id.seq<2**6, f32>, !id.seq<2**6, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s2, %l2 = id.node [1] (%s1) : (!id.seq<2**6, f32>) -> (!id.seq<2**5, f32>, !id.seq<2**5, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s3, %l3 = id.node [1] (%s2) : (!id.seq<2**5, f32>) -> (!id.seq<2**4, f32>, !id.seq<2**4, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s4, %l4 = id.node [1] (%s3) : (!id.seq<2**4, f32>) -> (!id.seq<2**3, f32>, !id.seq<2**3, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s5, %l5 = id.node [1] (%s4) : (!id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s6, %l6 = id.node [1] (%s5) : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s7, %l7 = id.node [1] (%s6) : (!id.seq<2, f32>) -> (!id.seq<1, f32>, !id.seq<1, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %d7 = id.node [1] (%s7, %l7) : (!id.seq<1, f32>, !id.seq<1, f32>) -> !id.seq<2, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d6 = id.node [1] (%d7, %l6) : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d5 = id.node [1] (%d6, %l5) : (!id.seq<2**2, f32>, !id.seq<2**2, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d4 = id.node [1] (%d5, %l4) : (!id.seq<2**3, f32>, !id.seq<2**3, f32>) -> !id.seq<2**4, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d3 = id.node [1] (%d4, %l3) : (!id.seq<2**4, f32>, !id.seq<2**4, f32>) -> !id.seq<2**5, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d2 = id.node [1] (%d3, %l2) : (!id.seq<2**5, f32>, !id.seq<2**5, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d1 = id.node [1] (%d2, %l1) : (!id.seq<2**6, f32>, !id.seq<2**6, f32>) -> !id.seq<2**7, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d0 = id.node [1] (%d1, %l0) : (!id.seq<2**7, f32>, !id.seq<2**7, f32>) -> !id.seq<2**8, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  return %d0 : !id.seq<2**8, f32>
}

// -----

// The attribute decides against the cost: four values are stored for the last kernel.
// CHECK-LABEL: func.func @stored
// CHECK: %0:5 = id.kernel "stored_k0" grid(%arg0)
// CHECK: id.kernel "stored_k1" grid(%0#{{[0-9]}})
// CHECK: id.kernel "stored_k2" grid(%1, %0#{{.*}}, %0#{{.*}}, %0#{{.*}}, %0#{{.*}})
// CHECK-NOT: id.kernel
func.func @stored(%x: !id.seq<2**8, f32>) -> !id.seq<2**8, f32> {
  %s0, %l0 = id.node [1] (%x) {id.crossing = "stored"} : (!id.seq<2**8, f32>) -> (!id.seq<2**7, f32>, !id.seq<2**7, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s1, %l1 = id.node [1] (%s0) {id.crossing = "stored"} : (!id.seq<2**7, f32>) -> (!id.seq<2**6, f32>, !id.seq<2**6, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s2, %l2 = id.node [1] (%s1) {id.crossing = "stored"} : (!id.seq<2**6, f32>) -> (!id.seq<2**5, f32>, !id.seq<2**5, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s3, %l3 = id.node [1] (%s2) {id.crossing = "stored"} : (!id.seq<2**5, f32>) -> (!id.seq<2**4, f32>, !id.seq<2**4, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s4, %l4 = id.node [1] (%s3) {id.crossing = "stored"} : (!id.seq<2**4, f32>) -> (!id.seq<2**3, f32>, !id.seq<2**3, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s5, %l5 = id.node [1] (%s4) {id.crossing = "stored"} : (!id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s6, %l6 = id.node [1] (%s5) {id.crossing = "stored"} : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %s7, %l7 = id.node [1] (%s6) {id.crossing = "stored"} : (!id.seq<2, f32>) -> (!id.seq<1, f32>, !id.seq<1, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %d7 = id.node [1] (%s7, %l7) : (!id.seq<1, f32>, !id.seq<1, f32>) -> !id.seq<2, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d6 = id.node [1] (%d7, %l6) : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d5 = id.node [1] (%d6, %l5) : (!id.seq<2**2, f32>, !id.seq<2**2, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d4 = id.node [1] (%d5, %l4) : (!id.seq<2**3, f32>, !id.seq<2**3, f32>) -> !id.seq<2**4, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d3 = id.node [1] (%d4, %l3) : (!id.seq<2**4, f32>, !id.seq<2**4, f32>) -> !id.seq<2**5, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d2 = id.node [1] (%d3, %l2) : (!id.seq<2**5, f32>, !id.seq<2**5, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d1 = id.node [1] (%d2, %l1) : (!id.seq<2**6, f32>, !id.seq<2**6, f32>) -> !id.seq<2**7, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  %d0 = id.node [1] (%d1, %l0) : (!id.seq<2**7, f32>, !id.seq<2**7, f32>) -> !id.seq<2**8, f32> {
  ^bb0(%p: f32, %l: f32):
    %s = arith.addf %p, %l : f32
    id.yield %p, %s : f32, f32
  }
  return %d0 : !id.seq<2**8, f32>
}

// -----

// Making a number again from two numbers moves more than storing it …
// CHECK-LABEL: func.func @cheap_to_store
// CHECK: %0:2 = id.kernel "cheap_to_store_k0" grid(%arg0, %arg1)
// CHECK: id.kernel "cheap_to_store_k1" grid(%0#
// … but the attribute can ask for it.
// CHECK-LABEL: func.func @recomputed
// CHECK: id.kernel "recomputed_k0" grid(%arg0, %arg1)
// CHECK: id.kernel "recomputed_k1" grid({{.*}}%arg
func.func @cheap_to_store(%x: !id.seq<3**4, f32>, %y: !id.seq<3**4, f32>) -> (!id.seq<3**4, f32>, !id.seq<3**4, f32>) {
  %0 = id.pointwise (%x, %y) : (!id.seq<3**4, f32>, !id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    id.yield %s : f32
  }
  %1 = id.node [1, 2] (%0) : (!id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32):
    id.yield %a8, %a7, %a6, %a5, %a4, %a3, %a2, %a1, %a0 : f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  %2 = id.node [3] (%0) : (!id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %c, %b, %a : f32, f32, f32
  }
  return %1, %2 : !id.seq<3**4, f32>, !id.seq<3**4, f32>
}

// -----

func.func @recomputed(%x: !id.seq<3**4, f32>, %y: !id.seq<3**4, f32>) -> (!id.seq<3**4, f32>, !id.seq<3**4, f32>) {
  %0 = id.pointwise (%x, %y) {id.crossing = "recomputed"} : (!id.seq<3**4, f32>, !id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    id.yield %s : f32
  }
  %1 = id.node [1, 2] (%0) : (!id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32):
    id.yield %a8, %a7, %a6, %a5, %a4, %a3, %a2, %a1, %a0 : f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  %2 = id.node [3] (%0) : (!id.seq<3**4, f32>) -> !id.seq<3**4, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %c, %b, %a : f32, f32, f32
  }
  return %1, %2 : !id.seq<3**4, f32>, !id.seq<3**4, f32>
}
