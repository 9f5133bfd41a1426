// RUN: idc-opt %s --id-reshape | FileCheck %s

// Arguments and results take other digits of the same number for themselves, through pointwise steps that name no digit.
// CHECK-LABEL: @both(%arg0: !id.seq<2 * 3 * 2, f32>) -> !id.seq<2 * 3 * 2, f32>
// CHECK-NOT: id.resize
// CHECK: id.pointwise(%arg0) : (!id.seq<2 * 3 * 2, f32>) -> !id.seq<2 * 3 * 2, f32>
// CHECK: id.node [2]
// CHECK-NOT: id.resize
// CHECK: return %{{.*}} : !id.seq<2 * 3 * 2, f32>
func.func @both(%x: !id.seq<2**2 * 3, f32>) -> !id.seq<2**2 * 3, f32> {
  %0 = id.pointwise(%x) : (!id.seq<2**2 * 3, f32>) -> !id.seq<2**2 * 3, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  %1 = id.resize %0 lowest 3 : <2**2 * 3, f32> -> <2 * 3 * 2, f32>
  %2 = id.node [2](%1) : (!id.seq<2 * 3 * 2, f32>) -> !id.seq<2 * 3 * 2, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %c, %b, %a : f32, f32, f32
  }
  %3 = id.resize %2 lowest 3 : <2 * 3 * 2, f32> -> <2**2 * 3, f32>
  %4 = id.pointwise(%3) : (!id.seq<2**2 * 3, f32>) -> !id.seq<2**2 * 3, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %4 : !id.seq<2**2 * 3, f32>
}

// A part of the digits is enough, and an argument that nothing sees in its own digits.
// CHECK-LABEL: @lowest(%arg0: !id.seq<5 * 3 * 2, i32>, %arg1: !id.seq<5 * 3 * 2, i32>)
// CHECK-NOT: id.resize
// CHECK: return
func.func @lowest(%x: !id.seq<5 * 2 * 3, i32>, %y: !id.seq<5 * 2 * 3, i32>) -> !id.seq<5 * 3 * 2, i32> {
  %0 = id.resize %x lowest 2 : <5 * 2 * 3, i32> -> <5 * 3 * 2, i32>
  %1 = id.resize %y lowest 2 : <5 * 2 * 3, i32> -> <5 * 3 * 2, i32>
  %2 = id.resize %y lowest 2 : <5 * 2 * 3, i32> -> <5 * 3 * 2, i32>
  %3 = id.pointwise(%0, %1, %2) : (!id.seq<5 * 3 * 2, i32>, !id.seq<5 * 3 * 2, i32>, !id.seq<5 * 3 * 2, i32>) -> !id.seq<5 * 3 * 2, i32> {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %t = id.digit 1 : i64
    %i = arith.trunci %t : i64 to i32
    %s = arith.addi %a, %b : i32
    %r = arith.muli %s, %c : i32
    %q = arith.addi %r, %i : i32
    id.yield %q : i32
  }
  return %3 : !id.seq<5 * 3 * 2, i32>
}

// What stays: other lengths, arguments that are used in their own digits, too, and arrays of several dimensions. Before a
// step that names digits elements are gathered.
// CHECK-LABEL: @longer(%arg0: !id.seq<2**2 * 3, f32>)
// CHECK: id.resize %arg0
func.func @longer(%x: !id.seq<2**2 * 3, f32>) -> !id.seq<2**4, f32> {
  %0 = id.resize %x lowest 3 : <2**2 * 3, f32> -> <2**4, f32> else {
    %c = arith.constant 0.0 : f32
    id.yield %c : f32
  }
  return %0 : !id.seq<2**4, f32>
}

// CHECK-LABEL: @used(%arg0: !id.seq<2 * 3, f32>)
// CHECK: id.resize %arg0
func.func @used(%x: !id.seq<2 * 3, f32>) -> (!id.seq<3 * 2, f32>, !id.seq<2 * 3, f32>) {
  %0 = id.resize %x lowest 2 : <2 * 3, f32> -> <3 * 2, f32>
  %1 = id.node [1](%0) : (!id.seq<3 * 2, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %2 = id.node [1](%x) : (!id.seq<2 * 3, f32>) -> !id.seq<2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %a, %c : f32, f32, f32
  }
  return %1, %2 : !id.seq<3 * 2, f32>, !id.seq<2 * 3, f32>
}

