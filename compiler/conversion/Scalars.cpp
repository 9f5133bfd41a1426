#include "compiler/conversion/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

Type conversion::storedType(Type leaf) {
  if (leaf.isInteger(1))
    return IntegerType::get(leaf.getContext(), 8);
  if (auto mod = dyn_cast<id::ModType>(leaf))
    return IntegerType::get(leaf.getContext(), static_cast<unsigned>(8 * id::elementBytes(mod)));
  return leaf;
}

/// The scalars that a kernel's bodies use and their types.
static std::map<int64_t, Type> usedScalars(id::KernelOp kernel) {
  std::map<int64_t, Type> used;
  kernel.walk([&](id::ParameterOp op) { used[op.getNumber()] = op.getType(); });
  return used;
}

std::vector<ScalarArgument> conversion::scalarArguments(id::KernelOp kernel) {
  std::vector<ScalarArgument> arguments;
  for (auto [number, type] : usedScalars(kernel)) {
    int index = static_cast<int>(number);
    if (auto complex = dyn_cast<ComplexType>(type)) {
      Type real = complex.getElementType();
      int64_t bytes = id::elementBytes(real);
      arguments.push_back({index, 0, bytes, real});
      arguments.push_back({index, bytes, bytes, real});
    } else {
      arguments.push_back({index, 0, id::elementBytes(type), storedType(type)});
    }
  }
  return arguments;
}

Parameters conversion::parametersOf(OpBuilder &b, Location loc, id::KernelOp kernel, ValueRange values,
                                    llvm::function_ref<Value(Value)> widen) {
  Parameters parameters;
  auto next = values.begin();
  auto real = [&] { return Real{widen(*next++), 0, false, {}}; };
  for (auto [number, type] : usedScalars(kernel)) {
    Leaf &leaf = parameters[number];
    if (isa<ComplexType>(type)) {
      leaf.kind = Leaf::Kind::Complex;
      leaf.number.re = real();
      leaf.number.im = real();
    } else if (isa<FloatType>(type)) {
      leaf.kind = Leaf::Kind::Real;
      leaf.number.re = real();
    } else {
      Value value = *next++;
      if (type.isInteger(1))
        value = arith::TruncIOp::create(b, loc, type, value);
      leaf.other = widen(value);
    }
  }
  return parameters;
}
