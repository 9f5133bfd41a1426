// Input: digit flow. Output: the same; scatters that a block can do between two steps are gathers.
//
// A scatter sends elements where they are stored. What steps take of it would have to go through memory; what a gather
// takes is exchanged by the block that has made it. A map of which every number is known has an inverse, and where few
// affine pieces make it up, as of mirror images, halves that interleave, or shifts, it takes a few instructions:
//
//   id.scatter %x to { k even ? k / 2 : 7 - k / 2 }   ->   id.gather %x from { k < 4 ? 2k : 15 - 2k }
//
// Others are tables. Scatters that end a program and whose stores fill sectors stay. Where each element would be stored
// to a sector of its own, the block brings them into order before:
//
//   id.scatter %x to { 5^k mod 17 }   ->   %0 = id.gather %x from { id.lookup k of … }; id.pointwise (%0) { nothing }
//
// Of more than a block holds those are gathers whose inverse is an affine map, or linear over bits: loads share sectors
// in a cache, and steps at the beginning come behind them. Others stay.
#include "compiler/passes/PointwiseMoves.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/IndexCode.h"
#include "id/InverseMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_INVERTSCATTERS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Numbers from `first` to the next piece's: factor * k + offset.
struct Piece {
  int64_t first, factor, offset;
};

constexpr size_t maxPieces = 16;

/// Where each of the places comes from; nothing where run-time scalars, or digits above, decide.
std::optional<std::vector<int64_t>> sourcesOf(id::ScatterOp scatter) {
  const auto radices = scatter.getInput().getType().getRadices().take_front(scatter.getLowest());
  std::optional<id::IndexCode> code = id::IndexCode::of(scatter.getBody());
  if (!code || code->highestDigit() > static_cast<int>(radices.size()))
    return std::nullopt;
  std::vector<int64_t> sources(static_cast<size_t>(id::elementsOf(radices)), -1);
  SmallVector<int64_t> digits(radices.size(), 0);
  int64_t element = 0;
  do {
    const std::optional<int64_t> place = code->at(digits);
    if (!place || *place < 0 || *place >= static_cast<int64_t>(sources.size()))
      return std::nullopt;
    sources[static_cast<size_t>(*place)] = element++;
  } while (id::countUp(digits, radices));
  return llvm::is_contained(sources, -1) ? std::nullopt : std::optional(std::move(sources));
}

/// The affine pieces of a map, as long as they can be; nothing where there are many.
std::optional<SmallVector<Piece>> piecesOf(ArrayRef<int64_t> numbers) {
  SmallVector<Piece> pieces;
  for (size_t first = 0, end = 0; first < numbers.size(); first = end) {
    if (pieces.size() == maxPieces)
      return std::nullopt;
    end = first + 1;
    const int64_t factor = end < numbers.size() ? numbers[end] - numbers[first] : 0;
    while (end < numbers.size() && numbers[end] - numbers[end - 1] == factor)
      ++end;
    // Two numbers are on a line always: the second one may begin a longer piece.
    if (end == first + 2 && end < numbers.size())
      end = first + 1;
    const int64_t own = end == first + 1 ? 0 : factor;
    const auto at = static_cast<int64_t>(first);
    pieces.push_back({at, own, numbers[first] - own * at});
  }
  return pieces;
}

void writePieces(OpBuilder &builder, Location loc, ArrayRef<int32_t> radices, ArrayRef<Piece> pieces) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value place = id::numberOfLowest(builder, loc, radices), number;
  for (const Piece &piece : llvm::reverse(pieces)) {
    Value own = constant(piece.offset);
    if (piece.factor != 0)
      own =
          arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, place, constant(piece.factor)), own);
    if (number) {
      const int64_t end = (&piece + 1)->first;
      Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, place, constant(end));
      own = arith::SelectOp::create(builder, loc, below, own, number);
    }
    number = own;
  }
  id::YieldOp::create(builder, loc, number);
}

void writeTable(OpBuilder &builder, Location loc, ArrayRef<int32_t> radices, ArrayRef<int64_t> sources) {
  SmallVector<Attribute> entries;
  for (int64_t source : sources)
    entries.push_back(builder.getI64IntegerAttr(source));
  Value place = id::numberOfLowest(builder, loc, radices);
  Value number = id::LookupOp::create(builder, loc, builder.getI64Type(), place, builder.getArrayAttr(entries));
  id::YieldOp::create(builder, loc, number);
}