// CHECK-LABEL: @named
// CHECK: id.gather
// CHECK: id.pointwise
func.func @named(%x: !id.seq<2 * 3, f32>) -> !id.seq<3 * 2, f32> {
  %0 = id.node [1](%x) : (!id.seq<2 * 3, f32>) -> !id.seq<2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %a, %c : f32, f32, f32
  }
  %1 = id.resize %0 lowest 2 : <2 * 3, f32> -> <3 * 2, f32>
  %2 = id.pointwise(%1) : (!id.seq<3 * 2, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%a: f32):
    %t = id.digit 1 : i64
    %f = arith.sitofp %t : i64 to f32
    %s = arith.addf %a, %f : f32
    id.yield %s : f32
  }
  return %2 : !id.seq<3 * 2, f32>
}

// CHECK-LABEL: @strided
// CHECK: id.resize %arg0
func.func @strided(%x: !id.seq<2 * 3, f32> {id.layout = {batch = 8, offset = 0, sizes = array<i64: 3, 2>, strides = array<i64: 1, 4>}}) -> !id.seq<3 * 2, f32> {
  %0 = id.resize %x lowest 2 : <2 * 3, f32> -> <3 * 2, f32>
  %1 = id.node [1](%0) : (!id.seq<3 * 2, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !id.seq<3 * 2, f32>
}

// A dimension above the lowest: its digits come down, change, and go up again.
// CHECK-LABEL: @dimension(%arg0: !id.seq<3 * 2 * 5, f32>) -> !id.seq<3 * 2 * 5, f32>
// CHECK-NEXT: id.node [3](%arg0)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: id.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @dimension(%x: !id.seq<2 * 3 * 5, f32>) -> !id.seq<2 * 3 * 5, f32> {
  %0 = id.permute %x [1, 3, 2] : <2 * 3 * 5, f32> -> <5 * 2 * 3, f32>
  %1 = id.resize %0 lowest 2 : <5 * 2 * 3, f32> -> <5 * 3 * 2, f32>
  %2 = id.permute %1 [2, 1, 3] : <5 * 3 * 2, f32> -> <3 * 2 * 5, f32>
  %3 = id.node [3](%2) : (!id.seq<3 * 2 * 5, f32>) -> !id.seq<3 * 2 * 5, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %b, %c, %a : f32, f32, f32
  }
  %4 = id.permute %3 [1, 3, 2] : <3 * 2 * 5, f32> -> <5 * 3 * 2, f32>
  %5 = id.resize %4 lowest 2 : <5 * 3 * 2, f32> -> <5 * 2 * 3, f32>
  %6 = id.permute %5 [2, 1, 3] : <5 * 2 * 3, f32> -> <2 * 3 * 5, f32>
  return %6 : !id.seq<2 * 3 * 5, f32>
}

// Digits that a permutation puts together stay below it.
// CHECK-LABEL: @apart
// CHECK-NEXT: id.permute
// CHECK-NEXT: id.resize
// CHECK-NEXT: id.node
func.func @apart(%x: !id.seq<2 * 5 * 3, f32>) -> !id.seq<5 * 3 * 2, f32> {
  %0 = id.permute %x [2, 3, 1] : <2 * 5 * 3, f32> -> <5 * 2 * 3, f32>
  %1 = id.resize %0 lowest 2 : <5 * 2 * 3, f32> -> <5 * 3 * 2, f32>
  %2 = id.node [1](%1) : (!id.seq<5 * 3 * 2, f32>) -> !id.seq<5 * 3 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %2 : !id.seq<5 * 3 * 2, f32>
}

