// Permutations move to the end of the program; what they pass is renamed.
// RUN: idc-opt %s --id-push-permutations --split-input-file | FileCheck %s

!s = !id.seq<2**3, complex<f32>>
!r = !id.seq<2**3, f32>

// Three steps of a Stockham transform: every node comes to sit on a digit of its own, reversed order is left.
// CHECK-LABEL: func.func @transform
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: %[[A:.*]] = id.node [3](%[[X]])
// CHECK: %[[B:.*]] = id.twiddle %[[A]] omega(4, t3*t2)
// CHECK-NEXT: %[[C:.*]] = id.node [2](%[[B]])
// CHECK: %[[D:.*]] = id.twiddle %[[C]] omega(8, t3*t1 + 2*t2*t1)
// CHECK-NEXT: %[[E:.*]] = id.node [1](%[[D]])
// CHECK: %[[F:.*]] = id.permute %[[E]] [1, 2, 3]
// CHECK-NEXT: return %[[F]]
func.func @transform(%x: !s) -> !s {
  %1 = id.node [3] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  %2 = id.permute %1 [2, 3, 1] : !s -> !s
  %3 = id.twiddle %2 omega(4, t3*t2) : !s
  %4 = id.node [3] (%3) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  %5 = id.permute %4 [1, 3, 2] : !s -> !s
  %6 = id.twiddle %5 omega(8, t3*t1 + 2*t3*t2) : !s
  %7 = id.node [3] (%6) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  return %7 : !s
}

// A pipeline of minima and maxima that rotates its digits: after three steps nothing is left of the rotations.
// CHECK-LABEL: func.func @rotated_minima
// CHECK: id.node [1]
// CHECK: id.node [2]
// CHECK: %[[Z:.*]] = id.node [3]
// CHECK-NOT: id.permute
// CHECK: return %[[Z]]
func.func @rotated_minima(%x: !r) -> !r {
  %0 = id.node [1] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  %1 = id.permute %0 [1, 3, 2] : !r -> !r
  %2 = id.node [1] (%1) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  %3 = id.permute %2 [1, 3, 2] : !r -> !r
  %4 = id.node [1] (%3) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  %5 = id.permute %4 [1, 3, 2] : !r -> !r
  return %5 : !r
}

// -----

!s = !id.seq<2**3, complex<f32>>

// Complements: a complemented digit t reads 1-t in exponents and in bodies.
// t3 after the permutation is digit 2 complemented, so omega(8, t3*t1) is omega(8, (1-t2)*t3).
// CHECK-LABEL: func.func @complement
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: %[[A:.*]] = id.twiddle %[[X]] omega(8, 7*t3*t2 + t3)
// CHECK-NEXT: %[[B:.*]] = id.pointwise(%[[A]])
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: %[[D:.*]] = id.digit 2
// CHECK: arith.subi %[[ONE]], %[[D]]
// CHECK: id.omega(8, 2*t2 + 7)
// CHECK: %[[C:.*]] = id.node [1](%[[B]])
// CHECK: %[[Y:.*]] = id.permute %[[C]] [-2, 1, 3]
// CHECK-NEXT: return %[[Y]]
func.func @complement(%x: !s) -> !s {
  %0 = id.permute %x [-2, 1, 3] : !s -> !s
  %1 = id.twiddle %0 omega(8, t3*t1) : !s
  %2 = id.pointwise (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    %d = id.digit 3 : i64
    %w = id.omega (8, 6*t3 + 1) dynamic %d : complex<f32>
    %b = complex.mul %a, %w : complex<f32>
    id.yield %b : complex<f32>
  }
  %3 = id.node [2] (%2) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  return %3 : !s
}

// -----

!s = !id.seq<2**3, complex<f32>>

// A node on a complemented digit: the body's elements swap, in and out.
// CHECK-LABEL: func.func @complemented_node
// CHECK-NEXT: %[[A:.*]] = id.node [3]
// CHECK-NEXT: ^bb0(%[[X0:.*]]: complex<f32>, %[[X1:.*]]: complex<f32>):
// CHECK-NEXT: %[[SUM:.*]] = complex.add %[[X1]], %[[X0]]
// CHECK-NEXT: id.yield %[[X0]], %[[SUM]]
// CHECK: id.permute %[[A]] [-3, 1, 2]
func.func @complemented_node(%x: !s) -> !s {
  %0 = id.permute %x [-3, 1, 2] : !s -> !s
  %1 = id.node [3] (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %sum = complex.add %a, %b : complex<f32>
    id.yield %sum, %b : complex<f32>, complex<f32>
  }
  return %1 : !s
}

