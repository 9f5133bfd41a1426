#include "compiler/frontend/Evaluate.h"

#include "dialect/digits/NumberTheory.h"

#include "compiler/frontend/Elaborator.h"

#include "llvm/ADT/APInt.h"

#include <cmath>

namespace idc::frontend {

__extension__ typedef unsigned __int128 Wide;

Scalar rootOfUnity(int64_t order, int64_t exponent) {
  const long double quarterPi = 0.785398163397448309615660845819875721049L;
  int64_t reduced = exponent % order;
  if (reduced < 0)
    reduced += order;
  Wide eighths = static_cast<Wide>(reduced) * 8;
  int octant = static_cast<int>(eighths / order);
  int64_t rest = static_cast<int64_t>(eighths % order);
  bool mirrored = octant % 2 == 1; // the angle is a quarter turn's multiple minus the rest
  long double fraction = static_cast<long double>(mirrored ? order - rest : rest) / static_cast<long double>(order);
  long double c = std::cos(quarterPi * fraction), s = std::sin(quarterPi * fraction);
  if (mirrored)
    s = -s;
  Scalar result;
  switch ((octant + 1) / 2 % 4) {
  case 0:
    result.re = c, result.im = 0 - s;
    break;
  case 1:
    result.re = 0 - s, result.im = 0 - c;
    break;
  case 2:
    result.re = 0 - c, result.im = s;
    break;
  default:
    result.re = s, result.im = c;
    break;
  }
  return result;
}

namespace {

/// One instruction ready to run: an omega's polynomial is flat, its values are remembered.
struct Prepared {
  const Instr *instr;
  struct Term {
    int64_t coefficient;
    std::vector<int> digits;
  };
  std::vector<Term> terms;
  std::vector<Scalar> table; // omega: by exponent
  std::vector<bool> known;
  uint64_t generator = 0; // omega in mod<P>: the root of unity of its order
};

class Interpreter {
public:
  Interpreter(const Body &body, const std::vector<Scalar> &scalars) : body(body), scalars(scalars) {
    for (const Instr &instr : body.instrs) {
      Prepared prepared;
      prepared.instr = &instr;
      if (instr.op == Op::Omega) {
        for (const auto &term : instr.poly.monomials())
          prepared.terms.push_back({term.second, term.first});
        if (instr.type->kind == Type::Kind::Mod) {
          uint64_t p = instr.type->modulus;
          prepared.generator =
              digits::powerMod(digits::primitiveRoot(p), (p - 1) / static_cast<uint64_t>(instr.root), p);
        }
        if (instr.root <= (1 << 22)) {
          prepared.table.resize(static_cast<size_t>(instr.root));
          prepared.known.resize(static_cast<size_t>(instr.root));
        }
      }
      code.push_back(std::move(prepared));
    }
    values.resize(body.params.size() + body.instrs.size());
  }

  std::vector<Scalar> values; // the caller writes parameters first

  bool run(const std::vector<int> &digits, std::string &error) {
    size_t next = body.params.size();
    for (Prepared &prepared : code)
      if (!step(prepared, digits, values[next++], error))
        return false;
    return true;
  }

private:
  const Scalar &operand(const Instr &instr, size_t i) const { return values[instr.operands[i]]; }
  const Type &typeOf(int id) const {
    size_t params = body.params.size(), index = static_cast<size_t>(id);
    return index < params ? *body.params[index] : *body.instrs[index - params].type;
  }

  Scalar omega(Prepared &prepared, const std::vector<int> &digits) {
    const Instr &instr = *prepared.instr;
    int64_t root = instr.root;
    Int sum = 0;
    if (instr.hasPoly)
      for (const Prepared::Term &term : prepared.terms) {
        Int product = term.coefficient;
        for (int digit : term.digits)
          product = product * digits[digit - 1] % root;
        sum = (sum + product) % root;
      }
    else
      sum = operand(instr, 0).integer % root;
    int64_t exponent = static_cast<int64_t>(sum < 0 ? sum + root : sum);
    bool remember = !prepared.table.empty();
    if (remember && prepared.known[exponent])
      return prepared.table[exponent];
    Scalar value;
    if (instr.type->kind == Type::Kind::Mod)
      value.integer = static_cast<int64_t>(
          digits::powerMod(prepared.generator, static_cast<uint64_t>(exponent), instr.type->modulus));
    else
      value = rootOfUnity(root, exponent);
    if (remember) {
      prepared.table[exponent] = value;
      prepared.known[exponent] = true;
    }
    return value;
  }

