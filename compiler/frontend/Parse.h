// Text to AST.
#pragma once

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Diagnostics.h"

#include <memory>
#include <string>
#include <vector>

namespace idc::frontend {

/// Parses the file `path` and everything it imports. An import is looked up in the folder of the importing file, then
/// in `folders` in order. Returns null when a file cannot be read or has syntax errors; all of them are reported.
std::unique_ptr<Source> parseFile(const std::string &path, const std::vector<std::string> &folders,
                                  Diagnostics &diagnostics);
/// The same for text already in memory, shown as `name` in messages.
std::unique_ptr<Source> parseText(const std::string &text, const std::string &name,
                                  const std::vector<std::string> &folders, Diagnostics &diagnostics);
/// Parses one type, as given to `--set`. Null with a diagnostic on a mistake.
TypeExprPtr parseType(const std::string &text, const std::string &name, Diagnostics &diagnostics);
/// Parses one expression, as given to `--layout`. Null with a diagnostic on a mistake.
ExprPtr parseExpression(const std::string &text, const std::string &name, Diagnostics &diagnostics);
/// Parses the name of a function with settings, as given to `--set`. Null with a diagnostic on a mistake.
ExprPtr parseFunction(const std::string &text, const std::string &name, Diagnostics &diagnostics);

/// The name of the first .id file in `folders` whose text declares a function of that name; empty when there is none.
std::string importDeclaring(const std::string &function, const std::vector<std::string> &folders);

} // namespace idc::frontend
