#include "compiler/conversion/SpecialRegister.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

Value idc::conversion::readSpecialRegister(OpBuilder &b, Location loc, StringRef name) {
  return LLVM::InlineAsmOp::create(b, loc, b.getI32Type(), ValueRange{}, ("mov.u32 $0, %" + name + ";").str(), "=r",
                                   /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}
