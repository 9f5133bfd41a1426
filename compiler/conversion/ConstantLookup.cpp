#include "compiler/conversion/ConstantLookup.h"

#include "compiler/conversion/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static DenseElementsAttr tableOf(id::LookupOp op, Type stored) {
  SmallVector<Attribute> numbers;
  auto append = [&](Attribute number) {
    if (auto real = dyn_cast<FloatAttr>(number))
      numbers.push_back(real);
    else
      numbers.push_back(IntegerAttr::get(
          stored, cast<IntegerAttr>(number).getValue().zextOrTrunc(cast<IntegerType>(stored).getWidth())));
  };
  for (Attribute value : op.getValues())
    if (auto parts = dyn_cast<ArrayAttr>(value))
      llvm::for_each(parts, append);
    else
      append(value);
  return DenseElementsAttr::get(RankedTensorType::get({static_cast<int64_t>(numbers.size())}, stored), numbers);
}

/// The type in which a table's numbers of this type lie: of wide integers the least unsigned one that has room for all.
static Type tableType(id::LookupOp op, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() <= 16)
    return storedType(type);
  for (unsigned bits : {16u, 32u})
    if (bits < integer.getWidth() && llvm::all_of(op.getValues().getAsRange<IntegerAttr>(),
                                                  [&](IntegerAttr number) { return number.getValue().isIntN(bits); }))
      return IntegerType::get(op.getContext(), bits);
  return type;
}

Leaf conversion::lookUp(TileCode &code, id::LookupOp op, Value index) {
  OpBuilder &b = code.b;
  const Location loc = code.loc;
  const Type element = op.getType();
  const auto complex = dyn_cast<ComplexType>(element);
  const Type stored = tableType(op, complex ? complex.getElementType() : element);
  const int64_t bytes = packedBytes(stored), stride = bytes * (complex ? 2 : 1);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), code.tables.getAddressSpace());
  Value table = LLVM::AddressOfOp::create(b, loc, pointer, code.tables.data(tableOf(op, stored)));
  auto load = [&](Value place, int64_t part) -> Value {
    Value offset = arith::MulIOp::create(b, loc, place, code.constant64(stride));
    return LLVM::LoadOp::create(b, loc, stored, code.at(code.byteOffset(table, offset), part * bytes),
                                static_cast<unsigned>(bytes));
  };
  auto number = [&](int64_t part) -> Value {
    auto lanes = dyn_cast<VectorType>(index.getType());
    if (!lanes)
      return load(index, part);
    SmallVector<Value> numbers;
    for (int64_t lane = 0; lane < lanes.getNumElements(); ++lane)
      numbers.push_back(
          load(LLVM::ExtractElementOp::create(b, loc, index, code.constant32(static_cast<int64_t>(lane))), part));
    return code.pack(numbers);
  };
  code.codelet.setRealType(stored);
  if (complex)
    return Leaf::of(Complex{code.codelet.wrap(number(0)), code.codelet.wrap(number(1))});
  if (isa<FloatType>(element))
    return Leaf::of(code.codelet.wrap(number(0)));
  if (isa<id::ModType>(element))
    return Leaf::of(Residue{number(0)});
  Leaf leaf;
  leaf.other = number(0);
  if (stored != element) {
    Type type = element;
    if (auto lanes = dyn_cast<VectorType>(leaf.other.getType()))
      type = VectorType::get(lanes.getShape(), type);
    leaf.other = element.isInteger(1) ? arith::TruncIOp::create(b, loc, type, leaf.other).getResult()
                                      : arith::ExtUIOp::create(b, loc, type, leaf.other).getResult();
  }
  return leaf;
}
