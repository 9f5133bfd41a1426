// Input: the algebra. Output: the same program, where digits that lanes could not hold have become longer ones that
// they can.
//
// Lanes take the lowest addresses digit by digit. Where the digits that nodes act on lie above one of large prime radix
// (rows of 1009 columns), no lane can have any of it, and every element is in a sector of its own. As no node acts on
// it, it may have further values: it gets a radix P that begins with a power of two.
//
//   x: <2**10 * 1009>      ->   id.resize of x : <2**10 * 1024>, whose last 15 columns are in no memory
//   return y: <2**10 * 1009>    id.resize of y : <2**10 * 1009>, which leaves them out
//
// Digits of values are followed through all steps (union-find). Those that run together become longer together, from
// the arguments to the results, where they are views with bounds: nothing is copied, and no element of memory becomes
// another's neighbour in a node. What is computed of the further elements is never stored.
//
// Which digits: the first one from the lowest address of an argument or result that does not fit the lanes of a warp
// any more, if nodes act on digits above it, on none below it, and on more values than one thread holds; threads that
// hold all of these have neighbouring addresses as it is. Not those that a step of the program's own counts
// (id.resize), nor complemented ones, whose elements would be counted from another end. Those of
// a gather may, if their radix is above twice the lanes or no block holds what nodes act on beside: what it takes is
// counted by the digits of old, and of its own further elements any.
//
// P is the next multiple of the largest power of two, from a quarter of the lanes up to all of them, that adds at most
// a sixteenth; of a quarter where all add more.
#include "compiler/passes/Passes.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/IntEqClasses.h"

#include <limits>
#include <optional>

using namespace mlir;
using namespace idc;
using digits::Permutation;

namespace idc::passes {
#define GEN_PASS_DEF_PADDIGITS
#include "compiler/passes/Passes.h.inc"

namespace {

/// The digits of a function's values: which of them run together, and which have to stay as they are.
class DigitClasses {
public:
  explicit DigitClasses(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      add(argument);
    for (Operation &op : function.getBody().front().without_terminator()) {
      for (Value result : op.getResults())
        add(result);
      connect(&op);
    }
    classes.compress();
    nodes = byClass(nodes);
    fixed = byClass(fixed);
    gathered = byClass(gathered);
  }

  unsigned of(Value value, int digit) const { return classes[first.lookup(value) + static_cast<unsigned>(digit) - 1]; }
  /// True when a node acts on the class.
  bool isOfNodes(unsigned digit) const { return nodes[digit]; }
  /// True when the radix of the class may not change.
  bool isFixed(unsigned digit) const { return nodes[digit] || fixed[digit]; }
  /// True when a gather counts the class.
  bool isGathered(unsigned digit) const { return gathered[digit]; }
  unsigned count() const { return classes.getNumClasses(); }
  ArrayRef<Value> values() const { return known; }

private:
  llvm::IntEqClasses classes;
  DenseMap<Value, unsigned> first; // the number of a value's digit 1
  SmallVector<Value> known;
  SmallVector<bool> nodes, fixed, gathered;

  void add(Value value) {
    first[value] = static_cast<unsigned>(nodes.size());
    known.push_back(value);
    nodes.resize(nodes.size() + id::radicesOf(value.getType()).size(), false);
    fixed.resize(nodes.size(), false);
    gathered.resize(nodes.size(), false);
    classes.grow(static_cast<unsigned>(nodes.size()));
  }
  unsigned at(Value value, int digit) const { return first.lookup(value) + static_cast<unsigned>(digit) - 1; }
  static int digitsOf(Value value) { return static_cast<int>(id::radicesOf(value.getType()).size()); }

  SmallVector<bool> byClass(ArrayRef<bool> marks) const {
    SmallVector<bool> marked(classes.getNumClasses(), false);
    for (auto [digit, mark] : llvm::enumerate(marks))
      if (mark)
        marked[classes[static_cast<unsigned>(digit)]] = true;
    return marked;
  }

  /// The lowest digits of an operand become those of the result, the others stay.
  void connectAbove(Operation *op, int before, int now) {
    Value input = op->getOperand(0), result = op->getResult(0);
    SmallVector<bool> &marks = isa<id::GatherOp>(op) ? gathered : fixed;
    for (int digit = 1; digit <= before; ++digit)
      marks[at(input, digit)] = true;
    for (int digit = 1; digit <= now; ++digit)
      marks[at(result, digit)] = true;
    for (int above = 1; above <= digitsOf(input) - before; ++above)
      classes.join(at(input, before + above), at(result, now + above));
  }

