// Input: digit flow. Output: the same; blocks take the elements of an affine gather that none holds in tiles.
//
// Neighbours of k -> (a*k + b) mod L lie far apart, and each is read with a sector of s elements that others need.
// Sector I of the result has elements of the sectors t + (a*r + b) / s of the argument, t = a*I mod M, r < s, M = L /
// s: near t + q*r, q = a / s. So where a block takes sectors whose t fill a rectangle, what one reads is what the
// others need:
//
//   t = F * (g*x mod M / F) + f,   f < F, x from a multiple of K to the next,   F*g near q
//
// A step of r moves a rectangle by one x and q - F*g values of f: little of it goes. With an odd g every t is in
// one rectangle. The numbers x, f, r count what blocks take in order; a scatter puts it where it belongs:
//
//   %0 = id.gather %x from { (a*k + b) mod L }
//
//   %0 = id.gather %x from { (s*t + a*r + b) mod L } tiled      // r = k mod s, f = k / s mod F, x = k / (s*F)
//   %1 = id.scatter %0 to { s*(t / a mod M) + r }
//
// F and g are those for which the first tile reads the fewest sectors. The first-level cache keeps them for the block.
// So far L is a power of two: the remainders by others take more time than they save.
#include "compiler/passes/Elementwise.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APInt.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_TILEGATHERS
#include "compiler/passes/Passes.h.inc"

namespace {

/// In which order blocks take the elements of a map.
struct Tiling {
  id::AffineNumbers map;
  int64_t sector; // elements: s
  int64_t run;    // F
  int64_t step;   // g

  int64_t sectors() const { return map.length / sector; }
  int64_t steps() const { return sectors() / run; }
  int64_t turned(int64_t k) const {
    const int64_t f = k / sector % run, x = k / (sector * run);
    return run * (step * x % steps()) + f;
  }
  /// The element that is the k-th to be taken.
  int64_t takenAt(int64_t k) const {
    return (sector * turned(k) + map.factor * (k % sector) + map.offset) % map.length;
  }
};

/// The sectors that so many elements, in order, lie in.
int64_t sectorsOf(int64_t count, int64_t sector, llvm::function_ref<int64_t(int64_t)> elementAt) {
  std::vector<int64_t> found(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k)
    found[static_cast<size_t>(k)] = elementAt(k) / sector;
  llvm::sort(found);
  return std::unique(found.begin(), found.end()) - found.begin();
}

/// The tiling for which a tile of so many elements reads the fewest sectors; nothing where a warp reads no more than
/// `often` times the sectors that it fills, as it is, and where there is no better one.
std::optional<Tiling> tilingOf(const id::AffineNumbers &map, int64_t sector, int64_t tile, int64_t lanes,
                               int64_t often) {
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(map.length)) || map.factor % 2 == 0 || map.length < 2 * tile)
    return std::nullopt;
  if (sectorsOf(lanes, sector, [&](int64_t k) { return map.at(k); }) * sector <= often * lanes)
    return std::nullopt;
  const int64_t sectors = map.length / sector, most = tile / sector;
  std::optional<Tiling> best;
  int64_t fewest = tile - tile / 4; // of at most one for each element
  for (int64_t run = 1; run <= most; run *= 2)
    for (int64_t factor : {map.factor, map.factor - map.length})
      for (int64_t change : {0, 1, -1}) {
        const int64_t steps = sectors / run, near = factor / (sector * run) + change;
        const Tiling tried{map, sector, run, (near % steps + steps) % steps};
        if (tried.step % 2 == 0)
          continue;
        const int64_t read = sectorsOf(tile, sector, [&](int64_t k) { return tried.takenAt(k); });
        if (read >= fewest)
          continue;
        fewest = read;
        best = tried;
      }
  return best;
}

/// The bodies of the gather and of the scatter.
class TileBodies {
public:
  TileBodies(OpBuilder &b, Location loc, const Tiling &tiling, ArrayRef<int32_t> radices)
      : b(b), loc(loc), tiling(tiling), radices(radices) {}

