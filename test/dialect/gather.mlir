// Gathers and scatters: the text form; those that move digits are permutations, two gathers are one, and one that undoes
// another vanishes.
// RUN: idc-opt %s --split-input-file | idc-opt --split-input-file | FileCheck %s --check-prefix=ROUND
// RUN: idc-opt %s --canonicalize --split-input-file | FileCheck %s

!s = !id.seq<2**3, f32>

// ROUND-LABEL: func.func @shift
// ROUND: id.gather %{{.*}} lowest 3 : <2**3, f32> -> <2**3, f32> from {
// ROUND: id.yield %{{.*}} : i64
// CHECK-LABEL: func.func @shift
// CHECK: id.gather
func.func @shift(%x: !s) -> !s {
  %y = id.gather %x lowest 3 : !s -> !s from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %3 = id.digit 3 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %c8 = arith.constant 8 : i64
    %4 = arith.muli %2, %c2 : i64
    %5 = arith.muli %3, %c4 : i64
    %6 = arith.addi %1, %4 : i64
    %7 = arith.addi %6, %5 : i64
    %8 = arith.addi %7, %c1 : i64
    %9 = arith.remsi %8, %c8 : i64
    id.yield %9 : i64
  }
  return %y : !s
}

// -----

!s = !id.seq<2 * 3**2, f32>

// Digit 1 of the result is digit 2 of the input, complemented; digit 3 stays, and so does what is above the lowest two.
// CHECK-LABEL: func.func @digits
// CHECK-NEXT: %[[Y:.*]] = id.permute %{{.*}} [3, 1, -2] : <2 * 3**2, f32> -> <2 * 3**2, f32>
// CHECK-NEXT: return %[[Y]]
func.func @digits(%x: !s) -> !s {
  %y = id.gather %x lowest 2 : !s -> !s from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %4 = arith.subi %c2, %1 : i64
    %5 = arith.muli %4, %c3 : i64
    %6 = arith.addi %5, %2 : i64
    id.yield %6 : i64
  }
  return %y : !s
}

// -----

!s = !id.seq<3, f32>

// CHECK-LABEL: func.func @undone
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: return %[[X]]
func.func @undone(%x: !s) -> !s {
  %y = id.gather %x lowest 1 : !s -> !s from {
    %1 = id.digit 1 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %2 = arith.addi %1, %c1 : i64
    %3 = arith.remsi %2, %c3 : i64
    id.yield %3 : i64
  }
  %z = id.gather %y lowest 1 : !s -> !s from {
    %1 = id.digit 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %2 = arith.addi %1, %c2 : i64
    %3 = arith.remsi %2, %c3 : i64
    id.yield %3 : i64
  }
  return %z : !s
}

// -----

!s = !id.seq<2 * 3, f32>

// What is added at run time and taken off again, of digits that count the elements.
// CHECK-LABEL: func.func @cancelled
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: return %[[X]]
func.func @cancelled(%x: !s) -> !s attributes {id.scalars = [i32]} {
  %y = id.gather %x lowest 2 : !s -> !s from {
    %c3 = arith.constant 3 : i64
    %c6 = arith.constant 6 : i64
    %low = id.digit 1 : i64
    %high = id.digit 2 : i64
    %weighed = arith.muli %high, %c3 : i64
    %k = arith.addi %low, %weighed : i64
    %parameter = id.parameter 0 : i32
    %s = arith.extsi %parameter : i32 to i64
    %c = arith.constant 2147483652 : i64
    %0 = arith.addi %k, %s : i64
    %1 = arith.addi %0, %c : i64
    %2 = arith.remsi %1, %c6 : i64
    id.yield %2 : i64
  }
  %z = id.gather %y lowest 2 : !s -> !s from {
    %c3 = arith.constant 3 : i64
    %c6 = arith.constant 6 : i64
    %low = id.digit 1 : i64
    %high = id.digit 2 : i64
    %weighed = arith.muli %high, %c3 : i64
    %k = arith.addi %low, %weighed : i64
    %parameter = id.parameter 0 : i32
    %s = arith.extsi %parameter : i32 to i64
    %c = arith.constant 2147483652 : i64
    %0 = arith.subi %k, %s : i64
    %1 = arith.addi %0, %c : i64
    %2 = arith.remsi %1, %c6 : i64
    id.yield %2 : i64
  }
  return %z : !s
}

// -----

// CHECK-LABEL: func.func @repeated
// CHECK-NEXT: %[[Y:.*]] = id.gather %{{.*}} lowest 1 : <5, f32> -> <3, f32> from {
// CHECK: id.repeat %[[Y]] : <3, f32> -> <2 * 3, f32>
func.func @repeated(%x: !id.seq<5, f32>) -> !id.seq<2 * 3, f32> {
  %y = id.repeat %x : !id.seq<5, f32> -> !id.seq<2 * 5, f32>
  %z = id.gather %y lowest 1 : !id.seq<2 * 5, f32> -> !id.seq<2 * 3, f32> from {
    %1 = id.digit 1 : i64
    %2 = arith.addi %1, %1 : i64
    id.yield %2 : i64
  }
  return %z : !id.seq<2 * 3, f32>
}

// -----

!s = !id.seq<5, f32>

// ROUND-LABEL: func.func @scattered
// ROUND: id.scatter %{{.*}} lowest 1 : <5, f32> -> <5, f32> to {
// CHECK-LABEL: func.func @scattered
// CHECK: %[[Y:.*]] = id.scatter
// CHECK: return %[[Y]]
func.func @scattered(%x: !s) -> !s {
  %y = id.scatter %x lowest 1 : !s -> !s to {
    %1 = id.digit 1 : i64
    %c2 = arith.constant 2 : i64
    %c5 = arith.constant 5 : i64
    %2 = arith.muli %1, %c2 : i64
    %3 = arith.remsi %2, %c5 : i64
    id.yield %3 : i64
  }
  return %y : !s
}

