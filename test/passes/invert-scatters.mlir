// RUN: idc-opt %s --id-invert-scatters --split-input-file | FileCheck %s
// RUN: idc-opt %s --id-invert-scatters=target=cpu --split-input-file | FileCheck %s --check-prefix=CPU

// Even elements in order, odd ones behind them in reverse: two pieces, from a step to a step.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: id.scatter
// CHECK: %[[G:.*]] = id.gather %{{.*}} lowest 3 : <3 * 2**3, f32> -> <3 * 2**3, f32> from {
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C15:.*]] = arith.constant 15 : i64
// CHECK-DAG: %[[CM2:.*]] = arith.constant -2 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
// CHECK: %[[BELOW:.*]] = arith.cmpi ult, %[[PLACE:.*]], %[[C4]] : i64
// CHECK: arith.select %[[BELOW]]
// CHECK: id.node [3](%[[G]])
// CPU-LABEL: func.func @halves
// CPU: id.scatter
func.func @halves(%x: !id.seq<3 * 2**3, f32>) -> !id.seq<3 * 2**3, f32> {
  %0 = id.pointwise(%x) : (!id.seq<3 * 2**3, f32>) -> !id.seq<3 * 2**3, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  %1 = id.scatter %0 lowest 3 : !id.seq<3 * 2**3, f32> -> !id.seq<3 * 2**3, f32> to {
    %d1 = id.digit 1 : i64
    %d2 = id.digit 2 : i64
    %d3 = id.digit 3 : i64
    %c0 = arith.constant 0 : i64
    %c2 = arith.constant 2 : i64
    %c7 = arith.constant 7 : i64
    %h = arith.muli %d3, %c2 : i64
    %half = arith.addi %h, %d2 : i64
    %back = arith.subi %c7, %half : i64
    %even = arith.cmpi eq, %d1, %c0 : i64
    %place = arith.select %even, %half, %back : i64
    id.yield %place : i64
  }
  %2 = id.node [3](%1) : (!id.seq<3 * 2**3, f32>) -> !id.seq<3 * 2**3, f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    id.yield %s, %a : f32, f32
  }
  return %2 : !id.seq<3 * 2**3, f32>
}

// -----

// What is stored in runs stays, and so does what run-time scalars decide, and what no block holds.
// CHECK-LABEL: func.func @stored
// CHECK: %[[Y:.*]] = id.scatter
// CHECK: return %[[Y]]
func.func @stored(%x: !id.seq<2 * 3, f32>) -> !id.seq<6, f32> {
  %1 = id.scatter %x lowest 2 : !id.seq<2 * 3, f32> -> !id.seq<6, f32> to {
    %d1 = id.digit 1 : i64
    %d2 = id.digit 2 : i64
    %c2 = arith.constant 2 : i64
    %h = arith.muli %d1, %c2 : i64
    %place = arith.addi %h, %d2 : i64
    id.yield %place : i64
  }
  return %1 : !id.seq<6, f32>
}

// -----

// Many pieces (the other way round, of more elements) are a table.
// CHECK-LABEL: func.func @pieces
// CHECK: id.gather
// CHECK: id.lookup %{{.*}} of [0, 63, 1, 62,
func.func @pieces(%x: !id.seq<64, f32>) -> !id.seq<64, f32> {
  %1 = id.scatter %x lowest 1 : !id.seq<64, f32> -> !id.seq<64, f32> to {
    %d = id.digit 1 : i64
    %c2 = arith.constant 2 : i64
    %c32 = arith.constant 32 : i64
    %c127 = arith.constant 127 : i64
    %twice = arith.muli %d, %c2 : i64
    %back = arith.subi %c127, %twice : i64
    %low = arith.cmpi ult, %d, %c32 : i64
    %place = arith.select %low, %twice, %back : i64
    id.yield %place : i64
  }
  %2 = id.pointwise(%1) : (!id.seq<64, f32>) -> !id.seq<64, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %2 : !id.seq<64, f32>
}

// -----

// Each element would be stored to a sector of its own: the block brings them into order, in digits that threads hold.
// CHECK-LABEL: func.func @sectors
// CHECK: %[[IN:.*]] = id.gather %arg0 lowest 1 : <97, f32> -> <7 * 2**4, f32> from {
// CHECK: id.lookup %{{.*}} of [0, 39, 78, 20, {{.*}}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// CHECK: %[[HELD:.*]] = id.pointwise(%[[IN]])
// CHECK: %[[OUT:.*]] = id.resize %[[HELD]] lowest 5 : <7 * 2**4, f32> -> <97, f32>
// CHECK: return %[[OUT]]
// CPU-LABEL: func.func @sectors
// CPU: id.scatter
func.func @sectors(%x: !id.seq<97, f32>) -> !id.seq<97, f32> {
  %1 = id.scatter %x lowest 1 : !id.seq<97, f32> -> !id.seq<97, f32> to {
    %d = id.digit 1 : i64
    %c5 = arith.constant 5 : i64
    %c97 = arith.constant 97 : i64
    %m = arith.muli %d, %c5 : i64
    %place = arith.remui %m, %c97 : i64
    id.yield %place : i64
  }
  return %1 : !id.seq<97, f32>
}

