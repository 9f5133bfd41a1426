// What the links between devices cost a program, and whether one device is faster.
#pragma once

#include "compiler/explain/Facts.h"

#include "llvm/Support/Error.h"

namespace idc::explain {

/// Times of one problem as they are predicted: of a kernel by its bytes, lengths of runs and clusters, each device
/// doing its part, or by the bytes that leave a device, if that takes longer. Kernels whose data stay in the cache are
/// faster.
struct SeveralDevices {
  int64_t devices = 1, meetings = 0;
  int64_t leavingBytes = 0, betweenHosts = 0; // from a device to others, and of these to other hosts
  double linkSeconds = 0;                     // and of meetings
  double seconds = 0;                         // of all
  double oneSeconds = 0;                      // of the same program on one device

  bool isSlower() const { return seconds >= oneSeconds; }
  /// "4 devices …" and "predicted: …", without line ends.
  std::string links() const, times() const;
};

/// Of a program whose facts these are; compiles it once more, for one device. None where it is for one, or where the
/// target's links are not known.
llvm::Expected<std::optional<SeveralDevices>> predictDevices(codegen::CompileRequest request, const Facts &facts,
                                                             const passes::Target &target, llvm::raw_ostream &errors);

} // namespace idc::explain
