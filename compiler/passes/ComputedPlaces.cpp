// A position is the digits of an element, least significant first, each a number or a digit of one: what a computed
// number consists of is not taken apart before something needs one of its digits alone. It goes from the value through
// one view after the other to the buffer:
//
//   even elements of x, shifted: part(x, digit 1 = 0), gather(k = (index() + 1) % 8)
//   (t1, t2, t3) -> (k, k / 2, k / 4, each % 2) -> (0, k, k / 2, k / 4)
//
// What a number is, is left to an arithmetic: one makes ops, one only follows digits that stay what they are.
#include "compiler/passes/ComputedPlaces.h"

#include "compiler/passes/Elementwise.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

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
  int sum(ArrayRef<int>, ArrayRef<int64_t>) { return 0; }
  int body(Region &, ArrayRef<int>) { return 0; }
  int remainder(int, int64_t) { return 0; }
  int quotient(int, int64_t) { return 0; }
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
  Value sum(ArrayRef<Value> numbers, ArrayRef<int64_t> weights) {
    Value sum = constant(0);
    for (auto [number, weight] : llvm::zip(numbers, weights))
      sum = b.createOrFold<arith::AddIOp>(loc, sum, b.createOrFold<arith::MulIOp>(loc, number, constant(weight)));
    return sum;
  }
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
  Value remainder(Value number, int64_t by) { return arith::RemUIOp::create(b, loc, number, constant(by)); }
  Value quotient(Value number, int64_t by) { return b.createOrFold<arith::DivUIOp>(loc, number, constant(by)); }
  Value isBelow(Value number, int64_t length) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, constant(length));
  }
  Value either(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, loc, condition, yes, no); }
};

