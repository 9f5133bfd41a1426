#include "compiler/frontend/WriteBody.h"

#include "compiler/frontend/OpNames.h"
#include "compiler/frontend/Value.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace idc::frontend {

std::string TypeWriter::spell(const TypeRef &type) {
  if (type->kind == Type::Kind::Array)
    return spell(type->element) + "[" + std::to_string(type->length) + "]";
  if (type->kind != Type::Kind::Record)
    return frontend::spell(*type);
  const std::string key = type->name + " " + spellStructure(*type);
  if (auto known = names.find(key); known != names.end())
    return known->second;
  std::string plain;
  for (char c : type->name)
    if (llvm::isAlnum(c) || c == '_')
      plain += c;
    else if (!plain.empty() && plain.back() != '_')
      plain += '_';
  plain = llvm::StringRef(plain).rtrim('_').str();
  std::string name = plain;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = plain + "_" + std::to_string(number);
  names[key] = name;
  std::string fields;
  for (const auto &[field, part] : type->fields)
    fields += (fields.empty() ? " " : ", ") + field + ": " + spell(part);
  text += "type " + name + " = {" + fields + " };\n";
  return name;
}

namespace {

std::string real(long double value) {
  if (std::isinf(value))
    return value < 0 ? "(-infinity)" : "infinity";
  if (std::isnan(value))
    return "(infinity - infinity)";
  char text[64];
  for (int digits : {17, 21}) { // as many as the number needs
    snprintf(text, sizeof text, "%.*Lg", digits, std::fabs(value));
    if (std::strtold(text, nullptr) == std::fabs(value))
      break;
  }
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos)
    result += ".0";
  return std::signbit(value) && value != 0 ? "(-" + result + ")" : result;
}

std::string integer(int64_t value, bool isUnsigned) {
  if (isUnsigned)
    return std::to_string(static_cast<uint64_t>(value));
  return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
}

std::string literal(const Instr &instr) {
  switch (instr.type->kind) {
  case Type::Kind::Bool:
    return instr.intValue ? "true" : "false";
  case Type::Kind::Complex:
    return "complex(" + real(instr.real) + ", " + real(instr.imag) + ")";
  case Type::Kind::Mod:
    return integer(instr.intValue, true);
  default:
    return isInteger(*instr.type) ? integer(instr.intValue, !isSigned(*instr.type)) : real(instr.real);
  }
}

std::string polynomial(const digits::Polynomial &poly, const std::function<std::string(int)> &digit) {
  std::string text;
  for (const auto &[monomial, coefficient] : poly.monomials()) {
    std::string term;
    if (coefficient != 1 || monomial.empty())
      term = integer(coefficient, false);
    for (int number : monomial)
      term += (term.empty() ? "" : " * ") + digit(number);
    text += (text.empty() ? "" : " + ") + term;
  }
  return text.empty() ? "0" : text;
}

/// The sign between two operands, or null for what is called.
const char *infix(Op op, bool isBool) {
  switch (op) {
  case Op::And:
    return isBool ? "&&" : "&";
  case Op::Or:
    return isBool ? "||" : "|";
  case Op::Xor:
    return isBool ? "!=" : nullptr;
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Div:
  case Op::Rem:
  case Op::Shl:
  case Op::Shr:
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return spelling(op);
  default:
    return nullptr;
  }
}

/// An operation on operands that are names or stand in parentheses.
std::string operation(const Instr &instr, const std::vector<std::string> &operands) {
  const bool isBool = instr.type->kind == Type::Kind::Bool;
  if (const char *sign = infix(instr.op, isBool))
    return operands[0] + " " + sign + " " + operands[1];
  if (instr.op == Op::Neg)
    return "-" + operands[0];
  if (instr.op == Op::Not)
    return (isBool ? "!" : "~") + operands[0];
  return std::string(spelling(instr.op)) + "(" + llvm::join(operands, ", ") + ")";
}

