// The function of a kernel on a GPU: what is known where its code begins.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/TileCode.h"
#include "compiler/passes/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace idc::conversion {

struct KernelFrame {
  KernelFrame(id::KernelOp kernel, const passes::Target &target, LoweredKernel &lowered, bool inPlace)
      : kernel(kernel), target(target), inPlace(inPlace), lowered(lowered), cut(cutSections(kernel, target.lanes)) {}

  id::KernelOp kernel;
  const passes::Target &target;
  bool inPlace;           // what the kernel writes may lie on what it reads
  bool several = false;   // of a team: its blocks may play several ranks each
  LoweredKernel &lowered; // what the launcher is told
  Sections cut;
  llvm::DenseMap<mlir::Value, BufferMemory> buffers; // the memory of the body's arguments and of what it stores
  Parameters parameters;
  mlir::Value batch;   // i64
  mlir::Value counter; // of the launch's protocol, in global memory; null where there is none
  mlir::Value thread;  // i32, in its block
  mlir::Value block;   // i32: the block, or with clusters the cluster, in the grid
  mlir::Value rank;    // i32, of the block in its cluster; null without clusters
  mlir::Value device;  // i32, of several that have a part of the tiles each; null without
};

/// Opens the function of a kernel, whose arguments are those of LoweredKernel. `startsNext`: the kernel after this one
/// is a dependent launch.
KernelFrame openKernel(TileCode &code, id::KernelOp kernel, mlir::LLVM::LLVMFuncOp function, LoweredKernel &lowered,
                       const passes::Target &target, bool inPlace, bool startsNext);

/// The body of an opened kernel, by the protocol that its launch has. Shared memory and the blocks of a problem are
/// written to `frame.lowered`.
mlir::LogicalResult emitKernel(TileCode &code, KernelFrame &frame);

} // namespace idc::conversion
