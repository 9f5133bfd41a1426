// Arrays in host memory are the beginnings of longer sequences where the program says so; others, and those of programs
// whose data are on the device, stay.
// RUN: idc-opt --id-lengthen-arrays --split-input-file %s | FileCheck %s

!s = !id.seq<5, f32>
!l = !id.seq<2**3, f32>

// CHECK: func.func @both(%[[X:.*]]: !id.seq<2**3, f32> {id.array = !id.seq<5, f32>}) -> (!id.seq<2**3, f32> {id.array = !id.seq<5, f32>})
// CHECK-NEXT: %[[Y:.*]] = id.pointwise(%[[X]])
// CHECK: arith.constant 5 : i64
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: arith.select %[[INSIDE]]
// CHECK-NOT: id.resize
// CHECK: return %[[Y]]
func.func @both(%x: !s) -> !s attributes {id.memory = 1024 : i64} {
  %0 = id.resize %x lowest 1 : <5, f32> -> <2**3, f32> else {
    %2 = arith.constant 3.0 : f32
    id.yield %2 : f32
  }
  %1 = id.resize %0 lowest 3 : <2**3, f32> -> <5, f32>
  return %1 : !s
}

// Used as it is, too, or much shorter.
// CHECK: func.func @whole(%{{.*}}: !id.seq<5, f32>, %{{.*}}: !id.seq<3, f32>) -> (!id.seq<5, f32>, !id.seq<2**3, f32>, !id.seq<2**3, f32>)
func.func @whole(%x: !s, %y: !id.seq<3, f32>) -> (!s, !l, !l) attributes {id.memory = 1024 : i64} {
  %0 = id.resize %x lowest 1 : <5, f32> -> <2**3, f32> else {
    %2 = arith.constant 3.0 : f32
    id.yield %2 : f32
  }
  %1 = id.resize %y lowest 1 : <3, f32> -> <2**3, f32> else {
    %2 = arith.constant 3.0 : f32
    id.yield %2 : f32
  }
  return %x, %0, %1 : !s, !l, !l
}

// What others read is all there.
// CHECK: func.func @readElsewhere(%{{.*}}: !id.seq<2**3, f32>) -> (!id.seq<5, f32>, !id.seq<2**3, f32>)
func.func @readElsewhere(%x: !l) -> (!s, !l) attributes {id.memory = 1024 : i64} {
  %0 = id.pointwise(%x) : (!l) -> !l {
  ^bb0(%a: f32):
    %2 = arith.negf %a : f32
    id.yield %2 : f32
  }
  %1 = id.resize %0 lowest 3 : <2**3, f32> -> <5, f32>
  return %1, %0 : !s, !l
}

// CHECK: func.func @onDevice(%{{.*}}: !id.seq<2**3, f32>) -> !id.seq<5, f32>
func.func @onDevice(%x: !l) -> !s {
  %0 = id.resize %x lowest 3 : <2**3, f32> -> <5, f32>
  return %0 : !s
}
