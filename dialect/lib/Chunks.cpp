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
