// Input: digit flow. Output: the same; gathers that shift by whole multiples of their lowest digits are of the others.
//
// (k + c·2^j) mod 2^n leaves the lowest j digits as they are and shifts the others by c, whatever the lowest are. A
// block that held all elements of such a gather would hold the whole sequence. Of the upper digits it holds all, and of
// the lowest digits those of some elements that lie side by side, so that many steps by far shifts are one kernel along
// columns:
//
//   id.gather %x lowest 20 from { k + 2^12 mod 2^20 }
//
//   %0 = id.permute %x [12 … 1 20 … 13]
//   %1 = id.gather %0 lowest 8 from { k + 1 mod 2^8 }
//   id.permute %1 [8 … 1 20 … 9]
//
// So is k - c·2^j of no less than 0, or k + c·2^j below 2^n, where steps make nothing of the elements beyond that.
//
// What arguments give, or the program returns, is found by its address as it is; and what a block holds whole is
// exchanged there.
#include "compiler/passes/Elementwise.h"
#include "compiler/passes/NearNumbers.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Target.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_NARROWGATHERS
#include "compiler/passes/Passes.h.inc"

namespace {

/// How many of the lowest digits a shift by `offset` leaves as they are.
size_t digitsLeft(int64_t offset, ArrayRef<int32_t> radices) {
  size_t count = 0;
  for (int64_t multiple = 1; count < radices.size(); ++count)
    if (offset % (multiple *= radices[count]) != 0)
      break;
  return count;
}

/// By how much, modulo the length, a gather shifts the elements of which something is made.
std::optional<int64_t> shiftOf(id::GatherOp gather, int64_t length) {
  const auto radices = gather.getType().getRadices().take_front(static_cast<size_t>(gather.getNewLowest()));
  if (const std::optional<id::AffineNumbers> map = id::affineBody(gather.getBody(), radices, length))
    return map->factor == 1 && map->length == length ? std::optional(map->offset) : std::nullopt;
  const int64_t last = length - 1;
  auto isShift = [&](int64_t by, Numbers taken, Numbers others) {
    return distanceAt(gather, taken) == by && areUnused(gather, others);
  };
  if (const std::optional<int64_t> down = distanceAt(gather, {last, last});
      down && *down < 0 && isShift(*down, {-*down, last}, {0, -*down - 1}))
    return length + *down;
  if (const std::optional<int64_t> up = distanceAt(gather, {0, 0});
      up && *up > 0 && isShift(*up, {0, last - *up}, {length - *up, last}))
    return *up;
  return std::nullopt;
}

struct NarrowGathers : impl::NarrowGathersBase<NarrowGathers> {
  using NarrowGathersBase::NarrowGathersBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu" || isInParts(getOperation()))
      return;
    for (auto gather : llvm::to_vector(getOperation().getBody().front().getOps<id::GatherOp>())) {
      const id::SeqType type = gather.getType();
      const auto radices = type.getRadices().take_front(static_cast<size_t>(gather.getNewLowest()));
      const int64_t length = id::elementsOf(radices);
      if (gather.getInput().getType() != type || isa<BlockArgument>(gather.getInput()) ||
          returnedAs(gather.getResult()) ||
          length * id::registerBytes(type.getElement()) <= machine->sharedBytesBesideCache)
        continue;
      if (const std::optional<int64_t> offset = shiftOf(gather, length))
        if (const size_t left = digitsLeft(*offset, radices); left > 0 && left < radices.size())
          narrow(gather, *offset, left);
    }
  }

private:
  /// Of a shift by `offset`, which leaves the `left` lowest digits.
  static void narrow(id::GatherOp gather, int64_t offset, size_t left) {
    OpBuilder builder(gather);
    const Location loc = gather.getLoc();
    const id::SeqType type = gather.getType();
    const auto lowest = static_cast<size_t>(gather.getNewLowest());
    const auto radices = type.getRadices().take_front(lowest), below = radices.take_front(left),
               shifted = radices.drop_front(left);
    std::vector<int> sources;
    for (size_t place = 0; place < lowest; ++place)
      sources.push_back(static_cast<int>((place + left) % lowest) + 1);
    const auto moved = digits::Permutation::fromSources(std::move(sources)).extended(type.getNumDigits());
    SmallVector<int32_t> inOrder(shifted);
    llvm::append_range(inOrder, below);
    const id::SeqType between = withLowest(type, lowest, inOrder);
    auto permute = [&](id::SeqType to, Value value, const digits::Permutation &map) {
      return id::PermuteOp::create(builder, loc, to, value, id::PermAttr::get(builder.getContext(), map)).getResult();
    };
    auto narrowed = id::GatherOp::create(builder, loc, between, permute(between, gather.getInput(), moved),
                                         static_cast<int64_t>(shifted.size()));
    const int64_t multiple = id::elementsOf(below);
    id::writeAffine(builder, loc, narrowed.getBody(), shifted, {1, offset / multiple, id::elementsOf(shifted)});
    builder.setInsertionPointAfter(narrowed);
    gather.replaceAllUsesWith(permute(type, narrowed.getResult(), moved.inverse()));
    gather.erase();
  }
};

} // namespace
} // namespace idc::passes
