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
/// parameters, every step one op, its results the outputs. Unsupported elements (mod<P> arithmetic, run-time scalar
/// parameters) are reported through MLIR diagnostics at their source place and give a null module.
mlir::OwningOpRef<mlir::ModuleOp> generate(const frontend::Program &program, const llvm::SourceMgr &sources,
                                           mlir::MLIRContext &context);

} // namespace idc::irgen
