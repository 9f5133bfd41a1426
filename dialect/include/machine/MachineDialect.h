// The machine dialect's C++ interface: what a GPU's threads and blocks do to each other. MachineOps.td defines the ops.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "machine/MachineDialect.h.inc"
#include "machine/MachineEnums.h.inc"
#define GET_OP_CLASSES
#include "machine/MachineOps.h.inc"

namespace idc::machine {

/// Address spaces of pointers: global memory, the block's shared memory, and that of a block of the cluster.
constexpr unsigned globalSpace = 1, sharedSpace = 3, clusterSpace = 7;

} // namespace idc::machine
