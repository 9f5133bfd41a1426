#include "compiler/tools/CheckCommand.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

/// An object for each message; the notes that follow an error belong to it. A message without a place is about the
/// program as a whole: it is shown at the beginning of `file`.
static void printJson(const frontend::Diagnostics &diagnostics, const std::string &file) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    for (const frontend::Diagnostics::Message &message : diagnostics.messages())
      json.object([&] {
        bool placed = message.line != 0;
        json.attribute("file", placed ? message.file : file);
        json.attribute("line", placed ? message.line : 1);
        json.attribute("column", placed ? message.column : 1);
        json.attribute("endLine", placed ? message.endLine : 1);
        json.attribute("endColumn", placed ? message.endColumn : 1);
        json.attribute("severity", message.isNote ? "note" : "error");
        json.attribute("message", message.text);
      });
  });
  llvm::outs() << "\n";
}

int tools::checkProgram(const codegen::CompileRequest &request, bool json) {
  frontend::Diagnostics diagnostics;
  std::unique_ptr<frontend::Source> source = frontend::parseFile(request.file, request.libraries, diagnostics);
  if (source && request.entry.empty())
    frontend::checkBodies(*source, diagnostics); // checks first
  else if (source)
    frontend::elaborate(*source, request.entry, request.sizes, request.types, diagnostics); // checks first
  if (json)
    printJson(diagnostics, request.file);
  else
    diagnostics.print(llvm::errs());
  return diagnostics.errors() ? 1 : 0;
}
