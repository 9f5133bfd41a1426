// The direct evaluation of a program as the reference of a run.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include "host/Run.h"

namespace idc::tools {

/// Evaluates `program` (which must outlive the result) on the bytes of one problem's inputs, in long double or exactly;
/// real results come as f8 or c16, integers as i8. Throws host::Error when the evaluation fails.
host::Reference makeReference(const frontend::Program &program);

} // namespace idc::tools