  static int64_t wrap(const Type &type, int64_t bits) {
    if (!isInteger(type) || bitWidth(type) == 64)
      return type.kind == Type::Kind::Bool ? bits & 1 : bits;
    const int above = 64 - bitWidth(type);
    const auto high = static_cast<uint64_t>(bits) << above;
    return isSigned(type) ? static_cast<int64_t>(high) >> above : static_cast<int64_t>(high >> above);
  }

  static bool less(const Type &type, const Scalar &a, const Scalar &b) {
    if (isReal(type))
      return a.re < b.re;
    if (type.kind == Type::Kind::U64)
      return static_cast<uint64_t>(a.integer) < static_cast<uint64_t>(b.integer);
    return a.integer < b.integer;
  }

  bool same(const Type &type, const Scalar &a, const Scalar &b) const {
    if (type.kind == Type::Kind::Complex)
      return a.re == b.re && a.im == b.im;
    return isReal(type) ? a.re == b.re : a.integer == b.integer;
  }

  static bool integerArithmetic(Op op, const Type &type, int64_t a, int64_t b, int64_t &out, std::string &error) {
    uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b), result = 0;
    int bits = bitWidth(type);
    switch (op) {
    case Op::Add:
      result = x + y;
      break;
    case Op::Sub:
      result = x - y;
      break;
    case Op::Mul:
      result = x * y;
      break;
    case Op::Neg:
      result = 0 - x;
      break;
    case Op::Div:
    case Op::Rem:
      if (y == 0) {
        error = "division by zero";
        return false;
      }
      if (!isSigned(type))
        result = op == Op::Div ? x / y : x % y;
      else if (b == -1)
        result = op == Op::Div ? 0 - x : 0;
      else
        result = static_cast<uint64_t>(op == Op::Div ? a / b : a % b);
      break;
    case Op::And:
      result = x & y;
      break;
    case Op::Or:
      result = x | y;
      break;
    case Op::Xor:
      result = x ^ y;
      break;
    case Op::Not:
      result = ~x;
      break;
    case Op::Shl:
      result = y < static_cast<uint64_t>(bits) ? x << y : 0;
      break;
    case Op::Shr:
      if (y >= static_cast<uint64_t>(bits))
        result = isSigned(type) && a < 0 ? ~uint64_t(0) : 0;
      else
        result = isSigned(type) ? static_cast<uint64_t>(a >> y) : x >> y;
      break;
    default:
      result = isSigned(type) && a < 0 ? 0 - x : x; // Abs
      break;
    }
    out = wrap(type, static_cast<int64_t>(result));
    return true;
  }

  static bool modArithmetic(Op op, uint64_t p, uint64_t a, uint64_t b, uint64_t &out, std::string &error) {
    switch (op) {
    case Op::Add:
      out = static_cast<uint64_t>((static_cast<Wide>(a) + b) % p);
      return true;
    case Op::Sub:
      out = static_cast<uint64_t>((static_cast<Wide>(a) + p - b) % p);
      return true;
    case Op::Neg:
      out = a == 0 ? 0 : p - a;
      return true;
    case Op::Div:
      if (b == 0) {
        error = "division by zero";
        return false;
      }
      b = digits::powerMod(b, p - 2, p);
      [[fallthrough]];
    default:
      out = static_cast<uint64_t>(static_cast<Wide>(a) * b % p);
      return true;
    }
  }

