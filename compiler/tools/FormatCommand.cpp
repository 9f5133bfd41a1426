#include "compiler/tools/FormatCommand.h"

#include "compiler/frontend/Format.h"
#include "compiler/frontend/SourceText.h"
#include "compiler/tools/Messages.h"
#include "runtime/lib/WholeFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace idc;

static bool complain(const std::string &message) {
  tools::fail(message);
  return false;
}

static bool formatFile(const std::string &file, tools::FormatMode mode) {
  auto buffer = file == "-" ? frontend::readStandardInput() : frontend::readSource(file);
  if (!buffer)
    return complain("cannot read '" + file + "': " + llvm::toString(buffer.takeError()));
  std::string text = (*buffer)->getBuffer().str();
  frontend::Diagnostics diagnostics;
  std::optional<std::string> formatted = frontend::format(text, file == "-" ? "<stdin>" : file, diagnostics);
  diagnostics.print(llvm::errs());
  if (!formatted)
    return false;
  switch (mode) {
  case tools::FormatMode::Print:
    llvm::outs() << *formatted;
    return true;
  case tools::FormatMode::Check:
    return *formatted == text || complain(file + ": not in the style of idc format");
  case tools::FormatMode::InPlace:
    break;
  }
  if (*formatted == text)
    return true;
  try {
    runtime::writeFile(file, *formatted);
    return true;
  } catch (const runtime::FileError &error) {
    return complain(error.what());
  }
}

int tools::formatFiles(const std::vector<std::string> &files, FormatMode mode) {
  bool good = true;
  for (const std::string &file : files)
    good &= formatFile(file, mode);
  return good ? 0 : 1;
}
