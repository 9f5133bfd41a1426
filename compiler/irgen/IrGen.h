// From the elaborated program to the id dialect.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}

namespace idc::irgen {

/// A module with one function, named like the program's entry and marked `id.entry`: its arguments are the sequence
/// parameters, every step one op, its results the outputs; `id.scalars` lists the types of its run-time scalars. What
/// cannot be compiled is reported through MLIR diagnostics at its source place and gives a null module.
mlir::OwningOpRef<mlir::ModuleOp> generate(const frontend::Program &program, const llvm::SourceMgr &sources,
                                           mlir::MLIRContext &context);

} // namespace idc::irgen
