#include "compiler/passes/KernelCheck.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc;
using namespace idc::passes;
using digits::Field;
using digits::Mapping;

static std::string checkLaunch(const ScheduledKernel &kernel, const Target &target) {
  const digits::Launch &launch = kernel.launch;
  if (kernel.isChain && (launch.team > 1 || (launch.persistent && target.kind == "cpu")))
    return "launches by " + launch.str() + " cannot be generated for " + target.name + " so far";
  if (launch.persistent && !kernel.isChain)
    return "steps outside chains cannot be done by persistent blocks so far";
  if (launch.dependent && launch.team > 1)
    return "a team is no dependent launch";
  if (launch.dependent && !target.dependentLaunch)
    return target.name + " has no dependent launch";
  if (launch.dependent && kernel.number == 0)
    return "the first kernel has none before it whose end it could wait for";
  if (launch.resident && target.kind == "cpu")
    return "on a CPU no blocks share a multiprocessor";
  if (launch.cluster > target.maxCluster)
    return "a cluster of " + target.name + " has at most " + std::to_string(target.maxCluster) + " blocks";
  if (const int64_t most = std::max<int64_t>(1, target.cooperativeBlocks); launch.team > most)
    return "a team of " + target.name + " has at most " + std::to_string(most) + " blocks";
  return {};
}

/// The digits of the batch that a mapping holds, ascending.
static std::vector<int> batchOf(const ScheduledKernel &kernel, const Mapping &mapping) {
  std::vector<int> digits = mapping.digits();
  llvm::erase_if(digits, [&](int digit) { return digit <= kernel.digits; });
  return digits;
}

/// Each digit has one column; in groups those of ranks and turns may hold none: what all blocks have, or work through.
static std::string checkColumns(const ScheduledKernel &kernel, const Mapping &mapping) {
  if (kernel.isChain) {
    std::string problem = mapping.check();
    return !problem.empty() || mapping.isDigitForm() ? problem : "a range's mapping must hold plain digits";
  }
  std::vector<int> seen;
  for (int f = 0; f < digits::numFields; ++f)
    for (const digits::Column &column : mapping.columns[static_cast<size_t>(f)]) {
      if (column.digits.size() > 1 ||
          (column.digits.empty() && static_cast<Field>(f) != Field::Rank && static_cast<Field>(f) != Field::Turn))
        return "a mapping of axes holds plain digits; _ is for ranks and turns";
      if (column.digits.empty())
        continue;
      if (llvm::is_contained(seen, column.digits.front()))
        return "axis " + std::to_string(column.digits.front()) + " is held twice";
      seen.push_back(column.digits.front());
    }
  return {};
}

std::string passes::checkKernel(const ScheduledKernel &kernel, const Target &target) {
  if (std::string problem = checkLaunch(kernel, target); !problem.empty())
    return problem;
  const Mapping &reference = kernel.mappings.front();
  const int64_t together = kernel.launch.blocksTogether();
  for (const Mapping &mapping : kernel.mappings) {
    if (std::string problem = checkColumns(kernel, mapping); !problem.empty())
      return problem;
    if (batchOf(kernel, mapping) != batchOf(kernel, reference) || mapping[Field::Block] != reference[Field::Block] ||
        mapping[Field::Device] != reference[Field::Device] || mapping[Field::Turn] != reference[Field::Turn])
      return "ranges differ in the digits of the batch, in block, in device or in turn";
    if (mapping.extent(Field::Rank) != together)
      return "rank must have as many values as the cluster or team has blocks, " + std::to_string(together);
    if (!mapping[Field::Turn].empty() && kernel.launch.team == 1)
      return "turn is for blocks of a team";
  }
  return {};
}

std::string passes::checkActed(const Mapping &mapping, llvm::ArrayRef<int> acted, int number, const char *digit) {
  for (int d : acted)
    if (digits::Place place; !mapping.find(d, place) || (place.field != Field::Reg && place.field != Field::Turn))
      return "step " + std::to_string(number) + " acts on " + digit + " " + std::to_string(d) +
             ", which is not in registers";
  return {};
}
