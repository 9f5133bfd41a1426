// Every type and attribute is read back as it is printed.
// RUN: idc-opt %s | idc-opt | FileCheck %s
// RUN: idc-opt %s --mlir-print-op-generic | idc-opt | FileCheck %s

// CHECK-LABEL: func.func @shapes
// CHECK-SAME: %{{.*}}: !id.seq<1, f32>
// CHECK-SAME: %{{.*}}: !id.seq<2, i1>
// CHECK-SAME: %{{.*}}: !id.seq<2**12, complex<f32>>
// CHECK-SAME: %{{.*}}: !id.seq<3 * 2**2, i64>
// CHECK-SAME: %{{.*}}: !id.seq<2 * 3 * 2, bf16>
// CHECK-SAME: %{{.*}}: !id.seq<2**62, f16>
func.func @shapes(%a: !id.seq<1, f32>, %b: !id.seq<2, i1>, %c: !id.seq<2**12, complex<f32>>,
                  %d: !id.seq<3 * 2**2, i64>, %e: !id.seq<2*3*2, bf16>, %f: !id.seq<2**62, f16>) {
  return
}

// Runs of one radix have one spelling.
// CHECK-LABEL: func.func @one_spelling
// CHECK-SAME: %{{.*}}: !id.seq<2**3, f32>, %{{.*}}: !id.seq<2**3, f32>
func.func @one_spelling(%a: !id.seq<2 * 2 * 2, f32>, %b: !id.seq<2**2 * 2, f32>) {
  return
}

// CHECK-LABEL: func.func @elements
// CHECK-SAME: %{{.*}}: !id.seq<2**3, !id.mod<998244353>>
// CHECK-SAME: %{{.*}}: !id.seq<2**3, !id.mod<18446744069414584321>>
// CHECK-SAME: %{{.*}}: !id.seq<2**3, !id.record<f32, complex<f64>, !id.record<i32, i1>>>
func.func @elements(%a: !id.seq<2**3, !id.mod<998244353>>, %b: !id.seq<2**3, !id.mod<18446744069414584321>>,
                    %c: !id.seq<2**3, !id.record<f32, complex<f64>, !id.record<i32, i1>>>) {
  return
}

// Tiles: digits in fields, batch digits above the shape, replicated and XOR columns.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME: !id.tile<2**12, "reg(12..9) lane(5..1) warp(8..6)", complex<f32>>
// CHECK-SAME: !id.tile<2**2, "reg(2..1) lane(7..3) block(8)", f32>
// CHECK-SAME: !id.tile<2**3, "reg(3) lane(_, 2..1)", f32>
// CHECK-SAME: !id.tile<2**3, "reg(3..2) lane((1^3))", f32>
// CHECK-SAME: !id.tile<1, "lane(_, _)", f32>
func.func @tiles(%a: !id.tile<2**12, "reg(12..9) lane(5..1) warp(8..6)", complex<f32>>,
                 %b: !id.tile<2**2, "reg(2..1) lane(7..3) block(8)", f32>,
                 %c: !id.tile<2**3, "reg(3) lane(_, 2..1)", f32>,
                 %d: !id.tile<2**3, "reg(3..2) lane((1^3))", f32>,
                 %e: !id.tile<1, "lane(_, _)", f32>) {
  return
}

// Attributes: maps with complements, polynomials in one order of terms, layouts.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: layout = #id.layout<padded = true, words = 99, columns = 1, 1, 2, 33>
// CHECK-SAME: map = #id.perm<[1, 3, -2]>
// CHECK-SAME: poly = #id.poly<4*t3*t1 + t2 + 3>
// CHECK-SAME: zero = #id.poly<0>
func.func @attributes() attributes {
    layout = #id.layout<padded = true, words = 99, columns = 1, 1, 2, 33>, map = #id.perm<[1, 3, -2]>,
    poly = #id.poly<2*t1*2*t3 + 3 + t2>, zero = #id.poly<2*t1 + -2*t1>} {
  return
}
