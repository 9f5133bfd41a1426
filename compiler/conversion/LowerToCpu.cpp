// Input: a function of id.kernel ops planned for the CPU. Output: llvm functions, one loop over blocks each.
//
// Registers are vectors whose elements are the lanes of the mapping. A load whose lanes are the lowest address digits
// is one wide load (complex: re and im parted by two shuffles); others gather lane by lane. Blocks that reach past the
// batch take a path that checks every lane. Rejected: exchanges, and elements that are no single scalar or complex
// number.
#include "compiler/conversion/LowerToCpu.h"

#include "compiler/conversion/Access.h"
#include "compiler/conversion/FlatKernel.h"
#include "compiler/conversion/Index.h"
#include "compiler/conversion/KernelEmitter.h"
#include "compiler/conversion/TileBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

namespace {

/// True for a kernel that works on vectors of a register's lanes, and not element by element.
bool hasVectors(id::KernelOp kernel) { return widestExtent(kernel, digits::Field::Lane) > 1; }

class CpuEmitter : public KernelEmitter {
public:
  CpuEmitter(OpBuilder &builder, Location loc, TwiddleTables &tables, int64_t lanes)
      : KernelEmitter(builder, loc, tables, [lanes](Type type) -> Type { return VectorType::get({lanes}, type); }),
        lanes(lanes) {}

  LogicalResult run(id::KernelOp kernel, LLVM::LLVMFuncOp function, const LoweredKernel &lowered) {
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto argument = [&](size_t i) -> Value {
      Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, entry->getArgument(0),
                                       ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      return LLVM::LoadOp::create(b, loc, pointer, slot);
    };
    size_t count = 0, operand = 0;
    auto bind = [&](Value buffer) {
      const Buffer &place = lowered.buffers[operand++];
      memory[buffer].layout = place.layout;
      for (int plane = 0; plane < place.planes; ++plane)
        memory[buffer].planes.push_back(argument(count++));
    };
    for (BlockArgument buffer : kernel.getBody().front().getArguments())
      bind(buffer);
    for (Value value : kernel.getBody().front().getTerminator()->getOperands())
      bind(value);
    SmallVector<Value> scalars;
    for (const ScalarArgument &scalar : lowered.scalars) // a caller's bytes need no alignment
      scalars.push_back(LLVM::LoadOp::create(b, loc, scalar.type, argument(count++), 1));
    bool flat = !hasVectors(kernel);
    parameters = parametersOf(b, loc, kernel, scalars, [&](Value value) { return flat ? value : splat(value); });
    batch = entry->getArgument(1);
    Value one = emitConstant(1);
    auto loop = scf::ForOp::create(b, loc, entry->getArgument(2), entry->getArgument(3), one);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      block = loop.getInductionVar();
      if (flat) {
        Value extent = emitConstant(widestExtent(kernel, digits::Field::Block));
        Value problem = arith::DivUIOp::create(b, loc, block, extent);
        Value number = arith::RemUIOp::create(b, loc, block, extent);
        if (failed(emitFlatBody(b, loc, tables, kernel, memory, parameters, problem, number)))
          return failure();
      } else if (failed(emitBody(kernel))) {
        return failure();
      }
    }
    LLVM::ReturnOp::create(b, loc, ValueRange{});
    return success();
  }

protected:
  FailureOr<Tile> emitLoad(id::LoadOp op) override {
    Tile tile = emptyTile(op.getResult().getType());
    Type real;
    int components;
    if (!id::splitNumbers(tile.element, real, components))
      return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
    Access access = loadAccess(tile.mapping, op.getMap().getPermutation(), op.getBuffer().getType().getNumDigits(), 1);
    const Address address = makeAddress(access, tile.mapping, memory.find(op.getBuffer())->second, real, components);
    auto loadAll = [&] {
      SmallVector<Value> values;
      for (size_t r = 0; r < tile.registers.size(); ++r)
        loadRegister(address, r, values);
      return values;
    };
    SmallVector<Value> values;
    if (access.batchDigits == 0) {
      values = loadAll();
    } else {
      SmallVector<Type> types(tile.registers.size() * components, VectorType::get({lanes}, real));
      auto branch = scf::IfOp::create(b, loc, types, blockIsFull(access, tile.mapping), true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, loadAll());
      b.setInsertionPointToStart(branch.elseBlock());
      SmallVector<Value> guarded;
      for (size_t r = 0; r < tile.registers.size(); ++r)
        loadGuarded(access, tile.mapping, address, r, guarded);
      scf::YieldOp::create(b, loc, guarded);
      values.assign(branch.getResults().begin(), branch.getResults().end());
    }
    for (size_t r = 0; r < tile.registers.size(); ++r)
      tile.registers[r] = leavesOf(ArrayRef<Value>(values).slice(r * components, components), tile.element);
    return tile;
  }

