// What folds: permutations compose and vanish, twiddles merge and vanish, exchanges to the same mapping vanish.
// RUN: idc-opt %s --canonicalize --split-input-file | FileCheck %s

!s = !id.seq<2**3, complex<f32>>

// CHECK-LABEL: func.func @compose
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: %[[Y:.*]] = id.permute %[[X]] [3, 1, 2]
// CHECK-NEXT: return %[[Y]]
func.func @compose(%x: !s) -> !s {
  %0 = id.permute %x [2, 1, 3] : !s -> !s
  %1 = id.permute %0 [1, 2, 3] : !s -> !s
  return %1 : !s
}

// A complement follows its digit.
// CHECK-LABEL: func.func @compose_complement
// CHECK-NEXT: %[[Y:.*]] = id.permute %{{.*}} [-1, 2, -3]
// CHECK-NEXT: return %[[Y]]
func.func @compose_complement(%x: !s) -> !s {
  %0 = id.permute %x [3, 2, -1] : !s -> !s
  %1 = id.permute %0 [1, 2, -3] : !s -> !s
  return %1 : !s
}

// CHECK-LABEL: func.func @identity
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: return %[[X]]
func.func @identity(%x: !s) -> !s {
  %0 = id.permute %x [3, 2, 1] : !s -> !s
  return %0 : !s
}

// CHECK-LABEL: func.func @inverse
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: return %[[X]]
func.func @inverse(%x: !s) -> !s {
  %0 = id.permute %x [1, 3, -2] : !s -> !s
  %1 = id.permute %0 [2, -1, 3] : !s -> !s
  return %1 : !s
}

// A complement alone is no identity.
// CHECK-LABEL: func.func @complement
// CHECK-NEXT: id.permute %{{.*}} [3, -2, 1]
func.func @complement(%x: !s) -> !s {
  %0 = id.permute %x [3, -2, 1] : !s -> !s
  return %0 : !s
}

// Different roots meet in their common multiple; t*t is t for radix 2.
// CHECK-LABEL: func.func @merge
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: %[[Y:.*]] = id.twiddle %[[X]] omega(24, 4*t3 + 6*t2*t1)
// CHECK-NEXT: return %[[Y]]
func.func @merge(%x: !s) -> !s {
  %0 = id.twiddle %x omega(8, 2*t2*t1) : !s
  %1 = id.twiddle %0 omega(12, 2*t3*t3) : !s
  return %1 : !s
}

// CHECK-LABEL: func.func @merge_cancels
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: return %[[X]]
func.func @merge_cancels(%x: !s) -> !s {
  %0 = id.twiddle %x omega(8, 3*t2*t1) : !s
  %1 = id.twiddle %0 omega(16, 10*t2*t1) : !s
  return %1 : !s
}

// CHECK-LABEL: func.func @zero
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: return %[[X]]
func.func @zero(%x: !s) -> !s {
  %0 = id.twiddle %x omega(4, 8*t2*t1 + 4*t3) : !s
  return %0 : !s
}

// A twiddled value that has another use stays.
// CHECK-LABEL: func.func @two_uses
// CHECK: %[[A:.*]] = id.twiddle %{{.*}} omega(8, t1)
// CHECK: %[[B:.*]] = id.twiddle %[[A]] omega(8, t2)
// CHECK: return %[[A]], %[[B]]
func.func @two_uses(%x: !s) -> (!s, !s) {
  %0 = id.twiddle %x omega(8, t1) : !s
  %1 = id.twiddle %0 omega(8, t2) : !s
  return %0, %1 : !s, !s
}

!t = !id.tile<2**3, "reg(3) lane(2..1)", complex<f32>>
!u = !id.tile<2**3, "reg(1) lane(3..2)", complex<f32>>

