// Short forms of what kernels need of the machine, beside the ops of the machine dialect: their frame, shared memory,
// and what blocks say to each other through words of global memory.
#pragma once

#include "machine/MachineDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace idc::conversion {

//===--- frame --------------------------------------------------------------------------------------------------===//

/// A gpu.module at the end of a module, with the name under which kernels reach their dynamic shared memory.
mlir::gpu::GPUModuleOp makeKernelModule(mlir::ModuleOp module);
/// A kernel with parameters of these types at the end of `b`'s block; its body is empty.
mlir::LLVM::LLVMFuncOp makeKernel(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                                  llvm::ArrayRef<mlir::Type> parameters);
/// The threads of a kernel's blocks, and how many blocks a multiprocessor shall have registers for.
void setLaunchBounds(mlir::LLVM::LLVMFuncOp kernel, int64_t threads, int64_t residentBlocks);

/// The attributes of kernels in which these stand.
constexpr const char kernelAttr[] = "machine.kernel", threadsAttr[] = "machine.threads",
                     residentBlocksAttr[] = "machine.resident_blocks";

//===--- memory -------------------------------------------------------------------------------------------------===//

/// The beginning of the block's shared memory.
mlir::Value sharedMemory(mlir::OpBuilder &b, mlir::Location loc);
/// `pointer`, in the block's shared memory, in that of the cluster's block of rank `rank` (i32).
mlir::Value peerMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, mlir::Value rank);

/// Adds 1 to a word of 32 bits and returns what it was: no two threads of the launch get the same. Orders nothing.
mlir::Value drawNumber(mlir::OpBuilder &b, mlir::Location loc, mlir::Value counter);
/// The same, and whoever reads the flag afterwards by readFlag() sees what this thread knows.
void raiseFlag(mlir::OpBuilder &b, mlir::Location loc, mlir::Value counter);
/// A word of 32 bits, and what those knew who have raised it so far.
mlir::Value readFlag(mlir::OpBuilder &b, mlir::Location loc, mlir::Value counter);
/// Stores and loads 64 bits that other blocks load and store at the same time: they are whole, and order nothing else.
void post(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bits, mlir::Value place);
mlir::Value readPost(mlir::OpBuilder &b, mlir::Location loc, mlir::Value place);

/// Stores a word of 64 bits, perhaps on another device; whoever then hears it sees what this thread knows, which is all
/// of what the kernels before on its stream have stored.
void tellDevice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value word, mlir::Value place);
/// A word of 64 bits, and what those knew who have told it.
mlir::Value hearDevice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value place);
/// The same words without what was known: they are whole, and order nothing else.
void markDevice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value word, mlir::Value place);
mlir::Value readMark(mlir::OpBuilder &b, mlir::Location loc, mlir::Value place);

} // namespace idc::conversion
