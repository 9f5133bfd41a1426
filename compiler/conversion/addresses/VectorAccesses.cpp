#include "compiler/conversion/addresses/VectorAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Mapping;

void VectorAccesses::loadGuarded(const Access &access, const Mapping &mapping, const VectorPlace::Address &address,
                                 size_t r, SmallVectorImpl<Value> &parts) {
  auto type = VectorType::get({lanes}, address.real);
  std::vector<Value> vectors(address.components, LLVM::ZeroOp::create(b, loc, type).getResult());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    auto one = scf::IfOp::create(b, loc, SmallVector<Type>(address.components, type),
                                 place.inBatch(access, mapping, r, lane), true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.elseBlock());
    scf::YieldOp::create(b, loc, vectors);
    b.setInsertionPointToStart(one.thenBlock());
    place.loadLane(address, r, lane, vectors);
    scf::YieldOp::create(b, loc, vectors);
    for (int c = 0; c < address.components; ++c)
      vectors[c] = one.getResult(c);
  }
  parts.append(vectors.begin(), vectors.end());
}

FailureOr<Tile> VectorAccesses::load(id::LoadOp op, llvm::function_ref<void()> ready) {
  ready();
  Tile tile = emptyTile(op.getResult().getType());
  Type real;
  int components;
  if (!id::splitNumbers(tile.element, real, components))
    return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
  const BufferMemory &memory = buffers.find(op.getBuffer())->second;
  Access access = loadAccess(tile.mapping, op.getMap().getPermutation(), op.getBuffer().getType().getNumDigits(), 1,
                             memory.deviceDigits);
  const VectorPlace::Address address = place.makeAddress(access, tile.mapping, memory, real, components);
  SmallVector<Value> values;
  if (access.batchDigits == 0) {
    values = place.loadRegisters(address);
  } else {
    SmallVector<Type> types(tile.registers.size() * components, VectorType::get({lanes}, real));
    auto branch = scf::IfOp::create(b, loc, types, place.blockIsFull(access, tile.mapping), true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, place.loadRegisters(address));
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> guarded;
    for (size_t r = 0; r < tile.registers.size(); ++r)
      loadGuarded(access, tile.mapping, address, r, guarded);
    scf::YieldOp::create(b, loc, guarded);
    values.assign(branch.getResults().begin(), branch.getResults().end());
  }
  for (size_t r = 0; r < tile.registers.size(); ++r)
    tile.registers[r] = code.leavesOf(ArrayRef<Value>(values).slice(r * components, components), tile.element);
  return tile;
}

void VectorAccesses::storeAll(const VectorPlace::Address &address, ArrayRef<Value> parts, const BufferMemory &memory) {
  if (!memory.isLarge || !place.storesLines(address))
    return place.storeRegisters(address, parts);
  storesPast = true;
  Value past = arith::AndIOp::create(b, loc, memory.isLarge, place.isOnLine(address));
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, past, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  place.storeRegisters(address, parts, /*past=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  place.storeRegisters(address, parts);
}

LogicalResult VectorAccesses::store(id::StoreOp op, const Tile &tile) {
  Type real;
  int components;
  if (!id::splitNumbers(tile.element, real, components))
    return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
  const BufferMemory &memory = buffers.find(op.getBuffer())->second;
  Access access = storeAccess(tile.mapping, op.getMap().getPermutation(), 1, memory.deviceDigits);
  const VectorPlace::Address address = place.makeAddress(access, tile.mapping, memory, real, components);
  SmallVector<Value> parts;
  for (const auto &leaves : tile.registers)
    llvm::append_range(parts, code.numbersOf(leaves, tile.element, real));
  if (access.batchDigits == 0) {
    storeAll(address, parts, memory);
    return success();
  }
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, place.blockIsFull(access, tile.mapping), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeAll(address, parts, memory);
  b.setInsertionPointToStart(branch.elseBlock());
  for (size_t r = 0; r < tile.registers.size(); ++r)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto one = scf::IfOp::create(b, loc, TypeRange{}, place.inBatch(access, tile.mapping, r, lane), false);
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(one.thenBlock());
      place.storeLane(address, r, lane, ArrayRef(parts).slice(r * components, components));
    }
  return success();
}
