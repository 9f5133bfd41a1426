#include "compiler/tools/Messages.h"

#include "compiler/frontend/Colours.h"
#include "host/Messages.h"

using namespace idc;

static void print(host::Severity severity, llvm::StringRef text, llvm::raw_ostream &to) {
  to << host::message(severity, text, frontend::showsColours(to));
}

int tools::fail(const llvm::Twine &message, llvm::raw_ostream &errors) {
  const std::string text = message.str();
  if (llvm::StringRef line = llvm::StringRef(text).rtrim(); !line.empty())
    print(host::Severity::Error, line, errors);
  return 1;
}

int tools::fail(llvm::Error error, llvm::raw_ostream &errors) {
  return fail(llvm::Twine(llvm::toString(std::move(error))), errors);
}

void tools::note(const llvm::Twine &message) { print(host::Severity::Note, message.str(), llvm::errs()); }
