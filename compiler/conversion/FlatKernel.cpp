// Input: an id.kernel of kind flat: loads, one step, stores; every tile holds the step's digits in registers and all
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
              Value problem, Value number)
      : KernelEmitter(builder, loc, tables, [](Type type) { return type; }), buffers(buffers), problem(problem),
        number(number) {}

  LogicalResult run(id::KernelOp kernel) { return emitBody(kernel); }

protected:
  FailureOr<Tile> emitLoad(id::LoadOp op) override {
    Tile tile = emptyTile(op.getResult().getType());
    // Digit d of the tile is digit source(d) of the buffer.
    const Permutation map = op.getMap().getPermutation();
    std::vector<int64_t> strides = stridesOf(op.getBuffer().getType().getRadices());
    Layout layout;
    for (int d = 1; d <= map.size(); ++d)
      layout.add(strides[map.source(d) - 1], map.complemented(d), tile.radices[d - 1]);
    Value base = elementPointer(op.getBuffer(), layout, tile);
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      FailureOr<SmallVector<Leaf>> leaves = loadElement(op, registerPointer(base, layout, tile, r), tile.element);
      if (failed(leaves))
        return failure();
      tile.registers[r] = *leaves;
    }
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
    Value base = elementPointer(op.getBuffer(), layout, tile);
    for (size_t r = 0; r < tile.registers.size(); ++r)
      storeElement(registerPointer(base, layout, tile, r), tile.element, tile.registers[r]);
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
      leaf.other = lookUpResidue(root, reduced, cast<id::ModType>(type));
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
      Value step = arith::MulIOp::create(b, loc, part(weight, range), constant(stride));
      offset = arith::AddIOp::create(b, loc, offset, step);
      weight *= range;
      i = j;
    }
    Value bytes = arith::MulIOp::create(b, loc, offset, constant(id::elementBytes(tile.element)));
    return byteOffset(buffers.lookup(buffer), bytes);
  }

  Value byteOffset(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
  }

  Value registerPointer(Value base, const Layout &layout, const Tile &tile, size_t r) {
    SmallVector<int64_t> values = registerDigits(tile.mapping, r);
    int64_t offset = 0;
    for (auto [column, value] : llvm::zip(tile.mapping[Field::Reg], values))
      offset += layout.stride[column.digits[0] - 1] * value;
    return offset ? byteOffset(base, constant(offset * id::elementBytes(tile.element))) : base;
  }

  /// The type a leaf has in memory: bool is a byte, mod<P> its residue.
  Type storedType(Type leaf) {
    if (leaf.isInteger(1))
      return b.getI8Type();
    if (auto mod = dyn_cast<id::ModType>(leaf))
      return b.getIntegerType(static_cast<unsigned>(8 * id::elementBytes(mod)));
    return leaf;
  }

  FailureOr<SmallVector<Leaf>> loadElement(id::LoadOp op, Value pointer, Type element) {
    SmallVector<Leaf> leaves;
    SmallVector<Type> types = id::leafTypes(element);
    for (auto [type, offset] : llvm::zip(types, id::leafOffsets(element))) {
      Value at = offset ? byteOffset(pointer, constant(offset)) : pointer;
      auto load = [&](Type scalar, Value from) -> Value {
        return LLVM::LoadOp::create(b, loc, scalar, from, static_cast<unsigned>(id::elementBytes(scalar)));
      };
      Leaf leaf;
      if (auto complex = dyn_cast<ComplexType>(type)) {
        Type real = complex.getElementType();
        leaf.kind = Leaf::Kind::Complex;
        leaf.number.re = codelet.wrap(load(real, at));
        leaf.number.im = codelet.wrap(load(real, byteOffset(at, constant(id::elementBytes(real)))));
      } else if (isa<FloatType>(type)) {
        leaf.kind = Leaf::Kind::Real;
        leaf.number.re = codelet.wrap(load(type, at));
      } else if (isa<IntegerType, id::ModType>(type)) {
        leaf.other = load(storedType(type), at);
        if (type.isInteger(1))
          leaf.other = arith::TruncIOp::create(b, loc, type, leaf.other);
      } else {
        return op.emitError() << "elements of type " << element << " cannot be generated yet";
      }
      leaves.push_back(leaf);
    }
    return leaves;
  }

  void storeElement(Value pointer, Type element, ArrayRef<Leaf> leaves) {
    SmallVector<Type> types = id::leafTypes(element);
    SmallVector<int64_t> offsets = id::leafOffsets(element);
    for (size_t i = 0; i < leaves.size(); ++i) {
      Value at = offsets[i] ? byteOffset(pointer, constant(offsets[i])) : pointer;
      auto store = [&](Value value, Value to) {
        LLVM::StoreOp::create(b, loc, value, to, static_cast<unsigned>(id::elementBytes(value.getType())));
      };
      const Leaf &leaf = leaves[i];
      Type type = types[i];
      if (auto complex = dyn_cast<ComplexType>(type)) {
        codelet.setRealType(complex.getElementType());
        store(codelet.materialize(leaf.number.re), at);
        store(codelet.materialize(leaf.number.im),
              byteOffset(at, constant(id::elementBytes(complex.getElementType()))));
      } else if (isa<FloatType>(type)) {
        codelet.setRealType(type);
        store(codelet.materialize(leaf.number.re), at);
      } else {
        Value value = leaf.other;
        if (type.isInteger(1))
          value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
        store(value, at);
      }
    }
  }

  /// The entry of a table at `index`, `bytes` each.
  Value entryPointer(const std::string &table, Value index, int64_t bytes) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), tables.getAddressSpace());
    Value base = LLVM::AddressOfOp::create(b, loc, pointer, table);
    return byteOffset(base, arith::MulIOp::create(b, loc, index, constant(bytes)));
  }

  /// omega(root, exponent) in a prime field, 0 <= exponent < root.
  Value lookUpResidue(int64_t root, Value exponent, id::ModType type) {
    PrimeField field(b, loc, type.getModulus());
    auto entry = [&](const std::string &table, Value index) -> Value {
      int64_t bytes = id::elementBytes(type);
      return LLVM::LoadOp::create(b, loc, field.type(), entryPointer(table, index, bytes),
                                  static_cast<unsigned>(bytes));
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
                                       const DenseMap<Value, Value> &buffers, Value problem, Value number) {
  return FlatEmitter(b, loc, tables, buffers, problem, number).run(kernel);
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
