#include "compiler/passes/CountedPlaces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

std::optional<CountedPlaces> CountedPlaces::of(const FlowGroup &group, OpOperand &operand) {
  auto permute = operand.get().getDefiningOp<id::PermuteOp>();
  auto gather = (permute ? permute.getInput() : operand.get()).getDefiningOp<id::GatherOp>();
  std::optional<id::IndexCode> code = gather ? id::IndexCode::of(gather.getBody()) : std::nullopt;
  if (!code)
    return std::nullopt;
  const SmallVector<int> axes = group.axesOf(operand.getOwner(), operand.get());
  const ArrayRef<int32_t> radices = id::radicesOf(gather.getType());
  CountedPlaces places(std::move(*code), radices, id::elementBytes(id::elementOf(gather.getType())));
  for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit) {
    const int place = permute ? permute.getMap().getPermutation().destination(digit) : digit;
    places.axes.push_back(axes[static_cast<size_t>(place) - 1]);
  }
  return places;
}

std::optional<int64_t> CountedPlaces::at(ArrayRef<std::pair<int, int64_t>> values) {
  SmallVector<int64_t> digits;
  for (auto [digit, own] : llvm::enumerate(axes)) {
    digits.push_back(static_cast<int64_t>(digit) % 2); // where nothing begins or ends
    for (auto [axis, value] : values)
      if (axis == own)
        digits.back() = (digits.back() + value) % radices[digit];
  }
  return code.at(digits);
}

SmallVector<int> CountedPlaces::order() {
  SmallVector<std::pair<int64_t, int>> distances;
  if (const std::optional<int64_t> number = at({}))
    for (int axis : axes)
      if (const std::optional<int64_t> other = at({{axis, 1}}); other && *other != *number)
        distances.emplace_back(std::abs(*other - *number), axis);
  llvm::stable_sort(distances, [](const auto &a, const auto &b) { return a.first < b.first; });
  return llvm::to_vector(llvm::make_second_range(distances));
}

double CountedPlaces::scattered(ArrayRef<int> lanes, const Target &target) {
  DenseSet<int64_t> sectors;
  for (int64_t lane = 0; lane < target.lanes; ++lane) {
    SmallVector<std::pair<int, int64_t>> values;
    int64_t rest = lane;
    for (int axis : lanes)
      if (const auto *own = llvm::find(axes, axis); own != axes.end()) {
        const int32_t radix = radices[static_cast<size_t>(own - axes.begin())];
        values.emplace_back(axis, rest % radix);
        rest /= radix;
      }
    if (const std::optional<int64_t> number = at(values))
      sectors.insert(*number * bytes / target.sectorBytes);
  }
  const auto taken = static_cast<int64_t>(sectors.size()) * target.sectorBytes;
  return std::max(1.0, static_cast<double>(taken) / static_cast<double>(target.lanes * bytes));
}
