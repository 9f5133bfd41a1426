// CPU plans: every kernel loads, computes on the registers and stores; what does not fit is another kernel.
//
// A kernel takes as many consecutive steps as the vector registers hold digits. Its lanes are low address digits
// outside the registers: of the load or of the store order, whichever makes the longer runs in all.
#include "compiler/passes/VectorPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;

static KernelPlan vectorKernel(const PlanRequest &request, const Target &target, int first, int last) {
  AddressOrder natural;
  for (int d = 1; d <= request.numDigits; ++d)
    natural.push_back(d);
  const AddressOrder &load = first <= 1 ? request.loadOrder : natural;
  const AddressOrder &store = last == static_cast<int>(request.stepDigits.size()) ? request.storeOrder : natural;
  std::vector<int> own = digitsOfSteps(request, first, last);
  size_t laneDigits = llvm::Log2_64(target.lanes);
  auto lanesFrom = [&](const AddressOrder &order) {
    std::vector<int> lanes;
    for (int d : order)
      if (!llvm::is_contained(own, d) && lanes.size() < laneDigits)
        lanes.push_back(d);
    for (int d = request.numDigits + 1; lanes.size() < laneDigits; ++d)
      lanes.push_back(d);
    return lanes;
  };
  auto total = [&](const std::vector<int> &lanes) {
    return std::min(runBytes(lanes, load, request.loadBytes), target.vectorBytes) +
           std::min(runBytes(lanes, store, request.storeBytes), target.vectorBytes);
  };
  std::vector<int> byLoad = lanesFrom(load), byStore = lanesFrom(store);
  std::vector<int> lanes = total(byLoad) >= total(byStore) ? byLoad : byStore;
  RangePlan range;
  range.kind = own.empty() ? RangePlan::Kind::Load : RangePlan::Kind::Steps;
  range.first = first;
  range.last = last;
  std::vector<int> held = own;
  for (int d : own)
    range.mapping.push(Field::Reg, d);
  for (int d : lanes) {
    range.mapping.push(Field::Lane, d);
    held.push_back(d);
  }
  for (int d : remainingDigits(request, held))
    range.mapping.push(Field::Block, d);
  KernelPlan kernel;
  kernel.ranges.push_back(range);
  return kernel;
}

void passes::proposeVectors(const PlanRequest &request, const Target &target, CandidatePool &pool) {
  Candidate candidate{{}, {0, "passes over memory", {}}};
  auto add = [&](int first, int last) {
    candidate.schedule.kernels.push_back(vectorKernel(request, target, first, last));
    candidate.cost.kernels.push_back({1, {}});
    candidate.cost.cost += 1;
  };
  int steps = static_cast<int>(request.stepDigits.size());
  int registers = llvm::Log2_64(4 * target.dataRegistersPerThread / request.elementBytes);
  if (steps == 0)
    add(1, 0);
  int widest = 0;
  for (const std::vector<int> &digits : request.stepDigits)
    widest = std::max(widest, static_cast<int>(digits.size()));
  registers = std::max(registers, widest);
  if (widest > maxNodeDigits(target, request.registerBytes))
    return;
  for (auto [first, last] : groupSteps(request, 1, steps, registers))
    for (int begin = first, end; begin <= last; begin = end + 1) {
      for (end = begin; end < last && isShortEnough(request, begin, end + 1, int64_t(1) << registers);)
        ++end;
      add(begin, end);
    }
  pool.add(std::move(candidate));
}
