// Digits that number blocks number devices: those by which the input is divided, where a kernel has them, and for the
// second kernel, which acts on these, others. What lies between is where the second one needs it.
// RUN: idc-opt --id-place-devices %s | FileCheck %s

!s = !id.seq<2**6, f32>
!a = !id.tile<2**6, "reg(2..1) lane(3) block(6..4)", f32>
!b = !id.tile<2**6, "reg(6..5) lane(4) block(3..1)", f32>

// CHECK: func.func @f(%{{.*}}: !id.seq<2**6, f32> {id.device_digits = array<i64: 6, 5>}) -> (!id.seq<2**6, f32> {id.device_digits = array<i64: 6, 5>})
func.func @f(%x: !s) -> !s attributes {id.devices = 4 : i64} {
  // CHECK: id.kernel "k0" grid
  // CHECK-SAME: id.device_digits = [array<i64: 3, 2>]
  // CHECK: id.load {{.*}} "reg(2..1) lane(3) block(4) device(6..5)"
  %0 = id.kernel "k0" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [6, 5, 4, 3, 2, 1] : !s -> !a
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !a -> !s
    id.yield %2 : !s
  }
  // CHECK: id.kernel "k1" grid
  // CHECK-SAME: id.device_digits = [array<i64: 6, 5>]
  // CHECK: id.load {{.*}} "reg(6..5) lane(4) block(1) device(3..2)"
  %3 = id.kernel "k1" grid(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [6, 5, 4, 3, 2, 1] : !s -> !b
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %2 : !s
  }
  return %3 : !s
}

// A kernel whose blocks are too few runs on every device: what it takes is stored to all of them.
!w = !id.tile<2**6, "reg(6..5) lane(4..1)", f32>

// CHECK: func.func @few
func.func @few(%x: !s {id.distribution = "low"}) -> (!s {id.distribution = "all"}) attributes {id.devices = 2 : i64} {
  // CHECK: id.kernel "few_k0" grid
  // CHECK-SAME: id.device_digits = [array<i64>]
  // CHECK: "reg(6..5) lane(4) block(3..2) device(1)"
  %0 = id.kernel "few_k0" grid(%x) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [6, 5, 4, 3, 2, 1] : !s -> !b
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !b -> !s
    id.yield %2 : !s
  }
  // CHECK: id.kernel "few_k1" grid
  // CHECK-SAME: id.device_digits = [array<i64>]
  // CHECK: "reg(6..5) lane(4..1)"
  %3 = id.kernel "few_k1" grid(%0) : (!s) -> !s {
  ^bb0(%in: !s):
    %1 = id.load %in [6, 5, 4, 3, 2, 1] : !s -> !w
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !w -> !s
    id.yield %2 : !s
  }
  return %3 : !s
}
