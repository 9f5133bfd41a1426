// The steps of a program in digit flow, as schedules number them, grouped into what kernels are made of.
#pragma once

#include "compiler/passes/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <vector>

namespace idc::passes {

/// Digits of one monomial of a chain's exponents: tables of roots of unity have so many index bits.
constexpr int maxMonomialDigits = 10;

/// One step: what is done just before a node, and the node.
struct FlowStep {
  llvm::SmallVector<mlir::Operation *> before; // twiddles and pointwise steps
  id::NodeOp node;
};

/// A value of the program as kernels see it: a buffer's sequence moved by `map`, repeated along the digits of the map
/// that it lacks.
struct FlowValue {
  mlir::Value buffer; // a function argument or the value of another segment
  digits::Permutation map;
  bool isRepeated() const { return map.size() > static_cast<int>(id::radicesOf(buffer.getType()).size()); }
};

/// Steps that a planner can spread over tiles: each takes the one sequence of the step before and keeps all digits;
/// elements are numbers of one size.
struct FlowChain {
  mlir::Value source; // what the first op takes
  FlowValue input;    // the same as a buffer
  std::vector<FlowStep> steps;
  int firstStep = 1;                          // number of steps[0] in the program
  llvm::SmallVector<mlir::Operation *> after; // what follows the last node
  id::PermuteOp permute;                      // the last permutation, or null
  id::SeqType type;                           // of the logical sequence; all steps keep its shape
  mlir::Value result;                         // the value that the chain makes

  /// True when all digits are of radix 2.
  bool isBinary() const {
    return llvm::all_of(type.getRadices(), [](int32_t radix) { return radix == 2; });
  }
};

/// What a group reads: a buffer's sequence, its digits named by the group's axes.
struct FlowLoad {
  FlowValue from;
  llvm::SmallVector<int> axes; // [digit-1], of the moved sequence
};

/// What a group writes: `value` moved by `map`, which is the function's value `made`.
struct FlowStore {
  mlir::Value value;
  digits::Permutation map;
  mlir::Value made;
};

/// Steps outside chains that one flat kernel does. A thread holds all values of the digits in registers and one of
/// every other digit. Digits of different values that run together are one *axis*; Groups.cpp finds them.
struct FlowGroup {
  llvm::SmallVector<mlir::Operation *> steps; // none: a value that is only moved
  std::vector<FlowLoad> loads;
  std::vector<FlowStore> stores;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int> loadOf; // step and operand -> load; others are made here
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int>> axes;           // of a value made here, [digit-1]
  llvm::SmallVector<int> radices;                                     // of every axis
  llvm::SmallVector<int> registers, blocks;                           // the axes in registers and the others, low first
};

/// A piece of the program that becomes kernels of its own.
struct FlowSegment {
  std::optional<FlowChain> chain;
  FlowGroup group; // without a chain
};

/// Where a result of the function is made: a segment, and of a group the store.
struct FlowResult {
  int segment;
  int store;
};

/// The segments of a function in an order in which they can run. A returned value that no segment makes (an argument, a
/// permutation, a value returned before) is moved by a segment of its own.
struct FlowProgram {
  std::vector<FlowSegment> segments;
  llvm::SmallVector<FlowResult> returned;
  llvm::DenseSet<mlir::Value> moved; // results of repetitions, and of permutations that no chain makes
  int numSteps = 0;                  // nodes inside chains, numbered from 1

  /// `value` as a buffer moved and repeated by what lies between them.
  FlowValue resolve(mlir::Value value) const;
};

/// The chains of a function, and every other step as a group of its own; of these only steps and stores are filled in.
/// Digits of other radices than 2 are in chains while a problem takes at most `maxMixedBytes`.
FlowProgram findSegments(mlir::func::FuncOp function, int64_t maxMixedBytes);

/// The digits of the node, or none.
llvm::SmallVector<int> digitsOf(id::NodeOp node);

} // namespace idc::passes
