// The planner writes a schedule for a machine; one that stands there is kept.
// RUN: idc-opt %s "--id-form-chains=target=sm_90" "--id-plan-stages=target=sm_90" | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: idc-opt %s "--id-form-chains=target=sm_80" "--id-plan-stages=target=sm_80" | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: idc-opt %s "--id-form-chains=target=cpu" "--id-plan-stages=target=cpu" | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: not idc-opt %s "--id-plan-stages=target=abacus" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: unknown target 'abacus'; known are cpu sm_75 sm_80

// GPU-LABEL: func.func @minima
// GPU-SAME: id.schedule = [{launch = "grid", ranges = [
// GPU-SAME: first = 1 : i64
// GPU-SAME: lane({{[^)]*, [^)]*|[0-9]+\.\.[0-9]+}})
// GPU-NEXT: id.node [2]
// CPU-LABEL: func.func @minima
// CPU-SAME: {first = 1 : i64, last = 2 : i64, map = "reg({{[^"]*}}) lane({{[^"]*}})", range = "steps"}
// CPU-NEXT: id.node [2]
func.func @minima(%x: !id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  %0 = id.node [2] (%x) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  %1 = id.node [6] (%0) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: f32, %b: f32):
    %l = arith.minimumf %a, %b : f32
    %h = arith.maximumf %a, %b : f32
    id.yield %l, %h : f32, f32
  }
  return %1 : !id.seq<2**6, f32>
}

// No node at all: one kernel that moves data.
// CHECK-LABEL: func.func @reverse
// GPU-SAME: range = "load"
// GPU-SAME: range = "store"
// CHECK-NOT: range = "steps"
// CHECK: return
func.func @reverse(%x: !id.seq<2**4, f32>) -> !id.seq<2**4, f32> {
  %0 = id.permute %x [1, 2, 3, 4] : !id.seq<2**4, f32> -> !id.seq<2**4, f32>
  return %0 : !id.seq<2**4, f32>
}

// CHECK-LABEL: func.func @kept
// CHECK-SAME: id.schedule = "mine"
func.func @kept(%x: !id.seq<2**4, f32>) -> !id.seq<2**4, f32> attributes {id.schedule = "mine"} {
  return %x : !id.seq<2**4, f32>
}
