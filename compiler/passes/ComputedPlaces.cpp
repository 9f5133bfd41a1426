// A position is the digits of an element, least significant first; numbers that stand for several digits come with
// their count. It goes from the value through one view after the other to the buffer:
//
//   even elements of x, shifted: part(x, digit 1 = 0), gather((index() + 1) % 8)
//   (t1, t2, t3) -> ((4*t3 + 2*t2 + t1 + 1) % 8 for three digits) -> (0, that for three digits)
//
// What a number is, is left to an arithmetic: one makes ops, one only follows digits that stay what they are.
#include "compiler/passes/ComputedPlaces.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

/// Digits as they are, and 0 for whatever is computed.
struct KeptDigits {
  using Number = int;
  int digit(int number) { return number; }
  int constant(int64_t) { return 0; }
  int complement(int, int32_t) { return 0; }
  int index(ArrayRef<int>, ArrayRef<int32_t>) { return 0; }
  int body(Region &, ArrayRef<int>) { return 0; }
  int remainder(int, int32_t) { return 0; }
  int quotient(int, int32_t) { return 0; }
  int isBelow(int, int64_t) { return 0; }
  int either(int, int, int) { return 0; }
};

/// Numbers of type i64 in a body.
struct IndexOps {
  using Number = Value;
  OpBuilder &b;
  Location loc;

  Value digit(int number) { return id::DigitOp::create(b, loc, b.getI64Type(), number); }
  Value constant(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  Value complement(Value digit, int32_t radix) { return arith::SubIOp::create(b, loc, constant(radix - 1), digit); }
  Value index(ArrayRef<Value> digits, ArrayRef<int32_t> radices) { return id::numberOf(b, loc, digits, radices); }
  Value body(Region &body, ArrayRef<Value> digits) {
    IRMapping values;
    for (Operation &op : body.front().without_terminator()) {
      if (auto digit = dyn_cast<id::DigitOp>(op))
        values.map(digit.getResult(), digits[static_cast<size_t>(digit.getDigit()) - 1]);
      else
        b.clone(op, values);
    }
    return values.lookup(body.front().getTerminator()->getOperand(0));
  }
  Value remainder(Value number, int32_t radix) { return arith::RemUIOp::create(b, loc, number, constant(radix)); }
  Value quotient(Value number, int32_t radix) { return arith::DivUIOp::create(b, loc, number, constant(radix)); }
  Value isBelow(Value number, int64_t length) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, constant(length));
  }
  Value either(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, loc, condition, yes, no); }
};

