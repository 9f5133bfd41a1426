#include "id/InverseMap.h"

#include "dialect/digits/NumberTheory.h"

using namespace mlir;
using namespace idc;
using namespace idc::id;

/// The numbers that k -> (factor * k + offset) mod length had before it; nothing where it gives one twice.
static std::optional<AffineNumbers> inverseOf(const AffineNumbers &map) {
  const int64_t back = digits::inverseMod(map.factor, map.length);
  if (back == 0 && map.length > 1)
    return std::nullopt;
  return AffineNumbers{back, (map.length - back * map.offset % map.length) % map.length, map.length};
}

std::optional<InverseMap> InverseMap::of(Region &body, ArrayRef<int32_t> from, ArrayRef<int32_t> to) {
  if (elementsOf(from) != elementsOf(to))
    return std::nullopt;
  if (const std::optional<AffineNumbers> affine = affineBody(body, from, elementsOf(to)))
    if (const std::optional<AffineNumbers> inverse = inverseOf(*affine))
      return InverseMap(*inverse, to);
  if (const std::optional<BitMap> bits = areBits(from) && areBits(to) ? BitMap::of(body, from) : std::nullopt)
    if (std::optional<BitMap> inverse = bits->inverse())
      return InverseMap(std::move(*inverse), to);
  return std::nullopt;
}

void InverseMap::write(OpBuilder &builder, Location loc, Region &body) const {
  if (const auto *affine = std::get_if<AffineNumbers>(&map))
    return writeAffine(builder, loc, body, to, *affine);
  writeBits(builder, loc, body, std::get<BitMap>(map));
}
