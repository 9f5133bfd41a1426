// Sequences of other lengths are views of buffers (compiler/passes/Steps.h): nothing is copied but what has to be.
// RUN: idc-opt %s --split-input-file --id-to-stages=target=sm_90 | FileCheck %s

// Longer behind the argument, shorter before the result: one kernel.
// CHECK-LABEL: func.func @both_ends
// CHECK: id.kernel "both_ends_k0" grid(%arg0) : (!id.seq<5, f32>) -> !id.seq<5, f32>
// CHECK-NEXT: ^bb0(%[[X:.*]]: !id.seq<5, f32>):
// CHECK-NEXT: %[[V:.*]] = id.resize %[[X]] lowest 1 : <5, f32> -> <2**3, f32> else {
// CHECK-NEXT: arith.constant 1.0
// CHECK: %[[T:.*]] = id.load %[[V]] [3, 2, 1] : <2**3, f32>
// CHECK: %[[S:.*]] = id.store %{{.*}} [2, 3, 1] : {{.*}} -> <2**3, f32>
// CHECK-NEXT: %[[Y:.*]] = id.resize %[[S]] lowest 3 : <2**3, f32> -> <5, f32>
// CHECK-NEXT: id.yield %[[Y]]
// CHECK-NOT: id.kernel
func.func @both_ends(%x: !id.seq<5, f32>) -> !id.seq<5, f32> {
  %0 = id.resize %x lowest 1 : !id.seq<5, f32> -> !id.seq<2**3, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  %1:2 = id.node [1] (%0) : (!id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %b : f32, f32
  }
  %2 = id.node [1] (%1#0, %1#1) : (!id.seq<2**2, f32>, !id.seq<2**2, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %b, %s : f32, f32
  }
  %3 = id.permute %2 [2, 3, 1] : !id.seq<2**3, f32> -> !id.seq<2**3, f32>
  %4 = id.resize %3 lowest 3 : !id.seq<2**3, f32> -> !id.seq<5, f32>
  return %4 : !id.seq<5, f32>
}

// -----

// Digits above others may become more: they count elements at equal distances. So do those of the result.
// CHECK-LABEL: func.func @above
// CHECK: id.kernel "above_k0" grid(%arg0)
// CHECK: %[[M:.*]] = id.permute %{{.*}} [1, 2] : <3 * 5, f32> -> <5 * 3, f32>
// CHECK-NEXT: %[[V:.*]] = id.resize %[[M]] lowest 1 : <5 * 3, f32> -> <5 * 2**2, f32> else {
// CHECK: id.load %[[V]] [3, 2, 1]
// CHECK: %[[S:.*]] = id.store
// CHECK-NEXT: %[[R:.*]] = id.resize %[[S]] lowest 2 : <5 * 2**2, f32> -> <5 * 3, f32>
// CHECK-NEXT: %[[Y:.*]] = id.permute %[[R]] [1, 2] : <5 * 3, f32> -> <3 * 5, f32>
// CHECK-NEXT: id.yield %[[Y]]
// CHECK-NOT: id.kernel
func.func @above(%x: !id.seq<3 * 5, f32>) -> !id.seq<3 * 5, f32> {
  %0 = id.permute %x [1, 2] : !id.seq<3 * 5, f32> -> !id.seq<5 * 3, f32>
  %1 = id.resize %0 lowest 1 : !id.seq<5 * 3, f32> -> !id.seq<5 * 2**2, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  %2 = id.node [1] (%1) : (!id.seq<5 * 2**2, f32>) -> !id.seq<5 * 2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %3 = id.resize %2 lowest 2 : !id.seq<5 * 2**2, f32> -> !id.seq<5 * 3, f32>
  %4 = id.permute %3 [1, 2] : !id.seq<5 * 3, f32> -> !id.seq<3 * 5, f32>
  return %4 : !id.seq<3 * 5, f32>
}

// -----

// Moved digits that count no equal distances: a kernel puts them into memory in their order.
// CHECK-LABEL: func.func @moved
// CHECK: %[[C:.*]] = id.kernel "moved_k0" grid(%arg0) : (!id.seq<3 * 5, f32>) -> !id.seq<5 * 3, f32>
// CHECK: id.load %{{.*}} [1, 2] : <3 * 5, f32> -> <5 * 3, "lane(2..1)", f32>
// CHECK: id.kernel "moved_k1" dependent(%[[C]])
// CHECK: id.resize %{{.*}} lowest 2 : <5 * 3, f32> -> <2**4, f32> else
// CHECK-NOT: id.kernel
func.func @moved(%x: !id.seq<3 * 5, f32>) -> !id.seq<2**4, f32> {
  %0 = id.permute %x [1, 2] : !id.seq<3 * 5, f32> -> !id.seq<5 * 3, f32>
  %1 = id.resize %0 lowest 2 : !id.seq<5 * 3, f32> -> !id.seq<2**4, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  return %1 : !id.seq<2**4, f32>
}

