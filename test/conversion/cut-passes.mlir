// Kernels whose blocks can have the same digits numbering chunks are one pass over data in host memory; where there are
// none, another pass begins. The digits of both passes' chunks are the highest ones of what lies between them.
// RUN: idc-opt --id-cut-passes %s | FileCheck %s

!s = !id.seq<2**10, f32>
!a = !id.tile<2**10, "reg(2..1) lane(7..3) block(10..8)", f32>
!b = !id.tile<2**10, "reg(10..9) lane(8..4) block(3..1)", f32>

// CHECK: func.func @f(%[[X:.*]]: !id.seq<2**10, f32>) -> !id.seq<2**10, f32> attributes {id.link_seconds = {{.*}}, id.memory = 5000 : i64}
// CHECK: %[[BETWEEN:.*]] = call @f_p0(%[[X]])
// CHECK: %[[Y:.*]] = call @f_p1(%[[BETWEEN]])
// CHECK: return %[[Y]]
func.func @f(%x: !s) -> !s attributes {id.devices = 4 : i64, id.memory = 5000 : i64} {
  // CHECK: func.func @f_p0(%{{.*}}: !id.seq<2**10, f32> {id.device_digits = array<i64: 10, 9>}) -> (!id.seq<2**10, f32> {id.device_digits = array<i64: 8, 7>}) attributes {id.devices = 4 : i64
  // CHECK: id.kernel "k0" grid
  // CHECK: id.load {{.*}} [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**10, f32> -> <2**10, "reg(2..1) lane(7..3) block(8) device(10..9)", f32>
  // CHECK: id.store {{.*}} [3, 2, 10, 9, 8, 7, 6, 5, 4, 1]
  %0 = id.kernel "k0" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  // CHECK: func.func @f_p1(%{{.*}}: !id.seq<2**10, f32> {id.device_digits = array<i64: 10, 9>}) -> (!id.seq<2**10, f32> {id.device_digits = array<i64: 3, 2>})
  // CHECK: id.kernel "k1" grid
  // CHECK-NOT: dependent
  // CHECK: id.load {{.*}} [8, 7, 6, 5, 4, 3, 2, 10, 9, 1] : <2**10, f32> -> <2**10, "reg(10..9) lane(8..4) block(1) device(3..2)", f32>
  // CHECK: id.store {{.*}} [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
  %3 = id.kernel "k1" dependent(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !b
    %2 = id.store %1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %2 : !s
  }
  return %3 : !s
}
