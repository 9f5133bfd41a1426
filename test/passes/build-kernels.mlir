// The schedule's kernels: tiles, exchanges where the mapping changes, index maps at the ends.
// RUN: idc-opt %s --id-form-chains --id-build-kernels --split-input-file | FileCheck %s

!s = !id.seq<2**6, complex<f32>>

// A transform's first steps in two ranges; the last permutation is the store's index map.
// CHECK-LABEL: func.func @transform
// CHECK: id.kernel "transform_k0" grid(%arg0)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: !id.seq
// CHECK-NEXT: %[[L:.*]] = id.load %[[IN]] [6, 5, 4, 3, 2, 1] : <2**6, complex<f32>> -> <2**6, "reg(6) lane(5..1)", complex<f32>>
// CHECK-NEXT: %[[A:.*]] = id.node [6](%[[L]]) : (!id.tile<2**6, "reg(6) lane(5..1)", complex<f32>>)
// CHECK: %[[X:.*]] = id.exchange %[[A]] : <2**6, "reg(6) lane(5..1)", complex<f32>> -> <2**6, "reg(5) lane(6, 4..1)", complex<f32>>
// CHECK-NEXT: %[[T:.*]] = id.twiddle %[[X]] omega(4, t6*t5) : !id.tile<2**6, "reg(5) lane(6, 4..1)", complex<f32>>
// CHECK-NEXT: %[[B:.*]] = id.node [5](%[[T]])
// CHECK: %[[U:.*]] = id.twiddle %[[B]] omega(2, t1)
// CHECK-NEXT: %[[O:.*]] = id.store %[[U]] [1, 2, 3, 4, 5, 6]
// CHECK-NEXT: id.yield %[[O]]
// CHECK-NOT: id.permute
func.func @transform(%x: !s) -> !s attributes {id.schedule = [{launch = "grid", ranges = [
    {first = 1 : i64, last = 1 : i64, map = "reg(6) lane(5..1)", range = "steps"},
    {first = 2 : i64, last = 2 : i64, map = "reg(5) lane(6, 4..1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  %1 = id.twiddle %0 omega(4, t6*t5) : !s
  %2 = id.node [5] (%1) : (!s) -> !s {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.add %a, %b : complex<f32>
    %m = complex.sub %a, %b : complex<f32>
    id.yield %p, %m : complex<f32>, complex<f32>
  }
  %3 = id.twiddle %2 omega(2, t1) : !s
  %4 = id.permute %3 [1, 2, 3, 4, 5, 6] : !s -> !s
  return %4 : !s
}

// -----

!r = !id.seq<2**6, f32>

// Minima and maxima in two kernels. The first stores in an order of its own, which the second's load undoes; mappings of
// the load and of the store alone get exchanges; batch digits are the tile's alone.
// CHECK-LABEL: func.func @minima
// CHECK: %[[W:.*]] = id.kernel "minima_k0" grid(%arg0)
// CHECK: %[[L:.*]] = id.load %{{.*}} [6, 5, 4, 3, 2, 1] {{.*}} "reg(1) lane(7, 5..2) block(6)"
// CHECK-NEXT: %[[X:.*]] = id.exchange %[[L]] : {{.*}} -> <2**6, "reg(2) lane(7, 5..3, 1) block(6)", f32>
// CHECK-NEXT: %[[N:.*]] = id.node [2](%[[X]])
// CHECK-NOT: id.exchange
// CHECK: id.store %[[N]] [5, 4, 3, 2, 1, 6]
// CHECK: id.kernel "minima_k1" grid(%[[W]])
// CHECK: id.load %{{.*}} [1, 6, 5, 4, 3, 2] {{.*}} "reg(6) lane(5..1)"
// CHECK: %[[M:.*]] = id.node [6]
// CHECK: %[[Y:.*]] = id.exchange %[[M]] {{.*}} -> <2**6, "reg(1) lane(6..2)", f32>
// CHECK-NEXT: id.store %[[Y]] [6, 5, 4, 3, 2, 1]
func.func @minima(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", order = array<i64: 6, 1, 2, 3, 4, 5>, ranges = [
      {map = "reg(1) lane(7, 5..2) block(6)", range = "load"},
      {first = 1 : i64, last = 1 : i64, map = "reg(2) lane(7, 5..3, 1) block(6)", range = "steps"}]},
    {launch = "grid", ranges = [
      {first = 2 : i64, last = 2 : i64, map = "reg(6) lane(5..1)", range = "steps"},
      {map = "reg(1) lane(6..2)", range = "store"}]}]} {
  %0 = id.node [2] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  %1 = id.node [6] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  return %1 : !r
}

// -----

// The element type may change on the way: magnitudes of complex values.
// CHECK-LABEL: func.func @magnitudes
// CHECK: id.load {{.*}} -> <2**5, "reg(6) lane(5..1)", complex<f32>>
// CHECK: id.pointwise(%{{.*}}) : (!id.tile<2**5, "reg(6) lane(5..1)", complex<f32>>) -> !id.tile<2**5, "reg(6) lane(5..1)", f32>
// CHECK: id.store {{.*}} : <2**5, "reg(6) lane(5..1)", f32> -> <2**5, f32>
func.func @magnitudes(%x: !id.seq<2**5, complex<f32>>) -> !id.seq<2**5, f32> attributes {id.schedule = [
    {launch = "grid", ranges = [{map = "reg(6) lane(5..1)", range = "load"}]}]} {
  %0 = id.pointwise (%x) : (!id.seq<2**5, complex<f32>>) -> !id.seq<2**5, f32> {
  ^bb0(%a: complex<f32>):
    %re = complex.re %a : complex<f32>
    %im = complex.im %a : complex<f32>
    %p = arith.mulf %re, %re : f32
    %q = arith.mulf %im, %im : f32
    %s = arith.addf %p, %q : f32
    id.yield %s : f32
  }
  return %0 : !id.seq<2**5, f32>
}
