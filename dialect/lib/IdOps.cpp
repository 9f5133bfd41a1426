// Verifiers, folders and canonicalization of the id dialect's ops.
#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallSet.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::id;

//===--- parts of the ops' text form ----------------------------------------------------------------------------===//

static ParseResult parseIndexMap(OpAsmParser &parser, PermAttr &map) { return PermAttr::parsePlaces(parser, map); }
static void printIndexMap(OpAsmPrinter &printer, Operation *, PermAttr map) { map.printPlaces(printer); }

static ParseResult parseLaunchWords(OpAsmParser &parser, LaunchAttr &launch) {
  return LaunchAttr::parseWords(parser, launch);
}
static void printLaunchWords(OpAsmPrinter &printer, Operation *, LaunchAttr launch) {
  printer << launch.getLaunch().str();
}

static ParseResult parseExponent(OpAsmParser &parser, PolyAttr &exponent) {
  return PolyAttr::parseSum(parser, exponent);
}
static void printExponent(OpAsmPrinter &printer, Operation *, PolyAttr exponent) { exponent.printSum(printer); }

/// (`by` kind layout?)?
static ParseResult parseMeans(OpAsmParser &parser, ExchangeKindAttr &kind, LayoutAttr &layout) {
  kind = ExchangeKindAttr::get(parser.getContext(), ExchangeKind::Unplanned);
  if (failed(parser.parseOptionalKeyword("by")))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<ExchangeKind> value = symbolizeExchangeKind(name);
  if (!value)
    return parser.emitError(loc, "expected unplanned, none, registers, shuffle, shared, cluster or grid");
  kind = ExchangeKindAttr::get(parser.getContext(), *value);
  bool hasLayout = *parser.getCurrentLocation().getPointer() == '<'; // the next token
  return hasLayout ? parser.parseCustomAttributeWithFallback(layout) : success();
}
static void printMeans(OpAsmPrinter &printer, Operation *, ExchangeKindAttr kind, LayoutAttr layout) {
  if (kind.getValue() == ExchangeKind::Unplanned && !layout)
    return;
  printer << "by " << stringifyExchangeKind(kind.getValue());
  if (layout) {
    printer << " ";
    layout.print(printer);
  }
}

// [2, 1], [3]: a number of digits 2 and 1, and one of digit 3.
static ParseResult parseRuns(OpAsmParser &parser, ArrayAttr &runs) {
  SmallVector<Attribute> parsed;
  auto run = [&] {
    SmallVector<int64_t> digits;
    auto digit = [&] { return parser.parseInteger(digits.emplace_back()); };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, digit))
      return failure();
    parsed.push_back(DenseI64ArrayAttr::get(parser.getContext(), digits));
    return success();
  };
  if (parser.parseCommaSeparatedList(run))
    return failure();
  runs = ArrayAttr::get(parser.getContext(), parsed);
  return success();
}
static void printRuns(OpAsmPrinter &printer, Operation *, ArrayAttr runs) {
  llvm::interleaveComma(runs.getAsRange<DenseI64ArrayAttr>(), printer, [&](DenseI64ArrayAttr run) {
    printer << "[";
    llvm::interleaveComma(run.asArrayRef(), printer);
    printer << "]";
  });
}

#define GET_OP_CLASSES
#include "id/IdOps.cpp.inc"

static std::vector<int> toVector(ArrayRef<int32_t> radices) { return {radices.begin(), radices.end()}; }

/// `moved` must be `from` with its digits moved by `map`.
static LogicalResult verifyMove(Operation *op, PermAttr map, ArrayRef<int32_t> from, ArrayRef<int32_t> moved,
                                Type fromElement, Type movedElement) {
  if (map.getPlaces().size() != from.size())
    return op->emitOpError() << "the index map has " << map.getPlaces().size() << " places, the sequence "
                             << from.size() << " digits";
  if (map.getPermutation().apply(toVector(from)) != toVector(moved))
    return op->emitOpError() << "moves " << shapeText(from) << " to another shape than " << shapeText(moved);
  if (fromElement != movedElement)
    return op->emitOpError() << "keeps the element type, but " << fromElement << " became " << movedElement;
  return success();
}

