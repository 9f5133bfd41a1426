//===- QuickCheck.h - launches that are right at a glance -------*- C++ -*-===//
//
// What a launch checks takes as long as a transform of 64 numbers: layouts are walked through, so that arrays may lie
// between each other. Nearly all arrays lie apart as wholes, which a few comparisons tell.

#ifndef IDC_RUNTIME_LIB_QUICKCHECK_H
#define IDC_RUNTIME_LIB_QUICKCHECK_H

#include "Manifest.h"

#include <vector>

namespace idc::runtime {

class QuickCheck {
public:
  explicit QuickCheck(const Manifest &manifest);

  /// Whether a launch passes all checks for sure: pointers are there and aligned, and what lies from the first to the
  /// last byte of an array, or of the workspace, is apart from all others, if one of both is written, or the same where
  /// it may be. False says nothing. batch >= 1.
  bool passes(int64_t batch, const void *const *inputs, void *const *outputs, const void *workspace) const;

private:
  /// The memory of a plane from its first to its last byte, beside its pointer.
  struct Whole {
    int32_t pointer; // of all inputs or all outputs
    uintptr_t misaligned;
    int64_t begin, bytes, batchStride; // of one problem
    uint32_t replaces;                 // of an output: bits of the inputs whose pointer it may have
  };
  static constexpr size_t most = 8; // planes; more are compared with each other for too long
  std::vector<Whole> inputs, outputs;
  int64_t workspaceFixedBytes, workspaceBytesPerProblem;
  int64_t mostProblems = 0; // for which this looks, without an overflow of anything; 0: at none
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_QUICKCHECK_H
