// Text to AST.
#pragma once

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Diagnostics.h"

#include <map>
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
/// Texts that stand in for files, by their paths: what an editor has not saved.
using UnsavedTexts = std::map<std::string, std::string>;
/// The same as parseFile() of a program that is being written: what has syntax errors or cannot be found is reported
/// and left out, and the rest is there. Null only when `path` can be read nowhere.
std::unique_ptr<Source> parseUnfinished(const std::string &path, const std::vector<std::string> &folders,
                                        const UnsavedTexts &unsaved, Diagnostics &diagnostics);
/// Parses one type, as given to `--set`. Null with a diagnostic on a mistake.
TypeExprPtr parseType(const std::string &text, const std::string &name, Diagnostics &diagnostics);
/// Parses one expression, as given to `--layout`. Null with a diagnostic on a mistake.
ExprPtr parseExpression(const std::string &text, const std::string &name, Diagnostics &diagnostics);
/// Parses the name of a function with settings, as given to `--set`. Null with a diagnostic on a mistake.
ExprPtr parseFunction(const std::string &text, const std::string &name, Diagnostics &diagnostics);

/// A function as one line of a file in `folders` declares it, which need not be parsed for that.
struct LibraryFunction {
  std::string name, kind, declaration, import; // declaration: its first line; import: name of the file
};
/// Those of all .id files, by the order of folders and names of files.
std::vector<LibraryFunction> libraryFunctions(const std::vector<std::string> &folders);
/// The names of the .id files in `folders` whose text declares a function of that name.
std::vector<std::string> importsDeclaring(const std::string &function, const std::vector<std::string> &folders);

/// The words of the grammar that are no names, and those that are names elsewhere.
std::vector<std::string> keywords();

} // namespace idc::frontend