// A scatter, and the gather that takes everything back; the other way round, by an equal body.
// CHECK-LABEL: func.func @taken_back
// CHECK-SAME: (%[[X:.*]]: !id.seq
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @taken_back(%x: !s) -> (!s, !s) {
  %y = id.scatter %x lowest 1 : !s -> !s to {
    %1 = id.digit 1 : i64
    %c2 = arith.constant 2 : i64
    %c5 = arith.constant 5 : i64
    %2 = arith.muli %1, %c2 : i64
    %3 = arith.remsi %2, %c5 : i64
    id.yield %3 : i64
  }
  %z = id.gather %y lowest 1 : !s -> !s from {
    %1 = id.digit 1 : i64
    %c7 = arith.constant 7 : i64
    %c5 = arith.constant 5 : i64
    %2 = arith.muli %1, %c7 : i64
    %3 = arith.remsi %2, %c5 : i64
    id.yield %3 : i64
  }
  %u = id.gather %x lowest 1 : !s -> !s from {
    %1 = id.digit 1 : i64
    %c2 = arith.constant 2 : i64
    %c5 = arith.constant 5 : i64
    %2 = arith.muli %1, %c2 : i64
    %3 = arith.remsi %2, %c5 : i64
    id.yield %3 : i64
  }
  %v = id.scatter %u lowest 1 : !s -> !s to {
    %1 = id.digit 1 : i64
    %c2 = arith.constant 2 : i64
    %c5 = arith.constant 5 : i64
    %2 = arith.muli %1, %c2 : i64
    %3 = arith.remsi %2, %c5 : i64
    id.yield %3 : i64
  }
  return %z, %v : !s, !s
}

// Digit 1 goes to place 2, complemented, digit 2 to place 1.
// CHECK-LABEL: func.func @sent
// CHECK-NEXT: %[[Y:.*]] = id.permute %{{.*}} [3, -1, 2] : <2 * 3**2, f32> -> <2 * 3**2, f32>
// CHECK-NEXT: return %[[Y]]
func.func @sent(%x: !id.seq<2 * 3**2, f32>) -> !id.seq<2 * 3**2, f32> {
  %y = id.scatter %x lowest 2 : !id.seq<2 * 3**2, f32> -> !id.seq<2 * 3**2, f32> to {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %4 = arith.subi %c2, %1 : i64
    %5 = arith.muli %4, %c3 : i64
    %6 = arith.addi %5, %2 : i64
    id.yield %6 : i64
  }
  return %y : !id.seq<2 * 3**2, f32>
}

// -----

// Elements keep their numbers where digits are only cut otherwise, or a sequence is made shorter, before a gather; not where
// it is made longer.
// CHECK-LABEL: func.func @cut
// CHECK-NEXT: id.gather %{{.*}} lowest 3 : <2**3, f32> -> <5, f32> from {
// CHECK: id.resize %{{.*}} lowest 3 : <2**3, f32> -> <9, f32> else {
// CHECK: id.gather %{{.*}} lowest 1 : <9, f32> -> <5, f32> from {
func.func @cut(%x: !id.seq<2**3, f32>) -> (!id.seq<5, f32>, !id.seq<5, f32>) {
  %0 = id.resize %x lowest 3 : !id.seq<2**3, f32> -> !id.seq<7, f32>
  %y = id.gather %0 lowest 1 : !id.seq<7, f32> -> !id.seq<5, f32> from {
    %1 = id.digit 1 : i64
    %2 = arith.muli %1, %1 : i64
    %c7 = arith.constant 7 : i64
    %3 = arith.remsi %2, %c7 : i64
    id.yield %3 : i64
  }
  %4 = id.resize %x lowest 3 : !id.seq<2**3, f32> -> !id.seq<9, f32> else {
    %zero = arith.constant 0.0 : f32
    id.yield %zero : f32
  }
  %z = id.gather %4 lowest 1 : !id.seq<9, f32> -> !id.seq<5, f32> from {
    %1 = id.digit 1 : i64
    %2 = arith.muli %1, %1 : i64
    %c9 = arith.constant 9 : i64
    %3 = arith.remsi %2, %c9 : i64
    id.yield %3 : i64
  }
  return %y, %z : !id.seq<5, f32>, !id.seq<5, f32>
}

// -----

// Where what is sent has other digits then, it is sent into these.
// CHECK-LABEL: func.func @sent
// CHECK-NEXT: %[[Y:.*]] = id.scatter %{{.*}} lowest 2 : <5 * 3 * 2, f32> -> <5 * 2 * 3, f32> to {
// CHECK-NOT: id.resize
// CHECK: return %[[Y]]
func.func @sent(%x: !id.seq<5 * 3 * 2, f32>) -> !id.seq<5 * 2 * 3, f32> {
  %y = id.scatter %x lowest 2 : !id.seq<5 * 3 * 2, f32> -> !id.seq<5 * 6, f32> to {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %c3 = arith.constant 3 : i64
    %3 = arith.muli %1, %c3 : i64
    %4 = arith.addi %2, %3 : i64
    %5 = arith.muli %4, %4 : i64
    %c6 = arith.constant 6 : i64
    %6 = arith.remsi %5, %c6 : i64
    id.yield %6 : i64
  }
  %z = id.resize %y lowest 1 : !id.seq<5 * 6, f32> -> !id.seq<5 * 2 * 3, f32>
  return %z : !id.seq<5 * 2 * 3, f32>
}
