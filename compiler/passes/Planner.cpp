// What the planners of all machines share, and the choice among them.
#include "compiler/passes/Planner.h"

#include "compiler/passes/BlockPlanner.h"
#include "compiler/passes/VectorPlanner.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace idc;
using namespace idc::passes;

int64_t passes::runBytes(const std::vector<int> &digitSet, const digits::AddressOrder &order, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int d : order) {
    if (!llvm::is_contained(digitSet, d))
      break;
    bytes *= 2;
  }
  return bytes;
}

std::vector<int> passes::digitsOfSteps(const PlanRequest &request, int first, int last) {
  std::set<int> digits;
  for (int s = first; s <= last; ++s)
    digits.insert(request.stepDigits[s - 1].begin(), request.stepDigits[s - 1].end());
  return {digits.begin(), digits.end()};
}

std::vector<std::pair<int, int>> passes::groupSteps(const PlanRequest &request, int first, int last, int size) {
  std::vector<std::pair<int, int>> result;
  for (int s = first; s <= last;) {
    int e = s;
    while (e + 1 <= last && static_cast<int>(digitsOfSteps(request, s, e + 1).size()) <= size)
      ++e;
    result.emplace_back(s, e);
    s = e + 1;
  }
  return result;
}

std::vector<int> passes::remainingDigits(const PlanRequest &request, const std::vector<int> &held) {
  std::vector<int> digits;
  for (int d = 1; d <= request.numDigits; ++d)
    if (!llvm::is_contained(held, d))
      digits.push_back(d);
  return digits;
}

bool passes::planSchedule(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error) {
  return target.kind == "cpu" ? planVectors(request, target, schedule, error)
                              : planBlocks(request, target, schedule, error);
}
