// Input: digit flow in chains and groups (id-form-chains). Output: the same; what a chain makes, or scatters store, for
// other kernels lies in an order that suits these.
//
// A value between kernels has its digits in the order of its sequence. That order says nothing of memory: permutations
// have moved to the end of the program, and where a gather or another length counts some digits they are the lowest.
// What a permutation makes of a chain's or a scatter's result is stored, so two that undo each other choose the order:
//
//   %1 = id.gather %0 lowest 3 …       ->     %1 = id.permute %0 [2, 1] {id.chain}   what is stored
//   %2 = id.permute %1 [2, 1]                 %2 = id.permute %1 [2, 1]              what is loaded: a view of it
//                                             %3 = id.gather %2 lowest 3 …
//                                             %4 = id.permute %3 [2, 1]
#include "compiler/passes/Passes.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_STOREORDERS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Steps that take a value one after the other, before anything moves: what nodes act on there, and what the last one
/// makes.
struct NextSteps {
  DenseSet<int> acted;
  Value made;
};
NextSteps nextSteps(Value value) {
  NextSteps next{{}, value};
  for (; next.made.hasOneUse(); next.made = (*next.made.getUsers().begin())->getResult(0)) {
    Operation *step = *next.made.getUsers().begin();
    if (step->getNumResults() != 1 || !keepsDigits(step, value, step->getResult(0)))
      break;
    if (auto node = dyn_cast<id::NodeOp>(step))
      next.acted.insert_range(node.getDigits());
  }
  return next;
}

/// How many of the lowest digits that a resize counts are the same before and after.
size_t sameLowest(id::ResizeOp resize) {
  auto before = resize.getInput().getType().getRadices().take_front(resize.getLowest());
  auto now = resize.getType().getRadices().take_front(static_cast<size_t>(resize.getNewLowest()));
  size_t same = 0;
  while (same < std::min(before.size(), now.size()) && before[same] == now[same])
    ++same;
  return same;
}

/// The user whose result has the most bytes; what is returned has none.
Operation *largestUser(Value value) {
  Operation *largest = nullptr;
  auto bytesOf = [](Operation *user) {
    return user->getNumResults() == 1 ? sequenceBytes(user->getResult(0).getType()) : 0;
  };
  for (Operation *user : value.getUsers())
    if (!largest || bytesOf(user) > bytesOf(largest))
      largest = user;
  return largest;
}

/// The digits of a value as what takes it has them, lowest addresses first.
class UseOrder {
public:
  explicit UseOrder(const FlowProgram &program) : program(program) {}

  /// `scattered`: by a block, which holds nothing but what nodes have acted on before.
  digits::Permutation of(Value value, bool scattered) {
    const int count = cast<id::SeqType>(value.getType()).getNumDigits();
    places.clear();
    for (int digit = 1; digit <= count; ++digit)
      places.push_back({digit});
    while (Operation *use = largestUser(value)) {
      if (auto permute = dyn_cast<id::PermuteOp>(use)) {
        places = permute.getMap().getPermutation().applyTo(places);
      } else if (auto resize = dyn_cast<id::ResizeOp>(use)) {
        merge(sameLowest(resize), resize.getLowest(), resize.getNewLowest());
      } else if (auto gather = dyn_cast<id::GatherOp>(use)) {
        if (gather.getLowest() == places.size())
          return digits::Permutation::identity(count); // whatever it finds
        merge(0, gather.getLowest(), gather.getNewLowest());
      } else if (auto repeat = dyn_cast<id::RepeatOp>(use)) {
        places.resize(static_cast<size_t>(repeat.getType().getNumDigits()));
      } else {
        break;
      }
      value = use->getResult(0);
    }
    putLowest(scattered ? lowestOfResult(value) : nextSteps(value).acted);
    for (const FlowSegment &segment : program.segments)
      if (segment.chain && llvm::any_of(segment.chain->operands, [&](const FlowOperand &operand) {
            return operand.step->getOperand(operand.number) == value;
          }))
        places = digits::Permutation::fromSources(segment.chain->input.followed().addressOrder()).applyTo(places);
    std::vector<int> order;
    for (const std::vector<int> &digits : places)
      llvm::append_range(order, digits);
    return digits::Permutation::fromSources(order);
  }

private:
  const FlowProgram &program;
  std::vector<std::vector<int>> places; // the digits of the value that decide each digit of what is made of it

