module {
  func.func @sums(%arg0: !id.seq<2**12, f32>) -> !id.seq<2**12, f32> attributes {id.entry, id.schedule = []} {
    %0 = id.kernel "sums_k0" team 4(%arg0) : (!id.seq<2**12, f32>) -> !id.seq<2**12, f32> {
    ^bb0(%arg1: !id.seq<2**12, f32>):
      %1 = id.load %arg1 [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**12, f32> -> <2**12, "reg(8, 1) lane(7..2) rank(10..9) turn(12..11)", f32>
      %2:2 = id.node [1](%1) : (!id.tile<2**12, "reg(8, 1) lane(7..2) rank(10..9) turn(12..11)", f32>) -> (!id.tile<2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32>, !id.tile<2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %3 = id.exchange %2#0 by shared <padded = true, words = 131, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 33, 7, 66> : <2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32> -> <2**11, "reg(4..1) lane(7..5) rank(9..8) turn(11..10)", f32>
      %4:2 = id.node [1](%3) : (!id.tile<2**11, "reg(4..1) lane(7..5) rank(9..8) turn(11..10)", f32>) -> (!id.tile<2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32>, !id.tile<2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %5:2 = id.node [1](%4#0) : (!id.tile<2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32>) -> (!id.tile<2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32>, !id.tile<2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %6:2 = id.node [1](%5#0) : (!id.tile<2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32>) -> (!id.tile<2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32>, !id.tile<2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %7:2 = id.node [1](%6#0) : (!id.tile<2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32>) -> (!id.tile<2**7, "lane(3..1) rank(5..4) turn(7..6)", f32>, !id.tile<2**7, "lane(3..1) rank(5..4) turn(7..6)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %8 = id.exchange %7#0 by shared <padded = true, words = 8, columns = 1, 1, 2, 2, 3, 4> : <2**7, "lane(3..1) rank(5..4) turn(7..6)", f32> -> <2**7, "reg(3..1) rank(5..4) turn(7..6)", f32>
      %9:2 = id.node [1](%8) : (!id.tile<2**7, "reg(3..1) rank(5..4) turn(7..6)", f32>) -> (!id.tile<2**6, "reg(2..1) rank(4..3) turn(6..5)", f32>, !id.tile<2**6, "reg(2..1) rank(4..3) turn(6..5)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %10:2 = id.node [1](%9#0) : (!id.tile<2**6, "reg(2..1) rank(4..3) turn(6..5)", f32>) -> (!id.tile<2**5, "reg(1) rank(3..2) turn(5..4)", f32>, !id.tile<2**5, "reg(1) rank(3..2) turn(5..4)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %11:2 = id.node [1](%10#0) : (!id.tile<2**5, "reg(1) rank(3..2) turn(5..4)", f32>) -> (!id.tile<2**4, "rank(2..1) turn(4..3)", f32>, !id.tile<2**4, "rank(2..1) turn(4..3)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %12 = id.exchange %11#0 by grid <padded = true, words = 4, columns = 1, 1, 2, 2> : <2**4, "rank(2..1) turn(4..3)", f32> -> <2**4, "reg(2..1) rank(_, _) turn(4..3)", f32>
      %13:2 = id.node [1](%12) : (!id.tile<2**4, "reg(2..1) rank(_, _) turn(4..3)", f32>) -> (!id.tile<2**3, "reg(1) rank(_, _) turn(3..2)", f32>, !id.tile<2**3, "reg(1) rank(_, _) turn(3..2)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %14:2 = id.node [1](%13#0) : (!id.tile<2**3, "reg(1) rank(_, _) turn(3..2)", f32>) -> (!id.tile<2**2, "rank(_, _) turn(2..1)", f32>, !id.tile<2**2, "rank(_, _) turn(2..1)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %15 = id.exchange %14#0 by shared <padded = true, words = 1> : <2**2, "rank(_, _) turn(2..1)", f32> -> <2**2, "rank(_, _) turn(2..1)", f32>
      %16:2 = id.node [1](%15) : (!id.tile<2**2, "rank(_, _) turn(2..1)", f32>) -> (!id.tile<2, "rank(_, _) turn(1, _)", f32>, !id.tile<2, "rank(_, _) turn(1, _)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %17:2 = id.node [1](%16#0) : (!id.tile<2, "rank(_, _) turn(1, _)", f32>) -> (!id.tile<1, "rank(_, _) turn(_, _)", f32>, !id.tile<1, "rank(_, _) turn(_, _)", f32>) {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %46, %arg2 : f32, f32
      }
      %18 = id.pointwise(%17#0) : (!id.tile<1, "rank(_, _) turn(_, _)", f32>) -> !id.tile<1, "rank(_, _) turn(_, _)", f32> {
      ^bb0(%arg2: f32):
        %cst = arith.constant 0.000000e+00 : f32
        id.yield %cst : f32
      }
      %19 = id.node [1](%18, %17#1) : (!id.tile<1, "rank(_, _) turn(_, _)", f32>, !id.tile<1, "rank(_, _) turn(_, _)", f32>) -> !id.tile<2, "rank(_, _) turn(1, _)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %20 = id.node [1](%19, %16#1) : (!id.tile<2, "rank(_, _) turn(1, _)", f32>, !id.tile<2, "rank(_, _) turn(1, _)", f32>) -> !id.tile<2**2, "rank(_, _) turn(2..1)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %21 = id.exchange %20 by shared <padded = true, words = 1> : <2**2, "rank(_, _) turn(2..1)", f32> -> <2**2, "rank(_, _) turn(2..1)", f32>
      %22 = id.exchange %14#1 by shared <padded = true, words = 1> : <2**2, "rank(_, _) turn(2..1)", f32> -> <2**2, "rank(_, _) turn(2..1)", f32>
      %23 = id.node [1](%21, %22) : (!id.tile<2**2, "rank(_, _) turn(2..1)", f32>, !id.tile<2**2, "rank(_, _) turn(2..1)", f32>) -> !id.tile<2**3, "reg(1) rank(_, _) turn(3..2)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %24 = id.exchange %13#1 by shared <padded = true, words = 2, columns = 1, 1> : <2**3, "reg(1) rank(_, _) turn(3..2)", f32> -> <2**3, "reg(1) rank(_, _) turn(3..2)", f32>
      %25 = id.node [1](%23, %24) : (!id.tile<2**3, "reg(1) rank(_, _) turn(3..2)", f32>, !id.tile<2**3, "reg(1) rank(_, _) turn(3..2)", f32>) -> !id.tile<2**4, "reg(2..1) rank(_, _) turn(4..3)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %26 = id.exchange %25 by shared <padded = true, words = 4, columns = 1, 1, 2, 2> : <2**4, "reg(2..1) rank(_, _) turn(4..3)", f32> -> <2**4, "rank(2..1) turn(4..3)", f32>
      %27 = id.exchange %11#1 by shared <padded = true, words = 1> : <2**4, "rank(2..1) turn(4..3)", f32> -> <2**4, "rank(2..1) turn(4..3)", f32>
      %28 = id.node [1](%26, %27) : (!id.tile<2**4, "rank(2..1) turn(4..3)", f32>, !id.tile<2**4, "rank(2..1) turn(4..3)", f32>) -> !id.tile<2**5, "reg(1) rank(3..2) turn(5..4)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %29 = id.exchange %10#1 by shared <padded = true, words = 2, columns = 1, 1> : <2**5, "reg(1) rank(3..2) turn(5..4)", f32> -> <2**5, "reg(1) rank(3..2) turn(5..4)", f32>
      %30 = id.node [1](%28, %29) : (!id.tile<2**5, "reg(1) rank(3..2) turn(5..4)", f32>, !id.tile<2**5, "reg(1) rank(3..2) turn(5..4)", f32>) -> !id.tile<2**6, "reg(2..1) rank(4..3) turn(6..5)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %31 = id.exchange %9#1 by shared <padded = true, words = 4, columns = 1, 1, 2, 2> : <2**6, "reg(2..1) rank(4..3) turn(6..5)", f32> -> <2**6, "reg(2..1) rank(4..3) turn(6..5)", f32>
      %32 = id.node [1](%30, %31) : (!id.tile<2**6, "reg(2..1) rank(4..3) turn(6..5)", f32>, !id.tile<2**6, "reg(2..1) rank(4..3) turn(6..5)", f32>) -> !id.tile<2**7, "reg(3..1) rank(5..4) turn(7..6)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %33 = id.exchange %32 by shared <padded = true, words = 8, columns = 1, 1, 2, 2, 3, 4> : <2**7, "reg(3..1) rank(5..4) turn(7..6)", f32> -> <2**7, "lane(3..1) rank(5..4) turn(7..6)", f32>
      %34 = id.exchange %7#1 by shared <padded = true, words = 8, columns = 1, 1, 2, 2, 3, 4> : <2**7, "lane(3..1) rank(5..4) turn(7..6)", f32> -> <2**7, "lane(3..1) rank(5..4) turn(7..6)", f32>
      %35 = id.node [1](%33, %34) : (!id.tile<2**7, "lane(3..1) rank(5..4) turn(7..6)", f32>, !id.tile<2**7, "lane(3..1) rank(5..4) turn(7..6)", f32>) -> !id.tile<2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %36 = id.exchange %6#1 by shared <padded = true, words = 16, columns = 1, 1, 2, 2, 3, 4, 4, 8> : <2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32> -> <2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32>
      %37 = id.node [1](%35, %36) : (!id.tile<2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32>, !id.tile<2**8, "reg(1) lane(4..2) rank(6..5) turn(8..7)", f32>) -> !id.tile<2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %38 = id.exchange %5#1 by shared <padded = true, words = 32, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16> : <2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32> -> <2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32>
      %39 = id.node [1](%37, %38) : (!id.tile<2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32>, !id.tile<2**9, "reg(2..1) lane(5..3) rank(7..6) turn(9..8)", f32>) -> !id.tile<2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %40 = id.exchange %4#1 by shared <padded = true, words = 64, columns = 1, 8, 2, 16, 3, 32, 4, 1, 5, 2, 6, 4> : <2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32> -> <2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32>
      %41 = id.node [1](%39, %40) : (!id.tile<2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32>, !id.tile<2**10, "reg(3..1) lane(6..4) rank(8..7) turn(10..9)", f32>) -> !id.tile<2**11, "reg(4..1) lane(7..5) rank(9..8) turn(11..10)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %42 = id.exchange %41 by shared <padded = true, words = 131, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 33, 7, 66> : <2**11, "reg(4..1) lane(7..5) rank(9..8) turn(11..10)", f32> -> <2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32>
      %43 = id.exchange %2#1 by shared <padded = true, words = 128, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64> : <2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32> -> <2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32>
      %44 = id.node [1](%42, %43) : (!id.tile<2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32>, !id.tile<2**11, "reg(7) lane(6..1) rank(9..8) turn(11..10)", f32>) -> !id.tile<2**12, "reg(8, 1) lane(7..2) rank(10..9) turn(12..11)", f32> {
      ^bb0(%arg2: f32, %arg3: f32):
        %46 = arith.addf %arg2, %arg3 : f32
        id.yield %arg2, %46 : f32, f32
      }
      %45 = id.store %44 [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**12, "reg(8, 1) lane(7..2) rank(10..9) turn(12..11)", f32> -> <2**12, f32>
      id.yield %45 : !id.seq<2**12, f32>
    }
    return %0 : !id.seq<2**12, f32>
  }
}