// Between two steps elements keep their numbers, by a gather; a step that names no digit lets it through to another one.
// CHECK-LABEL: func.func @between
// CHECK: id.pointwise
// CHECK: %[[Y:.*]] = id.gather %{{.*}} lowest 1 : <5 * 6, f32> -> <5 * 6, f32>
// CHECK: %[[Z:.*]] = id.gather %[[Y]] lowest 1 : <5 * 6, f32> -> <5 * 2 * 3, f32> from {
// CHECK: id.pointwise(%[[Z]])
// CHECK-NOT: id.resize
func.func @between(%x: !id.seq<5 * 6, f32>) -> !id.seq<5 * 2 * 3, f32> {
  %0 = id.pointwise(%x) : (!id.seq<5 * 6, f32>) -> !id.seq<5 * 6, f32> {
  ^bb0(%a: f32):
    %t = id.digit 1 : i64
    %s = arith.sitofp %t : i64 to f32
    %y = arith.addf %a, %s : f32
    id.yield %y : f32
  }
  %1 = id.gather %0 lowest 1 : <5 * 6, f32> -> <5 * 6, f32> from {
    %t = id.digit 1 : i64
    %c5 = arith.constant 5 : i64
    %u = arith.subi %c5, %t : i64
    id.yield %u : i64
  }
  %2 = id.pointwise(%1) : (!id.seq<5 * 6, f32>) -> !id.seq<5 * 6, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  %3 = id.resize %2 lowest 1 : <5 * 6, f32> -> <5 * 2 * 3, f32>
  %4 = id.node [1](%3) : (!id.seq<5 * 2 * 3, f32>) -> !id.seq<5 * 2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %c, %b, %a : f32, f32, f32
  }
  return %4 : !id.seq<5 * 2 * 3, f32>
}

// What a scatter stores, a scatter of each element to its own number stores with it; digits that are the same stay out of it.
// CHECK-LABEL: func.func @stored
// CHECK: %[[Y:.*]] = id.node
// CHECK: %[[Z:.*]] = id.scatter %[[Y]] lowest 1 : <5 * 6, f32> -> <5 * 3 * 2, f32> to {
// CHECK: id.scatter %[[Z]] lowest 2
// CHECK-NOT: id.resize
func.func @stored(%x: !id.seq<5 * 6, f32>) -> !id.seq<5 * 3 * 2, f32> {
  %0 = id.node [2](%x) : (!id.seq<5 * 6, f32>) -> !id.seq<5 * 6, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32):
    id.yield %b, %a, %c, %d, %e : f32, f32, f32, f32, f32
  }
  %1 = id.resize %0 lowest 2 : <5 * 6, f32> -> <5 * 3 * 2, f32>
  %2 = id.scatter %1 lowest 2 : <5 * 3 * 2, f32> -> <5 * 3 * 2, f32> to {
    %low = id.digit 1 : i64
    %high = id.digit 2 : i64
    %c5 = arith.constant 5 : i64
    %c2 = arith.constant 2 : i64
    %h = arith.muli %high, %c2 : i64
    %k = arith.addi %h, %low : i64
    %back = arith.subi %c5, %k : i64
    id.yield %back : i64
  }
  return %2 : !id.seq<5 * 3 * 2, f32>
}

// What a crop leaves of what others take as well is gathered; a crop that is all that is taken stays.
// CHECK-LABEL: func.func @shared
// CHECK: %[[X:.*]] = id.node [3](%arg0)
// CHECK: id.gather %[[X]]
// CHECK: %[[C:.*]] = id.gather %[[X]] lowest 3 : <2**3, i32> -> <7, i32> from {
// CHECK-NEXT: id.digit 1
// CHECK: id.pointwise(%{{.*}}, %[[C]])
// CHECK: %[[Y:.*]] = id.node [3](%arg1)
// CHECK: id.resize %[[Y]] lowest 3 : <2**3, i32> -> <7, i32>
func.func @shared(%x: !id.seq<2**3, i32>, %y: !id.seq<2**3, i32>) -> (!id.seq<7, i32>, !id.seq<7, i32>) {
  %0 = id.node [3](%x) : (!id.seq<2**3, i32>) -> !id.seq<2**3, i32> {
  ^bb0(%a: i32, %b: i32):
    id.yield %b, %a : i32, i32
  }
  %1 = id.gather %0 lowest 3 : <2**3, i32> -> <7, i32> from {
    %t = id.digit 1 : i64
    id.yield %t : i64
  }
  %2 = id.resize %0 lowest 3 : <2**3, i32> -> <7, i32>
  %3 = id.pointwise(%1, %2) : (!id.seq<7, i32>, !id.seq<7, i32>) -> !id.seq<7, i32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    id.yield %s : i32
  }
  %4 = id.node [3](%y) : (!id.seq<2**3, i32>) -> !id.seq<2**3, i32> {
  ^bb0(%a: i32, %b: i32):
    id.yield %b, %a : i32, i32
  }
  %5 = id.resize %4 lowest 3 : <2**3, i32> -> <7, i32>
  %6 = id.pointwise(%5, %3) : (!id.seq<7, i32>, !id.seq<7, i32>) -> !id.seq<7, i32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    id.yield %s : i32
  }
  return %3, %6 : !id.seq<7, i32>, !id.seq<7, i32>
}

