// Input: the algebra. Output: the same program with fewer steps: what it does alike to all results of a node it does
// once, to one sequence.
//
// A node that takes a digit away and has a result for each of its values, as programs that call themselves on halves
// have them, keeps the digit when the same ops follow on every result: they act on one sequence, whose highest digit
// says which result an element is of. Where the ops differ, a node takes the digit away again. Ops that such a node has
// made one may begin the same anew: 2^n steps of n levels of calls become those of n steps.
//
//   (a, b) = split @ 1 of x, f(g(a)), h(g(b))
//   ->   c = x with digit 1 as the highest, (d, e) = split of g(c), f(d), h(e)
#include "compiler/passes/Passes.h"

#include "compiler/passes/Elementwise.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_BATCHALIKE
#include "compiler/passes/Passes.h.inc"

namespace {

/// A node with one operand, of which it takes the digits away and has one result for each of their values.
bool isSplit(Operation *op) {
  auto node = dyn_cast<id::NodeOp>(op);
  return node && node.getInputs().size() == 1 && node.isArray(node.getInputs()[0]) && node.getOutputs().size() > 1 &&
         static_cast<int64_t>(node.getOutputs().size()) == node.getArity() &&
         llvm::all_equal(node.getOutputs().getTypes()) && !node.isArray(node.getOutputs()[0]);
}

bool isStep(Operation *op) {
  return isa<id::PermuteOp, id::ResizeOp, id::GatherOp, id::ScatterOp, id::TwiddleOp, id::PointwiseOp, id::NodeOp>(op);
}

/// True for what is worth doing once. Batches make permutations and nodes that yield all they take; of other steps a
/// batch leaves fewer than there were. Where nothing but such follows, two splits would change places for ever.
bool isWork(Operation *step) {
  auto node = dyn_cast<id::NodeOp>(step);
  if (!node)
    return !isa<id::PermuteOp>(step);
  Block &body = node.getBody().front();
  return node.getInputs().size() > 1 || !llvm::equal(body.getTerminator()->getOperands(), body.getArguments());
}

/// What is done alike to the results of one node.
class Batch {
public:
  explicit Batch(id::NodeOp split) : split(split), radices(llvm::to_vector(llvm::reverse(split.getDigitRadices()))) {}

  /// Makes it one, at the end of the block. False where nothing is done alike.
  bool run() {
    add(split.getOutputs());
    for (size_t tuple = 0; tuple < tuples.size(); ++tuple) // which become more
      followUsers(tuple);
    if (llvm::none_of(steps, [](const Step &step) { return isWork(step.front()); }))
      return false;
    OpBuilder builder(split->getBlock()->getTerminator());
    joined.resize(tuples.size());
    keepDigits(builder);
    for (const Step &step : steps)
      join(builder, step);
    for (size_t tuple = 0; tuple < tuples.size(); ++tuple)
      if (llvm::any_of(tuples[tuple], [&](Value value) {
            return llvm::any_of(value.getUsers(), [&](Operation *user) { return !inSteps.contains(user); });
          }))
        part(builder, tuple);
    inSteps.insert(split);
    for (Operation *op : inSteps)
      op->dropAllReferences();
    return true;
  }

  /// The ops that nothing takes any more, which have let go of their operands.
  const DenseSet<Operation *> &replaced() const { return inSteps; }
  ArrayRef<Operation *> made() const { return madeOps; }

private:
  using Step = SmallVector<Operation *>; // an op for each result of the node

  id::NodeOp split;
  SmallVector<int32_t> radices;                       // of its digits, least significant first
  SmallVector<SmallVector<Value>> tuples;             // a value for each of its results
  DenseMap<Value, std::pair<size_t, size_t>> tupleOf; // and the number of the result
  SmallVector<Step> steps;                            // each after those that make its operands
  DenseSet<Operation *> inSteps;
  SmallVector<Value> joined; // [tuple]
  SmallVector<Operation *> madeOps;

  void note(Operation *op) {
    op->setAttr(batchedAttr, UnitAttr::get(op->getContext()));
    madeOps.push_back(op);
  }

  void add(ValueRange tuple) {
    for (auto [lane, value] : llvm::enumerate(tuple))
      tupleOf[value] = {tuples.size(), lane};
    tuples.emplace_back(tuple);
  }

  /// Finds the steps of which the last operand to be known is in this tuple.
  void followUsers(size_t tuple) {
    const Value first = tuples[tuple].front();
    for (Operation *user : first.getUsers()) {
      if (inSteps.contains(user) || !isStep(user))
        continue;
      Step step{user};
      for (size_t lane = 1; lane < tuples[tuple].size(); ++lane)
        for (Operation *other : tuples[tuple][lane].getUsers())
          if (!llvm::is_contained(step, other) && !inSteps.contains(other) && takesTheSame(user, other, lane)) {
            step.push_back(other);
            break;
          }
      if (step.size() != tuples[tuple].size())
        continue;
      inSteps.insert(step.begin(), step.end());
      for (unsigned result = 0; result < user->getNumResults(); ++result)
        add(llvm::map_to_vector(step, [&](Operation *op) -> Value { return op->getResult(result); }));
      steps.push_back(std::move(step));
    }
  }

