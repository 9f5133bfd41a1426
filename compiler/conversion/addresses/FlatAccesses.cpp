#include "compiler/conversion/addresses/FlatAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

FailureOr<FlatPlace::Address> FlatAccesses::addressOf(Operation *op, Value buffer, const Tile &tile,
                                                      const std::function<std::pair<int, bool>(int)> &bufferDigit) {
  auto found = buffers.find(buffer);
  if (found == buffers.end())
    return op->emitError() << "a view cannot be generated for vectors of a CPU";
  const BufferMemory &memory = found->second;
  FlatPlace::Address address;
  if (!id::splitNumbers(tile.element, address.real, address.components))
    return op->emitError() << "elements of type " << tile.element << " cannot be generated yet";
  address.perPlace = memory.layout.planar ? 1 : address.components;
  ArrayRef<int32_t> radices = cast<id::SeqType>(buffer.getType()).getRadices();
  int64_t flipped = 0; // where all digits of the tile are 0
  std::vector<int64_t> weights;
  auto isOfChunk = [&](int digit) { return llvm::is_contained(memory.deviceDigits, digit); };
  for (int digit = 1; digit <= static_cast<int>(tile.radices.size()); ++digit) {
    const auto [own, complemented] = bufferDigit(digit);
    int64_t weight = own <= static_cast<int>(radices.size()) && !isOfChunk(own) ? 1 : 0;
    for (int below = 1; weight && below < own; ++below)
      weight *= isOfChunk(below) ? 1 : radices[static_cast<size_t>(below) - 1];
    if (complemented)
      flipped += weight * (tile.radices[static_cast<size_t>(digit) - 1] - 1);
    weights.push_back(complemented ? -weight : weight);
  }
  address.places = FlatPlace::placesOf(
      tile.mapping, [&](int digit) { return weights[static_cast<size_t>(digit) - 1]; },
      [&](int64_t index) { return memory.layout.at(index + flipped); });
  Value start = arith::MulIOp::create(code.b, code.loc, place.problem, code.constant64(memory.layout.batchStride));
  for (Value plane : memory.planes)
    address.bases.push_back(LLVM::GEPOp::create(code.b, code.loc, plane.getType(),
                                                LLVM::LLVMArrayType::get(address.real, address.perPlace), plane,
                                                ArrayRef<LLVM::GEPArg>{start}));
  return address;
}

FailureOr<Tile> FlatAccesses::load(id::LoadOp op, llvm::function_ref<void()> ready) {
  ready();
  Tile tile = emptyTile(op.getResult().getType());
  const digits::Permutation map = op.getMap().getPermutation();
  FailureOr<FlatPlace::Address> address = addressOf(
      op, op.getBuffer(), tile, [&](int digit) { return std::pair(map.source(digit), map.complemented(digit)); });
  if (failed(address))
    return failure();
  const SmallVector<Value> parts = place.loadRegisters(*address);
  const auto components = static_cast<size_t>(address->components);
  for (size_t r = 0; r < tile.registers.size(); ++r)
    tile.registers[r] = code.leavesOf(ArrayRef(parts).slice(r * components, components), tile.element);
  return tile;
}

LogicalResult FlatAccesses::store(id::StoreOp op, const Tile &tile) {
  const digits::Permutation map = op.getMap().getPermutation();
  FailureOr<FlatPlace::Address> address = addressOf(op, op.getBuffer(), tile, [&](int digit) {
    const int own = map.destination(digit);
    return std::pair(own, map.complemented(own));
  });
  if (failed(address))
    return failure();
  SmallVector<Value> parts;
  for (const auto &leaves : tile.registers)
    llvm::append_range(parts, code.numbersOf(leaves, tile.element, address->real));
  place.storeRegisters(*address, parts);
  return success();
}
