module {
  func.func @maps(%arg0: !id.seq<2**9, !id.record<i32, i32>>) -> !id.seq<2**9, !id.record<i32, i32>> attributes {id.entry, id.schedule = []} {
    %0 = id.kernel "maps_k0" team 2(%arg0) : (!id.seq<2**9, !id.record<i32, i32>>) -> !id.seq<2**9, !id.record<i32, i32>> {
    ^bb0(%arg1: !id.seq<2**9, !id.record<i32, i32>>):
      %1 = id.load %arg1 [9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**9, !id.record<i32, i32>> -> <2**9, "reg(1) lane(7..2) rank(8) turn(9)", !id.record<i32, i32>>
      %2:2 = id.node [1](%1) : (!id.tile<2**9, "reg(1) lane(7..2) rank(8) turn(9)", !id.record<i32, i32>>) -> (!id.tile<2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>>, !id.tile<2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %3 = id.exchange %2#0 by shared <padded = true, words = 67, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 17, 6, 34> : <2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>> -> <2**8, "reg(3..1) lane(6..4) rank(7) turn(8)", !id.record<i32, i32>>
      %4:2 = id.node [1](%3) : (!id.tile<2**8, "reg(3..1) lane(6..4) rank(7) turn(8)", !id.record<i32, i32>>) -> (!id.tile<2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>>, !id.tile<2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %5:2 = id.node [1](%4#0) : (!id.tile<2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>>) -> (!id.tile<2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>>, !id.tile<2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %6:2 = id.node [1](%5#0) : (!id.tile<2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>>) -> (!id.tile<2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>>, !id.tile<2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %7 = id.exchange %6#0 by shared <padded = true, words = 8, columns = 1, 1, 2, 2, 3, 4> : <2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>> -> <2**5, "reg(3..1) rank(4) turn(5)", !id.record<i32, i32>>
      %8:2 = id.node [1](%7) : (!id.tile<2**5, "reg(3..1) rank(4) turn(5)", !id.record<i32, i32>>) -> (!id.tile<2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>>, !id.tile<2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %9:2 = id.node [1](%8#0) : (!id.tile<2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>>) -> (!id.tile<2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>>, !id.tile<2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %10:2 = id.node [1](%9#0) : (!id.tile<2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>>) -> (!id.tile<2**2, "rank(1) turn(2)", !id.record<i32, i32>>, !id.tile<2**2, "rank(1) turn(2)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %11 = id.exchange %10#0 by grid <padded = true, words = 2, columns = 1, 1> : <2**2, "rank(1) turn(2)", !id.record<i32, i32>> -> <2**2, "reg(1) rank(_) turn(2)", !id.record<i32, i32>>
      %12:2 = id.node [1](%11) : (!id.tile<2**2, "reg(1) rank(_) turn(2)", !id.record<i32, i32>>) -> (!id.tile<2, "rank(_) turn(1)", !id.record<i32, i32>>, !id.tile<2, "rank(_) turn(1)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %13 = id.exchange %12#0 by shared <padded = true, words = 1> : <2, "rank(_) turn(1)", !id.record<i32, i32>> -> <2, "rank(_) turn(1)", !id.record<i32, i32>>
      %14:2 = id.node [1](%13) : (!id.tile<2, "rank(_) turn(1)", !id.record<i32, i32>>) -> (!id.tile<1, "rank(_) turn(_)", !id.record<i32, i32>>, !id.tile<1, "rank(_) turn(_)", !id.record<i32, i32>>) {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %38, %40, %arg2, %arg3 : i32, i32, i32, i32
      }
      %15 = id.pointwise(%14#0) : (!id.tile<1, "rank(_) turn(_)", !id.record<i32, i32>>) -> !id.tile<1, "rank(_) turn(_)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32):
        %c1_i32 = arith.constant 1 : i32
        %c0_i32 = arith.constant 0 : i32
        id.yield %c1_i32, %c0_i32 : i32, i32
      }
      %16 = id.node [1](%15, %14#1) : (!id.tile<1, "rank(_) turn(_)", !id.record<i32, i32>>, !id.tile<1, "rank(_) turn(_)", !id.record<i32, i32>>) -> !id.tile<2, "rank(_) turn(1)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %17 = id.exchange %16 by shared <padded = true, words = 1> : <2, "rank(_) turn(1)", !id.record<i32, i32>> -> <2, "rank(_) turn(1)", !id.record<i32, i32>>
      %18 = id.exchange %12#1 by shared <padded = true, words = 1> : <2, "rank(_) turn(1)", !id.record<i32, i32>> -> <2, "rank(_) turn(1)", !id.record<i32, i32>>
      %19 = id.node [1](%17, %18) : (!id.tile<2, "rank(_) turn(1)", !id.record<i32, i32>>, !id.tile<2, "rank(_) turn(1)", !id.record<i32, i32>>) -> !id.tile<2**2, "reg(1) rank(_) turn(2)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %20 = id.exchange %19 by shared <padded = true, words = 2, columns = 1, 1> : <2**2, "reg(1) rank(_) turn(2)", !id.record<i32, i32>> -> <2**2, "rank(1) turn(2)", !id.record<i32, i32>>
      %21 = id.exchange %10#1 by shared <padded = true, words = 1> : <2**2, "rank(1) turn(2)", !id.record<i32, i32>> -> <2**2, "rank(1) turn(2)", !id.record<i32, i32>>
      %22 = id.node [1](%20, %21) : (!id.tile<2**2, "rank(1) turn(2)", !id.record<i32, i32>>, !id.tile<2**2, "rank(1) turn(2)", !id.record<i32, i32>>) -> !id.tile<2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %23 = id.exchange %9#1 by shared <padded = true, words = 2, columns = 1, 1> : <2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>> -> <2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>>
      %24 = id.node [1](%22, %23) : (!id.tile<2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>>, !id.tile<2**3, "reg(1) rank(2) turn(3)", !id.record<i32, i32>>) -> !id.tile<2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %25 = id.exchange %8#1 by shared <padded = true, words = 4, columns = 1, 1, 2, 2> : <2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>> -> <2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>>
      %26 = id.node [1](%24, %25) : (!id.tile<2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>>, !id.tile<2**4, "reg(2..1) rank(3) turn(4)", !id.record<i32, i32>>) -> !id.tile<2**5, "reg(3..1) rank(4) turn(5)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %27 = id.exchange %26 by shared <padded = true, words = 8, columns = 1, 1, 2, 2, 3, 4> : <2**5, "reg(3..1) rank(4) turn(5)", !id.record<i32, i32>> -> <2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>>
      %28 = id.exchange %6#1 by shared <padded = true, words = 8, columns = 1, 1, 2, 2, 3, 4> : <2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>> -> <2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>>
      %29 = id.node [1](%27, %28) : (!id.tile<2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>>, !id.tile<2**5, "lane(3..1) rank(4) turn(5)", !id.record<i32, i32>>) -> !id.tile<2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %30 = id.exchange %5#1 by shared <padded = true, words = 16, columns = 1, 1, 2, 2, 3, 4, 4, 8> : <2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>> -> <2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>>
      %31 = id.node [1](%29, %30) : (!id.tile<2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>>, !id.tile<2**6, "reg(1) lane(4..2) rank(5) turn(6)", !id.record<i32, i32>>) -> !id.tile<2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %32 = id.exchange %4#1 by shared <padded = true, words = 32, columns = 1, 8, 2, 16, 3, 1, 4, 2, 5, 4> : <2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>> -> <2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>>
      %33 = id.node [1](%31, %32) : (!id.tile<2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>>, !id.tile<2**7, "reg(2..1) lane(5..3) rank(6) turn(7)", !id.record<i32, i32>>) -> !id.tile<2**8, "reg(3..1) lane(6..4) rank(7) turn(8)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %34 = id.exchange %33 by shared <padded = true, words = 67, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 17, 6, 34> : <2**8, "reg(3..1) lane(6..4) rank(7) turn(8)", !id.record<i32, i32>> -> <2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>>
      %35 = id.exchange %2#1 by shared <padded = true, words = 64, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32> : <2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>> -> <2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>>
      %36 = id.node [1](%34, %35) : (!id.tile<2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>>, !id.tile<2**8, "lane(6..1) rank(7) turn(8)", !id.record<i32, i32>>) -> !id.tile<2**9, "reg(1) lane(7..2) rank(8) turn(9)", !id.record<i32, i32>> {
      ^bb0(%arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32):
        %38 = arith.muli %arg2, %arg4 : i32
        %39 = arith.muli %arg3, %arg4 : i32
        %40 = arith.addi %39, %arg5 : i32
        id.yield %arg2, %arg3, %38, %40 : i32, i32, i32, i32
      }
      %37 = id.store %36 [9, 8, 7, 6, 5, 4, 3, 2, 1] : <2**9, "reg(1) lane(7..2) rank(8) turn(9)", !id.record<i32, i32>> -> <2**9, !id.record<i32, i32>>
      id.yield %37 : !id.seq<2**9, !id.record<i32, i32>>
    }
    return %0 : !id.seq<2**9, !id.record<i32, i32>>
  }
}
