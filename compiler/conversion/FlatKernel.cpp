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

#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Permutation;
using digits::Polynomial;

namespace {

class FlatEmitter : public KernelEmitter {
public:
  FlatEmitter(OpBuilder &builder, Location loc, TwiddleTables &tables, const DenseMap<Value, Value> &buffers,
              const Parameters &scalars, Value problem, Value number)
      : KernelEmitter(builder, loc, tables, [](Type type) { return type; }), buffers(buffers), problem(problem),
        number(number) {
    parameters = scalars;
  }

  LogicalResult run(id::KernelOp kernel) { return emitBody(kernel); }

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
    for (auto [first, count] : wideRuns(slots, alignment(op.getBuffer(), layout, tile)))
      storeRun(base, slots, first, count);
    return success();
  }

  FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &) override {
    return op.emitError() << "a flat kernel has no exchanges";
  }

  FailureOr<Complex> emitRoot(Operation *, int64_t root, const Polynomial &exponent, const Tile &place,
                              Type real) override {
    return lookUp(root, emitExponent(root, exponent, place), real);
  }

  Value emitExponent(int64_t root, const Polynomial &exponent, const Tile &place) override {
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
    for (const digits::Column &column : place.mapping[Field::Block]) {
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
      Value quotient = weight == 1 ? number : arith::DivUIOp::create(b, loc, number, constant(weight)).getResult();
      known = remainder(quotient, constant(range));
    }
    return known;
  }

  /// Pointer to the element of this problem and block number whose register digits are zero.
  Value elementPointer(Value buffer, const Layout &layout, const Tile &tile) {
    int64_t elements = cast<id::SeqType>(buffer.getType()).getNumElements();
    Value offset = arith::MulIOp::create(b, loc, problem, constant(elements));
    if (layout.offset)
      offset = arith::AddIOp::create(b, loc, offset, constant(layout.offset));
    int64_t weight = 1;
    const std::vector<digits::Column> &columns = tile.mapping[Field::Block];
    for (size_t i = 0; i < columns.size();) {
      // Columns whose digits continue each other in the buffer are one number.
      int64_t stride = layout.stride[columns[i].digits[0] - 1], range = columns[i].radix;
      size_t j = i + 1;
      while (j < columns.size() && stride > 0 && layout.stride[columns[j].digits[0] - 1] == stride * range)
        range *= columns[j++].radix;
      if (stride) {
        Value step = arith::MulIOp::create(b, loc, part(weight, range), constant(stride));
        offset = arith::AddIOp::create(b, loc, offset, step);
      }
      weight *= range;
      i = j;
    }
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
    for (const digits::Column &column : tile.mapping[Field::Block])
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
                                       Value problem, Value number) {
  return FlatEmitter(b, loc, tables, buffers, parameters, problem, number).run(kernel);
}

int64_t conversion::flatExtent(id::KernelOp kernel) {
  int64_t extent = 1;
  kernel.getBody().walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType()))
        extent = std::max(extent, tile.getMapping().extent(Field::Block));
  });
  return extent;
}
