// Input: an id.kernel of kind flat: loads, steps, stores; every tile holds the digits of nodes in registers and all
// others in the block field. Output: scalar code for one block number, on either machine.
//
// A flat kernel takes any radices, elements of any leaves, values with fewer digits than others, and exponents of any
// form: it is the general way, at one trip to memory per step. Block digits that lie next to each other in a buffer,
// too, are addressed as one, so that most addresses need no division.
#include "compiler/conversion/FlatKernel.h"

#include "compiler/conversion/KernelEmitter.h"
#include "compiler/conversion/PrimeField.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;
using digits::Permutation;
using digits::Polynomial;

namespace {

class FlatEmitter : public KernelEmitter {
public:
  FlatEmitter(OpBuilder &builder, Location loc, TwiddleTables &tables, const DenseMap<Value, Value> &buffers,
              const Parameters &scalars, Value problem, Value number, FlatBlock *block)
      : KernelEmitter(builder, loc, tables, [](Type type) { return type; }), buffers(buffers), problem(problem),
        number(number), block(block) {
    parameters = scalars;
  }

  LogicalResult run(id::KernelOp kernel) {
    // Divisions of 32 bits cost a third of those of 64.
    if (flatExtent(kernel) <= std::numeric_limits<int32_t>::max())
      number = arith::TruncIOp::create(b, loc, b.getI32Type(), number);
    return emitBody(kernel);
  }

protected:
  FailureOr<Tile> emitLoad(id::LoadOp op) override {
    Tile tile = emptyTile(op.getResult().getType());
    // Digit d of the tile is digit source(d) of the buffer.
    const Permutation map = op.getMap().getPermutation();
    std::vector<int64_t> strides = stridesOf(op.getBuffer().getType().getRadices());
    strides.resize(map.size(), 0); // along digits that the buffer lacks it is repeated
    Layout layout;
    for (int d = 1; d <= map.size(); ++d)
      layout.add(strides[map.source(d) - 1], map.complemented(d), tile.radices[d - 1]);
    std::vector<Slot> slots;
    if (failed(slotsOf(op, layout, tile, slots)))
      return failure();
    Value base = elementPointer(op.getBuffer(), layout, tile);
    for (auto [first, count] : wideRuns(slots, alignment(op.getBuffer(), layout, tile)))
      loadRun(base, slots, first, count);
    llvm::sort(slots, [](const Slot &a, const Slot &b) { return a.number < b.number; });
    SmallVector<Value> values;
    for (const Slot &slot : slots)
      values.push_back(slot.value);
    size_t perElement = values.size() / tile.registers.size();
    for (auto [r, leaves] : llvm::enumerate(tile.registers))
      leaves = leavesOf(ArrayRef<Value>(values).slice(r * perElement, perElement), tile.element);
    return tile;
  }

  LogicalResult emitStore(id::StoreOp op, const Tile &tile) override {
    // Place p of the buffer holds digit source(p) of the tile.
    const Permutation map = op.getMap().getPermutation();
    std::vector<int64_t> strides = stridesOf(op.getBuffer().getType().getRadices());
    Layout layout;
    for (int d = 1; d <= map.size(); ++d) {
      int place = map.destination(d);
      layout.add(strides[place - 1], map.complemented(place), tile.radices[d - 1]);
    }
    std::vector<Slot> slots;
    if (failed(slotsOf(op, layout, tile, slots)))
      return failure();
    SmallVector<Value> values;
    for (const auto &leaves : tile.registers)
      llvm::append_range(values, numbersOf(leaves, tile.element));
    for (Slot &slot : slots)
      slot.value = values[slot.number];
    Value base = elementPointer(op.getBuffer(), layout, tile);
    auto storeAll = [&] {
      for (auto [first, count] : wideRuns(slots, alignment(op.getBuffer(), layout, tile)))
        storeRun(base, slots, first, count);
    };
    if (block)
      where(arith::AndIOp::create(b, loc, holds(tile), block->inBatch), storeAll);
    else
      storeAll();
    return success();
  }

  FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &tile) override {
    Tile moved = tile;
    moved.mapping = op.getResult().getType().getMapping();
    moved.registers.assign(moved.mapping.extent(Field::Reg), {});
    if (op.getKind() == id::ExchangeKind::None || op.getKind() == id::ExchangeKind::Registers) {
      digits::ExchangePlan plan;
      std::string error;
      if (!digits::planExchange(tile.mapping, moved.mapping, {}, plan, error))
        return op.emitError() << error;
      for (size_t r = 0; r < moved.registers.size(); ++r)
        moved.registers[r] = tile.registers[plan.registerSource.empty() ? r : plan.registerSource[r]];
      return moved;
    }
    if (!block || op.getKind() != id::ExchangeKind::Shared)
      return op.emitError() << "a flat kernel of this kind has no such exchange";
    Type unit;
    int count;
    if (!id::splitNumbers(tile.element, unit, count))
      return op.emitError() << "elements of type " << tile.element << " cannot be exchanged";
    const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    const int64_t wordBytes = id::exchangeWordBytes(tile.element), unitBytes = id::elementBytes(unit);
    const int perWord = static_cast<int>(
        std::min(wordBytes, id::elementBytes(tile.element) & -id::elementBytes(tile.element)) / unitBytes);
    const Type word = perWord == 1 ? unit : Type(VectorType::get({perWord}, unit));
    // Word w of all elements of a problem lies together; then the next word, then the next problem.
    const int64_t wordSet = layout.words * wordBytes, problemBytes = wordSet * (count / perWord);
    block->sharedBytes = std::max(block->sharedBytes, problemBytes * block->problems);
    auto side = [&](const Mapping &mapping) {
      Value offset = arith::MulIOp::create(b, loc, block->slot, constant(problemBytes));
      offset = arith::AddIOp::create(b, loc, offset,
                                     sumOfParts(mapping, [&](int digit) { return layout.column(digit) * wordBytes; }));
      return byteOffset(sharedMemory(), offset);
    };
    auto registerOffset = [&](const Mapping &mapping, size_t r) {
      int64_t offset = 0;
      for (auto [column, value] : llvm::zip(mapping[Field::Reg], registerDigits(mapping, r)))
        offset += value * layout.column(column.digits[0]) * wordBytes;
      return offset;
    };
    if (sharedInUse)
      NVVM::BarrierOp::create(b, loc);
    sharedInUse = true;
    where(holds(tile), [&] {
      Value base = side(tile.mapping);
      for (size_t r = 0; r < tile.registers.size(); ++r) {
        SmallVector<Value> numbers = numbersOf(tile.registers[r], tile.element, unit);
        for (int w = 0; w < count / perWord; ++w) {
          Value value = numbers[w * perWord];
          if (perWord > 1)
            value = pack(ArrayRef<Value>(numbers).slice(w * perWord, perWord), word);
          LLVM::StoreOp::create(b, loc, value, at(base, registerOffset(tile.mapping, r) + w * wordSet),
                                static_cast<unsigned>(perWord * unitBytes));
        }
      }
    });
    prefetchTwiddles(op, moved);
    NVVM::BarrierOp::create(b, loc);
    Value base = side(moved.mapping);
    for (size_t r = 0; r < moved.registers.size(); ++r) {
      SmallVector<Value> numbers;
      for (int w = 0; w < count / perWord; ++w) {
        Value value = LLVM::LoadOp::create(b, loc, word, at(base, registerOffset(moved.mapping, r) + w * wordSet),
                                           static_cast<unsigned>(perWord * unitBytes));
        for (int i = 0; i < perWord; ++i)
          numbers.push_back(perWord == 1 ? value
                                         : LLVM::ExtractElementOp::create(b, loc, value, position(i)).getResult());
      }
      moved.registers[r] = leavesOf(numbers, tile.element);
    }
    return moved;
  }