template <class Arithmetic> class Walk {
public:
  using Number = typename Arithmetic::Number;
  /// number / weight % radix; the highest of a number needs no remainder.
  struct Digit {
    Number number;
    int64_t weight = 1;
    int32_t radix = 0;
    bool highest = true;
    bool isWhole() const { return weight == 1 && highest; }
  };
  using Position = SmallVector<Digit>;
  /// A number and the places that its digits have, lowest first.
  struct Run {
    Number number;
    SmallVector<int64_t> places;
  };
  /// Whether an element is one of those before a view that adds others.
  struct Test {
    Number inside;
    id::ResizeOp resize;
  };
  SmallVector<Test> tests; // of the last view first

  explicit Walk(Arithmetic arithmetic) : a(std::move(arithmetic)) {}

  /// The position in the buffer of the element with the value's digits.
  ArrayRef<Digit> run(const FlowValue &value) {
    SmallVector<SmallVector<int32_t>> radices{SmallVector<int32_t>(id::radicesOf(value.buffer.getType()))};
    for (const FlowView &view : value.views)
      radices.push_back(view.apply(radices.back()));
    for (int digit = 1; digit <= value.map.size(); ++digit)
      position.push_back({a.digit(digit)});
    unmove(value.map, radices.back());
    for (size_t i = value.views.size(); i-- > 0;)
      enter(value.views[i], radices[i], radices[i + 1]);
    return position;
  }

  /// The position as few numbers, each of the places whose digits follow one another in it.
  SmallVector<Run> runs() {
    SmallVector<Run> runs;
    for (size_t place = 0; place < position.size(); ++place) {
      if (llvm::any_of(position, [&](const Digit &other) { return follows(other, position[place]); }))
        continue;
      SmallVector<int64_t> places{static_cast<int64_t>(place) + 1};
      size_t last = place;
      for (size_t next = 0; next < position.size();)
        if (follows(position[last], position[next])) {
          places.push_back(static_cast<int64_t>(next) + 1);
          last = std::exchange(next, 0);
        } else {
          ++next;
        }
      runs.push_back({between(position[place], position[last]), std::move(places)});
    }
    return runs;
  }

private:
  Arithmetic a;
  Position position;

  /// True when a digit of a number is the next higher one.
  static bool follows(const Digit &low, const Digit &high) {
    return !low.highest && low.number == high.number && low.weight * low.radix == high.weight;
  }

  /// The number of all digits from one to another.
  Number between(const Digit &low, const Digit &high) {
    Number number = low.weight == 1 ? low.number : a.quotient(low.number, low.weight);
    return high.highest ? number : a.remainder(number, high.weight / low.weight * high.radix);
  }

  Number whole(const Digit &digit) { return between(digit, digit); }

  SmallVector<Number> numbers() {
    SmallVector<Number> result;
    for (const Digit &digit : position)
      result.push_back(whole(digit));
    return result;
  }

  /// The index that the lowest digits make up.
  Number index(ArrayRef<int32_t> radices) {
    SmallVector<Number> parts;
    SmallVector<int64_t> weights;
    int64_t weight = 1;
    for (size_t first = 0; first < radices.size();) {
      weights.push_back(weight);
      size_t last = first;
      weight *= radices[last];
      for (; last + 1 < radices.size() && follows(position[last], position[last + 1]); weight *= radices[++last]) {
      }
      parts.push_back(between(position[first], position[last]));
      first = last + 1;
    }
    return a.sum(parts, weights);
  }

  /// From behind a map to before it, where digits have these radices.
  void unmove(const digits::Permutation &map, ArrayRef<int32_t> radices) {
    Position before(radices.size());
    for (int place = 1; place <= map.size(); ++place) {
      const auto source = static_cast<size_t>(map.source(place));
      if (source > radices.size())
        continue; // repeated
      const Digit &digit = position[static_cast<size_t>(place) - 1];
      before[source - 1] = map.complemented(place) ? Digit{a.complement(whole(digit), radices[source - 1])} : digit;
    }
    position = std::move(before);
  }

  /// The digits of a number, of these radices, in the place of the `lowest` ones.
  void replaceLowest(size_t lowest, Number number, ArrayRef<int32_t> radices) {
    Position digits;
    int64_t weight = 1;
    for (auto [i, radix] : llvm::enumerate(radices)) {
      digits.push_back({number, weight, radix, i + 1 == radices.size()});
      weight *= radix;
    }
    digits.append(position.begin() + static_cast<std::ptrdiff_t>(lowest), position.end());
    position = std::move(digits);
  }

  /// From a view, whose digits have radices `after`, to what it is a view of.
  void enter(const FlowView &view, ArrayRef<int32_t> before, ArrayRef<int32_t> after) {
    switch (view.kind) {
    case FlowView::Kind::Part:
      position.insert(position.begin() + (view.digit - 1), {a.constant(view.value)});
      return;
    case FlowView::Kind::Move:
      unmove(view.map, before);
      return;
    case FlowView::Kind::Gather: {
      id::GatherOp gather = view.gather;
      replaceLowest(static_cast<size_t>(gather.getNewLowest()), a.body(gather.getBody(), numbers()),
                    before.take_front(gather.getLowest()));
      return;
    }
    case FlowView::Kind::Resize: {
      id::ResizeOp resize = view.resize;
      const auto lowest = static_cast<size_t>(resize.getNewLowest());
      Number number = index(after.take_front(lowest));
      if (resize.pads()) {
        Number inside = a.isBelow(number, resize.getOldLength());
        tests.push_back({inside, resize});
        number = a.either(inside, number, a.constant(0));
      }
      replaceLowest(lowest, number, before.take_front(resize.getLowest()));
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
  Walk walk(KeptDigits{});
  for (const auto &digit : walk.run(value))
    kept.push_back(digit.isWhole() ? digit.number : 0);
  return kept;
}

/// Ends a body, which needs no more than what leads to these values.
static void endBody(OpBuilder &builder, Location loc, Block *body, ValueRange values) {
  id::YieldOp::create(builder, loc, values);
  passes::eraseDead(*body);
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
  auto exchange =
      id::ExchangeOp::create(builder, loc, result, tile, id::ExchangeKind::Shared, id::LayoutAttr(), ArrayAttr());
  SmallVector<Value> numbers;
  SmallVector<Attribute> runs;
  Walk walk(IndexOps{builder, loc});
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&exchange.getPlaces());
    (void)walk.run(value);
    for (const auto &run : walk.runs()) {
      numbers.push_back(run.number);
      runs.push_back(builder.getDenseI64ArrayAttr(run.places));
    }
    endBody(builder, loc, body, numbers);
  }
  exchange.setRunsAttr(builder.getArrayAttr(runs));
  return walk.tests.empty() ? exchange.getResult() : withAdded(builder, loc, value, exchange.getResult());
}