  void writeGather(Region &body) {
    write(body, [&](Value t, Value r) {
      return remainder(plus(plus(times(t, tiling.sector), times(r, tiling.map.factor)), constant(tiling.map.offset)),
                       tiling.map.length);
    });
  }
  void writeScatter(Region &body) {
    write(body, [&](Value t, Value r) {
      // Of an odd number mod 2^64, and so mod the number of sectors.
      const auto inverse = llvm::APInt(64, static_cast<uint64_t>(tiling.map.factor)).multiplicativeInverse();
      const auto back = static_cast<int64_t>(inverse.urem(static_cast<uint64_t>(tiling.sectors())));
      return plus(times(remainder(times(t, back), tiling.sectors()), tiling.sector), r);
    });
  }

private:
  OpBuilder &b;
  Location loc;
  const Tiling &tiling;
  ArrayRef<int32_t> radices;

  void write(Region &body, llvm::function_ref<Value(Value t, Value r)> number) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&body);
    const Value k = id::numberOfLowest(b, loc, radices);
    const Value sector = quotient(k, tiling.sector), f = remainder(sector, tiling.run);
    const Value x = quotient(sector, tiling.run);
    const Value t = plus(times(remainder(times(x, tiling.step), tiling.steps()), tiling.run), f);
    id::YieldOp::create(b, loc, number(t, remainder(k, tiling.sector)));
  }
  Value constant(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  Value plus(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value times(Value x, int64_t y) { return b.createOrFold<arith::MulIOp>(loc, x, constant(y)); }
  Value quotient(Value x, int64_t y) { return b.createOrFold<arith::DivUIOp>(loc, x, constant(y)); }
  Value remainder(Value x, int64_t y) { return b.createOrFold<arith::RemUIOp>(loc, x, constant(y)); }
};

struct TileGathers : impl::TileGathersBase<TileGathers> {
  using TileGathersBase::TileGathersBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu" || isInParts(getOperation()))
      return;
    for (auto gather : llvm::to_vector(getOperation().getBody().front().getOps<id::GatherOp>()))
      tile(gather, *machine);
  }

private:
  void tile(id::GatherOp gather, const Target &machine) {
    const id::SeqType type = gather.getType();
    const auto lowest = type.getRadices().take_front(static_cast<size_t>(gather.getNewLowest()));
    const int64_t length = id::elementsOf(lowest), bytes = id::elementBytes(type.getElement());
    if (length != id::elementsOf(gather.getInput().getType().getRadices().take_front(gather.getLowest())) ||
        machine.sectorBytes % bytes != 0 || machine.sectorBytes == bytes)
      return;
    const std::optional<id::AffineNumbers> map = id::affineBody(gather.getBody(), lowest, length);
    // Steps on each element alone stand before the scatter. Others take a kernel more: where each element has a sector
    // of its own that is less than to read them.
    OpOperand *result = returnedAs(gather.getResult());
    const std::optional<Tiling> tiling =
        map ? tilingOf(*map, machine.sectorBytes / bytes, tiledBytes / bytes, machine.lanes, result ? 2 : 7)
            : std::nullopt;
    if (!tiling)
      return;
    OpBuilder builder(gather);
    TileBodies bodies(builder, gather.getLoc(), *tiling, lowest);
    auto tiled = id::GatherOp::create(builder, gather.getLoc(), type, gather.getInput(), gather.getLowest());
    tiled->setAttr(tiledAttr, builder.getUnitAttr());
    bodies.writeGather(tiled.getBody());
    Value taken = tiled.getResult();
    if (result) {
      gather.replaceAllUsesWith(taken);
      builder.setInsertionPoint(result->getOwner());
      taken = result->get();
    }
    auto scatter = id::ScatterOp::create(builder, tiled.getLoc(), taken.getType(), taken, lowest.size());
    bodies.writeScatter(scatter.getBody());
    if (result)
      result->set(scatter.getResult());
    else
      gather.replaceAllUsesWith(scatter.getResult());
    gather.erase();
  }
};

} // namespace
} // namespace idc::passes
