#include "compiler/conversion/addresses/VectorPlace.h"

#include "compiler/conversion/addresses/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

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
  if (Value index = scatter(columnTargets(mapping[Field::Block], target), mapping, target))
    base = gep(base, scalar, 2, index);
  Address address{{base}, scalar, 2, 2, {{}}};
  for (uint64_t offset : constantTargets(mapping[Field::Lane], target))
    address.offsets[0].push_back(static_cast<int64_t>(offset));
  const SmallVector<Value> parts = loadRegisters(address);
  return {parts[0], parts[1]};
}

Value VectorPlace::digit(int digit, const Mapping &mapping) {
  auto target = [&](int d) -> uint64_t { return d == digit; };
  if (Value bit = scatter(columnTargets(mapping[Field::Block], target), mapping, target))
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

Value VectorPlace::scatter(const std::vector<uint64_t> &blockBits, const Mapping &mapping,
                           const std::function<uint64_t(int)> &target) {
  Value ofBlock = scatterBits(b, loc, block, blockBits);
  Value ofTurn = turn ? scatterBits(b, loc, turn, columnTargets(mapping[Field::Warp], target)) : Value();
  return ofBlock && ofTurn ? arith::AddIOp::create(b, loc, ofBlock, ofTurn).getResult() : ofBlock ? ofBlock : ofTurn;
}

Value VectorPlace::gep(Value base, Type real, int components, Value index) {
  return LLVM::GEPOp::create(b, loc, base.getType(), LLVM::LLVMArrayType::get(real, components), base,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value VectorPlace::at(const Address &address, size_t plane, int64_t offset) {
  Value base = address.bases[plane];
  return offset ? gep(base, address.real, 1, code.constant64(offset)) : base;
}

Value VectorPlace::numberAt(const Address &address, size_t r, size_t lane, int c) {
  return at(address, static_cast<size_t>(c / address.perPlace),
            address.offsets[r][lane] * address.perPlace + c % address.perPlace);
}

std::vector<uint64_t> VectorPlace::blockBits(const Mapping &mapping, const std::function<uint64_t(int)> &target,
                                             int restBit) const {
  std::vector<uint64_t> bits = columnTargets(mapping[Field::Block], target);
  for (size_t i = bits.size(), rest = restBit; i < 62 && rest < 62; ++i, ++rest)
    bits.push_back(uint64_t(1) << rest);
  return bits;
}

VectorPlace::Address VectorPlace::makeAddress(const Mapping &mapping, const std::function<uint64_t(int)> &target,
                                              Value memory, int64_t planeBytes, Type real, int components) {
  Value offset = scatter({}, mapping, target);
  Address address{{}, real, components, 1, {}};
  for (int plane = 0; plane < components; ++plane) {
    Value base = code.at(memory, plane * planeBytes);
    address.bases.push_back(offset ? gep(base, real, 1, offset) : base);
  }
  const std::vector<uint64_t> ofLanes = constantTargets(mapping[Field::Lane], target);
  for (uint64_t ofRegister : constantTargets(mapping[Field::Reg], target)) {
    address.offsets.emplace_back();
    for (uint64_t ofLane : ofLanes)
      address.offsets.back().push_back(static_cast<int64_t>(ofRegister ^ ofLane));
  }
  return address;
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
    offset = scatter(blockBits(mapping, all, access.addressDigits + access.batchDigits), mapping, all);
    if (flip)
      offset = arith::XOrIOp::create(b, loc, offset, code.constant64(static_cast<int64_t>(flip)));
  } else {
    offset = code.constant64(0);
    for (const AddressField &field : addressFields(access, buffer.layout)) {
      auto target = [&](int digit) { return field.in(all(digit)); };
      Value index = scatter(field.ofProblems ? blockBits(mapping, target, access.batchDigits)
                                             : columnTargets(mapping[Field::Block], target),
                            mapping, target);
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
  Value problem = scatter(blockBits(mapping, target, access.batchDigits), mapping, target);
  uint64_t fixed = contributionOf(columnTargets(mapping[Field::Reg], target), r) |
                   contributionOf(columnTargets(mapping[Field::Lane], target), lane);
  problem = arith::OrIOp::create(b, loc, problem, code.constant64(static_cast<int64_t>(fixed)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, problem, batch);
}

//===--- registers ------------------------------------------------------------------------------------------------===//

static constexpr int64_t lineBytes = 64; // of a cache
static unsigned bytesOf(Type real) { return std::max(1u, real.getIntOrFloatBitWidth() / 8); }

Value VectorPlace::shuffle(Value x, Value y, ArrayRef<int32_t> mask) {
  return LLVM::ShuffleVectorOp::create(b, loc, x, y, mask);
}

Value VectorPlace::concatenate(ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors[0];
  Value low = concatenate(vectors.take_front(vectors.size() / 2)),
        high = concatenate(vectors.drop_front(vectors.size() / 2));
  const int64_t count = 2 * cast<VectorType>(low.getType()).getNumElements();
  return shuffle(low, high, llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(count))));
}

VectorPlace::Order VectorPlace::orderOf(const Address &address) {
  const size_t lanes = address.offsets[0].size();
  Order order;
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(address.perPlace)))
    return order;
  // What a bit adds to the offset: those of registers, of lanes, of numbers.
  std::vector<int64_t> weights;
  auto add = [&](std::vector<int> &bits, int64_t weight) {
    bits.push_back(static_cast<int>(weights.size()));
    weights.push_back(weight);
  };
  for (size_t bit = 1; bit < address.offsets.size(); bit *= 2)
    add(order.registers.vectors, (address.offsets[bit][0] - address.offsets[0][0]) * address.perPlace);
  for (size_t bit = 1; bit < lanes; bit *= 2)
    add(order.registers.lanes, (address.offsets[0][bit] - address.offsets[0][0]) * address.perPlace);
  for (int bit = 1; bit < address.perPlace; bit *= 2)
    add(order.registers.vectors, bit);
  std::vector<int> &inLanes = order.memory.lanes;
  for (; order.run < lanes; order.run *= 2) {
    auto next = std::find(weights.begin(), weights.end(), static_cast<int64_t>(order.run));
    if (next == weights.end())
      break;
    inLanes.push_back(static_cast<int>(next - weights.begin()));
  }
  for (int bit : order.registers.lanes)
    if (inLanes.size() < order.registers.lanes.size() && !llvm::is_contained(inLanes, bit))
      inLanes.push_back(bit);
  for (int bit : llvm::seq<int>(0, static_cast<int>(weights.size())))
    if (!llvm::is_contained(inLanes, bit))
      order.memory.vectors.push_back(bit);
  auto sumOf = [&](const std::vector<int> &bits, size_t number) {
    int64_t sum = 0;
    for (auto [i, bit] : llvm::enumerate(bits))
      sum += number >> i & 1 ? weights[static_cast<size_t>(bit)] : 0;
    return sum;
  };
  for (size_t v = 0; v < size_t(1) << order.memory.vectors.size(); ++v) {
    order.offsets.emplace_back();
    for (size_t lane = 0; lane < lanes; ++lane)
      order.offsets.back().push_back(address.offsets[0][0] * address.perPlace + sumOf(order.memory.vectors, v) +
                                     sumOf(inLanes, lane));
  }
  return order;
}

Value VectorPlace::loadRuns(const Address &address, size_t plane, ArrayRef<int64_t> offsets, size_t run) {
  auto wide = VectorType::get({static_cast<int64_t>(run)}, address.real);
  SmallVector<Value> runs;
  for (size_t lane = 0; lane < offsets.size(); lane += run)
    runs.push_back(LLVM::LoadOp::create(b, loc, wide, at(address, plane, offsets[lane]), bytesOf(address.real)));
  return concatenate(runs);
}

void VectorPlace::storeRuns(const Address &address, size_t plane, ArrayRef<int64_t> offsets, size_t run, Value all,
                            bool past) {
  for (size_t lane = 0; lane < offsets.size(); lane += run) {
    const auto first = static_cast<int32_t>(lane), end = static_cast<int32_t>(lane + run);
    Value part = run == offsets.size() ? all : shuffle(all, all, llvm::to_vector(llvm::seq(first, end)));
    LLVM::StoreOp::create(b, loc, part, at(address, plane, offsets[lane]),
                          past ? static_cast<unsigned>(lineBytes) : bytesOf(address.real), /*isVolatile=*/false,
                          /*isNonTemporal=*/past);
  }
}

bool VectorPlace::storesLines(const Address &address) const {
  const Order order = orderOf(address);
  const int64_t bytes = bytesOf(address.real);
  return order.run > 1 && static_cast<int64_t>(order.run) * bytes % lineBytes == 0 &&
         llvm::all_of(order.offsets,
                      [&](const std::vector<int64_t> &offsets) { return offsets.front() * bytes % lineBytes == 0; });
}

Value VectorPlace::isOnLine(const Address &address) {
  Value bits = code.constant64(0);
  for (Value base : address.bases)
    bits = arith::OrIOp::create(b, loc, bits, LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), base));
  bits = arith::AndIOp::create(b, loc, bits, code.constant64(lineBytes - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, code.constant64(0));
}

