// What people are told of an algorithm before they use it.
#pragma once

#include "compiler/frontend/Ast.h"

#include <string>
#include <vector>

namespace idc::tools {

/// The algorithms of the main file that are meant to be used: those with documentation, of which the others are parts;
/// all where none has any.
std::vector<const frontend::Function *> usedAlgorithms(const frontend::Source &source);

/// The declaration without its body, in one line: "scan<T = i32>(x: T[2^n]) -> T[2^n]". The source's text must be
/// there.
std::string signatureOf(const frontend::Function &function);

/// The first sentence of its documentation, in one line; empty when there is none.
std::string firstSentence(const frontend::Function &function);

} // namespace idc::tools