  FailureOr<Complex> emitRoot(Operation *op, int64_t root, const Polynomial &exponent, const Tile &place,
                              Type real) override {
    return block ? emitTableProduct(op, root, exponent, place, real)
                 : lookUp(root, emitExponent(root, exponent, place), real);
  }

  std::pair<Value, Value> emitTableLoad(const std::string &table, const TwiddleFactor &factor, const Tile &place,
                                        Type scalar) override {
    Value index = sumOfParts(place.mapping, [&](int digit) -> int64_t {
      auto found = llvm::find(factor.digits, digit);
      return found == factor.digits.end() ? 0 : factor.weight(static_cast<size_t>(found - factor.digits.begin()));
    });
    Type pair = VectorType::get({2}, scalar);
    auto bytes = static_cast<unsigned>(2 * id::elementBytes(scalar));
    Value w = LLVM::LoadOp::create(b, loc, pair, entryPointer(table, index, bytes), bytes, /*isVolatile=*/false,
                                   /*isNonTemporal=*/false, /*isInvariant=*/true);
    return {LLVM::ExtractElementOp::create(b, loc, w, position(0)),
            LLVM::ExtractElementOp::create(b, loc, w, position(1))};
  }

  Value emitExponent(int64_t root, const Polynomial &exponent, const Tile &place) override {
    if (block) // tables serve all exponents of such kernels
      return {};
    Value sum = constant(0), modulus = constant(root);
    for (const auto &[monomial, coefficient] : exponent.monomials()) {
      Value term = constant(coefficient);
      for (int digit : monomial)
        term = remainder(arith::MulIOp::create(b, loc, term, emitDigit(digit, place)), modulus);
      sum = arith::AddIOp::create(b, loc, sum, term);
    }
    return remainder(sum, modulus);
  }

  std::optional<Leaf> emitDynamicRoot(int64_t root, Value exponent, Type type) override {
    Value modulus = constant(root);
    Value reduced = arith::RemSIOp::create(b, loc, exponent, modulus);
    Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, reduced, constant(0));
    Value shifted = arith::AddIOp::create(b, loc, reduced, modulus);
    reduced = arith::SelectOp::create(b, loc, negative, shifted, reduced);
    Leaf leaf;
    if (auto complex = dyn_cast<ComplexType>(type)) {
      leaf.kind = Leaf::Kind::Complex;
      leaf.number = lookUp(root, reduced, complex.getElementType());
    } else {
      leaf = Leaf::of(lookUpResidue(root, reduced, cast<id::ModType>(type)));
    }
    return leaf;
  }

  Value emitDigit(int digit, const Tile &place) override {
    int64_t weight = 1;
    for (const digits::Column &column : numbered(place.mapping)) {
      if (column.digits[0] == digit)
        return part(weight, column.radix);
      weight *= column.radix;
    }
    return constant(0);
  }

  Value emitInteger(int64_t value) override { return constant(value); }

