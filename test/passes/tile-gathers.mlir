// RUN: idc-opt %s --id-tile-gathers | FileCheck %s

// Blocks take the elements of an affine gather in tiles of sectors that need about the same sectors of the argument; a
// scatter, behind steps on each element alone, puts them where they belong. Of 2^21 elements none is tried.
// CHECK-LABEL: @tiled
// CHECK: %[[G:.*]] = id.gather %arg0 lowest 21 {id.tiled} : <2**21, f32> -> <2**21, f32> from
// CHECK: arith.constant 2097152 : i64
// CHECK: %[[P:.*]] = id.pointwise(%[[G]])
// CHECK: %[[S:.*]] = id.scatter %[[P]] lowest 21 : <2**21, f32> -> <2**21, f32> to
// CHECK: return %[[S]]
func.func @tiled(%x: !id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  %0 = id.gather %x lowest 21 : <2**21, f32> -> <2**21, f32> from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %3 = id.digit 3 : i64
    %4 = id.digit 4 : i64
    %5 = id.digit 5 : i64
    %6 = id.digit 6 : i64
    %7 = id.digit 7 : i64
    %8 = id.digit 8 : i64
    %9 = id.digit 9 : i64
    %10 = id.digit 10 : i64
    %11 = id.digit 11 : i64
    %12 = id.digit 12 : i64
    %13 = id.digit 13 : i64
    %14 = id.digit 14 : i64
    %15 = id.digit 15 : i64
    %16 = id.digit 16 : i64
    %17 = id.digit 17 : i64
    %18 = id.digit 18 : i64
    %19 = id.digit 19 : i64
    %20 = id.digit 20 : i64
    %21 = id.digit 21 : i64
    %c2 = arith.constant 2 : i64
    %m2 = arith.muli %2, %c2 : i64
    %s2 = arith.addi %1, %m2 : i64
    %c3 = arith.constant 4 : i64
    %m3 = arith.muli %3, %c3 : i64
    %s3 = arith.addi %s2, %m3 : i64
    %c4 = arith.constant 8 : i64
    %m4 = arith.muli %4, %c4 : i64
    %s4 = arith.addi %s3, %m4 : i64
    %c5 = arith.constant 16 : i64
    %m5 = arith.muli %5, %c5 : i64
    %s5 = arith.addi %s4, %m5 : i64
    %c6 = arith.constant 32 : i64
    %m6 = arith.muli %6, %c6 : i64
    %s6 = arith.addi %s5, %m6 : i64
    %c7 = arith.constant 64 : i64
    %m7 = arith.muli %7, %c7 : i64
    %s7 = arith.addi %s6, %m7 : i64
    %c8 = arith.constant 128 : i64
    %m8 = arith.muli %8, %c8 : i64
    %s8 = arith.addi %s7, %m8 : i64
    %c9 = arith.constant 256 : i64
    %m9 = arith.muli %9, %c9 : i64
    %s9 = arith.addi %s8, %m9 : i64
    %c10 = arith.constant 512 : i64
    %m10 = arith.muli %10, %c10 : i64
    %s10 = arith.addi %s9, %m10 : i64
    %c11 = arith.constant 1024 : i64
    %m11 = arith.muli %11, %c11 : i64
    %s11 = arith.addi %s10, %m11 : i64
    %c12 = arith.constant 2048 : i64
    %m12 = arith.muli %12, %c12 : i64
    %s12 = arith.addi %s11, %m12 : i64
    %c13 = arith.constant 4096 : i64
    %m13 = arith.muli %13, %c13 : i64
    %s13 = arith.addi %s12, %m13 : i64
    %c14 = arith.constant 8192 : i64
    %m14 = arith.muli %14, %c14 : i64
    %s14 = arith.addi %s13, %m14 : i64
    %c15 = arith.constant 16384 : i64
    %m15 = arith.muli %15, %c15 : i64
    %s15 = arith.addi %s14, %m15 : i64
    %c16 = arith.constant 32768 : i64
    %m16 = arith.muli %16, %c16 : i64
    %s16 = arith.addi %s15, %m16 : i64
    %c17 = arith.constant 65536 : i64
    %m17 = arith.muli %17, %c17 : i64
    %s17 = arith.addi %s16, %m17 : i64
    %c18 = arith.constant 131072 : i64
    %m18 = arith.muli %18, %c18 : i64
    %s18 = arith.addi %s17, %m18 : i64
    %c19 = arith.constant 262144 : i64
    %m19 = arith.muli %19, %c19 : i64
    %s19 = arith.addi %s18, %m19 : i64
    %c20 = arith.constant 524288 : i64
    %m20 = arith.muli %20, %c20 : i64
    %s20 = arith.addi %s19, %m20 : i64
    %c21 = arith.constant 1048576 : i64
    %m21 = arith.muli %21, %c21 : i64
    %s21 = arith.addi %s20, %m21 : i64
    %a = arith.constant 77 : i64
    %b = arith.constant 3 : i64
    %l = arith.constant 2097152 : i64
    %p = arith.muli %s21, %a : i64
    %q = arith.addi %p, %b : i64
    %n = arith.remsi %q, %l : i64
    id.yield %n : i64
  }
  %r = id.pointwise(%0) : (!id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    id.yield %n : f32
  }
  return %r : !id.seq<2**21, f32>
}

