#include "compiler/conversion/addresses/TileSlots.h"

#include "compiler/conversion/Scalars.h"

#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

LogicalResult TileSlots::find(Operation *op, std::vector<Slot> &slots) const {
  SmallVector<Type> types = id::leafTypes(tile.element);
  SmallVector<int64_t> offsets = id::leafOffsets(tile.element);
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    int64_t element = 0, problem = 0, device = 0;
    SmallVector<int64_t, 2> indices(layout.view.bounds.size(), 0);
    const int n = static_cast<int>(layout.view.radices.size());
    for (auto [column, value] : llvm::zip(tile.mapping[Field::Reg], registerDigits(tile.mapping, r))) {
      int digit = column.digits[0];
      if (digit > n) {
        problem += value << (digit - n - 1);
        continue;
      }
      element += layout.view.address.weight[digit - 1] * value;
      device += layout.view.device.weight[digit - 1] * value;
      for (auto [index, bound] : llvm::zip(indices, layout.view.bounds))
        index += bound.index.weight[digit - 1] * value;
    }
    const bool planar = layout.bytes.size() > 1;
    size_t plane = 0;
    auto add = [&](Type number, int64_t offset) {
      int64_t at = element * layout.bytes[plane] + (planar ? 0 : offset);
      slots.push_back({problem, plane, device, at, indices, number, slots.size(), {}});
      plane += planar;
    };
    for (auto [type, offset] : llvm::zip(types, offsets)) {
      if (auto complex = dyn_cast<ComplexType>(type)) {
        Type real = complex.getElementType();
        add(real, offset);
        add(real, offset + id::elementBytes(real));
      } else if (isa<FloatType, IntegerType, id::ModType>(type)) {
        add(storedType(type), offset);
      } else {
        return op->emitError() << "elements of type " << tile.element << " cannot be generated yet";
      }
    }
  }
  llvm::sort(slots, [](const Slot &a, const Slot &b) {
    return std::tie(a.problem, a.device, a.plane, a.offset) < std::tie(b.problem, b.device, b.plane, b.offset);
  });
  return success();
}

SmallVector<Value> TileSlots::valuesOf(ArrayRef<Slot> slots) {
  SmallVector<Value> values(slots.size());
  for (const Slot &slot : slots)
    values[slot.number] = slot.value;
  return values;
}

int64_t TileSlots::problemsTogether() const {
  int64_t problems = 1;
  if (!layout.view.bounds.empty() ||
      llvm::all_of(layout.bytes, [&](int64_t bytes) { return layout.view.problem * bytes % widestAccess == 0; }))
    return problems;
  digits::Place place;
  for (int digit = static_cast<int>(layout.view.radices.size()) + 1;
       tile.mapping.find(digit, place) && place.field == Field::Reg; ++digit)
    problems *= 2;
  return problems;
}

SmallVector<Run> TileSlots::runs(std::vector<Slot> &slots, int64_t together) const {
  for (Slot &slot : slots) {
    int64_t inner = slot.problem % together;
    slot.problem -= inner;
    slot.offset += inner * layout.view.problem * layout.bytes[slot.plane];
  }
  return wideRuns(slots, together);
}

/// What divides the value of a form, but for its constant, for register digits zero, up to `most`.
int64_t TileSlots::divisorOf(const digits::LinearForm &form, int64_t most) const {
  int64_t common = most;
  numbers.forEachColumn(tile.mapping, [&](const digits::Column &column) {
    if (!column.digits.empty() && column.digits[0] <= static_cast<int>(form.weight.size()))
      common = std::gcd(common, form.weight[column.digits[0] - 1]);
  });
  return common;
}

SmallVector<Run> TileSlots::wideRuns(ArrayRef<Slot> slots, int64_t together) const {
  // Bytes that divide the address of the element whose register digits are zero, but for its constant: where digits
  // count down, that of the lowest element is not divided by as many.
  const int64_t divisor = divisorOf(layout.view.address, together * layout.view.problem);
  SmallVector<int64_t, 1> alignment;
  for (int64_t bytes : layout.bytes)
    alignment.push_back(std::gcd(layout.alignment, bytes * divisor));
  SmallVector<int64_t> steps; // elements inside come in so many
  for (const digits::BufferView::Bound &bound : layout.view.bounds)
    steps.push_back(std::gcd(divisorOf(bound.index, bound.limit), bound.index.constant));
  auto alike = [&](const Slot &a, const Slot &b) {
    return a.problem == b.problem && a.device == b.device && a.plane == b.plane && a.type == b.type &&
           llvm::all_of(llvm::zip(a.indices, b.indices, steps), [](auto indices) {
             auto [i, j, step] = indices;
             return llvm::divideFloorSigned(i, step) == llvm::divideFloorSigned(j, step);
           });
  };
  SmallVector<Run> runs;
  for (size_t i = 0; i < slots.size();) {
    int64_t bytes = id::elementBytes(slots[i].type);
    size_t neighbours = 1;
    while (i + neighbours < slots.size() && alike(slots[i], slots[i + neighbours]) &&
           slots[i + neighbours].offset == slots[i].offset + static_cast<int64_t>(neighbours) * bytes)
      ++neighbours;
    size_t count = 1;
    auto fits = [&](size_t n) {
      int64_t width = static_cast<int64_t>(n) * bytes;
      const int64_t at = layout.view.address.constant * layout.bytes[slots[i].plane] + slots[i].offset;
      return n <= neighbours && width <= alignment[slots[i].plane] && at % width == 0;
    };
    while (fits(2 * count))
      count *= 2;
    runs.push_back({i, count});
    i += count;
  }
  return runs;
}
