#include "compiler/codegen/DeviceLibrary.h"

#include "compiler/codegen/Toolkit.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace idc;

static constexpr llvm::StringLiteral prefix = "__nv_";

/// "exp", …: the name of the op's function in the language and, after the prefix, in the library; empty for other ops.
static StringRef functionOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Case<math::PowFOp>([](auto) { return "pow"; })
      .Case<math::Atan2Op>([](auto) { return "atan2"; })
      .Default(StringRef());
}

void codegen::callDeviceLibrary(ModuleOp module) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    const bool calls = kernels
                           .walk([](Operation *op) {
                             return functionOf(op).empty() ? WalkResult::advance() : WalkResult::interrupt();
                           })
                           .wasInterrupted();
    if (!calls)
      continue;
    // What every register computes alike, of run-time scalars for instance, is called for once.
    IRRewriter rewriter(module.getContext());
    DominanceInfo dominance(kernels);
    eliminateCommonSubExpressions(rewriter, dominance, kernels);
    SymbolTable symbols(kernels);
    kernels.walk([&](Operation *op) {
      StringRef function = functionOf(op);
      if (function.empty())
        return;
      Type type = op->getResult(0).getType();
      std::string name = (prefix + function + (type.isF32() ? "f" : "")).str();
      auto callee = symbols.lookup<LLVM::LLVMFuncOp>(name);
      if (!callee) {
        OpBuilder outside = OpBuilder::atBlockBegin(kernels.getBody());
        const SmallVector<Type> operands(op->getOperandTypes());
        callee = LLVM::LLVMFuncOp::create(outside, op->getLoc(), name, LLVM::LLVMFunctionType::get(type, operands));
        symbols.insert(callee);
      }
      OpBuilder b(op);
      op->replaceAllUsesWith(LLVM::CallOp::create(b, op->getLoc(), callee, op->getOperands()));
      op->erase();
    });
  }
}

LogicalResult codegen::linkDeviceLibrary(ModuleOp source, llvm::Module &kernels, bool &called) {
  LLVM::CallOp call;
  source.walk([&](LLVM::CallOp op) {
    if (op.getCallee() && op.getCallee()->starts_with(prefix))
      call = op;
  });
  called = static_cast<bool>(call);
  if (!called)
    return success();
  llvm::Expected<std::string> path = findDeviceLibrary();
  if (!path) {
    StringRef function = call.getCallee()->drop_front(prefix.size());
    if (call.getOperand(0).getType().isF32())
      function = function.drop_back();
    return call.emitError() << "'" << function
                            << "' on a GPU needs CUDA's device library: " << llvm::toString(path.takeError());
  }
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library = llvm::getLazyIRFileModule(*path, diagnostic, kernels.getContext());
  if (!library)
    return call.emitError() << *path << ": " << diagnostic.getMessage();
  library->setTargetTriple(kernels.getTargetTriple());
  library->setDataLayout(kernels.getDataLayout());
  auto makeInternal = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(
        linked, [&](const llvm::GlobalValue &value) { return !value.hasName() || !names.contains(value.getName()); });
  };
  if (llvm::Linker::linkModules(kernels, std::move(library), llvm::Linker::LinkOnlyNeeded, makeInternal))
    return call.emitError() << *path << " cannot be linked";
  return success();
}
