#include "compiler/tools/ExplainCommand.h"

#include "compiler/explain/Text.h"

using namespace idc;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "idc: " << message << "\n";
  return 1;
}

int tools::explainProgram(codegen::CompileRequest request) {
  if (request.target == "cpu")
    return fail("idc explain shows kernels of GPUs, not of cpu");
  codegen::Compiler compiler(std::move(request));
  llvm::Expected<explain::Facts> facts = explain::gather(compiler, llvm::errs());
  if (!facts) {
    std::string message = llvm::toString(facts.takeError());
    return message.empty() ? 1 : fail(llvm::StringRef(message).rtrim());
  }
  explain::printText(llvm::outs(), *facts);
  return 0;
}
