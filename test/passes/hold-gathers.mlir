// Gathers of scattered elements of an argument take them from what a block has loaded (compiler/passes/HoldGathers.cpp).
// RUN: idc-opt %s --id-hold-gathers | FileCheck %s

// Every number that a warp reads lies in a sector of its own.
// CHECK-LABEL: func.func @scattered
// CHECK: %[[HELD:.*]] = id.pointwise(%arg0)
// CHECK: id.gather %[[HELD]]
func.func @scattered(%x: !id.seq<2**8, f32>) -> !id.seq<2**8, f32> {
  %0 = id.gather %x lowest 8 : <2**8, f32> -> <2**8, f32> from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %c128 = arith.constant 128 : i64
    %c64 = arith.constant 64 : i64
    %3 = id.digit 3 : i64
    %4 = id.digit 4 : i64
    %5 = id.digit 5 : i64
    %c32 = arith.constant 32 : i64
    %c16 = arith.constant 16 : i64
    %c8 = arith.constant 8 : i64
    %6 = arith.muli %1, %c128 : i64
    %7 = arith.muli %2, %c64 : i64
    %8 = arith.muli %3, %c32 : i64
    %9 = arith.muli %4, %c16 : i64
    %10 = arith.muli %5, %c8 : i64
    %11 = arith.addi %6, %7 : i64
    %12 = arith.addi %11, %8 : i64
    %13 = arith.addi %12, %9 : i64
    %14 = arith.addi %13, %10 : i64
    id.yield %14 : i64
  }
  return %0 : !id.seq<2**8, f32>
}

// A prime number of elements is held in digits of small radices, and what is made of it in them, too.
// CHECK-LABEL: func.func @prime
// CHECK: %[[WIDE:.*]] = id.resize %arg0 lowest 1 : <97, f32> -> <7 * 2**4, f32> else
// CHECK: %[[MADE:.*]] = id.pointwise(%[[WIDE]])
// CHECK: arith.negf
// CHECK: id.gather %[[MADE]] lowest 5 : <7 * 2**4, f32> -> <1, f32>
// CHECK: id.gather %[[MADE]] lowest 5 : <7 * 2**4, f32> -> <3 * 2**5, f32>
func.func @prime(%x: !id.seq<97, f32>) -> (!id.seq<1, f32>, !id.seq<3 * 2**5, f32>) {
  %made = id.pointwise(%x) : (!id.seq<97, f32>) -> !id.seq<97, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  %first = id.gather %made lowest 1 : <97, f32> -> <1, f32> from {
    %c0 = arith.constant 0 : i64
    id.yield %c0 : i64
  }
  %0 = id.gather %made lowest 1 : <97, f32> -> <3 * 2**5, f32> from {
    %d1 = id.digit 1 : i64
    %d2 = id.digit 2 : i64
    %d3 = id.digit 3 : i64
    %c48 = arith.constant 48 : i64
    %c20 = arith.constant 20 : i64
    %c10 = arith.constant 10 : i64
    %c97 = arith.constant 97 : i64
    %c5 = arith.constant 5 : i64
    %d4 = id.digit 4 : i64
    %p = arith.muli %d1, %c48 : i64
    %q = arith.muli %d2, %c20 : i64
    %r = arith.muli %d3, %c10 : i64
    %s = arith.muli %d4, %c5 : i64
    %a = arith.addi %p, %q : i64
    %b = arith.addi %a, %r : i64
    %c = arith.addi %b, %s : i64
    %place = arith.remui %c, %c97 : i64
    id.yield %place : i64
  }
  return %first, %0 : !id.seq<1, f32>, !id.seq<3 * 2**5, f32>
}

// Neighbours stay neighbours.
// CHECK-LABEL: func.func @shifted
// CHECK-NEXT: id.gather %arg0
func.func @shifted(%x: !id.seq<2**8, f32>) -> !id.seq<2**8, f32> {
  %0 = id.gather %x lowest 2 : <2**8, f32> -> <2**8, f32> from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %c2 = arith.constant 2 : i64
    %c1 = arith.constant 1 : i64
    %c4 = arith.constant 4 : i64
    %3 = arith.muli %2, %c2 : i64
    %4 = arith.addi %3, %1 : i64
    %5 = arith.addi %4, %c1 : i64
    %6 = arith.remsi %5, %c4 : i64
    id.yield %6 : i64
  }
  return %0 : !id.seq<2**8, f32>
}

// Every second of 2^10 elements, of what the program makes: what transforms the 2^10 others is another kernel, so the elements are
// brought together before.
// CHECK-LABEL: func.func @between
// CHECK: %[[G:.*]] = id.gather
// CHECK: %[[H:.*]] = id.pointwise(%[[G]]) {id.held}
// CHECK: id.node [20](%[[H]])
func.func @between(%x: !id.seq<2**21, f32>) -> !id.seq<2**20, f32> {
  %0 = id.pointwise(%x) : (!id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  %1 = id.gather %0 lowest 6 : <2**21, f32> -> <2**20, f32> from {
    %d1 = id.digit 1 : i64
    %d2 = id.digit 2 : i64
    %d3 = id.digit 3 : i64
    %d4 = id.digit 4 : i64
    %d5 = id.digit 5 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %c8 = arith.constant 8 : i64
    %c16 = arith.constant 16 : i64
    %c32 = arith.constant 32 : i64
    %p1 = arith.muli %d1, %c2 : i64
    %p2 = arith.muli %d2, %c4 : i64
    %p3 = arith.muli %d3, %c8 : i64
    %p4 = arith.muli %d4, %c16 : i64
    %p5 = arith.muli %d5, %c32 : i64
    %s1 = arith.addi %p1, %p2 : i64
    %s2 = arith.addi %s1, %p3 : i64
    %s3 = arith.addi %s2, %p4 : i64
    %s4 = arith.addi %s3, %p5 : i64
    id.yield %s4 : i64
  }
  %2 = id.node [20](%1) : (!id.seq<2**20, f32>) -> !id.seq<2**20, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %3 = id.node [19, 18, 17, 16, 15](%2) : (!id.seq<2**20, f32>) -> !id.seq<2**20, f32> {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %a10: f32, %a11: f32, %a12: f32, %a13: f32, %a14: f32, %a15: f32, %a16: f32, %a17: f32, %a18: f32, %a19: f32, %a20: f32, %a21: f32, %a22: f32, %a23: f32, %a24: f32, %a25: f32, %a26: f32, %a27: f32, %a28: f32, %a29: f32, %a30: f32, %a31: f32):
    id.yield %a31, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a0 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  %4 = id.node [14, 13, 12, 11, 10](%3) : (!id.seq<2**20, f32>) -> !id.seq<2**20, f32> {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %a10: f32, %a11: f32, %a12: f32, %a13: f32, %a14: f32, %a15: f32, %a16: f32, %a17: f32, %a18: f32, %a19: f32, %a20: f32, %a21: f32, %a22: f32, %a23: f32, %a24: f32, %a25: f32, %a26: f32, %a27: f32, %a28: f32, %a29: f32, %a30: f32, %a31: f32):
    id.yield %a31, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a0 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %4 : !id.seq<2**20, f32>
}