  LogicalResult emitStore(id::StoreOp op, const Tile &tile) override {
    Type real;
    int components;
    if (!id::splitNumbers(tile.element, real, components))
      return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
    Access access = storeAccess(tile.mapping, op.getMap().getPermutation(), 1);
    const Address address = makeAddress(access, tile.mapping, memory.find(op.getBuffer())->second, real, components);
    std::vector<SmallVector<Value>> parts(tile.registers.size());
    for (size_t r = 0; r < tile.registers.size(); ++r)
      parts[r] = numbersOf(tile.registers[r], tile.element, real);
    auto storeAll = [&] {
      for (size_t r = 0; r < tile.registers.size(); ++r)
        storeRegister(address, r, parts[r]);
    };
    if (access.batchDigits == 0) {
      storeAll();
      return success();
    }
    auto branch = scf::IfOp::create(b, loc, TypeRange{}, blockIsFull(access, tile.mapping), true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    storeAll();
    b.setInsertionPointToStart(branch.elseBlock());
    for (size_t r = 0; r < tile.registers.size(); ++r)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        auto one = scf::IfOp::create(b, loc, TypeRange{}, inBatch(access, tile.mapping, r, lane), false);
        OpBuilder::InsertionGuard inner(b);
        b.setInsertionPointToStart(one.thenBlock());
        storeLane(address, r, lane, parts[r]);
      }
    return success();
  }

  FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &tile) override {
    digits::ExchangePlan plan;
    std::string error;
    Tile moved = tile;
    moved.mapping = op.getResult().getType().getMapping();
    digits::ExchangeOptions options;
    options.lanes = static_cast<int>(lanes);
    if (op.getKind() != id::ExchangeKind::Registers ||
        !digits::planExchange(tile.mapping, moved.mapping, options, plan, error))
      return op.emitError() << "a CPU kernel only renames registers between its steps";
    for (size_t r = 0; r < moved.registers.size(); ++r)
      moved.registers[r] = tile.registers[plan.registerSource[r]];
    return moved;
  }

  FailureOr<Complex> emitRoot(Operation *op, int64_t root, const digits::Polynomial &exponent, const Tile &place,
                              Type real) override {
    return emitTableProduct(op, root, exponent, place, real);
  }

  std::pair<Value, Value> emitTableLoad(const std::string &table, const TwiddleFactor &factor, const Tile &place,
                                        Type scalar) override {
    auto target = [&](int digit) -> uint64_t {
      auto at = std::find(factor.digits.begin(), factor.digits.end(), digit);
      return at == factor.digits.end() ? 0 : uint64_t(1) << (at - factor.digits.begin());
    };
    Value base = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), table);
    if (Value index = scatterBits(b, loc, block, columnTargets(place.mapping[Field::Block], target)))
      base = gep(base, scalar, 2, index);
    Address address{{base}, scalar, 2, 2, {{}}};
    for (uint64_t offset : constantTargets(place.mapping[Field::Lane], target))
      address.offsets[0].push_back(static_cast<int64_t>(offset));
    SmallVector<Value> parts;
    loadRegister(address, 0, parts);
    return {parts[0], parts[1]};
  }

  Value emitDigit(int digit, const Tile &place) override {
    auto target = [&](int d) -> uint64_t { return d == digit; };
    if (Value bit = scatterBits(b, loc, block, columnTargets(place.mapping[Field::Block], target)))
      return splat(bit);
    SmallVector<int64_t> values;
    for (uint64_t v : constantTargets(place.mapping[Field::Lane], target))
      values.push_back(static_cast<int64_t>(v));
    auto type = VectorType::get({lanes}, b.getI64Type());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(values)));
  }

  Value emitInteger(int64_t value) override {
    auto type = VectorType::get({lanes}, b.getI64Type());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
  }

