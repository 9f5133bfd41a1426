// Input: digit flow in chains (id-form-chains). Output: the same without them, in every chain the nodes ordered from
// high to low digits as far as they commute, every term of a twiddle's exponent just before the first node that needs
// it.
//
// Linear nodes on different digits commute where what they do to the leaves of records does (Linearity.h). A term of a
// twiddle's exponent commutes with a linear node that does not act on one of its digits, and twiddles commute with each
// other; so the exponent is split into monomials and each is placed on its own. Everything else (pointwise steps, nodes
// that are not linear or look at digits) keeps its order.
//
//   node [1]  node [2]  twiddle t3*t1  node [3]   ->   node [2]  node [1]  twiddle t3*t1  node [3]
//
// High digits first makes the first registers of a kernel the slow address digits and leaves the fast ones to lanes;
// late twiddles make each a factor of one node's own digit. Of more bytes than a block holds it goes the other way
// behind a step that commutes with nothing, from low digits to high ones, and back behind the next: what the last
// kernel holds is acted on first. Within a block it does not: what further operands are loaded for would be the lowest
// digits of a thread.
//
//   node [2]  node [1]  pointwise  node [2]  node [1]   ->   node [2]  node [1]  pointwise  node [1]  node [2]
//
// Steps outside chains (Steps.h) are left as they are.
//
// Where several devices work on a program, the digits by which the chain's sequence is distributed among them come
// last: kernels that do not act on them find all that they need on their own device. These are an argument's, as far as
// no step before the chain acts on them.
#include "compiler/passes/Linearity.h"
#include "compiler/passes/Steps.h"

#include "id/ConstantData.h"
#include "id/Devices.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace idc;
using digits::Polynomial;

namespace idc::passes {
#define GEN_PASS_DEF_ORDERSTEPS
#include "compiler/passes/Passes.h.inc"

namespace {

/// A piece of the chain that is placed as a whole: a node, a pointwise step, or one term of a twiddle.
struct Unit {
  Operation *op = nullptr;
  std::optional<LeafMatrices> linear; // a linear node that does not look at digits
  SmallVector<int> digits;            // node: its digits; term: the digits of its monomial
  Polynomial term;                    // twiddle terms only
  bool isNode() const { return isa<id::NodeOp>(op); }
  bool isTerm() const { return isa<id::TwiddleOp>(op); }
};

bool disjoint(ArrayRef<int> a, ArrayRef<int> b) {
  return llvm::none_of(a, [&](int digit) { return llvm::is_contained(b, digit); });
}

bool commute(const Unit &a, const Unit &b) {
  if (a.isTerm() && b.isTerm())
    return true;
  if (!(a.isTerm() || a.linear) || !(b.isTerm() || b.linear) || !disjoint(a.digits, b.digits))
    return false;
  return a.isTerm() || b.isTerm() || a.linear->commuteWith(*b.linear);
}

/// Bytes of a sequence that a block holds, on any machine: the order is the same on all.
constexpr int64_t mostOfBlock = int64_t(1) << 17;

struct OrderSteps : impl::OrderStepsBase<OrderSteps> {
  void runOnOperation() override {
    FailureOr<FlowProgram> program = segmentsOf(getOperation());
    if (failed(program))
      return signalPassFailure();
    // Before anything is rebuilt: what a chain begins with is the end of another one.
    findDistributed();
    SmallVector<std::vector<int>> last;
    for (const FlowSegment &segment : program->segments)
      last.push_back(segment.chain ? distributedOf(segment.chain->input) : std::vector<int>());
    for (auto [segment, digits] : llvm::zip(program->segments, last)) {
      if (!segment.chain)
        continue;
      if (SmallVector<Operation *> ops = segment.chain->ops(); !ops.empty())
        reorder(*segment.chain, ops, digits);
    }
    forgetSegments(getOperation());
  }

  DenseMap<Value, std::vector<int>> distributed; // the digits of values that number devices

