// What is done to each element alone comes before a crop at the end, and behind a gather at the beginning.
// RUN: idc-opt --id-move-pointwise --split-input-file %s | FileCheck %s

!s = !id.seq<2**3, f32>

// CHECK-LABEL: func.func @crop(
// CHECK: %[[X:.*]] = id.node [3]
// CHECK: %[[F:.*]]:2 = id.pointwise(%[[X]]) : (!id.seq<2**3, f32>) -> (!id.seq<2**3, f16>, !id.seq<2**3, f32>)
// CHECK: %[[P:.*]] = id.resize %[[F]]#0 lowest 3 : <2**3, f16> -> <2 * 3, f16>
// CHECK: %[[Q:.*]] = id.permute %[[P]] [1, 2] : <2 * 3, f16> -> <3 * 2, f16>
// CHECK: %[[R:.*]] = id.resize %[[F]]#1
// CHECK: return %[[Q]]
func.func @crop(%x: !s) -> (!id.seq<3 * 2, f16>, !id.seq<3 * 2, f32>) {
  %0 = id.node [3](%x) : (!s) -> !s {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.resize %0 lowest 3 : <2**3, f32> -> <2 * 3, f32>
  %2 = id.permute %1 [1, 2] : <2 * 3, f32> -> <3 * 2, f32>
  %3:2 = id.pointwise(%2) : (!id.seq<3 * 2, f32>) -> (!id.seq<3 * 2, f16>, !id.seq<3 * 2, f32>) {
  ^bb0(%a: f32):
    %4 = arith.truncf %a : f32 to f16
    id.yield %4, %a : f16, f32
  }
  return %3#0, %3#1 : !id.seq<3 * 2, f16>, !id.seq<3 * 2, f32>
}

// -----

// Not where so much is left out that the body would work more than a trip to memory is worth …
// CHECK-LABEL: func.func @most(
// CHECK: id.resize {{.*}} -> <3, f32>
// CHECK-NEXT: id.pointwise
func.func @most(%x: !id.seq<2**9, f32>) -> !id.seq<3, f32> {
  %0 = id.node [9](%x) : (!id.seq<2**9, f32>) -> !id.seq<2**9, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.resize %0 lowest 9 : <2**9, f32> -> <3, f32>
  %2 = id.pointwise(%1) : (!id.seq<3, f32>) -> !id.seq<3, f32> {
  ^bb0(%a: f32):
    %8 = arith.addf %a, %a : f32
    id.yield %8 : f32
  }
  return %2 : !id.seq<3, f32>
}

// -----

// … where the value is acted on next; a body that knows where it is is told.
!s = !id.seq<2**3, f32>
!c = !id.seq<5, f32>

// CHECK-LABEL: func.func @stays(
// CHECK: %[[C:.*]] = id.pointwise(%{{.*}}) : (!id.seq<2**3, f32>)
// CHECK: id.digit 1
// CHECK: id.resize %[[C]] {{.*}} -> <5, f32>
// CHECK: %[[D:.*]] = id.resize {{.*}} -> <5, f32>
// CHECK-NEXT: %[[E:.*]] = id.pointwise(%[[D]])
// CHECK: id.node [1](%[[E]])
func.func @stays(%x: !s) -> (!c, !c) {
  %0 = id.node [3](%x) : (!s) -> !s {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %3 = id.resize %0 lowest 3 : <2**3, f32> -> <5, f32>
  %4 = id.pointwise(%3) : (!c) -> !c {
  ^bb0(%a: f32):
    %8 = id.digit 1 : i64
    %9 = arith.sitofp %8 : i64 to f32
    id.yield %9 : f32
  }
  %5 = id.resize %0 lowest 3 : <2**3, f32> -> <5, f32>
  %6 = id.pointwise(%5) : (!c) -> !c {
  ^bb0(%a: f32):
    %8 = arith.addf %a, %a : f32
    id.yield %8 : f32
  }
  %7 = id.node [1](%6) : (!c) -> !c {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32):
    id.yield %b, %a, %c, %d, %e : f32, f32, f32, f32, f32
  }
  return %4, %7 : !c, !c
}

// -----

// CHECK-LABEL: func.func @gather(%arg0: !id.seq<2**3, i8>)
// CHECK: %[[G:.*]] = id.gather %arg0 lowest 3 : <2**3, i8> -> <2**5, i8>
// CHECK: %[[F:.*]] = id.pointwise(%[[G]]) : (!id.seq<2**5, i8>) -> !id.seq<2**5, i16>
// CHECK: %[[H:.*]] = id.pointwise(%[[F]]) : (!id.seq<2**5, i16>) -> !id.seq<2**5, i16>
// CHECK: id.node [5](%[[H]])
func.func @gather(%x: !id.seq<2**3, i8>) -> !id.seq<2**5, i16> {
  %0 = id.pointwise(%x) : (!id.seq<2**3, i8>) -> !id.seq<2**3, i16> {
  ^bb0(%a: i8):
    %4 = arith.extsi %a : i8 to i16
    id.yield %4 : i16
  }
  %1 = id.pointwise(%0) : (!id.seq<2**3, i16>) -> !id.seq<2**3, i16> {
  ^bb0(%a: i16):
    %4 = arith.addi %a, %a : i16
    id.yield %4 : i16
  }
  %2 = id.gather %1 lowest 3 : <2**3, i16> -> <2**5, i16> from {
    %4 = id.digit 1 : i64
    id.yield %4 : i64
  }
  %3 = id.node [5](%2) : (!id.seq<2**5, i16>) -> !id.seq<2**5, i16> {
  ^bb0(%a: i16, %b: i16):
    id.yield %b, %a : i16, i16
  }
  return %3 : !id.seq<2**5, i16>
}

// -----

// What undoes a gather behind a step on each element alone takes it away; other numbers do not.
// CHECK-LABEL: func.func @undone(%arg0: !id.seq<2**3, i8>)
// CHECK-NEXT: %[[F:.*]] = id.pointwise(%arg0) : (!id.seq<2**3, i8>) -> !id.seq<2**3, i16>
// CHECK-NOT: id.gather
// CHECK-NOT: id.scatter
// CHECK: id.node [3](%[[F]])
// CHECK: id.scatter
// CHECK: id.pointwise
// CHECK: id.gather
func.func @undone(%x: !id.seq<2**3, i8>) -> !id.seq<2**3, i16> {
  %0 = id.gather %x lowest 3 : <2**3, i8> -> <2**3, i8> from {
    %6 = id.digit 1 : i64
    %7 = id.digit 2 : i64
    %8 = id.digit 3 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %9 = arith.xori %6, %7 : i64
    %10 = arith.muli %7, %c2 : i64
    %11 = arith.muli %8, %c4 : i64
    %12 = arith.addi %9, %10 : i64
    %13 = arith.addi %12, %11 : i64
    id.yield %13 : i64
  }
  %1 = id.pointwise(%0) : (!id.seq<2**3, i8>) -> !id.seq<2**3, i16> {
  ^bb0(%a: i8):
    %6 = arith.extsi %a : i8 to i16
    id.yield %6 : i16
  }
  %2 = id.scatter %1 lowest 3 : <2**3, i16> -> <2**3, i16> to {
    %6 = id.digit 1 : i64
    %7 = id.digit 2 : i64
    %8 = id.digit 3 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %9 = arith.xori %6, %7 : i64
    %10 = arith.muli %7, %c2 : i64
    %11 = arith.muli %8, %c4 : i64
    %12 = arith.addi %9, %10 : i64
    %13 = arith.addi %12, %11 : i64
    id.yield %13 : i64
  }
  %3 = id.node [3](%2) : (!id.seq<2**3, i16>) -> !id.seq<2**3, i16> {
  ^bb0(%a: i16, %b: i16):
    %c = arith.addi %a, %b : i16
    id.yield %c, %a : i16, i16
  }
  %4 = id.scatter %3 lowest 2 : <2**3, i16> -> <2**3, i16> to {
    %6 = id.digit 1 : i64
    %7 = id.digit 2 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %8 = arith.muli %7, %c2 : i64
    %9 = arith.addi %6, %8 : i64
    %10 = arith.xori %9, %c1 : i64
    id.yield %10 : i64
  }
  %5 = id.pointwise(%4) : (!id.seq<2**3, i16>) -> !id.seq<2**3, i16> {
  ^bb0(%a: i16):
    %6 = arith.addi %a, %a : i16
    id.yield %6 : i16
  }
  %10 = id.gather %5 lowest 2 : <2**3, i16> -> <2**3, i16> from {
    %6 = id.digit 1 : i64
    %7 = id.digit 2 : i64
    %c2 = arith.constant 2 : i64
    %8 = arith.muli %7, %c2 : i64
    %9 = arith.addi %6, %8 : i64
    %11 = arith.xori %9, %c2 : i64
    id.yield %11 : i64
  }
  return %10 : !id.seq<2**3, i16>
}

// -----

// A gather of more than a block holds passes a step on two operands that knows the element's number: that of the element
// that is taken.
// CHECK-LABEL: func.func @several
// CHECK: %[[A:.*]] = id.gather %arg0
// CHECK: %[[B:.*]] = id.gather %arg1
// CHECK: %[[R:.*]] = id.pointwise(%[[A]], %[[B]])
// CHECK: %[[D:.*]] = id.digit 1
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[D]], %{{.*}} : i64
// CHECK: %[[K:.*]] = arith.select %[[LESS]]
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[K]]
// CHECK: arith.select %[[BELOW]]
// CHECK: return %[[R]]
func.func @several(%x: !id.seq<40000, f32>, %y: !id.seq<40000, f32>) -> !id.seq<40001, f32> {
  %0 = id.pointwise(%x, %y) : (!id.seq<40000, f32>, !id.seq<40000, f32>) -> !id.seq<40000, f32> {
  ^bb0(%a: f32, %b: f32):
    %d = id.digit 1 : i64
    %c = arith.constant 100 : i64
    %l = arith.cmpi slt, %d, %c : i64
    %v = arith.select %l, %a, %b : f32
    id.yield %v : f32
  }
  %1 = id.gather %0 lowest 1 : <40000, f32> -> <40001, f32> from {
    %d = id.digit 1 : i64
    %c = arith.constant 39999 : i64
    %l = arith.cmpi slt, %d, %c : i64
    %k = arith.select %l, %d, %c : i64
    id.yield %k : i64
  }
  return %1 : !id.seq<40001, f32>
}

