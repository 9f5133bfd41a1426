#include "compiler/conversion/addresses/VectorPlace.h"

#include "compiler/conversion/addresses/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- digits ---------------------------------------------------------------------------------------------------===//

std::pair<Value, Value> VectorPlace::entry(const std::string &table, const TwiddleFactor &factor,
                                           const Mapping &mapping, Type scalar) {
  auto target = [&](int digit) -> uint64_t {
    auto at = std::find(factor.digits.begin(), factor.digits.end(), digit);
    return at == factor.digits.end() ? 0 : uint64_t(1) << (at - factor.digits.begin());
  };
  Value base = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), table);
  if (Value index = scatterBits(b, loc, block, columnTargets(mapping[Field::Block], target)))
    base = gep(base, scalar, 2, index);
  Address address{{base}, scalar, 2, 2, {{}}};
  for (uint64_t offset : constantTargets(mapping[Field::Lane], target))
    address.offsets[0].push_back(static_cast<int64_t>(offset));
  SmallVector<Value> parts;
  loadRegister(address, 0, parts);
  return {parts[0], parts[1]};
}

Value VectorPlace::digit(int digit, const Mapping &mapping) {
  auto target = [&](int d) -> uint64_t { return d == digit; };
  if (Value bit = scatterBits(b, loc, block, columnTargets(mapping[Field::Block], target)))
    return splat(b, loc, bit, lanes);
  SmallVector<int64_t> values;
  for (uint64_t v : constantTargets(mapping[Field::Lane], target))
    values.push_back(static_cast<int64_t>(v));
  auto type = VectorType::get({lanes}, b.getI64Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(values)));
}

Value VectorPlace::integer(int64_t value) {
  auto type = VectorType::get({lanes}, b.getI64Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
}

Value VectorPlace::splat(OpBuilder &b, Location loc, Value scalar, int64_t lanes) {
  auto type = VectorType::get({lanes}, scalar.getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (int64_t lane = 0; lane < lanes; ++lane)
    vector = LLVM::InsertElementOp::create(
        b, loc, vector, scalar, arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(lane))));
  return vector;
}

//===--- addresses ------------------------------------------------------------------------------------------------===//

bool VectorPlace::Address::contiguous(size_t r) const {
  for (auto [lane, offset] : llvm::enumerate(offsets[r]))
    if (offset != offsets[r][0] + static_cast<int64_t>(lane))
      return false;
  return true;
}

