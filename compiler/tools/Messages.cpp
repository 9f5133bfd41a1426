#include "compiler/tools/Messages.h"

#include "llvm/Support/WithColor.h"

using namespace idc;

int tools::fail(const llvm::Twine &message, llvm::raw_ostream &errors) {
  const std::string text = message.str();
  if (llvm::StringRef line = llvm::StringRef(text).rtrim(); !line.empty()) {
    llvm::WithColor(errors, llvm::HighlightColor::Error).get() << "idc: ";
    errors << line << "\n";
  }
  return 1;
}

int tools::fail(llvm::Error error, llvm::raw_ostream &errors) {
  return fail(llvm::Twine(llvm::toString(std::move(error))), errors);
}

void tools::note(const llvm::Twine &message) {
  llvm::WithColor(llvm::errs(), llvm::HighlightColor::Note).get() << "idc: note: ";
  llvm::errs() << message << "\n";
}
