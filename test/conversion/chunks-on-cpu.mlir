// What a pass's kernels compute is planned for the CPU. Chunks are the highest of its kernels' blocks, arrays of the
// host are whole ones, and what goes from kernel to kernel is of one chunk.
// RUN: idc-opt --id-chunks-on-cpu %s | FileCheck %s

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