Value VectorPlace::gep(Value base, Type real, int components, Value index) {
  return LLVM::GEPOp::create(b, loc, base.getType(), LLVM::LLVMArrayType::get(real, components), base,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value VectorPlace::placeAt(const Address &address, size_t plane, size_t r, size_t lane) {
  int64_t offset = address.offsets[r][lane];
  Value base = address.bases[plane];
  return offset ? gep(base, address.real, address.perPlace, code.constant64(offset)) : base;
}

Value VectorPlace::numberAt(const Address &address, size_t r, size_t lane, int c) {
  Value place = placeAt(address, c / address.perPlace, r, lane);
  int within = c % address.perPlace;
  return within ? LLVM::GEPOp::create(b, loc, place.getType(), address.real, place, ArrayRef<LLVM::GEPArg>{within})
                      .getResult()
                : place;
}

std::vector<uint64_t> VectorPlace::blockBits(const Mapping &mapping, const std::function<uint64_t(int)> &target,
                                             int restBit) const {
  std::vector<uint64_t> bits = columnTargets(mapping[Field::Block], target);
  for (size_t i = bits.size(), rest = restBit; i < 62 && rest < 62; ++i, ++rest)
    bits.push_back(uint64_t(1) << rest);
  return bits;
}

VectorPlace::Address VectorPlace::makeAddress(const Access &access, const Mapping &mapping, const BufferMemory &buffer,
                                              Type real, int components) {
  const std::function<uint64_t(int)> all = [&](int digit) { return access.target(digit); };
  uint64_t constantBits = 0; // of registers and lanes
  for (Field field : {Field::Reg, Field::Lane})
    for (uint64_t bits : columnTargets(mapping[field], all))
      constantBits |= bits;
  const uint64_t flip = access.flipped & ~constantBits;
  Value offset;
  if (buffer.layout.isDense()) {
    offset = scatterBits(b, loc, block, blockBits(mapping, all, access.addressDigits + access.batchDigits));
    if (flip)
      offset = arith::XOrIOp::create(b, loc, offset, code.constant64(static_cast<int64_t>(flip)));
  } else {
    offset = code.constant64(0);
    for (const AddressField &field : addressFields(access, buffer.layout)) {
      auto target = [&](int digit) { return field.in(all(digit)); };
      Value index = scatterBits(b, loc, block,
                                field.ofProblems ? blockBits(mapping, target, access.batchDigits)
                                                 : columnTargets(mapping[Field::Block], target));
      if (!index)
        index = code.constant64(0);
      if (uint64_t bits = field.in(flip))
        index = arith::XOrIOp::create(b, loc, index, code.constant64(static_cast<int64_t>(bits)));
      offset =
          arith::AddIOp::create(b, loc, offset, arith::MulIOp::create(b, loc, index, code.constant64(field.stride)));
    }
  }
  Address address{{}, real, components, buffer.layout.planar ? 1 : components, {}};
  for (Value plane : buffer.planes)
    address.bases.push_back(gep(plane, real, address.perPlace, offset));
  std::vector<uint64_t> ofLanes = constantTargets(mapping[Field::Lane], all);
  for (uint64_t ofRegister : constantTargets(mapping[Field::Reg], all)) {
    address.offsets.emplace_back();
    for (uint64_t ofLane : ofLanes)
      address.offsets.back().push_back(
          buffer.layout.at(static_cast<int64_t>(ofRegister ^ ofLane ^ (access.flipped & constantBits))));
  }
  return address;
}

Value VectorPlace::blockIsFull(const Access &access, const Mapping &mapping) {
  auto none = [](int) -> uint64_t { return 0; };
  Value first = scatterBits(b, loc, block, blockBits(mapping, none, access.batchDigits));
  Value last = arith::OrIOp::create(b, loc, first, code.constant64((int64_t(1) << access.batchDigits) - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last, batch);
}

Value VectorPlace::inBatch(const Access &access, const Mapping &mapping, size_t r, int64_t lane) {
  auto target = [&](int digit) { return access.batchTarget(digit); };
  Value problem = scatterBits(b, loc, block, blockBits(mapping, target, access.batchDigits));
  uint64_t fixed = contributionOf(columnTargets(mapping[Field::Reg], target), r) |
                   contributionOf(columnTargets(mapping[Field::Lane], target), lane);
  problem = arith::OrIOp::create(b, loc, problem, code.constant64(static_cast<int64_t>(fixed)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, problem, batch);
}

//===--- registers ------------------------------------------------------------------------------------------------===//

static unsigned bytesOf(Type real) { return std::max(1u, real.getIntOrFloatBitWidth() / 8); }

Value VectorPlace::shuffle(Value x, Value y, ArrayRef<int32_t> mask) {
  return LLVM::ShuffleVectorOp::create(b, loc, x, y, mask);
}

void VectorPlace::loadRegister(const Address &address, size_t r, SmallVectorImpl<Value> &parts) {
  const int count = address.perPlace;
  if (address.contiguous(r)) {
    auto wide = VectorType::get({lanes * count}, address.real);
    for (size_t plane = 0; plane < address.bases.size(); ++plane) {
      Value all = LLVM::LoadOp::create(b, loc, wide, placeAt(address, plane, r, 0), bytesOf(address.real));
      for (int c = 0; c < count; ++c) {
        SmallVector<int32_t> mask;
        for (int64_t lane = 0; lane < lanes; ++lane)
          mask.push_back(static_cast<int32_t>(lane * count + c));
        parts.push_back(count == 1 ? all : shuffle(all, all, mask));
      }
    }
    return;
  }
  std::vector<Value> vectors(address.components,
                             LLVM::PoisonOp::create(b, loc, VectorType::get({lanes}, address.real)).getResult());
  for (int64_t lane = 0; lane < lanes; ++lane)
    loadLane(address, r, lane, vectors);
  parts.append(vectors.begin(), vectors.end());
}

void VectorPlace::loadLane(const Address &address, size_t r, int64_t lane, std::vector<Value> &vectors) {
  for (int c = 0; c < address.components; ++c) {
    Value scalar = LLVM::LoadOp::create(b, loc, address.real, numberAt(address, r, lane, c), bytesOf(address.real));
    vectors[c] = LLVM::InsertElementOp::create(b, loc, vectors[c], scalar, code.constant32(lane));
  }
}

void VectorPlace::storeRegister(const Address &address, size_t r, ArrayRef<Value> parts) {
  if (!address.contiguous(r) || address.perPlace > 2) {
    for (int64_t lane = 0; lane < lanes; ++lane)
      storeLane(address, r, lane, parts);
    return;
  }
  for (size_t plane = 0; plane < address.bases.size(); ++plane) {
    Value all = parts[plane];
    if (address.perPlace == 2) {
      SmallVector<int32_t> mask;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        mask.push_back(static_cast<int32_t>(lane));
        mask.push_back(static_cast<int32_t>(lanes + lane));
      }
      all = shuffle(parts[0], parts[1], mask);
    }
    LLVM::StoreOp::create(b, loc, all, placeAt(address, plane, r, 0), bytesOf(address.real));
  }
}

void VectorPlace::storeLane(const Address &address, size_t r, int64_t lane, ArrayRef<Value> parts) {
  for (int c = 0; c < address.components; ++c)
    LLVM::StoreOp::create(b, loc, LLVM::ExtractElementOp::create(b, loc, parts[c], code.constant32(lane)),
                          numberAt(address, r, lane, c), bytesOf(address.real));
}