  /// Follows the digits of arguments through the steps that leave them where they are.
  void findDistributed() {
    distributed.clear();
    func::FuncOp function = getOperation();
    const int64_t devices = id::devicesOf(function);
    if (devices == 1)
      return;
    for (BlockArgument argument : function.getArguments()) {
      if (function.getArgAttr(argument.getArgNumber(), id::dataAttr)) // every device has all of it
        continue;
      std::string error;
      const auto wanted = id::distributionOf(function.getArgAttr(argument.getArgNumber(), id::distributionAttr));
      if (auto digits = id::distributedDigits(cast<id::SeqType>(argument.getType()), wanted, devices, error))
        distributed[argument] = *digits;
    }
    for (Operation &step : function.getBody().front().without_terminator())
      if (step.getNumResults() == 1)
        for (Value operand : step.getOperands())
          if (auto digits = distributedAfter(step, distributed.lookup(operand)); !digits.empty()) {
            distributed[step.getResult(0)] = digits;
            break;
          }
  }

  static std::vector<int> moved(std::vector<int> digits, const digits::Permutation &map) {
    for (int &digit : digits)
      digit = map.destination(digit);
    return digits;
  }

  /// What the digits of an operand are in the result; none where the step acts on one of them.
  static std::vector<int> distributedAfter(Operation &step, std::vector<int> digits) {
    auto above = [&](int64_t lowest, int64_t newLowest) {
      for (int &digit : digits) {
        if (digit <= lowest)
          return std::vector<int>();
        digit += static_cast<int>(newLowest - lowest);
      }
      return digits;
    };
    if (auto permute = dyn_cast<id::PermuteOp>(step))
      return moved(digits, permute.getMap().getPermutation());
    if (auto gather = dyn_cast<id::GatherOp>(step))
      return above(gather.getLowest(), gather.getNewLowest());
    if (auto scatter = dyn_cast<id::ScatterOp>(step))
      return above(scatter.getLowest(), scatter.getNewLowest());
    if (auto resize = dyn_cast<id::ResizeOp>(step))
      return above(resize.getLowest(), resize.getNewLowest());
    if (auto node = dyn_cast<id::NodeOp>(step)) {
      const bool keepsDigits = cast<id::SeqType>(node.getOperand(0).getType()).getRadices() ==
                               cast<id::SeqType>(node.getResult(0).getType()).getRadices();
      return keepsDigits && disjoint(digits, digitsOf(node)) ? digits : std::vector<int>();
    }
    return isa<id::TwiddleOp, id::PointwiseOp, id::RepeatOp>(step) ? digits : std::vector<int>();
  }

  std::vector<int> distributedOf(const FlowValue &from) const {
    std::vector<int> digits = distributed.lookup(from.buffer);
    if (from.isRepeated())
      return {};
    for (const FlowView &view : from.views)
      switch (view.kind) {
      case FlowView::Kind::Move:
        digits = moved(digits, view.map);
        break;
      case FlowView::Kind::Gather:
        digits = distributedAfter(*id::GatherOp(view.gather), digits);
        break;
      case FlowView::Kind::Resize:
        digits = distributedAfter(*id::ResizeOp(view.resize), digits);
        break;
      case FlowView::Kind::Part:
      case FlowView::Kind::Scatter:
        return {};
      }
    return moved(digits, from.map);
  }

  static void reorder(const FlowChain &chain, ArrayRef<Operation *> ops, const std::vector<int> &last) {
    std::vector<Unit> units = unitsOf(ops);
    // What each unit waits for, transitively.
    std::vector<llvm::BitVector> needs(units.size(), llvm::BitVector(units.size()));
    for (size_t i = 0; i < units.size(); ++i)
      for (size_t j = i; j-- > 0;)
        if (!needs[i].test(j) && !commute(units[j], units[i])) {
          needs[i] |= needs[j];
          needs[i].set(j);
        }
    const bool isLarge = sequenceBytes(chain.type) > mostOfBlock;
    const std::vector<int> stops = isLarge ? stopsBefore(units, needs) : std::vector<int>(units.size(), 0);
    rebuild(chain, ops, units, schedule(units, needs, stops, last));
  }

