// Digits that lanes cannot hold and no node acts on become longer ones.
// RUN: idc-opt %s --id-pad-digits --split-input-file | FileCheck %s
// RUN: idc-opt %s --id-pad-digits=target=cpu --split-input-file | FileCheck %s --check-prefix=CPU
// CPU-NOT: id.padded_digit

// Columns: more behind the argument, left out before the result.
// CHECK-LABEL: func.func @columns(%arg0: !id.seq<8**2 * 1009, f32>) -> !id.seq<8**2 * 1009, f32>
// CHECK-NEXT: %[[X:.*]] = id.resize %arg0 lowest 1 {id.padded_digit} : <8**2 * 1009, f32> -> <8**2 * 1024, f32> else {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: id.yield %[[ZERO]] : f32
// CHECK: id.node [3](%[[X]]) : (!id.seq<8**2 * 1024, f32>) -> !id.seq<8**2 * 1024, f32>
// CHECK: %[[Y:.*]] = id.node [2]
// CHECK: %[[R:.*]] = id.resize %[[Y]] lowest 1 {id.padded_digit} : <8**2 * 1024, f32> -> <8**2 * 1009, f32>
// CHECK-NEXT: return %[[R]] : !id.seq<8**2 * 1009, f32>
func.func @columns(%x: !id.seq<8**2 * 1009, f32>) -> !id.seq<8**2 * 1009, f32> {
  %0 = id.node [3] (%x) : (!id.seq<8**2 * 1009, f32>) -> !id.seq<8**2 * 1009, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [2] (%0) : (!id.seq<8**2 * 1009, f32>) -> !id.seq<8**2 * 1009, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %1 : !id.seq<8**2 * 1009, f32>
}

// -----

// The digit runs through permutations, repetitions and pointwise steps, and is another one in other arguments and results:
// there it is moved down while its values are counted. 40 is the next multiple of 8. An argument that is only moved
// stays as it is.
// CHECK-LABEL: func.func @followed
// CHECK-DAG: %[[X:.*]] = id.resize %arg0 lowest 1 {id.padded_digit} : <8**2 * 37, complex<f32>> -> <8**2 * 40, complex<f32>> else {
// CHECK-DAG: complex.constant [0.000000e+00 : f32, 0.000000e+00 : f32]
// CHECK-DAG: %[[DOWN:.*]] = id.permute %arg1 [1, 2] : <37 * 2, complex<f32>> -> <2 * 37, complex<f32>>
// CHECK-DAG: %[[LONGER:.*]] = id.resize %[[DOWN]] lowest 1 {id.padded_digit} : <2 * 37, complex<f32>> -> <2 * 40, complex<f32>> else {
// CHECK-DAG: %[[W:.*]] = id.permute %[[LONGER]] [1, 2] : <2 * 40, complex<f32>> -> <40 * 2, complex<f32>>
// CHECK: id.node [3](%[[X]])
// CHECK: %[[Y:.*]] = id.node [2]
// CHECK: %[[SUM:.*]] = id.node [1](%[[W]]) : (!id.seq<40 * 2, complex<f32>>) -> !id.seq<40, complex<f32>>
// CHECK: %[[SUMS:.*]] = id.repeat %[[SUM]] : <40, complex<f32>> -> <8**2 * 40, complex<f32>>
// CHECK: %[[P:.*]] = id.pointwise(%[[Y]], %[[SUMS]])
// CHECK: %[[T:.*]] = id.permute %[[P]] [1, 3, 2] : <8**2 * 40, complex<f32>> -> <40 * 8**2, complex<f32>>
// CHECK: %[[MOVED:.*]] = id.permute %arg0 [1, 3, 2] : <8**2 * 37, complex<f32>> -> <37 * 8**2, complex<f32>>
// CHECK: %[[DOWN:.*]] = id.permute %[[T]] [2, 1, 3] : <40 * 8**2, complex<f32>> -> <8**2 * 40, complex<f32>>
// CHECK: %[[SHORTER:.*]] = id.resize %[[DOWN]] lowest 1 {id.padded_digit} : <8**2 * 40, complex<f32>> -> <8**2 * 37, complex<f32>>
// CHECK: %[[R:.*]] = id.permute %[[SHORTER]] [1, 3, 2] : <8**2 * 37, complex<f32>> -> <37 * 8**2, complex<f32>>
// CHECK: return %[[R]], %arg1, %[[MOVED]]
func.func @followed(%x: !id.seq<8**2 * 37, complex<f32>>, %w: !id.seq<37 * 2, complex<f32>>)
    -> (!id.seq<37 * 8**2, complex<f32>>, !id.seq<37 * 2, complex<f32>>, !id.seq<37 * 8**2, complex<f32>>) {
  %0 = id.node [3] (%x) : (!id.seq<8**2 * 37, complex<f32>>) -> !id.seq<8**2 * 37, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>, %d: complex<f32>, %e: complex<f32>, %f: complex<f32>, %g: complex<f32>, %h: complex<f32>):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>
  }
  %1 = id.node [2] (%0) : (!id.seq<8**2 * 37, complex<f32>>) -> !id.seq<8**2 * 37, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>, %d: complex<f32>, %e: complex<f32>, %f: complex<f32>, %g: complex<f32>, %h: complex<f32>):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>
  }
  %2 = id.node [1] (%w) : (!id.seq<37 * 2, complex<f32>>) -> !id.seq<37, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %c = complex.add %a, %b : complex<f32>
    id.yield %c : complex<f32>
  }
  %3 = id.repeat %2 : <37, complex<f32>> -> <8**2 * 37, complex<f32>>
  %4 = id.pointwise (%1, %3) : (!id.seq<8**2 * 37, complex<f32>>, !id.seq<8**2 * 37, complex<f32>>) -> !id.seq<8**2 * 37, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %c = complex.mul %a, %b : complex<f32>
    id.yield %c : complex<f32>
  }
  %5 = id.permute %4 [1, 3, 2] : <8**2 * 37, complex<f32>> -> <37 * 8**2, complex<f32>>
  %6 = id.permute %x [1, 3, 2] : <8**2 * 37, complex<f32>> -> <37 * 8**2, complex<f32>>
  return %5, %w, %6 : !id.seq<37 * 8**2, complex<f32>>, !id.seq<37 * 2, complex<f32>>, !id.seq<37 * 8**2, complex<f32>>
}

