// Groups in levels: what a block holds in registers and lanes, and what goes through shared memory (compiler/passes/LevelPlanner.cpp).
// RUN: idc-opt %s --split-input-file --id-to-stages | FileCheck %s

// 2^8 numbers, eight problems to a block of 256 threads: three levels of axes. The sum of eight goes to an eighth of the
// threads, then on; what the expansion needs stays where it was, and before the last store neighbours get neighbours.
// CHECK-LABEL: func.func @by_cost
// CHECK: id.kernel "by_cost_k0" grid(%arg0) : (!id.seq<2**8, f32>) -> !id.seq<2**8, f32>
// CHECK: id.load {{.*}} "reg(3..1) lane(8..4) warp(11..9)"
// CHECK: id.exchange %{{.*}} by shared {{.*}} : <2**5, "lane(5..1) warp(8..6)", f32> -> <2**5, "reg(4..1) lane(8..5)", f32>
// CHECK: id.exchange %{{.*}} by shared {{.*}} : <2, "lane(4..1)", f32> -> <2, "reg(1) lane(4..2)", f32>
// What is kept at the levels that not all threads hold waits in shared memory.
// CHECK: id.exchange %{{.*}}#1 by shared {{.*}} : <2, "lane(4..1)", f32> -> <2, "lane(4..1)", f32>
// CHECK: id.exchange %{{.*}} by shared {{.*}} : <2**8, "reg(3..1) lane(8..4) warp(11..9)", f32> -> <2**8, "reg(8, 2..1) lane(7..3) warp(11..9)", f32>
// CHECK: id.store {{.*}} "reg(8, 2..1) lane(7..3) warp(11..9)"
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

// The axes of nodes are slow: threads take the fast ones, so that a warp reads a line.
// CHECK-LABEL: func.func @columns
// CHECK: id.kernel "columns_k0" grid
// CHECK: id.load {{.*}} "reg(12..8) lane(5..1) warp(13, 7..6)"
func.func @columns(%x: !id.seq<2**12, f32>) -> !id.seq<2**6, f32> {
  %0 = id.node [12] (%x) : (!id.seq<2**12, f32>) -> !id.seq<2**11, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %1 = id.node [11] (%0) : (!id.seq<2**11, f32>) -> !id.seq<2**10, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %2 = id.node [10] (%1) : (!id.seq<2**10, f32>) -> !id.seq<2**9, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %3 = id.node [9] (%2) : (!id.seq<2**9, f32>) -> !id.seq<2**8, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %4 = id.node [8] (%3) : (!id.seq<2**8, f32>) -> !id.seq<2**7, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %5 = id.node [7] (%4) : (!id.seq<2**7, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  return %5 : !id.seq<2**6, f32>
}

// -----

// Nodes that only put results together, or take an argument apart, are no code: parts of buffers are stored and loaded.
// CHECK-LABEL: func.func @placement
// CHECK: id.kernel "placement_k0" grid(%arg0)
// CHECK: %[[LOW:.*]] = id.part %{{.*}}[5] = 0 : <2**5, f32> -> <2**4, f32>
// CHECK: id.load %[[LOW]]
// CHECK: %[[HIGH:.*]] = id.part %{{.*}}[5] = 1
// CHECK: id.load %[[HIGH]]
// CHECK: %[[SUM:.*]] = id.store
// CHECK: %[[REST:.*]] = id.store
// CHECK: %[[ALL:.*]] = id.join[1] %[[REST]], %[[SUM]] : (!id.seq<2**4, f32>, !id.seq<2**4, f32>) -> !id.seq<2**5, f32>
// CHECK: id.yield %[[ALL]]
// CHECK-NOT: id.kernel
func.func @placement(%x: !id.seq<2**5, f32>) -> !id.seq<2**5, f32> {
  %low, %high = id.node [5] (%x) : (!id.seq<2**5, f32>) -> (!id.seq<2**4, f32>, !id.seq<2**4, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  %sum, %rest = id.pointwise (%low, %high) : (!id.seq<2**4, f32>, !id.seq<2**4, f32>) -> (!id.seq<2**4, f32>, !id.seq<2**4, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    id.yield %s, %d : f32, f32
  }
  %all = id.node [1] (%sum, %rest) : (!id.seq<2**4, f32>, !id.seq<2**4, f32>) -> !id.seq<2**5, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %all : !id.seq<2**5, f32>
}
