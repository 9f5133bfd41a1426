// How a kernel's tile is spread over registers, lanes, warps and cluster ranks: what planners of GPU kernels share.
#pragma once

#include "compiler/passes/Planner.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace idc::passes {

/// How a kernel's data lie in the memory that it reads or writes.
struct Side {
  digits::AddressOrder order; // lowest address digit first
  int64_t elementBytes;
};

/// Plans of single kernels over tiles, for one program and machine. Numbers of digits are logarithms: `registers` of a
/// thread's elements, `ranks` of the blocks in a cluster.
class TileMappings {
public:
  TileMappings(const PlanRequest &request, const Target &target);

  /// Steps `first` … `last`, load to store, on tiles of the given digits (batch digits included), each held by a block.
  /// Every pass takes consecutive steps whose digits fit the registers, in as few and as even passes as possible. A
  /// load or store of its own stands before or after where that gives longer runs.
  KernelPlan blockKernel(int first, int last, const std::vector<int> &tile, int registers, const Side &load,
                         const Side &store) const;

  /// The same on tiles held by clusters: the rank holds the slowest unprocessed digits in the first pass, afterwards
  /// digits that the first pass has finished with, so that one exchange between blocks is enough where no digit is
  /// acted on in two turns. Nothing when the steps take one pass, or too few digits qualify.
  std::optional<KernelPlan> clusterKernel(int first, int last, const std::vector<int> &tile, int registers, int ranks,
                                          const Side &load, const Side &store) const;

  /// Kernels one after the other, on tiles of the given digits: `planOf(k, load, store)` plans the k-th between the
  /// sides that are then known. What lies between two kernels has the workspace order of their tiles; where the machine
  /// can, a kernel's blocks fill the multiprocessors that the last ones of its predecessor leave free.
  Schedule inSequence(const std::vector<std::vector<int>> &tiles,
                      llvm::function_ref<KernelPlan(size_t k, const Side &load, const Side &store)> planOf) const;

  /// The address order of a value between two kernels: the digits that both tiles hold lowest, then the rest of the
  /// consumer's tile, so that it reads linearly and the producer writes in long runs, then all others.
  digits::AddressOrder workspaceOrder(const std::vector<int> &producer, const std::vector<int> &consumer) const;

  using Steps = std::pair<int, int>; // first … last
  /// The steps in as few groups as possible whose digits fit `registers`, of even size.
  std::vector<Steps> passesOf(int first, int last, int registers) const;
  /// A lower bound of how many these are, which takes no time.
  size_t leastPasses(int first, int last, int registers) const;

  /// The runs in bytes in which a block with the mapping accesses memory.
  static int64_t runOfBlock(const digits::Mapping &mapping, const Side &side);

private:
  const PlanRequest &request;
  const Target &target;
  int laneDigits;
  std::vector<std::vector<int>> passesUpTo; // [registers][step]: of the steps up to this one

  KernelPlan blockKernel(const std::vector<Steps> &passes, const std::vector<int> &tile, int registers,
                         const Side &load, const Side &store) const;
  std::optional<KernelPlan> clusterKernel(const std::vector<Steps> &passes, const std::vector<int> &tile, int registers,
                                          int ranks, const Side &load, const Side &store) const;
  std::vector<std::vector<int>> ranksOf(const std::vector<Steps> &passes, const std::vector<int> &tile, int ranks,
                                        const Side &load, const Side &store) const;
  std::vector<Steps> passesToStore(int first, int last, int registers, const Side &store) const;
  Side sideOf(const std::vector<Steps> &passes, size_t pass, const Side &load, const Side &store) const;
  std::optional<Side> beginOf(Steps pass) const;
  std::vector<int> blockDigitsOf(const std::vector<int> &tile, const Side &load, const Side &store) const;
  RangePlan memoryRange(RangePlan::Kind kind, const Side &side, const std::vector<int> &tile, int registers,
                        const std::vector<int> &blockDigits, const KernelPlan &kernel) const;
  void keepWarps(digits::Mapping &mapping, const digits::Mapping &neighbour, const std::vector<int> &inRegisters,
                 const std::vector<int> &tile, const Side &side) const;
  int vectorDigits(const Side &side) const;
  static digits::AddressOrder withBatch(const PlanRequest &request, digits::AddressOrder order,
                                        const std::vector<int> &tile);
  digits::Mapping mappingOf(const std::vector<int> &tile, const std::vector<int> &inRegisters, int registers,
                            const digits::AddressOrder &order, const std::vector<int> &blockDigits) const;
  bool hasFullRuns(const digits::Mapping &mapping, const std::vector<int> &tile, const Side &side) const;
};

} // namespace idc::passes
