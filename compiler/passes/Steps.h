// The steps of a program in digit flow, as schedules number them, grouped into what kernels are made of.
#pragma once

#include "compiler/passes/Passes.h"

#include <optional>
#include <vector>

namespace idc::passes {

/// One step: what is done just before a node, and the node.
struct FlowStep {
  llvm::SmallVector<mlir::Operation *> before; // twiddles and pointwise steps
  id::NodeOp node;
};

/// A value of the program as kernels see it: a buffer's sequence moved by `map`.
struct FlowValue {
  mlir::Value buffer; // a function argument or the value of another segment
  digits::Permutation map;
};

/// Steps that a planner can spread over tiles: each takes the one sequence of the step before and keeps all digits, all
/// of radix 2, elements single numbers.
struct FlowChain {
  FlowValue input;
  std::vector<FlowStep> steps;
  int firstStep = 1;                          // number of steps[0] in the program
  llvm::SmallVector<mlir::Operation *> after; // what follows the last node
  id::PermuteOp permute;                      // the last permutation, or null
  id::SeqType type;                           // of the logical sequence; all steps keep its shape
  mlir::Value result;                         // the value that the chain makes
};

/// A piece of the program that becomes kernels of its own: a chain, or one step that is none.
struct FlowSegment {
  std::optional<FlowChain> chain;
  mlir::Operation *step = nullptr;       // twiddle, pointwise or node; null with a chain
  llvm::SmallVector<FlowValue> operands; // of `step`; of a copy its one source
  mlir::Value copied;                    // a value that is only moved, to be returned; then `step` is null as well
};

/// The segments of a function in an order in which they can run. A segment's values are those of its ops in the
/// function; a returned value that no segment makes (an argument, a permutation, a value returned before) is copied by
/// a segment of its own, listed in `returned` at its place.
struct FlowProgram {
  std::vector<FlowSegment> segments;
  llvm::SmallVector<int> returned; // per result, the segment that makes it
  int numSteps = 0;                // nodes inside chains, numbered from 1
};

FlowProgram findSegments(mlir::func::FuncOp function);

/// The digits of the node, or none.
llvm::SmallVector<int> digitsOf(id::NodeOp node);

} // namespace idc::passes
