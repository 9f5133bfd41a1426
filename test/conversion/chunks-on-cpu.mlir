// What a pass's kernels compute is planned for the CPU. Chunks are the highest of its kernels' blocks, arrays of the
// host are whole ones, and what goes from kernel to kernel is of one chunk.
// RUN: idc-opt --id-chunks-on-cpu %s | FileCheck %s
// RUN: sed 's/{id.cpu_share/{id.in_place, id.cpu_share/' %s | idc-opt --id-chunks-on-cpu | FileCheck %s --check-prefix=PLACE
// PLACE: func.func @f_p0_cpu
// PLACE: func.func @g_p0_cpu
// PLACE-NOT: func.func @h_p0_cpu

!s = !id.seq<2**14, f32>
!a = !id.tile<2**14, "reg(14..11) lane(5..1) warp(8..6) block(10..9)", f32>

// CHECK: func.func @f(%{{.*}}: !id.seq<2**14, f32>) -> !id.seq<2**14, f32> attributes {{.*}}id.link_seconds = 7.500000e-01 : f64
func.func @f(%x: !s) -> !s attributes {id.cpu_share = array<i64: 1, 4>, id.link_seconds = 1.0, id.memory = 65536 : i64} {
  %0 = call @f_p0(%x) : (!s) -> !s
  return %0 : !s
}
// CHECK: func.func @f_p0({{.*}}) -> {{.*}} attributes {id.cpu_chunks = 1 : i64, id.devices = 4 : i64, id.link_seconds = 7.500000e-01 : f64, id.on_cpu = @f_p0_cpu}
// CHECK: func.func @f_p0_cpu(%[[X:.*]]: !id.seq<2**14, f32>) -> !id.seq<2**14, f32> attributes
// CHECK-NOT: device(
// CHECK: id.kernel "f_p0_cpu_k0" grid(%[[X]]) {id.device_digits = [array<i64>]}
// CHECK: id.load {{.*}} block(10..9, 13..11)", f32>
// CHECK: id.node
func.func @f_p0(%x: !s {id.device_digits = array<i64: 10, 9>}) -> (!s {id.device_digits = array<i64: 10, 9>})
    attributes {id.devices = 4 : i64, id.link_seconds = 1.0} {
  %0 = id.kernel "f_k0" grid(%x) {id.device_digits = [array<i64: 10, 9>]} : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.node [14](%1) : (!a) -> !a {
    ^bb0(%p: f32, %q: f32):
      %4 = arith.addf %p, %q : f32
      %5 = arith.subf %p, %q : f32
      id.yield %4, %5 : f32, f32
    }
    %3 = id.store %2 [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %3 : !s
  }
  return %0 : !s
}

// Of an array that ends inside of a chunk the CPU loads and stores what there is, by kernels that move single elements.
!n = !id.seq<2**10 * 3 * 5, f32>
!b = !id.tile<2**14, "reg(3..1) lane(8..4) warp(12..9) block(14..13)", f32>

// CHECK-LABEL: func.func @g_p0_cpu(%{{.*}}: !id.seq<2**10 * 3 * 5, f32>) -> !id.seq<2**10 * 3 * 5, f32>
// CHECK: id.kernel "g_p0_cpu_in0"
// CHECK: ^bb0(%[[IN:.*]]: !id.seq<2**10 * 3 * 5, f32>):
// CHECK: %[[LONG:.*]] = id.resize %[[IN]] lowest 12 : <2**10 * 3 * 5, f32> -> <2**14, f32> else {
// CHECK: id.load %[[LONG]] {{.*}} -> <2**14, "reg(4..1) block(14..5)", f32>
// CHECK: id.kernel "g_p0_cpu_k0" {{.*}} : (!id.seq<2**14, f32>) -> !id.seq<2**14, f32>
// CHECK: id.kernel "g_p0_cpu_out0"
// CHECK: %[[STORED:.*]] = id.store
// CHECK: %[[ENDS:.*]] = id.resize %[[STORED]] lowest 14 : <2**14, f32> -> <2**10 * 3 * 5, f32>
// CHECK: id.yield %[[ENDS]]
func.func @g(%x: !s {id.array = !n}) -> (!s {id.array = !n})
    attributes {id.cpu_share = array<i64: 1, 2>, id.link_seconds = 1.0, id.memory = 65536 : i64} {
  %0 = call @g_p0(%x) : (!s) -> !s
  return %0 : !s
}
func.func @g_p0(%x: !s {id.device_digits = array<i64: 14, 13>}) -> (!s {id.device_digits = array<i64: 14, 13>})
    attributes {id.devices = 4 : i64, id.link_seconds = 1.0} {
  %0 = id.kernel "g_k0" grid(%x) {id.device_digits = [array<i64: 14, 13>]} : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !b
    %2 = id.pointwise(%1) : (!b) -> !b {
    ^bb0(%p: f32):
      %4 = arith.addf %p, %p : f32
      id.yield %4 : f32
    }
    %3 = id.store %2 [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %3 : !s
  }
  return %0 : !s
}

// Values from computed places are gathered, which others' of a chunk may be, so that this does not work in place.

// CHECK-LABEL: func.func @h_p0_cpu
// CHECK: id.gather %{{.*}} lowest 2 : <2**14, f32> -> <2**14, f32> from {
func.func @h(%x: !s) -> !s
    attributes {id.cpu_share = array<i64: 1, 2>, id.link_seconds = 1.0, id.memory = 65536 : i64} {
  %0 = call @h_p0(%x) : (!s) -> !s
  return %0 : !s
}
func.func @h_p0(%x: !s {id.device_digits = array<i64: 14, 13>}) -> (!s {id.device_digits = array<i64: 14, 13>})
    attributes {id.devices = 4 : i64, id.link_seconds = 1.0} {
  %0 = id.kernel "h_k0" grid(%x) {id.device_digits = [array<i64: 14, 13>]} : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !b
    %2 = id.exchange %1 by shared : !b -> !b from [3, 2], [1], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14] {
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %four = arith.constant 4 : i64
      %4 = id.digit 2 : i64
      %5 = id.digit 3 : i64
      %6 = arith.muli %5, %two : i64
      %7 = arith.addi %6, %4 : i64
      %8 = arith.addi %7, %one : i64
      %9 = arith.remui %8, %four : i64
      %10 = id.digit 1 : i64
      %11 = id.digit 4 : i64
      %12 = id.digit 5 : i64
      %13 = id.digit 6 : i64
      %14 = id.digit 7 : i64
      %15 = id.digit 8 : i64
      %16 = id.digit 9 : i64
      %17 = id.digit 10 : i64
      %18 = id.digit 11 : i64
      %19 = id.digit 12 : i64
      %20 = id.digit 13 : i64
      %21 = id.digit 14 : i64
      id.yield %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21 : i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64
    }
    %3 = id.store %2 [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %3 : !s
  }
  return %0 : !s
}
