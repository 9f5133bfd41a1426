#include "compiler/passes/JoinedChains.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

bool JoinedChains::makes(Value value) const {
  return llvm::any_of(ArrayRef(chains).drop_back(), [&](FlowChain *chain) { return chain->result == value; });
}

size_t JoinedChains::chainOf(int step) const {
  auto found = llvm::find_if(chains, [&](FlowChain *chain) { return step <= chain->lastStep(); });
  return static_cast<size_t>(found - chains.begin());
}

SmallVector<int> JoinedChains::digitsOf(int step) const {
  const size_t number = chainOf(step);
  const FlowChain &chain = *chains[number];
  SmallVector<int> digits = passes::digitsOf(chain.steps[static_cast<size_t>(step - chain.firstStep)].node);
  for (int &digit : digits)
    digit = axes[number][static_cast<size_t>(digit) - 1] + 1;
  return digits;
}

int JoinedChains::valuesAtOnce() const {
  int most = 1;
  for (size_t now = 1; now < chains.size(); ++now) {
    auto waits = [&](FlowChain *made) { // beside what chain `now` begins with
      for (size_t i = now; i < chains.size(); ++i)
        if (llvm::any_of(chains[i]->operands,
                         [&](const FlowOperand &operand) { return operand.from.buffer == made->result; }) ||
            (i > now && chains[i]->input.buffer == made->result))
          return true;
      return false;
    };
    most = std::max(most, static_cast<int>(llvm::count_if(ArrayRef(chains).take_front(now), waits)) + 1);
  }
  return most;
}

/// The axes of a chain's digits, from those of one that takes what it makes; nothing where that is repeated,
/// complemented or in part.
static std::optional<SmallVector<int>> axesOf(FlowChain &chain, const FlowValue &taken, ArrayRef<int> axes) {
  digits::Permutation map = taken.map;
  if (chain.permute && !taken.isRepeated())
    map = chain.permute.getMap().getPermutation().then(map);
  if (taken.isRepeated() || !taken.views.empty() || !chain.views.empty() || map.hasComplement())
    return std::nullopt;
  SmallVector<int> own(axes.size());
  for (size_t place = 0; place < axes.size(); ++place)
    own[static_cast<size_t>(map.source(static_cast<int>(place) + 1)) - 1] = axes[place];
  return own;
}

/// True when something outside of segments `first` … `last` takes what segment `maker` makes.
static bool isTakenBeside(const FlowProgram &program, size_t maker, size_t first, size_t last) {
  const Value value = program.segments[maker].chain->result;
  if (llvm::any_of(program.returned,
                   [&](const FlowResult &result) { return result.segment == static_cast<int>(maker); }))
    return true;
  for (auto [i, segment] : llvm::enumerate(program.segments)) {
    if (first <= i && i <= last)
      continue;
    if (segment.chain && segment.chain->reads(value))
      return true;
    for (Operation *step : segment.group.steps)
      if (llvm::any_of(step->getOperands(), [&](Value operand) { return program.resolve(operand).buffer == value; }))
        return true;
    if (!segment.chain && llvm::any_of(segment.group.stores,
                                       [&](const FlowStore &store) { return program.readFor(store).buffer == value; }))
      return true;
  }
  return false;
}

std::optional<JoinedChains> passes::joinChains(FlowProgram &program, size_t first, size_t last) {
  JoinedChains joined;
  for (size_t i = first; i <= last; ++i) {
    if (!program.segments[i].chain)
      return std::nullopt;
    joined.chains.push_back(&*program.segments[i].chain);
  }
  const size_t count = joined.chains.size();
  joined.axes.resize(count);
  llvm::append_range(joined.axes.back(), llvm::seq<int>(0, joined.last().type.getNumDigits()));
  if (count > 1 && joined.last().steps.empty())
    return std::nullopt;
  for (size_t i = count - 1; i-- > 0;) {
    FlowChain &chain = *joined.chains[i];
    SmallVector<int> &axes = joined.axes[i];
    auto take = [&](const FlowValue &value, ArrayRef<int> by) {
      if (value.buffer != chain.result)
        return true;
      std::optional<SmallVector<int>> own = axesOf(chain, value, by);
      const bool agrees = own && (axes.empty() || axes == *own);
      if (agrees)
        axes = *own;
      return agrees;
    };
    for (size_t j = i + 1; j < count; ++j) {
      const FlowChain &other = *joined.chains[j];
      if (!take(other.input, joined.axes[j]))
        return std::nullopt;
      for (const FlowOperand &operand : other.operands)
        if (!take(operand.from, joined.axes[j]))
          return std::nullopt;
    }
    if (axes.empty() || chain.type.getNumDigits() != joined.last().type.getNumDigits())
      return std::nullopt;
  }
  for (size_t i = first; i < last; ++i)
    if (isTakenBeside(program, i, first, last))
      return std::nullopt;
  return joined;
}

size_t passes::lastChainOf(const KernelPlan &kernel, const FlowProgram &program, size_t first) {
  size_t last = first;
  while (last + 1 < program.segments.size() && program.segments[last + 1].chain &&
         kernel.lastStep() > program.segments[last].chain->lastStep())
    ++last;
  return last;
}