SmallVector<Value> VectorPlace::loadRegisters(const Address &address) {
  const size_t registers = address.offsets.size();
  const auto components = static_cast<size_t>(address.components), together = static_cast<size_t>(address.perPlace);
  SmallVector<Value> parts(registers * components);
  const Order order = orderOf(address);
  const bool same = llvm::all_of(address.offsets[0], [&](int64_t offset) { return offset == address.offsets[0][0]; });
  if (same || order.run == 1) {
    for (size_t r = 0; r < registers; ++r) {
      std::vector<Value> vectors(components,
                                 LLVM::PoisonOp::create(b, loc, VectorType::get({lanes}, address.real)).getResult());
      for (int64_t lane = 0; lane < (same ? 1 : lanes); ++lane)
        loadLane(address, r, lane, vectors);
      for (size_t c = 0; c < components; ++c)
        parts[r * components + c] =
            same ? shuffle(vectors[c], vectors[c], SmallVector<int32_t>(static_cast<size_t>(lanes), 0)) : vectors[c];
    }
    return parts;
  }
  for (size_t plane = 0; plane < address.bases.size(); ++plane) {
    SmallVector<Value> vectors;
    for (const std::vector<int64_t> &offsets : order.offsets)
      vectors.push_back(loadRuns(address, plane, offsets, order.run));
    rearrange(b, loc, vectors, order.memory, order.registers);
    for (size_t r = 0; r < registers; ++r)
      for (size_t c = 0; c < together; ++c)
        parts[r * components + plane * together + c] = vectors[c * registers + r];
  }
  return parts;
}

