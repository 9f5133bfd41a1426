// The programs that an entry's choices make: all of them give its result, and one is taken.
#pragma once

#include "compiler/codegen/Compiler.h"

namespace idc::codegen {

/// The request, whose entry is `program`, with a value for every choice that is open: the defaults first, then in the
/// order of values, the first choice fastest; each program once, and none that refuses its values. At most `tried`
/// combinations are looked at. A request without open choices is the only one.
std::vector<CompileRequest> waysOf(const CompileRequest &request, const frontend::Program &program, size_t tried);

/// Of a request for data in host memory or for several devices, whose entry is `program`: its sizes, with those values
/// of open choices whose passes spend the least time on the link, or whose kernels take the least, by what they move
/// and what leaves a device; the defaults where choices have many values.
frontend::SizeMap fastestOnLinks(const CompileRequest &request, const frontend::Program &program);

} // namespace idc::codegen