// -----

// Below other digits that lanes hold, where these leave most lanes without an element.
// CHECK-LABEL: func.func @pairs
// CHECK: id.permute %arg0 [4, 3, 1, 2] : <8**2 * 101 * 2, f32> -> <8**2 * 2 * 101, f32>
// CHECK: id.resize %{{.*}} lowest 1 {id.padded_digit} : <8**2 * 2 * 101, f32> -> <8**2 * 2 * 104, f32>
// CHECK: id.node [4](%{{.*}}) : (!id.seq<8**2 * 104 * 2, f32>)
func.func @pairs(%x: !id.seq<8**2 * 101 * 2, f32>) -> !id.seq<8**2 * 101 * 2, f32> {
  %0 = id.node [4] (%x) : (!id.seq<8**2 * 101 * 2, f32>) -> !id.seq<8**2 * 101 * 2, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [3] (%0) : (!id.seq<8**2 * 101 * 2, f32>) -> !id.seq<8**2 * 101 * 2, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %1 : !id.seq<8**2 * 101 * 2, f32>
}

// -----

// Left alone: where the lower digits fill lanes, where nodes act on lower ones, where one thread holds what they act on,
// where lanes hold the digit.
// CHECK-LABEL: func.func @filled
// CHECK-NOT: id.resize
// CHECK: return
func.func @filled(%x: !id.seq<8**2 * 37 * 16, f32>) -> !id.seq<8**2 * 37 * 16, f32> {
  %0 = id.node [4] (%x) : (!id.seq<8**2 * 37 * 16, f32>) -> !id.seq<8**2 * 37 * 16, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [3] (%0) : (!id.seq<8**2 * 37 * 16, f32>) -> !id.seq<8**2 * 37 * 16, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %1 : !id.seq<8**2 * 37 * 16, f32>
}

// CHECK-LABEL: func.func @rows
// CHECK-NOT: id.resize
// CHECK: return
func.func @rows(%x: !id.seq<37 * 8**2, f32>) -> !id.seq<37 * 8**2, f32> {
  %0 = id.node [2] (%x) : (!id.seq<37 * 8**2, f32>) -> !id.seq<37 * 8**2, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [1] (%0) : (!id.seq<37 * 8**2, f32>) -> !id.seq<37 * 8**2, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %1 : !id.seq<37 * 8**2, f32>
}

// CHECK-LABEL: func.func @few
// CHECK-NOT: id.resize
// CHECK: return
func.func @few(%x: !id.seq<8 * 37, f32>) -> !id.seq<8 * 37, f32> {
  %0 = id.node [2] (%x) : (!id.seq<8 * 37, f32>) -> !id.seq<8 * 37, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %0 : !id.seq<8 * 37, f32>
}