Value idc::id::rootOf(Value buffer) {
  while (isa_and_nonnull<PartOp, ResizeOp, GatherOp, ScatterOp, PermuteOp>(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

bool idc::id::isLoadable(Value root) { return isa<BlockArgument>(root) || root.getDefiningOp<RingOp>(); }

int64_t idc::id::extentOf(Operation *op, digits::Field field) {
  int64_t most = 1;
  op->walk([&](Operation *made) {
    for (Value result : made->getResults())
      if (auto tile = dyn_cast<TileType>(result.getType()))
        most = std::max(most, tile.getMapping().extent(field));
  });
  return most;
}

int idc::id::batchDigits(TileType tile) {
  return static_cast<int>(tile.getMapping().digits().size()) - tile.getNumDigits();
}

bool idc::id::canMixTiles(int64_t first, int64_t second) {
  const int64_t common = std::gcd(first, second);
  return (first + second) / common <= std::numeric_limits<int32_t>::max() / (first / common + 1);
}

/// In kernels, a view of what is stored has all that is stored.
static LogicalResult verifyView(Operation *op, Value input, bool pads) {
  if (!op->getParentOfType<KernelOp>())
    return success();
  if (isLoadable(rootOf(input)))
    return success();
  if (pads || !input.hasOneUse())
    return op->emitOpError() << "of what is stored has other elements or another use";
  return success();
}

//===--- permute ------------------------------------------------------------------------------------------------===//

LogicalResult PermuteOp::verify() {
  if (failed(verifyView(*this, getInput(), /*pads=*/false)))
    return failure();
  return verifyMove(*this, getMap(), getInput().getType().getRadices(), getResult().getType().getRadices(),
                    getInput().getType().getElement(), getResult().getType().getElement());
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (getMap().getPermutation().isIdentity())
    return getInput();
  return {};
}

namespace {
/// permute(permute(x, a), b) -> permute(x, a then b)
struct ComposePermutes : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<PermuteOp>();
    if (!inner)
      return failure();
    digits::Permutation both = inner.getMap().getPermutation().then(op.getMap().getPermutation());
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), inner.getInput(), PermAttr::get(op.getContext(), both));
    return success();
  }
};
} // namespace

namespace {
/// permute(repeat(x)): the repeated digits are all alike, so that they may come in ascending order, not complemented.
struct SortRepeatedDigits : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    auto repeat = op.getInput().getDefiningOp<RepeatOp>();
    if (!repeat)
      return failure();
    digits::Permutation map = op.getMap().getPermutation();
    SmallVector<int32_t> radices(repeat.getInput().getType().getRadices());
    int own = static_cast<int>(radices.size()), next = own;
    std::vector<int> sources;
    for (int place = 1; place <= map.size(); ++place) {
      bool repeated = map.source(place) > own;
      sources.push_back(repeated ? ++next : map.source(place));
      if (repeated)
        radices.push_back(op.getType().getRadices()[place - 1]);
    }
    digits::Permutation sorted = digits::Permutation::fromSources(sources);
    for (int place = 1; place <= map.size(); ++place)
      if (map.complemented(place) && map.source(place) <= own)
        sorted = sorted.then(digits::Permutation::complement(map.size(), place));
    if (sorted == map)
      return failure();
    auto type = SeqType::get(op.getContext(), radices, op.getType().getElement());
    auto moved = RepeatOp::create(rewriter, op.getLoc(), type, repeat.getInput());
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), moved, PermAttr::get(op.getContext(), sorted));
    return success();
  }
};
} // namespace

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ComposePermutes, SortRepeatedDigits>(context);
}

//===--- repeat -------------------------------------------------------------------------------------------------===//

LogicalResult RepeatOp::verify() {
  SeqType from = getInput().getType(), to = getType();
  if (from.getRadices() != to.getRadices().take_front(from.getRadices().size()))
    return emitOpError() << "the input's digits are not the lowest digits of the result";
  if (from.getElement() != to.getElement())
    return emitOpError() << "keeps the element type, but " << from.getElement() << " became " << to.getElement();
  return success();
}

OpFoldResult RepeatOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return {};
}

namespace {
/// What little is made of arguments alone is made where they are read, also if that is several times: nothing waits in
/// memory for it.
struct RepeatBeforeStep : OpRewritePattern<RepeatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RepeatOp op, PatternRewriter &rewriter) const override {
    constexpr ptrdiff_t maxOperations = 8;
    auto step = op.getInput().getDefiningOp<PointwiseOp>();
    if (!step || !llvm::all_of(step.getInputs(), llvm::IsaPred<BlockArgument>))
      return failure();
    auto body = step.getBody().front().without_terminator();
    if (std::distance(body.begin(), body.end()) > maxOperations ||
        !llvm::all_of(body, [](Operation &made) { return isa<arith::ArithDialect>(made.getDialect()); }))
      return failure();
    const ArrayRef<int32_t> radices = op.getType().getRadices();
    auto repeated = [&](Type type) { return SeqType::get(op.getContext(), radices, elementOf(type)); };
    IRMapping inputs;
    for (Value input : step.getInputs())
      if (!inputs.contains(input))
        inputs.map(input, RepeatOp::create(rewriter, op.getLoc(), repeated(input.getType()), input).getResult());
    auto made = cast<PointwiseOp>(rewriter.clone(*step, inputs));
    for (Value output : made.getOutputs())
      output.setType(repeated(output.getType()));
    rewriter.replaceOp(op, made->getResult(cast<OpResult>(op.getInput()).getResultNumber()));
    return success();
  }
};

/// repeat(repeat(x)) -> repeat(x)
struct ComposeRepeats : OpRewritePattern<RepeatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RepeatOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<RepeatOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<RepeatOp>(op, op.getType(), inner.getInput());
    return success();
  }
};
} // namespace

void RepeatOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ComposeRepeats, RepeatBeforeStep>(context);
}

//===--- resize -------------------------------------------------------------------------------------------------===//

static int64_t lengthOf(ArrayRef<int32_t> radices) {
  return std::accumulate(radices.begin(), radices.end(), int64_t(1), std::multiplies<int64_t>());
}

int ResizeOp::getNewLowest() {
  return getType().getNumDigits() - (getInput().getType().getNumDigits() - static_cast<int>(getLowest()));
}
int64_t ResizeOp::getOldLength() { return lengthOf(getInput().getType().getRadices().take_front(getLowest())); }
int64_t ResizeOp::getNewLength() { return lengthOf(getType().getRadices().take_front(getNewLowest())); }

OpFoldResult ResizeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return {};
}

namespace {
/// A sequence that was made longer, and then no longer than it was, was never made longer.
struct DropResize : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ResizeOp>();
    if (!inner || inner.getNewLowest() != static_cast<int64_t>(op.getLowest()) ||
        op.getNewLength() > std::min(inner.getOldLength(), inner.getNewLength()))
      return failure();
    rewriter.replaceOpWithNewOp<ResizeOp>(op, op.getType(), inner.getInput(), inner.getLowest());
    return success();
  }
};
} // namespace

void ResizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropResize>(context);
}

//===--- twiddle ------------------------------------------------------------------------------------------------===//

LogicalResult TwiddleOp::verify() {
  if (getRoot() < 1)
    return emitOpError() << "needs a root of order at least 1";
  int n = static_cast<int>(radicesOf(getType()).size());
  for (int digit : getExponent().getPolynomial().digits())
    if (digit > n)
      return emitOpError() << "exponent names digit " << digit << ", the sequence has " << n;
  if (!isa<ComplexType, ModType>(elementOf(getType())))
    return emitOpError() << "needs complex or mod elements, not " << elementOf(getType());
  return success();
}

OpFoldResult TwiddleOp::fold(FoldAdaptor) {
  if (getExponent().getPolynomial().reduced(getRoot(), toVector(radicesOf(getType()))).isZero())
    return getInput();
  return {};
}

namespace {
/// twiddle(twiddle(x, N, f), M, g) -> twiddle(x, L, f*L/N + g*L/M) with L = lcm(N, M)
struct MergeTwiddles : OpRewritePattern<TwiddleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TwiddleOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TwiddleOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    int64_t n = inner.getRoot(), m = op.getRoot(), l = std::lcm(n, m);
    digits::Polynomial sum = inner.getExponent().getPolynomial() * (l / n) + op.getExponent().getPolynomial() * (l / m);
    sum = sum.reduced(l, toVector(radicesOf(op.getType())));
    rewriter.replaceOpWithNewOp<TwiddleOp>(op, op.getType(), inner.getInput(), l, PolyAttr::get(op.getContext(), sum));
    return success();
  }
};
} // namespace

void TwiddleOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTwiddles>(context);
}

namespace {
/// x + (-1)·y is x - y, and the other way round: a node that takes both knows them as a pair.
struct SubtractHalfTurns : OpRewritePattern<OmegaOp> {
  using OpRewritePattern::OpRewritePattern;

  template <class Mul, class Add, class Sub> static bool subtract(OmegaOp omega, PatternRewriter &rewriter) {
    bool changed = false;
    for (Operation *user : llvm::to_vector(omega->getUsers())) {
      auto product = dyn_cast<Mul>(user);
      if (!product)
        continue;
      Value factor = product.getLhs() == omega.getResult() ? product.getRhs() : product.getLhs();
      for (Operation *taken : llvm::to_vector(product->getUsers())) {
        rewriter.setInsertionPoint(taken);
        if (auto sum = dyn_cast<Add>(taken); sum && sum.getLhs() != sum.getRhs()) {
          Value other = sum.getLhs() == product.getResult() ? sum.getRhs() : sum.getLhs();
          rewriter.replaceOpWithNewOp<Sub>(sum, sum.getType(), other, factor);
          changed = true;
        } else if (auto difference = dyn_cast<Sub>(taken); difference && difference.getRhs() == product.getResult() &&
                                                           difference.getLhs() != product.getResult()) {
          rewriter.replaceOpWithNewOp<Add>(difference, difference.getType(), difference.getLhs(), factor);
          changed = true;
        }
      }
    }
    return changed;
  }

  LogicalResult matchAndRewrite(OmegaOp omega, PatternRewriter &rewriter) const override {
    const digits::Polynomial exponent = omega.getExponent().getPolynomial();
    const auto root = static_cast<int64_t>(omega.getRoot());
    if (omega.getDynamic() || !exponent.isConstant() || root % 2 != 0 ||
        exponent.reduced(root).constantTerm() != root / 2)
      return failure();
    const bool changed = isa<ModType>(omega.getType())
                             ? subtract<ModMulOp, ModAddOp, ModSubOp>(omega, rewriter)
                             : subtract<complex::MulOp, complex::AddOp, complex::SubOp>(omega, rewriter);
    return success(changed);
  }
};
} // namespace

void OmegaOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SubtractHalfTurns>(context);
}

//===--- bodies -------------------------------------------------------------------------------------------------===//

/// Checks a body against the leaf types its arguments and results must have.
static LogicalResult verifyBody(Operation *op, Region &region, ArrayRef<Type> arguments, ArrayRef<Type> results) {
  Block &block = region.front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(arguments))
    return op->emitOpError() << "body has " << block.getNumArguments()
                             << " arguments that do not match the operands' leaves (" << arguments.size()
                             << " expected)";
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << "body must end with id.yield";
  if (TypeRange(yield.getValues().getTypes()) != TypeRange(results))
    return op->emitOpError() << "body yields " << yield.getValues().size()
                             << " values that do not match the results' leaves (" << results.size() << " expected)";
  return success();
}

/// `to` must be `from` with other digits in the place of the lowest ones.
static LogicalResult verifyLowest(Operation *op, SeqType from, SeqType to, int64_t lowest) {
  int64_t above = from.getNumDigits() - lowest;
  if (lowest < 0 || above < 0)
    return op->emitOpError() << "the input has " << from.getNumDigits() << " digits, not " << lowest;
  if (to.getNumDigits() < above || from.getRadices().take_back(above) != to.getRadices().take_back(above))
    return op->emitOpError() << "changes digits above the lowest " << lowest;
  if (from.getElement() != to.getElement())
    return op->emitOpError() << "keeps the element type, but " << from.getElement() << " became " << to.getElement();
  return success();
}

/// A body of digits of `type`, which the op calls `what`.
static LogicalResult verifyDigits(Operation *op, Region &body, SeqType type, const char *what) {
  WalkResult digits = body.walk([&](DigitOp digit) {
    bool exists = digit.getDigit() >= 1 && digit.getDigit() <= static_cast<uint64_t>(type.getNumDigits());
    return exists ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (digits.wasInterrupted())
    return op->emitOpError() << "body names a digit that the " << what << " does not have";
  return success();
}

/// A body that yields a number of a place, from the digits of `type`, which the op calls `what`.
static LogicalResult verifyIndex(Operation *op, Region &body, SeqType type, const char *what) {
  if (failed(verifyDigits(op, body, type, what)))
    return failure();
  return verifyBody(op, body, {}, IntegerType::get(op->getContext(), 64));
}

LogicalResult GatherOp::verify() {
  if (failed(verifyLowest(*this, getInput().getType(), getType(), static_cast<int64_t>(getLowest()))) ||
      failed(verifyView(*this, getInput(), /*pads=*/true)))
    return failure();
  return verifyIndex(*this, getBody(), getType(), "result");
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyLowest(*this, getInput().getType(), getType(), static_cast<int64_t>(getLowest()))))
    return failure();
  if (getType().getNumElements() != getInput().getType().getNumElements())
    return emitOpError() << "keeps the number of elements, but " << getInput().getType().getNumElements() << " became "
                         << getType().getNumElements();
  if ((*this)->getParentOfType<KernelOp>() && (isLoadable(rootOf(getInput())) || !getInput().hasOneUse()))
    return emitOpError() << "in a kernel is of what is stored for it alone";
  return verifyIndex(*this, getBody(), getInput().getType(), "input");
}

LogicalResult ResizeOp::verify() {
  SeqType to = getType();
  if (failed(verifyLowest(*this, getInput().getType(), to, static_cast<int64_t>(getLowest()))))
    return failure();
  if (failed(verifyView(*this, getInput(), pads())))
    return failure();
  if (!pads())
    return getBody().empty() ? success() : emitOpError() << "has a body, but no new elements";
  if (getBody().empty())
    return emitOpError() << "has no body for its new elements";
  return verifyBody(*this, getBody(), {}, leafTypes(to.getElement()));
}

LogicalResult LookupOp::verify() {
  auto isNumber = [](Attribute value, Type type) {
    auto typed = dyn_cast<TypedAttr>(value);
    return typed && isa<FloatAttr, IntegerAttr>(value) && typed.getType() == type;
  };
  const Type type = getType();
  auto isElement = [&](Attribute value) {
    if (auto complex = dyn_cast<ComplexType>(type)) {
      auto parts = dyn_cast<ArrayAttr>(value);
      return parts && parts.size() == 2 &&
             llvm::all_of(parts, [&](Attribute part) { return isNumber(part, complex.getElementType()); });
    }
    return isNumber(value, isa<ModType>(type) ? IntegerType::get(getContext(), 64) : type);
  };
  if (getValues().empty() || !llvm::all_of(getValues(), isElement))
    return emitOpError() << "has at least one value, each a constant of type " << type;
  return success();
}