// Neighbours that are neighbours in the argument stay: warps read whole sectors.
// CHECK-LABEL: @mirrored
// CHECK-NOT: id.scatter
// CHECK: return
func.func @mirrored(%x: !id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  %0 = id.gather %x lowest 21 : <2**21, f32> -> <2**21, f32> from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %3 = id.digit 3 : i64
    %4 = id.digit 4 : i64
    %5 = id.digit 5 : i64
    %6 = id.digit 6 : i64
    %7 = id.digit 7 : i64
    %8 = id.digit 8 : i64
    %9 = id.digit 9 : i64
    %10 = id.digit 10 : i64
    %11 = id.digit 11 : i64
    %12 = id.digit 12 : i64
    %13 = id.digit 13 : i64
    %14 = id.digit 14 : i64
    %15 = id.digit 15 : i64
    %16 = id.digit 16 : i64
    %17 = id.digit 17 : i64
    %18 = id.digit 18 : i64
    %19 = id.digit 19 : i64
    %20 = id.digit 20 : i64
    %21 = id.digit 21 : i64
    %c2 = arith.constant 2 : i64
    %m2 = arith.muli %2, %c2 : i64
    %s2 = arith.addi %1, %m2 : i64
    %c3 = arith.constant 4 : i64
    %m3 = arith.muli %3, %c3 : i64
    %s3 = arith.addi %s2, %m3 : i64
    %c4 = arith.constant 8 : i64
    %m4 = arith.muli %4, %c4 : i64
    %s4 = arith.addi %s3, %m4 : i64
    %c5 = arith.constant 16 : i64
    %m5 = arith.muli %5, %c5 : i64
    %s5 = arith.addi %s4, %m5 : i64
    %c6 = arith.constant 32 : i64
    %m6 = arith.muli %6, %c6 : i64
    %s6 = arith.addi %s5, %m6 : i64
    %c7 = arith.constant 64 : i64
    %m7 = arith.muli %7, %c7 : i64
    %s7 = arith.addi %s6, %m7 : i64
    %c8 = arith.constant 128 : i64
    %m8 = arith.muli %8, %c8 : i64
    %s8 = arith.addi %s7, %m8 : i64
    %c9 = arith.constant 256 : i64
    %m9 = arith.muli %9, %c9 : i64
    %s9 = arith.addi %s8, %m9 : i64
    %c10 = arith.constant 512 : i64
    %m10 = arith.muli %10, %c10 : i64
    %s10 = arith.addi %s9, %m10 : i64
    %c11 = arith.constant 1024 : i64
    %m11 = arith.muli %11, %c11 : i64
    %s11 = arith.addi %s10, %m11 : i64
    %c12 = arith.constant 2048 : i64
    %m12 = arith.muli %12, %c12 : i64
    %s12 = arith.addi %s11, %m12 : i64
    %c13 = arith.constant 4096 : i64
    %m13 = arith.muli %13, %c13 : i64
    %s13 = arith.addi %s12, %m13 : i64
    %c14 = arith.constant 8192 : i64
    %m14 = arith.muli %14, %c14 : i64
    %s14 = arith.addi %s13, %m14 : i64
    %c15 = arith.constant 16384 : i64
    %m15 = arith.muli %15, %c15 : i64
    %s15 = arith.addi %s14, %m15 : i64
    %c16 = arith.constant 32768 : i64
    %m16 = arith.muli %16, %c16 : i64
    %s16 = arith.addi %s15, %m16 : i64
    %c17 = arith.constant 65536 : i64
    %m17 = arith.muli %17, %c17 : i64
    %s17 = arith.addi %s16, %m17 : i64
    %c18 = arith.constant 131072 : i64
    %m18 = arith.muli %18, %c18 : i64
    %s18 = arith.addi %s17, %m18 : i64
    %c19 = arith.constant 262144 : i64
    %m19 = arith.muli %19, %c19 : i64
    %s19 = arith.addi %s18, %m19 : i64
    %c20 = arith.constant 524288 : i64
    %m20 = arith.muli %20, %c20 : i64
    %s20 = arith.addi %s19, %m20 : i64
    %c21 = arith.constant 1048576 : i64
    %m21 = arith.muli %21, %c21 : i64
    %s21 = arith.addi %s20, %m21 : i64
    %a = arith.constant 2097151 : i64
    %b = arith.constant 3 : i64
    %l = arith.constant 2097152 : i64
    %p = arith.muli %s21, %a : i64
    %q = arith.addi %p, %b : i64
    %n = arith.remsi %q, %l : i64
    id.yield %n : i64
  }
  return %0 : !id.seq<2**21, f32>
}

