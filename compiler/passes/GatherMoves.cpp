// Input: nodes. Output: runs of nodes that only move elements, by conditions on digits, are gathers, where their
// numbers are affine, or there are more of them than a block holds.
//
// On 2^n elements a shift can be written as n conditional swaps, for digits are all that a node sees:
//
//   node cswap(x: T[2], c: bool) -> T[2] { return select(c, [x[1], x[0]], x); }
//   for i in n downto 1 { x = x |> cswap(digits(i-1, 1) == 0) @ i; }     // y[k] = x[(k + 1) mod 2^n]
//
// A run is taken whole: one swap alone is seldom affine. Each number is followed through all its nodes, so that nothing
// is known of what programs mean by them. Where there are too many numbers to follow, or run-time scalars among the
// conditions, the gather does for each element what the nodes do, from the last one to the first; within a block nodes
// are left as they are, which kernels hold in registers, but for those of more elements than a thread holds.
#include "compiler/passes/Elementwise.h"
#include "compiler/passes/Steps.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_GATHERMOVES
#include "compiler/passes/Passes.h.inc"

namespace {

/// A node of one digit that keeps all digits and chooses each of its results among its elements.
struct Move {
  id::NodeOp node;
  std::optional<id::IndexCode> code; // without run-time scalars
  size_t digit;                      // from 0
  int leaves;                        // of an element

  static std::optional<Move> of(Operation &op) {
    auto node = dyn_cast<id::NodeOp>(op);
    if (!node || node.getDigits().size() != 1 || node.getInputs().size() != 1 || node.getOutputs().size() != 1 ||
        node.getInputs()[0].getType() != node.getOutputs()[0].getType())
      return std::nullopt;
    Move move{node, std::nullopt, static_cast<size_t>(node.getDigits()[0]) - 1,
              static_cast<int>(id::leafTypes(id::elementOf(node.getInputs()[0].getType())).size())};
    if (!choosesElements(node.getBody(), move.leaves))
      return std::nullopt;
    move.code = id::IndexCode::ofChoice(node.getBody());
    return move;
  }

  /// The highest digit that it acts on or names.
  size_t highest() {
    size_t highest = digit + 1;
    node.getBody().walk([&](id::DigitOp op) { highest = std::max(highest, static_cast<size_t>(op.getDigit())); });
    return highest;
  }

  /// The digits of a result's element become those of the one that it is.
  bool follow(MutableArrayRef<int64_t> digits) {
    if (!code->evaluate(digits))
      return false;
    digits[digit] = code->result(static_cast<size_t>(digits[digit] * leaves)) / leaves;
    return true;
  }

  /// The same as ops, on the numbers of the digits.
  void follow(OpBuilder &builder, MutableArrayRef<Value> digits) {
    IRMapping values;
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, node.getLoc(), builder.getI64IntegerAttr(value));
    };
    for (BlockArgument argument : node.getBody().getArguments())
      values.map(argument, number(argument.getArgNumber() / leaves));
    for (id::DigitOp named : node.getBody().getOps<id::DigitOp>())
      values.map(named.getResult(), digits[static_cast<size_t>(named.getDigit()) - 1]);
    cloneChoice(builder, node.getBody(), values);
    const ValueRange yielded = node.getBody().front().getTerminator()->getOperands();
    Value from = values.lookup(yielded.front());
    for (int64_t result = 1; result < node.getArity(); ++result) {
      Value is = arith::CmpIOp::create(builder, node.getLoc(), arith::CmpIPredicate::eq, digits[digit], number(result));
      from = arith::SelectOp::create(builder, node.getLoc(), is,
                                     values.lookup(yielded[static_cast<size_t>(result * leaves)]), from);
    }
    digits[digit] = from;
  }
};

struct GatherMoves : impl::GatherMovesBase<GatherMoves> {
  void runOnOperation() override {
    SmallVector<std::vector<Move>> runs;
    DenseMap<Value, size_t> ends; // the run that a value is the result of
    for (Operation &op : getOperation().getBody().front().without_terminator()) {
      std::optional<Move> move = Move::of(op);
      if (!move)
        continue;
      Value taken = op.getOperand(0);
      auto run = ends.find(taken);
      if (run == ends.end() || !taken.hasOneUse()) {
        ends[op.getResult(0)] = runs.size();
        runs.emplace_back().push_back(std::move(*move));
        continue;
      }
      const size_t number = run->second; // before the map grows
      ends[op.getResult(0)] = number;
      runs[number].push_back(std::move(*move));
    }
    for (std::vector<Move> &run : runs)
      gather(run);
  }

private:
  /// Evaluations of bodies for one run.
  static constexpr int64_t maxEvaluations = int64_t(1) << 22;

  /// Elements of a node that a thread holds in registers, beside others.
  static constexpr int64_t mostHeld = 32;

  static void gather(std::vector<Move> &run) {
    size_t lowest = 0;
    for (Move &move : run)
      lowest = std::max(lowest, move.highest());
    auto type = cast<id::SeqType>(run.back().node.getOutputs()[0].getType());
    const ArrayRef<int32_t> radices = type.getRadices().take_front(lowest);
    const std::optional<id::AffineNumbers> map = affineMap(run, radices);
    const bool isLarge = run.size() > 1 && type.getNumElements() > beyondBlock;
    // Those of a table, which looks up what the nodes choose.
    const bool isWide = id::elementsOf(radices) <= beyondBlock &&
                        llvm::any_of(run, [](Move &move) { return move.node.getArity() > mostHeld; }) &&
                        llvm::all_of(run, [](const Move &move) { return move.code.has_value(); });
    if (!map && !isLarge && !isWide)
      return;
    id::NodeOp first = run.front().node, last = run.back().node;
    OpBuilder builder(last);
    auto gather = id::GatherOp::create(builder, last.getLoc(), type, first.getInputs()[0], lowest);
    if (map)
      id::writeAffine(builder, last.getLoc(), gather.getBody(), radices, *map);
    else
      writeMoves(builder, gather.getBody(), run, radices);
    last.getOutputs()[0].replaceAllUsesWith(gather.getResult());
    for (Move &move : llvm::reverse(run))
      move.node.erase();
  }

  static std::optional<id::AffineNumbers> affineMap(std::vector<Move> &run, ArrayRef<int32_t> radices) {
    const int64_t count = id::elementsOf(radices);
    if (count > maxEvaluations / static_cast<int64_t>(run.size()) ||
        !llvm::all_of(run, [](const Move &move) { return move.code.has_value(); }))
      return std::nullopt;
    SmallVector<int64_t> digits(radices.size(), 0);
    auto numberAt = [&](int64_t k) -> std::optional<int64_t> {
      id::countTo(k, digits, radices);
      for (Move &move : llvm::reverse(run))
        if (!move.follow(digits))
          return std::nullopt;
      int64_t number = 0;
      for (auto [digit, radix] : llvm::zip(llvm::reverse(digits), llvm::reverse(radices)))
        number = number * radix + digit;
      return number;
    };
    return id::affineNumbers(count, count, numberAt);
  }

  static void writeMoves(OpBuilder &builder, Region &body, std::vector<Move> &run, ArrayRef<int32_t> radices) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&body);
    Location loc = run.back().node.getLoc();
    SmallVector<Value> digits;
    for (size_t digit = 1; digit <= radices.size(); ++digit)
      digits.push_back(id::DigitOp::create(builder, loc, builder.getI64Type(), digit));
    for (Move &move : llvm::reverse(run))
      move.follow(builder, digits);
    id::YieldOp::create(builder, loc, id::numberOf(builder, loc, digits, radices));
  }
};

} // namespace
} // namespace idc::passes