LogicalResult ParameterOp::verify() {
  auto function = (*this)->getParentOfType<FunctionOpInterface>();
  auto scalars = function ? function->getAttrOfType<ArrayAttr>("id.scalars") : ArrayAttr();
  int64_t count = scalars ? scalars.size() : 0;
  int64_t number = getNumber();
  if (number < 0 || number >= count)
    return emitOpError() << "number " << number << " does not exist: the function lists " << count
                         << " in 'id.scalars'";
  auto type = dyn_cast<TypeAttr>(scalars[number]);
  if (!type || type.getValue() != getType())
    return emitOpError() << "is of type " << getType() << ", the function's 'id.scalars' says " << scalars[number];
  return success();
}

/// Operands and results of a step are sequences, or tiles; those with the same number of digits have one mapping.
static LogicalResult verifyMappings(Operation *op) {
  auto mappingOf = [](Type type) {
    auto tile = dyn_cast<TileType>(type);
    return tile ? tile.getMappingText() : StringRef();
  };
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type a : types)
    for (Type b : types)
      if (isa<TileType>(a) != isa<TileType>(b) ||
          (radicesOf(a).size() == radicesOf(b).size() && mappingOf(a) != mappingOf(b)))
        return op->emitOpError() << "operands and results have different mappings";
  return success();
}

LogicalResult PointwiseOp::verify() {
  if (getInputs().empty() || getOutputs().empty())
    return emitOpError() << "needs an input and an output";
  SmallVector<Type> arguments, results;
  for (Value input : getInputs())
    llvm::append_range(arguments, leafTypes(elementOf(input.getType())));
  for (Value output : getOutputs()) {
    llvm::append_range(results, leafTypes(elementOf(output.getType())));
    if (radicesOf(output.getType()) != radicesOf(getOutputs()[0].getType()))
      return emitOpError() << "results have different shapes";
  }
  for (Value input : getInputs())
    if (radicesOf(input.getType()) != radicesOf(getOutputs()[0].getType()))
      return emitOpError() << "an input and a result have different shapes";
  if (failed(verifyMappings(*this)))
    return failure();
  return verifyBody(*this, getBody(), arguments, results);
}

int NodeOp::getNumDigits() {
  size_t n = 0;
  for (Value v : llvm::concat<Value>(getInputs(), getOutputs()))
    n = std::max(n, radicesOf(v.getType()).size());
  return static_cast<int>(n);
}

bool NodeOp::isArray(Value value) { return static_cast<int>(radicesOf(value.getType()).size()) == getNumDigits(); }

SmallVector<int32_t> NodeOp::getDigitRadices() {
  for (Value v : llvm::concat<Value>(getInputs(), getOutputs()))
    if (isArray(v))
      return llvm::map_to_vector(getDigits(), [&](int64_t digit) { return radicesOf(v.getType())[digit - 1]; });
  return {};
}

int64_t NodeOp::getArity() { return lengthOf(getDigitRadices()); }

Block *id::createBody(OpBuilder &builder, Operation *step) {
  SmallVector<Type> types;
  for (Value input : step->getOperands()) {
    auto node = dyn_cast<NodeOp>(step);
    const int64_t count = node && node.isArray(input) ? node.getArity() : 1;
    for (int64_t k = 0; k < count; ++k)
      llvm::append_range(types, leafTypes(elementOf(input.getType())));
  }
  return builder.createBlock(&step->getRegion(0), {}, types, SmallVector<Location>(types.size(), step->getLoc()));
}

bool NodeOp::preservesDigits() {
  return llvm::all_of(llvm::concat<Value>(getInputs(), getOutputs()), [&](Value v) { return isArray(v); });
}

LogicalResult NodeOp::verify() {
  if (getInputs().empty() || getOutputs().empty())
    return emitOpError() << "needs an input and an output";
  int n = getNumDigits();
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t digit : getDigits()) {
    if (digit < 1 || digit > n)
      return emitOpError() << "digit " << digit << " is out of range 1.." << n;
    if (!seen.insert(digit).second)
      return emitOpError() << "names digit " << digit << " twice";
  }
  if (getDigits().empty())
    return emitOpError() << "needs a digit";
  int64_t arity = getArity();
  // The arrangement that has all digits, where known, and how each operand or result numbers it.
  SmallVector<int32_t> radices(n, 0);
  auto verifyRadices = [&](Type type) -> LogicalResult {
    ArrayRef<int32_t> own = radicesOf(type);
    size_t next = 0;
    for (int digit = 1; digit <= n; ++digit) {
      if (own.size() != static_cast<size_t>(n) && seen.contains(digit))
        continue;
      int32_t radix = own[next++];
      if (radices[digit - 1] != 0 && radices[digit - 1] != radix)
        return emitOpError() << "operands and results differ in the radix of digit " << digit;
      radices[digit - 1] = radix;
    }
    return success();
  };
  auto collect = [&](ValueRange values, SmallVector<Type> &types) -> LogicalResult {
    for (Value v : values) {
      size_t digits = radicesOf(v.getType()).size();
      if (digits != static_cast<size_t>(n) && digits != n - getDigits().size())
        return emitOpError() << "an operand or result has " << digits << " digits, not " << n << " or "
                             << n - getDigits().size();
      if (failed(verifyRadices(v.getType())))
        return failure();
      int64_t copies = digits == static_cast<size_t>(n) ? arity : 1;
      for (int64_t k = 0; k < copies; ++k)
        llvm::append_range(types, leafTypes(elementOf(v.getType())));
    }
    return success();
  };
  SmallVector<Type> arguments, results;
  if (failed(collect(getInputs(), arguments)) || failed(collect(getOutputs(), results)) ||
      failed(verifyMappings(*this)))
    return failure();
  for (Value v : llvm::concat<Value>(getInputs(), getOutputs())) {
    auto tile = dyn_cast<TileType>(v.getType());
    if (!tile || tile.getNumDigits() != n)
      continue;
    digits::Mapping mapping = tile.getMapping();
    for (int64_t digit : getDigits()) {
      digits::Place place;
      bool found = mapping.find(static_cast<int>(digit), place);
      auto kernel = (*this)->getParentOfType<KernelOp>();
      bool inTurns = found && place.field == digits::Field::Turn && kernel && kernel.getLaunch().getTeam() > 1;
      if (!found || (place.field != digits::Field::Reg && !inTurns))
        return emitOpError() << "acts on digit " << digit << ", which is not in registers";
    }
  }
  return verifyBody(*this, getBody(), arguments, results);
}

