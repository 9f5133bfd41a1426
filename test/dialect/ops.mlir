// Every op is read back as it is printed.
// RUN: idc-opt %s | idc-opt | FileCheck %s
// RUN: idc-opt %s --mlir-print-op-generic | idc-opt | FileCheck %s

!s = !id.seq<2**3, complex<f32>>
!r = !id.seq<2**3, f32>

// CHECK-LABEL: func.func @algebra
func.func @algebra(%x: !s) -> !s attributes {id.entry} {
  // CHECK: id.permute %{{.*}} [1, 3, -2] : <2**3, complex<f32>> -> <2**3, complex<f32>>
  %0 = id.permute %x [1, 3, -2] : !s -> !s
  // CHECK: id.twiddle %{{.*}} omega(16, 2*t3*t1 + t2) : !id.seq<2**3, complex<f32>>
  %1 = id.twiddle %0 omega(16, t2 + 2*t3*t1) : !s
  // CHECK: id.pointwise(%{{.*}}) : (!id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  %2 = id.pointwise (%1) : (!s) -> !s {
  ^bb0(%v: complex<f32>):
    // CHECK: id.digit 3 : i64
    %d = id.digit 3 : i64
    // CHECK: id.omega(8, 3*t1) : complex<f32>
    %w = id.omega (8, 3*t1) : complex<f32>
    // CHECK: id.omega(8, 0) dynamic %{{.*}} : complex<f32>
    %u = id.omega (8, 0) dynamic %d : complex<f32>
    // CHECK: id.lookup %{{.*}} of {{\[}}[1.000000e+00 : f32, 0.000000e+00 : f32], [0.000000e+00 : f32, 1.000000e+00 : f32]] : complex<f32>
    %l = id.lookup %d of [[1.0 : f32, 0.0 : f32], [0.0 : f32, 1.0 : f32]] : complex<f32>
    %p = complex.mul %w, %u : complex<f32>
    %q = complex.mul %v, %p : complex<f32>
    // CHECK: id.yield %{{.*}} : complex<f32>
    id.yield %q : complex<f32>
  }
  // CHECK: id.node [2](%{{.*}}) : (!id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  // CHECK-NEXT: ^bb0(%{{.*}}: complex<f32>, %{{.*}}: complex<f32>):
  %3 = id.node [2] (%2) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    // CHECK: id.yield %{{.*}}, %{{.*}} : complex<f32>, complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  return %3 : !s
}

