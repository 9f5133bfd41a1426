// What a step chooses among elements of one sequence is a gather (compiler/passes/ChooseNumbers.cpp).
// RUN: idc-opt %s --id-choose-numbers | FileCheck %s

// The sequence, or its elements two further on; then those of that which are counted from the end.
// CHECK-LABEL: func.func @parts
// CHECK-NOT: id.pointwise
// CHECK: id.gather %arg0
// CHECK: %[[G:.*]] = id.gather %arg0 lowest 3 : <2**3, complex<f32>> -> <2**3, complex<f32>> from {
// CHECK: %[[C:.*]] = arith.cmpi slt
// CHECK: %[[N:.*]] = arith.select %[[C]], {{.*}} : i64
// CHECK: id.yield %[[N]]
// CHECK: return %[[G]]
func.func @parts(%x: !id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  %0 = id.gather %x lowest 3 : <2**3, complex<f32>> -> <2**3, complex<f32>> from {
    %1 = id.digit 1 : i64
    %two = arith.constant 2 : i64
    %2 = arith.addi %1, %two : i64
    id.yield %2 : i64
  }
  %3 = id.pointwise (%x, %0) : (!id.seq<2**3, complex<f32>>, !id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %d = id.digit 3 : i64
    %one = arith.constant 1 : i64
    %c = arith.cmpi slt, %d, %one : i64
    %p = arith.select %c, %a, %b : complex<f32>
    id.yield %p : complex<f32>
  }
  return %3 : !id.seq<2**3, complex<f32>>
}

// What an element says chooses no number; other sequences are others.
// CHECK-LABEL: func.func @by_elements
// CHECK: id.pointwise
// CHECK-LABEL: func.func @of_two
// CHECK: id.pointwise
func.func @by_elements(%x: !id.seq<2**3, i64>) -> !id.seq<2**3, i64> {
  %0 = id.gather %x lowest 3 : <2**3, i64> -> <2**3, i64> from {
    %1 = id.digit 2 : i64
    id.yield %1 : i64
  }
  %3 = id.pointwise (%x, %0) : (!id.seq<2**3, i64>, !id.seq<2**3, i64>) -> !id.seq<2**3, i64> {
  ^bb0(%a: i64, %b: i64):
    %c = arith.cmpi slt, %a, %b : i64
    %p = arith.select %c, %a, %b : i64
    id.yield %p : i64
  }
  return %3 : !id.seq<2**3, i64>
}
func.func @of_two(%x: !id.seq<2**3, f32>, %y: !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  %0 = id.gather %x lowest 3 : <2**3, f32> -> <2**3, f32> from {
    %1 = id.digit 2 : i64
    id.yield %1 : i64
  }
  %3 = id.pointwise (%y, %0) : (!id.seq<2**3, f32>, !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %d = id.digit 3 : i64
    %one = arith.constant 1 : i64
    %c = arith.cmpi slt, %d, %one : i64
    %p = arith.select %c, %a, %b : f32
    id.yield %p : f32
  }
  return %3 : !id.seq<2**3, f32>
}
