// Passes of two and of eight tiles, with a ring of two problems between them: as few as there can be.
module {
  func.func @chain_first_n9(%arg0: !id.seq<2**9, f32>) -> !id.seq<2**9, f32> attributes {id.entry, id.schedule = [{axes = "axes 9..1: digits 9..1 of step 1", delay = 8 : i64, launch = "grid", ranges = [{first = 1 : i64, last = 3 : i64, map = "reg(9..7) lane(5..1) block(6)", range = "steps"}], ring = 2 : i64}, {axes = "axes 9..1: digits 9..1 of step 4", launch = "grid", ranges = [{range = "load", runs = 32 : i64}, {first = 4 : i64, last = 4 : i64, map = "reg(1) lane(6..2) block(9..7)", range = "steps"}, {range = "store", runs = 16 : i64}]}]} {
    %0 = id.kernel "chain_first_n9_k0" grid(%arg0) : (!id.seq<2**9, f32>) -> !id.seq<2**9, f32> {
    ^bb0(%arg1: !id.seq<2**9, f32>):
      %1 = id.load %arg1 [9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**9, f32> -> <2**9, "reg(9..7) lane(5..1) block(6)", f32>
      %2 = id.node [9](%1) : (!id.tile<2**9, "reg(9..7) lane(5..1) block(6)", f32>) -> !id.tile<2**9, "reg(9..7) lane(5..1) block(6)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %11 = arith.addf %arg2, %arg3 : f32
        %12 = arith.subf %arg2, %arg3 : f32
        id.yield %11, %12 : f32, f32
      }
      %3 = id.node [8](%2) : (!id.tile<2**9, "reg(9..7) lane(5..1) block(6)", f32>) -> !id.tile<2**9, "reg(9..7) lane(5..1) block(6)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %11 = arith.addf %arg2, %arg3 : f32
        %12 = arith.subf %arg2, %arg3 : f32
        id.yield %11, %12 : f32, f32
      }
      %4 = id.node [7](%3) : (!id.tile<2**9, "reg(9..7) lane(5..1) block(6)", f32>) -> !id.tile<2**9, "reg(9..7) lane(5..1) block(6)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %11 = arith.addf %arg2, %arg3 : f32
        %12 = arith.subf %arg2, %arg3 : f32
        id.yield %11, %12 : f32, f32
      }
      %5 = id.store %4 [9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**9, "reg(9..7) lane(5..1) block(6)", f32> -> <2**9, f32>
      %6 = id.ring %5 slots 2 delay 8 : <2**9, f32>
      %7 = id.load %6 [9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**9, f32> -> <2**9, "reg(1) lane(6..2) block(9..7)", f32>
      %8 = id.load %6 [-9, -8, -7, -6, -5, -4, -3, -2, -1] : <2**9, f32> -> <2**9, "reg(1) lane(6..2) block(9..7)", f32>
      %9 = id.pointwise(%7, %8) : (!id.tile<2**9, "reg(1) lane(6..2) block(9..7)", f32>, !id.tile<2**9, "reg(1) lane(6..2) block(9..7)", f32>) -> !id.tile<2**9, "reg(1) lane(6..2) block(9..7)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %cst = arith.constant 3.000000e+00 : f32
        %11 = arith.mulf %arg3, %cst : f32
        %12 = arith.addf %arg2, %11 : f32
        id.yield %12 : f32
      }
      %10 = id.store %9 [9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**9, "reg(1) lane(6..2) block(9..7)", f32> -> <2**9, f32>
      id.yield %10 : !id.seq<2**9, f32>
    }
    return %0 : !id.seq<2**9, f32>
  }
}