  static Scalar realArithmetic(Op op, const Scalar &a, const Scalar &b) {
    Scalar out;
    switch (op) {
    case Op::Add:
      out.re = a.re + b.re, out.im = a.im + b.im;
      break;
    case Op::Sub:
      out.re = a.re - b.re, out.im = a.im - b.im;
      break;
    case Op::Neg:
      out.re = -a.re, out.im = -a.im;
      break;
    case Op::Mul:
      out.re = a.re * b.re - a.im * b.im, out.im = a.re * b.im + a.im * b.re;
      break;
    default: { // Div
      long double norm = b.re * b.re + b.im * b.im;
      out.re = (a.re * b.re + a.im * b.im) / norm, out.im = (a.im * b.re - a.re * b.im) / norm;
      break;
    }
    }
    return out;
  }

  static bool arithmetic(Op op, const Type &type, const Scalar &a, const Scalar &b, Scalar &out, std::string &error) {
    if (type.kind == Type::Kind::Mod) {
      uint64_t result = 0;
      bool good = modArithmetic(op, type.modulus, static_cast<uint64_t>(a.integer), static_cast<uint64_t>(b.integer),
                                result, error);
      out.integer = static_cast<int64_t>(result);
      return good;
    }
    if (isInteger(type))
      return integerArithmetic(op, type, a.integer, b.integer, out.integer, error);
    if (isReal(type)) { // no imaginary parts: infinities must not meet zeros there
      out.re = op == Op::Add   ? a.re + b.re
               : op == Op::Sub ? a.re - b.re
               : op == Op::Neg ? -a.re
               : op == Op::Mul ? a.re * b.re
                               : a.re / b.re;
      return true;
    }
    out = realArithmetic(op, a, b);
    return true;
  }

  static Scalar convert(const Type &from, const Type &to, const Scalar &value) {
    Scalar out;
    if (to.kind == Type::Kind::Complex) {
      out.re = value.re, out.im = value.im;
    } else if (isReal(to)) {
      out.re = isReal(from)                   ? value.re
               : from.kind == Type::Kind::U64 ? static_cast<long double>(static_cast<uint64_t>(value.integer))
                                              : static_cast<long double>(value.integer);
    } else if (to.kind == Type::Kind::Mod) {
      Int number = from.kind == Type::Kind::U64 ? static_cast<Int>(static_cast<uint64_t>(value.integer))
                                                : static_cast<Int>(value.integer);
      Int rest = number % static_cast<Int>(to.modulus);
      out.integer = static_cast<int64_t>(static_cast<uint64_t>(rest < 0 ? rest + to.modulus : rest));
    } else if (isReal(from)) {
      bool fits = value.re > -9.3e18L && value.re < 1.85e19L;
      out.integer = !fits ? 0
                          : wrap(to, value.re < 0 ? static_cast<int64_t>(value.re)
                                                  : static_cast<int64_t>(static_cast<uint64_t>(value.re)));
    } else {
      out.integer = wrap(to, value.integer);
    }
    return out;
  }