// Several inputs and results; records are their leaves.
// CHECK-LABEL: func.func @several
func.func @several(%x: !r, %scale: !r) -> !r {
  // CHECK: %{{.*}}:2 = id.pointwise(%{{.*}}, %{{.*}}) : (!id.seq<2**3, f32>, !id.seq<2**3, f32>)
  // CHECK-SAME: -> (!id.seq<2**3, !id.record<f32, f32>>, !id.seq<2**3, f32>)
  %0:2 = id.pointwise (%x, %scale) : (!r, !r) -> (!id.seq<2**3, !id.record<f32, f32>>, !r) {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b, %a : f32, f32, f32
  }
  %1 = id.pointwise (%0#0) : (!id.seq<2**3, !id.record<f32, f32>>) -> !r {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  return %1 : !r
}

// A node that removes its digit, one that inserts it, one on two digits.
// CHECK-LABEL: func.func @nodes
func.func @nodes(%x: !r) -> !r {
  // CHECK: id.node [1](%{{.*}}) : (!id.seq<2**3, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>)
  %0:2 = id.node [1] (%x) : (!r) -> (!id.seq<2**2, f32>, !id.seq<2**2, f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  // CHECK: id.node [1](%{{.*}}) : (!id.seq<2**2, f32>, !id.seq<2**2, f32>) -> !id.seq<2**3, f32>
  %1 = id.node [1] (%0#0, %0#1) : (!id.seq<2**2, f32>, !id.seq<2**2, f32>) -> !r {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %a, %s : f32, f32
  }
  // CHECK: id.node [3, 1](%{{.*}}) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32>
  %2 = id.node [3, 1] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    id.yield %d, %c, %b, %a : f32, f32, f32, f32
  }
  return %2 : !r
}

// Radix 3: three array elements; the moved shape.
// CHECK-LABEL: func.func @radix_3
func.func @radix_3(%x: !id.seq<3 * 2, f32>) -> !id.seq<2 * 3, f32> {
  // CHECK: id.node [2](%{{.*}}) : (!id.seq<3 * 2, f32>) -> !id.seq<3 * 2, f32>
  %0 = id.node [2] (%x) : (!id.seq<3 * 2, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %c, %a : f32, f32, f32
  }
  // CHECK: id.permute %{{.*}} [1, 2] : <3 * 2, f32> -> <2 * 3, f32>
  %1 = id.permute %0 [1, 2] : !id.seq<3 * 2, f32> -> !id.seq<2 * 3, f32>
  return %1 : !id.seq<2 * 3, f32>
}

// Every kind of exchange and of kernel.
!t = !id.tile<2**3, "reg(3) lane(2..1)", complex<f32>>
!u = !id.tile<2**3, "reg(1) lane(3..2)", complex<f32>>
!v = !id.tile<2**3, "reg(2) lane(1) rank(3)", complex<f32>>
!w = !id.tile<2**3, "reg(3) lane(1) rank(2)", complex<f32>>

// CHECK-LABEL: func.func @stages
func.func @stages(%x: !s) -> !s {
  // CHECK: id.kernel "a" grid(%{{.*}}) : (!id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  %0 = id.kernel "a" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    // CHECK: id.load %{{.*}} [1, 2, -3] : <2**3, complex<f32>> -> <2**3, "reg(3) lane(2..1)", complex<f32>>
    %1 = id.load %in [1, 2, -3] : !s -> !t
    // CHECK: id.twiddle %{{.*}} omega(8, t2*t1) : !id.tile<2**3, "reg(3) lane(2..1)", complex<f32>>
    %2 = id.twiddle %1 omega(8, t2*t1) : !t
    // CHECK: id.exchange %{{.*}} : <2**3, "reg(3) lane(2..1)", complex<f32>> -> <2**3, "reg(1) lane(3..2)", complex<f32>>
    %3 = id.exchange %2 : !t -> !u
    // CHECK: id.exchange %{{.*}} by registers
    %4 = id.exchange %3 by registers : !u -> !t
    // CHECK: id.exchange %{{.*}} by shuffle
    %5 = id.exchange %4 by shuffle : !t -> !u
    // CHECK: id.exchange %{{.*}} by shared <padded = false, words = 8, columns = 1, 1, 2, 2, 3, 4>
    %6 = id.exchange %5 by shared <padded = false, words = 8, columns = 1, 1, 2, 2, 3, 4> : !u -> !t
    // CHECK: id.exchange %{{.*}} by none
    %7 = id.exchange %6 by none : !t -> !t
    // CHECK: id.store %{{.*}} [3, 2, 1] : <2**3, "reg(3) lane(2..1)", complex<f32>> -> <2**3, complex<f32>>
    %8 = id.store %7 [3, 2, 1] : !t -> !s
    // CHECK: id.yield %{{.*}} : !id.seq<2**3, complex<f32>>
    id.yield %8 : !s
  }
  // CHECK: id.kernel "b" cluster 2(%{{.*}})
  %1 = id.kernel "b" cluster 2(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %2 = id.load %in [3, 2, 1] : !s -> !v
    // CHECK: id.exchange %{{.*}} by cluster <padded = false, words = 4, columns = 1, 1, 3, 2>
    %3 = id.exchange %2 by cluster <padded = false, words = 4, columns = 1, 1, 3, 2> : !v -> !w
    %4 = id.store %3 [3, 2, 1] : !w -> !s
    id.yield %4 : !s
  }
  return %1 : !s
}

// From computed places: number 1 stands for digits 1 and 2, number 2 for digit 3, which blocks hold.
// CHECK-LABEL: func.func @places
func.func @places(%x: !id.seq<2**3, f32>) -> !id.seq<2**4, f32> {
  %0 = id.kernel "a" grid(%x) : (!id.seq<2**3, f32>) -> !id.seq<2**4, f32> {
  ^bb0(%in: !id.seq<2**3, f32>):
    %1 = id.load %in [3, 2, 1] : <2**3, f32> -> <2**3, "reg(1) lane(2) block(3)", f32>
    // CHECK: id.exchange %{{.*}} by shared : <2**3, "reg(1) lane(2) block(3)", f32> -> <2**4, "reg(2..1) lane(3) block(4)", f32> from [2, 1], [3] {
    %2 = id.exchange %1 by shared : <2**3, "reg(1) lane(2) block(3)", f32> -> <2**4, "reg(2..1) lane(3) block(4)", f32> from [2, 1], [3] {
      %d2 = id.digit 2 : i64
      %d3 = id.digit 3 : i64
      %d4 = id.digit 4 : i64
      %c2 = arith.constant 2 : i64
      %high = arith.muli %d3, %c2 : i64
      %number = arith.addi %high, %d2 : i64
      // CHECK: id.yield %{{.*}}, %{{.*}} : i64, i64
      id.yield %number, %d4 : i64, i64
    }
    %3 = id.store %2 [4, 3, 2, 1] : <2**4, "reg(2..1) lane(3) block(4)", f32> -> <2**4, f32>
    id.yield %3 : !id.seq<2**4, f32>
  }
  return %0 : !id.seq<2**4, f32>
}