// Digits of both that are alike are others of the crop: it has the lower numbers of all.
// CHECK-LABEL: func.func @half
// CHECK: %[[X:.*]] = id.node [3](%arg0)
// CHECK: %[[C:.*]] = id.gather %[[X]] lowest 3 : <2**3, i32> -> <2**2, i32> from {
// CHECK-DAG: id.digit 1
// CHECK-DAG: id.digit 2
// CHECK: id.pointwise(%[[C]], %{{.*}})
func.func @half(%x: !id.seq<2**3, i32>) -> !id.seq<2**2, i32> {
  %0 = id.node [3](%x) : (!id.seq<2**3, i32>) -> !id.seq<2**3, i32> {
  ^bb0(%a: i32, %b: i32):
    id.yield %b, %a : i32, i32
  }
  %1 = id.resize %0 lowest 3 : <2**3, i32> -> <2**2, i32>
  %2 = id.gather %0 lowest 3 : <2**3, i32> -> <2**2, i32> from {
    %t = id.digit 2 : i64
    id.yield %t : i64
  }
  %3 = id.pointwise(%1, %2) : (!id.seq<2**2, i32>, !id.seq<2**2, i32>) -> !id.seq<2**2, i32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    id.yield %s : i32
  }
  return %3 : !id.seq<2**2, i32>
}

// A step that has moved from between two reshapes leaves one behind, which is a gather, or none.
// CHECK-LABEL: @stepBetween
// CHECK: %[[A:.*]] = id.node [1](%arg0)
// CHECK: %[[B:.*]] = id.pointwise(%[[A]])
// CHECK: id.gather %[[B]] lowest 3
// CHECK: id.node [1]
// CHECK-NOT: id.resize
// CHECK: return
func.func @stepBetween(%x: !id.seq<2**2 * 3, f32>) -> !id.seq<3 * 2**2, f32> {
  %0 = id.node [1](%x) : (!id.seq<2**2 * 3, f32>) -> !id.seq<2**2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %c, %b, %a : f32, f32, f32
  }
  %1 = id.resize %0 lowest 3 : <2**2 * 3, f32> -> <2 * 3 * 2, f32>
  %2 = id.pointwise(%1) : (!id.seq<2 * 3 * 2, f32>) -> !id.seq<2 * 3 * 2, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  %3 = id.resize %2 lowest 3 : <2 * 3 * 2, f32> -> <3 * 2**2, f32>
  %4 = id.node [1](%3) : (!id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %4 : !id.seq<3 * 2**2, f32>
}

