#include "compiler/tools/CheckCommand.h"

#include "compiler/codegen/RequestOptions.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace idc;

/// An object for each message; the notes that follow an error belong to it. A message without a place is about the
/// program as a whole: it is shown at the beginning of `file`.
static void printJson(const frontend::Diagnostics &diagnostics, const std::string &file, llvm::json::OStream &json) {
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
}

/// Whether a file has schedules and nothing else: what they are for is another file's.
static bool isTable(const frontend::SourceFile &file) {
  return !file.schedules.empty() && file.functions.empty() && file.types.empty() && file.consts.empty() &&
         file.imports.empty();
}

/// What is wrong with one file.
static void check(const codegen::CompileRequest &request, frontend::Diagnostics &diagnostics) {
  std::unique_ptr<frontend::Source> source = frontend::parseFile(request.file, request.libraries, diagnostics);
  if (!source || isTable(source->main()))
    return;
  std::string entry = request.entry;
  if (entry.empty() && request.sizes.empty() && request.types.empty()) {
    frontend::checkBodies(*source, diagnostics); // checks first
    return;
  }
  if (entry.empty()) {
    const std::vector<std::string> algorithms = frontend::algorithmsOf(*source);
    if (algorithms.size() != 1)
      return diagnostics.error({}, "--set needs --entry, as " + request.file + " has " +
                                       std::to_string(algorithms.size()) + " algorithms");
    entry = algorithms.front();
  }
  frontend::elaborate(*source, entry, request.sizes, request.types, diagnostics); // checks first
}

int tools::checkPrograms(const codegen::CompileRequest &request, const std::vector<std::string> &files, bool json) {
  bool good = true;
  std::optional<llvm::json::OStream> array; // which has to be written to
  if (json)
    array.emplace(llvm::outs(), 2).arrayBegin();
  for (const std::string &file : files) {
    codegen::CompileRequest one = request;
    codegen::setFile(file, one);
    frontend::Diagnostics diagnostics;
    check(one, diagnostics);
    good &= diagnostics.errors() == 0;
    if (json)
      printJson(diagnostics, one.file, *array);
    else
      diagnostics.print(llvm::errs());
  }
  if (json) {
    array->arrayEnd();
    llvm::outs() << "\n";
  }
  return good ? 0 : 1;
}
