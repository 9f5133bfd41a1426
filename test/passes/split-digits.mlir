// Digits of composite radix become digits of prime radix.
// RUN: idc-opt %s --id-split-digits --split-input-file | FileCheck %s

// Of radix 4 two of radix 2: in types, permutations, complements, exponents, nodes and what bodies say of digits.
// CHECK-LABEL: func.func @four(%arg0: !id.seq<2**6, f32>) -> !id.seq<2**6, f32>
// CHECK: id.permute %arg0 [2, 1, 6, 5, -4, -3]
// CHECK: id.node [4, 3]
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-DAG: %[[LOW:.*]] = id.digit 5 : i64
// CHECK-DAG: %[[HIGH:.*]] = id.digit 6 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: %[[UP:.*]] = arith.muli %[[HIGH]], %[[TWO]]
// CHECK: arith.addi %[[LOW]], %[[UP]]
func.func @four(%x: !id.seq<4**3, f32>) -> !id.seq<4**3, f32> {
  %0 = id.permute %x [1, 3, -2] : !id.seq<4**3, f32> -> !id.seq<4**3, f32>
  %1 = id.node [2] (%0) : (!id.seq<4**3, f32>) -> !id.seq<4**3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %k = id.digit 3 : i64
    %r = arith.sitofp %k : i64 to f32
    %s = arith.addf %a, %r : f32
    id.yield %b, %s, %d, %c : f32, f32, f32, f32
  }
  return %1 : !id.seq<4**3, f32>
}

// -----

// CHECK-LABEL: func.func @exponents
// CHECK: id.twiddle %arg0 omega(16, 4*t4*t2 + 2*t4*t1 + 2*t3*t2 + t3*t1)
func.func @exponents(%x: !id.seq<4**2, complex<f32>>) -> !id.seq<4**2, complex<f32>> {
  %0 = id.twiddle %x omega(16, t2*t1) : !id.seq<4**2, complex<f32>>
  return %0 : !id.seq<4**2, complex<f32>>
}

// -----

// Radix 12 above radix 3: digits 2, 3, 4 are the parts 2, 2, 3 of the first. A node that removes a digit removes its parts.
// CHECK-LABEL: func.func @sums(%arg0: !id.seq<3 * 2**2 * 3, i32>) -> !id.seq<3, i32>
// CHECK: id.node [4, 3, 2]
func.func @sums(%x: !id.seq<12 * 3, i32>) -> !id.seq<3, i32> {
  %0 = id.node [2] (%x) : (!id.seq<12 * 3, i32>) -> !id.seq<3, i32> {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32, %g: i32, %h: i32, %i: i32, %j: i32, %k: i32, %l: i32):
    %s = arith.addi %a, %l : i32
    id.yield %s : i32
  }
  return %0 : !id.seq<3, i32>
}

// -----

// Digits that change their number are those of prime radix; a large prime stays.
// CHECK-LABEL: func.func @lengths
// CHECK: id.resize %arg0 lowest 3 : <3**2 * 2**2, f32> -> <3 * 2**4, f32> else
// CHECK: id.resize %arg1 lowest 1 : <2147483629, f32> -> <2**2, f32>
func.func @lengths(%x: !id.seq<3 * 12, f32>, %y: !id.seq<2147483629, f32>) -> (!id.seq<3 * 4**2, f32>, !id.seq<4, f32>) {
  %0 = id.resize %x lowest 1 : !id.seq<3 * 12, f32> -> !id.seq<3 * 4**2, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  %1 = id.resize %y lowest 1 : !id.seq<2147483629, f32> -> !id.seq<4, f32>
  return %0, %1 : !id.seq<3 * 4**2, f32>, !id.seq<4, f32>
}