// Two digits, of which the lower one is complemented: element 2·t3 + t2 is element 2·t3 + 1 - t2.
// CHECK-LABEL: func.func @complemented_pair
// CHECK-NEXT: %[[A:.*]] = id.node [3, 2]
// CHECK-NEXT: ^bb0(%[[X0:.*]]: complex<f32>, %[[X1:.*]]: complex<f32>, %[[X2:.*]]: complex<f32>, %[[X3:.*]]: complex<f32>):
// CHECK-NEXT: %[[N:.*]] = complex.neg %[[X1]]
// CHECK-NEXT: id.yield %[[X2]], %[[N]], %[[X0]], %[[X3]]
// CHECK: id.permute %[[A]] [1, 3, -2]
func.func @complemented_pair(%x: !s) -> !s {
  %0 = id.permute %x [1, 3, -2] : !s -> !s
  %1 = id.node [2, 1] (%0) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>, %d: complex<f32>):
    %n = complex.neg %a : complex<f32>
    id.yield %n, %d, %c, %b : complex<f32>, complex<f32>, complex<f32>, complex<f32>
  }
  return %1 : !s
}

// -----

!r = !id.seq<2**3, f32>

// A join of two operands that come through the same permutation: it moves behind.
// CHECK-LABEL: func.func @join
// CHECK-SAME: (%[[X:.*]]: !id.seq<2**3, f32>, %[[Y:.*]]: !id.seq<2**3, f32>)
// CHECK-NEXT: %[[A:.*]] = id.pointwise(%[[X]], %[[Y]])
// CHECK: %[[B:.*]] = id.permute %[[A]] [1, 3, 2]
// CHECK-NEXT: return %[[B]]
func.func @join(%x: !r, %y: !r) -> !r {
  %0 = id.permute %x [1, 3, 2] : !r -> !r
  %1 = id.permute %y [1, 3, 2] : !r -> !r
  %2 = id.pointwise (%0, %1) : (!r, !r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    id.yield %c : f32
  }
  return %2 : !r
}

// Different permutations: the first operand's moves behind, the difference stays on the edge of the second.
// CHECK-LABEL: func.func @join_different
// CHECK-SAME: (%[[X:.*]]: !id.seq<2**3, f32>, %[[Y:.*]]: !id.seq<2**3, f32>)
// CHECK-NEXT: %[[E:.*]] = id.permute %[[Y]] [1, 3, 2]
// CHECK-NEXT: %[[A:.*]] = id.pointwise(%[[X]], %[[E]])
// CHECK: %[[B:.*]] = id.permute %[[A]] [1, 3, 2]
// CHECK-NEXT: return %[[B]]
func.func @join_different(%x: !r, %y: !r) -> !r {
  %0 = id.permute %x [1, 3, 2] : !r -> !r
  %1 = id.permute %y [2, 1, 3] : !r -> !r
  %2 = id.pointwise (%0, %1) : (!r, !r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    id.yield %c : f32
  }
  return %2 : !r
}

// A node with two operands and two results.
// CHECK-LABEL: func.func @join_node
// CHECK: %[[A:.*]]:2 = id.node [2](%{{.*}}, %{{.*}})
// CHECK-DAG: id.permute %[[A]]#0 [1, 3, 2]
// CHECK-DAG: id.permute %[[A]]#1 [1, 3, 2]
func.func @join_node(%x: !r, %y: !r) -> (!r, !r) {
  %0 = id.permute %x [1, 3, 2] : !r -> !r
  %1 = id.permute %y [1, 3, 2] : !r -> !r
  %2:2 = id.node [1] (%0, %1) : (!r, !r) -> (!r, !r) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    id.yield %c, %a, %d, %b : f32, f32, f32, f32
  }
  return %2#0, %2#1 : !r, !r
}

// -----

