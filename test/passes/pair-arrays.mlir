// RUN: idc-opt %s --id-pair-arrays | FileCheck %s

// Reals of which nodes make complex numbers, and which are made of them, are arrays of complex numbers.
// CHECK-LABEL: func.func @both
// CHECK-SAME: (%[[X:.*]]: !id.seq<3 * 2, complex<f32>> {id.array = !id.seq<3 * 2**2, f32>})
// CHECK-SAME: -> (!id.seq<3 * 2, complex<f32>> {id.array = !id.seq<3 * 2**2, f32>})
// CHECK-NEXT: %[[Y:.*]] = id.node [2](%[[X]])
// CHECK: return %[[Y]]
func.func @both(%x: !id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2**2, f32> {
  %0 = id.node [1](%x) : (!id.seq<3 * 2**2, f32>) -> !id.seq<3 * 2, complex<f32>> {
  ^bb0(%a: f32, %b: f32):
    %c = complex.create %a, %b : complex<f32>
    id.yield %c : complex<f32>
  }
  %1 = id.node [2](%0) : (!id.seq<3 * 2, complex<f32>>) -> !id.seq<3 * 2, complex<f32>> {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    id.yield %b, %c, %a : complex<f32>, complex<f32>, complex<f32>
  }
  %2 = id.node [1](%1) : (!id.seq<3 * 2, complex<f32>>) -> !id.seq<3 * 2**2, f32> {
  ^bb0(%a: complex<f32>):
    %re = complex.re %a : complex<f32>
    %im = complex.im %a : complex<f32>
    id.yield %re, %im : f32, f32
  }
  return %2 : !id.seq<3 * 2**2, f32>
}

// Taken as often as you like.
// CHECK-LABEL: func.func @often
// CHECK-SAME: %[[X:.*]]: !id.seq<5, complex<f64>> {id.array = !id.seq<5 * 2, f64>}
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @often(%x: !id.seq<5 * 2, f64>) -> (!id.seq<5, complex<f64>>, !id.seq<5, complex<f64>>) {
  %0 = id.node [1](%x) : (!id.seq<5 * 2, f64>) -> !id.seq<5, complex<f64>> {
  ^bb0(%a: f64, %b: f64):
    %c = complex.create %a, %b : complex<f64>
    id.yield %c : complex<f64>
  }
  %1 = id.node [1](%x) : (!id.seq<5 * 2, f64>) -> !id.seq<5, complex<f64>> {
  ^bb0(%a: f64, %b: f64):
    %c = complex.create %a, %b : complex<f64>
    id.yield %c : complex<f64>
  }
  return %0, %1 : !id.seq<5, complex<f64>>, !id.seq<5, complex<f64>>
}

// What stays: another order, other numbers, other digits, an argument that is used as it is, arrays with a layout, and
// records.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: id.array
// CHECK-COUNT-6: id.node
!pair = !id.record<f32, f32>
func.func @stays(%a: !id.seq<2**2, f32>, %b: !id.seq<2**2, f32>, %c: !id.seq<2**2, f32>, %d: !id.seq<2**2, f32>,
                 %e: !id.seq<2**2, f32> {id.layout = {batch = 8 : i64, offset = 0 : i64, sizes = array<i64: 4>, strides = array<i64: 2>}},
                 %f: !id.seq<2**2, f32>)
    -> (!id.seq<2, complex<f32>>, !id.seq<2, complex<f32>>, !id.seq<2, complex<f32>>, !id.seq<2, complex<f32>>,
        !id.seq<2**2, f32>, !id.seq<2, complex<f32>>, !id.seq<2, !pair>) {
  %0 = id.node [1](%a) : (!id.seq<2**2, f32>) -> !id.seq<2, complex<f32>> {
  ^bb0(%x: f32, %y: f32):
    %z = complex.create %y, %x : complex<f32>
    id.yield %z : complex<f32>
  }
  %1 = id.node [1](%b) : (!id.seq<2**2, f32>) -> !id.seq<2, complex<f32>> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    %z = complex.create %x, %s : complex<f32>
    id.yield %z : complex<f32>
  }
  %2 = id.node [2](%c) : (!id.seq<2**2, f32>) -> !id.seq<2, complex<f32>> {
  ^bb0(%x: f32, %y: f32):
    %z = complex.create %x, %y : complex<f32>
    id.yield %z : complex<f32>
  }
  %3 = id.node [1](%d) : (!id.seq<2**2, f32>) -> !id.seq<2, complex<f32>> {
  ^bb0(%x: f32, %y: f32):
    %z = complex.create %x, %y : complex<f32>
    id.yield %z : complex<f32>
  }
  %4 = id.node [1](%e) : (!id.seq<2**2, f32>) -> !id.seq<2, complex<f32>> {
  ^bb0(%x: f32, %y: f32):
    %z = complex.create %x, %y : complex<f32>
    id.yield %z : complex<f32>
  }
  %5 = id.node [1](%f) : (!id.seq<2**2, f32>) -> !id.seq<2, !pair> {
  ^bb0(%x: f32, %y: f32):
    id.yield %x, %y : f32, f32
  }
  return %0, %1, %2, %3, %d, %4, %5 : !id.seq<2, complex<f32>>, !id.seq<2, complex<f32>>, !id.seq<2, complex<f32>>,
    !id.seq<2, complex<f32>>, !id.seq<2**2, f32>, !id.seq<2, complex<f32>>, !id.seq<2, !pair>
}