  /// Places from `first` on, before `end`, count together what the new ones before `now` do.
  void merge(size_t first, size_t end, size_t now) {
    std::vector<int> counted;
    for (size_t place = first; place < end; ++place)
      llvm::append_range(counted, places[place]);
    const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first);
    places.erase(begin, places.begin() + static_cast<std::ptrdiff_t>(end));
    places.insert(begin, now - first, {});
    if (!places.empty())
      llvm::append_range(places[std::min(first, places.size() - 1)], counted);
  }

  void putLowest(const DenseSet<int> &wanted) {
    std::vector<int> sources;
    for (const bool now : {true, false})
      for (int place = 1; place <= static_cast<int>(places.size()); ++place)
        if (wanted.contains(place) == now)
          sources.push_back(place);
    places = digits::Permutation::fromSources(sources).applyTo(places);
  }

  /// The digits that lie below all that the next nodes act on when these have stored.
  static DenseSet<int> lowestOfResult(Value value) {
    const NextSteps next = nextSteps(value);
    auto permute = next.made.hasOneUse() ? dyn_cast<id::PermuteOp>(*next.made.getUsers().begin()) : id::PermuteOp();
    DenseSet<int> lowest;
    for (int place = 1; place <= cast<id::SeqType>(value.getType()).getNumDigits(); ++place) {
      const int digit = permute ? permute.getMap().getPermutation().source(place) : place;
      if (next.acted.contains(digit))
        break;
      lowest.insert(digit);
    }
    return lowest;
  }
};

struct StoreOrders : impl::StoreOrdersBase<StoreOrders> {
  using StoreOrdersBase::StoreOrdersBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu")
      return;
    FailureOr<FlowProgram> program = segmentsOf(getOperation());
    if (failed(program))
      return signalPassFailure();
    for (const FlowSegment &segment : program->segments)
      if (const Value stored = storedForOthers(segment))
        arrange(*program, segment, stored);
  }

private:
  /// What a chain makes, or scatters store, for other kernels.
  static Value storedForOthers(const FlowSegment &segment) {
    Value stored;
    if (segment.chain && !segment.chain->steps.empty())
      stored = segment.chain->result;
    else if (!segment.chain && segment.group.steps.empty() && !segment.group.stores.empty())
      stored = segment.group.stores.front().made;
    const bool ends = stored && llvm::any_of(stored.getUsers(),
                                             [](Operation *user) { return isa<func::ReturnOp, id::ScatterOp>(user); });
    return ends ? Value() : stored;
  }

  static void arrange(const FlowProgram &program, const FlowSegment &segment, Value result) {
    const digits::Permutation order = UseOrder(program).of(result, /*scattered=*/!segment.chain);
    if (order.isIdentity())
      return;
    OpBuilder builder(result.getContext());
    builder.setInsertionPointAfterValue(result);
    auto permute = [&](Value value, const digits::Permutation &map) {
      auto type = cast<id::SeqType>(value.getType());
      return id::PermuteOp::create(builder, result.getLoc(), movedType(type, map), value,
                                   id::PermAttr::get(builder.getContext(), map));
    };
    // Permutations that follow each other are one.
    auto last = result.getDefiningOp<id::PermuteOp>();
    const auto whole = last ? last.getMap().getPermutation().then(order) : order;
    id::PermuteOp stored = permute(last ? last.getInput() : result, whole);
    if (segment.chain) {
      FlowChain moved = *segment.chain;
      moved.end(stored);
      if (!moved.views.empty() && !moved.stored().placed()) { // a part whose digits no longer count it
        stored.erase();
        return;
      }
      stored->setAttr(chainAttr, result.getDefiningOp()->getAttr(chainAttr));
    }
    id::PermuteOp back = permute(stored, order.inverse());
    result.replaceUsesWithIf(back, [&](OpOperand &use) { return use.getOwner() != stored; });
    if (last)
      last.erase();
  }
};

} // namespace
} // namespace idc::passes