// -----

// Behind a pad to other digits, with zeros that the step keeps.
// CHECK-LABEL: func.func @padded
// CHECK: %[[PAD:.*]] = id.resize %arg0 lowest 1 : <5, f32> -> <2**3, f32> else
// CHECK: %[[C:.*]] = id.pointwise(%[[PAD]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
// CHECK: %[[Z:.*]] = complex.create %[[A]]
// CHECK-NEXT: id.yield %[[Z]]
// CHECK: id.node [3](%[[C]])
func.func @padded(%x: !id.seq<5, f32>) -> !id.seq<2**3, complex<f32>> {
  %0 = id.pointwise(%x) : (!id.seq<5, f32>) -> !id.seq<5, complex<f32>> {
  ^bb0(%a: f32):
    %i = arith.constant 0.0 : f32
    %z = complex.create %a, %i : complex<f32>
    id.yield %z : complex<f32>
  }
  %1 = id.resize %0 lowest 1 : <5, complex<f32>> -> <2**3, complex<f32>> else {
    %c = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
    id.yield %c : complex<f32>
  }
  %2 = id.node [3](%1) : (!id.seq<2**3, complex<f32>>) -> !id.seq<2**3, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  return %2 : !id.seq<2**3, complex<f32>>
}

// -----

// With a value that the step does not make of zeros, and a step that knows the element's number: it is chosen.
// CHECK-LABEL: func.func @filled
// CHECK: %[[PAD:.*]] = id.resize %arg0 lowest 1 : <5, i32> -> <2**3, i32> else
// CHECK: id.pointwise(%[[PAD]])
// CHECK: %[[OWN:.*]] = arith.cmpi ult
// CHECK: %[[V:.*]] = arith.select %[[OWN]]
// CHECK-NEXT: id.yield %[[V]]
func.func @filled(%x: !id.seq<5, i32>) -> !id.seq<2**3, i32> {
  %0 = id.pointwise(%x) : (!id.seq<5, i32>) -> !id.seq<5, i32> {
  ^bb0(%a: i32):
    %d = id.digit 1 : i64
    %t = arith.trunci %d : i64 to i32
    %s = arith.addi %a, %t : i32
    id.yield %s : i32
  }
  %1 = id.resize %0 lowest 1 : <5, i32> -> <2**3, i32> else {
    %c = arith.constant -1 : i32
    id.yield %c : i32
  }
  %2 = id.node [3](%1) : (!id.seq<2**3, i32>) -> !id.seq<2**3, i32> {
  ^bb0(%a: i32, %b: i32):
    id.yield %b, %a : i32, i32
  }
  return %2 : !id.seq<2**3, i32>
}

