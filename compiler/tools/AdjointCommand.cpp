#include "compiler/tools/AdjointCommand.h"

#include "compiler/tools/Messages.h"
#include "compiler/tools/OutputFiles.h"

#include "llvm/Support/raw_ostream.h"

using namespace idc;

int tools::writeAdjoint(codegen::CompileRequest request, const std::vector<std::string> &withRespectTo,
                        const std::string &file) {
  codegen::Compiler compiler(std::move(request));
  llvm::Expected<std::string> text = compiler.adjoint(withRespectTo, llvm::errs());
  if (!text)
    return fail(text.takeError());
  if (file.empty() || file == "-")
    llvm::outs() << *text;
  else if (llvm::Error error = writeFiles({{file, *text}}))
    return fail(std::move(error));
  return 0;
}
