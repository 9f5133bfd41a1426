// What steps on each element alone make of values in memory, and others take from far away, is stored in the order of
// these values (compiler/passes/OrderStored.cpp).
// RUN: idc-opt --id-order-stored --split-input-file %s | FileCheck %s

!s = !id.seq<2**16, f32>

// Columns are the lowest digits of the sum; rows are those of the argument, and of what is stored.
// CHECK-LABEL: func.func @columns(
// CHECK: %[[SUM:.*]] = id.pointwise(%{{.*}}, %{{.*}})
// CHECK: %[[ROWS:.*]] = id.permute %[[SUM]] [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9]
// CHECK: %[[STORED:.*]] = id.pointwise(%[[ROWS]])
// CHECK: %[[COLUMNS:.*]] = id.permute %[[STORED]] [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9]
// CHECK: id.permute %[[COLUMNS]]
func.func @columns(%x: !s) -> !s {
  %0 = id.permute %x [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9] : <2**16, f32> -> <2**16, f32>
  %1 = id.gather %0 lowest 8 : <2**16, f32> -> <2**16, f32> from {
    %d = id.digit 1 : i64
    id.yield %d : i64
  }
  %2 = id.pointwise(%0, %1) : (!s, !s) -> !s {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s : f32
  }
  %3 = id.permute %2 [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9] : <2**16, f32> -> <2**16, f32>
  %4 = id.gather %3 lowest 8 : <2**16, f32> -> <2**16, f32> from {
    %d = id.digit 2 : i64
    id.yield %d : i64
  }
  return %4 : !s
}

// -----

// Not where nothing takes it from afar, a block holds it, it is returned, or a node makes one of the values.
// CHECK-LABEL: func.func @near(
// CHECK-COUNT-1: id.pointwise
// CHECK-NOT: id.pointwise
// CHECK: return
!s = !id.seq<2**16, f32>
func.func @near(%x: !s) -> !s {
  %0 = id.permute %x [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9] : <2**16, f32> -> <2**16, f32>
  %1 = id.pointwise(%0) : (!s) -> !s {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    id.yield %s : f32
  }
  %2 = id.node [16](%1) : (!s) -> !s {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %2 : !s
}

// -----

// CHECK-LABEL: func.func @of_node(
// CHECK-COUNT-1: id.pointwise
// CHECK-NOT: id.pointwise
// CHECK: return
!s = !id.seq<2**16, f32>
func.func @of_node(%x: !s) -> !s {
  %0 = id.permute %x [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9] : <2**16, f32> -> <2**16, f32>
  %1 = id.node [16](%0) : (!s) -> !s {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %2 = id.pointwise(%1) : (!s) -> !s {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    id.yield %s : f32
  }
  %3 = id.permute %2 [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9] : <2**16, f32> -> <2**16, f32>
  %4 = id.gather %3 lowest 8 : <2**16, f32> -> <2**16, f32> from {
    %d = id.digit 2 : i64
    id.yield %d : i64
  }
  return %4 : !s
}