template <class Arithmetic> class Walk {
public:
  using Number = typename Arithmetic::Number;
  struct Digits {
    Number number;
    size_t count;
  };
  using Position = SmallVector<Digits>;
  /// Whether an element is one of those before a view that adds others.
  struct Test {
    Number inside;
    id::ResizeOp resize;
  };
  SmallVector<Test> tests; // of the last view first

  explicit Walk(Arithmetic arithmetic) : a(std::move(arithmetic)) {}

  /// The position in the buffer of the element with the value's digits.
  Position run(const FlowValue &value) {
    SmallVector<SmallVector<int32_t>> radices{SmallVector<int32_t>(id::radicesOf(value.buffer.getType()))};
    for (const FlowView &view : value.views)
      radices.push_back(view.apply(radices.back()));
    for (int digit = 1; digit <= value.map.size(); ++digit)
      position.push_back({a.digit(digit), 1});
    unmove(value.map, radices.back());
    for (size_t i = value.views.size(); i-- > 0;) {
      split(radices[i + 1]);
      enter(value.views[i], radices[i], radices[i + 1]);
    }
    return std::move(position);
  }

private:
  Arithmetic a;
  Position position;

  SmallVector<Number> numbers(size_t count) const {
    SmallVector<Number> result;
    for (const Digits &digits : ArrayRef(position).take_front(count))
      result.push_back(digits.number);
    return result;
  }

  /// From behind a map to before it, where digits have these radices.
  void unmove(const digits::Permutation &map, ArrayRef<int32_t> radices) {
    Position before(radices.size());
    for (int place = 1; place <= map.size(); ++place) {
      const auto source = static_cast<size_t>(map.source(place));
      if (source > radices.size())
        continue; // repeated
      Number digit = position[static_cast<size_t>(place) - 1].number;
      before[source - 1] = {map.complemented(place) ? a.complement(digit, radices[source - 1]) : digit, 1};
    }
    position = std::move(before);
  }

  /// Digits one by one.
  void split(ArrayRef<int32_t> radices) {
    Position digits;
    for (const Digits &part : position) {
      Number rest = part.number;
      for (size_t i = 0; i < part.count; ++i) {
        const int32_t radix = radices[digits.size()];
        const bool last = i + 1 == part.count;
        digits.push_back({last ? rest : a.remainder(rest, radix), 1});
        rest = last ? rest : a.quotient(rest, radix);
      }
    }
    position = std::move(digits);
  }

  /// A number for `count` digits in the place of the `lowest` ones.
  void replaceLowest(size_t lowest, Number number, size_t count) {
    position.erase(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(lowest));
    if (count > 0)
      position.insert(position.begin(), {number, count});
  }

  /// From a view, whose digits have radices `after`, to what it is a view of.
  void enter(const FlowView &view, ArrayRef<int32_t> before, ArrayRef<int32_t> after) {
    switch (view.kind) {
    case FlowView::Kind::Part:
      position.insert(position.begin() + (view.digit - 1), {a.constant(view.value), 1});
      return;
    case FlowView::Kind::Move:
      unmove(view.map, before);
      return;
    case FlowView::Kind::Gather: {
      id::GatherOp gather = view.gather;
      replaceLowest(static_cast<size_t>(gather.getNewLowest()), a.body(gather.getBody(), numbers(position.size())),
                    gather.getLowest());
      return;
    }
    case FlowView::Kind::Resize: {
      id::ResizeOp resize = view.resize;
      const auto lowest = static_cast<size_t>(resize.getNewLowest());
      Number index = a.index(numbers(lowest), after.take_front(lowest));
      if (resize.pads()) {
        Number inside = a.isBelow(index, resize.getOldLength());
        tests.push_back({inside, resize});
        index = a.either(inside, index, a.constant(0));
      }
      replaceLowest(lowest, index, resize.getLowest());
      return;
    }
    case FlowView::Kind::Scatter:
      break;
    }
    llvm_unreachable("scatters are views of what is stored");
  }
};

} // namespace

SmallVector<int> passes::keptDigits(const FlowValue &value) {
  SmallVector<int> kept;
  for (const auto &part : Walk(KeptDigits()).run(value))
    kept.append(part.count, part.count == 1 ? part.number : 0);
  return kept;
}

/// Ends a body, which needs no more than what leads to these values.
static void endBody(OpBuilder &builder, Location loc, Block *body, ValueRange values) {
  id::YieldOp::create(builder, loc, values);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// `tile`, which has the value's digits, where a test holds; elsewhere the elements that its view has added.
static Value withAdded(OpBuilder &builder, Location loc, const FlowValue &value, Value tile) {
  auto step = id::PointwiseOp::create(builder, loc, TypeRange{tile.getType()}, ValueRange{tile});
  OpBuilder::InsertionGuard guard(builder);
  Block *body = id::createBody(builder, step);
  Walk walk(IndexOps{builder, loc});
  (void)walk.run(value);
  SmallVector<Value> element(body->getArguments());
  for (auto &test : llvm::reverse(walk.tests)) {
    IRMapping values;
    for (Operation &op : test.resize.getBody().front().without_terminator())
      builder.clone(op, values);
    ValueRange added = test.resize.getBody().front().getTerminator()->getOperands();
    for (auto [leaf, other] : llvm::zip(element, added))
      leaf = arith::SelectOp::create(builder, loc, test.inside, leaf, values.lookup(other));
  }
  endBody(builder, loc, body, element);
  return step->getResult(0);
}

Value passes::fetch(OpBuilder &builder, Location loc, const FlowValue &value, Value tile, id::TileType result) {
  auto exchange = id::ExchangeOp::create(builder, loc, result, tile, id::ExchangeKind::Shared, id::LayoutAttr(),
                                         DenseI64ArrayAttr());
  SmallVector<Value> numbers;
  SmallVector<int64_t> runs;
  Walk walk(IndexOps{builder, loc});
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&exchange.getPlaces());
    for (const auto &part : walk.run(value)) {
      numbers.push_back(part.number);
      runs.push_back(static_cast<int64_t>(part.count));
    }
    endBody(builder, loc, body, numbers);
  }
  exchange.setRunsAttr(builder.getDenseI64ArrayAttr(runs));
  return walk.tests.empty() ? exchange.getResult() : withAdded(builder, loc, value, exchange.getResult());
}
