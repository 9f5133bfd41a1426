#include "compiler/conversion/addresses/BitAccesses.h"

#include "compiler/conversion/Peers.h"
#include "compiler/conversion/addresses/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- wide accesses --------------------------------------------------------------------------------------------===//

Type BitAccesses::Unit::type() const { return LLVM::LLVMArrayType::get(number, components); }

FailureOr<BitAccesses::Unit> BitAccesses::unitOf(Operation *op, const BufferMemory &buffer, Type element) {
  Type number;
  int components;
  if (!id::splitNumbers(element, number, components))
    return op->emitError() << "elements of type " << element << " cannot be generated yet";
  if (buffer.layout.planar)
    return Unit{number, 1, id::elementBytes(number)};
  return Unit{number, components, id::elementBytes(element)};
}

size_t BitAccesses::numberInGroup(const Unit &unit, size_t length, size_t k, int c) {
  int plane = c / unit.components;
  return (plane * length + k) * unit.components + c % unit.components;
}

int64_t BitAccesses::maxVector(const BufferMemory &buffer, const Unit &unit) const {
  int64_t most = std::max<int64_t>(1, vectorBytes / (unit.bytes & -unit.bytes));
  return buffer.layout.isDense() ? most : buffer.layout.runLength(most);
}

/// Registers that start a wide access: all vector bits zero.
static std::vector<size_t> groupsOf(size_t count, ArrayRef<int> vectorBits) {
  size_t mask = 0;
  for (int bit : vectorBits)
    mask |= size_t(1) << bit;
  std::vector<size_t> groups;
  for (size_t r = 0; r < count; ++r)
    if (!(r & mask))
      groups.push_back(r);
  return groups;
}

/// Register `r` of a group with other vector bits.
static size_t withVector(size_t r, ArrayRef<int> vectorBits, size_t k) {
  for (auto [i, bit] : llvm::enumerate(vectorBits))
    if (k >> i & 1)
      r |= size_t(1) << bit;
  return r;
}

/// The register of the group of `r` (vector bits zero) that has the lowest address.
static size_t lowest(const Access &access, size_t r) { return withVector(r, access.vectorBits, access.vectorFlip); }

BitAccesses::Pieces BitAccesses::piecesOf(const Unit &unit, size_t vectorBits) const {
  int64_t all = unit.bytes << vectorBits, bytes = std::min(all & -all, vectorBytes);
  int64_t length = bytes / id::elementBytes(unit.number);
  return {packedType(unit.number, length), bytes, all / bytes};
}

Value BitAccesses::offset(Value base, Type elementType, Value index) {
  return LLVM::GEPOp::create(b, loc, base.getType(), elementType, base, ArrayRef<LLVM::GEPArg>{index});
}

Value BitAccesses::pieceAt(Value pointer, const Pieces &pieces, int64_t i) {
  return code.at(pointer, i * pieces.bytes);
}

//===--- addresses ------------------------------------------------------------------------------------------------===//

BitAccesses::Address BitAccesses::makeAddress(const Access &access, const Mapping &mapping, const BufferMemory &buffer,
                                              const Unit &unit) {
  if (!buffer.layout.isDense())
    return laidOutAddress(access, mapping, buffer, unit);
  auto target = [&](int digit) { return access.target(digit); };
  uint64_t registerBits = 0, threadBits = 0;
  for (uint64_t bits : columnTargets(mapping[Field::Reg], target))
    registerBits |= bits;
  std::vector<uint64_t> threads = place.threadTargets(mapping, target);
  for (uint64_t bits : threads)
    threadBits |= bits;
  Type elementType = unit.type();
  Value blocks = place.blockPart(mapping, target, access.addressDigits + access.batchDigits);
  for (Value part : {place.rankBits(mapping, target), place.deviceBits(mapping, target)})
    if (part)
      blocks = arith::OrIOp::create(b, loc, blocks, arith::ExtUIOp::create(b, loc, b.getI64Type(), part));
  if (uint64_t flip = access.flipped & ~registerBits & ~threadBits)
    blocks = arith::XOrIOp::create(b, loc, blocks, code.constant64(static_cast<int64_t>(flip)));
  Address address;
  Value lanes;
  addBases(address, access, mapping, buffer, [&](Value plane) {
    Value base = offset(plane, elementType, blocks);
    if (!lanes) {
      lanes = scatterBits(b, loc, place.thread, threads);
      if (uint64_t flip = access.flipped & threadBits)
        lanes = arith::XOrIOp::create(b, loc, lanes, code.constant32(static_cast<int64_t>(flip)));
      if (lanes)
        lanes = arith::ExtUIOp::create(b, loc, b.getI64Type(), lanes);
    }
    return lanes ? offset(base, elementType, lanes) : base;
  });
  for (uint64_t bits : constantTargets(mapping[Field::Reg], target))
    address.regs.push_back(static_cast<int64_t>(bits ^ (access.flipped & registerBits)));
  return address;
}

