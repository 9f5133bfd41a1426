// Steps that commute are ordered from high to low digits, twiddle terms stand before the first node that needs them.
// RUN: idc-opt %s --id-form-chains=target= --id-order-steps --split-input-file | FileCheck %s

!s = !id.seq<2**3, complex<f32>>

// A transform decimated in time: nodes go up; its twiddles forbid another order, each term is late already.
// CHECK-LABEL: func.func @transform
// CHECK: id.node [1]
// CHECK: id.twiddle %{{.*}} omega(4, t2*t1)
// CHECK-NEXT: id.node [2]
// CHECK: id.twiddle %{{.*}} omega(8, t3*t1)
// CHECK-NEXT: id.twiddle %{{.*}} omega(8, 2*t3*t2)
// CHECK-NEXT: id.node [3]
// CHECK-NOT: id.twiddle
// CHECK: return
func.func @transform(%x: !s) -> !s {
  %0 = id.node [1] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  %1 = id.twiddle %0 omega(4, t2*t1) : !s
  %2 = id.node [2] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  %3 = id.twiddle %2 omega(8, t3*t1 + 2*t3*t2) : !s
  %4 = id.node [3] (%3) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  return %4 : !s
}

// Sums and differences without twiddles: all commute.
// CHECK-LABEL: func.func @sums
// CHECK: id.node [3]
// CHECK: id.node [2]
// CHECK: id.node [1]
func.func @sums(%x: !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  %0 = id.node [1] (%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %1 = id.node [3] (%0) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %2 = id.node [2] (%1) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  return %2 : !id.seq<2**3, f32>
}

// The exponent is split: each term waits for the first node on one of its digits. t3*t1 is needed by node 3 at once,
// t1 by node 1, and 2*t2 by no node, so it ends the program.
// CHECK-LABEL: func.func @terms
// CHECK: id.twiddle %{{.*}} omega(8, t3*t1)
// CHECK-NEXT: id.node [3]
// CHECK: id.twiddle %{{.*}} omega(8, t1)
// CHECK-NEXT: id.node [1]
// CHECK: id.twiddle %{{.*}} omega(8, 2*t2)
// CHECK-NEXT: return
func.func @terms(%x: !s) -> !s {
  %0 = id.twiddle %x omega(8, t3*t1 + t1 + 2*t2) : !s
  %1 = id.node [1] (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    id.yield %p, %b : complex<f32>, complex<f32>
  }
  %2 = id.node [3] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.sub %a, %b : complex<f32>
    id.yield %p, %a : complex<f32>, complex<f32>
  }
  return %2 : !s
}

// Nodes on the same digit keep their order.
// CHECK-LABEL: func.func @same_digit
// CHECK: id.node [3, 1]
// CHECK: complex.add
// CHECK: id.node [3]
// CHECK: complex.neg
// CHECK: id.node [2]
func.func @same_digit(%x: !s) -> !s {
  %0 = id.node [3, 1] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>, %d: complex<f32>):
    %p = complex.add %a, %d : complex<f32>
    id.yield %p, %b, %c, %d : complex<f32>, complex<f32>, complex<f32>, complex<f32>
  }
  %1 = id.node [2] (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %2 = id.node [3] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %n = complex.neg %b : complex<f32>
    id.yield %n, %a : complex<f32>, complex<f32>
  }
  return %2 : !s
}

// -----

!r = !id.seq<2**3, f32>

// Minima do not commute: the order stays.
// CHECK-LABEL: func.func @minima
// CHECK: id.node [1]
// CHECK: id.node [2]
// CHECK: id.node [3]
func.func @minima(%x: !r) -> !r {
  %0 = id.node [1] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  %2 = id.node [3] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  return %2 : !r
}

// Nor does a sum with a minimum, whichever comes first.
// CHECK-LABEL: func.func @sum_minimum
// CHECK: id.node [1]
// CHECK: arith.addf
// CHECK: id.node [2]
// CHECK: arith.minimumf
// CHECK: id.node [3]
// CHECK: arith.addf
func.func @sum_minimum(%x: !r) -> !r {
  %0 = id.node [1] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    id.yield %p, %b : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    id.yield %l, %b : f32, f32
  }
  %2 = id.node [3] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    id.yield %p, %b : f32, f32
  }
  return %2 : !r
}

// -----

!s = !id.seq<2**3, complex<f32>>

// A pointwise step stays between its nodes, even a linear one: only nodes and twiddles are known to move.
// CHECK-LABEL: func.func @pointwise
// CHECK: id.node [1]
// CHECK: id.pointwise
// CHECK: id.node [3]
func.func @pointwise(%x: !s) -> !s {
  %0 = id.node [1] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    id.yield %p, %b : complex<f32>, complex<f32>
  }
  %1 = id.pointwise (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %b = complex.mul %a, %a : complex<f32>
    id.yield %b : complex<f32>
  }
  %2 = id.node [3] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    id.yield %p, %b : complex<f32>, complex<f32>
  }
  return %2 : !s
}

// A twiddle does not pass a conjugation or a node that looks at digits.
// CHECK-LABEL: func.func @conjugation
// CHECK: id.twiddle %{{.*}} omega(8, t2)
// CHECK-NEXT: id.node [1]
// CHECK: id.node [3]
func.func @conjugation(%x: !s) -> !s {
  %0 = id.twiddle %x omega(8, t2) : !s
  %1 = id.node [1] (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %c = complex.conj %a : complex<f32>
    id.yield %c, %b : complex<f32>, complex<f32>
  }
  %2 = id.node [3] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    id.yield %p, %b : complex<f32>, complex<f32>
  }
  return %2 : !s
}

