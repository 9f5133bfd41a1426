//===- Messages.h - what tools say beside their output ----------*- C++ -*-===//

#ifndef IDC_HOST_MESSAGES_H
#define IDC_HOST_MESSAGES_H

#include <string>
#include <string_view>

namespace idc::host {

enum class Severity { Error, Note };

/// "error: TEXT" or "note: TEXT" with an end of line, as compilers have it; the word in colours of a terminal when
/// `coloured`. Text that has its place (FILE:LINE:COLUMN) is printed by frontend/Diagnostics, in the same form.
std::string message(Severity severity, std::string_view text, bool coloured = false);

/// Whether the user refuses colours everywhere, by a variable NO_COLOR that is not empty (no-color.org).
bool refusesColours();

/// Prints an error to standard error, in colours where that is a terminal.
void printError(std::string_view text);

} // namespace idc::host

#endif // IDC_HOST_MESSAGES_H
