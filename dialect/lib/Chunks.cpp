#include "id/Chunks.h"

using namespace mlir;
using namespace idc;

int64_t id::memoryOf(func::FuncOp function) {
  auto bytes = function->getAttrOfType<IntegerAttr>(memoryAttr);
  return bytes ? bytes.getInt() : 0;
}

SmallVector<func::CallOp> id::passesOf(func::FuncOp function) {
  return llvm::to_vector(function.getBody().front().getOps<func::CallOp>());
}

func::FuncOp id::functionOf(func::CallOp pass) {
  return pass->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(pass.getCallee());
}

bool id::isReached(Value value) {
  auto call = value.getDefiningOp<func::CallOp>();
  if (call && functionOf(call).getResultAttr(cast<OpResult>(value).getResultNumber(), reachedAttr))
    return true;
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto user = dyn_cast<func::CallOp>(use.getOwner());
    return user && functionOf(user).getArgAttr(use.getOperandNumber(), reachedAttr);
  });
}

bool id::reachesHost(func::FuncOp function) {
  return llvm::any_of(passesOf(function), [](func::CallOp call) {
    return llvm::any_of(call.getOperands(), isReached) || llvm::any_of(call.getResults(), isReached);
  });
}

double id::secondsOf(func::FuncOp function) {
  return function->getAttrOfType<FloatAttr>(secondsAttr).getValueAsDouble();
}

void id::setSeconds(func::FuncOp function, double seconds) {
  function->setAttr(secondsAttr, FloatAttr::get(Float64Type::get(function.getContext()), seconds));
}

func::FuncOp id::onCpuOf(func::FuncOp pass) {
  auto name = pass->getAttrOfType<FlatSymbolRefAttr>(onCpuAttr);
  return name ? pass->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(name.getValue()) : func::FuncOp();
}

int64_t id::cpuChunksOf(func::FuncOp pass) {
  auto chunks = pass->getAttrOfType<IntegerAttr>(cpuChunksAttr);
  return chunks ? chunks.getInt() : 0;
}

SmallVector<func::FuncOp> id::cpuFunctionsOf(func::FuncOp function) {
  SmallVector<func::FuncOp> functions;
  for (func::CallOp call : passesOf(function))
    if (func::FuncOp onCpu = onCpuOf(functionOf(call)))
      functions.push_back(onCpu);
  return functions;
}
