// Run-time scalars of a program: as arguments of a kernel's function, and as leaves in its bodies.
#pragma once

#include "compiler/conversion/Codelet.h"

#include "id/IdDialect.h"

namespace idc::conversion {

/// The type that a leaf (no complex number) has in memory and as an argument: bool is a byte, mod<P> its residue.
mlir::Type storedType(mlir::Type leaf);

/// An argument that a kernel takes by value: a scalar, or one part of a complex one.
struct ScalarArgument {
  int index = 0;                 // of the scalar in the program's list
  int64_t offset = 0, bytes = 0; // of the part in the scalar's value
  mlir::Type type;               // storedType
};

/// The arguments for the scalars that a kernel's bodies use, in the order of the program's list.
std::vector<ScalarArgument> scalarArguments(id::KernelOp kernel);

/// What id.parameter gives, by its number.
using Parameters = llvm::DenseMap<int64_t, Leaf>;

/// The leaves of scalarArguments(kernel) from the arguments' values; `widen` makes a value of the type that bodies
/// compute in.
Parameters parametersOf(mlir::OpBuilder &b, mlir::Location loc, id::KernelOp kernel, mlir::ValueRange values,
                        llvm::function_ref<mlir::Value(mlir::Value)> widen);

} // namespace idc::conversion
