// Products with roots of unity become twiddles.
// RUN: idc-opt %s --id-extract-twiddles --split-input-file | FileCheck %s

!s = !id.seq<2**3, complex<f32>>

// A step of a decimated transform: scale(omega(8, …)) after a permutation.
// CHECK-LABEL: func.func @transform
// CHECK: %[[P:.*]] = id.permute
// CHECK-NEXT: %[[T:.*]] = id.twiddle %[[P]] omega(8, 2*t3*t2 + t3*t1)
// CHECK-NEXT: return %[[T]]
func.func @transform(%x: !s) -> !s {
  %0 = id.permute %x [2, 1, 3] : !s -> !s
  %1 = id.pointwise (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %w = id.omega (8, t3*t1 + 2*t3*t2) : complex<f32>
    %b = complex.mul %a, %w : complex<f32>
    id.yield %b : complex<f32>
  }
  return %1 : !s
}

// The factor on the left; its conjugate; coefficients come out in [0, N).
// CHECK-LABEL: func.func @conjugate
// CHECK-NEXT: %[[T:.*]] = id.twiddle %{{.*}} omega(8, 5*t3*t1)
// CHECK-NEXT: return %[[T]]
func.func @conjugate(%x: !s) -> !s {
  %0 = id.pointwise (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %w = id.omega (8, 11*t3*t1) : complex<f32>
    %c = complex.conj %w : complex<f32>
    %b = complex.mul %c, %a : complex<f32>
    id.yield %b : complex<f32>
  }
  return %0 : !s
}

// A chirp: squares of digits are digits.
// CHECK-LABEL: func.func @chirp
// CHECK-NEXT: id.twiddle %{{.*}} omega(16, 4*t2*t1 + 4*t2 + t1)
func.func @chirp(%x: !id.seq<2**2, complex<f64>>) -> !id.seq<2**2, complex<f64>> {
  %0 = id.pointwise (%x) : (!id.seq<2**2, complex<f64>>) -> !id.seq<2**2, complex<f64>> {
  ^bb0(%a: complex<f64>):
    %w = id.omega (16, t1*t1 + 4*t2*t1 + 4*t2*t2) : complex<f64>
    %b = complex.mul %a, %w : complex<f64>
    id.yield %b : complex<f64>
  }
  return %0 : !id.seq<2**2, complex<f64>>
}

// Prime fields.
// CHECK-LABEL: func.func @residues
// CHECK-NEXT: id.twiddle %{{.*}} omega(8, t3*t1) : !id.seq<2**3, !id.mod<17>>
func.func @residues(%x: !id.seq<2**3, !id.mod<17>>) -> !id.seq<2**3, !id.mod<17>> {
  %0 = id.pointwise (%x) : (!id.seq<2**3, !id.mod<17>>) -> !id.seq<2**3, !id.mod<17>> {
  ^bb0(%a: !id.mod<17>):
    %w = id.omega (8, t3*t1) : !id.mod<17>
    %b = id.mod_mul %a, %w : !id.mod<17>
    id.yield %b : !id.mod<17>
  }
  return %0 : !id.seq<2**3, !id.mod<17>>
}

// Left alone: an exponent known at run time only.
// CHECK-LABEL: func.func @dynamic
// CHECK: id.pointwise
// CHECK-NOT: id.twiddle
func.func @dynamic(%x: !s) -> !s {
  %0 = id.pointwise (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %d = id.digit 3 : i64
    %w = id.omega (8, 0) dynamic %d : complex<f32>
    %b = complex.mul %a, %w : complex<f32>
    id.yield %b : complex<f32>
  }
  return %0 : !s
}

// Left alone: a square, a sum, two inputs, another result than the product.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: id.pointwise
// CHECK-NOT: id.twiddle
func.func @others(%x: !s, %y: !s) -> (!s, !s, !s, !s) {
  %0 = id.pointwise (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %b = complex.mul %a, %a : complex<f32>
    id.yield %b : complex<f32>
  }
  %1 = id.pointwise (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %w = id.omega (8, t1) : complex<f32>
    %b = complex.add %a, %w : complex<f32>
    id.yield %b : complex<f32>
  }
  %2 = id.pointwise (%x, %y) : (!s, !s) -> !s {
  ^bb0(%a: complex<f32>, %c: complex<f32>):
    %w = id.omega (8, t1) : complex<f32>
    %b = complex.mul %a, %w : complex<f32>
    %d = complex.add %b, %c : complex<f32>
    id.yield %d : complex<f32>
  }
  %3 = id.pointwise (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %w = id.omega (8, t1) : complex<f32>
    %b = complex.mul %a, %w : complex<f32>
    %c = complex.conj %b : complex<f32>
    id.yield %c : complex<f32>
  }
  return %0, %1, %2, %3 : !s, !s, !s, !s
}
