// Chains that one kernel does: a value that one of them makes for the others alone stays in registers.
//
//   x -> chain 1 -> a      a convolution: two values are transformed, multiplied, and the product is transformed back;
//   w -> chain 2 ---+-> y  the kernel does the steps of chain 1, then those of chain 2, which takes a on the way
//
// Which values these are follows from who takes what. Nothing is exchanged where both are held alike when they meet.
#pragma once

#include "compiler/passes/Schedule.h"
#include "compiler/passes/Steps.h"

namespace idc::passes {

/// One chain, or several that follow each other as segments of the program.
struct JoinedChains {
  llvm::SmallVector<FlowChain *> chains;
  /// [chain][digit-1]: the axis that a chain's digit is. Axis a is digit a + 1 of the last chain.
  llvm::SmallVector<llvm::SmallVector<int>> axes;

  FlowChain &last() const { return *chains.back(); }
  int firstStep() const { return chains.front()->firstStep; }
  /// True where addresses are put together from bits in all of them.
  bool isOfBits() const {
    return llvm::all_of(chains, [](const FlowChain *chain) { return chain->isOfBits(); });
  }
  /// True for a value that one of the chains makes for the others.
  bool makes(mlir::Value value) const;
  /// True when chain `number` begins with a buffer, not with what one before it makes.
  bool loads(size_t number) const { return !makes(chains[number]->input.buffer); }
  /// The chain that does a step of the program.
  size_t chainOf(int step) const;
  /// The axes, counted from 1, on which a step of the program acts.
  llvm::SmallVector<int> digitsOf(int step) const;
  /// The values that threads hold at a time: those that wait for another chain, and the one that is worked on.
  int valuesAtOnce() const;
};

/// Segments `first` … `last` of the program, when all are chains of which each but the last makes a value for those
/// behind it alone, and these take it whole.
std::optional<JoinedChains> joinChains(FlowProgram &program, size_t first, size_t last);

/// The last one of the chains from segment `first` on that a kernel does.
size_t lastChainOf(const KernelPlan &kernel, const FlowProgram &program, size_t first);

} // namespace idc::passes
