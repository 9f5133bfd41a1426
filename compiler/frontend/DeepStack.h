// A stack for elaboration, which calls itself as deep as a program's functions do: one of its own, as that of the
// caller may be small.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace idc::frontend {

class DeepStack {
public:
  /// Runs `work` on the stack, in the locale of the caller, unless it is there already. What it throws is thrown here.
  void run(llvm::function_ref<void()> work);
  /// Whether so little is left that nothing more may nest; false outside of run().
  bool isNearlyFull() const;

private:
  uintptr_t begin = 0; // where run() began to use it; 0: outside
};

} // namespace idc::frontend
