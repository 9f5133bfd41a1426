#include "compiler/tools/FormatCommand.h"

#include "compiler/frontend/Format.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

static bool complain(const std::string &file, const std::string &message) {
  llvm::errs() << "idc: " << file << ": " << message << "\n";
  return false;
}

static bool formatFile(const std::string &file, tools::FormatMode mode) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (!buffer)
    return complain(file, "cannot read: " + buffer.getError().message());
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
    return *formatted == text || complain(file, "not in the style of idc format");
  case tools::FormatMode::InPlace:
    break;
  }
  if (*formatted == text)
    return true;
  // Whole or not at all: the text goes into a file beside it, which then takes its place.
  llvm::Error error = llvm::writeToOutput(file, [&](llvm::raw_ostream &os) {
    os << *formatted;
    return llvm::Error::success();
  });
  return !error || complain(file, "cannot write: " + llvm::toString(std::move(error)));
}

int tools::formatFiles(const std::vector<std::string> &files, FormatMode mode) {
  bool good = true;
  for (const std::string &file : files)
    good &= formatFile(file, mode);
  return good ? 0 : 1;
}
