// Input: digit flow. Output: the same; maps of gathers and scatters that take longer to compute than to look up are
// tables.
//
// A generator's powers, g^k mod P, take a product and a remainder for every bit of k, for every element; a number of 16
// bits that lies in a cache takes one access, and neighbouring threads take neighbouring ones. Whatever the map means,
// it is what it gives for each index that counts:
//
//   id.gather %x from { g^k mod 17 }   ->   id.gather %x from { id.lookup k of [1, 3, 9, …] }
#include "compiler/passes/Passes.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_TABULATEGATHERS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Entries of a table: 16 or 32 bits each, which the caches hold beside the data.
constexpr int64_t maxEntries = int64_t(1) << 17;

/// Instructions from which on a table is counted cheaper than they are.
constexpr int64_t manyInstructions = 24;

/// The instructions that a body takes, without those that make an element's number of its digits, which a table needs,
/// too: quotients and remainders by what is no power of two are products of high halves
/// and corrections.
int64_t instructionsOf(Region &body, size_t digits) {
  constexpr int64_t division = 8, ofDigit = 2;
  int64_t count = -ofDigit * (static_cast<int64_t>(digits) - 1);
  for (Operation &op : body.front().without_terminator()) {
    if (isa<arith::ConstantOp, id::DigitOp>(op))
      continue;
    APInt divisor;
    const bool divides = isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op) &&
                         !(matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) && divisor.isPowerOf2());
    count += divides ? division : 1;
  }
  return count;
}

/// Writes the map of a gather or scatter as a table; `radices` are those of the digits that it names.
template <class Op> void tabulate(Op op, ArrayRef<int32_t> radices) {
  const int64_t count = id::elementsOf(radices);
  if (count > maxEntries || instructionsOf(op.getBody(), radices.size()) < manyInstructions)
    return;
  std::optional<id::IndexCode> code = id::IndexCode::of(op.getBody());
  if (!code || code->highestDigit() > static_cast<int>(radices.size()))
    return;
  OpBuilder builder(op);
  SmallVector<Attribute> entries;
  SmallVector<int64_t> index(radices.size(), 0);
  do {
    const std::optional<int64_t> number = code->at(index);
    if (!number)
      return;
    entries.push_back(builder.getI64IntegerAttr(*number));
  } while (id::countUp(index, radices));

  Region &body = op.getBody();
  body.getBlocks().clear();
  builder.createBlock(&body);
  const Location loc = op.getLoc();
  Value element = id::numberOfLowest(builder, loc, radices);
  // What a bound leaves out has a number, too, which may be beyond the table.
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, element, constant(count));
  Value entry = arith::SelectOp::create(builder, loc, inside, element, constant(0));
  Value number = id::LookupOp::create(builder, loc, builder.getI64Type(), entry, builder.getArrayAttr(entries));
  id::YieldOp::create(builder, loc, number);
}

struct TabulateGathers : impl::TabulateGathersBase<TabulateGathers> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getBody().front()) {
      if (auto gather = dyn_cast<id::GatherOp>(op))
        tabulate(gather, gather.getType().getRadices().take_front(static_cast<size_t>(gather.getNewLowest())));
      else if (auto scatter = dyn_cast<id::ScatterOp>(op))
        tabulate(scatter, id::radicesOf(scatter.getInput().getType()).take_front(scatter.getLowest()));
    }
  }
};

} // namespace
} // namespace idc::passes