/// True for what is stored as it is, in parts, or by these scatters.
bool isStored(Value value, const DenseSet<Operation *> &scatters) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    auto resize = dyn_cast<id::ResizeOp>(user);
    return isa<func::ReturnOp>(user) || scatters.contains(user) ||
           ((isa<id::PermuteOp>(user) || (resize && !resize.pads())) && isStored(user->getResult(0), scatters));
  });
}

/// The block brings the elements into the order of memory, in digits that its threads can hold.
void storeInOrder(OpBuilder &builder, id::ScatterOp scatter, std::vector<int64_t> sources) {
  const Location loc = scatter.getLoc();
  const id::SeqType to = scatter.getType();
  const SmallVector<int32_t> radices = smallDigits(static_cast<int64_t>(sources.size()));
  const auto digits = static_cast<int64_t>(radices.size());
  sources.resize(static_cast<size_t>(id::elementsOf(radices)), 0); // what is behind them is not stored
  auto gather = id::GatherOp::create(builder, loc, withLowest(to, static_cast<size_t>(scatter.getNewLowest()), radices),
                                     scatter.getInput(), scatter.getLowest());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&gather.getBody());
    writeTable(builder, loc, radices, sources);
  }
  Value held = heldCopy(builder, gather.getResult());
  scatter.replaceAllUsesWith(id::ResizeOp::create(builder, loc, to, held, digits).getResult());
  scatter.erase();
}

/// The gather that brings the same elements to the same places; `writeBody` fills its body.
id::GatherOp becomeGather(OpBuilder &builder, id::ScatterOp scatter, llvm::function_ref<void(Region &)> writeBody) {
  auto gather =
      id::GatherOp::create(builder, scatter.getLoc(), scatter.getType(), scatter.getInput(), scatter.getLowest());
  writeBody(gather.getBody());
  scatter.replaceAllUsesWith(gather.getResult());
  scatter.erase();
  return gather;
}

struct InvertScatters : impl::InvertScattersBase<InvertScatters> {
  using InvertScattersBase::InvertScattersBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu")
      return;
    bool changed = false;
    DenseSet<Operation *> stores; // scatters that stay
    const auto scatters = llvm::to_vector(getOperation().getBody().front().getOps<id::ScatterOp>());
    for (id::ScatterOp scatter : llvm::reverse(scatters)) {
      const id::SeqType from = scatter.getInput().getType(), to = scatter.getType();
      const int64_t bytes =
          id::elementsOf(from.getRadices().take_front(scatter.getLowest())) * id::elementBytes(from.getElement());
      // Others are acted on before and behind, and no block holds all of them.
      auto isApart = [&] {
        const ActedOn before = actedOn(scatter.getInput(), static_cast<int>(scatter.getLowest()), /*next=*/false),
                      next = actedOn(scatter.getResult(), scatter.getNewLowest(), /*next=*/true);
        return !before.lowest && bytes * before.others * next.others > machine->sharedBytesBesideCache;
      };
      const bool stored = isStored(scatter.getResult(), stores);
      const bool isHeld = stored ? canBeHeld(bytes, *machine) : bytes <= machine->sharedBytesBesideCache / 2;
      const auto lowest = from.getRadices().take_front(scatter.getLowest());
      const auto places = to.getRadices().take_front(static_cast<size_t>(scatter.getNewLowest()));
      const Location loc = scatter.getLoc();
      OpBuilder builder(scatter);
      std::optional<std::vector<int64_t>> sources;
      std::optional<id::InverseMap> inverse;
      if (!stored || isScattered(scatter.getBody(), lowest, id::elementBytes(from.getElement()), *machine)) {
        if (isHeld && !isApart())
          sources = sourcesOf(scatter);
        else if (!isHeld && !isInParts(getOperation()))
          inverse = id::InverseMap::of(scatter.getBody(), lowest, places);
      }
      if (sources && stored) {
        storeInOrder(builder, scatter, *sources);
      } else if (sources) {
        const std::optional<SmallVector<Piece>> pieces = piecesOf(*sources);
        becomeGather(builder, scatter, [&](Region &body) {
          builder.createBlock(&body);
          if (pieces)
            writePieces(builder, loc, places, *pieces);
          else
            writeTable(builder, loc, places, *sources);
        });
      } else if (inverse) {
        moveBehind(becomeGather(builder, scatter, [&](Region &body) { inverse->write(builder, loc, body); }));
      } else {
        stores.insert(scatter);
        continue;
      }
      changed = true;
    }
    if (!changed)
      return;
    // One that follows another gather is one with it.
    RewritePatternSet patterns(&getContext());
    id::GatherOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace idc::passes