  bool step(Prepared &prepared, const std::vector<int> &digits, Scalar &out, std::string &error) {
    const Instr &instr = *prepared.instr;
    Scalar result;
    auto a = [&]() -> const Scalar & { return operand(instr, 0); };
    auto b = [&]() -> const Scalar & { return operand(instr, 1); };
    switch (instr.op) {
    case Op::Constant:
      result.re = instr.real, result.im = instr.imag, result.integer = instr.intValue;
      break;
    case Op::Digit:
      result.integer = digits[instr.digit - 1];
      break;
    case Op::ScalarParam:
      result = scalars[instr.digit];
      break;
    case Op::Omega:
      result = omega(prepared, digits);
      break;
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
      if (instr.type->kind == Type::Kind::Bool) {
        bool x = a().integer, y = instr.op == Op::Not || b().integer;
        result.integer = instr.op == Op::And ? x && y : instr.op == Op::Or ? x || y : x != y;
        break;
      }
      return integerArithmetic(instr.op, *instr.type, a().integer, instr.op == Op::Not ? 0 : b().integer, out.integer,
                               error);
    case Op::Rem:
    case Op::Shl:
    case Op::Shr:
      return integerArithmetic(instr.op, *instr.type, a().integer, b().integer, out.integer, error);
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
      if (!arithmetic(instr.op, *instr.type, a(), b(), result, error))
        return false;
      break;
    case Op::Neg:
      arithmetic(Op::Neg, *instr.type, a(), a(), result, error);
      break;
    case Op::Eq:
      result.integer = same(typeOf(instr.operands[0]), a(), b());
      break;
    case Op::Ne:
      result.integer = !same(typeOf(instr.operands[0]), a(), b());
      break;
    case Op::Lt:
      result.integer = less(typeOf(instr.operands[0]), a(), b());
      break;
    case Op::Gt:
      result.integer = less(typeOf(instr.operands[0]), b(), a());
      break;
    case Op::Le: // with NaN neither < nor == holds
      result.integer = less(typeOf(instr.operands[0]), a(), b()) || same(typeOf(instr.operands[0]), a(), b());
      break;
    case Op::Ge:
      result.integer = less(typeOf(instr.operands[0]), b(), a()) || same(typeOf(instr.operands[0]), a(), b());
      break;
    case Op::Select:
      result = a().integer ? b() : operand(instr, 2);
      break;
    case Op::Lookup:
      result = operand(instr, static_cast<size_t>(a().integer) + 1);
      break;
    case Op::Min:
      result = less(*instr.type, b(), a()) ? b() : a();
      break;
    case Op::Max:
      result = less(*instr.type, b(), a()) ? a() : b();
      break;
    case Op::Abs:
      if (typeOf(instr.operands[0]).kind == Type::Kind::Complex)
        result.re = std::hypot(a().re, a().im);
      else if (isReal(*instr.type))
        result.re = std::fabs(a().re);
      else
        return integerArithmetic(Op::Abs, *instr.type, a().integer, 0, out.integer, error);
      break;
    case Op::Sqrt:
      result.re = std::sqrt(a().re);
      break;
    case Op::Rsqrt:
      result.re = 1 / std::sqrt(a().re);
      break;
    case Op::Exp:
      result.re = std::exp(a().re);
      break;
    case Op::Log:
      result.re = std::log(a().re);
      break;
    case Op::Sin:
      result.re = std::sin(a().re);
      break;
    case Op::Cos:
      result.re = std::cos(a().re);
      break;
    case Op::Tanh:
      result.re = std::tanh(a().re);
      break;
    case Op::Erf:
      result.re = std::erf(a().re);
      break;
    case Op::Pow:
      result.re = std::pow(a().re, b().re);
      break;
    case Op::Atan2:
      result.re = std::atan2(a().re, b().re);
      break;
    case Op::Floor:
      result.re = std::floor(a().re);
      break;
    case Op::Ceil:
      result.re = std::ceil(a().re);
      break;
    case Op::Round:
      result.re = std::nearbyint(a().re);
      break;
    case Op::Popcount:
    case Op::Clz: {
      const llvm::APInt bits(bitWidth(*instr.type), static_cast<uint64_t>(a().integer), /*isSigned=*/false,
                             /*implicitTrunc=*/true);
      result.integer = instr.op == Op::Clz ? bits.countl_zero() : bits.popcount();
      break;
    }
    case Op::Fma: {
      Scalar product;
      if (!arithmetic(Op::Mul, *instr.type, a(), b(), product, error) ||
          !arithmetic(Op::Add, *instr.type, product, operand(instr, 2), result, error))
        return false;
      break;
    }
    case Op::Conj:
      result.re = a().re, result.im = -a().im;
      break;
    case Op::Re:
      result.re = a().re;
      break;
    case Op::Im:
      result.re = a().im;
      break;
    case Op::MakeComplex:
      result.re = a().re, result.im = b().re;
      break;
    case Op::Convert:
      result = convert(typeOf(instr.operands[0]), *instr.type, a());
      break;
    }
    out = result;
    return true;
  }