// So do maps that are not one-to-one, and those that do not become results as they are.
// CHECK-LABEL: @strided
// CHECK-NOT: id.scatter
// CHECK: return
func.func @strided(%x: !id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  %0 = id.gather %x lowest 21 : <2**21, f32> -> <2**21, f32> from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %3 = id.digit 3 : i64
    %4 = id.digit 4 : i64
    %5 = id.digit 5 : i64
    %6 = id.digit 6 : i64
    %7 = id.digit 7 : i64
    %8 = id.digit 8 : i64
    %9 = id.digit 9 : i64
    %10 = id.digit 10 : i64
    %11 = id.digit 11 : i64
    %12 = id.digit 12 : i64
    %13 = id.digit 13 : i64
    %14 = id.digit 14 : i64
    %15 = id.digit 15 : i64
    %16 = id.digit 16 : i64
    %17 = id.digit 17 : i64
    %18 = id.digit 18 : i64
    %19 = id.digit 19 : i64
    %20 = id.digit 20 : i64
    %21 = id.digit 21 : i64
    %c2 = arith.constant 2 : i64
    %m2 = arith.muli %2, %c2 : i64
    %s2 = arith.addi %1, %m2 : i64
    %c3 = arith.constant 4 : i64
    %m3 = arith.muli %3, %c3 : i64
    %s3 = arith.addi %s2, %m3 : i64
    %c4 = arith.constant 8 : i64
    %m4 = arith.muli %4, %c4 : i64
    %s4 = arith.addi %s3, %m4 : i64
    %c5 = arith.constant 16 : i64
    %m5 = arith.muli %5, %c5 : i64
    %s5 = arith.addi %s4, %m5 : i64
    %c6 = arith.constant 32 : i64
    %m6 = arith.muli %6, %c6 : i64
    %s6 = arith.addi %s5, %m6 : i64
    %c7 = arith.constant 64 : i64
    %m7 = arith.muli %7, %c7 : i64
    %s7 = arith.addi %s6, %m7 : i64
    %c8 = arith.constant 128 : i64
    %m8 = arith.muli %8, %c8 : i64
    %s8 = arith.addi %s7, %m8 : i64
    %c9 = arith.constant 256 : i64
    %m9 = arith.muli %9, %c9 : i64
    %s9 = arith.addi %s8, %m9 : i64
    %c10 = arith.constant 512 : i64
    %m10 = arith.muli %10, %c10 : i64
    %s10 = arith.addi %s9, %m10 : i64
    %c11 = arith.constant 1024 : i64
    %m11 = arith.muli %11, %c11 : i64
    %s11 = arith.addi %s10, %m11 : i64
    %c12 = arith.constant 2048 : i64
    %m12 = arith.muli %12, %c12 : i64
    %s12 = arith.addi %s11, %m12 : i64
    %c13 = arith.constant 4096 : i64
    %m13 = arith.muli %13, %c13 : i64
    %s13 = arith.addi %s12, %m13 : i64
    %c14 = arith.constant 8192 : i64
    %m14 = arith.muli %14, %c14 : i64
    %s14 = arith.addi %s13, %m14 : i64
    %c15 = arith.constant 16384 : i64
    %m15 = arith.muli %15, %c15 : i64
    %s15 = arith.addi %s14, %m15 : i64
    %c16 = arith.constant 32768 : i64
    %m16 = arith.muli %16, %c16 : i64
    %s16 = arith.addi %s15, %m16 : i64
    %c17 = arith.constant 65536 : i64
    %m17 = arith.muli %17, %c17 : i64
    %s17 = arith.addi %s16, %m17 : i64
    %c18 = arith.constant 131072 : i64
    %m18 = arith.muli %18, %c18 : i64
    %s18 = arith.addi %s17, %m18 : i64
    %c19 = arith.constant 262144 : i64
    %m19 = arith.muli %19, %c19 : i64
    %s19 = arith.addi %s18, %m19 : i64
    %c20 = arith.constant 524288 : i64
    %m20 = arith.muli %20, %c20 : i64
    %s20 = arith.addi %s19, %m20 : i64
    %c21 = arith.constant 1048576 : i64
    %m21 = arith.muli %21, %c21 : i64
    %s21 = arith.addi %s20, %m21 : i64
    %a = arith.constant 76 : i64
    %b = arith.constant 3 : i64
    %l = arith.constant 2097152 : i64
    %p = arith.muli %s21, %a : i64
    %q = arith.addi %p, %b : i64
    %n = arith.remsi %q, %l : i64
    id.yield %n : i64
  }
  return %0 : !id.seq<2**21, f32>
}

