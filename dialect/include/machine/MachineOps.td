// The machine dialect: what a GPU's threads and blocks do to each other. docs/lowering.md says who makes these ops.
#ifndef MACHINE_OPS_TD
#define MACHINE_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Machine_Dialect : Dialect {
  let name = "machine";
  let summary = "what a GPU's threads and blocks do to each other";
  let description = [{
    Numbers of threads and blocks, barriers, exchanges between lanes and between the blocks of a cluster, launches that
    overlap: all of a GPU that arithmetic, control flow, loads and stores cannot say. A kernel of the level `gpu` is made
    of these ops and of the dialects `llvm`, `arith`, `math`, `scf`. The emulator executes them; `id-machine-to-nvvm`
    turns them into what NVIDIA's GPUs have.

    Pointers are LLVM's: address space 1 is global memory, 3 the block's shared memory, 7 the shared memory of a block of
    the cluster.
  }];
  let cppNamespace = "::idc::machine";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

class Machine_Op<string mnemonic, list<Trait> traits = []> : Op<Machine_Dialect, mnemonic, traits>;

//===--- numbers ------------------------------------------------------------------------------------------------===//

class Machine_NumberOp<string mnemonic, list<Trait> traits> : Machine_Op<mnemonic, traits> {
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Machine_ThreadOp : Machine_NumberOp<"thread", [Pure]> { let summary = "the number of the thread in its block"; }
def Machine_BlockOp : Machine_NumberOp<"block", [Pure]> { let summary = "the number of the block in the grid"; }
def Machine_GridBlocksOp : Machine_NumberOp<"grid_blocks", [Pure]> { let summary = "how many blocks the grid has"; }

def Machine_ThreadHereOp : Machine_NumberOp<"thread_here", []> {
  let summary = "the number of the thread, read at this place and at no other";
  let description = [{
    What is derived from the value need not be kept in registers from one round of a loop to the next. So is
    `machine.block_here`.
  }];
}
def Machine_BlockHereOp : Machine_NumberOp<"block_here", []> {
  let summary = "the number of the block, read at this place and at no other";
}

def Machine_TimeOp : Machine_Op<"time"> {
  let summary = "nanoseconds by a clock that goes on, from some moment on";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

//===--- barriers -----------------------------------------------------------------------------------------------===//

class Machine_PlainOp<string mnemonic> : Machine_Op<mnemonic> { let assemblyFormat = "attr-dict"; }

def Machine_BarrierOp : Machine_PlainOp<"barrier"> {
  let summary = "all threads of the block meet, and see what each other has done before";
}
def Machine_WarpBarrierOp : Machine_PlainOp<"warp_barrier"> { let summary = "the same of the 32 threads of a warp"; }

def Machine_ArrivalOrder : I32EnumAttr<"ArrivalOrder", "what an arrival at a cluster's barrier orders", [
    I32EnumAttrCase<"Release", 0, "release">, I32EnumAttrCase<"Relaxed", 1, "relaxed">]> {
  let cppNamespace = "::idc::machine";
}
def Machine_ClusterArriveOp : Machine_Op<"cluster_arrive"> {
  let summary = "arrives at the barrier of the cluster's threads, for which `machine.cluster_wait` waits";
  let description = [{
    `release`: what the thread has done before is seen by those who have waited. `relaxed`: only that all have come this
    far is known, and reads whose values have been used are over.
  }];
  let arguments = (ins Machine_ArrivalOrder:$order);
  let assemblyFormat = "$order attr-dict";
}
def Machine_ClusterWaitOp : Machine_PlainOp<"cluster_wait"> {
  let summary = "waits until all threads of the cluster have arrived as often as this one";
}

//===--- exchanges ----------------------------------------------------------------------------------------------===//

def Machine_ShuffleKind : I32EnumAttr<"ShuffleKind", "which lane a value comes from", [
    I32EnumAttrCase<"Xor", 0, "xor">, I32EnumAttrCase<"From", 1, "from">]> {
  let cppNamespace = "::idc::machine";
}
def Machine_ShuffleOp : Machine_Op<"shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "a value of 32 bits that another lane of the warp has";
  let description = [{
    `xor`: of the lane whose number differs in the bits of `lane`; `from`: of lane number `lane`. All 32 lanes take part.
  }];
  let arguments = (ins Machine_ShuffleKind:$kind, AnyType:$value, I32:$lane);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value $kind $lane attr-dict `:` type($value)";
}

def Machine_PeerOp : Machine_Op<"peer", [Pure]> {
  let summary = "the same place in the shared memory of another block of the cluster, by its rank";
  let arguments = (ins LLVM_AnyPointer:$pointer, I32:$rank);
  let results = (outs LLVM_AnyPointer:$result);
  let assemblyFormat = "$pointer `rank` $rank attr-dict `:` type($pointer) `->` type($result)";
}

def Machine_SendOp : Machine_Op<"send"> {
  let summary = "stores one or two scalars in a block of the cluster, at some time, and counts their bytes there";
  let description = [{
    `place` and `phase` are in the shared memory of the receiver, whose bytes `phase` counts: the scalars, of 4 or 8
    bytes, are there when the phase is over.
  }];
  let arguments = (ins Variadic<AnyType>:$values, LLVM_AnyPointer:$place, LLVM_AnyPointer:$phase);
  let assemblyFormat = "$values `to` $place `counted` $phase attr-dict `:` type($values) `to` type($place) `,` type($phase)";
}

//===--- phases -------------------------------------------------------------------------------------------------===//

def Machine_PhaseInitOp : Machine_Op<"phase_init"> {
  let summary = "makes 8 bytes of shared memory count bytes, phase by phase";
  let arguments = (ins LLVM_AnyPointer:$phase);
  let assemblyFormat = "$phase attr-dict `:` type($phase)";
}
def Machine_PhasePublishOp : Machine_PlainOp<"phase_publish"> {
  let summary = "what this thread has initialised may be used by others of the cluster, once they know of it";
}
def Machine_PhaseExpectOp : Machine_Op<"phase_expect"> {
  let summary = "the phase is over when so many bytes have arrived, this op's thread having arrived too";
  let arguments = (ins LLVM_AnyPointer:$phase, I32:$bytes);
  let assemblyFormat = "$phase `,` $bytes attr-dict `:` type($phase)";
}
def Machine_PhaseOrder : I32EnumAttr<"PhaseOrder", "whose stores are seen when a phase is over", [
    I32EnumAttrCase<"Cluster", 0, "cluster">, I32EnumAttrCase<"Block", 1, "block">,
    I32EnumAttrCase<"Relaxed", 2, "relaxed">]> {
  let cppNamespace = "::idc::machine";
}
def Machine_PhaseOverOp : Machine_Op<"phase_over"> {
  let summary = "whether the phase of this parity, 0 for the first, is over; may say no for a while";
  let arguments = (ins LLVM_AnyPointer:$phase, I32:$parity, Machine_PhaseOrder:$order);
  let results = (outs I1:$result);
  let assemblyFormat = "$phase `,` $parity $order attr-dict `:` type($phase)";
}

//===--- launches -----------------------------------------------------------------------------------------------===//

def Machine_StartNextOp : Machine_PlainOp<"start_next"> {
  let summary = "the kernel after this one may start when all blocks have come here or ended";
}
def Machine_AwaitPreviousOp : Machine_PlainOp<"await_previous"> {
  let summary = "waits until the kernels before this one have ended, and sees what they have stored";
}

//===--- memory -------------------------------------------------------------------------------------------------===//

def Machine_LoadStreamOp : Machine_Op<"load_stream"> {
  let summary = "loads a scalar or vector of 4, 8 or 16 bytes of global memory, which the cache need not keep";
  let arguments = (ins LLVM_AnyPointer:$pointer);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer) `->` type($result)";
}
def Machine_LoadOrderedOp : Machine_Op<"load_ordered"> {
  let summary = "loads 4 or 8 bytes of global memory before what the code behind it loads";
  let description = [{
    The assembler of a GPU may put every load before its first use. Of several values that one step takes, a thread then
    waits for one after the other; loads that keep their order are all on their way.
  }];
  let arguments = (ins LLVM_AnyPointer:$pointer);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer) `->` type($result)";
}
def Machine_StoreStreamOp : Machine_Op<"store_stream"> {
  let summary = "stores a scalar or vector of 4, 8 or 16 bytes to global memory, which the cache need not keep";
  let arguments = (ins AnyType:$value, LLVM_AnyPointer:$pointer);
  let assemblyFormat = "$value `,` $pointer attr-dict `:` type($value) `,` type($pointer)";
}

#endif