// -----

// Not to digits that are those there were and more, where zeros are left out of what is computed.
// CHECK-LABEL: func.func @doubled
// CHECK: %[[P:.*]] = id.pointwise(%arg0)
// CHECK: id.resize %[[P]]
func.func @doubled(%x: !id.seq<2**2, i32>) -> !id.seq<2**3, i32> {
  %0 = id.pointwise(%x) : (!id.seq<2**2, i32>) -> !id.seq<2**2, i32> {
  ^bb0(%a: i32):
    %s = arith.addi %a, %a : i32
    id.yield %s : i32
  }
  %1 = id.resize %0 lowest 2 : <2**2, i32> -> <2**3, i32> else {
    %c = arith.constant 0 : i32
    id.yield %c : i32
  }
  %2 = id.node [3](%1) : (!id.seq<2**3, i32>) -> !id.seq<2**3, i32> {
  ^bb0(%a: i32, %b: i32):
    id.yield %b, %a : i32, i32
  }
  return %2 : !id.seq<2**3, i32>
}

// -----

// Before a crop a step that knows the element's number counts the digits there.
// CHECK-LABEL: func.func @numbered
// CHECK: %[[N:.*]] = id.node
// CHECK: %[[P:.*]] = id.pointwise(%[[N]])
// CHECK: id.digit 3
// CHECK: %[[C:.*]] = id.resize %[[P]] lowest 3 : <2**3, i32> -> <5, i32>
// CHECK: return %[[C]]
func.func @numbered(%x: !id.seq<2**3, i32>) -> !id.seq<5, i32> {
  %0 = id.node [3](%x) : (!id.seq<2**3, i32>) -> !id.seq<2**3, i32> {
  ^bb0(%a: i32, %b: i32):
    id.yield %b, %a : i32, i32
  }
  %1 = id.resize %0 lowest 3 : <2**3, i32> -> <5, i32>
  %2 = id.pointwise(%1) : (!id.seq<5, i32>) -> !id.seq<5, i32> {
  ^bb0(%a: i32):
    %d = id.digit 1 : i64
    %t = arith.trunci %d : i64 to i32
    %s = arith.addi %a, %t : i32
    id.yield %s : i32
  }
  return %2 : !id.seq<5, i32>
}

