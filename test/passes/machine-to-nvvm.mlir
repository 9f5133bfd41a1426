// What NVIDIA's GPUs have for the ops of the machine dialect.
// RUN: idc-opt %s -split-input-file -id-machine-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @numbers
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK: llvm.inline_asm has_side_effects {{.*}}"mov.u32 $0, %tid.x;", "=r"
// CHECK: llvm.inline_asm has_side_effects {{.*}}"mov.u32 $0, %ctaid.x;", "=r"
// CHECK: nvvm.read.ptx.sreg.globaltimer : i64
llvm.func @numbers(%out: !llvm.ptr<1>) {
  %thread = machine.thread : i32
  %block = machine.block : i32
  %blocks = machine.grid_blocks : i32
  %thread_here = machine.thread_here : i32
  %block_here = machine.block_here : i32
  %time = machine.time : i64
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @barriers
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: nvvm.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.cluster.arrive {
// CHECK: nvvm.griddepcontrol wait
llvm.func @barriers() {
  machine.start_next
  machine.barrier
  machine.warp_barrier
  machine.cluster_arrive relaxed
  machine.cluster_wait
  machine.cluster_arrive release
  machine.cluster_wait
  machine.await_previous
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @exchanges
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.shfl.sync idx
// CHECK: nvvm.mapa
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [$0], $1, [$2];", "l,f,l,~{memory}"
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [$0], {$1, $2}, [$3];", "l,d,d,l,~{memory}"
// CHECK: ld.global.cs.b64 $0, [$1];
// CHECK: ld.relaxed.cta.global.b32 $0, [$1];
// CHECK: st.global.cs.b64 [$0], $1;
// CHECK: ld.global.cs.b32 $0, [$1];
// CHECK: st.global.cs.b32 [$0], $1;
// CHECK: ld.global.cs.v2.b64 {$0, $1}, [$2];
// CHECK: st.global.cs.v2.b64 [$0], {$1, $2};
llvm.func @exchanges(%p: !llvm.ptr<3>, %g: !llvm.ptr<1>, %x: f32, %y: f64, %lane: i32) {
  %0 = machine.shuffle %x xor %lane : f32
  %1 = machine.shuffle %x from %lane : f32
  %peer = machine.peer %p rank %lane : !llvm.ptr<3> -> !llvm.ptr<7>
  machine.send %0 to %peer counted %peer : f32 to !llvm.ptr<7>, !llvm.ptr<7>
  machine.send %y, %y to %peer counted %peer : f64, f64 to !llvm.ptr<7>, !llvm.ptr<7>
  %2 = machine.load_stream %g : !llvm.ptr<1> -> i64
  %3 = machine.load_ordered %g : !llvm.ptr<1> -> i32
  machine.store_stream %2, %g : i64, !llvm.ptr<1>
  %4 = machine.load_stream %g : !llvm.ptr<1> -> i32
  machine.store_stream %4, %g : i32, !llvm.ptr<1>
  %5 = machine.load_stream %g : !llvm.ptr<1> -> vector<2xi64>
  machine.store_stream %5, %g : vector<2xi64>, !llvm.ptr<1>
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @phases
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.mbarrier.try_wait {{.*}}scope = #nvvm.mem_scope<cluster>
// CHECK-NOT: scope
llvm.func @phases(%p: !llvm.ptr<3>, %n: i32) {
  machine.phase_init %p : !llvm.ptr<3>
  machine.phase_publish
  machine.phase_expect %p, %n : !llvm.ptr<3>
  %0 = machine.phase_over %p, %n cluster : !llvm.ptr<3>
  %1 = machine.phase_over %p, %n block : !llvm.ptr<3>
  llvm.return
}

// -----

// A kernel's frame.
// CHECK: gpu.module @kernels attributes {llvm.data_layout = "e-p6:32:32
// CHECK: llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel, nvvm.minctasm = 4 : i32, nvvm.reqntid = array<i32: 256, 1, 1>}
gpu.module @kernels {
  llvm.func @kernel() attributes {machine.kernel, machine.resident_blocks = 4 : i32, machine.threads = 256 : i32} {
    llvm.return
  }
}
