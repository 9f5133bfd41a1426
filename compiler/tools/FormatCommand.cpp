#include "compiler/tools/FormatCommand.h"

#include "compiler/frontend/Format.h"
#include "compiler/frontend/SourceText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

static bool complain(const std::string &file, const std::string &message) {
  llvm::errs() << "idc: " << file << ": " << message << "\n";
  return false;
}

/// Whole or not at all: the text goes into a file beside the one that the path leads to, which then takes its place with
/// the same mode and owner.
static llvm::Error replaceText(const std::string &path, const std::string &text) {
  namespace fs = llvm::sys::fs;
  llvm::SmallString<128> real;
  fs::file_status status;
  if (std::error_code error = fs::real_path(path, real))
    return llvm::errorCodeToError(error);
  if (std::error_code error = fs::status(real, status))
    return llvm::errorCodeToError(error);
  auto file = fs::TempFile::create(real + ".%%%%%%", fs::owner_read | fs::owner_write);
  if (!file)
    return file.takeError();
  fs::file_status own;
  std::error_code error = fs::status(file->FD, own);
  if (!error && (own.getUser() != status.getUser() || own.getGroup() != status.getGroup()))
    error = fs::changeFileOwnership(file->FD, status.getUser(), status.getGroup());
  if (!error)
    error = fs::setPermissions(file->FD, status.permissions());
  if (!error) {
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    os << text;
    os.flush();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return llvm::joinErrors(llvm::errorCodeToError(error), file->discard());
  return file->keep(real);
}

static bool formatFile(const std::string &file, tools::FormatMode mode) {
  auto buffer = file == "-" ? frontend::readStandardInput() : frontend::readSource(file);
  if (!buffer)
    return complain(file, "cannot read: " + llvm::toString(buffer.takeError()));
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
  llvm::Error error = replaceText(file, *formatted);
  return !error || complain(file, "cannot write: " + llvm::toString(std::move(error)));
}

int tools::formatFiles(const std::vector<std::string> &files, FormatMode mode) {
  bool good = true;
  for (const std::string &file : files)
    good &= formatFile(file, mode);
  return good ? 0 : 1;
}
