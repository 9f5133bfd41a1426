// A node that splits a sequence, steps on the parts and one that gives the digit back are one (compiler/passes/FuseSplits.cpp).
// RUN: idc-opt %s --id-fuse-splits | FileCheck %s

// The digit comes back as the highest; the step's digit 2 is digit 3 beside it, and so is the exponent's.
// CHECK-LABEL: func.func @turn
// CHECK: %[[NODE:.*]] = id.node [1](%arg0) : (!id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>>
// CHECK-DAG: id.digit 3
// CHECK-DAG: id.omega(8, 2*t3 + t2)
// CHECK: id.permute %[[NODE]] [1, 3, 2]
// CHECK-NOT: id.node
func.func @turn(%x: !id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  %0:2 = id.node [1] (%x) {id.batched} : (!id.seq<2**3, complex<f32>>) -> (!id.seq<2**2, complex<f32>>, !id.seq<2**2, complex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %a, %b : complex<f32>, complex<f32>
  }
  %1 = id.pointwise (%0#1) : (!id.seq<2**2, complex<f32>>) -> !id.seq<2**2, complex<f32>> {
  ^bb0(%a: complex<f32>):
    %w = id.omega(8, 2*t2 + t1) : complex<f32>
    %n = complex.mul %a, %w : complex<f32>
    %d = id.digit 2 : i64
    %zero = arith.constant 0 : i64
    %c = arith.cmpi eq, %d, %zero : i64
    %r = arith.select %c, %n, %a : complex<f32>
    id.yield %r : complex<f32>
  }
  %2 = id.node [3] (%0#0, %1) {id.batched} : (!id.seq<2**2, complex<f32>>, !id.seq<2**2, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %s = complex.add %a, %b : complex<f32>
    %d = complex.sub %a, %b : complex<f32>
    id.yield %s, %d : complex<f32>, complex<f32>
  }
  return %2 : !id.seq<2**3, complex<f32>>
}

// A value that something else takes keeps the nodes apart.
// CHECK-LABEL: func.func @taken
// CHECK: id.node [1](%arg0)
// CHECK: id.node [1](%0#0, %0#1)
func.func @taken(%x: !id.seq<2**2, f32>) -> (!id.seq<2**2, f32>, !id.seq<2, f32>) {
  %0:2 = id.node [1] (%x) {id.batched} : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  %1 = id.node [1] (%0#0, %0#1) {id.batched} : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1, %0#0 : !id.seq<2**2, f32>, !id.seq<2, f32>
}

// A node that yields what it takes is nothing.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%x: !id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  %0 = id.node [1] (%x) {id.batched} : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  return %0 : !id.seq<2**2, f32>
}

// Of other steps a split says which part of a buffer is loaded.
// CHECK-LABEL: func.func @written
// CHECK: id.node [1](%arg0)
// CHECK: id.node [1](%0#0, %0#1)
func.func @written(%x: !id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  %0:2 = id.node [1] (%x) : (!id.seq<2**2, f32>) -> (!id.seq<2, f32>, !id.seq<2, f32>) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  %1 = id.node [1] (%0#0, %0#1) : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !id.seq<2**2, f32>
}
