// Input: digit flow. Output: the same; a node that only takes an argument apart at its highest digits, several of them,
// is nodes of one digit each: such say which part of a buffer is loaded.
//
//   (a, b, c, d) = id.node [8, 7] of x   ->   (p, q) = id.node [8] of x,  (a, b) = id.node [7] of p,  (c, d) = … of q
//
// What the lowest digits tell apart lies together, and is loaded by one access; what a block holds is loaded once.
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Steps.h"

#include "id/ArrayType.h"
#include "id/IdDialect.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_SPLITPLANES
#include "compiler/passes/Passes.h.inc"

namespace {

struct SplitPlanes : impl::SplitPlanesBase<SplitPlanes> {
  void runOnOperation() override {
    // In place a kernel reads all before another writes; of parts each has its own elements.
    if (getOperation()->hasAttr(id::inPlaceAttr) || isInParts(getOperation()))
      return;
    for (id::NodeOp node : llvm::to_vector(getOperation().getOps<id::NodeOp>()))
      if (node.getDigits().size() > 1 && splits(node))
        split(node);
  }

private:
  /// Whether a node acts on the highest digits of a value.
  static bool isOfHighest(id::NodeOp node, Value array) {
    const auto all = static_cast<int64_t>(id::radicesOf(array.getType()).size());
    return *llvm::min_element(node.getDigits()) == all - static_cast<int64_t>(node.getDigits().size()) + 1;
  }

  static bool splits(id::NodeOp node) {
    const std::optional<Placement> moved = movedBy(node);
    if (!moved || moved->joins)
      return false;
    constexpr int64_t mostParts = 64; // that a kernel loads instead of one sequence
    Value whole = node.getInputs()[0];
    return isa<BlockArgument>(whole) && node.getArity() <= mostParts &&
           cast<id::SeqType>(whole.getType()).getNumElements() > node.getArity() * beyondBlock &&
           isOfHighest(node, whole);
  }

  /// For the parts by their digits, the highest one first, the elements of the node's array.
  static SmallVector<int64_t> elementsInOrder(id::NodeOp node, ArrayRef<int32_t> radices) {
    SmallVector<int64_t> digits(node.getDigits()), elements;
    const auto all = static_cast<int64_t>(radices.size());
    for (int64_t part = 0; part < node.getArity(); ++part) {
      SmallVector<int64_t> values(digits.size()); // of the highest digits, the lowest of these first
      int64_t rest = part, element = 0;
      for (size_t i = 0; i < digits.size(); ++i) {
        const int32_t radix = radices[radices.size() - digits.size() + i];
        values[i] = rest % radix;
        rest /= radix;
      }
      for (int64_t digit : digits)
        element = element * radices[static_cast<size_t>(digit) - 1] +
                  values[static_cast<size_t>(digit - (all - static_cast<int64_t>(digits.size())) - 1)];
      elements.push_back(element);
    }
    return elements;
  }

  /// The parts of a value at its highest digit.
  static ValueRange partsOf(OpBuilder &builder, Location loc, Value whole) {
    auto type = cast<id::SeqType>(whole.getType());
    ArrayRef<int32_t> radices = type.getRadices();
    auto part = id::SeqType::get(builder.getContext(), radices.drop_back(), type.getElement());
    const SmallVector<Type> types(static_cast<size_t>(radices.back()), part);
    auto node = id::NodeOp::create(builder, loc, types, {static_cast<int64_t>(radices.size())}, whole);
    OpBuilder inside(builder);
    Block *body = id::createBody(inside, node);
    inside.setInsertionPointToEnd(body);
    id::YieldOp::create(inside, loc, body->getArguments());
    return node.getOutputs();
  }

  static void split(id::NodeOp node) {
    OpBuilder builder(node);
    Value whole = node.getInputs()[0];
    ArrayRef<int32_t> radices = id::radicesOf(whole.getType());
    SmallVector<Value> parts{whole};
    for (size_t i = 0; i < node.getDigits().size(); ++i) {
      SmallVector<Value> next;
      for (Value part : parts)
        llvm::append_range(next, partsOf(builder, node.getLoc(), part));
      parts = std::move(next);
    }
    const SmallVector<int64_t> elements = elementsInOrder(node, radices);
    const Placement moved = *movedBy(node);
    for (auto [result, place] : llvm::zip_equal(node.getOutputs(), moved.order))
      result.replaceAllUsesWith(parts[static_cast<size_t>(llvm::find(elements, place) - elements.begin())]);
    node.erase();
  }
};

} // namespace
} // namespace idc::passes
