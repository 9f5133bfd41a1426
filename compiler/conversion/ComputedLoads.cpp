#include "compiler/conversion/ComputedLoads.h"

#include "id/ArrayType.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include <algorithm>

using namespace mlir;
using namespace idc;
using digits::Field;
using Digits = SmallVector<int64_t>;

/// The number that the `lowest` lowest digits count.
static int64_t numberOf(ArrayRef<int64_t> digits, ArrayRef<int32_t> radices, size_t lowest) {
  int64_t number = 0;
  for (size_t i = lowest; i-- > 0;)
    number = number * radices[i] + digits[i];
  return number;
}

/// Puts the digits of a number in place of the `before` lowest ones.
static Digits withLowest(int64_t number, ArrayRef<int32_t> radices, ArrayRef<int64_t> digits, size_t before) {
  Digits all(radices.size());
  id::countTo(number, all, radices);
  llvm::append_range(all, digits.drop_front(before));
  return all;
}

/// The number of an element of a view in what it is a view of; `areComputed`: else gathers change nothing. Nothing
/// where that cannot be said.
static std::optional<int64_t> placeOf(Value view, Digits digits, bool areComputed) {
  while (Operation *op = view.getDefiningOp()) {
    const ArrayRef<int32_t> radices = id::radicesOf(view.getType());
    view = op->getOperand(0);
    const ArrayRef<int32_t> before = id::radicesOf(view.getType());
    if (auto permute = dyn_cast<id::PermuteOp>(op)) {
      const digits::Permutation map = permute.getMap().getPermutation();
      Digits moved(digits.size());
      for (int place = 1; place <= map.size(); ++place) {
        const auto source = static_cast<size_t>(map.source(place)) - 1;
        const int64_t digit = digits[static_cast<size_t>(place) - 1];
        moved[source] = map.complemented(place) ? before[source] - 1 - digit : digit;
      }
      digits = std::move(moved);
    } else if (auto gather = dyn_cast<id::GatherOp>(op)) {
      const auto lowest = static_cast<size_t>(gather.getNewLowest());
      int64_t number = numberOf(digits, radices, lowest);
      if (areComputed) {
        std::optional<id::IndexCode> code = id::IndexCode::of(gather.getBody());
        const std::optional<int64_t> computed = code ? code->at(digits) : std::nullopt;
        if (!computed)
          return std::nullopt;
        number = *computed;
      }
      const ArrayRef<int32_t> own = before.take_front(gather.getLowest());
      if (number < 0 || number >= id::elementsOf(own))
        return std::nullopt;
      digits = withLowest(number, own, digits, lowest);
    } else if (auto resize = dyn_cast<id::ResizeOp>(op)) {
      const auto lowest = static_cast<size_t>(resize.getNewLowest());
      const int64_t number = numberOf(digits, radices, lowest);
      if (number >= resize.getOldLength())
        return std::nullopt;
      digits = withLowest(number, before.take_front(resize.getLowest()), digits, lowest);
    } else if (auto part = dyn_cast<id::PartOp>(op)) {
      digits.insert(digits.begin() + (static_cast<int64_t>(part.getDigit()) - 1),
                    static_cast<int64_t>(part.getValue()));
    } else {
      return std::nullopt;
    }
  }
  return numberOf(digits, id::radicesOf(view.getType()), digits.size());
}

/// How far an element that is near no border, whatever the dimensions are, lies from where no place is computed.
static std::optional<int64_t> distanceOf(Value view) {
  const ArrayRef<int32_t> radices = id::radicesOf(view.getType());
  Digits digits(radices.size());
  id::countTo(id::elementsOf(radices) / 13 * 5, digits, radices);
  const std::optional<int64_t> place = placeOf(view, digits, /*areComputed=*/true),
                               other = placeOf(view, digits, /*areComputed=*/false);
  return place && other ? std::optional(*place - *other) : std::nullopt;
}

double conversion::timesLoaded(id::KernelOp kernel, Value sequence, const passes::Target &machine) {
  const int64_t bytes = id::elementBytes(cast<id::SeqType>(sequence.getType()).getElement());
  SmallVector<int64_t> distances;
  int64_t unknown = 0, near = 1; // elements
  for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>()) {
    auto buffer = dyn_cast<BlockArgument>(id::rootOf(load.getBuffer()));
    if (!buffer || id::wholeOf(kernel.getInputs()[buffer.getArgNumber()]) != sequence)
      continue;
    const digits::Mapping mapping = load.getResult().getType().getMapping();
    near = std::max(near, mapping.extent(Field::Reg) * mapping.numThreads());
    if (std::optional<int64_t> distance = distanceOf(load.getBuffer()))
      distances.push_back(*distance);
    else
      ++unknown;
  }
  llvm::sort(distances);
  const double ofSectors = 1 + static_cast<double>(machine.sectorBytes) /
                                   static_cast<double>(machine.lanes * bytes); // a warp's, and one more
  double times = static_cast<double>(unknown) * ofSectors;
  for (size_t i = 0; i < distances.size();) {
    bool isAligned = false; // one of those that lie near each other
    size_t end = i;
    for (; end < distances.size() && (end == i || distances[end] - distances[end - 1] <= near); ++end)
      isAligned |= distances[end] * bytes % machine.sectorBytes == 0;
    times += isAligned ? 1 : ofSectors;
    i = end;
  }
  return std::max(times, 1.0);
}