  const Body &body;
  const std::vector<Scalar> &scalars;
  std::vector<Prepared> code;
};

size_t elements(const Sequence &sequence) {
  size_t product = 1;
  for (int radix : sequence.radices)
    product *= static_cast<size_t>(radix);
  return product;
}

/// The weight that each digit of the step's full arrangement has in the index of one value; 0 for a digit it lacks.
std::vector<size_t> weights(const Sequence &sequence, const std::vector<int> &places, size_t digits) {
  std::vector<size_t> result(digits, 0);
  size_t weight = 1;
  for (size_t i = 0; i < sequence.radices.size(); ++i) {
    result[places[i] - 1] = weight;
    weight *= static_cast<size_t>(sequence.radices[i]);
  }
  return result;
}

/// Runs one pointwise or node step. A pointwise step is a node on no digits.
bool runStep(const Program &program, const Step &step, const std::vector<Scalar> &scalars,
             std::vector<std::vector<Scalar>> &buffers, std::string &error) {
  // The arrangement with all digits: any value that has the node's digits, else one without them and the new digits.
  std::vector<bool> isNodeDigit;
  std::vector<int> radices;
  auto isArray = [&](const std::vector<bool> &flags, size_t i) { return i < flags.size() && flags[i]; };
  size_t full = 0;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const Sequence &value = program.values[step.outputs[i]];
    size_t digits = value.radices.size() + (isArray(step.arrayOutput, i) ? 0 : step.digits.size());
    full = std::max(full, digits);
  }
  radices.assign(full, 0);
  isNodeDigit.assign(full, false);
  for (int digit : step.digits)
    isNodeDigit[digit - 1] = true;
  std::vector<int> everywhere, outside;
  for (size_t digit = 1; digit <= full; ++digit) {
    everywhere.push_back(static_cast<int>(digit));
    if (!isNodeDigit[digit - 1])
      outside.push_back(static_cast<int>(digit));
  }
  struct Access {
    std::vector<Scalar> *buffer;
    std::vector<size_t> weight;
    size_t leafCount;
    bool array;
  };
  auto access = [&](int value, bool array, const std::vector<int> &broadcast) {
    const Sequence &sequence = program.values[value];
    const std::vector<int> &places = broadcast.empty() ? (array ? everywhere : outside) : broadcast;
    for (size_t i = 0; i < sequence.radices.size(); ++i)
      radices[places[i] - 1] = sequence.radices[i];
    return Access{&buffers[value], weights(sequence, places, full), leaves(sequence.element).size(), array};
  };
  std::vector<Access> inputs, outputs;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    inputs.push_back(access(step.inputs[i], isArray(step.arrayInput, i),
                            i < step.broadcastDigits.size() ? step.broadcastDigits[i] : std::vector<int>()));
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    buffers[step.outputs[i]].assign(
        elements(program.values[step.outputs[i]]) * leaves(program.values[step.outputs[i]].element).size(), Scalar());
    outputs.push_back(access(step.outputs[i], isArray(step.arrayOutput, i), {}));
  }

  // Digit values of the node's elements, the first digit being the most significant.
  size_t members = 1;
  for (int digit : step.digits)
    members *= static_cast<size_t>(radices[digit - 1]);
  std::vector<std::vector<int>> memberDigits(members, std::vector<int>(full, 0));
  for (size_t k = 0; k < members; ++k) {
    size_t rest = k;
    for (auto digit = step.digits.rbegin(); digit != step.digits.rend(); ++digit) {
      memberDigits[k][*digit - 1] = static_cast<int>(rest % static_cast<size_t>(radices[*digit - 1]));
      rest /= static_cast<size_t>(radices[*digit - 1]);
    }
  }
  auto offset = [&](const Access &value, const std::vector<int> &digits) {
    size_t index = 0;
    for (size_t d = 0; d < full; ++d)
      index += value.weight[d] * static_cast<size_t>(digits[d]);
    return index;
  };
  std::vector<std::vector<size_t>> inputOffsets, outputOffsets; // of member k relative to member 0
  for (const Access &value : inputs) {
    inputOffsets.emplace_back();
    for (size_t k = 0; k < (value.array ? members : 1); ++k)
      inputOffsets.back().push_back(offset(value, memberDigits[k]));
  }
  for (const Access &value : outputs) {
    outputOffsets.emplace_back();
    for (size_t k = 0; k < (value.array ? members : 1); ++k)
      outputOffsets.back().push_back(offset(value, memberDigits[k]));
  }

  Interpreter interpreter(step.body, scalars);
  std::vector<int> digits(full, 0);
  for (bool more = true; more;) {
    size_t parameter = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      size_t base = offset(inputs[i], digits);
      for (size_t relative : inputOffsets[i])
        for (size_t leaf = 0; leaf < inputs[i].leafCount; ++leaf)
          interpreter.values[parameter++] = (*inputs[i].buffer)[(base + relative) * inputs[i].leafCount + leaf];
    }
    if (!interpreter.run(digits, error))
      return false;
    size_t result = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      size_t base = offset(outputs[i], digits);
      for (size_t relative : outputOffsets[i])
        for (size_t leaf = 0; leaf < outputs[i].leafCount; ++leaf)
          (*outputs[i].buffer)[(base + relative) * outputs[i].leafCount + leaf] =
              interpreter.values[step.body.results[result++]];
    }
    more = false; // count up over the digits outside the node
    for (int digit : outside) {
      if (++digits[digit - 1] < radices[digit - 1]) {
        more = true;
        break;
      }
      digits[digit - 1] = 0;
    }
  }
  return true;
}

