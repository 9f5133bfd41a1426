// Input: digit flow that is one chain. Output: the same chain, nodes ordered from high to low digits as far as they
// commute, every term of a twiddle's exponent just before the first node that needs it.
//
// Linear nodes on different digits commute. A term of a twiddle's exponent commutes with a linear node that does not act
// on one of its digits, and twiddles commute with each other; so the exponent is split into monomials and each is placed
// on its own. Everything else (pointwise steps, nodes that are not linear or look at digits) keeps its order.
//
//   node [1]  node [2]  twiddle t3*t1  node [3]   ->   node [2]  node [1]  twiddle t3*t1  node [3]
//
// High digits first makes the first registers of a kernel the slow address digits and leaves the fast ones to lanes; late
// twiddles make each a factor of one node's own digit. Programs that are no chain are left as they are.
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
  bool linear = false;      // a linear node that does not look at digits
  SmallVector<int> digits;  // node: its digits; term: the digits of its monomial
  Polynomial term;          // twiddle terms only
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
    func::FuncOp function = getOperation();
    std::vector<Unit> units;
    if (!collect(function, units))
      return;
    std::vector<std::vector<int>> needs(units.size());
    for (size_t i = 0; i < units.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (!commute(units[j], units[i]))
          needs[i].push_back(static_cast<int>(j));
    std::vector<int> order = schedule(units, needs);
    rebuild(function, units, order);
  }

  /// The chain's units in order; false when the function is no chain of steps that keep their type.
  static bool collect(func::FuncOp function, std::vector<Unit> &units) {
    Block &block = function.getBody().front();
    if (function.getNumArguments() != 1)
      return false;
    Value value = function.getArgument(0);
    for (Operation &op : block.without_terminator()) {
      if (op.getNumOperands() != 1 || op.getOperand(0) != value || op.getNumResults() != 1)
        return false;
      value = op.getResult(0);
      if (isa<id::PermuteOp>(op))
        return true; // what follows stays where it is
      Unit unit;
      unit.op = &op;
      if (auto twiddle = dyn_cast<id::TwiddleOp>(op)) {
        for (const auto &[monomial, coefficient] : twiddle.getExponent().getPolynomial().monomials()) {
          unit.term = Polynomial::term(coefficient, monomial);
          unit.digits.assign(monomial.begin(), monomial.end());
          units.push_back(unit);
        }
        continue;
      }
      if (auto node = dyn_cast<id::NodeOp>(op)) {
        if (op.getOperand(0).getType() != op.getResult(0).getType())
          return false;
        unit.digits = digitsOf(node);
        unit.linear = linearMatrix(node.getBody()).has_value();
      }
      units.push_back(unit);
    }
    return true;
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

  static void rebuild(func::FuncOp function, const std::vector<Unit> &units, const std::vector<int> &order) {
    if (units.empty())
      return;
    OpBuilder builder(units.front().op);
    Operation *last = units.back().op;
    Operation *next = last->getNextNode();
    Value tail = last->getResult(0);
    Value value = function.getArgument(0);
    builder.setInsertionPoint(next);
    SmallVector<std::pair<Operation *, unsigned>> uses;
    for (OpOperand &use : tail.getUses())
      uses.emplace_back(use.getOwner(), use.getOperandNumber());
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
    for (auto [user, index] : uses)
      if (!llvm::any_of(units, [&, user = user](const Unit &unit) { return unit.op == user; }))
        user->setOperand(index, value);
    SmallVector<Operation *> old;
    for (const Unit &unit : units)
      if (unit.isTerm() && !llvm::is_contained(old, unit.op))
        old.push_back(unit.op);
    for (Operation *op : llvm::reverse(old)) {
      op->dropAllUses();
      op->erase();
    }
  }
};

} // namespace
} // namespace idc::passes
