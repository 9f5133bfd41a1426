#include "compiler/passes/ScatteredPlaces.h"

#include "compiler/passes/Steps.h"

#include "id/Chunks.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace idc;

bool passes::isInParts(func::FuncOp function) {
  return function->hasAttr(id::memoryAttr) || function->hasAttr(id::devicesAttr);
}

std::optional<double> passes::sectorsAgain(Region &body, ArrayRef<int32_t> radices, int64_t bytes,
                                           const Target &machine) {
  constexpr int64_t warps = 16;
  const int64_t sectorBytes = machine.sectorBytes, lanes = machine.lanes;
  std::optional<id::IndexCode> code = id::IndexCode::of(body);
  if (!code || code->highestDigit() > static_cast<int>(radices.size()))
    return std::nullopt;
  const int64_t count = id::elementsOf(radices);
  int64_t touched = 0, filled = 0;
  for (int64_t warp = 0; warp < warps; ++warp) {
    const int64_t first = count / lanes * warp / warps * lanes;
    DenseSet<int64_t> sectors;
    SmallVector<int64_t> digits(radices.size());
    for (int64_t k = first; k < std::min(first + lanes, count); ++k) {
      id::countTo(k, digits, radices);
      const std::optional<int64_t> number = code->at(digits);
      if (!number)
        return std::nullopt;
      for (int64_t byte = *number * bytes; byte < (*number + 1) * bytes; byte += sectorBytes)
        sectors.insert(byte / sectorBytes);
    }
    touched += static_cast<int64_t>(sectors.size());
    filled += llvm::divideCeil(std::min(lanes, count - first) * bytes, sectorBytes);
  }
  return static_cast<double>(touched) / static_cast<double>(filled);
}

bool passes::isScattered(Region &body, ArrayRef<int32_t> radices, int64_t bytes, const Target &machine) {
  constexpr double tooOften = 2;
  const std::optional<double> again = sectorsAgain(body, radices, bytes, machine);
  return again && *again > tooOften;
}

bool passes::canBeHeld(int64_t bytes, const Target &machine) {
  constexpr int64_t resident = 3;
  return bytes <= machine.sharedBytesPerMultiprocessor / resident;
}

SmallVector<int32_t> passes::smallDigits(int64_t length) {
  const unsigned bits = llvm::Log2_64_Ceil(static_cast<uint64_t>(length));
  int64_t eighths = 8;
  while (bits >= 3 && eighths > 5 && ((eighths - 1) << bits) >= 8 * length)
    --eighths;
  if (eighths == 8)
    return SmallVector<int32_t>(bits, 2);
  SmallVector<int32_t> radices(eighths == 6 ? bits - 2 : bits - 3, 2);
  radices.push_back(static_cast<int32_t>(eighths == 6 ? 3 : eighths));
  return radices;
}

id::SeqType passes::withLowest(id::SeqType type, size_t lowest, ArrayRef<int32_t> radices) {
  SmallVector<int32_t> all(radices);
  llvm::append_range(all, type.getRadices().drop_front(lowest));
  return id::SeqType::get(type.getContext(), all, type.getElement());
}

Value passes::inSmallDigits(OpBuilder &builder, Value value, size_t lowest) {
  const auto type = cast<id::SeqType>(value.getType());
  const SmallVector<int32_t> radices = smallDigits(id::elementsOf(type.getRadices().take_front(lowest)));
  return resizeByZeros(builder, value.getLoc(), withLowest(type, lowest, radices), value, static_cast<int64_t>(lowest));
}