// CHECK-LABEL: func.func @looks_at_digits
// CHECK: id.node [1]
// CHECK: id.omega(8, t3)
// CHECK: id.node [3]
func.func @looks_at_digits(%x: !s) -> !s {
  %0 = id.node [1] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %w = id.omega (8, t3) : complex<f32>
    %p = complex.mul %a, %w : complex<f32>
    id.yield %p, %b : complex<f32>, complex<f32>
  }
  %1 = id.node [3] (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    id.yield %p, %b : complex<f32>, complex<f32>
  }
  return %1 : !s
}

// What stands behind a permutation stays where it is, and a program that is no chain stays as it is.
// CHECK-LABEL: func.func @behind
// CHECK: id.node [1]
// CHECK: id.permute
// CHECK: id.node [3]
func.func @behind(%x: !s) -> !s {
  %0 = id.node [1] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %1 = id.permute %0 [-3, 2, 1] : !s -> !s
  %2 = id.node [3] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  return %2 : !s
}

// A chain before a join is ordered, too; the join keeps its place.
// CHECK-LABEL: func.func @before_join
// CHECK: id.node [3]
// CHECK: id.node [1]
// CHECK: id.pointwise
func.func @before_join(%x: !s) -> !s {
  %0 = id.node [1] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %1 = id.node [3] (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %2 = id.pointwise (%1, %x) : (!s, !s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    id.yield %p : complex<f32>
  }
  return %2 : !s
}

// -----

// Nodes that mix the fields of a record in ways that do not commute keep their order; one that treats all fields alike
// commutes with both.
// CHECK-LABEL: func.func @fields
// CHECK: id.node [3]
// CHECK: id.node [1]
// CHECK: id.node [2]
!r = !id.seq<2**3, !id.record<f32, f32>>
func.func @fields(%x: !r) -> !r {
  %0 = id.node [1] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    id.yield %a, %b, %d, %c : f32, f32, f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %n = arith.negf %d : f32
    id.yield %a, %b, %c, %n : f32, f32, f32, f32
  }
  %2 = id.node [3] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %p = arith.addf %a, %c : f32
    %q = arith.addf %b, %d : f32
    id.yield %p, %q, %a, %b : f32, f32, f32, f32
  }
  return %2 : !r
}

// -----

// On two devices, which have the elements by the highest digit, node 3 comes last, also behind a step that computes
// places by lower digits; where places depend on that digit, nothing is known of it any more.
!r = !id.seq<2**3, f32>

// CHECK-LABEL: func.func @devices
// CHECK: id.gather
// CHECK: id.node [1]
// CHECK: id.node [2]
// CHECK: id.node [3]
func.func @devices(%x: !r) -> !r attributes {id.devices = 2 : i64} {
  %g = id.gather %x lowest 1 : !r -> !r from {
    %one = arith.constant 1 : i64
    %d = id.digit 1 : i64
    %m = arith.subi %one, %d : i64
    id.yield %m : i64
  }
  %0 = id.node [1] (%g) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %1 = id.node [3] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %2 = id.node [2] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  return %2 : !r
}

// CHECK-LABEL: func.func @devices_unknown
// CHECK: id.gather
// CHECK: id.node [1]
// CHECK: id.node [3]
// CHECK: id.node [2]
func.func @devices_unknown(%x: !r) -> !r attributes {id.devices = 2 : i64} {
  %g = id.gather %x lowest 3 : !r -> !r from {
    %one = arith.constant 1 : i64
    %d = id.digit 1 : i64
    %m = arith.subi %one, %d : i64
    id.yield %m : i64
  }
  %0 = id.node [1] (%g) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %2 = id.node [3] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  return %2 : !r
}

// -----

// Behind a step that commutes with nothing the order is the other way round, of more than a block holds: what is held
// last is acted on first.
!r = !id.seq<2**16, f32>

// CHECK-LABEL: func.func @back
// CHECK: id.node [3]
// CHECK: id.node [2]
// CHECK: id.node [1]
// CHECK: id.pointwise
// CHECK: id.node [1]
// CHECK: id.node [2]
// CHECK: id.pointwise
// CHECK: id.node [2]
// CHECK: id.node [1]
func.func @back(%x: !r) -> !r {
  %0 = id.node [1] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %2 = id.node [3] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %3 = id.pointwise(%2) : (!r) -> !r {
  ^bb0(%a: f32):
    %q = arith.mulf %a, %a : f32
    id.yield %q : f32
  }
  %4 = id.node [2] (%3) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %5 = id.node [1] (%4) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %6 = id.pointwise(%5) : (!r) -> !r {
  ^bb0(%a: f32):
    %q = arith.mulf %a, %a : f32
    id.yield %q : f32
  }
  %7 = id.node [1] (%6) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %8 = id.node [2] (%7) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  return %8 : !r
}

// -----

// Within a block it is not.
!r = !id.seq<2**3, f32>

// CHECK-LABEL: func.func @block
// CHECK: id.node [3]
// CHECK: id.node [1]
// CHECK: id.pointwise
// CHECK: id.node [2]
// CHECK: id.node [1]
func.func @block(%x: !r) -> !r {
  %0 = id.node [1] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %2 = id.node [3] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %3 = id.pointwise(%2) : (!r) -> !r {
  ^bb0(%a: f32):
    %q = arith.mulf %a, %a : f32
    id.yield %q : f32
  }
  %4 = id.node [1] (%3) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  %5 = id.node [2] (%4) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    %m = arith.subf %a, %b : f32
    id.yield %p, %m : f32, f32
  }
  return %5 : !r
}