BitAccesses::Address BitAccesses::laidOutAddress(const Access &access, const Mapping &mapping,
                                                 const BufferMemory &buffer, const Unit &unit) {
  const std::function<uint64_t(int)> all = [&](int digit) { return access.target(digit); };
  uint64_t registerBits = 0;
  for (uint64_t bits : columnTargets(mapping[Field::Reg], all))
    registerBits |= bits;
  Type i64 = b.getI64Type();
  Value distance = code.constant64(0);
  for (const AddressField &field : addressFields(access, buffer.layout)) {
    auto target = [&](int digit) { return field.in(all(digit)); };
    std::vector<uint64_t> blocks = columnTargets(mapping[Field::Block], target);
    for (int rest = access.batchDigits; field.ofProblems && blocks.size() < 31; ++rest)
      blocks.push_back(uint64_t(1) << rest);
    Value index;
    for (Value part :
         {scatterBits(b, loc, arith::ExtUIOp::create(b, loc, i64, place.block), blocks),
          place.threadBits(mapping, target), place.rankBits(mapping, target), place.deviceBits(mapping, target)}) {
      if (part && part.getType() != i64)
        part = arith::ExtUIOp::create(b, loc, i64, part);
      if (part)
        index = index ? arith::OrIOp::create(b, loc, index, part).getResult() : part;
    }
    if (uint64_t flip = field.in(access.flipped & ~registerBits)) {
      Value flipped = code.constant64(static_cast<int64_t>(flip));
      index = index ? arith::XOrIOp::create(b, loc, index, flipped).getResult() : flipped;
    }
    if (index)
      distance =
          arith::AddIOp::create(b, loc, distance, arith::MulIOp::create(b, loc, index, code.constant64(field.stride)));
  }
  Address address;
  addBases(address, access, mapping, buffer, [&](Value plane) { return offset(plane, unit.type(), distance); });
  for (uint64_t bits : constantTargets(mapping[Field::Reg], all))
    address.regs.push_back(buffer.layout.at(static_cast<int64_t>(bits ^ (access.flipped & registerBits))));
  return address;
}

