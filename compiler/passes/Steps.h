// The steps of a program in digit flow, as schedules number them.
#pragma once

#include "compiler/passes/Passes.h"

namespace idc::passes {

/// One step: what is done just before a node, and the node. In the last, nodeless step only `before` is filled.
struct FlowStep {
  llvm::SmallVector<mlir::Operation *> before; // twiddles and pointwise steps
  id::NodeOp node;
};

/// A program that is one chain: each step takes the sequence of the step before. Steps are numbered from 1.
struct FlowChain {
  mlir::Value input;
  llvm::SmallVector<FlowStep> steps;
  llvm::SmallVector<mlir::Operation *> after; // what follows the last node
  id::PermuteOp permute;                      // the last permutation, or null
  id::SeqType type;                           // of the logical sequence; all steps keep its shape
};

/// The chain of a function; emits an error at the first op that does not fit one and fails.
mlir::FailureOr<FlowChain> findChain(mlir::func::FuncOp function);

/// The digits of the node, or none.
llvm::SmallVector<int> digitsOf(id::NodeOp node);

} // namespace idc::passes