  void connect(Operation *op) {
    if (auto permute = dyn_cast<id::PermuteOp>(op)) {
      Permutation map = permute.getMap().getPermutation();
      for (int place = 1; place <= map.size(); ++place) {
        classes.join(at(permute.getInput(), map.source(place)), at(permute.getResult(), place));
        if (map.complemented(place))
          fixed[at(permute.getResult(), place)] = true;
      }
    } else if (auto repeat = dyn_cast<id::RepeatOp>(op)) {
      for (int digit = 1; digit <= digitsOf(repeat.getInput()); ++digit)
        classes.join(at(repeat.getInput(), digit), at(repeat.getResult(), digit));
    } else if (auto resize = dyn_cast<id::ResizeOp>(op)) {
      connectAbove(op, static_cast<int>(resize.getLowest()), resize.getNewLowest());
    } else if (auto gather = dyn_cast<id::GatherOp>(op)) {
      connectAbove(op, static_cast<int>(gather.getLowest()), gather.getNewLowest());
    } else if (auto scatter = dyn_cast<id::ScatterOp>(op)) {
      connectAbove(op, static_cast<int>(scatter.getLowest()), scatter.getNewLowest());
    } else {
      assert((isa<id::TwiddleOp, id::PointwiseOp, id::NodeOp>(op)) && "all ops of the algebra");
      SmallVector<std::optional<unsigned>> arrangement(static_cast<size_t>(fullDigits(op)));
      for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
        for (auto [digit, place] : llvm::enumerate(placesOf(op, value))) {
          std::optional<unsigned> &there = arrangement[static_cast<size_t>(place) - 1];
          const unsigned own = at(value, static_cast<int>(digit) + 1);
          if (there)
            classes.join(*there, own);
          there = own;
        }
      for (int digit : passes::digitsOf(dyn_cast<id::NodeOp>(op)))
        nodes[*arrangement[static_cast<size_t>(digit) - 1]] = true;
    }
  }
};

/// The values that lanes can hold of a digit beside those of lower ones: of its prime factors from the least one on as
/// many as fit, which become its lowest digits. `all`: whether these are the digit.
struct HeldValues {
  int64_t values = 1;
  bool all = true;

  HeldValues(int64_t radix, int64_t lanes) {
    for (int64_t p = 2; radix > 1; ++p) {
      if (p * p > radix)
        p = radix;
      for (; radix % p == 0; radix /= p) {
        if (values * p > lanes) {
          all = false;
          return;
        }
        values *= p;
      }
    }
  }
};

/// The radix instead of one that the lanes cannot hold; the same where there is none.
int64_t paddedRadix(int64_t radix, int64_t lanes) {
  constexpr int64_t share = 16; // elements for each one that may be added
  auto padded = [&](int64_t power) { return (radix + power - 1) / power * power; };
  int64_t power = lanes;
  while (4 * power > lanes && (padded(power) - radix) * share > radix)
    power /= 2;
  return padded(power) <= std::numeric_limits<int32_t>::max() ? padded(power) : radix;
}

struct PadDigits : impl::PadDigitsBase<PadDigits> {
  using PadDigitsBase::PadDigitsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const std::optional<Target> machine = findTarget(target, function);
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu") // kernels of groups have no lanes there
      return;
    const DigitClasses classes(function);
    const SmallVector<int64_t> radices = choose(function, classes, *machine);
    if (llvm::any_of(radices, [](int64_t radix) { return radix != 0; }))
      pad(function, classes, radices);
  }

private:
  /// The new radix of each class of digits, 0: the old one.
  static SmallVector<int64_t> choose(func::FuncOp function, const DigitClasses &classes, const Target &machine) {
    SmallVector<int64_t> radices(classes.count(), 0);
    SmallVector<Value> buffers(function.getArguments());
    llvm::append_range(buffers, function.getBody().front().getTerminator()->getOperands());
    int64_t largest = 0;
    for (Value buffer : buffers)
      largest = std::max(largest, sequenceBytes(buffer.getType()));
    for (Value buffer : buffers)
      // Kernels follow the addresses of the largest buffer.
      if (std::optional<int> digit = unheld(buffer, classes, machine);
          digit && sequenceBytes(buffer.getType()) >= largest - largest / 2) {
        const unsigned own = classes.of(buffer, *digit);
        const int64_t radix = id::radicesOf(buffer.getType())[static_cast<size_t>(*digit) - 1];
        if (int64_t padded = paddedRadix(radix, machine.lanes); padded != radix && needsLanes(own, classes, machine))
          radices[own] = padded;
      }
    return radices;
  }

