#include "compiler/passes/ChainKernels.h"

#include "compiler/passes/KernelCheck.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;
using digits::Field;
using digits::Mapping;

void passes::setRadices(KernelPlan &kernel, const FlowChain &chain) {
  ArrayRef<int32_t> radices = chain.type.getRadices();
  for (RangePlan &range : kernel.ranges)
    for (std::vector<digits::Column> &columns : range.mapping.columns)
      for (digits::Column &column : columns)
        if (column.digits.size() == 1 && column.digits[0] <= static_cast<int>(radices.size()))
          column.radix = radices[column.digits[0] - 1];
}

std::string passes::checkKernels(const Schedule &schedule, size_t first, size_t end, FlowChain &chain,
                                 const Target &target) {
  int n = chain.type.getNumDigits(), next = chain.firstStep;
  int lastStep = chain.firstStep + static_cast<int>(chain.steps.size()) - 1;
  for (size_t k = first; k < end; ++k) {
    const KernelPlan &kernel = schedule.kernels[k];
    std::string where = "schedule: kernel " + std::to_string(k + 1) + ": ";
    const digits::Launch &launch = kernel.launch;
    if (kernel.ranges.empty())
      return where + "needs a range";
    SmallVector<Mapping> mappings;
    for (const RangePlan &range : kernel.ranges)
      mappings.push_back(range.mapping);
    if (std::string problem = checkKernel({k, launch, mappings, n, /*isChain=*/true, chain.isOfBits()}, target);
        !problem.empty())
      return where + problem;
    const Mapping &reference = mappings.front();
    for (const RangePlan &range : kernel.ranges) {
      std::vector<int> held = range.mapping.digits();
      for (size_t i = 0; i < held.size(); ++i)
        if (held[i] != static_cast<int>(i) + 1)
          return where + "digit " + std::to_string(i + 1) + " is held by no field";
      if (static_cast<int>(held.size()) < n)
        return where + "digit " + std::to_string(held.size() + 1) + " is held by no field";
      if (!chain.isOfBits() && static_cast<int>(held.size()) > n)
        return where + "digits of the batch are of radix 2, beside others they are held by no field";
      if (chain.isOfBits() && range.mapping.extent(Field::Lane) != target.lanes)
        return where + "lane must have " + std::to_string(target.lanes) + " values";
      if (range.mapping.numThreads() > std::max(target.maxThreadsPerBlock, target.lanes))
        return where + "more than " + std::to_string(target.maxThreadsPerBlock) + " threads";
      if (range.kind != RangePlan::Kind::Steps)
        continue;
      if (range.first != next || range.last < range.first)
        return where + "expected steps from " + std::to_string(next);
      if (range.last > lastStep)
        return where + "the program has " + std::to_string(lastStep) + " steps";
      next = range.last + 1;
      for (int s = range.first; s <= range.last; ++s)
        if (std::string problem =
                checkActed(range.mapping, digitsOf(chain.steps[s - chain.firstStep].node), s, "digit");
            !problem.empty())
          return where + problem;
    }
    if (kernel.ring && !chain.operands.empty())
      return where + "a ring lies between steps that read no further buffers";
    if (kernel.ring || (k > first && schedule.kernels[k - 1].ring)) {
      const KernelPlan *other =
          kernel.ring ? k + 1 < end ? &schedule.kernels[k + 1] : nullptr : &schedule.kernels[k - 1];
      if (!other)
        return where + "a ring is loaded by the next kernel, and there is none";
      int64_t tiles = reference.extent(Field::Block), slots = std::max(kernel.ring, other->ring),
              delay = std::max(kernel.delay, other->delay);
      if (target.kind == "cpu" || launch != digits::Launch() || (kernel.ring && other->ring) ||
          static_cast<int>(reference.digits().size()) != n)
        return where + "a ring lies between two plain grids of a GPU, with tiles of one problem";
      auto threads = [](const Mapping &mapping) { return mapping.extent(Field::Lane) * mapping.extent(Field::Warp); };
      if (other->ranges.empty() || other->ranges.front().mapping.extent(Field::Block) != tiles)
        return where + "the two kernels of a ring have tiles of the same size";
      if (chain.isOfBits() && threads(other->ranges.front().mapping) != threads(reference))
        return where + "the two kernels of a ring have as many threads where all digits are bits";
      if (delay < tiles || slots * tiles < delay + tiles)
        return where + "a ring needs a delay of at least a problem's " + std::to_string(tiles) +
               " tiles, and memory for as many more";
    }
    if (kernel.order.empty())
      continue;
    if (k + 1 == end)
      return where + "the program decides the order of the last kernel's result";
    if (static_cast<int>(kernel.order.size()) != n || !digits::Permutation::isBijection(kernel.order))
      return where + "order names every digit once";
  }
  if (next != lastStep + 1)
    return "schedule: steps from " + std::to_string(next) + " are missing";
  return {};
}