// CHECK-LABEL: func.func @held
// CHECK-NOT: id.resize
// CHECK: return
func.func @held(%x: !id.seq<8**2 * 31, f32>) -> !id.seq<8**2 * 31, f32> {
  %0 = id.node [3] (%x) : (!id.seq<8**2 * 31, f32>) -> !id.seq<8**2 * 31, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [2] (%0) : (!id.seq<8**2 * 31, f32>) -> !id.seq<8**2 * 31, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %1 : !id.seq<8**2 * 31, f32>
}

// -----

// Left alone: what a step of the program's own counts, what arrives from the other end.
// CHECK-LABEL: func.func @counted
// CHECK-NOT: padded
// CHECK: return
func.func @counted(%x: !id.seq<8**2 * 37, f32>) -> !id.seq<8**2 * 5, f32> {
  %0 = id.node [3] (%x) : (!id.seq<8**2 * 37, f32>) -> !id.seq<8**2 * 37, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [2] (%0) : (!id.seq<8**2 * 37, f32>) -> !id.seq<8**2 * 37, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %2 = id.resize %1 lowest 1 : <8**2 * 37, f32> -> <8**2 * 5, f32>
  return %2 : !id.seq<8**2 * 5, f32>
}

// CHECK-LABEL: func.func @complemented
// CHECK-NOT: padded
// CHECK: return
func.func @complemented(%x: !id.seq<8**2 * 37, f32>) -> !id.seq<8**2 * 37, f32> {
  %0 = id.node [3] (%x) : (!id.seq<8**2 * 37, f32>) -> !id.seq<8**2 * 37, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [2] (%0) : (!id.seq<8**2 * 37, f32>) -> !id.seq<8**2 * 37, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32):
    id.yield %b, %c, %d, %e, %f, %g, %h, %a : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %2 = id.permute %1 [3, 2, -1] : <8**2 * 37, f32> -> <8**2 * 37, f32>
  return %2 : !id.seq<8**2 * 37, f32>
}

// Of up to twice the lanes, what a gather makes becomes longer where no block holds all that nodes act on.
// CHECK-LABEL: func.func @far
// CHECK: id.gather %{{.*}} lowest 1 : <2**11 * 64, complex<f32>> -> <2**11 * 48, complex<f32>>
// CHECK: id.resize %{{.*}} : <2**11 * 48, complex<f32>> -> <2**11 * 43, complex<f32>>
func.func @far(%x: !id.seq<2**11 * 64, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  %0 = id.gather %x lowest 1 : !id.seq<2**11 * 64, complex<f32>> -> !id.seq<2**11 * 43, complex<f32>> from {
    %t = id.digit 1 : i64
    %c63 = arith.constant 63 : i64
    %u = arith.subi %c63, %t : i64
    id.yield %u : i64
  }
  %1 = id.node [12](%0) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %2 = id.node [11](%1) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %3 = id.node [10](%2) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %4 = id.node [9](%3) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %5 = id.node [8](%4) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %6 = id.node [7](%5) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %7 = id.node [6](%6) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %8 = id.node [5](%7) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %9 = id.node [4](%8) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %10 = id.node [3](%9) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %11 = id.node [2](%10) : (!id.seq<2**11 * 43, complex<f32>>) -> !id.seq<2**11 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  return %11 : !id.seq<2**11 * 43, complex<f32>>
}

// CHECK-LABEL: func.func @near
// CHECK-NOT: 48
// CHECK: return
func.func @near(%x: !id.seq<2**6 * 64, complex<f32>>) -> !id.seq<2**6 * 43, complex<f32>> {
  %0 = id.gather %x lowest 1 : !id.seq<2**6 * 64, complex<f32>> -> !id.seq<2**6 * 43, complex<f32>> from {
    %t = id.digit 1 : i64
    %c63 = arith.constant 63 : i64
    %u = arith.subi %c63, %t : i64
    id.yield %u : i64
  }
  %1 = id.node [7](%0) : (!id.seq<2**6 * 43, complex<f32>>) -> !id.seq<2**6 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %2 = id.node [6](%1) : (!id.seq<2**6 * 43, complex<f32>>) -> !id.seq<2**6 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %3 = id.node [5](%2) : (!id.seq<2**6 * 43, complex<f32>>) -> !id.seq<2**6 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %4 = id.node [4](%3) : (!id.seq<2**6 * 43, complex<f32>>) -> !id.seq<2**6 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %5 = id.node [3](%4) : (!id.seq<2**6 * 43, complex<f32>>) -> !id.seq<2**6 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  %6 = id.node [2](%5) : (!id.seq<2**6 * 43, complex<f32>>) -> !id.seq<2**6 * 43, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    id.yield %b, %a : complex<f32>, complex<f32>
  }
  return %6 : !id.seq<2**6 * 43, complex<f32>>
}