/// A value of `type` made of leaves.
std::string assembled(const TypeRef &type, const std::vector<std::string> &leaves, size_t &next, TypeWriter &types) {
  if (type->kind == Type::Kind::Array) {
    std::vector<std::string> parts;
    for (int64_t i = 0; i < type->length; ++i)
      parts.push_back(assembled(type->element, leaves, next, types));
    return "[" + llvm::join(parts, ", ") + "]";
  }
  if (type->kind != Type::Kind::Record)
    return leaves[next++];
  std::vector<std::string> parts;
  for (const auto &[field, part] : type->fields)
    parts.push_back(field + ": " + assembled(part, leaves, next, types));
  return types.spell(type) + "{ " + llvm::join(parts, ", ") + " }";
}

/// Which instructions the results need.
std::vector<bool> needed(const Body &body) {
  const size_t params = body.params.size();
  std::vector<bool> result(params + body.instrs.size(), false);
  for (int id : body.results)
    result[static_cast<size_t>(id)] = true;
  for (size_t id = result.size(); id-- > params;)
    if (result[id])
      for (int operand : body.instrs[id - params].operands)
        result[static_cast<size_t>(operand)] = true;
  return result;
}

/// How often instructions that the results need, and these, take each value.
std::vector<int> useCounts(const Body &body) {
  const std::vector<bool> isNeeded = needed(body);
  std::vector<int> uses(isNeeded.size(), 0);
  for (size_t id = body.params.size(); id < isNeeded.size(); ++id)
    if (isNeeded[id])
      for (int operand : body.instrs[id - body.params.size()].operands)
        ++uses[static_cast<size_t>(operand)];
  for (int id : body.results)
    ++uses[static_cast<size_t>(id)];
  return uses;
}

/// Writes a func or node: a statement for each instruction, but for short ones that are taken once.
class FunctionWriter {
public:
  FunctionWriter(const Body &body, const BodyNames &names, TypeWriter &types)
      : body(body), names(names), types(types), isNeeded(needed(body)), uses(useCounts(body)), text(isNeeded.size()) {}

  WrittenFunction write(const std::vector<TypeRef> &params, const std::vector<int> &order,
                        const std::vector<TypeRef> &results) {
    nameParameters(params, order);
    for (size_t id = body.params.size(); id < text.size(); ++id)
      if (isNeeded[id])
        writeInstr(static_cast<int>(id));
    std::vector<std::string> leaves, parts, declared;
    for (int id : body.results)
      leaves.push_back(typed(id));
    size_t next = 0;
    for (const TypeRef &type : results) {
      parts.push_back(assembled(type, leaves, next, types));
      declared.push_back(types.spell(type));
    }
    const bool one = results.size() == 1;
    const std::string type = llvm::join(declared, ", "), value = llvm::join(parts, ", ");
    WrittenFunction function;
    function.text = "(" + llvm::join(parameters, ", ") + ") -> " + (one ? type : "(" + type + ")") + " {\n" +
                    statements + "  return " + (one ? value : "(" + value + ")") + ";\n}\n";
    function.arguments = std::move(arguments);
    return function;
  }

private:
  void nameParameters(const std::vector<TypeRef> &params, const std::vector<int> &order) {
    std::vector<size_t> first; // leaf of each
    size_t leaf = 0;
    for (const TypeRef &type : params) {
      first.push_back(leaf);
      leaf += leaves(type).size();
    }
    for (size_t i = 0; i < order.size(); ++i) {
      const size_t number = static_cast<size_t>(order[i]);
      const std::string name = order.size() == 1 ? "x" : "x" + std::to_string(i);
      parameters.push_back(name + ": " + types.spell(params[number]));
      size_t at = first[number];
      for (std::string &part : leafNames(name, *params[number]))
        text[at++] = std::move(part);
    }
  }

  /// A parameter for what is said where the function is used, once for equal ones.
  std::string argument(const char *prefix, const std::string &value, const TypeRef &type) {
    const std::string spelled = types.spell(type);
    auto [known, isNew] = byArgument.try_emplace(value + " " + spelled);
    if (isNew) {
      known->second = prefix + std::to_string(arguments.size());
      parameters.push_back(known->second + ": " + spelled);
      arguments.push_back(value);
    }
    return known->second;
  }

