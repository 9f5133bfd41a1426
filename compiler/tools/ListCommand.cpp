#include "compiler/tools/ListCommand.h"

#include "compiler/codegen/RequestOptions.h"
#include "compiler/tools/AlgorithmText.h"

#include "llvm/Support/raw_ostream.h"

using namespace idc;

int tools::listPrograms(const codegen::CompileRequest &request, const std::vector<std::string> &files) {
  bool good = true;
  for (const std::string &file : files) {
    codegen::CompileRequest one = request;
    codegen::setFile(file, one);
    frontend::Diagnostics diagnostics;
    std::unique_ptr<frontend::Source> source = frontend::parseFile(one.file, one.libraries, diagnostics);
    diagnostics.print(llvm::errs());
    good &= source != nullptr;
    if (!source)
      continue;
    const std::vector<const frontend::Function *> algorithms = usedAlgorithms(*source);
    if (!algorithms.empty())
      llvm::outs() << one.file << "\n";
    for (const frontend::Function *function : algorithms) {
      llvm::outs() << "  " << signatureOf(*function) << "\n";
      if (const std::string sentence = firstSentence(*function); !sentence.empty())
        llvm::outs() << "      " << sentence << "\n";
    }
  }
  return good ? 0 : 1;
}