/// Runs one step that changes the length.
bool runResize(const Program &program, const Step &step, const std::vector<Scalar> &scalars,
               std::vector<std::vector<Scalar>> &buffers, std::string &error) {
  const Sequence &from = program.values[step.inputs[0]], &to = program.values[step.outputs[0]];
  size_t leafCount = leaves(from.element).size(), before = 1, batch = 1;
  for (size_t i = 0; i < from.radices.size(); ++i)
    (i < static_cast<size_t>(step.lowest) ? before : batch) *= static_cast<size_t>(from.radices[i]);
  size_t after = elements(to) / batch;
  std::vector<Scalar> fill;
  if (after > before) {
    Interpreter interpreter(step.body, scalars);
    if (!interpreter.run({}, error))
      return false;
    for (int result : step.body.results)
      fill.push_back(interpreter.values[result]);
  }
  const std::vector<Scalar> &source = buffers[step.inputs[0]];
  std::vector<Scalar> target;
  target.reserve(elements(to) * leafCount);
  for (size_t b = 0; b < batch; ++b)
    for (size_t k = 0; k < after; ++k) {
      auto first =
          k < before ? source.begin() + static_cast<std::ptrdiff_t>((b * before + k) * leafCount) : fill.begin();
      target.insert(target.end(), first, first + static_cast<std::ptrdiff_t>(leafCount));
    }
  buffers[step.outputs[0]] = std::move(target);
  return true;
}

/// Runs one step that takes elements from computed places, or sends them there.
bool runMove(const Program &program, const Step &step, const std::vector<Scalar> &scalars,
             std::vector<std::vector<Scalar>> &buffers, std::string &error) {
  const Sequence &from = program.values[step.inputs[0]], &to = program.values[step.outputs[0]];
  const auto own = from.radices.begin() + step.lowest;
  const size_t batch = elements({{own, from.radices.end()}, from.element, from.loc});
  const size_t before = elements(from) / batch, after = elements(to) / batch;
  const bool gathers = step.kind == Step::Kind::Gather;
  std::vector<int> radices(from.radices.begin(), own);
  if (gathers)
    radices.assign(to.radices.begin(), to.radices.end() - (from.radices.end() - own));
  std::vector<size_t> places;
  if (!forEachIndex(
          step.body, radices, scalars,
          [&](int64_t place) {
            places.push_back(static_cast<size_t>(place));
            return true;
          },
          error))
    return false;
  const std::vector<Scalar> &source = buffers[step.inputs[0]];
  const size_t leafCount = leaves(from.element).size();
  std::vector<Scalar> target(elements(to) * leafCount);
  for (size_t b = 0; b < batch; ++b)
    for (size_t i = 0; i < places.size(); ++i)
      for (size_t leaf = 0; leaf < leafCount; ++leaf) {
        const size_t in = b * before + (gathers ? places[i] : i), out = b * after + (gathers ? i : places[i]);
        target[out * leafCount + leaf] = source[in * leafCount + leaf];
      }
  buffers[step.outputs[0]] = std::move(target);
  return true;
}