  const Instr *constant(int id) const {
    const size_t params = body.params.size(), number = static_cast<size_t>(id);
    return number >= params && body.instrs[number - params].op == Op::Constant ? &body.instrs[number - params]
                                                                               : nullptr;
  }

  void let(int id, const std::string &value, bool withType = false) {
    constexpr size_t shortLength = 32;
    std::string &name = text[static_cast<size_t>(id)];
    if (uses[static_cast<size_t>(id)] == 1 && !withType && value.size() <= shortLength) {
      name = value;
      return;
    }
    name = "v" + std::to_string(nextName++);
    statements += "  let " + name + (withType ? ": " + types.spell(body.instrs[id - body.params.size()].type) : "") +
                  " = " + value + ";\n";
  }

  /// The value with its type: a constant under a name.
  std::string typed(int id) {
    if (const Instr *number = constant(id); number && text[static_cast<size_t>(id)].empty())
      let(id, literal(*number), /*withType=*/true);
    return text[static_cast<size_t>(id)];
  }

  void writeInstr(int id) {
    const Instr &instr = body.instrs[static_cast<size_t>(id) - body.params.size()];
    switch (instr.op) {
    case Op::Constant: // where it is used
      return;
    case Op::Digit:
      text[static_cast<size_t>(id)] = argument("k", names.digit(instr.digit), instr.type);
      return;
    case Op::ScalarParam:
      text[static_cast<size_t>(id)] = argument("s", names.scalars[static_cast<size_t>(instr.digit)], instr.type);
      return;
    case Op::Omega:
      return writeOmega(id, instr);
    case Op::Convert:
      return let(id, types.spell(instr.type) + "(" + typed(instr.operands[0]) + ")");
    case Op::Lookup: {
      std::vector<std::string> entries;
      for (size_t i = 1; i < instr.operands.size(); ++i)
        entries.push_back(literal(*constant(instr.operands[i])));
      const std::string table = "t" + std::to_string(nextName++);
      statements += "  let " + table + ": " + types.spell(instr.type) + "[" + std::to_string(entries.size()) + "] = [" +
                    llvm::join(entries, ", ") + "];\n";
      return let(id, table + "[" + typed(instr.operands[0]) + "]");
    }
    default:
      return let(id, operation(instr, operandsOf(instr)));
    }
  }

  /// A constant stands beside a value that gives it its type; where there is none it has a name.
  std::vector<std::string> operandsOf(const Instr &instr) {
    const size_t first = instr.op == Op::Select ? 1 : 0;
    bool others = true; // constants may stand as they are
    for (size_t i = first; i < instr.operands.size(); ++i)
      others &= constant(instr.operands[i]) != nullptr;
    std::vector<std::string> operands;
    for (size_t i = 0; i < instr.operands.size(); ++i) {
      const int id = instr.operands[i];
      const Instr *number = constant(id);
      const std::string value = number && !others && i >= first ? literal(*number) : typed(id);
      operands.push_back(isInfix(instr) && isOperation(id) && value.find(' ') != std::string::npos ? "(" + value + ")"
                                                                                                   : value);
    }
    return operands;
  }
  static bool isInfix(const Instr &instr) {
    return instr.op == Op::Neg || instr.op == Op::Not || infix(instr.op, instr.type->kind == Type::Kind::Bool);
  }
  /// Whether the value's text may be an operation between others.
  bool isOperation(int id) const {
    const size_t params = body.params.size(), number = static_cast<size_t>(id);
    return number >= params && isInfix(body.instrs[number - params]);
  }

  void writeOmega(int id, const Instr &instr) {
    const std::string head = "omega(" + std::to_string(instr.root) + ", ";
    if (!instr.hasPoly)
      return let(id, head + typed(instr.operands[0]) + ")", /*withType=*/true);
    const std::string value = head + polynomial(instr.poly, names.digit) + ")";
    if (instr.poly.isConstant())
      return let(id, value, /*withType=*/true);
    text[static_cast<size_t>(id)] = argument("w", value, instr.type);
  }

