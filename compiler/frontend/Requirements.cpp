// What a program requires of its run-time scalars, known at the call.
//
// A requirement is a compile-time check where its condition is known then. One on parameters of the entry without
// brackets is checked at every call instead, before anything is launched:
//
//   require k >= 0 && k < N, "k is a place";   ->   of k: >= 0, < N, each with the message
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Evaluate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace idc::frontend {

static const Instr *instructionOf(const BodyBuilder &builder, int id) {
  const int index = id - static_cast<int>(builder.body.params.size());
  return index >= 0 ? &builder.body.instrs[static_cast<size_t>(index)] : nullptr;
}

/// The comparison of a scalar with a number, as it is spelled; `turned`: of the number with the scalar.
static const char *comparisonOf(Op op, bool turned) {
  switch (op) {
  case Op::Lt:
    return turned ? ">" : "<";
  case Op::Le:
    return turned ? ">=" : "<=";
  case Op::Gt:
    return turned ? "<" : ">";
  case Op::Ge:
    return turned ? "<=" : ">=";
  case Op::Eq:
    return "==";
  case Op::Ne:
    return "!=";
  default:
    return nullptr;
  }
}

/// The number that a constant of this type is; nothing for types that calls do not compare, and where no manifest holds
/// it.
static std::optional<long double> numberOf(const Instr &constant) {
  const Type &type = *constant.type;
  if (type.kind == Type::Kind::Bool || isInteger(type)) {
    if (type.kind == Type::Kind::U64 && constant.intValue < 0)
      return std::nullopt;
    return static_cast<long double>(constant.intValue);
  }
  if (type.kind == Type::Kind::F32)
    return static_cast<long double>(static_cast<float>(constant.real));
  if (type.kind == Type::Kind::F64)
    return static_cast<long double>(static_cast<double>(constant.real));
  return std::nullopt;
}

void Elaborator::requireAtCall(const BodyBuilder &builder, int id, const Statement &statement) {
  const Expr &condition = *statement.values[0];
  auto refuse = [&] {
    fail(condition,
         "a requirement on run-time values compares parameters of the entry with numbers, of integers, bool, "
         "f32 or f64, and joins comparisons by '&&'");
  };
  const Instr *instr = instructionOf(builder, id);
  if (!instr)
    refuse();
  auto require = [&](int scalar, const char *is, long double number) {
    if (!std::isfinite(number))
      refuse();
    std::vector<Requirement> &required = program.scalars[static_cast<size_t>(scalar)].required;
    Requirement own{is, number, statement.message};
    if (std::find(required.begin(), required.end(), own) == required.end())
      required.push_back(std::move(own));
    const ScalarParameter &parameter = program.scalars[static_cast<size_t>(scalar)];
    if (isReal(*parameter.type))
      return;
    if (const auto [low, high] = boundsOf(parameter); low > high)
      fail(condition, "no value is one that calls may give");
  };
  auto scalarOf = [&](int operand) {
    const Instr *read = instructionOf(builder, operand);
    return read && read->op == Op::ScalarParam ? read : nullptr;
  };
  if (instr->op == Op::And) {
    for (int side : {instr->operands[0], instr->operands[1]}) {
      const Instr *constant = builder.constant(side);
      if (!constant)
        requireAtCall(builder, side, statement);
      else if (!constant->intValue)
        fail(condition, statement.message);
    }
    return;
  }
  if (instr->op == Op::ScalarParam)
    return require(instr->digit, "==", 1);
  if (instr->op == Op::Not)
    if (const Instr *scalar = scalarOf(instr->operands[0]))
      return require(scalar->digit, "==", 0);
  if (!comparisonOf(instr->op, false))
    refuse();
  const bool turned = !scalarOf(instr->operands[0]);
  const Instr *scalar = scalarOf(instr->operands[turned ? 1 : 0]);
  const Instr *number = builder.constant(instr->operands[turned ? 0 : 1]);
  const std::optional<long double> value = scalar && number ? numberOf(*number) : std::nullopt;
  if (!value)
    refuse();
  require(scalar->digit, comparisonOf(instr->op, turned), *value);
}

static bool holds(const Requirement &required, long double value) {
  return required.is == "<"    ? value < required.number
         : required.is == "<=" ? value <= required.number
         : required.is == ">"  ? value > required.number
         : required.is == ">=" ? value >= required.number
         : required.is == "==" ? value == required.number
                               : value != required.number;
}

std::string brokenRequirement(const Program &program, const std::vector<Scalar> &scalars) {
  for (size_t i = 0; i < program.scalars.size(); ++i) {
    const ScalarParameter &scalar = program.scalars[i];
    const bool isUnsigned = scalar.type->kind == Type::Kind::U64;
    const long double value = isReal(*scalar.type) ? scalars[i].re
                              : isUnsigned         ? static_cast<long double>(static_cast<uint64_t>(scalars[i].integer))
                                                   : static_cast<long double>(scalars[i].integer);
    for (const Requirement &required : scalar.required)
      if (!holds(required, value))
        return scalar.name + ": " + required.message;
  }
  return "";
}

std::vector<Scalar> scalarsNear(const Program &program, int64_t wanted) {
  std::vector<Scalar> values;
  for (const ScalarParameter &scalar : program.scalars) {
    Scalar &value = values.emplace_back(Scalar{static_cast<long double>(wanted), 0, wanted});
    if (scalar.type->kind != Type::Kind::Bool && !isInteger(*scalar.type))
      continue;
    const auto [low, high] = boundsOf(scalar);
    value.integer = Int(wanted) < low    ? static_cast<int64_t>(low)
                    : Int(wanted) > high ? static_cast<int64_t>(high)
                                         : wanted;
  }
  return values;
}

} // namespace idc::frontend
