// What a file of programs has to offer, for those who call it by names and shapes.
#pragma once

#include "compiler/frontend/Ast.h"

#include <string>

namespace idc::library {

/// The algorithms of the main file as JSON on one line, in the form that idc/compiler.h describes.
std::string describe(const frontend::Source &source);

} // namespace idc::library