// Mixed radices: the shape moves along.
// CHECK-LABEL: func.func @radices
// CHECK: %[[A:.*]] = id.node [2](%{{.*}}) : (!id.seq<3 * 2, f32>) -> !id.seq<3 * 2, f32>
// CHECK: id.permute %[[A]] [1, 2] : <3 * 2, f32> -> <2 * 3, f32>
func.func @radices(%x: !id.seq<3 * 2, f32>) -> !id.seq<2 * 3, f32> {
  %0 = id.permute %x [1, 2] : !id.seq<3 * 2, f32> -> !id.seq<2 * 3, f32>
  %1 = id.node [1] (%0) : (!id.seq<2 * 3, f32>) -> !id.seq<2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %c, %a : f32, f32, f32
  }
  return %1 : !id.seq<2 * 3, f32>
}

// The digit that takes the node's number has a larger radix.
// CHECK-LABEL: func.func @larger
// CHECK: id.node [2](%{{.*}}) : (!id.seq<2 * 3, f32>) -> !id.seq<2 * 3, f32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: id.yield %[[B]], %[[A]] : f32, f32
func.func @larger(%x: !id.seq<2 * 3, f32>) -> !id.seq<3 * 2, f32> {
  %0 = id.permute %x [1, 2] : !id.seq<2 * 3, f32> -> !id.seq<3 * 2, f32>
  %1 = id.node [1] (%0) : (!id.seq<3 * 2, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !id.seq<3 * 2, f32>
}

// A node that removes its digit stops the permutation.
// CHECK-LABEL: func.func @contracting
// CHECK-NEXT: id.permute
// CHECK-NEXT: id.node [1]
func.func @contracting(%x: !id.seq<2**2, f32>) -> !id.seq<2, f32> {
  %0 = id.permute %x [1, 2] : !id.seq<2**2, f32> -> !id.seq<2**2, f32>
  %1 = id.node [1] (%0) : (!id.seq<2**2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    id.yield %c : f32
  }
  return %1 : !id.seq<2, f32>
}

// A permutation passes a repetition, whose digits stay.
// CHECK-LABEL: func.func @repeated
// CHECK-NEXT: %[[A:.*]] = id.repeat %arg0 : <2**2, f32> -> <3 * 2**2, f32>
// CHECK-NEXT: %[[B:.*]] = id.pointwise(%[[A]])
// CHECK: id.digit 1
// CHECK: %[[C:.*]] = id.permute %[[B]] [3, -1, 2]
// CHECK-NEXT: return %[[C]]
func.func @repeated(%x: !id.seq<2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  %0 = id.permute %x [-1, 2] : !id.seq<2**2, f32> -> !id.seq<2**2, f32>
  %1 = id.repeat %0 : !id.seq<2**2, f32> -> !id.seq<3 * 2**2, f32>
  %2 = id.pointwise (%1) : (!id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: f32):
    %d = id.digit 2 : i64
    %f = arith.sitofp %d : i64 to f32
    id.yield %f : f32
  }
  return %2 : !id.seq<3 * 2**2, f32>
}

// A repeated operand does not lead: the other's permutation moves behind the step, and what is left of both stays on the
// repeated operand's edge.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[W:.*]]: !id.seq<2, f32>, %[[X:.*]]: !id.seq<2**3, f32>)
// CHECK-NEXT: %[[R:.*]] = id.repeat %[[W]] : <2, f32> -> <2**3, f32>
// CHECK-NEXT: %[[E:.*]] = id.permute %[[R]] [3, -1, 2]
// CHECK-NEXT: %[[Y:.*]] = id.pointwise(%[[E]], %[[X]])
// CHECK: %[[Z:.*]] = id.permute %[[Y]] [-2, 3, 1]
// CHECK-NEXT: return %[[Z]]
func.func @shared(%w: !id.seq<2, f32>, %x: !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  %0 = id.repeat %w : !id.seq<2, f32> -> !id.seq<2**3, f32>
  %1 = id.permute %0 [1, 2, 3] : !id.seq<2**3, f32> -> !id.seq<2**3, f32>
  %2 = id.permute %x [-2, 3, 1] : !id.seq<2**3, f32> -> !id.seq<2**3, f32>
  %3 = id.pointwise (%1, %2) : (!id.seq<2**3, f32>, !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    id.yield %s : f32
  }
  return %3 : !id.seq<2**3, f32>
}