private:
  static constexpr int64_t widestAccess = 16; // bytes; buffers are aligned to it

  const DenseMap<Value, Value> &buffers;
  Value problem, number;
  FlatBlock *block; // null: threads do not exchange
  bool sharedInUse = false;
  std::map<std::pair<int64_t, int64_t>, Value> parts; // of the block number, by weight and range

  /// How the digits of a tile lie in a buffer.
  struct Layout {
    std::vector<int64_t> stride; // [digit-1], in elements; negative: complemented
    int64_t offset = 0;          // of the element whose digits are all zero
    void add(int64_t step, bool complemented, int64_t radix) {
      stride.push_back(complemented ? -step : step);
      offset += complemented ? step * (radix - 1) : 0;
    }
  };

  static std::vector<int64_t> stridesOf(ArrayRef<int32_t> radices) {
    std::vector<int64_t> strides;
    int64_t stride = 1;
    for (int32_t radix : radices) {
      strides.push_back(stride);
      stride *= radix;
    }
    return strides;
  }

  Value constant(int64_t v) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v)); }
  Value remainder(Value x, Value modulus) { return arith::RemUIOp::create(b, loc, x, modulus); }

  /// (number / weight) mod range.
  Value part(int64_t weight, int64_t range) {
    Value &known = parts[{weight, range}];
    if (!known) {
      Type type = number.getType();
      auto fixed = [&](int64_t v) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v)).getResult(); };
      Value quotient = weight == 1 ? number : arith::DivUIOp::create(b, loc, number, fixed(weight)).getResult();
      known = remainder(quotient, fixed(range));
      if (!type.isInteger(64))
        known = arith::ExtUIOp::create(b, loc, b.getI64Type(), known);
    }
    return known;
  }

  /// The columns that `number` counts.
  const std::vector<digits::Column> &numbered(const digits::Mapping &mapping) const {
    return mapping[block ? Field::Lane : Field::Block];
  }

  /// The sum over the digits in `number` of their value times `weightOf` them; neighbours whose weights continue each
  /// other are one number.
  Value sumOfParts(const digits::Mapping &mapping, llvm::function_ref<int64_t(int)> weightOf) {
    Value sum = constant(0);
    int64_t weight = 1;
    const std::vector<digits::Column> &columns = numbered(mapping);
    for (size_t i = 0; i < columns.size();) {
      int64_t step = weightOf(columns[i].digits[0]), range = columns[i].radix;
      size_t j = i + 1;
      while (j < columns.size() && step > 0 && weightOf(columns[j].digits[0]) == step * range)
        range *= columns[j++].radix;
      if (step)
        sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, part(weight, range), constant(step)));
      weight *= range;
      i = j;
    }
    return sum;
  }

  /// True in threads that hold a part of the tile: ranges with more values in registers need fewer.
  Value holds(const Tile &tile) {
    Type type = number.getType();
    int64_t extent = tile.mapping.extent(Field::Lane);
    if (extent == block->threads)
      return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number,
                                 arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, extent)));
  }

  void where(Value condition, llvm::function_ref<void()> emit) {
    auto branch = scf::IfOp::create(b, loc, TypeRange{}, condition, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    // What is found there is not known outside.
    std::map<std::pair<int64_t, int64_t>, Value> outside = parts;
    emit();
    parts = std::move(outside);
  }

  Value sharedMemory() {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
    return LLVM::AddressOfOp::create(b, loc, pointer, "shared_memory");
  }

  Value pack(ArrayRef<Value> numbers, Type vector) {
    Value value = LLVM::PoisonOp::create(b, loc, vector);
    for (auto [i, number] : llvm::enumerate(numbers))
      value = LLVM::InsertElementOp::create(b, loc, value, number, position(i));
    return value;
  }

  /// Pointer to the element of this problem and block number whose register digits are zero.
  Value elementPointer(Value buffer, const Layout &layout, const Tile &tile) {
    int64_t elements = cast<id::SeqType>(buffer.getType()).getNumElements();
    Value offset = arith::MulIOp::create(b, loc, problem, constant(elements));
    if (layout.offset)
      offset = arith::AddIOp::create(b, loc, offset, constant(layout.offset));
    offset = arith::AddIOp::create(b, loc, offset,
                                   sumOfParts(tile.mapping, [&](int digit) { return layout.stride[digit - 1]; }));
    Value bytes = arith::MulIOp::create(b, loc, offset, constant(id::elementBytes(tile.element)));
    return byteOffset(buffers.lookup(buffer), bytes);
  }

  Value byteOffset(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
  }

  //===--- accesses ---------------------------------------------------------------------------------------------===//

  /// A scalar of a tile in memory.
  struct Slot {
    int64_t offset; // bytes from the element whose register digits are zero
    Type type;
    size_t number; // register by register, leaf by leaf, real part before imaginary part
    Value value;
  };

  /// The scalars of a tile by ascending address.
  LogicalResult slotsOf(Operation *op, const Layout &layout, const Tile &tile, std::vector<Slot> &slots) {
    SmallVector<Type> types = id::leafTypes(tile.element);
    SmallVector<int64_t> offsets = id::leafOffsets(tile.element);
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      int64_t element = 0;
      for (auto [column, value] : llvm::zip(tile.mapping[Field::Reg], registerDigits(tile.mapping, r)))
        element += layout.stride[column.digits[0] - 1] * value;
      for (auto [type, offset] : llvm::zip(types, offsets)) {
        int64_t at = element * id::elementBytes(tile.element) + offset;
        if (auto complex = dyn_cast<ComplexType>(type)) {
          Type real = complex.getElementType();
          slots.push_back({at, real, slots.size(), {}});
          slots.push_back({at + id::elementBytes(real), real, slots.size(), {}});
        } else if (isa<FloatType, IntegerType, id::ModType>(type)) {
          slots.push_back({at, storedType(type), slots.size(), {}});
        } else {
          return op->emitError() << "elements of type " << tile.element << " cannot be generated yet";
        }
      }
    }
    llvm::sort(slots, [](const Slot &a, const Slot &b) { return a.offset < b.offset; });
    return success();
  }

  /// What divides the address of the element whose register digits are zero, at most the widest access.
  int64_t alignment(Value buffer, const Layout &layout, const Tile &tile) {
    int64_t bytes = id::elementBytes(tile.element);
    int64_t common = std::gcd(cast<id::SeqType>(buffer.getType()).getNumElements() * bytes, widestAccess);
    common = std::gcd(common, layout.offset * bytes);
    for (const digits::Column &column : numbered(tile.mapping))
      common = std::gcd(common, layout.stride[column.digits[0] - 1] * bytes);
    return common;
  }

  /// Slots that one access serves: (first, count) of equal scalars next to each other, a power of two of them.
  static SmallVector<std::pair<size_t, size_t>> wideRuns(ArrayRef<Slot> slots, int64_t alignment) {
    SmallVector<std::pair<size_t, size_t>> runs;
    for (size_t i = 0; i < slots.size();) {
      int64_t bytes = id::elementBytes(slots[i].type);
      size_t neighbours = 1;
      while (i + neighbours < slots.size() && slots[i + neighbours].type == slots[i].type &&
             slots[i + neighbours].offset == slots[i].offset + static_cast<int64_t>(neighbours) * bytes)
        ++neighbours;
      size_t count = 1;
      auto fits = [&](size_t n) {
        int64_t width = static_cast<int64_t>(n) * bytes;
        return n <= neighbours && width <= alignment && slots[i].offset % width == 0;
      };
      while (fits(2 * count))
        count *= 2;
      runs.emplace_back(i, count);
      i += count;
    }
    return runs;
  }

  void loadRun(Value base, std::vector<Slot> &slots, size_t first, size_t count) {
    Value from = at(base, slots[first].offset);
    Type type = accessType(slots[first], count);
    Value loaded = LLVM::LoadOp::create(b, loc, type, from, accessBytes(slots[first], count));
    for (size_t i = 0; i < count; ++i)
      slots[first + i].value =
          count == 1 ? loaded : LLVM::ExtractElementOp::create(b, loc, loaded, position(i)).getResult();
  }

  void storeRun(Value base, std::vector<Slot> &slots, size_t first, size_t count) {
    Value to = at(base, slots[first].offset), value = slots[first].value;
    if (count > 1) {
      value = LLVM::PoisonOp::create(b, loc, accessType(slots[first], count));
      for (size_t i = 0; i < count; ++i)
        value = LLVM::InsertElementOp::create(b, loc, value, slots[first + i].value, position(i));
    }
    LLVM::StoreOp::create(b, loc, value, to, accessBytes(slots[first], count));
  }

  Value at(Value base, int64_t offset) { return offset ? byteOffset(base, constant(offset)) : base; }
  Value position(size_t i) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(i)));
  }
  static Type accessType(const Slot &slot, size_t count) {
    return count == 1 ? slot.type : VectorType::get({static_cast<int64_t>(count)}, slot.type);
  }
  static unsigned accessBytes(const Slot &slot, size_t count) {
    return static_cast<unsigned>(static_cast<int64_t>(count) * id::elementBytes(slot.type));
  }

  /// The entry of a table at `index`, `bytes` each.
  Value entryPointer(const std::string &table, Value index, int64_t bytes) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), tables.getAddressSpace());
    Value base = LLVM::AddressOfOp::create(b, loc, pointer, table);
    return byteOffset(base, arith::MulIOp::create(b, loc, index, constant(bytes)));
  }

  /// omega(root, exponent) in a prime field, 0 <= exponent < root.
  Residue lookUpResidue(int64_t root, Value exponent, id::ModType type) {
    PrimeField field = codelet.field(type.getModulus());
    auto entry = [&](const std::string &table, Value index) -> Residue {
      int64_t bytes = id::elementBytes(type);
      return {
          LLVM::LoadOp::create(b, loc, field.type(), entryPointer(table, index, bytes), static_cast<unsigned>(bytes))};
    };
    const int64_t lowCount = int64_t(1) << maxTableBits;
    if (root <= lowCount)
      return entry(tables.residues(root, 1, root, type.getModulus()), exponent);
    Value low = arith::AndIOp::create(b, loc, exponent, constant(lowCount - 1));
    Value high = arith::ShRUIOp::create(b, loc, exponent, constant(maxTableBits));
    int64_t highCount = (root + lowCount - 1) / lowCount;
    return field.mul(entry(tables.residues(root, lowCount, highCount, type.getModulus()), high),
                     entry(tables.residues(root, 1, lowCount, type.getModulus()), low));
  }

  /// omega(root, exponent) for 0 <= exponent < root: one table, or the product of a high and a low one.
  Complex lookUp(int64_t root, Value exponent, Type real) {
    const int64_t lowCount = int64_t(1) << maxTableBits;
    auto entry = [&](const std::string &table, Value index) -> Complex {
      Value at = entryPointer(table, index, 2 * id::elementBytes(real));
      auto alignment = static_cast<unsigned>(id::elementBytes(real));
      Value re = LLVM::LoadOp::create(b, loc, real, at, alignment);
      Value im = LLVM::LoadOp::create(b, loc, real, byteOffset(at, constant(id::elementBytes(real))), alignment);
      return {codelet.wrap(re), codelet.wrap(im)};
    };
    if (root <= lowCount)
      return entry(tables.powers(root, 1, root, real), exponent);
    Value low = arith::AndIOp::create(b, loc, exponent, constant(lowCount - 1));
    Value high = arith::ShRUIOp::create(b, loc, exponent, constant(maxTableBits));
    int64_t highCount = (root + lowCount - 1) / lowCount;
    return codelet.mul(entry(tables.powers(root, lowCount, highCount, real), high),
                       entry(tables.powers(root, 1, lowCount, real), low));
  }
};

} // namespace

LogicalResult conversion::emitFlatBody(OpBuilder &b, Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                       const DenseMap<Value, Value> &buffers, const Parameters &parameters,
                                       Value problem, Value number, FlatBlock *block) {
  return FlatEmitter(b, loc, tables, buffers, parameters, problem, number, block).run(kernel);
}

int64_t conversion::flatExtent(id::KernelOp kernel) {
  int64_t extent = 1;
  kernel.getBody().walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType()))
        extent = std::max({extent, tile.getMapping().extent(Field::Block), tile.getMapping().extent(Field::Lane)});
  });
  return extent;
}

int64_t conversion::flatSharedBytes(id::KernelOp kernel) {
  int64_t bytes = 0;
  for (id::ExchangeOp exchange : kernel.getBody().getOps<id::ExchangeOp>()) {
    if (exchange.getKind() != id::ExchangeKind::Shared)
      continue;
    Type element = exchange.getInput().getType().getElement();
    bytes = std::max(bytes, exchange.getLayoutAttr().getLayout().words *
                                std::max(id::elementBytes(element), id::exchangeWordBytes(element)));
  }
  return bytes;
}