  /// The first digit from the lowest address up that lanes cannot hold, where nodes act on digits above alone, and what
  /// lies below would leave most lanes of a warp without an own element of it.
  static std::optional<int> unheld(Value buffer, const DigitClasses &classes, const Target &machine) {
    ArrayRef<int32_t> radices = id::radicesOf(buffer.getType());
    const int digits = static_cast<int>(radices.size());
    int64_t held = 1;
    for (int digit = 1; digit <= digits && 2 * held < machine.lanes; ++digit) {
      const unsigned number = classes.of(buffer, digit);
      const int32_t radix = radices[static_cast<size_t>(digit) - 1];
      const HeldValues own(radix, machine.lanes / held);
      // What a gather makes or takes is mostly held whole by the threads of a block, beside a part of what nodes act
      // on.
      const int64_t room = 2 * machine.sharedBytesPerBlock;
      int64_t bytes = radix * id::elementBytes(id::elementOf(buffer.getType()));
      for (int above = digit + 1; above <= digits && bytes <= room; ++above)
        bytes *= classes.isOfNodes(classes.of(buffer, above)) ? radices[static_cast<size_t>(above) - 1] : 1;
      const bool isHeld = radix <= machine.lanes || (radix <= 2 * machine.lanes && bytes <= room);
      const bool stays = classes.isFixed(number) || (classes.isGathered(number) && isHeld);
      if (classes.isOfNodes(number) || (stays && !own.all))
        return std::nullopt;
      held *= own.values;
      if (own.all)
        continue;
      if (2 * held >= machine.lanes)
        return std::nullopt;
      for (int above = digit + 1; above <= digits; ++above)
        if (classes.isOfNodes(classes.of(buffer, above)))
          return digit;
      return std::nullopt;
    }
    return std::nullopt;
  }

  /// True when nodes act on more of a value with this digit than one thread holds.
  static bool needsLanes(unsigned digit, const DigitClasses &classes, const Target &machine) {
    return llvm::any_of(classes.values(), [&](Value value) {
      ArrayRef<int32_t> radices = id::radicesOf(value.getType());
      int64_t words = 0;
      for (Type leaf : id::leafTypes(id::elementOf(value.getType())))
        words += std::max<int64_t>(1, id::elementBytes(leaf) / 4);
      bool has = false;
      for (auto [index, radix] : llvm::enumerate(radices)) {
        const unsigned own = classes.of(value, static_cast<int>(index) + 1);
        has |= own == digit;
        if (classes.isOfNodes(own))
          words = std::min<int64_t>(words * radix, 2 * machine.levelWords);
      }
      return has && words > machine.levelWords;
    });
  }

  /// The value with another radix of a digit. The digits below it are out of the way meanwhile: what is counted is
  /// this digit alone.
  Value resized(OpBuilder &builder, Location loc, Value value, int digit, int64_t radix) {
    Type element = id::elementOf(value.getType());
    SmallVector<int32_t> radices(id::radicesOf(value.getType()));
    const int digits = static_cast<int>(radices.size());
    std::vector<int> sources{digit};
    for (int other = 1; other <= digits; ++other)
      if (other != digit)
        sources.push_back(other);
    const Permutation down = Permutation::fromSources(std::move(sources));
    auto typeOf = [&](const Permutation &map) {
      std::vector<int> moved = map.apply(std::vector<int>(radices.begin(), radices.end()));
      return id::SeqType::get(&getContext(), SmallVector<int32_t>(moved.begin(), moved.end()), element);
    };
    auto move = [&](Value from, Type to, const Permutation &map) {
      return map.isIdentity()
                 ? from
                 : id::PermuteOp::create(builder, loc, to, from, id::PermAttr::get(&getContext(), map)).getResult();
    };
    Value lowest = move(value, typeOf(down), down);
    radices[static_cast<size_t>(digit) - 1] = static_cast<int32_t>(radix);
    id::ResizeOp resize = resizeByZeros(builder, loc, typeOf(down), lowest, /*lowest=*/1);
    resize->setAttr(paddedDigitAttr, builder.getUnitAttr());
    return move(resize.getResult(), typeOf(Permutation::identity(digits)), down.inverse());
  }

  /// What a value is when arguments are as they were, if only moves lie between them.
  static Value unpadded(OpBuilder &builder, Value value) {
    if (isa<BlockArgument>(value))
      return value;
    Operation *op = value.getDefiningOp();
    if (!isa<id::PermuteOp, id::RepeatOp, id::ResizeOp, id::GatherOp>(op))
      return {};
    Value from = unpadded(builder, op->getOperand(0));
    if (!from)
      return {};
    IRMapping map;
    map.map(op->getOperand(0), from);
    return builder.clone(*op, map)->getResult(0);
  }