void BitAccesses::addBases(Address &address, const Access &access, const Mapping &mapping, const BufferMemory &buffer,
                           llvm::function_ref<Value(Value)> elementZero) {
  auto target = [&](int digit) { return access.deviceTarget(digit); };
  const std::vector<uint64_t> inRegister = constantTargets(mapping[Field::Reg], target);
  address.device.assign(inRegister.size(), 0);
  address.isForAll = buffer.isForAll();
  uint64_t registerBits = 0;
  for (uint64_t bits : inRegister)
    registerBits |= bits;
  Value device;
  if (!buffer.deviceDigits.empty() && (buffer.isOwnPart || !buffer.peers.empty())) {
    device = place.positionBits(mapping, target, b.getI32Type());
    if (uint64_t flip = access.deviceFlipped & ~registerBits; flip && device)
      device = arith::XOrIOp::create(b, loc, device, code.constant32(static_cast<int64_t>(flip)));
  }
  if (buffer.isOwnPart)
    for (uint64_t bits : inRegister) {
      Value number = code.constant32(static_cast<int64_t>(bits ^ (access.deviceFlipped & registerBits)));
      number = device ? arith::AddIOp::create(b, loc, device, number).getResult() : number;
      address.isOwn.push_back(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, place.device));
    }
  if (buffer.peers.empty() || address.isForAll) {
    for (const auto &planes : buffer.peers.empty() ? std::vector{buffer.planes} : buffer.peers) {
      auto &bases = address.bases.emplace_back();
      for (Value plane : planes)
        bases.push_back(elementZero(plane));
    }
    return;
  }
  std::vector<uint64_t> numbers; // of registers, in the lists' order
  for (auto [r, bits] : llvm::enumerate(inRegister)) {
    const uint64_t number = bits ^ (access.deviceFlipped & registerBits);
    address.device[r] = static_cast<size_t>(llvm::find(numbers, number) - numbers.begin());
    if (address.device[r] < numbers.size())
      continue;
    numbers.push_back(number);
    auto &bases = address.bases.emplace_back();
    for (size_t plane = 0; plane < buffer.planes.size(); ++plane)
      bases.push_back(elementZero(planeOf(code, buffer, plane, device, static_cast<int64_t>(number))));
  }
}

Value BitAccesses::pointerAt(const Address &address, size_t device, size_t plane, size_t r, const Unit &unit) {
  Value base = address.bases[device][plane];
  return address.regs[r] == 0 ? base : offset(base, unit.type(), code.constant64(address.regs[r]));
}

//===--- loads and stores -----------------------------------------------------------------------------------------===//

