// What a schedule may say of any kernel, of a chain or of a group.
#pragma once

#include "compiler/passes/Target.h"

#include "dialect/digits/Launch.h"
#include "dialect/digits/Mapping.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace idc::passes {

/// A kernel of a schedule, as far as chains and groups are alike.
struct ScheduledKernel {
  size_t number;                            // in the schedule, from 0
  const digits::Launch &launch;             // of its blocks
  llvm::ArrayRef<digits::Mapping> mappings; // of its ranges; at least one
  int digits;                               // above them are those of the batch
  bool isChain;                             // one value, which all threads hold
  bool isOfBits;                            // all digits are of radix 2
};

/// What is wrong with its launch on this machine, or with its mappings beside the launch and each other; empty when
/// nothing is.
std::string checkKernel(const ScheduledKernel &kernel, const Target &target);

/// What is wrong where step `number` acts on these digits in this mapping; empty when a thread holds them, or works
/// through them in turns.
std::string checkActed(const digits::Mapping &mapping, llvm::ArrayRef<int> acted, int number, const char *digit);

} // namespace idc::passes
