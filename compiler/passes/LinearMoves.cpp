// Input: digit flow. Output: the same; gathers that are linear over GF(2) move digits, between maps that keep what lies
// together.
//
// Element k of the result is element A*k + c of the sequence, on bits: Gray codes, bit matrices, digits added to
// others. Bruhat's decomposition over GF(2) has
//
//   A = U*P*V
//
// with a permutation P and matrices U, V that add to each bit only higher ones: a sector of memory, or a longer run, is
// one of them behind U. So U and V are addressing where a kernel loads and stores, and P moves digits, for which blocks
// have tiles:
//
//   id.gather %x from { A*k + c }
//
//   %0 = id.gather %x from { U*k + c } near
//   %1 = id.permute %0 { P }
//   %2 = id.scatter %1 to { V^-1*k } near
//
// Where V is nothing the kernel that takes the result loads it so. Where steps make the sequence and that holds of the
// inverse, their kernel stores it so. Others take a kernel of their own; but a block exchanges what it holds.
#include "compiler/passes/Elementwise.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/BitForm.h"
#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace idc;
using digits::gf2::Matrix;
using digits::gf2::Vector;

namespace idc::passes {
#define GEN_PASS_DEF_LINEARMOVES
#include "compiler/passes/Passes.h.inc"

namespace {

/// before * moved * after: `sources` has for each place the digit of `before` that comes there, both from 1.
struct Bruhat {
  Matrix before, after;
  std::vector<int> sources;

  /// Of an invertible matrix. Each column keeps its highest bit for itself; of several with the same one the first
  /// does, and is added to the others (F. Bruhat, 1956; here over GF(2), where diagonals are ones).
  explicit Bruhat(Matrix columns)
      : before(columns.size()), after(digits::gf2::identity(static_cast<int>(columns.size()))),
        sources(columns.size()) {
    for (size_t bit = columns.size(); bit-- > 0;) {
      std::optional<size_t> first;
      for (size_t column = 0; column < columns.size(); ++column) {
        if (columns[column] >> bit != 1)
          continue;
        if (first) {
          columns[column] ^= columns[*first];
          after[column] |= Vector(1) << *first;
        } else {
          first = column;
        }
      }
      before[bit] = columns[*first];
      sources[*first] = static_cast<int>(bit) + 1;
    }
  }
  bool endsMoved() const { return after == digits::gf2::identity(static_cast<int>(after.size())); }
};

/// The map of a gather of so many lowest bits from as many; nothing for others, and for those that are not one-to-one.
std::optional<id::BitMap> mapOf(id::GatherOp gather) {
  const auto lowest = gather.getType().getRadices().take_front(static_cast<size_t>(gather.getNewLowest()));
  if (!id::areBits(lowest) || lowest != gather.getInput().getType().getRadices().take_front(gather.getLowest()))
    return std::nullopt;
  std::optional<id::BitMap> map = id::BitMap::of(gather.getBody(), lowest);
  return map && map->inverse() ? map : std::nullopt;
}

/// Of what `permute` moves instead of what it makes; nothing where digits above take part.
std::optional<id::BitMap> behind(id::PermuteOp permute, const id::BitMap &map) {
  const digits::Permutation &moved = permute.getMap().getPermutation();
  const auto n = static_cast<int>(map.columns.size());
  Matrix places;
  Vector complement = 0;
  for (int place = 1; place <= moved.size(); ++place) {
    const int source = moved.source(place);
    if (place > n && (source != place || moved.complemented(place)))
      return std::nullopt;
    if (place > n)
      continue;
    places.push_back(Vector(1) << (source - 1));
    complement |= Vector(moved.complemented(place)) << (source - 1);
  }
  return id::BitMap{digits::gf2::multiply(places, map.columns), digits::gf2::apply(places, map.offset) ^ complement};
}

/// The ops that a gather becomes.
class Parts {
public:
  explicit Parts(id::GatherOp gather)
      : b(gather), loc(gather.getLoc()), lowest(static_cast<int64_t>(gather.getLowest())) {}

  OpBuilder b;

  Value gather(Value value, const id::BitMap &map) {
    return near(id::GatherOp::create(b, loc, value.getType(), value, lowest), map);
  }
  Value scatter(Value value, const id::BitMap &map) {
    return near(id::ScatterOp::create(b, loc, value.getType(), value, lowest), map);
  }
  Value permute(Value value, const Bruhat &parts) {
    const auto type = cast<id::SeqType>(value.getType());
    const auto moved = digits::Permutation::fromSources(parts.sources).extended(type.getNumDigits());
    if (moved.isIdentity())
      return value;
    return id::PermuteOp::create(b, loc, type, value, id::PermAttr::get(b.getContext(), moved));
  }

private:
  Location loc;
  int64_t lowest;

  template <class Op> Value near(Op op, const id::BitMap &map) {
    op->setAttr(nearAttr, b.getUnitAttr());
    id::writeBits(b, loc, op.getBody(), map);
    return op.getResult();
  }
};

struct LinearMoves : impl::LinearMovesBase<LinearMoves> {
  using LinearMovesBase::LinearMovesBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu" || isInParts(getOperation()))
      return;
    for (auto gather : llvm::to_vector(getOperation().getBody().front().getOps<id::GatherOp>())) {
      const auto lowest = gather.getType().getRadices().take_front(static_cast<size_t>(gather.getNewLowest()));
      if (id::elementsOf(lowest) * id::registerBytes(gather.getType().getElement()) > machine->sharedBytesBesideCache)
        if (const std::optional<id::BitMap> map = mapOf(gather))
          takeApart(gather, *map);
    }
  }

private:
  static void takeApart(id::GatherOp gather, id::BitMap map) {
    Value input = gather.getInput();
    if (auto permute = input.getDefiningOp<id::PermuteOp>(); permute && isa<BlockArgument>(permute.getInput()))
      if (std::optional<id::BitMap> whole = behind(permute, map)) {
        input = permute.getInput();
        map = std::move(*whole);
      }
    const id::BitMap inverse = *map.inverse();
    const Bruhat loaded(map.columns), stored(inverse.columns);
    const bool byStore = !isa<BlockArgument>(input) && stored.endsMoved();
    Parts parts(gather);
    // Steps on each element alone stand between the two.
    OpOperand *result = returnedAs(gather.getResult());
    Value moved = input;
    if (!byStore) {
      moved = parts.permute(parts.gather(input, {loaded.before, map.offset}), loaded);
      if (result || !loaded.endsMoved())
        moved = heldCopy(parts.b, moved); // of which a kernel is made
    }
    if (result) {
      gather.replaceAllUsesWith(moved);
      parts.b.setInsertionPoint(result->getOwner());
      moved = result->get();
    }
    if (byStore)
      moved = parts.scatter(parts.permute(moved, stored), {stored.before, inverse.offset});
    else if (!loaded.endsMoved())
      moved = parts.scatter(moved, *id::BitMap{loaded.after}.inverse());
    if (result)
      result->set(moved);
    else
      gather.replaceAllUsesWith(moved);
    gather.erase();
  }
};

} // namespace
} // namespace idc::passes
