// What people write in a request, as text.
#pragma once

#include "compiler/codegen/Compiler.h"

namespace idc::codegen {

/// Adds NAME=VALUE to the sizes or types of a request. The error says what is wrong with the text.
llvm::Error addSetting(llvm::StringRef setting, CompileRequest &request);

/// Sets the plan by its name. The error lists the known ones.
llvm::Error setPlan(llvm::StringRef name, CompileRequest &request);

/// Sets the file. A program of the standard library, the last of the request's folders, may be named without its
/// folder.
void setFile(llvm::StringRef file, CompileRequest &request);

} // namespace idc::codegen