private:
  int64_t lanes;
  DenseMap<Value, BufferMemory> memory; // of the body's buffers
  Value batch, block;

  struct Address {
    SmallVector<Value, 1> bases; // of the planes
    Type real;
    int components, perPlace;                  // numbers of an element, and of a place in a plane
    std::vector<std::vector<int64_t>> offsets; // in places, of each register's lanes
    bool contiguous(size_t r) const {
      for (auto [lane, offset] : llvm::enumerate(offsets[r]))
        if (offset != offsets[r][0] + static_cast<int64_t>(lane))
          return false;
      return true;
    }
  };

  Value emitConstant(int64_t v) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v)); }
  Value index32(int64_t v) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(v))); }

  Value gep(Value base, Type real, int components, Value index) {
    return LLVM::GEPOp::create(b, loc, base.getType(), LLVM::LLVMArrayType::get(real, components), base,
                               ArrayRef<LLVM::GEPArg>{index});
  }
  Value at(const Address &address, size_t plane, size_t r, size_t lane) {
    int64_t offset = address.offsets[r][lane];
    Value base = address.bases[plane];
    return offset ? gep(base, address.real, address.perPlace, emitConstant(offset)) : base;
  }
  /// Number `c` of the element of a register and lane.
  Value numberAt(const Address &address, size_t r, size_t lane, int c) {
    Value place = at(address, c / address.perPlace, r, lane);
    int within = c % address.perPlace;
    return within ? LLVM::GEPOp::create(b, loc, place.getType(), address.real, place, ArrayRef<LLVM::GEPArg>{within})
                        .getResult()
                  : place;
  }

  Value splat(Value scalar) {
    auto type = VectorType::get({lanes}, scalar.getType());
    Value vector = LLVM::PoisonOp::create(b, loc, type);
    for (int64_t lane = 0; lane < lanes; ++lane)
      vector = LLVM::InsertElementOp::create(b, loc, vector, scalar, index32(lane));
    return vector;
  }

  std::vector<uint64_t> blockBits(const Mapping &mapping, const std::function<uint64_t(int)> &target, int restBit) {
    std::vector<uint64_t> bits = columnTargets(mapping[Field::Block], target);
    for (size_t i = bits.size(), rest = restBit; i < 62 && rest < 62; ++i, ++rest)
      bits.push_back(uint64_t(1) << rest);
    return bits;
  }

  Address makeAddress(const Access &access, const Mapping &mapping, const BufferMemory &buffer, Type real,
                      int components) {
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
        offset = arith::XOrIOp::create(b, loc, offset, emitConstant(static_cast<int64_t>(flip)));
    } else {
      offset = emitConstant(0);
      for (const AddressField &field : addressFields(access, buffer.layout)) {
        auto target = [&](int digit) { return field.in(all(digit)); };
        Value index = scatterBits(b, loc, block,
                                  field.ofProblems ? blockBits(mapping, target, access.batchDigits)
                                                   : columnTargets(mapping[Field::Block], target));
        if (!index)
          index = emitConstant(0);
        if (uint64_t bits = field.in(flip))
          index = arith::XOrIOp::create(b, loc, index, emitConstant(static_cast<int64_t>(bits)));
        offset =
            arith::AddIOp::create(b, loc, offset, arith::MulIOp::create(b, loc, index, emitConstant(field.stride)));
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

  unsigned bytesOf(Type real) { return std::max(1u, real.getIntOrFloatBitWidth() / 8); }

  Value shuffle(Value x, Value y, ArrayRef<int32_t> mask) { return LLVM::ShuffleVectorOp::create(b, loc, x, y, mask); }

  void loadRegister(const Address &address, size_t r, SmallVector<Value> &parts) {
    const int count = address.perPlace;
    if (address.contiguous(r)) {
      auto wide = VectorType::get({lanes * count}, address.real);
      for (size_t plane = 0; plane < address.bases.size(); ++plane) {
        Value all = LLVM::LoadOp::create(b, loc, wide, at(address, plane, r, 0), bytesOf(address.real));
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

  /// Puts the components of one lane into `vectors`.
  void loadLane(const Address &address, size_t r, int64_t lane, std::vector<Value> &vectors) {
    for (int c = 0; c < address.components; ++c) {
      Value scalar = LLVM::LoadOp::create(b, loc, address.real, numberAt(address, r, lane, c), bytesOf(address.real));
      vectors[c] = LLVM::InsertElementOp::create(b, loc, vectors[c], scalar, index32(lane));
    }
  }

  void loadGuarded(const Access &access, const Mapping &mapping, const Address &address, size_t r,
                   SmallVector<Value> &parts) {
    auto type = VectorType::get({lanes}, address.real);
    std::vector<Value> vectors(address.components, LLVM::ZeroOp::create(b, loc, type).getResult());
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto one = scf::IfOp::create(b, loc, SmallVector<Type>(address.components, type),
                                   inBatch(access, mapping, r, lane), true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(one.elseBlock());
      scf::YieldOp::create(b, loc, vectors);
      b.setInsertionPointToStart(one.thenBlock());
      loadLane(address, r, lane, vectors);
      scf::YieldOp::create(b, loc, vectors);
      for (int c = 0; c < address.components; ++c)
        vectors[c] = one.getResult(c);
    }
    parts.append(vectors.begin(), vectors.end());
  }

  void storeRegister(const Address &address, size_t r, ArrayRef<Value> parts) {
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
      LLVM::StoreOp::create(b, loc, all, at(address, plane, r, 0), bytesOf(address.real));
    }
  }

  void storeLane(const Address &address, size_t r, int64_t lane, ArrayRef<Value> parts) {
    for (int c = 0; c < address.components; ++c)
      LLVM::StoreOp::create(b, loc, LLVM::ExtractElementOp::create(b, loc, parts[c], index32(lane)),
                            numberAt(address, r, lane, c), bytesOf(address.real));
  }

  Value blockIsFull(const Access &access, const Mapping &mapping) {
    auto none = [](int) -> uint64_t { return 0; };
    Value first = scatterBits(b, loc, block, blockBits(mapping, none, access.batchDigits));
    Value last = arith::OrIOp::create(b, loc, first, emitConstant((int64_t(1) << access.batchDigits) - 1));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last, batch);
  }

  Value inBatch(const Access &access, const Mapping &mapping, size_t r, int64_t lane) {
    auto target = [&](int digit) { return access.batchTarget(digit); };
    Value problem = scatterBits(b, loc, block, blockBits(mapping, target, access.batchDigits));
    uint64_t fixed = contributionOf(columnTargets(mapping[Field::Reg], target), r) |
                     contributionOf(columnTargets(mapping[Field::Lane], target), lane);
    problem = arith::OrIOp::create(b, loc, problem, emitConstant(static_cast<int64_t>(fixed)));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, problem, batch);
  }
};

} // namespace

