#include "compiler/tools/ExplainCommand.h"

#include "compiler/explain/Html.h"
#include "compiler/explain/Pictures.h"
#include "compiler/explain/SeveralDevices.h"
#include "compiler/explain/Text.h"
#include "compiler/explain/TileValues.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/OutputFiles.h"

#include "llvm/Support/FileSystem.h"

using namespace idc;

void tools::noteSlower(const std::optional<explain::SeveralDevices> &several) {
  llvm::outs().flush();
  if (several && several->isSlower())
    note("one device is predicted to be faster than " + std::to_string(several->devices) + ": " + several->times());
}

int tools::explainProgram(codegen::CompileRequest request, const ExplainOutput &output) {
  if (request.target == "cpu")
    return fail("idc explain shows kernels of GPUs, not of cpu");
  request.listed = explain::listedCandidates;
  codegen::Compiler compiler(request);
  llvm::Expected<explain::Facts> facts = explain::gather(compiler, llvm::errs());
  if (!facts)
    return fail(facts.takeError());
  std::vector<std::pair<std::string, std::string>> files;
  if (!output.svgFolder.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directories(output.svgFolder))
      return fail("cannot make the folder " + output.svgFolder + ": " + error.message());
    files.emplace_back(output.svgFolder + "/digits.svg", explain::digitPicture(*facts));
    files.emplace_back(output.svgFolder + "/kernels.svg", explain::mappingPicture(*facts));
    if (std::optional<std::string> circuit = explain::circuitPicture(*facts))
      files.emplace_back(output.svgFolder + "/circuit.svg", *circuit);
  }
  if (!output.htmlFile.empty()) {
    facts->tiles = explain::observeTiles(compiler, *facts);
    files.emplace_back(output.htmlFile, explain::htmlPage(*facts));
  }
  if (llvm::Error error = writeFiles(files))
    return fail(std::move(error));
  if (output.text)
    explain::printText(llvm::outs(), *facts);
  auto several = explain::predictDevices(request, *facts, compiler.target(), llvm::errs());
  if (!several)
    return fail(several.takeError());
  if (*several && output.text)
    llvm::outs() << "devices: " << (*several)->links() << "\npredicted: " << (*several)->times() << '\n';
  noteSlower(*several);
  return 0;
}
