// Halves one behind the other that are a result are joined by a digit (compiler/passes/JoinHalves.cpp).
// RUN: idc-opt %s --id-join-halves | FileCheck %s

// CHECK-LABEL: func.func @halves
// CHECK-NEXT: %[[NODE:.*]] = id.node [2](%arg0, %arg1) : (!id.seq<16384, f32>, !id.seq<16384, f32>) -> !id.seq<2 * 16384, f32> {
// CHECK: %[[BOTH:.*]] = id.resize %[[NODE]] lowest 2 : <2 * 16384, f32> -> <32768, f32>
// CHECK-NEXT: return %[[BOTH]]
func.func @halves(%x: !id.seq<16384, f32>, %y: !id.seq<16384, f32>) -> !id.seq<32768, f32> {
  %0 = id.gather %x lowest 1 : <16384, f32> -> <32768, f32> from {
    %k = id.digit 1 : i64
    %last = arith.constant 16383 : i64
    %c = arith.cmpi slt, %k, %last : i64
    %n = arith.select %c, %k, %last : i64
    id.yield %n : i64
  }
  %1 = id.gather %y lowest 1 : <16384, f32> -> <32768, f32> from {
    %k = id.digit 1 : i64
    %half = arith.constant 16384 : i64
    %zero = arith.constant 0 : i64
    %own = arith.subi %k, %half : i64
    %c = arith.cmpi sgt, %own, %zero : i64
    %n = arith.select %c, %own, %zero : i64
    id.yield %n : i64
  }
  %2 = id.pointwise (%0, %1) : (!id.seq<32768, f32>, !id.seq<32768, f32>) -> !id.seq<32768, f32> {
  ^bb0(%a: f32, %b: f32):
    %k = id.digit 1 : i64
    %half = arith.constant 16384 : i64
    %c = arith.cmpi slt, %k, %half : i64
    %e = arith.select %c, %a, %b : f32
    id.yield %e : f32
  }
  return %2 : !id.seq<32768, f32>
}
