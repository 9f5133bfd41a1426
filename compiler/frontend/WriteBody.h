// Bodies of elaborated programs as text of the language: types, funcs and nodes, and expressions of digits.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace idc::frontend {

/// Spells types. Records are declared under names of their own, which differ from each other.
class TypeWriter {
public:
  std::string spell(const TypeRef &type);
  /// The declarations of all records that were spelled, one a line.
  const std::string &declarations() const { return text; }

private:
  std::map<std::string, std::string> names; // by name and structure
  std::set<std::string> taken;
  std::string text;
};

/// The condition that a requirement is of a parameter without brackets.
std::string writeRequirement(const Requirement &required, const std::string &name, const Type &type);

/// A func or node behind its name, "(x0: f64[2], k0: i64) -> f64 { … }", and what follows the piped values where it is
/// used: digits, roots of unity and parameters without brackets.
struct WrittenFunction {
  std::string text;
  std::vector<std::string> arguments;
};

/// What bodies are written with.
struct BodyNames {
  std::vector<std::string> scalars;             // of Program::scalars
  std::function<std::string(int)> digit;        // of the arrangement that arrives at the step: "digit(3)"
  std::function<std::string(std::string)> name; // an expression of digits, under a name of its own; may be empty
};

/// `params` and `results` are the types of the body's values in turn, arrays among them; the function takes its
/// parameters in the order `order` of their numbers.
WrittenFunction writeFunction(const Body &body, const std::vector<TypeRef> &params, const std::vector<int> &order,
                              const std::vector<TypeRef> &results, const BodyNames &names, TypeWriter &types);

/// The index that the body of a gather or scatter gives, as an expression of digits.
std::string writeIndex(const Body &body, const BodyNames &names);

/// A value of `type` that a body without parameters gives, as one expression.
std::string writeValue(const Body &body, const TypeRef &type, const BodyNames &names, TypeWriter &types);

} // namespace idc::frontend