void VectorPlace::loadLane(const Address &address, size_t r, int64_t lane, std::vector<Value> &vectors) {
  for (int c = 0; c < address.components; ++c) {
    Value scalar = LLVM::LoadOp::create(b, loc, address.real, numberAt(address, r, lane, c), bytesOf(address.real));
    vectors[c] = LLVM::InsertElementOp::create(b, loc, vectors[c], scalar, code.constant32(lane));
  }
}

void VectorPlace::storeRegisters(const Address &address, ArrayRef<Value> parts, bool past) {
  const size_t registers = address.offsets.size();
  const auto components = static_cast<size_t>(address.components), together = static_cast<size_t>(address.perPlace);
  const Order order = orderOf(address);
  if (order.run == 1) {
    for (size_t r = 0; r < registers; ++r)
      for (int64_t lane = 0; lane < lanes; ++lane)
        storeLane(address, r, lane, parts.slice(r * components, components));
    return;
  }
  for (size_t plane = 0; plane < address.bases.size(); ++plane) {
    SmallVector<Value> vectors;
    for (size_t c = 0; c < together; ++c)
      for (size_t r = 0; r < registers; ++r)
        vectors.push_back(parts[r * components + plane * together + c]);
    rearrange(b, loc, vectors, order.registers, order.memory);
    for (auto [vector, offsets] : llvm::zip(vectors, order.offsets))
      storeRuns(address, plane, offsets, order.run, vector, past);
  }
}

void VectorPlace::storeLane(const Address &address, size_t r, int64_t lane, ArrayRef<Value> parts) {
  for (int c = 0; c < address.components; ++c)
    LLVM::StoreOp::create(b, loc, LLVM::ExtractElementOp::create(b, loc, parts[c], code.constant32(lane)),
                          numberAt(address, r, lane, c), bytesOf(address.real));
}
