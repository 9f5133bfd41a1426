// RUN: idc-opt %s --id-tile-gathers | FileCheck %s

// A number that is used twice is looked at once: 2^39 ways lead from the last one to the first.
// CHECK: id.gather %arg0 lowest 21 :
// CHECK-NOT: id.scatter
func.func @f(%x: !id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  %0 = id.gather %x lowest 21 : <2**21, f32> -> <2**21, f32> from {
    %a0 = id.digit 1 : i64
    %a1 = arith.addi %a0, %a0 : i64
    %a2 = arith.addi %a1, %a1 : i64
    %a3 = arith.addi %a2, %a2 : i64
    %a4 = arith.addi %a3, %a3 : i64
    %a5 = arith.addi %a4, %a4 : i64
    %a6 = arith.addi %a5, %a5 : i64
    %a7 = arith.addi %a6, %a6 : i64
    %a8 = arith.addi %a7, %a7 : i64
    %a9 = arith.addi %a8, %a8 : i64
    %a10 = arith.addi %a9, %a9 : i64
    %a11 = arith.addi %a10, %a10 : i64
    %a12 = arith.addi %a11, %a11 : i64
    %a13 = arith.addi %a12, %a12 : i64
    %a14 = arith.addi %a13, %a13 : i64
    %a15 = arith.addi %a14, %a14 : i64
    %a16 = arith.addi %a15, %a15 : i64
    %a17 = arith.addi %a16, %a16 : i64
    %a18 = arith.addi %a17, %a17 : i64
    %a19 = arith.addi %a18, %a18 : i64
    %a20 = arith.addi %a19, %a19 : i64
    %a21 = arith.addi %a20, %a20 : i64
    %a22 = arith.addi %a21, %a21 : i64
    %a23 = arith.addi %a22, %a22 : i64
    %a24 = arith.addi %a23, %a23 : i64
    %a25 = arith.addi %a24, %a24 : i64
    %a26 = arith.addi %a25, %a25 : i64
    %a27 = arith.addi %a26, %a26 : i64
    %a28 = arith.addi %a27, %a27 : i64
    %a29 = arith.addi %a28, %a28 : i64
    %a30 = arith.addi %a29, %a29 : i64
    %a31 = arith.addi %a30, %a30 : i64
    %a32 = arith.addi %a31, %a31 : i64
    %a33 = arith.addi %a32, %a32 : i64
    %a34 = arith.addi %a33, %a33 : i64
    %a35 = arith.addi %a34, %a34 : i64
    %a36 = arith.addi %a35, %a35 : i64
    %a37 = arith.addi %a36, %a36 : i64
    %a38 = arith.addi %a37, %a37 : i64
    %a39 = arith.addi %a38, %a38 : i64
    %l = arith.constant 2097152 : i64
    %n = arith.remsi %a39, %l : i64
    id.yield %n : i64
  }
  return %0 : !id.seq<2**21, f32>
}
