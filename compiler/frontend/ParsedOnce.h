// Programs that a process parses once, however many sizes it compiles.
#pragma once

#include "compiler/frontend/Parse.h"

namespace idc::frontend {

/// As parseFile(): what was parsed before is found again while the file and all that it imports have the same text, and
/// no file has appeared that would be imported instead. The program is immutable and may be shared by threads. Places
/// in it are shown by `diagnostics`, whichever they were parsed for.
std::shared_ptr<const Source> parseFileOnce(const std::string &path, const std::vector<std::string> &folders,
                                            Diagnostics &diagnostics);
/// The same for text in memory, as parseText().
std::shared_ptr<const Source> parseTextOnce(const std::string &text, const std::string &name,
                                            const std::vector<std::string> &folders, Diagnostics &diagnostics);

} // namespace idc::frontend
