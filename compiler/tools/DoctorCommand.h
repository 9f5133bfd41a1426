// `idc doctor`: what of what idc works with is there, what is not, and what to do about it.
#pragma once

#include <string>

namespace idc::tools {

/// Prints a line for each: this compiler, the standard library, the driver and its GPU, CUDA's tools, the cache, the
/// libraries that programs link, the Python package, folders that are written to. The exit status is 0 when idc can
/// compile, 1 when it cannot; what only some targets need is no failure.
int examine(const std::string &version);

} // namespace idc::tools
