#include "compiler/codegen/HostLibrary.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace idc;

void codegen::callHostLibrary(ModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](math::ErfOp op) {
    OpBuilder b(op);
    const Location loc = op.getLoc();
    Type type = op.getType(), number = getElementTypeOrSelf(type);
    StringRef name = number.isF32() ? "erff" : "erf";
    auto callee = symbols.lookup<LLVM::LLVMFuncOp>(name);
    if (!callee) {
      OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
      callee = LLVM::LLVMFuncOp::create(outside, loc, name, LLVM::LLVMFunctionType::get(number, {number}));
      symbols.insert(callee);
    }
    auto call = [&](Value x) { return LLVM::CallOp::create(b, loc, callee, x).getResult(); };
    Value result;
    if (auto vector = dyn_cast<VectorType>(type)) {
      result = LLVM::UndefOp::create(b, loc, type);
      for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
        Value at = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(lane));
        Value x = LLVM::ExtractElementOp::create(b, loc, op.getOperand(), at);
        result = LLVM::InsertElementOp::create(b, loc, result, call(x), at);
      }
    } else {
      result = call(op.getOperand());
    }
    op.replaceAllUsesWith(result);
    op.erase();
  });
}
