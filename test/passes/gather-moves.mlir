// Runs of nodes that choose among their elements by digits are gathers where the numbers are affine
// (compiler/passes/GatherMoves.cpp).
// RUN: idc-opt %s --id-gather-moves | FileCheck %s

// k -> k + 1 mod 4: digit 2 changes where digit 1 is 1, digit 1 always.
// CHECK-LABEL: func.func @shift
// CHECK-NEXT: id.gather %arg0 lowest 2 : <2**3, f32> -> <2**3, f32> from {
// CHECK-NOT: id.digit 3
// CHECK: arith.addi
// CHECK: arith.remsi
// CHECK: id.yield
// CHECK-NOT: id.node
func.func @shift(%x: !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  %0 = id.node [2] (%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %d = id.digit 1 : i64
    %one = arith.constant 1 : i64
    %c = arith.cmpi eq, %d, %one : i64
    %p = arith.select %c, %b, %a : f32
    %q = arith.select %c, %a, %b : f32
    id.yield %p, %q : f32, f32
  }
  %1 = id.node [1] (%0) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !id.seq<2**3, f32>
}

// A value that something else takes ends a run: one node alone is not affine.
// CHECK-LABEL: func.func @used_twice
// CHECK: id.node [3]
// CHECK: id.gather %0 lowest 1
func.func @used_twice(%x: !id.seq<2**3, f32>) -> (!id.seq<2**3, f32>, !id.seq<2**3, f32>) {
  %0 = id.node [3] (%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %d = id.digit 2 : i64
    %one = arith.constant 1 : i64
    %c = arith.cmpi eq, %d, %one : i64
    %p = arith.select %c, %b, %a : f32
    %q = arith.select %c, %a, %b : f32
    id.yield %p, %q : f32, f32
  }
  %1 = id.node [1] (%0) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %0, %1 : !id.seq<2**3, f32>, !id.seq<2**3, f32>
}

// Elements that are compared, fields of several elements, and what is not chosen by digits stay nodes.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: id.node
// CHECK-NOT: id.gather
func.func @others(%x: !id.seq<2, i64>, %y: !id.seq<2, !id.record<f32, i32>>, %z: !id.seq<2, i64>)
    -> (!id.seq<2, i64>, !id.seq<2, !id.record<f32, i32>>, !id.seq<2, i64>) {
  %0 = id.node [1] (%x) : (!id.seq<2, i64>) -> !id.seq<2, i64> {
  ^bb0(%a: i64, %b: i64):
    %c = arith.cmpi slt, %b, %a : i64
    %p = arith.select %c, %b, %a : i64
    %q = arith.select %c, %a, %b : i64
    id.yield %p, %q : i64, i64
  }
  %1 = id.node [1] (%y) : (!id.seq<2, !id.record<f32, i32>>) -> !id.seq<2, !id.record<f32, i32>> {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    id.yield %b, %i, %a, %j : f32, i32, f32, i32
  }
  %2 = id.node [1] (%z) : (!id.seq<2, i64>) -> !id.seq<2, i64> {
  ^bb0(%a: i64, %b: i64):
    %s = arith.addi %a, %b : i64
    id.yield %s, %a : i64, i64
  }
  return %0, %1, %2 : !id.seq<2, i64>, !id.seq<2, !id.record<f32, i32>>, !id.seq<2, i64>
}

// Other radices: k -> 2*k mod 5 in one digit.
// CHECK-LABEL: func.func @multiplied
// CHECK-NEXT: id.gather
// CHECK: arith.muli
// CHECK: arith.remsi
func.func @multiplied(%x: !id.seq<5, !id.record<f32, i32>>) -> !id.seq<5, !id.record<f32, i32>> {
  %0 = id.node [1] (%x) : (!id.seq<5, !id.record<f32, i32>>) -> !id.seq<5, !id.record<f32, i32>> {
  ^bb0(%a: f32, %h: i32, %b: f32, %i: i32, %c: f32, %j: i32, %d: f32, %k: i32, %e: f32, %l: i32):
    id.yield %a, %h, %c, %j, %e, %l, %b, %i, %d, %k : f32, i32, f32, i32, f32, i32, f32, i32, f32, i32
  }
  return %0 : !id.seq<5, !id.record<f32, i32>>
}

// More elements than a block holds: one gather, whatever its numbers are, and whatever says them at run time.
// CHECK-LABEL: func.func @large
// CHECK-NEXT: id.gather %arg0 lowest 3 : <2**15, f32> -> <2**15, f32> from {
// CHECK: id.parameter 0
// CHECK: arith.select
// CHECK: arith.select
// CHECK: id.yield
// CHECK-NOT: id.node
func.func @large(%x: !id.seq<2**15, f32>) -> !id.seq<2**15, f32> attributes {id.scalars = [i64]} {
  %0 = id.node [3] (%x) : (!id.seq<2**15, f32>) -> !id.seq<2**15, f32> {
  ^bb0(%a: f32, %b: f32):
    %d = id.digit 2 : i64
    %s = id.parameter 0 : i64
    %c = arith.cmpi eq, %d, %s : i64
    %p = arith.select %c, %b, %a : f32
    %q = arith.select %c, %a, %b : f32
    id.yield %p, %q : f32, f32
  }
  %1 = id.node [1] (%0) : (!id.seq<2**15, f32>) -> !id.seq<2**15, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !id.seq<2**15, f32>
}

// More elements than a thread holds beside others, in any order: places, which no register stands for.
// CHECK-LABEL: func.func @wide
// CHECK-NEXT: id.gather %arg0 lowest 1 : <34, f32> -> <34, f32> from {
// CHECK-NOT: id.node
func.func @wide(%x: !id.seq<34, f32>) -> !id.seq<34, f32> {
  %0 = id.node [1] (%x) : (!id.seq<34, f32>) -> !id.seq<34, f32> {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %x5: f32, %x6: f32, %x7: f32, %x8: f32, %x9: f32, %x10: f32, %x11: f32, %x12: f32, %x13: f32, %x14: f32, %x15: f32, %x16: f32, %x17: f32, %x18: f32, %x19: f32, %x20: f32, %x21: f32, %x22: f32, %x23: f32, %x24: f32, %x25: f32, %x26: f32, %x27: f32, %x28: f32, %x29: f32, %x30: f32, %x31: f32, %x32: f32, %x33: f32):
    id.yield %x0, %x2, %x1, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16, %x17, %x18, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26, %x27, %x28, %x29, %x31, %x30, %x32, %x33 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %0 : !id.seq<34, f32>
}