  const Body &body;
  const BodyNames &names;
  TypeWriter &types;
  std::vector<bool> isNeeded;
  std::vector<int> uses;
  std::vector<std::string> text; // of each value
  std::vector<std::string> parameters, arguments;
  std::map<std::string, std::string> byArgument;
  std::string statements;
  int nextName = 0;
};

/// Writes values as expressions without statements.
class ExpressionWriter {
public:
  /// `exact`: integers of any size, as in the index of a gather, where conversions between integers say nothing.
  ExpressionWriter(const Body &body, const BodyNames &names, TypeWriter *types, bool exact)
      : body(body), names(names), types(types), exact(exact), uses(useCounts(body)), known(uses.size()) {
    for (size_t id = 0; id < body.instrs.size(); ++id) { // neither an index nor a fill has parameters
      bool made = body.instrs[id].op == Op::Digit;
      for (int operand : body.instrs[id].operands)
        made |= isOfDigits[static_cast<size_t>(operand)];
      isOfDigits.push_back(made);
    }
  }

  std::string write(int id) {
    std::string &text = known[static_cast<size_t>(id)];
    if (!text.empty())
      return text;
    const Instr &instr = body.instrs[static_cast<size_t>(id) - body.params.size()];
    switch (instr.op) {
    case Op::Constant:
      return text = literal(instr);
    case Op::Digit:
      return text = names.digit(instr.digit);
    case Op::ScalarParam:
      return text = names.scalars[static_cast<size_t>(instr.digit)];
    case Op::Convert:
      return text = exact ? write(instr.operands[0]) : types->spell(instr.type) + "(" + write(instr.operands[0]) + ")";
    case Op::Lookup: {
      std::vector<std::string> entries;
      for (size_t i = 1; i < instr.operands.size(); ++i)
        entries.push_back(write(instr.operands[i]));
      text = "[" + llvm::join(entries, ", ") + "][" + write(instr.operands[0]) + "]";
      break;
    }
    default: {
      std::vector<std::string> operands;
      for (int operand : instr.operands)
        operands.push_back(write(operand));
      text = operation(instr, operands);
      if (infix(instr.op, instr.type->kind == Type::Kind::Bool) || instr.op == Op::Neg || instr.op == Op::Not)
        text = "(" + text + ")";
      break;
    }
    }
    if (uses[static_cast<size_t>(id)] > 1 && names.name && isOfDigits[static_cast<size_t>(id)])
      text = names.name(text);
    return text;
  }

private:
  const Body &body;
  const BodyNames &names;
  TypeWriter *types;
  bool exact;
  std::vector<int> uses;
  std::vector<bool> isOfDigits;
  std::vector<std::string> known;
};

} // namespace

std::string writeRequirement(const Requirement &required, const std::string &name, const Type &type) {
  if (type.kind == Type::Kind::Bool)
    return ((required.is == "==") == (required.number == 1) ? "" : "!") + name;
  const auto whole = static_cast<int64_t>(isReal(type) ? 0 : required.number);
  return name + " " + required.is + " " + (isReal(type) ? real(required.number) : integer(whole, false));
}

WrittenFunction writeFunction(const Body &body, const std::vector<TypeRef> &params, const std::vector<int> &order,
                              const std::vector<TypeRef> &results, const BodyNames &names, TypeWriter &types) {
  return FunctionWriter(body, names, types).write(params, order, results);
}

std::string writeIndex(const Body &body, const BodyNames &names) {
  const std::string text = ExpressionWriter(body, names, nullptr, /*exact=*/true).write(body.results[0]);
  const bool enclosed = text.front() == '(' && text.find_first_of(')') == text.size() - 1;
  return enclosed ? text.substr(1, text.size() - 2) : text;
}

std::string writeValue(const Body &body, const TypeRef &type, const BodyNames &names, TypeWriter &types) {
  ExpressionWriter writer(body, names, &types, /*exact=*/false);
  std::vector<std::string> leaves;
  for (int id : body.results)
    leaves.push_back(writer.write(id));
  size_t next = 0;
  return assembled(type, leaves, next, types);
}

} // namespace idc::frontend
