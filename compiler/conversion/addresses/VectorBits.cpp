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

/// Vectors that differ in bit `v` exchange their lanes that differ in bit `l`.
static void swap(OpBuilder &b, Location loc, SmallVectorImpl<Value> &vectors, int lanes, int v, int l) {
  SmallVector<int32_t> low, high; // lanes of the vector with the bit clear, and set
  for (int lane = 0; lane < lanes; ++lane) {
    const bool set = lane >> l & 1;
    low.push_back(set ? lanes + (lane ^ 1 << l) : lane);
    high.push_back(set ? lanes + lane : lane ^ 1 << l);
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
  const int lanes = 1 << from.lanes.size();
  for (size_t l = 0; l < from.lanes.size(); ++l)
    if (int v = positionOf(from.vectors, to.lanes[l]); v >= 0) {
      swap(b, loc, vectors, lanes, v, static_cast<int>(l));
      std::swap(from.vectors[static_cast<size_t>(v)], from.lanes[l]);
    }
  if (from.lanes != to.lanes) {
    SmallVector<int32_t> mask;
    for (int lane = 0; lane < lanes; ++lane) {
      int32_t source = 0;
      for (size_t l = 0; l < to.lanes.size(); ++l)
        source |= (lane >> l & 1) << positionOf(from.lanes, to.lanes[l]);
      mask.push_back(source);
    }
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