// A step that names digits needs them to count the result.
// CHECK-LABEL: @counted
// CHECK-NOT: id.scatter
// CHECK: return
func.func @counted(%x: !id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  %0 = id.gather %x lowest 21 : <2**21, f32> -> <2**21, f32> from {
    %1 = id.digit 1 : i64
    %2 = id.digit 2 : i64
    %3 = id.digit 3 : i64
    %4 = id.digit 4 : i64
    %5 = id.digit 5 : i64
    %6 = id.digit 6 : i64
    %7 = id.digit 7 : i64
    %8 = id.digit 8 : i64
    %9 = id.digit 9 : i64
    %10 = id.digit 10 : i64
    %11 = id.digit 11 : i64
    %12 = id.digit 12 : i64
    %13 = id.digit 13 : i64
    %14 = id.digit 14 : i64
    %15 = id.digit 15 : i64
    %16 = id.digit 16 : i64
    %17 = id.digit 17 : i64
    %18 = id.digit 18 : i64
    %19 = id.digit 19 : i64
    %20 = id.digit 20 : i64
    %21 = id.digit 21 : i64
    %c2 = arith.constant 2 : i64
    %m2 = arith.muli %2, %c2 : i64
    %s2 = arith.addi %1, %m2 : i64
    %c3 = arith.constant 4 : i64
    %m3 = arith.muli %3, %c3 : i64
    %s3 = arith.addi %s2, %m3 : i64
    %c4 = arith.constant 8 : i64
    %m4 = arith.muli %4, %c4 : i64
    %s4 = arith.addi %s3, %m4 : i64
    %c5 = arith.constant 16 : i64
    %m5 = arith.muli %5, %c5 : i64
    %s5 = arith.addi %s4, %m5 : i64
    %c6 = arith.constant 32 : i64
    %m6 = arith.muli %6, %c6 : i64
    %s6 = arith.addi %s5, %m6 : i64
    %c7 = arith.constant 64 : i64
    %m7 = arith.muli %7, %c7 : i64
    %s7 = arith.addi %s6, %m7 : i64
    %c8 = arith.constant 128 : i64
    %m8 = arith.muli %8, %c8 : i64
    %s8 = arith.addi %s7, %m8 : i64
    %c9 = arith.constant 256 : i64
    %m9 = arith.muli %9, %c9 : i64
    %s9 = arith.addi %s8, %m9 : i64
    %c10 = arith.constant 512 : i64
    %m10 = arith.muli %10, %c10 : i64
    %s10 = arith.addi %s9, %m10 : i64
    %c11 = arith.constant 1024 : i64
    %m11 = arith.muli %11, %c11 : i64
    %s11 = arith.addi %s10, %m11 : i64
    %c12 = arith.constant 2048 : i64
    %m12 = arith.muli %12, %c12 : i64
    %s12 = arith.addi %s11, %m12 : i64
    %c13 = arith.constant 4096 : i64
    %m13 = arith.muli %13, %c13 : i64
    %s13 = arith.addi %s12, %m13 : i64
    %c14 = arith.constant 8192 : i64
    %m14 = arith.muli %14, %c14 : i64
    %s14 = arith.addi %s13, %m14 : i64
    %c15 = arith.constant 16384 : i64
    %m15 = arith.muli %15, %c15 : i64
    %s15 = arith.addi %s14, %m15 : i64
    %c16 = arith.constant 32768 : i64
    %m16 = arith.muli %16, %c16 : i64
    %s16 = arith.addi %s15, %m16 : i64
    %c17 = arith.constant 65536 : i64
    %m17 = arith.muli %17, %c17 : i64
    %s17 = arith.addi %s16, %m17 : i64
    %c18 = arith.constant 131072 : i64
    %m18 = arith.muli %18, %c18 : i64
    %s18 = arith.addi %s17, %m18 : i64
    %c19 = arith.constant 262144 : i64
    %m19 = arith.muli %19, %c19 : i64
    %s19 = arith.addi %s18, %m19 : i64
    %c20 = arith.constant 524288 : i64
    %m20 = arith.muli %20, %c20 : i64
    %s20 = arith.addi %s19, %m20 : i64
    %c21 = arith.constant 1048576 : i64
    %m21 = arith.muli %21, %c21 : i64
    %s21 = arith.addi %s20, %m21 : i64
    %a = arith.constant 77 : i64
    %b = arith.constant 3 : i64
    %l = arith.constant 2097152 : i64
    %p = arith.muli %s21, %a : i64
    %q = arith.addi %p, %b : i64
    %n = arith.remsi %q, %l : i64
    id.yield %n : i64
  }
  %r = id.pointwise(%0) : (!id.seq<2**21, f32>) -> !id.seq<2**21, f32> {
  ^bb0(%a: f32):
    %t = id.digit 1 : i64
    %v = arith.sitofp %t : i64 to f32
    %n = arith.addf %a, %v : f32
    id.yield %n : f32
  }
  return %r : !id.seq<2**21, f32>
}
