// Schedules that do not fit their program or machine.
// RUN: idc-opt %s --id-form-chains --id-build-kernels --split-input-file --verify-diagnostics

!r = !id.seq<2**6, f32>

// expected-error@+1 {{has no schedule}}
func.func @no_schedule(%x: !r) -> !r {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: launches by team 4 cannot be generated for sm_90 so far}}
func.func @kind(%x: !r) -> !r attributes {id.schedule = [
    {launch = "team 4", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: rank must have as many values as the cluster or team has blocks, 2}}
func.func @cluster(%x: !r) -> !r attributes {id.schedule = [
    {launch = "cluster 2", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: needs a range}}
func.func @no_range(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = []}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: digit 3 is held twice}}
func.func @held_twice(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 3, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: a range's mapping must hold plain digits}}
func.func @columns(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, (1^4))", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: a range's mapping must hold plain digits}}
func.func @replicated(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(_, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: digit 4 is held by no field}}
func.func @missing(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(8, 7, 5, 3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: digit 6 is held by no field}}
func.func @missing_top(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "lane(5..1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: digit 7 is held by no field}}
func.func @missing_batch(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(8, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: ranges differ in the digits of the batch, in block, in device or in turn}}
func.func @digits_change(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 1 : i64, map = "reg(6) lane(5..1)", range = "steps"},
      {first = 2 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: ranges differ in the digits of the batch, in block, in device or in turn}}
func.func @blocks_change(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 1 : i64, map = "reg(6) lane(8..7, 5..4, 2) block(3, 1)", range = "steps"},
      {first = 2 : i64, last = 2 : i64, map = "reg(2) lane(8..7, 6..4) block(1, 3)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: rank must have as many values as the cluster or team has blocks, 1}}
func.func @rank(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(8..7, 5..3) rank(1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: turn is for blocks of a team}}
func.func @turn(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(8..7, 5..3) turn(1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: lane must have 32 values}}
func.func @lanes(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: more than 1024 threads}}
func.func @threads(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1) warp(13..8)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: expected steps from 1}}
func.func @not_from_1(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 2 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 2: expected steps from 2}}
func.func @repeated(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 1 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]},
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: expected steps from 1}}
func.func @reversed(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 0 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: the program has 2 steps}}
func.func @too_many(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 3 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: steps from 2 are missing}}
func.func @too_few(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 1 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: step 2 acts on digit 2, which is not in registers}}
func.func @in_lanes(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6) lane(5..1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: order names every digit once}}
func.func @order_short(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", order = array<i64: 3, 2, 1>, ranges = [{first = 1 : i64, last = 1 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]},
    {launch = "grid", ranges = [{first = 2 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: order names every digit once}}
func.func @order_twice(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", order = array<i64: 1, 2, 3, 4, 5, 5>, ranges = [{first = 1 : i64, last = 1 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]},
    {launch = "grid", ranges = [{first = 2 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{schedule: kernel 1: the program decides the order of the last kernel's result}}
func.func @order_last(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", order = array<i64: 1, 2, 3, 4, 5, 6>, ranges = [{first = 1 : i64, last = 2 : i64, map = "reg(6, 2) lane(7, 5..3, 1)", range = "steps"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{a kernel of a schedule needs 'launch' and 'ranges'}}
func.func @no_ranges(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid"}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{a range of a schedule needs 'range' and 'map'}}
func.func @no_map(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{range = "load"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{steps of a schedule need 'first' and 'last'}}
func.func @no_first(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{range = "steps", map = "reg(6, 2) lane(7, 5..3, 1)"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}

// -----

!r = !id.seq<2**6, f32>

// expected-error@+1 {{expected reg, lane, warp, rank, block, device or turn}}
func.func @map_text(%x: !r) -> !r attributes {id.schedule = [
    {launch = "grid", ranges = [{range = "load", map = "bank(6..1)"}]}]} {
  %0 = id.node [6] (%x) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  %1 = id.node [2] (%0) : (!r) -> !r {
  ^bb0(%a: f32, %b: f32):
    id.yield %b, %a : f32, f32
  }
  return %1 : !r
}
