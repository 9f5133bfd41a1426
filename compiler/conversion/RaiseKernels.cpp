#include "compiler/conversion/RaiseKernels.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;

static id::SeqType sequenceOf(Type type) {
  auto data = cast<id::TileType>(type);
  return id::SeqType::get(type.getContext(), data.getRadices(), data.getElement());
}

/// What is loaded, or stored, by its map.
static Value move(OpBuilder &b, Location loc, Value value, id::PermAttr map, id::SeqType type) {
  auto own = cast<id::SeqType>(value.getType());
  if (own.getNumDigits() < type.getNumDigits()) {
    const auto before = map.getPermutation().inverse().applyTo(std::vector<int32_t>(type.getRadices()));
    value = id::RepeatOp::create(b, loc, id::SeqType::get(b.getContext(), before, own.getElement()), value);
  }
  return id::PermuteOp::create(b, loc, type, value, map);
}

//===--- computed places ------------------------------------------------------------------------------------------===//

namespace {

/// The digits of an exchange's input and of its result, as a gather has them: those that are computed, and from which,
/// then those that are kept.
struct GatheredDigits {
  explicit GatheredDigits(id::ExchangeOp exchange) {
    SmallVector<int> kept = exchange.keptDigits(), ofResult;
    for (auto [i, digit] : llvm::enumerate(kept)) {
      if (digit && llvm::is_contained(ofResult, digit))
        digit = 0; // it is kept as another one
      if (digit)
        ofResult.push_back(digit);
      else
        input.push_back(static_cast<int>(i) + 1);
    }
    computed = input.size();
    for (int digit = 1; digit <= exchange.getResult().getType().getNumDigits(); ++digit)
      if (!llvm::is_contained(ofResult, digit))
        result.push_back(digit);
    for (auto [i, digit] : llvm::enumerate(kept))
      if (digit)
        input.push_back(static_cast<int>(i) + 1);
    result.insert(result.end(), ofResult.begin(), ofResult.end());
  }

  std::vector<int> input, result; // lowest first
  size_t computed;                // of the input
};

} // namespace

/// What an exchange's places, in the body of a gather, say of the digits that it computes: the number that these count.
static Value numberOf(OpBuilder &b, id::ExchangeOp exchange, const GatheredDigits &digits) {
  const Location loc = exchange.getLoc();
  const ArrayRef<int32_t> radices = exchange.getInput().getType().getRadices();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
  IRMapping values;
  Block &places = exchange.getPlaces().front();
  for (Operation &op : places.without_terminator()) {
    auto digit = dyn_cast<id::DigitOp>(b.clone(op, values));
    if (digit)
      digit.setDigit(static_cast<uint64_t>(llvm::find(digits.result, digit.getDigit()) - digits.result.begin()) + 1);
  }
  SmallVector<int64_t> weight(radices.size()); // of a computed digit in the number
  int64_t count = 1;
  for (int digit : ArrayRef(digits.input).take_front(digits.computed)) {
    weight[static_cast<size_t>(digit) - 1] = count;
    count *= radices[static_cast<size_t>(digit) - 1];
  }
  Value sum = constant(0);
  for (auto [i, number] : llvm::enumerate(places.getTerminator()->getOperands())) {
    const ArrayRef<int64_t> run = exchange.getRun(i);
    Value rest = values.lookup(number);
    for (size_t first = 0; first < run.size();) { // digits that follow each other in both numbers
      const int64_t factor = weight[static_cast<size_t>(run[first]) - 1];
      if (factor == 0)
        break; // it is kept
      int64_t together = 1;
      size_t end = first;
      for (; end < run.size() && weight[static_cast<size_t>(run[end]) - 1] == factor * together; ++end)
        together *= radices[static_cast<size_t>(run[end]) - 1];
      const bool isHighest = end == run.size();
      const Value part = isHighest ? rest : arith::RemUIOp::create(b, loc, rest, constant(together)).getResult();
      sum = b.createOrFold<arith::AddIOp>(loc, sum, b.createOrFold<arith::MulIOp>(loc, part, constant(factor)));
      if (!isHighest)
        rest = arith::DivUIOp::create(b, loc, rest, constant(together));
      first = end;
    }
  }
  return sum;
}

