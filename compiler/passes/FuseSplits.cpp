// Input: the algebra. Output: the same program; a node that only splits a sequence, pointwise steps on the parts and a
// node that gives such digits back are one node.
//
// Elements that differ in other digits never meet in these steps, so the steps' bodies and the last node's follow one
// another in one body. The digits come back where the last node puts them: a permutation moves them there. A node that
// yields what it takes, digits and all, is nothing.
//
// Only of what id-batch-alike has made, which ends with that: elsewhere a split says which part of a buffer is loaded.
//
//   (a, b) = halves @ 1 of x; (a, f(b)) |> join @ n   ->   node @ 1 of x, then digit 1 becomes digit n
#include "compiler/passes/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace idc;
using digits::Permutation;
using digits::Polynomial;

namespace idc::passes {
#define GEN_PASS_DEF_FUSESPLITS
#include "compiler/passes/Passes.h.inc"

namespace {

/// True for a node that yields what it takes.
bool onlyMoves(id::NodeOp node) {
  Block &body = node.getBody().front();
  return llvm::equal(body.getTerminator()->getOperands(), body.getArguments());
}

/// Nodes with pointwise steps between them.
class Parts {
public:
  explicit Parts(id::NodeOp last) : last(last) {}

  /// Makes them one node in place of the last, where that is possible.
  void fuse() {
    if (!find())
      return;
    OpBuilder builder(last);
    const ArrayRef<int32_t> radices = id::radicesOf(array.getType());
    SmallVector<Type> types;
    for (Value output : last.getOutputs())
      types.push_back(id::SeqType::get(last.getContext(), radices, id::elementOf(output.getType())));
    auto node = id::NodeOp::create(builder, last.getLoc(), types, first.getDigits(), first.getInputs());
    writeBody(builder, node);
    const Permutation map = moved(radices.size());
    for (auto [old, made] : llvm::zip(last.getOutputs(), node.getOutputs()))
      old.replaceAllUsesWith(
          id::PermuteOp::create(builder, last.getLoc(), old.getType(), made, id::PermAttr::get(last.getContext(), map))
              .getResult());
    last.erase();
    for (Operation *step : llvm::reverse(steps))
      step->erase();
    first.erase();
  }

private:
  id::NodeOp first, last;
  Value array;                    // one that the first node takes
  SmallVector<Operation *> steps; // between them, in their order