//===--- stages -------------------------------------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  const digits::Launch launch = getLaunch().getLaunch();
  for (Operation &op : getBody().front())
    for (Value value : op.getResults()) {
      auto tile = dyn_cast<TileType>(value.getType());
      if (!tile)
        continue;
      digits::Mapping mapping = tile.getMapping();
      if (mapping.extent(digits::Field::Rank) != launch.blocksTogether())
        return op.emitOpError() << "makes a tile for " << mapping.extent(digits::Field::Rank)
                                << " blocks together, where the kernel has " << launch.blocksTogether();
      if (!mapping[digits::Field::Turn].empty() && launch.team == 1)
        return op.emitOpError() << "makes a tile in turns, which only blocks of a team take";
    }
  return verifyBody(*this, getBody(), SmallVector<Type>(getInputs().getTypes()),
                    SmallVector<Type>(getOutputs().getTypes()));
}

LogicalResult RingOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || isLoadable(rootOf(getInput())) || !getInput().hasOneUse())
    return emitOpError() << "is of what a kernel stores, for it alone";
  if (!kernel.getLaunch().getLaunch().isGrid())
    return emitOpError() << "lies between two passes of a plain grid";
  // The first ring of a kernel ends its first pass; others follow it.
  Block &body = kernel.getBody().front();
  RingOp first = *body.getOps<RingOp>().begin();
  if (*this != first) {
    auto before = dyn_cast<RingOp>((*this)->getPrevNode());
    if (!before || before.getSlots() != getSlots() || before.getDelay() != getDelay())
      return emitOpError() << "follows another one of as many slots and as long a delay";
    return success();
  }
  DenseSet<Value> made; // tiles of the second pass
  int64_t tiles = 1, ofFirst = 1;
  bool isSecond = false;
  for (Operation &op : body) {
    isSecond |= &op == first;
    for (Value operand : op.getOperands())
      if (isSecond && isa<TileType>(operand.getType()) && !made.contains(operand))
        return emitOpError() << "lies between two passes, which have no tile in common";
    for (Value result : op.getResults()) {
      if (auto tile = dyn_cast<TileType>(result.getType()); tile && batchDigits(tile) > 0)
        return op.emitOpError() << "makes a tile of several problems, beside a ring";
      if (isSecond)
        made.insert(result);
    }
    int64_t &most = isSecond ? tiles : ofFirst;
    most = std::max(most, extentOf(&op, digits::Field::Block));
  }
  if (!canMixTiles(ofFirst, tiles))
    return emitOpError() << "lies between passes of " << ofFirst << " and " << tiles << " tiles, too many to be mixed";
  const auto slots = static_cast<int64_t>(getSlots()), delay = static_cast<int64_t>(getDelay());
  if (delay < tiles)
    return emitOpError() << "has a delay of " << delay << " tiles, less than the " << tiles << " of a problem";
  if (slots < 1 || slots > 4096 || delay > (1 << 24) || slots * tiles < delay + tiles)
    return emitOpError() << "has memory for " << slots << " problems, too few for " << delay + tiles
                         << " tiles on their way";
  return success();
}

/// Staged problems are whole ones of a block that does nothing else before or behind, in a buffer of their own.
static LogicalResult verifyStaged(Operation *op, TileType tile, bool isWhole) {
  const digits::Launch launch = op->getParentOfType<KernelOp>().getLaunch().getLaunch();
  if (launch.cluster > 1 || launch.team > 1 || launch.persistent)
    return op->emitOpError() << "is staged by blocks of a grid only";
  for (int digit = 1; digit <= tile.getNumDigits(); ++digit)
    if (digits::Place place; !tile.getMapping().find(digit, place) || place.field == digits::Field::Block ||
                             place.field == digits::Field::Device)
      return op->emitOpError() << "is staged where a block holds whole problems, not a part of digit " << digit;
  if (!isWhole)
    return op->emitOpError() << "is staged where a buffer is taken as it is, not a part, a repetition or a ring";
  return success();
}