/// What an exchange gives of a sequence, by a gather of the digits that it computes; null where it computes none, or
/// from none.
static Value gather(OpBuilder &b, id::ExchangeOp exchange, Value value) {
  const Location loc = exchange.getLoc();
  const GatheredDigits digits(exchange);
  const id::SeqType type = sequenceOf(exchange.getResult().getType());
  const size_t kept = digits.input.size() - digits.computed;
  if (digits.computed == 0 || digits.result.size() == kept)
    return {};
  const auto before = digits::Permutation::fromSources(digits.input),
             behind = digits::Permutation::fromSources(digits.result);
  auto moved = [&](id::SeqType of, const digits::Permutation &map) {
    return id::SeqType::get(b.getContext(), map.applyTo(std::vector<int32_t>(of.getRadices())), of.getElement());
  };
  value = id::PermuteOp::create(b, loc, moved(cast<id::SeqType>(value.getType()), before), value,
                                id::PermAttr::get(b.getContext(), before));
  auto gathered = id::GatherOp::create(b, loc, moved(type, behind), value, static_cast<int64_t>(digits.computed));
  OpBuilder inside = OpBuilder::atBlockEnd(&gathered.getBody().emplaceBlock());
  id::YieldOp::create(inside, loc, numberOf(inside, exchange, digits));
  return id::PermuteOp::create(b, loc, type, gathered, id::PermAttr::get(b.getContext(), behind.inverse()));
}

//===--- kernels --------------------------------------------------------------------------------------------------===//

static LogicalResult raise(id::KernelOp kernel) {
  OpBuilder b(kernel);
  IRMapping sequences;
  sequences.map(kernel.getBody().getArguments(), kernel.getInputs());
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    const Location loc = op.getLoc();
    if (auto load = dyn_cast<id::LoadOp>(op)) {
      sequences.map(load.getResult(), move(b, loc, sequences.lookup(load.getBuffer()), load.getMapAttr(),
                                           sequenceOf(load.getResult().getType())));
    } else if (auto store = dyn_cast<id::StoreOp>(op)) {
      sequences.map(store.getResult(), move(b, loc, sequences.lookup(store.getTile()), store.getMapAttr(),
                                            cast<id::SeqType>(store.getResult().getType())));
    } else if (auto rename = dyn_cast<id::RenameOp>(op)) {
      sequences.map(rename.getResult(), move(b, loc, sequences.lookup(rename.getInput()), rename.getMapAttr(),
                                             sequenceOf(rename.getResult().getType())));
    } else if (auto exchange = dyn_cast<id::ExchangeOp>(op)) {
      Value value = sequences.lookup(exchange.getInput());
      if (exchange.isComputed())
        value = gather(b, exchange, value);
      if (!value)
        return failure();
      sequences.map(exchange.getResult(), value);
    } else if (isa<id::NodeOp, id::TwiddleOp, id::PointwiseOp, id::PermuteOp, id::ResizeOp, id::GatherOp,
                   id::ScatterOp>(op)) {
      Operation *raised = b.clone(op, sequences);
      for (Value result : raised->getResults())
        if (isa<id::TileType>(result.getType()))
          result.setType(sequenceOf(result.getType()));
    } else {
      return failure();
    }
  }
  for (auto [result, stored] : llvm::zip(kernel.getResults(), kernel.getBody().front().getTerminator()->getOperands()))
    result.replaceAllUsesWith(sequences.lookup(stored));
  kernel.erase();
  return success();
}

LogicalResult conversion::raiseKernels(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front().without_terminator())) {
    auto kernel = dyn_cast<id::KernelOp>(op);
    if (!kernel || failed(raise(kernel)))
      return failure();
  }
  return success();
}
