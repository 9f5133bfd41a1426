// The one style of programs (`idc format`).
#pragma once

#include "compiler/frontend/Diagnostics.h"

#include <optional>
#include <string>

namespace idc::frontend {

/// The text of a file in the language's style: indentation by 2, at most 120 columns where the text can be broken,
/// comments and single blank lines kept, and the author's line breaks where a line may break. Formatting the result
/// changes nothing. Imports are not looked up. Nothing but a diagnostic when the text has syntax errors, or when the
/// result would not be the same program with the same comments, which is a defect of the compiler.
std::optional<std::string> format(const std::string &text, const std::string &name, Diagnostics &diagnostics);

} // namespace idc::frontend
