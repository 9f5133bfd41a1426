#include "compiler/conversion/TileCode.h"

#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Scalars.h"

#include "id/ConstantData.h"
#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

//===--- elements as numbers --------------------------------------------------------------------------------------===//

static Value bitcast(OpBuilder &b, Location loc, Type element, Value value) {
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return type == value.getType() ? value : arith::BitcastOp::create(b, loc, type, value).getResult();
}

SmallVector<Value> TileCode::numbersOf(ArrayRef<Leaf> leaves, Type element, Type number) {
  SmallVector<Value> numbers;
  for (auto [type, leaf] : llvm::zip(id::leafTypes(element), leaves)) {
    auto complex = dyn_cast<ComplexType>(type);
    if (leaf.kind == Leaf::Kind::Other) {
      numbers.push_back(type.isInteger(1) ? arith::ExtUIOp::create(b, loc, storedType(type), leaf.other).getResult()
                                          : leaf.other);
    } else {
      codelet.setRealType(complex ? complex.getElementType() : type);
      numbers.push_back(codelet.materialize(leaf.number.re));
    }
    if (complex)
      numbers.push_back(codelet.materialize(leaf.number.im));
  }
  for (Value &value : numbers)
    value = number ? bitcast(b, loc, number, value) : value;
  return numbers;
}

SmallVector<Leaf> TileCode::leavesOf(ArrayRef<Value> numbers, Type element) {
  SmallVector<Leaf> leaves;
  auto next = [&](Type type) {
    Value number = bitcast(b, loc, storedType(type), numbers.front());
    numbers = numbers.drop_front();
    return number;
  };
  for (Type type : id::leafTypes(element)) {
    Leaf leaf;
    auto complex = dyn_cast<ComplexType>(type);
    Value first = next(complex ? complex.getElementType() : type);
    if (complex || isa<FloatType>(type)) {
      leaf.kind = complex ? Leaf::Kind::Complex : Leaf::Kind::Real;
      leaf.number.re = codelet.known(first);
    } else {
      leaf.other = type.isInteger(1) ? arith::TruncIOp::create(b, loc, type, first).getResult() : first;
    }
    if (complex)
      leaf.number.im = codelet.known(next(complex.getElementType()));
    leaves.push_back(leaf);
  }
  return leaves;
}

SmallVector<Value> TileCode::numbersOf(const Tile &tile) {
  SmallVector<Value> numbers;
  for (const auto &leaves : tile.registers)
    llvm::append_range(numbers, numbersOf(leaves, tile.element));
  return numbers;
}

void TileCode::fill(Tile &tile, ArrayRef<Value> numbers) {
  const size_t perElement = numbers.size() / tile.registers.size();
  for (auto [r, leaves] : llvm::enumerate(tile.registers)) {
    const SmallVector<Leaf> before = std::move(leaves);
    leaves = leavesOf(numbers.slice(r * perElement, perElement), tile.element);
    for (auto [leaf, old] : llvm::zip(leaves, before))
      leaf.bound = old.bound;
  }
}

SmallVector<Type> TileCode::numberTypesOf(const Tile &tile) {
  SmallVector<Type> types;
  for (size_t r = 0; r < tile.registers.size(); ++r)
    llvm::append_range(types, numberTypes(tile.element));
  return types;
}

void TileCode::resolve(Tile &tile) {
  for (auto &leaves : tile.registers)
    for (Leaf &leaf : leaves)
      leaf = codelet.resolved(leaf);
}

void TileCode::makeCanonical(Tile &tile) {
  for (auto &leaves : tile.registers)
    for (auto [type, leaf] : llvm::zip(id::leafTypes(tile.element), leaves))
      if (auto mod = dyn_cast<id::ModType>(type))
        leaf = Leaf::of(Residue{codelet.field(mod.getModulus()).canonical(leaf.residue())});
}

//===--- short forms ----------------------------------------------------------------------------------------------===//

Value TileCode::constantMemory(id::KernelOp kernel, int argument) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  auto bytes = function.getArgAttrOfType<DenseElementsAttr>(static_cast<unsigned>(argument), id::dataAttr);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), tables.getAddressSpace());
  return LLVM::AddressOfOp::create(b, loc, pointer, tables.data(bytes));
}

Value TileCode::constant32(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value TileCode::constant64(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }

Value TileCode::byteOffset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}
Value TileCode::at(Value pointer, int64_t bytes) { return bytes ? byteOffset(pointer, constant64(bytes)) : pointer; }

unsigned TileCode::alignmentOf(Type type) const {
  return static_cast<unsigned>(packedBytes(alignment == Alignment::Access ? type : getElementTypeOrSelf(type)));
}

static bool canStream(Type type) {
  const int64_t bytes = packedBytes(type);
  return bytes == 4 || bytes == 8 || bytes == 16;
}

Value TileCode::read(Type type, Value pointer, bool streams) {
  if (streams && canStream(type))
    return machine::LoadStreamOp::create(b, loc, type, pointer);
  return LLVM::LoadOp::create(b, loc, type, pointer, alignmentOf(type));
}

Value TileCode::readInOrder(Type type, Value pointer) {
  const int64_t bytes = packedBytes(type);
  if (bytes != 4 && bytes != 8)
    return read(type, pointer, /*streams=*/false);
  Type bits = b.getIntegerType(static_cast<unsigned>(8 * bytes));
  Value loaded = machine::LoadOrderedOp::create(b, loc, bits, pointer);
  return type == bits ? loaded : LLVM::BitcastOp::create(b, loc, type, loaded).getResult();
}

void TileCode::write(Value value, Value pointer, bool streams) {
  if (streams && canStream(value.getType()))
    machine::StoreStreamOp::create(b, loc, value, pointer);
  else
    LLVM::StoreOp::create(b, loc, value, pointer, alignmentOf(value.getType()));
}

Value TileCode::pack(ArrayRef<Value> scalars) {
  if (scalars.size() == 1)
    return scalars[0];
  Type type = packedType(scalars[0].getType(), static_cast<int64_t>(scalars.size()));
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, scalar] : llvm::enumerate(scalars))
    vector = LLVM::InsertElementOp::create(b, loc, vector, scalar, constant32(static_cast<int64_t>(i)));
  return vector;
}

void TileCode::unpack(Value packed, SmallVectorImpl<Value> &scalars) {
  auto vector = dyn_cast<VectorType>(packed.getType());
  if (!vector)
    scalars.push_back(packed);
  else
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      scalars.push_back(LLVM::ExtractElementOp::create(b, loc, packed, constant32(i)));
}

Type conversion::packedType(Type scalar, int64_t count) {
  return count == 1 ? scalar : Type(VectorType::get({count}, scalar));
}

int64_t conversion::packedBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * id::elementBytes(vector.getElementType());
  return id::elementBytes(type);
}