OwningOpRef<ModuleOp> conversion::lowerToCpu(func::FuncOp function, const passes::Target &target,
                                             std::vector<LoweredKernel> &kernels) {
  MLIRContext *context = function.getContext();
  context->loadDialect<LLVM::LLVMDialect, scf::SCFDialect, arith::ArithDialect, math::MathDialect>();
  FailureOr<std::vector<LoweredKernel>> lowered = assignBuffers(function, /*cpu=*/true);
  if (failed(lowered))
    return {};
  kernels = std::move(*lowered);
  Location loc = function.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b(context);
  TwiddleTables tables(*module, 0);
  size_t index = 0;
  for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
    LoweredKernel &entry = kernels[index++];
    auto pointer = LLVM::LLVMPointerType::get(context);
    Type i64 = b.getI64Type();
    b.setInsertionPointToEnd(module->getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, i64, i64, i64});
    auto func = LLVM::LLVMFuncOp::create(b, loc, entry.name, type);
    if (failed(CpuEmitter(b, kernel.getLoc(), tables, target.lanes).run(kernel, func, entry)))
      return {};
    if (!hasVectors(kernel)) {
      entry.problemsPerBlockGroup = 1;
      entry.blocksPerGroup = widestExtent(kernel, digits::Field::Block);
    }
  }
  return module;
}
