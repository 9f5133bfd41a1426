// What a chain makes, or scatters store, for other kernels lies in an order that suits these (compiler/passes/StoreOrders.cpp).
// RUN: idc-opt %s --id-form-chains=dissolve=false --id-store-orders --split-input-file | FileCheck %s
// RUN: idc-opt %s --id-form-chains="dissolve=false target=cpu" --id-store-orders=target=cpu --split-input-file \
// RUN:   | FileCheck %s --check-prefix=CPU

// Columns, whose digits are the lowest, are mirrored; rows come next. The chain stores rows.
// CHECK-LABEL: func.func @columns
// CHECK: %[[Y:.*]] = id.node [1]
// CHECK: %[[STORED:.*]] = id.permute %[[Y]] [1, 3, 2] {id.chain = 0 : i64}
// CHECK: %[[BACK:.*]] = id.permute %[[STORED]] [2, 1, 3]
// CHECK: id.gather %[[BACK]] lowest 1
// CPU-LABEL: func.func @columns
// CPU: %[[Y:.*]] = id.node [1]
// CPU: id.gather %[[Y]] lowest 1
func.func @columns(%x: !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  %0 = id.node [1](%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %1 = id.gather %0 lowest 1 : <2**3, f32> -> <2**3, f32> from {
    %t = id.digit 1 : i64
    %c1 = arith.constant 1 : i64
    %u = arith.subi %c1, %t : i64
    id.yield %u : i64
  }
  %2 = id.permute %1 [1, 3, 2] : <2**3, f32> -> <2**3, f32>
  %3 = id.node [1](%2) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  return %3 : !id.seq<2**3, f32>
}

// -----

// The same where the permutation has been pushed behind the nodes: what they act on is loaded together.
// CHECK-LABEL: func.func @pushed
// CHECK: %[[Y:.*]] = id.node [1]
// CHECK: %[[STORED:.*]] = id.permute %[[Y]] [2, 1, 3] {id.chain = 0 : i64}
// CHECK: %[[BACK:.*]] = id.permute %[[STORED]] [1, 3, 2]
// CHECK: id.gather %[[BACK]] lowest 1
func.func @pushed(%x: !id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  %0 = id.node [1](%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  %1 = id.gather %0 lowest 1 : <2**3, f32> -> <2**3, f32> from {
    %t = id.digit 1 : i64
    %c1 = arith.constant 1 : i64
    %u = arith.subi %c1, %t : i64
    id.yield %u : i64
  }
  %2 = id.node [3](%1) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  return %2 : !id.seq<2**3, f32>
}
