!s = !id.seq<2**10, f32>
!u = !id.tile<2**10, "reg(8) lane(5..1) warp(7..6) rank(10..9)", f32>
!t = !id.tile<2**10, "reg(1) lane(6..2) warp(8..7) rank(10..9)", f32>
// Blocks of a cluster read each other's memory twice, then a block's own, and once more.
module {
  func.func @turned(%arg0: !s) -> !s attributes {id.entry, id.schedule = []} {
    %0 = id.kernel "turned_k0" cluster 4(%arg0) : (!s) -> !s {
    ^bb0(%arg1: !s):
      %1 = id.load %arg1 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !s -> !t
      %2 = id.exchange %1 by cluster <padded = true, words = 256, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128> : !t -> !t from [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] {
        %d1 = id.digit 1 : i64
        %d2 = id.digit 2 : i64
        %d3 = id.digit 3 : i64
        %d4 = id.digit 4 : i64
        %d5 = id.digit 5 : i64
        %d6 = id.digit 6 : i64
        %d7 = id.digit 7 : i64
        %d8 = id.digit 8 : i64
        %d9 = id.digit 9 : i64
        %d10 = id.digit 10 : i64
        %c2 = arith.constant 2 : i64
        %c4 = arith.constant 4 : i64
        %c8 = arith.constant 8 : i64
        %c16 = arith.constant 16 : i64
        %c32 = arith.constant 32 : i64
        %c64 = arith.constant 64 : i64
        %c128 = arith.constant 128 : i64
        %c256 = arith.constant 256 : i64
        %c512 = arith.constant 512 : i64
        %m2 = arith.muli %d2, %c2 : i64
        %s2 = arith.addi %d1, %m2 : i64
        %m3 = arith.muli %d3, %c4 : i64
        %s3 = arith.addi %s2, %m3 : i64
        %m4 = arith.muli %d4, %c8 : i64
        %s4 = arith.addi %s3, %m4 : i64
        %m5 = arith.muli %d5, %c16 : i64
        %s5 = arith.addi %s4, %m5 : i64
        %m6 = arith.muli %d6, %c32 : i64
        %s6 = arith.addi %s5, %m6 : i64
        %m7 = arith.muli %d7, %c64 : i64
        %s7 = arith.addi %s6, %m7 : i64
        %m8 = arith.muli %d8, %c128 : i64
        %s8 = arith.addi %s7, %m8 : i64
        %m9 = arith.muli %d9, %c256 : i64
        %s9 = arith.addi %s8, %m9 : i64
        %m10 = arith.muli %d10, %c512 : i64
        %s10 = arith.addi %s9, %m10 : i64
        %one = arith.constant 300 : i64
        %all = arith.constant 1024 : i64
        %more = arith.addi %s10, %one : i64
        %k = arith.remui %more, %all : i64
        id.yield %k : i64
      }
      %3 = id.exchange %2 by cluster <padded = true, words = 256, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128> : !t -> !t from [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] {
        %d1 = id.digit 1 : i64
        %d2 = id.digit 2 : i64
        %d3 = id.digit 3 : i64
        %d4 = id.digit 4 : i64
        %d5 = id.digit 5 : i64
        %d6 = id.digit 6 : i64
        %d7 = id.digit 7 : i64
        %d8 = id.digit 8 : i64
        %d9 = id.digit 9 : i64
        %d10 = id.digit 10 : i64
        %c2 = arith.constant 2 : i64
        %c4 = arith.constant 4 : i64
        %c8 = arith.constant 8 : i64
        %c16 = arith.constant 16 : i64
        %c32 = arith.constant 32 : i64
        %c64 = arith.constant 64 : i64
        %c128 = arith.constant 128 : i64
        %c256 = arith.constant 256 : i64
        %c512 = arith.constant 512 : i64
        %m2 = arith.muli %d2, %c2 : i64
        %s2 = arith.addi %d1, %m2 : i64
        %m3 = arith.muli %d3, %c4 : i64
        %s3 = arith.addi %s2, %m3 : i64
        %m4 = arith.muli %d4, %c8 : i64
        %s4 = arith.addi %s3, %m4 : i64
        %m5 = arith.muli %d5, %c16 : i64
        %s5 = arith.addi %s4, %m5 : i64
        %m6 = arith.muli %d6, %c32 : i64
        %s6 = arith.addi %s5, %m6 : i64
        %m7 = arith.muli %d7, %c64 : i64
        %s7 = arith.addi %s6, %m7 : i64
        %m8 = arith.muli %d8, %c128 : i64
        %s8 = arith.addi %s7, %m8 : i64
        %m9 = arith.muli %d9, %c256 : i64
        %s9 = arith.addi %s8, %m9 : i64
        %m10 = arith.muli %d10, %c512 : i64
        %s10 = arith.addi %s9, %m10 : i64
        %last = arith.constant 1023 : i64
        %k = arith.subi %last, %s10 : i64
        id.yield %k : i64
      }
      %4 = id.exchange %3 by shared <padded = true, words = 256, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128> : !t -> !u
      %5 = id.exchange %4 by cluster <padded = true, words = 256, columns = 1, 1, 2, 2, 3, 4, 4, 8, 5, 16, 6, 32, 7, 64, 8, 128> : !u -> !t from [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] {
        %d1 = id.digit 1 : i64
        %d2 = id.digit 2 : i64
        %d3 = id.digit 3 : i64
        %d4 = id.digit 4 : i64
        %d5 = id.digit 5 : i64
        %d6 = id.digit 6 : i64
        %d7 = id.digit 7 : i64
        %d8 = id.digit 8 : i64
        %d9 = id.digit 9 : i64
        %d10 = id.digit 10 : i64
        %c2 = arith.constant 2 : i64
        %c4 = arith.constant 4 : i64
        %c8 = arith.constant 8 : i64
        %c16 = arith.constant 16 : i64
        %c32 = arith.constant 32 : i64
        %c64 = arith.constant 64 : i64
        %c128 = arith.constant 128 : i64
        %c256 = arith.constant 256 : i64
        %c512 = arith.constant 512 : i64
        %m2 = arith.muli %d2, %c2 : i64
        %s2 = arith.addi %d1, %m2 : i64
        %m3 = arith.muli %d3, %c4 : i64
        %s3 = arith.addi %s2, %m3 : i64
        %m4 = arith.muli %d4, %c8 : i64
        %s4 = arith.addi %s3, %m4 : i64
        %m5 = arith.muli %d5, %c16 : i64
        %s5 = arith.addi %s4, %m5 : i64
        %m6 = arith.muli %d6, %c32 : i64
        %s6 = arith.addi %s5, %m6 : i64
        %m7 = arith.muli %d7, %c64 : i64
        %s7 = arith.addi %s6, %m7 : i64
        %m8 = arith.muli %d8, %c128 : i64
        %s8 = arith.addi %s7, %m8 : i64
        %m9 = arith.muli %d9, %c256 : i64
        %s9 = arith.addi %s8, %m9 : i64
        %m10 = arith.muli %d10, %c512 : i64
        %s10 = arith.addi %s9, %m10 : i64
        %one = arith.constant 300 : i64
        %all = arith.constant 1024 : i64
        %more = arith.addi %s10, %one : i64
        %k = arith.remui %more, %all : i64
        id.yield %k : i64
      }
      %6 = id.store %5 [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] : !t -> !s
      id.yield %6 : !s
    }
    return %0 : !s
  }
}