  /// Lets a gather take elements of an operand whose lowest digits have other radices, its first one wherever the body
  /// counts beyond those that there were.
  static void keepInside(id::GatherOp gather, ArrayRef<int64_t> padded) {
    const ArrayRef<int32_t> radices = id::radicesOf(gather.getInput().getType()).take_front(gather.getLowest());
    Operation *yield = gather.getBody().front().getTerminator();
    OpBuilder builder(yield);
    const Location loc = gather.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
    };
    Value number = yield->getOperand(0);
    Value inside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number, constant(id::elementsOf(radices)));
    number = arith::SelectOp::create(builder, loc, inside, number, constant(0));
    SmallVector<Value> digits;
    SmallVector<int32_t> now;
    for (auto [i, radix] : llvm::enumerate(radices)) {
      const bool isHighest = i + 1 == radices.size();
      digits.push_back(isHighest ? number : arith::RemUIOp::create(builder, loc, number, constant(radix)).getResult());
      if (!isHighest)
        number = arith::DivUIOp::create(builder, loc, number, constant(radix));
      now.push_back(padded[i] ? static_cast<int32_t>(padded[i]) : radix);
    }
    yield->setOperand(0, id::numberOf(builder, loc, digits, now));
  }

  void pad(func::FuncOp function, const DigitClasses &classes, ArrayRef<int64_t> padded) {
    Block &block = function.getBody().front();
    Operation *end = block.getTerminator();
    auto radixOf = [&](Value value, int digit) { return padded[classes.of(value, digit)]; };
    auto digitsOf = [&](Value value) { return static_cast<int>(id::radicesOf(value.getType()).size()); };
    auto changes = [&](Value value) {
      for (int digit = 1; digit <= digitsOf(value); ++digit)
        if (radixOf(value, digit))
          return true;
      return false;
    };
    SmallVector<Operation *> steps;
    for (Operation &op : block.without_terminator())
      steps.push_back(&op);
    // What the function returns as it got it takes no part.
    OpBuilder atEnd(end);
    SmallVector<Value> returned(end->getOperands());
    SmallVector<std::optional<Type>> cropped; // to what
    for (Value &value : returned) {
      cropped.emplace_back();
      if (!changes(value))
        continue;
      if (Value moved = unpadded(atEnd, value))
        value = moved;
      else
        cropped.back() = value.getType();
    }
    auto lowestOf = [&](Value value, int64_t lowest) {
      SmallVector<int64_t> radices;
      for (int digit = 1; digit <= static_cast<int>(lowest); ++digit)
        radices.push_back(radixOf(value, digit));
      return radices;
    };
    for (Operation *step : steps)
      if (auto gather = dyn_cast<id::GatherOp>(step)) {
        const SmallVector<int64_t> taken = lowestOf(gather.getInput(), static_cast<int64_t>(gather.getLowest())),
                                   made = lowestOf(gather.getResult(), gather.getNewLowest());
        auto isLonger = [](int64_t radix) { return radix != 0; };
        if (llvm::any_of(taken, isLonger) || llvm::any_of(made, isLonger))
          keepInside(gather, taken);
      }
    OpBuilder atStart = OpBuilder::atBlockBegin(&block);
    for (BlockArgument argument : block.getArguments()) {
      Value value = argument;
      for (int digit = 1; digit <= digitsOf(argument); ++digit)
        if (int64_t radix = radixOf(argument, digit))
          value = resized(atStart, argument.getLoc(), value, digit, radix);
      if (value != argument)
        for (Operation *step : steps)
          step->replaceUsesOfWith(argument, value);
    }
    for (Operation *step : steps) {
      for (Value result : step->getResults()) {
        SmallVector<int32_t> radices(id::radicesOf(result.getType()));
        for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit)
          if (int64_t radix = radixOf(result, digit))
            radices[static_cast<size_t>(digit) - 1] = static_cast<int32_t>(radix);
        result.setType(id::SeqType::get(&getContext(), radices, id::elementOf(result.getType())));
      }
    }
    for (auto [value, type] : llvm::zip(returned, cropped))
      if (type) {
        const Value made = value;
        SmallVector<int32_t> radices(id::radicesOf(*type));
        for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit)
          if (radixOf(made, digit))
            value = resized(atEnd, made.getLoc(), value, digit, radices[static_cast<size_t>(digit) - 1]);
      }
    end->setOperands(returned);
  }
};

} // namespace
} // namespace idc::passes
