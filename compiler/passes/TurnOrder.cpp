#include "compiler/passes/TurnOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

/// The turns at which an element is known.
struct KnownAt {
  enum Kind { Always, Second, Last } kind = Always;
  int digit = -1; // of Second: it is at its second value

  /// Where both are known.
  KnownAt operator&(const KnownAt &other) const {
    if (kind == Always || (kind == other.kind && digit == other.digit))
      return other;
    return other.kind == Always ? *this : KnownAt{Last, -1};
  }
};

size_t leavesOf(Value value) { return id::leafTypes(id::elementOf(value.getType())).size(); }

/// The arguments of a body on which some of what it yields depends.
DenseSet<size_t> argumentsOf(Region &body, size_t first, size_t count) {
  DenseSet<size_t> arguments;
  SmallVector<Value> open(body.front().getTerminator()->getOperands().slice(first, count));
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value))
      arguments.insert(argument.getArgNumber());
    else
      llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
  return arguments;
}

class TurnOrder {
public:
  TurnOrder(ArrayRef<Operation *> steps, TurnOf turnOf) : steps(steps), turnOf(turnOf) {}

  bool run() {
    DenseSet<Operation *> own(steps.begin(), steps.end());
    for (Operation *step : steps)
      if (!add(step))
        return false;
    return llvm::all_of(found, [&](const auto &entry) {
      auto [value, state] = entry;
      return state.lacks > 0 || state.known.kind == KnownAt::Always ||
             llvm::all_of(value.getUsers(), [&](Operation *user) { return own.contains(user); });
    });
  }

private:
  struct State {
    int lacks = 0; // so many of the lowest digits
    KnownAt known;
  };
  ArrayRef<Operation *> steps;
  TurnOf turnOf;
  llvm::MapVector<Value, State> found; // of the results of steps; what comes from elsewhere lacks none

  void set(Value value, int lacks, KnownAt known) {
    if (known.kind == KnownAt::Last && lacks <= 1) // no other digit's turns are to be over
      known = lacks ? KnownAt{KnownAt::Second, 0} : KnownAt{};
    found[value] = {lacks, known};
  }

  bool add(Operation *step) {
    std::optional<int> turn = turnOf(step);
    auto node = dyn_cast<id::NodeOp>(step);
    if (turn)
      return addNode(node, *turn);
    int lacks = 0;
    for (Value operand : step->getOperands())
      lacks = std::max(lacks, found.lookup(operand).lacks);
    size_t leaf = 0;
    for (Value result : step->getResults()) {
      KnownAt known;
      const size_t count = leavesOf(result);
      for (size_t i = 0, begin = 0; i < step->getNumOperands(); begin += leavesOf(step->getOperand(i)), ++i) {
        Value operand = step->getOperand(i);
        if (!isa<id::PointwiseOp>(step) || dependsOn(step->getRegion(0), leaf, count, begin, leavesOf(operand)))
          known = known & found.lookup(operand).known;
      }
      set(result, lacks, known);
      leaf += count;
    }
    return true;
  }

  static bool dependsOn(Region &body, size_t leaf, size_t leaves, size_t argument, size_t arguments) {
    return llvm::any_of(argumentsOf(body, leaf, leaves),
                        [&](size_t found) { return found >= argument && found < argument + arguments; });
  }

  /// A node on digit `turn`: its elements have that one and all higher ones, its other values the higher ones alone.
  bool addNode(id::NodeOp node, int turn) {
    if (node.getDigits().size() != 1 || node.getArity() != 2)
      return false;
    for (Value operand : node.getInputs())
      if (found.lookup(operand).lacks != (node.isArray(operand) ? turn : turn + 1))
        return false;
    const KnownAt second{KnownAt::Second, turn};
    // When an element of the result is known, at the turns of one of the digit's values (of both: -1); nothing where it
    // is not even when the turns of the lower digits are over.
    auto knownAt = [&](size_t leaf, size_t leaves, int half) -> std::optional<KnownAt> {
      KnownAt known;
      size_t argument = 0;
      for (Value operand : node.getInputs()) {
        const KnownAt own = found.lookup(operand).known;
        const size_t count = leavesOf(operand);
        for (int element = 0; element < (node.isArray(operand) ? 2 : 1); ++element, argument += count) {
          if (!dependsOn(node.getBody(), leaf, leaves, argument, count))
            continue;
          if (!node.isArray(operand)) {
            if (half == 0 && own.kind != KnownAt::Always)
              return std::nullopt;
            known = known & (half == 1 && own.kind == KnownAt::Second && own.digit == turn ? KnownAt{} : own);
          } else if (half < 0) {
            known = known & second & (element ? own : KnownAt{}); // the first one has been kept
          } else if (element > half) {
            return std::nullopt;
          } else if (element == half) {
            known = known & own;
          }
        }
      }
      return known;
    };
    size_t leaf = 0;
    for (Value result : node.getOutputs()) {
      const size_t count = leavesOf(result);
      KnownAt known;
      for (int half = node.isArray(result) ? 0 : -1; half < (node.isArray(result) ? 2 : 0); ++half, leaf += count) {
        std::optional<KnownAt> at = knownAt(leaf, count, half);
        if (!at)
          return false;
        known = known & *at;
      }
      set(result, node.isArray(result) ? turn : turn + 1, known);
    }
    return true;
  }
};

} // namespace

ArrayRef<Operation *> passes::stepsOnTurns(ArrayRef<Operation *> steps, TurnOf turnOf) {
  auto isNoNode = [&](Operation *step) { return !turnOf(step); };
  steps = steps.drop_while(isNoNode);
  while (!steps.empty() && isNoNode(steps.back()))
    steps = steps.drop_back();
  return steps;
}

bool passes::canBeDoneInTurns(ArrayRef<Operation *> steps, TurnOf turnOf) { return TurnOrder(steps, turnOf).run(); }
