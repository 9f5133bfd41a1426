// Input: digit flow. Output: the same; what a contraction leaves is given back to the digits that it took away by
// nodes, where a step takes it together with what was contracted.
//
//   s = contraction of x's digits        y - mean of y, a softmax: every element takes what all of them make
//   r = repeat s, permute                ->  node [1] … node [1], each yields its argument for every value of a digit
//   y = pointwise (x, r)
//
// A repetition is free where it is loaded, so that the step has a kernel of its own. Nodes insert digits, the last one
// that was taken away first: so groups (GroupAxes.h) put them on the axes of the contraction, and contraction and
// expansion share a kernel, as those of a scan do. Only on GPUs, where a block holds a group in levels, and for
// sequences that the blocks of a cluster hold: where several kernels are needed anyway, a repetition costs nothing.
#include "compiler/passes/LevelPlanner.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_EXPANDREPEATS
#include "compiler/passes/Passes.h.inc"

namespace {

/// True for a step whose values all have the same digits.
bool keepsDigits(Operation *op) {
  if (!isa<id::TwiddleOp, id::PointwiseOp, id::NodeOp>(op))
    return false;
  const size_t n = id::radicesOf(op->getResult(0).getType()).size();
  return llvm::all_of(llvm::concat<Value>(op->getOperands(), op->getResults()),
                      [&](Value value) { return id::radicesOf(value.getType()).size() == n; });
}

/// What steps that keep all digits make `value` of, itself included.
void addSources(Value value, DenseSet<Value> &sources) {
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!sources.insert(next).second)
      continue;
    if (Operation *op = next.getDefiningOp(); op && keepsDigits(op))
      open.append(op->operand_begin(), op->operand_end());
  }
}

struct ExpandRepeats : impl::ExpandRepeatsBase<ExpandRepeats> {
  using ExpandRepeatsBase::ExpandRepeatsBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu")
      return;
    constexpr int64_t mostBlocks = 8; // of a cluster that groups are planned for
    const int64_t mostBytes = std::min(mostBlocks, machine->maxCluster) * machine->tileBytes;
    for (id::RepeatOp repeat : llvm::to_vector(getOperation().getOps<id::RepeatOp>())) {
      if (sequenceBytes(repeat.getType()) > mostBytes)
        continue;
      for (OpOperand &use : llvm::make_early_inc_range(repeat.getResult().getUses())) {
        auto permute = dyn_cast<id::PermuteOp>(use.getOwner());
        if (!permute) {
          expand(repeat, digits::Permutation::identity(repeat.getType().getNumDigits()), use);
          continue;
        }
        for (OpOperand &moved : llvm::make_early_inc_range(permute.getResult().getUses()))
          expand(repeat, permute.getMap().getPermutation(), moved);
        if (permute.use_empty())
          permute.erase();
      }
      if (repeat.use_empty())
        repeat.erase();
    }
  }

  /// Replaces what a step takes, `repeat` moved by `map`, by nodes, if it can be.
  static void expand(id::RepeatOp repeat, const digits::Permutation &map, OpOperand &use) {
    const auto held = static_cast<int>(id::radicesOf(repeat.getInput().getType()).size());
    if (!isa<id::PointwiseOp>(use.getOwner()) || map.hasComplement())
      return;
    SmallVector<int> placeOf(static_cast<size_t>(held)); // of the digits that are there
    for (int place = 1; place <= map.size(); ++place)
      if (int source = map.source(place); source <= held)
        placeOf[static_cast<size_t>(source) - 1] = place;
    SmallVector<int> removed = removedPlaces(repeat.getInput(), placeOf, use);
    if (removed.empty())
      return;
    // The digits that are there keep their order, and the last one taken away comes back first.
    ArrayRef<int32_t> radices = id::radicesOf(use.get().getType());
    Value value = repeat.getInput();
    OpBuilder builder(use.getOwner());
    for (int place : llvm::reverse(removed)) {
      auto *above = llvm::lower_bound(placeOf, place);
      const int64_t digit = above - placeOf.begin() + 1;
      placeOf.insert(above, place);
      value = copies(builder, repeat.getLoc(), value, digit, radices[static_cast<size_t>(place) - 1]);
    }
    use.set(value);
  }

  /// A node that yields its argument for every value of a new digit.
  static Value copies(OpBuilder &builder, Location loc, Value value, int64_t digit, int32_t radix) {
    auto from = cast<id::SeqType>(value.getType());
    SmallVector<int32_t> radices(from.getRadices());
    radices.insert(radices.begin() + (digit - 1), radix);
    auto type = id::SeqType::get(builder.getContext(), radices, from.getElement());
    auto node = id::NodeOp::create(builder, loc, TypeRange(type), ArrayRef<int64_t>(digit), ValueRange(value));
    OpBuilder::InsertionGuard guard(builder);
    Block *body = id::createBody(builder, node);
    SmallVector<Value> yielded;
    for (int32_t i = 0; i < radix; ++i)
      llvm::append_range(yielded, body->getArguments());
    id::YieldOp::create(builder, loc, yielded);
    return node.getResult(0);
  }

  /// The places, in the sequence that a step takes, of the digits that are missing in `value`, in the order in which
  /// nodes have taken them away from what another operand of the step is made of, too. Empty when it is otherwise.
  /// `placeOf`: the places of the digits of `value`, ascending.
  static SmallVector<int> removedPlaces(Value value, ArrayRef<int> placeOf, OpOperand &use) {
    const auto all = static_cast<size_t>(id::radicesOf(use.get().getType()).size());
    if (!llvm::is_sorted(placeOf))
      return {};
    DenseSet<Value> beside;
    for (OpOperand &other : use.getOwner()->getOpOperands())
      if (&other != &use)
        addSources(other.get(), beside);
    SmallVector<int> places(placeOf); // of the digits of `value`; 0: of one that was taken away
    SmallVector<int> back;            // of those, numbers that stand in for places: -1, -2, …
    while (places.size() < all || !isMadeOf(value, beside)) {
      Operation *op = value.getDefiningOp();
      if (!op)
        return {};
      if (auto node = dyn_cast<id::NodeOp>(op); node && !node.isArray(value)) {
        Value array;
        for (Value input : node.getInputs())
          array = node.isArray(input) ? input : array;
        if (!array || node.getArity() * wordsOf(id::elementOf(array.getType())) > muchOfThread)
          return {};
        // Operands have their digits at the lowest numbers first.
        SmallVector<int64_t> digits(node.getDigits());
        llvm::sort(digits);
        for (int64_t digit : digits) {
          back.push_back(-static_cast<int>(back.size()) - 1);
          places.insert(places.begin() + (digit - 1), back.back());
        }
        value = array;
      } else if (keepsDigits(op)) {
        value = op->getOperand(0);
      } else {
        return {};
      }
    }
    // The digits of what was contracted are those of the other operand.
    if (places.size() != all || id::radicesOf(value.getType()) != id::radicesOf(use.get().getType()))
      return {};
    SmallVector<int> removed(back.size());
    for (size_t i = 0; i < all; ++i) {
      const int place = static_cast<int>(i) + 1;
      if (places[i] > 0 && places[i] != place)
        return {};
      if (places[i] < 0)
        removed[back.size() - static_cast<size_t>(-places[i])] = place; // the last one was found first
    }
    return removed;
  }

  /// True when `value` and what stands beside it come from one value.
  static bool isMadeOf(Value value, const DenseSet<Value> &beside) {
    DenseSet<Value> sources;
    addSources(value, sources);
    return llvm::any_of(sources, [&](Value source) { return beside.contains(source); });
  }
};

} // namespace
} // namespace idc::passes