  /// True when `op` does to lane `lane` what `first` does to the first one.
  bool takesTheSame(Operation *first, Operation *op, size_t lane) {
    return isAlike(first, op) && llvm::all_of(llvm::zip(first->getOperands(), op->getOperands()), [&](auto operands) {
             auto own = tupleOf.find(std::get<0>(operands));
             return own != tupleOf.end() && own->second.second == 0 &&
                    tuples[own->second.first][lane] == std::get<1>(operands);
           });
  }

  /// The node with its digits kept, and then moved above the others.
  void keepDigits(OpBuilder &builder) {
    Value input = split.getInputs()[0];
    auto type = cast<id::SeqType>(input.getType());
    const Type element = id::elementOf(split.getOutputs()[0].getType());
    auto node = id::NodeOp::create(builder, split.getLoc(),
                                   TypeRange{id::SeqType::get(type.getContext(), type.getRadices(), element)},
                                   split.getDigits(), split.getInputs());
    node.getBody().takeBody(split.getBody());
    std::vector<int> places; // the digits of the node last
    for (int digit = 1; digit <= type.getNumDigits(); ++digit)
      if (!llvm::is_contained(split.getDigits(), digit))
        places.push_back(digit);
    places.insert(places.end(), split.getDigits().rbegin(), split.getDigits().rend());
    const digits::Permutation map = digits::Permutation::fromSources(std::move(places));
    joined[0] = id::PermuteOp::create(builder, split.getLoc(), withDigits(split.getOutputs()[0].getType()),
                                      node.getOutputs()[0], id::PermAttr::get(type.getContext(), map));
    note(node);
  }

  void join(OpBuilder &builder, const Step &step) {
    IRMapping operands;
    for (Value operand : step.front()->getOperands())
      operands.map(operand, joined[tupleOf[operand].first]);
    Operation *made = builder.clone(*step.front(), operands);
    if (auto permute = dyn_cast<id::PermuteOp>(made)) {
      const digits::Permutation &map = permute.getMap().getPermutation();
      permute.setMapAttr(
          id::PermAttr::get(made->getContext(), map.extended(map.size() + static_cast<int>(radices.size()))));
    }
    for (auto [result, old] : llvm::zip(made->getResults(), step.front()->getResults())) {
      result.setType(withDigits(result.getType()));
      joined[tupleOf[old].first] = result;
    }
    note(made);
  }

  /// The values of a tuple, as results of a node that takes the digits away.
  void part(OpBuilder &builder, size_t tuple) {
    const ArrayRef<Value> values = tuples[tuple];
    const Location loc = values.front().getLoc();
    auto type = cast<id::SeqType>(joined[tuple].getType());
    SmallVector<int64_t> digits;
    for (size_t digit = type.getNumDigits(); digits.size() < radices.size(); --digit)
      digits.push_back(static_cast<int64_t>(digit));
    auto node = id::NodeOp::create(builder, loc, ValueRange(values).getTypes(), digits, joined[tuple]);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = id::createBody(builder, node);
    id::YieldOp::create(builder, loc, body->getArguments());
    node->setAttr(batchedAttr, builder.getUnitAttr());
    for (auto [value, result] : llvm::zip(tuples[tuple], node.getOutputs()))
      value.replaceAllUsesWith(result);
  }

  /// The type with the node's digits above its own.
  id::SeqType withDigits(Type type) const {
    SmallVector<int32_t> all(id::radicesOf(type));
    llvm::append_range(all, radices);
    return id::SeqType::get(type.getContext(), all, id::elementOf(type));
  }
};

struct BatchAlike : impl::BatchAlikeBase<BatchAlike> {
  void runOnOperation() override {
    Block &block = getOperation().getBody().front();
    SmallVector<Operation *> splits;
    for (Operation &op : block)
      if (isSplit(&op))
        splits.push_back(&op);
    DenseSet<Operation *> gone;
    for (size_t next = 0; next < splits.size(); ++next) { // which become more
      if (gone.contains(splits[next]))
        continue;
      Batch batch(cast<id::NodeOp>(splits[next]));
      if (!batch.run())
        continue;
      gone.insert(batch.replaced().begin(), batch.replaced().end());
      llvm::copy_if(batch.made(), std::back_inserter(splits), isSplit);
    }
    for (Operation *op : gone)
      op->erase();
    if (!gone.empty())
      sortTopologically(&block);
  }
};

} // namespace
} // namespace idc::passes
