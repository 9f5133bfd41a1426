// Input: nodes. Output: runs of nodes that only move elements, by conditions on digits, are gathers, where their numbers
// are affine.
//
// On 2^n elements a shift can be written as n conditional swaps, for digits are all that a node sees:
//
//   node cswap(x: T[2], c: bool) -> T[2] { return select(c, [x[1], x[0]], x); }
//   for i in n downto 1 { x = x |> cswap(digits(i-1, 1) == 0) @ i; }     // y[k] = x[(k + 1) mod 2^n]
//
// A run is taken whole: one swap alone is seldom affine. Each number is followed through all its nodes, so that nothing is
// known of what programs mean by them.
#include "compiler/passes/Passes.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  id::IndexCode code;
  size_t digit; // from 0
  int leaves;   // of an element

  static std::optional<Move> of(Operation &op) {
    auto node = dyn_cast<id::NodeOp>(op);
    if (!node || node.getDigits().size() != 1 || node.getInputs().size() != 1 || node.getOutputs().size() != 1 ||
        node.getInputs()[0].getType() != node.getOutputs()[0].getType())
      return std::nullopt;
    std::optional<id::IndexCode> code = id::IndexCode::ofChoice(node.getBody());
    if (!code)
      return std::nullopt;
    const auto leaves = static_cast<int>(id::leafTypes(id::elementOf(node.getInputs()[0].getType())).size());
    return Move{node, std::move(*code), static_cast<size_t>(node.getDigits()[0]) - 1, leaves};
  }

  /// The digits of a result's element become those of the one that it is; false where its leaves are of several.
  bool follow(MutableArrayRef<int64_t> digits) {
    if (!code.evaluate(digits))
      return false;
    const size_t first = static_cast<size_t>(digits[digit] * leaves);
    const int64_t from = code.result(first) / leaves;
    for (int leaf = 0; leaf < leaves; ++leaf)
      if (code.result(first + static_cast<size_t>(leaf)) != from * leaves + leaf)
        return false;
    digits[digit] = from;
    return true;
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
      ends[op.getResult(0)] = run->second;
      runs[run->second].push_back(std::move(*move));
    }
    for (std::vector<Move> &run : runs)
      gather(run);
  }

private:
  /// Evaluations of bodies for one run.
  static constexpr int64_t maxEvaluations = int64_t(1) << 22;

  static void gather(std::vector<Move> &run) {
    id::NodeOp first = run.front().node, last = run.back().node;
    size_t lowest = 0; // digits that the run acts on or names
    for (const Move &move : run)
      lowest = std::max({lowest, move.digit + 1, static_cast<size_t>(move.code.highestDigit())});
    auto type = cast<id::SeqType>(last.getOutputs()[0].getType());
    const ArrayRef<int32_t> radices = type.getRadices().take_front(lowest);
    const int64_t count = id::elementsOf(radices);
    if (count > maxEvaluations / static_cast<int64_t>(run.size()))
      return;
    SmallVector<int64_t> digits(lowest, 0);
    auto numberAt = [&](int64_t k) -> std::optional<int64_t> {
      for (auto [digit, radix] : llvm::zip(digits, radices)) {
        digit = k % radix;
        k /= radix;
      }
      for (Move &move : llvm::reverse(run))
        if (!move.follow(digits))
          return std::nullopt;
      int64_t number = 0;
      for (auto [digit, radix] : llvm::zip(llvm::reverse(digits), llvm::reverse(radices)))
        number = number * radix + digit;
      return number;
    };
    const std::optional<id::AffineNumbers> map = id::affineNumbers(count, count, numberAt);
    if (!map)
      return;
    OpBuilder builder(last);
    auto gather = id::GatherOp::create(builder, last.getLoc(), type, first.getInputs()[0], lowest);
    id::writeAffine(builder, last.getLoc(), gather.getBody(), radices, *map);
    last.getOutputs()[0].replaceAllUsesWith(gather.getResult());
    for (Move &move : llvm::reverse(run))
      move.node.erase();
  }
};

} // namespace
} // namespace idc::passes
