// What people write in a request, as text.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <optional>
#include <utility>

namespace idc::codegen {

/// The most sizes that one request binds a name to.
constexpr int64_t mostSizes = 4096;

/// The first and the last of the integers that A..B names; A alone names itself. Nothing where the text is neither, or
/// where they are more than `most`.
std::optional<std::pair<int64_t, int64_t>> readRange(llvm::StringRef text, int64_t most);

/// What NAME=VALUE,… binds a name to: sizes, of which A..B names several, or types and real numbers, as they are
/// written.
struct Setting {
  std::string name;
  std::vector<int64_t> sizes;
  std::vector<std::string> types;
};

/// Reads what follows --set. The error says what is wrong with the text.
llvm::Expected<Setting> readSetting(llvm::StringRef text);

/// Adds a setting of one value to the sizes or types of a request. The error says what is wrong with the text.
llvm::Error addSetting(llvm::StringRef setting, CompileRequest &request);

/// Sets the plan by its name. The error lists the known ones.
llvm::Error setPlan(llvm::StringRef name, CompileRequest &request);

/// Sets the file. A program of the standard library, the last of the request's folders, may be named without its
/// folder.
void setFile(llvm::StringRef file, CompileRequest &request);

} // namespace idc::codegen
