// Changes of programs that the grammar suggests: what libFuzzer's changes of bytes would hardly ever find.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <random>
#include <string>

namespace idc::fuzz {

/// A program changed in one place: a part of the tree that the grammar makes of it is left out, repeated, exchanged
/// with another of the same rule or replaced by it; or a number becomes one of the extremes, a word another word, or
/// the request in the first line (ProgramTarget.cpp) another one. Texts without a tree are returned as they are.
std::string mutateProgram(llvm::StringRef program, std::mt19937 &random);

/// `program` with one part replaced by a part of `other` of the same rule, or with a declaration of it added.
std::string crossPrograms(llvm::StringRef program, llvm::StringRef other, std::mt19937 &random);

} // namespace idc::fuzz
