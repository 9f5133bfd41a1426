#include "compiler/conversion/Layouts.h"

#include "compiler/conversion/Scalars.h"

#include "id/ArrayType.h"
#include "id/ConstantData.h"
#include "id/Devices.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::ArrayLayout;

static DictionaryAttr toAttribute(const ArrayLayout &layout, MLIRContext *context) {
  Builder b(context);
  SmallVector<int64_t> sizes, strides;
  for (const ArrayLayout::Dimension &dimension : layout.dimensions) {
    sizes.push_back(dimension.size);
    strides.push_back(dimension.stride);
  }
  SmallVector<NamedAttribute> fields{b.getNamedAttr("batch", b.getI64IntegerAttr(layout.batchStride)),
                                     b.getNamedAttr("offset", b.getI64IntegerAttr(layout.offset)),
                                     b.getNamedAttr("sizes", b.getDenseI64ArrayAttr(sizes)),
                                     b.getNamedAttr("strides", b.getDenseI64ArrayAttr(strides))};
  if (layout.planar)
    fields.push_back(b.getNamedAttr("planar", b.getUnitAttr()));
  return b.getDictionaryAttr(fields);
}

static ArrayLayout fromAttribute(DictionaryAttr fields, Type sequence, ArrayRef<int> deviceDigits) {
  auto type = cast<id::SeqType>(sequence);
  if (!fields)
    return ArrayLayout::dense(type.getNumElements() / heldByDevices(type, deviceDigits));
  ArrayLayout layout;
  for (auto [size, stride] : llvm::zip(fields.getAs<DenseI64ArrayAttr>("sizes").asArrayRef(),
                                       fields.getAs<DenseI64ArrayAttr>("strides").asArrayRef()))
    layout.dimensions.push_back({size, stride});
  layout.offset = fields.getAs<IntegerAttr>("offset").getInt();
  layout.batchStride = fields.getAs<IntegerAttr>("batch").getInt();
  layout.planar = fields.contains("planar");
  return layout;
}

void conversion::setArgumentLayout(func::FuncOp function, int argument, const ArrayLayout &layout) {
  function.setArgAttr(argument, id::layoutAttr, toAttribute(layout, function.getContext()));
}

void conversion::setResultLayout(func::FuncOp function, int result, const ArrayLayout &layout) {
  function.setResultAttr(result, id::layoutAttr, toAttribute(layout, function.getContext()));
}

ArrayLayout conversion::argumentLayout(func::FuncOp function, int argument) {
  if (function.getArgAttr(argument, id::dataAttr)) { // the same for every problem
    const int64_t elements = cast<id::SeqType>(function.getArgumentTypes()[argument]).getNumElements();
    return {{{elements, 1}}, 0, 0, false};
  }
  return fromAttribute(function.getArgAttrOfType<DictionaryAttr>(argument, id::layoutAttr),
                       function.getArgumentTypes()[argument], id::argumentDeviceDigits(function, argument));
}

ArrayLayout conversion::resultLayout(func::FuncOp function, int result) {
  return fromAttribute(dyn_cast_or_null<DictionaryAttr>(function.getResultAttr(result, id::layoutAttr)),
                       function.getResultTypes()[result], id::resultDeviceDigits(function, result));
}

int64_t conversion::heldByDevices(id::SeqType type, ArrayRef<int> deviceDigits) {
  int64_t devices = 1;
  for (int digit : deviceDigits)
    devices *= type.getRadices()[static_cast<size_t>(digit) - 1];
  return devices;
}

SmallVector<Type> conversion::numberTypes(Type element) {
  SmallVector<Type> types;
  for (Type leaf : id::leafTypes(element)) {
    if (auto complex = dyn_cast<ComplexType>(leaf))
      types.append(2, storedType(complex.getElementType()));
    else
      types.push_back(storedType(leaf));
  }
  return types;
}

int64_t conversion::planeBytes(Type element, const ArrayLayout &layout, int plane) {
  return id::elementBytes(layout.planar ? numberTypes(element)[plane] : element);
}
