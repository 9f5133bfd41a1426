// The checks of one compiled program.
#pragma once
#include "Kernel.h"
#include "Reference.h"
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpucheck {

/// What was found for one program and one batch. Errors are relative L2 norms.
struct CaseResult {
  size_t batch = 0;
  double error = 0;           // against the reference, over the members checked
  double cufftError = 0;      // cuFFT's, on the same data (for Hadamard: on complex data of the same n); 0: not run
  double errorBound = 0;      // `error` must not exceed it
  double worst = 0;           // largest difference from cuFFT (Hadamard: from level-by-level kernels) in one member
  double worstBound = 0;      // `worst` must not exceed it; 0: not run
  bool inputKept = true;      // the input is unchanged
  bool guardsIntact = true;   // no byte outside output and workspace changed
  bool repeatable = true;     // a second launch gave the same bits
  bool batchInvariant = true; // member 0 has the same bits in every batch
  std::string failure;        // a call that failed; empty: none

  bool passed() const;
  /// The names of the checks that failed, separated by spaces.
  std::string complaint() const;
};

/// Makes data, runs programs and compares. One object serves a whole run.
class Checker {
public:
  /// quick: batch 3 only, one launch, no cuFFT, no guard zones: for compute-sanitizer.
  Checker(bool quick, uint64_t seed);
  ~Checker();

  /// 1, 3, 1000 (as long as the input stays below 8 GiB) and the batch that fills 1 GiB; each once, ascending.
  std::vector<size_t> batches(const KernelFile &file) const;

  /// Runs every batch of one program. A failed CUDA call ends the list with a result that says so, and sets lost().
  std::vector<CaseResult> run(const KernelFile &file);

  /// A CUDA call failed: the process can launch nothing more.
  bool lost() const { return contextLost; }

  Reference &reference() { return *yardstick; }
  cudaStream_t stream() const { return cudaStream; }

private:
  void runBatch(const KernelFile &file, const LoadedKernel &kernel, CaseResult &result);
  double typicalCufftError(const KernelFile &file);
  void judge(const KernelFile &file, CaseResult &result, const void *input, const void *output);

  bool quick;
  uint64_t seed;
  bool contextLost = false;
  cudaStream_t cudaStream = nullptr;
  std::unique_ptr<Reference> yardstick;
  std::map<std::pair<Real, Exponents>, double> typicalErrors;
  uint64_t firstMember = 0;      // checksum of member 0's result in the first batch of the current program
  bool firstMemberKnown = false; // false before the first batch
};

} // namespace gpucheck
