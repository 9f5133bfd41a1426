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

/// What is wrong with the threads of a mapping, beside the first one of the kernel.
static std::string checkThreads(const Mapping &mapping, const Mapping &reference, bool isOfBits, const Target &target) {
  const int64_t lanes = mapping.extent(Field::Lane);
  if (target.kind != "cpu") {
    if (isOfBits && lanes != target.lanes)
      return "lane must have " + std::to_string(target.lanes) + " values";
    if (mapping.numThreads() > target.maxThreadsPerBlock)
      return "more than " + std::to_string(target.maxThreadsPerBlock) + " threads";
    return {};
  }
  if (!isOfBits)
    return lanes == 1 && mapping[Field::Block].empty()
               ? std::string()
               : "a block of a CPU holds all digits of other radices than 2, in reg and warp";
  if (lanes > target.lanes)
    return "lane has at most " + std::to_string(target.lanes) + " values";
  if (lanes != reference.extent(Field::Lane) || mapping.extent(Field::Warp) != reference.extent(Field::Warp))
    return "ranges differ in the values of lane or warp";
  if (lanes == 1 && mapping.extent(Field::Warp) > 1)
    return "turns are of vectors: lane has a digit";
  return {};
}

std::string passes::checkKernels(const Schedule &schedule, size_t first, size_t end, const JoinedChains &chains,
                                 const Target &target) {
  const FlowChain &chain = chains.last();
  const bool isJoined = chains.chains.size() > 1;
  int n = chain.type.getNumDigits(), next = chains.firstStep(), lastStep = chain.lastStep();
  for (size_t k = first; k < end; ++k) {
    const KernelPlan &kernel = schedule.kernels[k];
    std::string where = "schedule: kernel " + std::to_string(k + 1) + ": ";
    const digits::Launch &launch = kernel.launch;
    if (kernel.ranges.empty())
      return where + "needs a range";
    if (isJoined && (end != first + 1 || launch.cluster > 1 || launch.persistent || target.kind == "cpu"))
      return where + "steps of several chains share a kernel of plain blocks of a GPU, all of them one";
    SmallVector<Mapping> mappings;
    for (const RangePlan &range : kernel.ranges)
      mappings.push_back(range.mapping);
    if (std::string problem = checkKernel({k, launch, mappings, n, /*isChain=*/true, chains.isOfBits()}, target);
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
      if (!chains.isOfBits() && static_cast<int>(held.size()) > n)
        return where + "digits of the batch are of radix 2, beside others they are held by no field";
      if (std::string problem = checkThreads(range.mapping, reference, chains.isOfBits(), target); !problem.empty())
        return where + problem;
      if (range.staged && (target.kind == "cpu" || chain.isOfBits()))
        return where + "a GPU's blocks stage problems of which not all digits are of radix 2";
      if (range.staged &&
          (launch.cluster > 1 || launch.persistent || kernel.ring || (k > 0 && schedule.kernels[k - 1].ring)))
        return where + "plain blocks stage what they load and store";
      if (range.staged && !range.mapping[Field::Block].empty())
        return where + "a block stages whole problems: it holds all digits";
      if (range.kind == RangePlan::Kind::Load && &range != &kernel.ranges.front() &&
          (next > lastStep || chains.chains[chains.chainOf(next)]->firstStep != next ||
           !chains.loads(chains.chainOf(next))))
        return where + "a load stands first, or before the steps of a chain that begins with a buffer";
      if (range.kind != RangePlan::Kind::Steps)
        continue;
      if (range.first != next || range.last < range.first)
        return where + "expected steps from " + std::to_string(next);
      if (range.last > lastStep)
        return where + "the program has " + std::to_string(lastStep) + " steps";
      next = range.last + 1;
      for (int s = range.first; s <= range.last; ++s)
        if (std::string problem = checkActed(range.mapping, chains.digitsOf(s), s, "digit"); !problem.empty())
          return where + problem;
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
  if (last)
    return chain.storeMap();
  if (!plan.order.empty())
    return digits::Permutation::fromSources(plan.order);
  return digits::Permutation::identity(chain.type.getNumDigits());
}

namespace {

/// One kernel of a chain, or of several, being made a group.
class ChainGroup {
public:
  explicit ChainGroup(const JoinedChains &chains) : chains(chains) {
    group.ofChains = true;
    group.ofBits = chains.isOfBits();
    ArrayRef<int32_t> radices = chains.last().type.getRadices();
    group.radices.assign(radices.begin(), radices.end());
  }

  /// `value`: what the kernel takes, from `input`; then what it makes.
  FlowGroup run(const KernelPlan &plan, bool last, FlowValue input, Value &value) {
    group.launch = plan.launch;
    begin(std::move(input));
    for (const RangePlan &range : plan.ranges)
      addRange(range, last);
    finish(last ? chains.chains.size() : 0); // without steps: in the last mapping
    if (!group.steps.empty())
      value = group.steps.back()->getResult(0);
    group.stores.push_back({value, storeMapOf(chains.last(), plan, last), last ? chains.last().result : value});
    if (last)
      group.stores.back().views = chains.last().views;
    return std::move(group);
  }

private:
  const JoinedChains &chains;
  size_t current = 0;       // of the chains
  std::optional<int> input; // the load that the next step takes
  int level = 0;            // of the current range
  FlowGroup group;

  const FlowChain &chain() const { return *chains.chains[current]; }
  ArrayRef<int> axes() const { return chains.axes[current]; }

  /// The current chain begins, with a buffer.
  void begin(FlowValue from) {
    input = static_cast<int>(group.loads.size());
    group.loads.push_back({std::move(from), SmallVector<int>(axes())});
  }

  /// Does what follows the last nodes of the chains up to `end`, and goes on with that one.
  void finish(size_t end) {
    while (current < end) {
      llvm::for_each(chain().after, [&](Operation *step) { addStep(step); });
      if (++current < chains.chains.size() && chains.loads(current))
        begin(chain().input);
    }
  }

  void addRange(const RangePlan &range, bool last) {
    const Mapping &mapping = range.mapping;
    if (range.kind == RangePlan::Kind::Store && !group.steps.empty()) {
      group.storeMapping = mapping;
      group.storeStaged = range.staged;
      return;
    }
    if (range.kind == RangePlan::Kind::Load && !group.steps.empty()) {
      while (chain().steps.empty())
        finish(current + 1);
      group.loads.back().mapping = mapping;
      group.loads.back().staged = range.staged;
      return;
    }
    if (group.steps.empty() && !group.levels.empty()) { // what stood first was for the load
      group.loads.front().mapping = group.levels.front();
      group.levels.clear();
    }
    if (range.kind == RangePlan::Kind::Load)
      group.loads.front().staged = range.staged;
    if (range.kind == RangePlan::Kind::Store)
      group.storeStaged = range.staged;
    level = static_cast<int>(llvm::find(group.levels, mapping) - group.levels.begin());
    if (level == static_cast<int>(group.levels.size()))
      group.levels.push_back(mapping);
    for (int s = range.first; range.kind == RangePlan::Kind::Steps && s <= range.last; ++s) {
      finish(chains.chainOf(s));
      const FlowStep &step = chain().steps[static_cast<size_t>(s - chain().firstStep)];
      llvm::for_each(step.before, [&](Operation *before) { addStep(before); });
      addStep(step.node);
      if (s == chain().lastStep() && (last || current + 1 < chains.chains.size()))
        finish(current + 1);
    }
  }

  void addStep(Operation *step) {
    if (input)
      group.loadOf[{step, chain().carrierOf(step)}] = *std::exchange(input, std::nullopt);
    for (const FlowOperand &operand : chain().operands)
      if (operand.step == step && !chains.makes(operand.from.buffer)) {
        group.loadOf[{step, operand.number}] = static_cast<int>(group.loads.size());
        group.loads.push_back({operand.from, SmallVector<int>(axes())});
      }
    group.steps.push_back(step);
    group.levelOf[step] = level;
    group.arrangement[step] = SmallVector<int>(axes());
    group.axes[step->getResult(0)] = SmallVector<int>(axes());
  }
};

} // namespace

std::vector<FlowGroup> passes::groupsOf(const JoinedChains &chains, ArrayRef<KernelPlan> kernels) {
  std::vector<FlowGroup> groups;
  FlowValue input = chains.chains.front()->input;
  Value value = chains.chains.front()->source;
  for (const KernelPlan &kernel : kernels) {
    groups.push_back(ChainGroup(chains).run(kernel, &kernel == &kernels.back(), input, value));
    input = {{}, groups.back().stores.front().map.inverse()};
  }
  return groups;
}