  static std::vector<Unit> unitsOf(ArrayRef<Operation *> ops) {
    std::vector<Unit> units;
    for (Operation *op : ops) {
      Unit unit;
      unit.op = op;
      if (auto twiddle = dyn_cast<id::TwiddleOp>(op)) {
        for (const auto &[monomial, coefficient] : twiddle.getExponent().getPolynomial().monomials()) {
          unit.term = Polynomial::term(coefficient, monomial);
          unit.digits.assign(monomial.begin(), monomial.end());
          units.push_back(unit);
        }
        continue;
      }
      if (auto node = dyn_cast<id::NodeOp>(op)) {
        unit.digits = digitsOf(node);
        // A change of type is no linear map of one field.
        Type type = op->getOperand(0).getType();
        if (type == op->getResult(0).getType() && isLinear(node.getBody()))
          unit.linear.emplace(node.getBody(), id::leafTypes(id::elementOf(type)).size());
      }
      units.push_back(unit);
    }
    return units;
  }

  /// How many steps that commute with nothing come before each unit.
  static std::vector<int> stopsBefore(const std::vector<Unit> &units, const std::vector<llvm::BitVector> &needs) {
    std::vector<int> stops(units.size(), 0);
    for (size_t i = 0; i < units.size(); ++i)
      for (size_t j : needs[i].set_bits())
        stops[i] = std::max(stops[i], stops[j] + (!units[j].isTerm() && !units[j].linear));
    return stops;
  }

  /// Nodes whose needed nodes are done, highest digit first, behind an odd number of `stops` lowest digit first, but
  /// those on the digits `last` last; everything else just before the first node that needs it, the rest at the end.
  static std::vector<int> schedule(const std::vector<Unit> &units, const std::vector<llvm::BitVector> &needs,
                                   const std::vector<int> &stops, const std::vector<int> &last) {
    size_t count = units.size();
    llvm::BitVector done(count);
    std::vector<int> order, nodesBefore(count, 0); // nodes that a unit still waits for
    for (size_t i = 0; i < count; ++i)
      for (size_t j : needs[i].set_bits())
        nodesBefore[i] += units[j].isNode();
    auto place = [&](size_t i) {
      done.set(i);
      order.push_back(static_cast<int>(i));
      for (size_t k = i + 1; units[i].isNode() && k < count; ++k)
        nodesBefore[k] -= needs[k].test(i);
    };
    auto top = [&](size_t i) {
      const bool isLast = !disjoint(units[i].digits, last);
      const int digit = *std::max_element(units[i].digits.begin(), units[i].digits.end());
      return std::tuple(!isLast, -stops[i], stops[i] % 2 == 0 ? digit : -digit);
    };
    while (true) {
      size_t best = count;
      for (size_t i = 0; i < count; ++i)
        if (!done.test(i) && units[i].isNode() && nodesBefore[i] == 0 && (best == count || top(i) > top(best)))
          best = i;
      if (best == count)
        break;
      for (size_t j : needs[best].set_bits())
        if (!done.test(j))
          place(j);
      place(best);
    }
    for (size_t i = 0; i < count; ++i)
      if (!done.test(i))
        place(i);
    return order;
  }

  /// Puts the units in their order where the chain ends: no value inside it has another user.
  static void rebuild(const FlowChain &chain, ArrayRef<Operation *> ops, const std::vector<Unit> &units,
                      const std::vector<int> &order) {
    Value value = ops.front()->getOperand(chain.carrierOf(ops.front())), tail = ops.back()->getResult(0);
    Operation *next = ops.back()->getNextNode();
    OpBuilder builder(next);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : tail.getUses())
      uses.push_back(&use);
    for (int i : order) {
      const Unit &unit = units[i];
      if (auto twiddle = dyn_cast<id::TwiddleOp>(unit.op)) {
        value = id::TwiddleOp::create(builder, twiddle.getLoc(), value.getType(), value, twiddle.getRoot(),
                                      id::PolyAttr::get(builder.getContext(), unit.term));
        continue;
      }
      unit.op->moveBefore(next);
      unit.op->setOperand(chain.carrierOf(unit.op), value);
      value = unit.op->getResult(0);
    }
    for (OpOperand *use : uses)
      use->set(value);
    for (Operation *op : llvm::reverse(ops))
      if (isa<id::TwiddleOp>(op)) {
        op->dropAllUses();
        op->erase();
      }
  }
};

} // namespace
} // namespace idc::passes
