// An elaborated program as a program of the language.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include <string>
#include <vector>

namespace idc::frontend {

/// Dimensions of a shape, most significant first: name (may be empty) and number of digits.
using WrittenShape = std::vector<std::pair<std::string, int>>;

/// What the text says beside the steps.
struct ProgramText {
  std::string doc;                           // of the entry, without "///"; may have several lines
  std::vector<WrittenShape> inputs, outputs; // by position; what is missing or empty is one dimension without a name
};

/// The text of a program whose entry does what `program` does. It declares all that it uses, imports nothing, and is
/// not formatted. Every step becomes a stage, in order; steps with equal bodies share one func or node. The program may
/// have no Program::constants: these are steps that have not been folded. Parameters without brackets that are leaves
/// of a record become parameters of their own, "line.slope" `line_slope`.
std::string writeProgram(const Program &program, const ProgramText &about);

} // namespace idc::frontend