// -----

// Of more than a block holds a step whose results others take, too, is done again for each who takes one …
// CHECK-LABEL: func.func @shared
// CHECK: %[[BOTH:.*]]:2 = id.pointwise(%arg0)
// CHECK: arith.mulf
// CHECK: %[[G:.*]] = id.gather %arg0
// CHECK: %[[TWICE:.*]] = id.pointwise(%[[G]])
// CHECK: arith.addf
// CHECK-NOT: arith.mulf
// CHECK: id.pointwise(%[[BOTH]]#0, %[[BOTH]]#1, %[[TWICE]])
!m = !id.seq<40000, f32>
func.func @shared(%x: !m) -> !m {
  %0:2 = id.pointwise(%x) : (!m) -> (!m, !m) {
  ^bb0(%a: f32):
    %3 = arith.addf %a, %a : f32
    %4 = arith.mulf %a, %a : f32
    id.yield %3, %4 : f32, f32
  }
  %1 = id.gather %0#0 lowest 1 : <40000, f32> -> <40000, f32> from {
    %c39999 = arith.constant 39999 : i64
    %3 = id.digit 1 : i64
    %4 = arith.subi %c39999, %3 : i64
    id.yield %4 : i64
  }
  %2 = id.pointwise(%0#0, %0#1, %1) : (!m, !m, !m) -> !m {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %3 = arith.addf %a, %b : f32
    %4 = arith.addf %3, %c : f32
    id.yield %4 : f32
  }
  return %2 : !m
}