LogicalResult LoadOp::verify() {
  if (getStaged() &&
      failed(verifyStaged(*this, getResult().getType(), isa<BlockArgument>(getBuffer()) && !isRepeated())))
    return failure();
  if (!isLoadable(rootOf(getBuffer())))
    return emitOpError() << "of what the kernel stores is of a ring";
  TileType tile = getResult().getType();
  SeqType buffer = getBuffer().getType();
  SmallVector<int32_t> radices(buffer.getRadices());
  if (isRepeated() && getMap().getPlaces().size() == tile.getRadices().size()) {
    for (int digit = static_cast<int>(radices.size()) + 1; digit <= tile.getNumDigits(); ++digit)
      radices.push_back(tile.getRadices()[getMap().getPermutation().destination(digit) - 1]);
  }
  return verifyMove(*this, getMap(), radices, tile.getRadices(), buffer.getElement(), tile.getElement());
}

LogicalResult StoreOp::verify() {
  if (getStaged() &&
      failed(verifyStaged(*this, getTile().getType(), llvm::all_of(getBuffer().getUsers(), llvm::IsaPred<YieldOp>))))
    return failure();
  TileType tile = getTile().getType();
  SeqType buffer = getBuffer().getType();
  return verifyMove(*this, getMap(), tile.getRadices(), buffer.getRadices(), tile.getElement(), buffer.getElement());
}

/// A part of a buffer or tile: its type without the digit.
static LogicalResult verifyPart(Operation *op, Type whole, int64_t digit, Type part) {
  SmallVector<int32_t> radices(radicesOf(whole));
  if (digit < 1 || digit > static_cast<int64_t>(radices.size()))
    return op->emitOpError() << "digit " << digit << " is out of range 1.." << radices.size();
  radices.erase(radices.begin() + (digit - 1));
  if (isa<TileType>(whole) != isa<TileType>(part) || radicesOf(part) != ArrayRef<int32_t>(radices) ||
      elementOf(part) != elementOf(whole))
    return op->emitOpError() << "a part lacks digit " << digit << " of " << whole << " and is alike otherwise";
  return success();
}

LogicalResult PartOp::verify() {
  SeqType whole = getBuffer().getType();
  if (failed(verifyPart(*this, whole, getDigit(), getResult().getType())))
    return failure();
  if (getValue() >= static_cast<uint64_t>(whole.getRadices()[getDigit() - 1]))
    return emitOpError() << "digit " << getDigit() << " has no value " << getValue();
  return success();
}

LogicalResult JoinOp::verify() {
  Type whole = getResult().getType();
  for (Value part : getParts()) {
    if (failed(verifyPart(*this, whole, getDigit(), part.getType())))
      return failure();
    if (isa<SeqType>(whole) && (!part.hasOneUse() || !isa_and_nonnull<StoreOp, JoinOp, KernelOp>(part.getDefiningOp())))
      return emitOpError() << "needs parts that are stored for it alone";
  }
  if (static_cast<int64_t>(getParts().size()) != radicesOf(whole)[getDigit() - 1])
    return emitOpError() << "needs a part for every value of digit " << getDigit();
  auto tile = dyn_cast<TileType>(whole);
  if (!tile)
    return success();
  const digits::Mapping joined = tile.getMapping();
  digits::Place place;
  if (!joined.find(static_cast<int>(getDigit()), place) || place.field != digits::Field::Reg)
    return emitOpError() << "needs digit " << getDigit() << " in registers";
  for (Value part : getParts()) {
    digits::Mapping mapping = cast<TileType>(part.getType()).getMapping();
    for (auto &columns : mapping.columns)
      for (digits::Column &column : columns)
        for (int &digit : column.digits)
          digit += digit >= static_cast<int>(getDigit());
    for (digits::Field field :
         {digits::Field::Lane, digits::Field::Warp, digits::Field::Rank, digits::Field::Block, digits::Field::Device})
      if (mapping[field] != joined[field])
        return emitOpError() << "needs parts that threads hold like the result";
  }
  return success();
}

LogicalResult RenameOp::verify() {
  TileType from = getInput().getType(), to = getResult().getType();
  if (failed(verifyMove(*this, getMap(), from.getRadices(), to.getRadices(), from.getElement(), to.getElement())))
    return failure();
  digits::Permutation map = getMap().getPermutation();
  if (map.hasComplement())
    return emitOpError() << "cannot complement a digit";
  digits::Mapping renamed = from.getMapping();
  for (auto &columns : renamed.columns)
    for (digits::Column &column : columns) {
      for (int &digit : column.digits)
        digit = digit <= map.size() ? map.destination(digit) : digit; // batch digits stay
      llvm::sort(column.digits);
    }
  if (renamed != to.getMapping())
    return emitOpError() << "makes the mapping " << renamed.str() << ", not " << to.getMappingText();
  return success();
}

