// What an instance of a program takes and gives, in the terms of its declaration.
#pragma once

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Elaborated.h"

#include <string>

namespace idc::codegen {

/// JSON on one line: {"entry", "sizes": {name: value}, "types": {name: type}, "inputs", "scalars", "outputs"}, the last
/// three lists of {"name", "type"}, elements as manifests spell them, and for arrays "shape", the lengths of the
/// declared dimensions, most significant first.
std::string signature(const frontend::Program &program, const frontend::Function &declaration,
                      const frontend::Source &source);

} // namespace idc::codegen
