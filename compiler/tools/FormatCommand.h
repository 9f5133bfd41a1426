// `idc format`: files in the style of the language.
#pragma once

#include <string>
#include <vector>

namespace idc::tools {

enum class FormatMode { Print, InPlace, Check };

/// Formats each file ("-": standard input). Prints the texts, writes those that change back, or names those that would
/// change. A file with mistakes is left alone and its diagnostics are printed. The exit status: 0, or 1 when a file has
/// mistakes, cannot be read or written, or, in Check, is not in the style.
int formatFiles(const std::vector<std::string> &files, FormatMode mode);

} // namespace idc::tools
