// Maps of gathers and scatters that take many instructions become tables (compiler/passes/TabulateGathers.cpp).
// RUN: idc-opt %s --id-tabulate-gathers | FileCheck %s

// Powers of 3 modulo 17: a product and a remainder for every bit of the exponent.
// CHECK-LABEL: func.func @powers
// CHECK: id.gather %arg0 lowest 1
// CHECK: %[[INDEX:.*]] = id.digit 1
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[INDEX]], %{{.*}}
// CHECK: %[[BOUND:.*]] = arith.select %[[INSIDE]], %[[INDEX]], %{{.*}}
// CHECK-NEXT: %[[ENTRY:.*]] = id.lookup %[[BOUND]] of [1, 3, 9, 10, 13, 5, 15, 11, 16, 14, 8, 7, 4, 12, 2, 6, 1] : i64
// CHECK-NEXT: id.yield %[[ENTRY]]
func.func @powers(%x: !id.seq<17, f32>) -> !id.seq<17, f32> {
  %0 = id.gather %x lowest 1 : <17, f32> -> <17, f32> from {
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c8 = arith.constant 8 : i64
    %c12 = arith.constant 12 : i64
    %c15 = arith.constant 15 : i64
    %c17 = arith.constant 17 : i64
    %k = id.digit 1 : i64
    %r1 = arith.remsi %k, %c2 : i64
    %m1 = arith.muli %r1, %c2 : i64
    %f1 = arith.addi %m1, %c1 : i64
    %q2 = arith.divsi %k, %c2 : i64
    %r2 = arith.remsi %q2, %c2 : i64
    %m2 = arith.muli %r2, %c8 : i64
    %f2 = arith.addi %m2, %c1 : i64
    %p2 = arith.muli %f1, %f2 : i64
    %s2 = arith.remsi %p2, %c17 : i64
    %q4 = arith.divsi %q2, %c2 : i64
    %r4 = arith.remsi %q4, %c2 : i64
    %m4 = arith.muli %r4, %c12 : i64
    %f4 = arith.addi %m4, %c1 : i64
    %p4 = arith.muli %s2, %f4 : i64
    %s4 = arith.remsi %p4, %c17 : i64
    %q8 = arith.divsi %q4, %c2 : i64
    %r8 = arith.remsi %q8, %c2 : i64
    %m8 = arith.muli %r8, %c15 : i64
    %f8 = arith.addi %m8, %c1 : i64
    %p8 = arith.muli %s4, %f8 : i64
    %s8 = arith.remsi %p8, %c17 : i64
    id.yield %s8 : i64
  }
  return %0 : !id.seq<17, f32>
}

// What takes a few instructions is computed.
// CHECK-LABEL: func.func @affine
// CHECK-NOT: id.lookup
func.func @affine(%x: !id.seq<17, f32>) -> !id.seq<17, f32> {
  %0 = id.gather %x lowest 1 : <17, f32> -> <17, f32> from {
    %c3 = arith.constant 3 : i64
    %c17 = arith.constant 17 : i64
    %k = id.digit 1 : i64
    %1 = arith.muli %k, %c3 : i64
    %2 = arith.remsi %1, %c17 : i64
    id.yield %2 : i64
  }
  return %0 : !id.seq<17, f32>
}
