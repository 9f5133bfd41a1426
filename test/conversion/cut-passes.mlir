// Kernels whose blocks can have the same digits numbering chunks are one pass over data in host memory; where there are
// none, another pass begins. The digits of both passes' chunks are the highest ones of what lies between them.
// RUN: idc-opt --id-cut-passes %s | FileCheck %s

!s = !id.seq<2**6, f32>
!a = !id.tile<2**6, "reg(2..1) lane(3) block(6..4)", f32>
!b = !id.tile<2**6, "reg(6..5) lane(4) block(3..1)", f32>

// CHECK: func.func @f(%[[X:.*]]: !id.seq<2**6, f32>) -> !id.seq<2**6, f32> attributes {id.link_seconds = {{.*}}, id.memory = 320 : i64}
// CHECK: %[[BETWEEN:.*]] = call @f_p0(%[[X]])
// CHECK: %[[Y:.*]] = call @f_p1(%[[BETWEEN]])
// CHECK: return %[[Y]]
func.func @f(%x: !s) -> !s attributes {id.devices = 4 : i64, id.memory = 320 : i64} {
  // CHECK: func.func @f_p0(%{{.*}}: !id.seq<2**6, f32> {id.device_digits = array<i64: 6, 5>}) -> (!id.seq<2**6, f32> {id.device_digits = array<i64: 4, 3>}) attributes {id.devices = 4 : i64}
  // CHECK: id.kernel "k0" grid
  // CHECK: id.load {{.*}} [6, 5, 4, 3, 2, 1] : <2**6, f32> -> <2**6, "reg(2..1) lane(3) block(4) device(6..5)", f32>
  // CHECK: id.store {{.*}} [3, 2, 6, 5, 4, 1]
  %0 = id.kernel "k0" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  // CHECK: func.func @f_p1(%{{.*}}: !id.seq<2**6, f32> {id.device_digits = array<i64: 6, 5>}) -> (!id.seq<2**6, f32> {id.device_digits = array<i64: 3, 2>})
  // CHECK: id.kernel "k1" grid
  // CHECK-NOT: dependent
  // CHECK: id.load {{.*}} [4, 3, 2, 6, 5, 1] : <2**6, f32> -> <2**6, "reg(6..5) lane(4) block(1) device(3..2)", f32>
  // CHECK: id.store {{.*}} [6, 5, 4, 3, 2, 1]
  %3 = id.kernel "k1" dependent(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [6, 5, 4, 3, 2, 1] : !s -> !b
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %2 : !s
  }
  return %3 : !s
}