  bool find() {
    auto lacks = [](id::NodeOp node) { return [node](Value value) mutable { return !node.isArray(value); }; };
    auto has = [](id::NodeOp node) { return [node](Value value) mutable { return node.isArray(value); }; };
    if (last.getInputs().empty() || !llvm::all_of(last.getInputs(), lacks(last)) ||
        !llvm::all_of(last.getOutputs(), has(last)))
      return false;
    SetVector<Operation *> found;
    SmallVector<Value> waiting(last.getInputs());
    while (!waiting.empty()) {
      Operation *maker = waiting.pop_back_val().getDefiningOp();
      if (auto node = dyn_cast_or_null<id::NodeOp>(maker); node && (!first || first == node)) {
        first = node;
      } else if (isa_and_nonnull<id::PointwiseOp>(maker) && maker->getNumOperands() > 0) {
        if (found.insert(maker))
          llvm::append_range(waiting, maker->getOperands());
      } else {
        return false;
      }
    }
    if (!first->hasAttr(batchedAttr) || !onlyMoves(first) || !llvm::all_of(first.getOutputs(), lacks(first)))
      return false;
    array = *llvm::find_if(first.getInputs(), has(first));
    auto isInside = [&](Operation *user) { return user == last || found.contains(user); };
    auto isOnlyInside = [&](Operation *op) { return llvm::all_of(op->getUsers(), isInside); };
    if (!isOnlyInside(first) || !llvm::all_of(found, isOnlyInside) || first.getDigitRadices() != last.getDigitRadices())
      return false;
    steps = found.takeVector();
    llvm::sort(steps, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return true;
  }

  /// The digits of the first node's arrangement where the last one has them.
  Permutation moved(size_t numDigits) {
    std::vector<int> sources;
    int other = 0;
    for (int64_t place = 1; place <= static_cast<int64_t>(numDigits); ++place) {
      const auto *own = llvm::find(last.getDigits(), place);
      if (own == last.getDigits().end())
        do
          ++other;
        while (llvm::is_contained(first.getDigits(), other));
      sources.push_back(own == last.getDigits().end()
                            ? other
                            : static_cast<int>(first.getDigits()[static_cast<size_t>(own - last.getDigits().begin())]));
    }
    return Permutation::fromSources(std::move(sources));
  }

  void writeBody(OpBuilder &builder, id::NodeOp node) {
    OpBuilder::InsertionGuard guard(builder);
    const std::vector<int> radices(id::radicesOf(array.getType()).begin(), id::radicesOf(array.getType()).end());
    // The digits without the node's own, as its arrangement has them.
    std::vector<int> others;
    for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit)
      if (!llvm::is_contained(first.getDigits(), digit))
        others.push_back(digit);
    const Permutation places = moved(radices.size());
    Block *block = id::createBody(builder, node);
    DenseMap<Value, SmallVector<Value>> leaves; // of the results of steps
    SmallVector<Value> yielded(block->getArguments());
    auto append = [&](Operation *step, ValueRange arguments, llvm::function_ref<int(int)> digitOf) {
      Block &body = step->getRegion(0).front();
      IRMapping values;
      values.map(body.getArguments(), arguments);
      for (Operation &op : body.without_terminator())
        rename(builder.clone(op, values), radices, digitOf);
      yielded =
          llvm::map_to_vector(body.getTerminator()->getOperands(), [&](Value value) { return values.lookup(value); });
      ArrayRef<Value> rest = yielded;
      for (Value result : step->getResults()) {
        const size_t count = id::leafTypes(id::elementOf(result.getType())).size();
        if (step != last.getOperation())
          leaves[result] = SmallVector<Value>(rest.take_front(count));
        rest = rest.drop_front(step == last.getOperation() ? 0 : count);
      }
    };
    auto argumentsOf = [&](Operation *step) {
      SmallVector<Value> arguments;
      for (Value operand : step->getOperands())
        llvm::append_range(arguments, leaves[operand]);
      return arguments;
    };
    append(first, block->getArguments(), [](int digit) { return digit; });
    for (Operation *step : steps)
      append(step, argumentsOf(step), [&](int digit) { return others[static_cast<size_t>(digit) - 1]; });
    append(last, argumentsOf(last), [&](int digit) { return places.source(digit); });
    id::YieldOp::create(builder, last.getLoc(), yielded);
  }

  static void rename(Operation *op, const std::vector<int> &radices, llvm::function_ref<int(int)> digitOf) {
    if (auto digit = dyn_cast<id::DigitOp>(op))
      digit.setDigit(static_cast<uint64_t>(digitOf(static_cast<int>(digit.getDigit()))));
    if (auto omega = dyn_cast<id::OmegaOp>(op))
      omega.setExponentAttr(id::PolyAttr::get(
          op->getContext(), omega.getExponent()
                                .getPolynomial()
                                .substitute([&](int digit) { return Polynomial::digit(digitOf(digit)); })
                                .reduced(omega.getRoot(), radices)));
  }
};

struct FuseSplits : impl::FuseSplitsBase<FuseSplits> {
  void runOnOperation() override {
    Block &block = getOperation().getBody().front();
    for (auto node : llvm::make_early_inc_range(block.getOps<id::NodeOp>()))
      if (node->hasAttr(batchedAttr) && onlyMoves(node) &&
          node.getInputs().getTypes() == node.getOutputs().getTypes()) {
        node.replaceAllUsesWith(node.getInputs());
        node.erase();
      } else {
        Parts(node).fuse();
      }
    for (Operation &op : block)
      op.removeAttr(batchedAttr);
  }
};

} // namespace
} // namespace idc::passes
