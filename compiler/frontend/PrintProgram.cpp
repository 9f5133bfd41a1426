// The elaborated program as text.
#include "compiler/frontend/Elaborate.h"

#include "llvm/Support/xxhash.h"

#include <iterator>

namespace idc::frontend {

namespace {

const char *opName(Op op) {
  static const char *names[] = {
      "constant", "digit", "omega", "add",   "sub",      "mul", "div",  "rem", "neg", "and",     "or",      "xor",
      "not",      "shl",   "shr",   "eq",    "ne",       "lt",  "le",   "gt",  "ge",  "select",  "lookup",  "min",
      "max",      "abs",   "fma",   "sqrt",  "rsqrt",    "exp", "log",  "sin", "cos", "tanh",    "erf",     "pow",
      "atan2",    "floor", "ceil",  "round", "popcount", "clz", "conj", "re",  "im",  "complex", "convert", "scalar"};
  static_assert(std::size(names) == static_cast<size_t>(Op::ScalarParam) + 1);
  return names[static_cast<int>(op)];
}

std::string number(long double value) {
  char text[64];
  snprintf(text, sizeof text, "%.21Lg", value);
  return text;
}

std::string spellValue(const Instr &instr) {
  switch (instr.type->kind) {
  case Type::Kind::Bool:
    return instr.intValue ? "true" : "false";
  case Type::Kind::I8:
  case Type::Kind::I16:
  case Type::Kind::I32:
  case Type::Kind::I64:
    return std::to_string(instr.intValue);
  case Type::Kind::U8:
  case Type::Kind::U16:
  case Type::Kind::U32:
  case Type::Kind::U64:
  case Type::Kind::Mod:
    return std::to_string(static_cast<uint64_t>(instr.intValue));
  case Type::Kind::Complex:
    return "(" + number(instr.real) + ", " + number(instr.imag) + ")";
  default:
    return number(instr.real);
  }
}

std::string numbers(const std::vector<int> &list, const char *prefix) {
  std::string text;
  for (int value : list)
    text += (text.empty() ? "" : ", ") + (prefix + std::to_string(value));
  return text;
}

/// The first numbers of a constant, and a hash of all.
std::string digest(const Constant &constant) {
  constexpr size_t shown = 4;
  std::string text, all;
  for (size_t i = 0; i < constant.leaves.size(); ++i) {
    const Scalar &leaf = constant.leaves[i];
    const std::string number =
        std::to_string(leaf.re) + "," + std::to_string(leaf.im) + "," + std::to_string(leaf.integer) + " ";
    text += i < shown ? number : "";
    all += number;
  }
  return text + ".. #" + std::to_string(llvm::xxh3_64bits(all));
}

} // namespace

std::string printProgram(const Program &program) {
  std::string text = "program " + program.entry;
  for (const auto &size : program.sizes)
    text += " " + size.first + "=" + std::to_string(size.second);
  for (const Choice &choice : program.choices)
    text += " " + choice.name + "=" + std::to_string(choice.value);
  for (const auto &type : program.types)
    text += " " + type.first + "=" + type.second;
  text += "\n";
  auto sequence = [&](int value) {
    const Sequence &shape = program.values[value];
    std::string radices;
    for (auto radix = shape.radices.rbegin(); radix != shape.radices.rend(); ++radix)
      radices += (radices.empty() ? "" : " ") + std::to_string(*radix);
    return "v" + std::to_string(value) + ": " + spell(*shape.element) + "[" + radices + "]";
  };
  for (const Parameter &input : program.inputs)
    text += "  input " + input.name + " " + sequence(input.value) + "\n";
  for (const Constant &constant : program.constants)
    text += "  constant " + sequence(constant.value) + " = " + digest(constant) + "\n";
  for (const ScalarParameter &scalar : program.scalars)
    text += "  scalar " + scalar.name + ": " + spell(*scalar.type) + "\n";
  for (const Step &step : program.steps) {
    text += "  ";
    for (size_t i = 0; i < step.outputs.size(); ++i)
      text += (i == 0 ? "" : ", ") + sequence(step.outputs[i]);
    text += " = ";
    if (step.kind == Step::Kind::Permute) {
      text += "permute " + step.permutation.str() + " v" + std::to_string(step.inputs[0]) + "\n";
      continue;
    }
    const bool resizes = step.kind == Step::Kind::Resize;
    const bool moves = step.kind == Step::Kind::Gather || step.kind == Step::Kind::Scatter;
    text += moves ? step.name
                  : (step.kind == Step::Kind::Node ? "node "
                     : resizes                     ? "resize "
                                                   : "pointwise ") +
                        step.name;
    if (step.kind == Step::Kind::Node)
      text += " @ (" + numbers(step.digits, "") + ")";
    if (resizes || moves)
      text += " lowest " + std::to_string(step.lowest);
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      text += std::string(i == 0 ? " " : ", ") + "v" + std::to_string(step.inputs[i]);
      if (i < step.arrayInput.size() && step.arrayInput[i])
        text += "[]";
      if (i < step.broadcastDigits.size() && !step.broadcastDigits[i].empty())
        text += " broadcast(" + numbers(step.broadcastDigits[i], "") + ")";
    }
    text += "\n";
    size_t id = step.body.params.size();
    for (const Instr &instr : step.body.instrs) {
      text += "    %" + std::to_string(id++) + ": " + spell(*instr.type) + " = " + opName(instr.op);
      if (instr.op == Op::Constant)
        text += " " + spellValue(instr);
      if (instr.op == Op::Digit || instr.op == Op::ScalarParam)
        text += " " + std::to_string(instr.digit);
      if (instr.op == Op::Omega)
        text += " " + std::to_string(instr.root) + (instr.hasPoly ? " ^ (" + instr.poly.str() + ")" : "");
      if (!instr.operands.empty())
        text += " " + numbers(instr.operands, "%");
      text += "\n";
    }
    text += "    yield " + numbers(step.body.results, "%") + "\n";
  }
  text += "  output " + numbers(program.outputs, "v") + "\n";
  return text;
}

} // namespace idc::frontend