// CHECK-LABEL: func.func @exchange
// CHECK: %[[A:.*]] = id.load
// CHECK-NEXT: %[[B:.*]] = id.exchange %[[A]]
// CHECK-NEXT: id.store %[[B]]
func.func @exchange(%x: !s) -> !s {
  %0 = id.kernel "k" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [3, 2, 1] : !s -> !t
    %2 = id.exchange %1 : !t -> !t
    %3 = id.exchange %2 : !t -> !u
    %4 = id.exchange %3 by none : !u -> !u
    %5 = id.store %4 [3, 2, 1] : !u -> !s
    id.yield %5 : !s
  }
  return %0 : !s
}

// Nothing is computed for a result that nobody uses.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
func.func @unused(%x: !s) {
  %0 = id.permute %x [1, 2, 3] : !s -> !s
  %1 = id.twiddle %0 omega(8, t1) : !s
  %2 = id.node [1] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %3 = id.pointwise (%2) : (!s) -> !s {
  ^bb0(%a: complex<f32>):
    id.yield %a : complex<f32>
  }
  return
}

// Repetitions compose; one along no digit vanishes.
// CHECK-LABEL: func.func @repeats
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: %[[R:.*]] = id.repeat %[[X]] : <2, f32> -> <2**3, f32>
// CHECK-NEXT: return %[[X]], %[[R]]
func.func @repeats(%x: !id.seq<2, f32>) -> (!id.seq<2, f32>, !id.seq<2**3, f32>) {
  %0 = id.repeat %x : !id.seq<2, f32> -> !id.seq<2, f32>
  %1 = id.repeat %0 : !id.seq<2, f32> -> !id.seq<2**2, f32>
  %2 = id.repeat %1 : !id.seq<2**2, f32> -> !id.seq<2**3, f32>
  return %0, %2 : !id.seq<2, f32>, !id.seq<2**3, f32>
}

// Repeated digits are alike: moved or complemented among themselves nothing changes, elsewhere they ascend.
// CHECK-LABEL: func.func @repeated_digits
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: %[[A:.*]] = id.repeat %[[X]] : <2, f32> -> <3 * 5 * 2, f32>
// CHECK-NEXT: %[[R:.*]] = id.repeat %[[X]] : <2, f32> -> <3 * 5 * 2, f32>
// CHECK-NEXT: %[[B:.*]] = id.permute %[[R]] [-1, 3, 2]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @repeated_digits(%x: !id.seq<2, f32>) -> (!id.seq<3 * 5 * 2, f32>, !id.seq<2 * 3 * 5, f32>) {
  %0 = id.repeat %x : !id.seq<2, f32> -> !id.seq<5 * 3 * 2, f32>
  %1 = id.permute %0 [-2, 3, 1] : !id.seq<5 * 3 * 2, f32> -> !id.seq<3 * 5 * 2, f32>
  %2 = id.permute %0 [-1, 2, -3] : !id.seq<5 * 3 * 2, f32> -> !id.seq<2 * 3 * 5, f32>
  return %1, %2 : !id.seq<3 * 5 * 2, f32>, !id.seq<2 * 3 * 5, f32>
}

// The same length again is none; what was made longer and then shorter than it was is only made shorter.
// CHECK-LABEL: func.func @lengths
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: %[[R:.*]] = id.resize %[[X]] lowest 1 : <2 * 5, f32> -> <2 * 3, f32>
// CHECK-NEXT: return %[[X]], %[[R]]
func.func @lengths(%x: !id.seq<2 * 5, f32>) -> (!id.seq<2 * 5, f32>, !id.seq<2 * 3, f32>) {
  %0 = id.resize %x lowest 1 : !id.seq<2 * 5, f32> -> !id.seq<2 * 5, f32>
  %1 = id.resize %x lowest 1 : !id.seq<2 * 5, f32> -> !id.seq<2 * 2**3, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  %2 = id.resize %1 lowest 3 : !id.seq<2 * 2**3, f32> -> !id.seq<2 * 3, f32>
  return %0, %2 : !id.seq<2 * 5, f32>, !id.seq<2 * 3, f32>
}