// -----

// What a group makes at another length comes from computed places; elements that a longer one has beside it are put in
// behind them, also for a result.
// CHECK-LABEL: func.func @inside
// CHECK: id.kernel "inside_k0" grid(%arg0) : (!id.seq<2**3, f32>) -> !id.seq<7, f32>
// CHECK: id.exchange %{{.*}} : <2**3, "reg(1) lane{{.*}}", f32> -> <5, {{.*}}, f32> from [1, 2, 3] {
// CHECK: id.pointwise(%{{.*}}) : (!id.tile<5,
// CHECK: id.exchange %{{.*}} : <5, {{.*}}, f32> -> <7, {{.*}}, f32> from [1] {
// CHECK: id.pointwise(%{{.*}}) : (!id.tile<7,
// CHECK: arith.cmpi ult
// CHECK: arith.select
// CHECK: id.store
// CHECK-NOT: id.kernel
func.func @inside(%x: !id.seq<2**3, f32>) -> !id.seq<7, f32> {
  %0:2 = id.node [1] (%x) : (!id.seq<2**3, f32>) -> (!id.seq<2**3, f32>, !id.seq<2**3, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a, %a, %b : f32, f32, f32, f32
  }
  %1 = id.resize %0#0 lowest 3 : !id.seq<2**3, f32> -> !id.seq<5, f32>
  %2:2 = id.pointwise (%1) : (!id.seq<5, f32>) -> (!id.seq<5, f32>, !id.seq<5, f32>) {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    id.yield %s, %a : f32, f32
  }
  %3 = id.resize %2#0 lowest 1 : !id.seq<5, f32> -> !id.seq<7, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  return %3 : !id.seq<7, f32>
}

// -----

// An odd number of bytes to a problem allows no wide accesses: neighbouring threads take neighbouring elements. Of 8
// numbers to a thread 4 are in one access where the length allows it.
// CHECK-LABEL: func.func @odd
// CHECK: id.load %{{.*}} : <2**8, f32> -> <2**8, "reg(6, 7, 8) lane(5..1) warp({{.*}})", f32>
// CHECK: id.exchange %{{.*}} -> <2**8, "reg(3..1)
// CHECK: id.resize %{{.*}} lowest 8 : <2**8, f32> -> <251, f32>
// CHECK-LABEL: func.func @even
// CHECK: id.load %{{.*}} : <2**8, f32> -> <2**8, "reg(3..1)
func.func @odd(%x: !id.seq<251, f32>) -> !id.seq<251, f32> {
  %0 = id.resize %x lowest 1 : !id.seq<251, f32> -> !id.seq<2**8, f32> else {
    %c = arith.constant 0.0 : f32
    id.yield %c : f32
  }
  %s0, %l0 = id.node [1] (%0) : (!id.seq<2**8, f32>) -> (!id.seq<2**7, f32>, !id.seq<2**7, f32>) {
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
  %d4 = id.node [1] (%s4, %l4) : (!id.seq<2**3, f32>, !id.seq<2**3, f32>) -> !id.seq<2**4, f32> {
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
  %y = id.resize %d0 lowest 8 : !id.seq<2**8, f32> -> !id.seq<251, f32>
  return %y : !id.seq<251, f32>
}
func.func @even(%x: !id.seq<2**2 * 3**2 * 7, f32>) -> !id.seq<2**2 * 3**2 * 7, f32> {
  %0 = id.resize %x lowest 5 : !id.seq<2**2 * 3**2 * 7, f32> -> !id.seq<2**8, f32> else {
    %c = arith.constant 0.0 : f32
    id.yield %c : f32
  }
  %s0, %l0 = id.node [1] (%0) : (!id.seq<2**8, f32>) -> (!id.seq<2**7, f32>, !id.seq<2**7, f32>) {
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
  %d4 = id.node [1] (%s4, %l4) : (!id.seq<2**3, f32>, !id.seq<2**3, f32>) -> !id.seq<2**4, f32> {
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
  %y = id.resize %d0 lowest 8 : !id.seq<2**8, f32> -> !id.seq<2**2 * 3**2 * 7, f32>
  return %y : !id.seq<2**2 * 3**2 * 7, f32>
}