/// The address order of a pass's result as an index map; `last`: the chain's last pass.
static digits::Permutation storeMapOf(FlowChain &chain, const KernelPlan &plan, bool last) {
  if (last && chain.permute)
    return chain.permute.getMap().getPermutation();
  if (!last && !plan.order.empty())
    return digits::Permutation::fromSources(plan.order);
  return digits::Permutation::identity(chain.type.getNumDigits());
}

/// What a range does; `last`: in the last kernel of the chain.
static SmallVector<Operation *> stepsOf(const FlowChain &chain, const RangePlan &range, bool last) {
  SmallVector<Operation *> steps;
  if (range.kind != RangePlan::Kind::Steps)
    return steps;
  const int end = chain.firstStep + static_cast<int>(chain.steps.size()) - 1;
  for (int s = range.first; s <= range.last; ++s) {
    const FlowStep &step = chain.steps[s - chain.firstStep];
    llvm::append_range(steps, step.before);
    steps.push_back(step.node);
  }
  if (last && range.last == end)
    llvm::append_range(steps, chain.after);
  return steps;
}

namespace {

/// One kernel of a chain, being made a group.
class ChainGroup {
public:
  explicit ChainGroup(FlowChain &chain) : chain(chain) {
    llvm::append_range(axes, llvm::seq<int>(0, chain.type.getNumDigits()));
    group.oneValue = true;
    group.radices.assign(chain.type.getRadices().begin(), chain.type.getRadices().end());
  }

  /// `value`: what the kernel takes, from `input`; then what it makes.
  FlowGroup run(const KernelPlan &plan, bool last, FlowValue input, Value &value) {
    group.launch = plan.launch;
    group.ring = plan.ring;
    group.delay = plan.delay;
    group.loads.push_back({std::move(input), axes});
    for (const RangePlan &range : plan.ranges)
      addRange(range, stepsOf(chain, range, last));
    if (chain.steps.empty()) // in the last mapping
      for (Operation *step : chain.after)
        addStep(step);
    if (!group.steps.empty())
      value = group.steps.back()->getResult(0);
    group.stores.push_back({value, storeMapOf(chain, plan, last), last ? chain.result : value});
    return std::move(group);
  }

private:
  FlowChain &chain;
  SmallVector<int> axes;
  FlowGroup group;

  void addRange(const RangePlan &range, ArrayRef<Operation *> steps) {
    const Mapping &mapping = range.mapping;
    if (range.kind == RangePlan::Kind::Store && !group.steps.empty()) {
      group.storeMapping = mapping;
      return;
    }
    if (group.steps.empty() && !group.levels.empty()) { // what stood first was for the load
      group.loadMapping = group.levels.front();
      group.levels.clear();
    }
    if (group.levels.empty() || group.levels.back() != mapping)
      group.levels.push_back(mapping);
    llvm::for_each(steps, [&](Operation *step) { addStep(step); });
  }

  void addStep(Operation *step) {
    if (group.steps.empty())
      group.loadOf[{step, chain.carrierOf(step)}] = 0;
    for (const FlowOperand &operand : chain.operands)
      if (operand.step == step) {
        group.loadOf[{step, operand.number}] = static_cast<int>(group.loads.size());
        group.loads.push_back({operand.from, axes});
      }
    group.steps.push_back(step);
    group.levelOf[step] = static_cast<int>(group.levels.size()) - 1;
    group.arrangement[step] = axes;
    group.axes[step->getResult(0)] = axes;
  }
};

} // namespace

std::vector<FlowGroup> passes::groupsOf(FlowChain &chain, ArrayRef<KernelPlan> kernels) {
  std::vector<FlowGroup> groups;
  FlowValue input = chain.input;
  Value value = chain.source;
  for (const KernelPlan &kernel : kernels) {
    groups.push_back(ChainGroup(chain).run(kernel, &kernel == &kernels.back(), input, value));
    input = {{}, groups.back().stores.front().map.inverse()};
  }
  return groups;
}