// CHECK-LABEL: func.func @parts
func.func @parts(%x: !id.seq<2 * 3, f32>) -> !id.seq<3 * 2, f32> {
  %0 = id.kernel "p" grid(%x) : (!id.seq<2 * 3, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%in: !id.seq<2 * 3, f32>):
    // CHECK: id.part %{{.*}}[1] = 2 : <2 * 3, f32> -> <2, f32>
    %1 = id.part %in[1] = 2 : !id.seq<2 * 3, f32> -> !id.seq<2, f32>
    %2 = id.load %1 [1] : !id.seq<2, f32> -> !id.tile<2, "reg(1)", f32>
    %3 = id.store %2 [1] : !id.tile<2, "reg(1)", f32> -> !id.seq<2, f32>
    %4 = id.store %2 [1] : !id.tile<2, "reg(1)", f32> -> !id.seq<2, f32>
    %5 = id.store %2 [1] : !id.tile<2, "reg(1)", f32> -> !id.seq<2, f32>
    // CHECK: id.join[2] %{{.*}}, %{{.*}}, %{{.*}} : (!id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<3 * 2, f32>
    %6 = id.join[2] %3, %4, %5 : (!id.seq<2, f32>, !id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<3 * 2, f32>
    id.yield %6 : !id.seq<3 * 2, f32>
  }
  return %0 : !id.seq<3 * 2, f32>
}

// CHECK-LABEL: func.func @kinds
func.func @kinds(%x: !s) -> (!s, !s, !s, !s) {
  // CHECK: id.kernel "c" persistent(%
  %0 = id.kernel "c" persistent(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    id.yield %in : !s
  }
  // CHECK: id.kernel "d" grid(%
  %1 = id.kernel "d" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    id.yield %in : !s
  }
  // CHECK: id.kernel "e" dependent(%
  %2 = id.kernel "e" dependent(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    id.yield %in : !s
  }
  // CHECK: id.kernel "f" grid(%
  %3 = id.kernel "f" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    id.yield %in : !s
  }
  return %0, %1, %2, %3 : !s, !s, !s, !s
}

// CHECK-LABEL: func.func @shared
// CHECK-SAME: id.scalars = [f32, complex<f64>, i1, !id.mod<17>]
func.func @shared(%x: !id.seq<2**2, f32>) -> !id.seq<3 * 2**2, f32> attributes {id.scalars = [f32, complex<f64>, i1, !id.mod<17>]} {
  // CHECK: %{{.*}} = id.repeat %{{.*}} : <2**2, f32> -> <3 * 2**2, f32>
  %0 = id.repeat %x : !id.seq<2**2, f32> -> !id.seq<3 * 2**2, f32>
  %1 = id.pointwise (%0) : (!id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: f32):
    // CHECK: id.parameter 0 : f32
    %k = id.parameter 0 : f32
    // CHECK: id.parameter 1 : complex<f64>
    %c = id.parameter 1 : complex<f64>
    // CHECK: id.parameter 2 : i1
    %b = id.parameter 2 : i1
    // CHECK: id.parameter 3 : !id.mod<17>
    %m = id.parameter 3 : !id.mod<17>
    %y = arith.select %b, %a, %k : f32
    id.yield %y : f32
  }
  return %1 : !id.seq<3 * 2**2, f32>
}

// Other lengths: with new elements and a body for them, or with fewer; in flat kernels views of buffers.
// CHECK-LABEL: func.func @lengths
func.func @lengths(%x: !id.seq<3 * 5, complex<f32>>) -> (!id.seq<3 * 2**3, complex<f32>>, !id.seq<3, complex<f32>>) {
  // CHECK: %{{.*}} = id.resize %{{.*}} lowest 1 : <3 * 5, complex<f32>> -> <3 * 2**3, complex<f32>> else {
  // CHECK-NEXT: complex.constant
  // CHECK-NEXT: id.yield %{{.*}} : complex<f32>
  %0 = id.resize %x lowest 1 : !id.seq<3 * 5, complex<f32>> -> !id.seq<3 * 2**3, complex<f32>> else {
    %c = complex.constant [1.0 : f32, 0.0 : f32] : complex<f32>
    id.yield %c : complex<f32>
  }
  // CHECK: %{{.*}} = id.resize %{{.*}} lowest 2 : <3 * 5, complex<f32>> -> <3, complex<f32>>{{$}}
  %1 = id.resize %x lowest 2 : !id.seq<3 * 5, complex<f32>> -> !id.seq<3, complex<f32>>
  return %0, %1 : !id.seq<3 * 2**3, complex<f32>>, !id.seq<3, complex<f32>>
}

// CHECK-LABEL: func.func @length_views
func.func @length_views(%x: !id.seq<5, f32>) -> !id.seq<7, f32> {
  %0 = id.kernel "k" grid(%x) : (!id.seq<5, f32>) -> !id.seq<7, f32> {
  ^bb0(%in: !id.seq<5, f32>):
    // CHECK: id.resize %{{.*}} lowest 1 : <5, f32> -> <2**3, f32> else {
    %1 = id.resize %in lowest 1 : !id.seq<5, f32> -> !id.seq<2**3, f32> else {
      %c = arith.constant 1.0 : f32
      id.yield %c : f32
    }
    %2 = id.load %1 [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "block(3..1)", f32>
    %3 = id.store %2 [1, 2, 3] : !id.tile<2**3, "block(3..1)", f32> -> !id.seq<2**3, f32>
    // CHECK: id.resize %{{.*}} lowest 3 : <2**3, f32> -> <7, f32>{{$}}
    %4 = id.resize %3 lowest 3 : !id.seq<2**3, f32> -> !id.seq<7, f32>
    id.yield %4 : !id.seq<7, f32>
  }
  return %0 : !id.seq<7, f32>
}