// -----

// … but not of fewer.
// CHECK-LABEL: func.func @few
// CHECK: %[[F:.*]] = id.pointwise(%arg0)
// CHECK: id.gather %[[F]]
!m = !id.seq<4000, f32>
func.func @few(%x: !m) -> (!m, !m) {
  %0 = id.pointwise(%x) : (!m) -> !m {
  ^bb0(%a: f32):
    %3 = arith.addf %a, %a : f32
    id.yield %3 : f32
  }
  %1 = id.gather %0 lowest 1 : <4000, f32> -> <4000, f32> from {
    %c3999 = arith.constant 3999 : i64
    %3 = id.digit 1 : i64
    %4 = arith.subi %c3999, %3 : i64
    id.yield %4 : i64
  }
  return %0, %1 : !m, !m
}

// -----

// A gather of more than a block holds passes a node that puts in a digit: element e is number e mod 2 of what the node
// makes of elements e / 2.
// CHECK-LABEL: func.func @put_in
// CHECK: %[[A:.*]] = id.gather %arg0 lowest 1 : <40000, f32> -> <40000 * 2, f32>
// CHECK: %[[ABOVE:.*]] = arith.divsi
// CHECK: %[[LOW:.*]] = arith.remsi
// CHECK: %[[PLACED:.*]] = arith.muli %[[ABOVE]]
// CHECK: arith.addi %[[PLACED]], %[[LOW]]
// CHECK: %[[B:.*]] = id.gather %arg1 lowest 1
// CHECK: %[[R:.*]] = id.pointwise(%[[A]], %[[B]])
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK: %[[ODD:.*]] = arith.cmpi eq
// CHECK: arith.select %[[ODD]], %[[X]], %[[SUM]]
// CHECK: return %[[R]]
!m = !id.seq<40000, f32>
!t = !id.seq<40000 * 2, f32>
func.func @put_in(%x: !m, %y: !m) -> !t {
  %0 = id.node [1](%x, %y) : (!m, !m) -> !t {
  ^bb0(%a: f32, %b: f32):
    %3 = arith.addf %a, %b : f32
    id.yield %3, %a : f32, f32
  }
  %1 = id.gather %0 lowest 2 : <40000 * 2, f32> -> <40000 * 2, f32> from {
    %c79999 = arith.constant 79999 : i64
    %c2 = arith.constant 2 : i64
    %3 = id.digit 1 : i64
    %4 = id.digit 2 : i64
    %5 = arith.muli %4, %c2 : i64
    %6 = arith.addi %5, %3 : i64
    %7 = arith.subi %c79999, %6 : i64
    id.yield %7 : i64
  }
  return %1 : !t
}

// -----

// Behind a pad every step at the beginning comes, of several the last first.
// CHECK-LABEL: func.func @padded_twice
// CHECK: %[[X:.*]] = id.resize %arg0
// CHECK: %[[Y:.*]] = id.resize %arg1
// CHECK: %[[P:.*]] = id.pointwise(%[[X]], %[[Y]])
// CHECK: id.pointwise(%[[P]])
!m = !id.seq<40000, f32>
!p = !id.seq<2**16, f32>
func.func @padded_twice(%x: !m, %y: !m) -> !p {
  %0 = id.pointwise(%x, %y) : (!m, !m) -> !m {
  ^bb0(%a: f32, %b: f32):
    %3 = arith.mulf %a, %b : f32
    id.yield %3 : f32
  }
  %1 = id.pointwise(%0) : (!m) -> !m {
  ^bb0(%a: f32):
    %3 = arith.addf %a, %a : f32
    id.yield %3 : f32
  }
  %2 = id.resize %1 lowest 1 : <40000, f32> -> <2**16, f32> else {
    %z = arith.constant 0.0 : f32
    id.yield %z : f32
  }
  return %2 : !p
}
