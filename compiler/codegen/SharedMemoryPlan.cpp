#include "compiler/codegen/SharedMemoryPlan.h"

#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/Sections.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace idc;
using namespace idc::codegen;

/// True where a kernel would not fit if its exchanges never shared a place.
static bool mayBeTooLarge(func::FuncOp function, const passes::Target &target) {
  return llvm::any_of(function.getOps<id::KernelOp>(), [&](id::KernelOp kernel) {
    int64_t bytes = 0;
    kernel.getBody().walk([&](id::ExchangeOp exchange) {
      if (conversion::isThroughMemory(exchange))
        bytes += conversion::wordsOf(exchange).totalBytes();
    });
    return bytes > target.sharedBytesPerBlock;
  });
}

/// Of the kernel that takes most among those that may be too large.
static int64_t mostSharedBytes(ModuleOp module, const passes::Target &target) {
  int64_t most = 0;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!mayBeTooLarge(function, target))
      continue;
    OwningOpRef<func::FuncOp> copy = function.clone();
    PassManager barriers(module.getContext(), func::FuncOp::getOperationName());
    barriers.addPass(conversion::createPlaceBarriers({target.name}));
    ScopedDiagnosticHandler quiet(module.getContext(), [](mlir::Diagnostic &) { return success(); });
    if (succeeded(barriers.run(*copy))) // what is wrong is said where kernels are made
      for (id::KernelOp kernel : copy->getOps<id::KernelOp>())
        most = std::max(most, conversion::numberOf(kernel, conversion::sharedBytesAttr));
  }
  return most;
}

LogicalResult codegen::planInSharedMemory(OwningOpRef<ModuleOp> &module, const passes::Target &target,
                                          PassManager &manager) {
  const bool isGiven = llvm::any_of(module->getOps<func::FuncOp>(),
                                    [](func::FuncOp function) { return function->hasAttr("id.schedule"); });
  if (target.kind == "cpu" || isGiven)
    return manager.run(*module);
  constexpr int mostTries = 6;
  OwningOpRef<ModuleOp> before = module->clone();
  if (failed(manager.run(*module)))
    return failure();
  int64_t room = target.sharedBytesPerBlock;
  for (int tries = 1; tries < mostTries; ++tries) {
    const int64_t taken = mostSharedBytes(*module, target);
    if (taken <= target.sharedBytesPerBlock)
      break;
    room = std::min(room * target.sharedBytesPerBlock / taken, room - room / 8);
    OwningOpRef<ModuleOp> again = before->clone();
    for (func::FuncOp function : again->getOps<func::FuncOp>())
      function->setAttr(passes::sharedRoomAttr, Builder(module->getContext()).getI64IntegerAttr(room));
    ScopedDiagnosticHandler quiet(module->getContext(), [](mlir::Diagnostic &) { return success(); });
    if (failed(manager.run(*again)))
      break;
    for (func::FuncOp function : again->getOps<func::FuncOp>())
      function->removeAttr(passes::sharedRoomAttr);
    module = std::move(again);
  }
  return success();
}
