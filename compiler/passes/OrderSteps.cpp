// Input: digit flow. Output: the same, in every chain the nodes ordered from high to low digits as far as they commute,
// every term of a twiddle's exponent just before the first node that needs it.
//
// Linear nodes on different digits commute. A term of a twiddle's exponent commutes with a linear node that does not
// act on one of its digits, and twiddles commute with each other; so the exponent is split into monomials and each is
// placed on its own. Everything else (pointwise steps, nodes that are not linear or look at digits) keeps its order.
//
//   node [1]  node [2]  twiddle t3*t1  node [3]   ->   node [2]  node [1]  twiddle t3*t1  node [3]
//
// High digits first makes the first registers of a kernel the slow address digits and leaves the fast ones to lanes;
// late twiddles make each a factor of one node's own digit. Steps outside chains (Steps.h) are left as they are.
#include "compiler/passes/Linearity.h"
#include "compiler/passes/Steps.h"

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
  bool linear = false;     // a linear node that does not look at digits
  SmallVector<int> digits; // node: its digits; term: the digits of its monomial
  Polynomial term;         // twiddle terms only
  bool isNode() const { return isa<id::NodeOp>(op); }
  bool isTerm() const { return isa<id::TwiddleOp>(op); }
};

bool disjoint(ArrayRef<int> a, ArrayRef<int> b) {
  return llvm::none_of(a, [&](int digit) { return llvm::is_contained(b, digit); });
}

bool commute(const Unit &a, const Unit &b) {
  if (a.isTerm() && b.isTerm())
    return true;
  if (!(a.isTerm() || a.linear) || !(b.isTerm() || b.linear))
    return false;
  return disjoint(a.digits, b.digits);
}

struct OrderSteps : impl::OrderStepsBase<OrderSteps> {
  void runOnOperation() override {
    FlowProgram program = findSegments(getOperation());
    for (FlowSegment &segment : program.segments) {
      if (!segment.chain)
        continue;
      SmallVector<Operation *> ops;
      for (FlowStep &step : segment.chain->steps) {
        llvm::append_range(ops, step.before);
        ops.push_back(step.node);
      }
      llvm::append_range(ops, segment.chain->after);
      if (!ops.empty())
        reorder(ops);
    }
  }

  static void reorder(ArrayRef<Operation *> ops) {
    std::vector<Unit> units = unitsOf(ops);
    std::vector<std::vector<int>> needs(units.size());
    for (size_t i = 0; i < units.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (!commute(units[j], units[i]))
          needs[i].push_back(static_cast<int>(j));
    rebuild(ops, units, schedule(units, needs));
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
        unit.linear =
            op->getOperand(0).getType() == op->getResult(0).getType() && linearMatrix(node.getBody()).has_value();
      }
      units.push_back(unit);
    }
    return units;
  }

  /// Nodes whose needed nodes are done, highest digit first; everything else just before the first node that needs it,
  /// the rest at the end.
  static std::vector<int> schedule(const std::vector<Unit> &units, const std::vector<std::vector<int>> &needs) {
    std::vector<bool> done(units.size(), false);
    std::vector<int> order;
    // All units `i` waits for, transitively, that are not done yet; false when one of them is a node.
    auto pending = [&](int i, std::vector<int> &before) {
      std::vector<bool> seen(units.size(), false);
      std::vector<int> stack{i};
      bool ready = true;
      while (!stack.empty()) {
        int top = stack.back();
        stack.pop_back();
        for (int j : needs[top]) {
          if (done[j] || seen[j])
            continue;
          seen[j] = true;
          ready &= !units[j].isNode();
          stack.push_back(j);
        }
      }
      for (size_t j = 0; j < units.size(); ++j)
        if (seen[j])
          before.push_back(static_cast<int>(j));
      return ready;
    };
    auto place = [&](int i) {
      done[i] = true;
      order.push_back(i);
    };
    while (true) {
      int best = -1;
      std::vector<int> bestBefore;
      for (size_t i = 0; i < units.size(); ++i) {
        if (done[i] || !units[i].isNode())
          continue;
        std::vector<int> before;
        if (!pending(static_cast<int>(i), before))
          continue;
        auto top = [&](int k) { return *std::max_element(units[k].digits.begin(), units[k].digits.end()); };
        if (best < 0 || top(static_cast<int>(i)) > top(best)) {
          best = static_cast<int>(i);
          bestBefore = before;
        }
      }
      if (best < 0)
        break;
      for (int j : bestBefore)
        place(j);
      place(best);
    }
    for (size_t i = 0; i < units.size(); ++i)
      if (!done[i])
        place(static_cast<int>(i));
    return order;
  }

  /// Puts the units in their order where the chain ends: no value inside it has another user.
  static void rebuild(ArrayRef<Operation *> ops, const std::vector<Unit> &units, const std::vector<int> &order) {
    Value value = ops.front()->getOperand(0), tail = ops.back()->getResult(0);
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
      unit.op->setOperand(0, value);
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
