// Traces in files, so that a program can be compared with what it was before (docs/debugging.md).
//
//   {"trace": 1, "inputs": [{"name": "x", "type": "complex<f32>", "radices": [2, 2], "numbers": [1, 0, 2, 0, …]}],
//    "steps": [{"step": "merge @ 1", "place": "mine.id:13: merge @ i, i = 1", "results": [{"type": …}]}, …],
//    "results": [{"type": …}]}
//
// Numbers stand element after element, those of an element in the order of its type, a complex number as two; what no
// JSON number is, is "nan", "inf" or "-inf". Radices are those of the index's digits, the least significant first.
#pragma once

#include "compiler/tools/Trace.h"

namespace idc::tools {

/// Throws host::Error when the trace has too many numbers for a file, and runtime::FileError.
void writeTrace(const std::string &path, const Trace &trace);

/// Throws host::Error when the file holds no trace, with the place in it, and runtime::FileError.
Trace readTrace(const std::string &path);

} // namespace idc::tools