// What depends on a digit through the number of an element alone is told that number by other digits: linear and
// quadratic exponents, too.
// CHECK-LABEL: @byNumber
// CHECK: %[[A:.*]] = id.node [1](%arg0)
// CHECK: %[[B:.*]] = id.pointwise(%[[A]]) : (!id.seq<2**2 * 3, complex<f32>>)
// CHECK-DAG: arith.constant 6 : i64
// CHECK: id.digit 1
// CHECK: id.digit 2
// CHECK: id.digit 3
// CHECK: arith.addi
// CHECK: %[[K:.*]] = arith.addi
// CHECK: %[[M:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK: arith.addi %[[M]]
// CHECK: id.omega(24, 6*t3 + 15*t2 + 4*t1*t1 + t1)
// CHECK: id.gather %[[B]] lowest 3
// CHECK: id.node [1]
// CHECK-NOT: id.resize
// CHECK: return
func.func @byNumber(%x: !id.seq<2**2 * 3, complex<f32>>) -> !id.seq<3 * 2**2, complex<f32>> {
  %0 = id.node [1](%x) : (!id.seq<2**2 * 3, complex<f32>>) -> !id.seq<2**2 * 3, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    id.yield %c, %b, %a : complex<f32>, complex<f32>, complex<f32>
  }
  %1 = id.resize %0 lowest 3 : <2**2 * 3, complex<f32>> -> <3 * 2**2, complex<f32>>
  %2 = id.pointwise(%1) : (!id.seq<3 * 2**2, complex<f32>>) -> !id.seq<3 * 2**2, complex<f32>> {
  ^bb0(%a: complex<f32>):
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %four = arith.constant 4 : i64
    %seven = arith.constant 7 : i64
    %zero = arith.constant 0.0 : f32
    %t1 = id.digit 1 : i64
    %t2 = id.digit 2 : i64
    %t3 = id.digit 3 : i64
    %u = arith.muli %t2, %two : i64
    %v = arith.muli %t3, %four : i64
    %s = arith.addi %t1, %u : i64
    %k = arith.addi %s, %v : i64
    %m = arith.muli %k, %seven : i64
    %n = arith.addi %m, %three : i64
    %f = arith.sitofp %n : i64 to f32
    %c = complex.create %f, %zero : complex<f32>
    %w = id.omega(24, 4*t1*t1 + t1 + 18*t2 + 16*t3*t3 + 4*t3 + 16*t1*t2 + 8*t1*t3 + 16*t2*t3) : complex<f32>
    %p = complex.mul %a, %w : complex<f32>
    %q = complex.add %p, %c : complex<f32>
    id.yield %q : complex<f32>
  }
  %3 = id.node [1](%2) : (!id.seq<3 * 2**2, complex<f32>>) -> !id.seq<3 * 2**2, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  return %3 : !id.seq<3 * 2**2, complex<f32>>
}

// One that names a digit stays between its reshapes.
// CHECK-LABEL: @byDigit
// CHECK: id.node [1](%arg0)
// CHECK: id.gather
// CHECK: id.pointwise
// CHECK: id.digit 2
// CHECK: id.node
func.func @byDigit(%x: !id.seq<2**2 * 3, f32>) -> !id.seq<3 * 2**2, f32> {
  %0 = id.node [1](%x) : (!id.seq<2**2 * 3, f32>) -> !id.seq<2**2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %c, %b, %a : f32, f32, f32
  }
  %1 = id.resize %0 lowest 3 : <2**2 * 3, f32> -> <3 * 2**2, f32>
  %2 = id.pointwise(%1) : (!id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: f32):
    %t = id.digit 2 : i64
    %f = arith.sitofp %t : i64 to f32
    %n = arith.mulf %a, %f : f32
    id.yield %n : f32
  }
  %3 = id.node [1](%2) : (!id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %3 : !id.seq<3 * 2**2, f32>
}

// An argument that only the step takes has its digits then.
// CHECK-LABEL: @besideArgument
// CHECK-SAME: %arg1: !id.seq<2**2 * 3, f32>
// CHECK: %[[A:.*]] = id.node [1](%arg0)
// CHECK: id.pointwise(%[[A]], %arg1)
// CHECK: id.gather
// CHECK: id.node [1]
func.func @besideArgument(%x: !id.seq<2**2 * 3, f32>, %h: !id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  %0 = id.node [1](%x) : (!id.seq<2**2 * 3, f32>) -> !id.seq<2**2 * 3, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    id.yield %c, %b, %a : f32, f32, f32
  }
  %1 = id.resize %0 lowest 3 : <2**2 * 3, f32> -> <3 * 2**2, f32>
  %2 = id.pointwise(%1, %h) : (!id.seq<3 * 2**2, f32>, !id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    %n = arith.mulf %a, %b : f32
    id.yield %n : f32
  }
  %3 = id.node [1](%2) : (!id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %3 : !id.seq<3 * 2**2, f32>
}
