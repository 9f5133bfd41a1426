// Input: nodes. Output: those that do the same with each element alone are pointwise steps, which have no elements that
// must be in one thread together.
//
//   node divided(x: T[r], s: T) -> T[r] { let y = x; for i in 0..r-1 { y[i] = x[i] / s; } return y; }
#include "compiler/passes/Passes.h"

#include "compiler/passes/Elementwise.h"
#include "id/IdDialect.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_NODESBYELEMENT
#include "compiler/passes/Passes.h.inc"

namespace {

/// Which leaf of which operand an argument of a node's body is.
struct Place {
  size_t operand;
  int64_t element; // of an array; 0 of an operand that is one element
  size_t leaf;
};

class ByElement {
public:
  explicit ByElement(id::NodeOp node) : node(node), arity(node.getArity()) {
    for (auto [number, operand] : llvm::enumerate(node.getInputs())) {
      const size_t leaves = id::leafTypes(id::elementOf(operand.getType())).size();
      for (int64_t element = 0; element < (node.isArray(operand) ? arity : 1); ++element)
        for (size_t leaf = 0; leaf < leaves; ++leaf)
          places.push_back({number, element, leaf});
    }
  }

  /// Whether element k of each result is to element k of the operands what element 0 is to element 0. Copies of one
  /// element alone are how kernels give back what they have contracted.
  bool holds() {
    auto isArray = [&](Value value) { return node.isArray(value); };
    if (!llvm::all_of(node.getOutputs(), isArray) || llvm::none_of(node.getInputs(), isArray))
      return false;
    const ValueRange yielded = node.getBody().front().getTerminator()->getOperands();
    size_t first = 0; // of this result in what is yielded
    SmallVector<std::pair<size_t, size_t>> results;
    for (Value output : node.getOutputs()) {
      const size_t leaves = id::leafTypes(id::elementOf(output.getType())).size();
      results.emplace_back(first, leaves);
      first += leaves * static_cast<size_t>(arity);
    }
    for (int64_t element = 0; element < arity; ++element) {
      SmallVector<std::pair<Value, Value>> open; // of element 0, and of this one: made alike?
      for (auto [begin, leaves] : results)
        for (size_t leaf = 0; leaf < leaves; ++leaf)
          open.emplace_back(yielded[begin + leaf], yielded[begin + static_cast<size_t>(element) * leaves + leaf]);
      DenseMap<Value, Value> counterparts;
      while (!open.empty()) {
        auto [value, other] = open.pop_back_val();
        auto [known, isNew] = counterparts.try_emplace(value, other);
        if (!isNew && known->second != other)
          return false;
        if (!isNew)
          continue;
        if (!isMadeAlike(value, other, element))
          return false;
        if (Operation *op = value.getDefiningOp())
          for (auto [operand, counterpart] : llvm::zip(op->getOperands(), other.getDefiningOp()->getOperands()))
            open.emplace_back(operand, counterpart);
      }
    }
    return true;
  }

  /// The step on element 0, for every element.
  id::PointwiseOp write(OpBuilder &builder) {
    SmallVector<Value> elements;
    for (Value operand : node.getInputs())
      elements.push_back(node.isArray(operand) ? operand : repeated(builder, operand));
    auto step = id::PointwiseOp::create(builder, node.getLoc(), node.getResultTypes(), elements);
    Block *body = id::createBody(builder, step);
    IRMapping values;
    auto argument = body->args_begin();
    for (auto [own, place] : llvm::zip(node.getBody().getArguments(), places))
      if (place.element == 0)
        values.map(own, *argument++);
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    SmallVector<Value> yielded;
    const ValueRange all = node.getBody().front().getTerminator()->getOperands();
    size_t next = 0;
    for (Value output : node.getOutputs()) {
      const size_t leaves = id::leafTypes(id::elementOf(output.getType())).size();
      llvm::append_range(yielded, all.slice(next, leaves));
      next += leaves * static_cast<size_t>(arity);
    }
    for (Operation &op : node.getBody().front().without_terminator())
      if (llvm::all_of(op.getOperands(), [&](Value operand) { return values.contains(operand); }))
        inside.clone(op, values);
    for (Value &value : yielded)
      value = values.lookup(value);
    id::YieldOp::create(inside, node.getLoc(), yielded);
    return step;
  }

private:
  /// Whether `other`, of an element, is made as `value` is of element 0, but for operands.
  bool isMadeAlike(Value value, Value other, int64_t element) {
    auto argument = dyn_cast<BlockArgument>(value), otherArgument = dyn_cast<BlockArgument>(other);
    if (argument || otherArgument) {
      if (!argument || !otherArgument)
        return false;
      const Place &place = places[argument.getArgNumber()], &otherPlace = places[otherArgument.getArgNumber()];
      const bool isArray = node.isArray(node.getInputs()[place.operand]);
      return place.operand == otherPlace.operand && place.leaf == otherPlace.leaf && place.element == 0 &&
             otherPlace.element == (isArray ? element : 0);
    }
    return isAlike(value.getDefiningOp(), other.getDefiningOp()) &&
           cast<OpResult>(value).getResultNumber() == cast<OpResult>(other).getResultNumber();
  }

  /// An operand that has not the node's digits, along them.
  Value repeated(OpBuilder &builder, Value operand) {
    const ArrayRef<int32_t> radices = id::radicesOf(node.getOutputs()[0].getType());
    SmallVector<int32_t> repeats(id::radicesOf(operand.getType()));
    std::vector<int> sources;
    int own = 0, next = static_cast<int>(repeats.size());
    for (int64_t digit = 1; digit <= static_cast<int64_t>(radices.size()); ++digit) {
      const bool isNew = llvm::is_contained(node.getDigits(), digit);
      sources.push_back(isNew ? ++next : ++own);
      if (isNew)
        repeats.push_back(radices[static_cast<size_t>(digit) - 1]);
    }
    const Type element = id::elementOf(operand.getType());
    MLIRContext *context = builder.getContext();
    auto along = id::RepeatOp::create(builder, node.getLoc(), id::SeqType::get(context, repeats, element), operand);
    return id::PermuteOp::create(builder, node.getLoc(), id::SeqType::get(context, radices, element), along,
                                 id::PermAttr::get(context, digits::Permutation::fromSources(sources)));
  }

  id::NodeOp node;
  int64_t arity;
  SmallVector<Place> places; // of the body's arguments
};

struct NodesByElement : impl::NodesByElementBase<NodesByElement> {
  void runOnOperation() override {
    for (auto node : llvm::make_early_inc_range(getOperation().getBody().front().getOps<id::NodeOp>())) {
      ByElement byElement(node);
      if (!byElement.holds())
        continue;
      OpBuilder builder(node);
      node.replaceAllUsesWith(byElement.write(builder));
      node.erase();
    }
  }
};

} // namespace
} // namespace idc::passes