/// Runs any step but a permutation.
bool runOther(const Program &program, const Step &step, const std::vector<Scalar> &scalars,
              std::vector<std::vector<Scalar>> &buffers, std::string &error) {
  switch (step.kind) {
  case Step::Kind::Resize:
    return runResize(program, step, scalars, buffers, error);
  case Step::Kind::Gather:
  case Step::Kind::Scatter:
    return runMove(program, step, scalars, buffers, error);
  default:
    return runStep(program, step, scalars, buffers, error);
  }
}

} // namespace

bool evaluate(const Body &body, const std::vector<Scalar> &parameters, std::vector<Scalar> &results,
              std::string &error) {
  const std::vector<Scalar> scalars;
  Interpreter interpreter(body, scalars);
  std::copy(parameters.begin(), parameters.end(), interpreter.values.begin());
  if (!interpreter.run({}, error))
    return false;
  for (int result : body.results)
    results.push_back(interpreter.values[static_cast<size_t>(result)]);
  return true;
}

bool forEachIndex(const Body &body, const std::vector<int> &radices, const std::vector<Scalar> &scalars,
                  const std::function<bool(int64_t)> &visit, std::string &error) {
  Interpreter interpreter(body, scalars);
  std::vector<int> digits(radices.size(), 0);
  for (;;) {
    if (!interpreter.run(digits, error))
      return false;
    if (!visit(interpreter.values[static_cast<size_t>(body.results[0])].integer))
      return true;
    size_t digit = 0;
    while (digit < digits.size() && ++digits[digit] == radices[digit])
      digits[digit++] = 0;
    if (digit == digits.size())
      return true;
  }
}

bool evaluate(const Program &program, const std::vector<std::vector<Scalar>> &inputs,
              const std::vector<Scalar> &scalars, std::vector<std::vector<Scalar>> &outputs, std::string &error,
              const StepObserver &observe) {
  if (inputs.size() != program.inputs.size() || scalars.size() != program.scalars.size()) {
    error = "the program takes " + std::to_string(program.inputs.size()) + " sequences and " +
            std::to_string(program.scalars.size()) + " scalars";
    return false;
  }
  std::vector<std::vector<Scalar>> buffers(program.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Sequence &sequence = program.values[program.inputs[i].value];
    if (inputs[i].size() != elements(sequence) * leaves(sequence.element).size()) {
      error = "input '" + program.inputs[i].name + "' has the wrong number of leaves";
      return false;
    }
    buffers[program.inputs[i].value] = inputs[i];
  }
  for (const Constant &constant : program.constants)
    buffers[constant.value] = constant.leaves;
  // A value's buffer is dropped after its last use.
  std::vector<size_t> lastUse(program.values.size(), 0);
  for (size_t s = 0; s < program.steps.size(); ++s)
    for (int value : program.steps[s].inputs)
      lastUse[value] = s;
  for (int value : program.outputs)
    lastUse[value] = program.steps.size();
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const Step &step = program.steps[s];
    if (step.kind == Step::Kind::Permute) {
      const Sequence &from = program.values[step.inputs[0]];
      const std::vector<Scalar> &source = buffers[step.inputs[0]];
      std::vector<Scalar> target(source.size());
      size_t leafCount = leaves(from.element).size();
      for (size_t i = 0; i < elements(from); ++i) {
        size_t to = static_cast<size_t>(step.permutation.destinationIndex(from.radices, static_cast<int64_t>(i)));
        for (size_t leaf = 0; leaf < leafCount; ++leaf)
          target[to * leafCount + leaf] = source[i * leafCount + leaf];
      }
      buffers[step.outputs[0]] = std::move(target);
    } else if (!runOther(program, step, scalars, buffers, error)) {
      return false;
    }
    if (observe) {
      std::vector<const std::vector<Scalar> *> results;
      for (int value : step.outputs)
        results.push_back(&buffers[value]);
      observe(s, results);
    }
    for (int value : step.inputs)
      if (lastUse[value] == s)
        buffers[value] = std::vector<Scalar>(); // `= {}` would keep its memory
  }
  outputs.clear();
  for (int value : program.outputs)
    outputs.push_back(buffers[value]);
  return true;
}

} // namespace idc::frontend
