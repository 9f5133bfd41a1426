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