// Not so where new elements stay, or other digits change.
// CHECK-LABEL: func.func @lengths_differ
// CHECK-COUNT-4: id.resize
func.func @lengths_differ(%x: !id.seq<2 * 5, f32>) -> (!id.seq<2 * 7, f32>, !id.seq<3, f32>) {
  %1 = id.resize %x lowest 1 : !id.seq<2 * 5, f32> -> !id.seq<2 * 2**3, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  %2 = id.resize %1 lowest 3 : !id.seq<2 * 2**3, f32> -> !id.seq<2 * 7, f32>
  %3 = id.resize %1 lowest 4 : !id.seq<2 * 2**3, f32> -> !id.seq<3, f32>
  %4 = id.resize %3 lowest 1 : !id.seq<3, f32> -> !id.seq<2, f32>
  %5 = id.resize %4 lowest 1 : !id.seq<2, f32> -> !id.seq<3, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  return %2, %5 : !id.seq<2 * 7, f32>, !id.seq<3, f32>
}

// -----

// A conversion of an argument is made where the argument is read, for each time that it is repeated.
// CHECK-LABEL: func.func @converted
// CHECK: %[[MANY:.*]] = id.repeat %arg0 : <2, f16> -> <2**3, f16>
// CHECK: %[[WIDE:.*]] = id.pointwise(%[[MANY]]) : (!id.seq<2**3, f16>) -> !id.seq<2**3, f32>
// CHECK: return %[[WIDE]]
func.func @converted(%x: !id.seq<2, f16>) -> !id.seq<2**3, f32> {
  %0 = id.pointwise (%x) : (!id.seq<2, f16>) -> !id.seq<2, f32> {
  ^bb0(%a: f16):
    %w = arith.extf %a : f16 to f32
    id.yield %w : f32
  }
  %1 = id.repeat %0 : <2, f32> -> <2**3, f32>
  return %1 : !id.seq<2**3, f32>
}

// -----

// A product with half a turn, added, is subtracted, and the other way round; a node that takes both has a pair.
// CHECK-LABEL: func.func @half_turns
// CHECK: ^bb0(%[[A:.*]]: complex<f32>, %[[B:.*]]: complex<f32>):
// CHECK-DAG: %[[SUM:.*]] = complex.add %[[A]], %[[B]]
// CHECK-DAG: %[[DIFF:.*]] = complex.sub %[[A]], %[[B]]
// CHECK: id.yield %[[SUM]], %[[DIFF]]
func.func @half_turns(%x: !id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  %0 = id.node [2](%x) : (!id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %w = id.omega(6, 9) : complex<f32>
    %m = complex.mul %w, %b : complex<f32>
    %sum = complex.sub %a, %m : complex<f32>
    %difference = complex.add %m, %a : complex<f32>
    id.yield %sum, %difference : complex<f32>, complex<f32>
  }
  return %0 : !id.seq<2**3, complex<f32>>
}

// Of a prime field, too; what is no half turn stays.
// CHECK-LABEL: func.func @half_turns_mod
// CHECK: id.mod_sub
// CHECK: id.mod_mul
// CHECK: id.mod_add
func.func @half_turns_mod(%x: !id.seq<2**3, !id.mod<17>>) -> !id.seq<2**3, !id.mod<17>> {
  %0 = id.node [1](%x) : (!id.seq<2**3, !id.mod<17>>) -> !id.seq<2**3, !id.mod<17>> {
  ^bb0(%a: !id.mod<17>, %b: !id.mod<17>):
    %w = id.omega(2, 1) : !id.mod<17>
    %m = id.mod_mul %b, %w : !id.mod<17>
    %difference = id.mod_add %a, %m : !id.mod<17>
    %v = id.omega(4, 1) : !id.mod<17>
    %n = id.mod_mul %b, %v : !id.mod<17>
    %other = id.mod_add %a, %n : !id.mod<17>
    id.yield %difference, %other : !id.mod<17>, !id.mod<17>
  }
  return %0 : !id.seq<2**3, !id.mod<17>>
}
