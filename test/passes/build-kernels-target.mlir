// The machine's limits are those of the pass's target.
// RUN: idc-opt %s "--id-form-chains=target=cpu" "--id-build-kernels=target=cpu" | FileCheck %s
// RUN: not idc-opt %s "--id-form-chains=target=sm_90" "--id-build-kernels=target=sm_90" 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not idc-opt %s "--id-build-kernels=target=abacus" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: id.load {{.*}} "reg(4) lane(3..1)"
// LANES: error: schedule: kernel 1: lane must have 32 values
// UNKNOWN: error: unknown target 'abacus'; known are cpu sm_75 sm_80
func.func @one_step(%x: !id.seq<2**4, f32>) -> !id.seq<2**4, f32> attributes {id.schedule = [
    {launch = "grid", ranges = [
      {first = 1 : i64, last = 1 : i64, map = "reg(4) lane(3..1)", range = "steps"}]}]} {
  %0 = id.node [4] (%x) : (!id.seq<2**4, f32>) -> !id.seq<2**4, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %0 : !id.seq<2**4, f32>
}