FailureOr<Tile> BitAccesses::load(id::LoadOp op, llvm::function_ref<void()> ready) {
  place.beforeUse();
  Tile tile = emptyTile(op.getResult().getType());
  const BufferMemory &buffer = buffers.find(op.getBuffer())->second;
  const FailureOr<Unit> found = unitOf(op, buffer, tile.element);
  if (failed(found))
    return failure();
  const Unit unit = *found;
  const int components = unit.components * static_cast<int>(buffer.planes.size()); // numbers of an element
  Access access = loadAccess(tile.mapping, op.getMap().getPermutation(), op.getBuffer().getType().getNumDigits(),
                             maxVector(buffer, unit), buffer.deviceDigits);
  Address address = makeAddress(access, tile.mapping, buffer, unit);
  std::vector<size_t> groups = groupsOf(tile.registers.size(), access.vectorBits);
  ready();
  const Pieces pieces = piecesOf(unit, access.vectorBits.size());
  auto loadGroup = [&](size_t r) {
    SmallVector<Value> loaded;
    for (size_t plane = 0; plane < address.planes(); ++plane) {
      Value pointer = pointerAt(address, address.device[r], plane, lowest(access, r), unit);
      for (int64_t i = 0; i < pieces.count; ++i)
        loaded.push_back(code.read(pieces.type, pieceAt(pointer, pieces, i), buffer.streams));
    }
    return loaded;
  };
  SmallVector<Value> loaded;
  if (access.batchDigits == 0) {
    for (size_t r : groups)
      llvm::append_range(loaded, loadGroup(r));
  } else {
    const size_t perGroup = pieces.count * address.planes();
    SmallVector<Type> types(perGroup, pieces.type);
    auto branch = scf::IfOp::create(b, loc, SmallVector<Type>(groups.size() * perGroup, pieces.type),
                                    place.blockIsFull(access, tile.mapping), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> full;
    for (size_t r : groups)
      llvm::append_range(full, loadGroup(r));
    scf::YieldOp::create(b, loc, full);
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> guarded;
    for (size_t r : groups) {
      auto one = scf::IfOp::create(b, loc, types, place.inBatch(access, tile.mapping, r), true);
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(one.thenBlock());
      scf::YieldOp::create(b, loc, loadGroup(r));
      b.setInsertionPointToStart(one.elseBlock());
      Value zero = LLVM::ZeroOp::create(b, loc, pieces.type);
      scf::YieldOp::create(b, loc, SmallVector<Value>(perGroup, zero));
      llvm::append_range(guarded, one.getResults());
    }
    scf::YieldOp::create(b, loc, guarded);
    loaded.assign(branch.getResults().begin(), branch.getResults().end());
  }
  SmallVector<Value> numbers;
  for (Value piece : loaded)
    code.unpack(piece, numbers);
  ArrayRef<Value> rest = numbers;
  const size_t length = size_t(1) << access.vectorBits.size();
  for (size_t r : groups) {
    for (size_t k = 0; k < length; ++k) {
      SmallVector<Value> element;
      for (int c = 0; c < components; ++c)
        element.push_back(rest[numberInGroup(unit, length, k, c)]);
      tile.registers[withVector(r, access.vectorBits, k ^ access.vectorFlip)] = code.leavesOf(element, tile.element);
    }
    rest = rest.drop_front(length * components);
  }
  return tile;
}

LogicalResult BitAccesses::store(id::StoreOp op, const Tile &tile) {
  place.beforeUse();
  const BufferMemory &buffer = buffers.find(op.getBuffer())->second;
  const FailureOr<Unit> found = unitOf(op, buffer, tile.element);
  if (failed(found))
    return failure();
  const Unit unit = *found;
  const int components = unit.components * static_cast<int>(buffer.planes.size()); // numbers of an element
  Access access = storeAccess(tile.mapping, op.getMap().getPermutation(), maxVector(buffer, unit), buffer.deviceDigits);
  Address address = makeAddress(access, tile.mapping, buffer, unit);
  std::vector<size_t> groups = groupsOf(tile.registers.size(), access.vectorBits);
  const Pieces pieces = piecesOf(unit, access.vectorBits.size());
  const size_t length = size_t(1) << access.vectorBits.size();
  std::vector<SmallVector<Value>> packed;
  for (size_t r : groups) {
    SmallVector<Value> numbers(length * components);
    for (size_t k = 0; k < length; ++k) {
      size_t from = withVector(r, access.vectorBits, k ^ access.vectorFlip);
      for (auto [c, number] : llvm::enumerate(code.numbersOf(tile.registers[from], tile.element, unit.number)))
        numbers[numberInGroup(unit, length, k, static_cast<int>(c))] = number;
    }
    packed.emplace_back();
    const size_t perPiece = numbers.size() / pieces.count / address.planes();
    for (size_t first = 0; first < numbers.size(); first += perPiece)
      packed.back().push_back(code.pack(ArrayRef<Value>(numbers).slice(first, perPiece)));
  }
  auto storeOn = [&](size_t g, size_t device) {
    auto piece = packed[g].begin();
    for (size_t plane = 0; plane < address.planes(); ++plane) {
      Value pointer = pointerAt(address, device, plane, lowest(access, groups[g]), unit);
      for (int64_t i = 0; i < pieces.count; ++i)
        code.write(*piece++, pieceAt(pointer, pieces, i), buffer.streams);
    }
  };
  auto storeGroup = [&](size_t g) {
    auto store = [&] {
      for (size_t device = 0; device < address.bases.size(); ++device)
        if (address.isForAll || device == address.device[groups[g]])
          storeOn(g, device);
    };
    if (address.isOwn.empty())
      store();
    else
      place.where(address.isOwn[groups[g]], store);
  };
  if (access.batchDigits == 0) {
    for (size_t g = 0; g < groups.size(); ++g)
      storeGroup(g);
    return success();
  }
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, place.blockIsFull(access, tile.mapping), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  for (size_t g = 0; g < groups.size(); ++g)
    storeGroup(g);
  b.setInsertionPointToStart(branch.elseBlock());
  for (size_t g = 0; g < groups.size(); ++g) {
    auto one = scf::IfOp::create(b, loc, TypeRange{}, place.inBatch(access, tile.mapping, groups[g]), false);
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(one.thenBlock());
    storeGroup(g);
  }
  return success();
}
