#include "compiler/conversion/addresses/VectorBits.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static int positionOf(const std::vector<int> &bits, int bit) {
  auto found = std::find(bits.begin(), bits.end(), bit);
  return found == bits.end() ? -1 : static_cast<int>(found - bits.begin());
}

/// The lane that a lane's element comes from when the bits of lanes change from one order to another.
static int sourceLane(const std::vector<int> &from, const std::vector<int> &to, int lane) {
  int source = 0;
  for (size_t l = 0; l < to.size(); ++l)
    source |= (lane >> l & 1) << positionOf(from, to[l]);
  return source;
}

/// Vectors that differ in bit `v` exchange their lanes that differ in bit `l`; then the lanes, whose bits are `from`,
/// are put in the order `to`.
static void swap(OpBuilder &b, Location loc, SmallVectorImpl<Value> &vectors, size_t v, size_t l,
                 const std::vector<int> &from, const std::vector<int> &to) {
  const int lanes = 1 << from.size(), bit = 1 << l;
  SmallVector<int32_t> low, high; // lanes of the vector with the bit clear, and set
  for (int lane = 0; lane < lanes; ++lane) {
    const int source = sourceLane(from, to, lane);
    low.push_back(source & bit ? lanes + (source ^ bit) : source);
    high.push_back(source & bit ? lanes + source : source ^ bit);
  }
  for (size_t i = 0; i < vectors.size(); ++i) {
    if (i >> v & 1)
      continue;
    Value x = vectors[i], y = vectors[i | size_t(1) << v];
    vectors[i] = LLVM::ShuffleVectorOp::create(b, loc, x, y, low);
    vectors[i | size_t(1) << v] = LLVM::ShuffleVectorOp::create(b, loc, x, y, high);
  }
}

void conversion::rearrange(OpBuilder &b, Location loc, SmallVectorImpl<Value> &vectors, VectorBits from,
                           const VectorBits &to) {
  // Lanes whose bits become those of vectors, each for a bit that becomes one of lanes: its own one, if it is free.
  std::vector<size_t> leaving;
  for (size_t l = 0; l < from.lanes.size(); ++l)
    if (positionOf(to.lanes, from.lanes[l]) < 0)
      leaving.push_back(l);
  std::vector<std::pair<size_t, size_t>> swaps; // bits of vectors and of lanes
  for (const bool own : {true, false})
    for (size_t l = 0; l < to.lanes.size(); ++l) {
      const int v = positionOf(from.vectors, to.lanes[l]);
      auto place = own ? std::find(leaving.begin(), leaving.end(), l) : leaving.begin();
      const bool known =
          std::any_of(swaps.begin(), swaps.end(), [&](const auto &swap) { return int(swap.first) == v; });
      if (v < 0 || known || place == leaving.end())
        continue;
      swaps.emplace_back(v, *place);
      leaving.erase(place);
    }
  for (size_t i = 0; i < swaps.size(); ++i) {
    const auto [v, l] = swaps[i];
    std::swap(from.vectors[v], from.lanes[l]);
    const std::vector<int> order = i + 1 == swaps.size() ? to.lanes : from.lanes;
    swap(b, loc, vectors, v, l, from.lanes, order);
    from.lanes = order;
  }
  if (from.lanes != to.lanes) {
    SmallVector<int32_t> mask;
    for (int lane = 0; lane < 1 << to.lanes.size(); ++lane)
      mask.push_back(sourceLane(from.lanes, to.lanes, lane));
    for (Value &vector : vectors)
      vector = LLVM::ShuffleVectorOp::create(b, loc, vector, vector, mask);
  }
  const SmallVector<Value> old(vectors.begin(), vectors.end());
  for (size_t i = 0; i < vectors.size(); ++i) {
    size_t source = 0;
    for (size_t v = 0; v < to.vectors.size(); ++v)
      source |= (i >> v & 1) << positionOf(from.vectors, to.vectors[v]);
    vectors[i] = old[source];
  }
}