// -----

// CHECK-LABEL: func.func @scalar
// CHECK: id.scatter
func.func @scalar(%x: !id.seq<64, f32>) -> !id.seq<64, f32> attributes {id.scalars = [i32]} {
  %1 = id.scatter %x lowest 1 : !id.seq<64, f32> -> !id.seq<64, f32> to {
    %d = id.digit 1 : i64
    %p = id.parameter 0 : i32
    %s = arith.extui %p : i32 to i64
    %c64 = arith.constant 64 : i64
    %sum = arith.addi %d, %s : i64
    %place = arith.remui %sum, %c64 : i64
    id.yield %place : i64
  }
  %2 = id.pointwise(%1) : (!id.seq<64, f32>) -> !id.seq<64, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %2 : !id.seq<64, f32>
}

// -----

// Of more than a block holds, the inverse of an affine map is known.
// CHECK-LABEL: func.func @large
// CHECK: id.gather %arg0
// CHECK: arith.constant 52429
// CHECK-NOT: id.scatter
func.func @large(%x: !id.seq<65536, f32>) -> !id.seq<65536, f32> {
  %1 = id.scatter %x lowest 1 : !id.seq<65536, f32> -> !id.seq<65536, f32> to {
    %d = id.digit 1 : i64
    %c5 = arith.constant 5 : i64
    %c65536 = arith.constant 65536 : i64
    %m = arith.muli %d, %c5 : i64
    %place = arith.remsi %m, %c65536 : i64
    id.yield %place : i64
  }
  %2 = id.pointwise(%1) : (!id.seq<65536, f32>) -> !id.seq<65536, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %2 : !id.seq<65536, f32>
}

// -----

// Nodes act on 2^12 other elements before and on 2^4 behind, beside the 2^4 scattered ones: no block holds all, so they are stored.
// CHECK-LABEL: func.func @apart
// CHECK: id.scatter %{{.*}} lowest 1
// CHECK-NOT: id.gather
func.func @apart(%x: !id.seq<16**5, f32>) -> !id.seq<16**5, f32> {
  %0 = id.node [2](%x) : (!id.seq<16**5, f32>) -> !id.seq<16**5, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32, %i: f32, %j: f32, %k: f32, %l: f32, %m: f32, %n: f32, %o: f32, %p: f32):
    id.yield %b, %a, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o, %p : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  %1 = id.node [3](%0) : (!id.seq<16**5, f32>) -> !id.seq<16**5, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32, %i: f32, %j: f32, %k: f32, %l: f32, %m: f32, %n: f32, %o: f32, %p: f32):
    id.yield %b, %a, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o, %p : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  %2 = id.node [4](%1) : (!id.seq<16**5, f32>) -> !id.seq<16**5, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32, %i: f32, %j: f32, %k: f32, %l: f32, %m: f32, %n: f32, %o: f32, %p: f32):
    id.yield %b, %a, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o, %p : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  %3 = id.scatter %2 lowest 1 : <16**5, f32> -> <16**5, f32> to {
    %t = id.digit 1 : i64
    %c15 = arith.constant 15 : i64
    %u = arith.subi %c15, %t : i64
    id.yield %u : i64
  }
  %4 = id.node [5](%3) : (!id.seq<16**5, f32>) -> !id.seq<16**5, f32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32, %i: f32, %j: f32, %k: f32, %l: f32, %m: f32, %n: f32, %o: f32, %p: f32):
    id.yield %b, %a, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o, %p : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  return %4 : !id.seq<16**5, f32>
}

// -----

// A scatter whose result another one stores stays with it.
// CHECK-LABEL: func.func @together
// CHECK: id.scatter %{{.*}} lowest 1
// CHECK: id.scatter %{{.*}} lowest 1
// CHECK-NOT: id.gather
func.func @together(%x: !id.seq<4**2, f32>) -> !id.seq<4**2, f32> {
  %0 = id.pointwise(%x) : (!id.seq<4**2, f32>) -> !id.seq<4**2, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  %1 = id.scatter %0 lowest 1 : <4**2, f32> -> <4**2, f32> to {
    %t = id.digit 1 : i64
    %c3 = arith.constant 3 : i64
    %u = arith.subi %c3, %t : i64
    id.yield %u : i64
  }
  %2 = id.permute %1 [1, 2] : <4**2, f32> -> <4**2, f32>
  %3 = id.scatter %2 lowest 1 : <4**2, f32> -> <4**2, f32> to {
    %t = id.digit 1 : i64
    %c3 = arith.constant 3 : i64
    %u = arith.subi %c3, %t : i64
    id.yield %u : i64
  }
  return %3 : !id.seq<4**2, f32>
}