SmallVector<int> ExchangeOp::keptDigits() {
  SmallVector<int> kept;
  if (!isComputed()) {
    for (int digit = 1; digit <= getInput().getType().getNumDigits(); ++digit)
      kept.push_back(digit);
    return kept;
  }
  kept.resize(static_cast<size_t>(getInput().getType().getNumDigits()), 0);
  for (auto [i, number] : llvm::enumerate(getPlaces().front().getTerminator()->getOperands()))
    if (auto digit = number.getDefiningOp<DigitOp>(); digit && getRun(i).size() == 1)
      kept[static_cast<size_t>(getRun(i).front()) - 1] = static_cast<int>(digit.getDigit());
  return kept;
}

bool ExchangeOp::keeps(digits::Field field) {
  std::vector<digits::Column> columns = getInput().getType().getMapping()[field];
  const SmallVector<int> kept = keptDigits();
  const int more = getResult().getType().getNumDigits() - static_cast<int>(kept.size());
  for (digits::Column &column : columns)
    for (int &digit : column.digits) {
      const bool ofBatch = digit > static_cast<int>(kept.size());
      digit = ofBatch ? digit + more : kept[static_cast<size_t>(digit) - 1];
    }
  return columns == getResult().getType().getMapping()[field];
}

static LogicalResult verifyComputed(ExchangeOp op) {
  TileType from = op.getInput().getType(), to = op.getResult().getType();
  SmallVector<int64_t> named;
  for (size_t i = 0; i < op.getRuns()->size(); ++i) {
    if (op.getRun(i).empty())
      return op.emitOpError() << "has a number of no digits";
    llvm::append_range(named, op.getRun(i));
  }
  llvm::sort(named);
  if (!llvm::equal(named, llvm::seq<int64_t>(1, from.getNumDigits() + 1)))
    return op.emitOpError() << "has numbers for other digits than those of the input";
  SeqType digits = SeqType::get(op.getContext(), to.getRadices(), to.getElement());
  const SmallVector<Type> numbers(op.getRuns()->size(), IntegerType::get(op.getContext(), 64));
  if (failed(verifyDigits(op, op.getPlaces(), digits, "result")) || failed(verifyBody(op, op.getPlaces(), {}, numbers)))
    return failure();
  const digits::Mapping before = from.getMapping(), after = to.getMapping();
  if ((op.getKind() != ExchangeKind::Shared && op.getKind() != ExchangeKind::Cluster) ||
      !before[digits::Field::Turn].empty())
    return op.emitOpError() << "from computed places goes through the memory of a block or a cluster";
  auto isReplicated = [](const digits::Column &column) { return column.digits.empty(); };
  if (llvm::any_of(before[digits::Field::Rank], isReplicated) || llvm::any_of(after[digits::Field::Rank], isReplicated))
    return op.emitOpError() << "from computed places is of what each block of a cluster has a part of";
  if (!op.keeps(digits::Field::Block) || !op.keeps(digits::Field::Device))
    return op.emitOpError() << "computes digits that blocks hold";
  if (op.getKind() == ExchangeKind::Shared && op.getLayout() && !op.keeps(digits::Field::Rank))
    return op.emitOpError() << "takes what other blocks of the cluster hold";
  return success();
}

LogicalResult ExchangeOp::verify() {
  TileType from = getInput().getType(), to = getResult().getType();
  if (from.getElement() != to.getElement() || (!isComputed() && from.getRadices() != to.getRadices()))
    return emitOpError() << "keeps shape and element type";
  if (isComputed() != getRuns().has_value())
    return emitOpError() << "has a body and what its numbers stand for, or neither";
  if (isComputed())
    return verifyComputed(*this);
  digits::Mapping a = from.getMapping(), b = to.getMapping();
  if (a.digits() != b.digits())
    return emitOpError() << "source and destination hold different digits";
  for (digits::Field field : {digits::Field::Block, digits::Field::Device, digits::Field::Turn})
    if (a[field] != b[field])
      return emitOpError() << "cannot move digits of the " << digits::fieldName(field) << " field";
  if (getLayout() && getKind() != ExchangeKind::Shared && getKind() != ExchangeKind::Cluster &&
      getKind() != ExchangeKind::Grid)
    return emitOpError() << "only exchanges through memory have a layout";
  return success();
}

bool ExchangeOp::isOfBits() {
  if (LayoutAttr layout = getLayoutAttr())
    return !layout.getPadded();
  return getKind() != ExchangeKind::Shared && areBits(getInput().getType().getRadices());
}

OpFoldResult ExchangeOp::fold(FoldAdaptor) {
  // One that goes through shared memory all the same keeps a value there.
  if (getInput().getType() == getResult().getType() && getKind() != ExchangeKind::Shared)
    return getInput();
  return {};
}
