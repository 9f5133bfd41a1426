// Candidates: schedules that planners propose, and what they cost.
//
// Every planner is a generator: it adds what it finds to a pool, with its cost and the counted numbers of which that is
// made. The cheapest of the pool is the plan, the others are what `idc tune` tries and `idc explain` shows.
#pragma once

#include "compiler/passes/Schedule.h"

#include <string>
#include <utility>
#include <vector>

namespace idc::passes {

/// What a kernel costs, and the numbers that were counted for it, by name.
struct KernelCost {
  double cost = 0;
  std::vector<std::pair<std::string, double>> counted;
};

/// What a schedule costs, in copies, ns, passes or bytes.
struct PlanCost {
  double cost = 0;
  std::string unit;
  std::vector<KernelCost> kernels; // of the schedule, in its order
};

struct Candidate {
  Schedule schedule;
  PlanCost cost;
  size_t origin = 0; // the planner's own number for it, where it keeps more than the schedule
};

/// The cheapest different schedules of all that are added, at most `wanted`; of equal cost the one that came first.
class CandidatePool {
public:
  explicit CandidatePool(size_t wanted) : most(wanted) {}
  size_t wanted() const { return most; }
  /// True when there are as many as are wanted,
  bool isFull() const { return candidates.size() == most; }
  /// and none of this cost is wanted any more.
  bool isFullFor(double cost) const { return isFull() && candidates.back().cost.cost <= cost; }
  void add(Candidate candidate);
  /// All of them, best first.
  std::vector<Candidate> take() { return std::move(candidates); }

private:
  size_t most;
  std::vector<Candidate> candidates; // by cost
};

/// The candidates for one part of a program ("steps 1..12"), the one that was taken first.
struct CandidateList {
  std::string part;
  std::vector<Candidate> candidates;
};

/// Lists as an attribute of the function (`id.candidates`) and back.
constexpr llvm::StringLiteral candidatesAttr = "id.candidates";
mlir::ArrayAttr toAttribute(const std::vector<CandidateList> &lists, mlir::MLIRContext *context);
std::vector<CandidateList> candidatesFrom(mlir::ArrayAttr attribute);

} // namespace idc::passes
