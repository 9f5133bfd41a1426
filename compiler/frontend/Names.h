// Which declaration every name of a program means.
#pragma once

#include "compiler/frontend/Ast.h"

#include <string>
#include <vector>

namespace idc::frontend {

/// What a name is: a parameter in <..> that is no type is a Parameter, one in parentheses an Argument.
enum class NameKind { Function, Record, Constant, Field, TypeVariable, Parameter, Size, Argument, Variable, Dimension };

/// A place where a name stands, and where it is declared, which is `place` itself in a declaration. A size is declared
/// where the parameters' shapes first name it.
struct NameUse {
  llvm::SMRange place, declared;
  NameKind kind;
};

/// Every use of a declared name in all files, each place once, in the order of their addresses. What the language
/// defines and what is not declared have none; nor has a field when several records have one of its name.
std::vector<NameUse> resolveNames(const Source &source);

/// The names that the language defines: functions and steps, types.
std::vector<std::string> builtinFunctions();
std::vector<std::string> builtinTypes();

} // namespace idc::frontend
