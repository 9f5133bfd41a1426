// Steps that are algorithms of their own: loops over digits, recursion, algorithms applied to some digits, dimensions
// with names.
#include "Writer.h"

#include <algorithm>

using namespace idc::random;
using Kind = Type::Kind;

/// Magnitudes inside loops and recursions: what goes in is at most this, and so is what comes out.
static constexpr double levelMagnitude = 8;

namespace {
/// How the error of a func or node depends on that of what it takes: at most growth·error + added.
struct ErrorGrowth {
  double growth = 0, added = 0;
  double after(double error) const { return growth * error + added; }
};
} // namespace

static double worst(const std::vector<std::vector<Bound>> &results) {
  double error = 0;
  for (const std::vector<Bound> &leaves : results)
    for (const Bound &leaf : leaves)
      error = std::max(error, leaf.error);
  return error;
}

/// Declares a func or node of a level of a loop or recursion, whose error bounds are convex in those of its operands.
static ErrorGrowth declareLevel(Shared &shared, Choices &choices, const std::string &name, int arity,
                                std::vector<Slot> operands, const std::vector<Type> &results,
                                const std::vector<bool> &arrayResult, bool linear) {
  auto withError = [&](double error) {
    for (Slot &operand : operands)
      operand.bounds.assign(leavesOf(operand.type).size(), {levelMagnitude, error});
    return operands;
  };
  Shared scratch = shared;
  Choices again = choices;
  double one = worst(declare(scratch, again, name, arity, withError(1), {}, results, arrayResult, linear));
  double zero = worst(declare(shared, choices, name, arity, withError(0), {}, results, arrayResult, linear));
  return {one - zero, zero};
}

static bool equalRadices(const std::vector<int> &radices) {
  return std::all_of(radices.begin(), radices.end(), [&](int radix) { return radix == radices[0]; });
}

/// The value after a loop or recursion; false when its error may have become so large that nothing can be compared.
static bool finish(Sequence &value, double error) {
  for (const LeafOf &leaf : leavesOf(value.type))
    if (leaf.type.precision() != 0 && error > 1e4 * leaf.type.precision() * levelMagnitude)
      return false;
  for (Bound &bound : value.bounds)
    bound = {levelMagnitude, error};
  return true;
}

static double errorOf(const Sequence &value) {
  double error = 0;
  for (const Bound &bound : value.bounds)
    error = std::max(error, bound.error);
  return error;
}

/// The same node on every digit in turn, with a permutation and a root of unity before it.
bool Writer::loop(Choices &choices) {
  Sequence value = pickValue(choices);
  int n = static_cast<int>(value.radices.size());
  if (n < 2 || value.radices[0] > 5 || !equalRadices(value.radices))
    return false;
  Shared before = shared;
  std::string radix = std::to_string(value.radices[0]), type = shared.names.name(value.type), pipe = "x";
  static const std::vector<std::string> permutations = {"",
                                                        " |> unshuffle(n, n-i+1)",
                                                        " |> unshuffle(n, 1)",
                                                        " |> reverse(n, 1)",
                                                        " |> complement(i)",
                                                        " |> unshuffle(i, 1) ^ -1"};
  pipe += choices.pick(permutations);
  bool roots = value.type.isComplex() || (value.type.kind == Kind::Mod &&
                                          (value.type.modulus - 1) % static_cast<uint64_t>(value.elements()) == 0);
  if (roots && choices.pick(3)) {
    static const std::vector<std::string> exponents = {"digit(n) * digits(n-1, n-i+1)", "digit(i) * digits(n, i+1)",
                                                       "digits(i, 1)", "2 * digit(i) * digits(i-1, 1) + digit(1)"};
    std::string product = fresh("func");
    shared.declarations +=
        "func " + product + "(x: " + type + ", w: " + type + ") -> " + type + " {\n  return x * w;\n}\n";
    pipe += " |> " + product + "(omega(" + radix + "^i, " + choices.pick(exponents) + "))";
  }
  bool linear = value.type.isVector() && choices.pick(3) != 2;
  std::string name = fresh("node"), algorithm = fresh("loop");
  ErrorGrowth level = declareLevel(shared, choices, name, value.radices[0], {{"x0", value.type, {}, true}},
                                   {value.type}, {true}, linear);
  static const std::vector<std::string> places = {"i", "n", "1", "n+1-i"};
  pipe += " |> " + name + " @ " + choices.pick(places);
  static const std::vector<std::string> ranges = {"1..n", "n downto 1", "1..n-1", "n downto 1 by 2"};
  std::string shape = type + "[" + radix + "^n]"; // n is a size of the algorithm
  shared.declarations += "algorithm " + algorithm + "(x: " + shape + ") -> " + shape + " {\n" + "  for i in " +
                         choices.pick(ranges) + " {\n    x = " + pipe + ";\n  }\n  return x;\n}\n";
  double error = errorOf(value);
  for (int i = 0; i < n; ++i)
    error = level.after(error + 6 * value.type.precision() * levelMagnitude);
  std::string from = value.name;
  value.name = fresh("v");
  if (!finish(value, error)) {
    shared = before;
    return false;
  }
  define({value}, from + " |> " + algorithm);
  return true;
}

/// A node takes one digit out, the algorithm does the rest, a node puts the digit back with what was set aside, or what
/// the algorithm has made of that as well.
bool Writer::recursion(Choices &choices) {
  Sequence value = pickValue(choices);
  int n = static_cast<int>(value.radices.size());
  if (n < 1 || value.radices[0] > 5 || !equalRadices(value.radices))
    return false;
  Shared before = shared;
  std::string radix = std::to_string(value.radices[0]), type = shared.names.name(value.type);
  std::string shape = type + "[" + radix + "^n]", up = fresh("up"), down = fresh("down"), base = fresh("base");
  const Type &t = value.type;
  bool linear = t.isVector() && choices.pick(3) != 2;
  int arity = value.radices[0];
  Slot array{"x0", t, {}, true}, sum{"x0", t, {}, false}, aside{"x1", t, {}, false};
  ErrorGrowth first = declareLevel(shared, choices, up, arity, {array}, {t, t}, {false, false}, linear);
  ErrorGrowth last = declareLevel(shared, choices, down, arity, {sum, aside}, {t}, {true}, linear);
  ErrorGrowth middle = declareLevel(shared, choices, base, 0, {sum}, {t}, {false}, linear);
  static const std::vector<std::string> places = {"1", "n"};
  static const std::vector<std::string> between = {"", " |> reverse(n-1, 1)", " |> unshuffle(n-1, 1)"};
  std::string algorithm = fresh("recursion"), place = choices.pick(places), other = "b";
  const bool both = n <= 4 && choices.oneIn(2), differ = both && choices.oneIn(3);
  if (both)
    other = algorithm + "(b" + choices.pick(between) + ")" + (differ ? " |> " + base : "");
  shared.declarations += "algorithm " + algorithm + "(x: " + shape + ") -> " + shape + " {\n" +
                         "  if n == 0 { return x |> " + base + "; }\n" +       //
                         "  let (a, b) = x |> " + up + " @ " + place + ";\n" + //
                         "  return (" + algorithm + "(a" + choices.pick(between) + "), " + other + ") |> " + down +
                         " @ " + place + ";\n}\n";
  double error = errorOf(value), largest = 0;
  for (int i = 0; i < n; ++i) {
    error = first.after(error);
    largest = std::max(largest, error);
  }
  error = middle.after(error);
  for (int i = 0; i < n; ++i)
    error = last.after(std::max({error, largest, differ ? middle.after(error) : 0}));
  std::string from = value.name;
  value.name = fresh("v");
  if (!finish(value, error)) {
    shared = before;
    return false;
  }
  define({value}, from + " |> " + algorithm);
  return true;
}

/// Some steps as an algorithm, on all digits or on some of them, sometimes with an argument that all others share.
bool Writer::application(Choices &choices) {
  const Sequence value = pickValue(choices);
  int n = static_cast<int>(value.radices.size());
  if (nesting > 1)
    return false;
  std::vector<int> digits; // most significant first
  if (n && choices.pick(4)) {
    int count = choices.between(1, n);
    int low = choices.between(1, n - count + 1);
    for (int digit = low + count - 1; digit >= low; --digit)
      digits.push_back(digit);
    if (choices.oneIn(3)) // any order, any places
      for (size_t i = 0; i < digits.size(); ++i) {
        int digit = choices.between(1, n);
        auto at = std::find(digits.begin(), digits.end(), digit);
        if (at == digits.end())
          digits[i] = digit;
        else
          std::swap(digits[i], *at);
      }
  }
  Shared before = shared;
  auto nothing = [&] {
    shared = before;
    return false;
  };
  bool whole = digits.empty();
  std::vector<int> inner;
  if (whole)
    inner = value.radices;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    inner.push_back(value.radices[*digit - 1]);
  std::vector<Sequence> parameters = {{"x", value.type, inner, value.bounds}};
  std::string argument;
  if (choices.oneIn(4)) {
    const Sequence &other = pickValue(choices);
    if (other.radices == inner && (digits.size() < value.radices.size() || inner == value.radices)) {
      parameters.push_back({"w", other.type, inner, other.bounds});
      argument = "(" + other.name + ")";
    }
  }
  Writer body(shared, parameters, nesting + 1);
  int64_t maxElements = shared.maxElements, others = value.elements();
  for (int radix : inner)
    others /= radix;
  shared.maxElements = maxElements / others;
  int steps = choices.between(1, 3);
  for (int i = 0; i < steps; ++i)
    body.step(choices);
  shared.maxElements = maxElements;
  const Sequence result = body.values.back();
  if (body.statements.empty())
    return nothing();
  std::vector<int> radices = value.radices;
  bool adjacent = true;
  for (size_t i = 1; i < digits.size(); ++i)
    adjacent &= digits[i] == digits[i - 1] - 1;
  if (whole) {
    radices = result.radices;
  } else if (result.radices.size() == digits.size()) {
    for (size_t i = 0; i < digits.size(); ++i)
      radices[digits[i] - 1] = result.radices[digits.size() - 1 - i];
  } else if (adjacent || result.radices.empty()) {
    std::vector<int> old = std::move(radices);
    radices.clear();
    for (int digit = 1; digit <= n; ++digit) {
      if (digit == digits.back())
        radices.insert(radices.end(), result.radices.begin(), result.radices.end());
      if (std::find(digits.begin(), digits.end(), digit) == digits.end())
        radices.push_back(old[digit - 1]);
    }
  } else {
    return nothing();
  }
  std::string algorithm = fresh("part"), declared;
  for (const Sequence &parameter : parameters)
    declared += (declared.empty() ? "" : ", ") + parameter.name + ": " +
                spell(shared.names.name(parameter.type), parameter.radices);
  shared.declarations += "algorithm " + algorithm + "(" + declared + ") -> " +
                         spell(shared.names.name(result.type), result.radices) + " {\n" + body.statements +
                         "  return " + result.name + ";\n}\n";
  define({{fresh("v"), result.type, radices, result.bounds}},
         value.name + " |> " + algorithm + argument + (whole ? "" : " @ " + digitList(choices, digits)));
  return true;
}

/// Digits in two dimensions: a node along one of them, then sometimes the transposition.
bool Writer::dimensions(Choices &choices) {
  Sequence value = pickValue(choices);
  int n = static_cast<int>(value.radices.size());
  if (n < 2)
    return false;
  int split = choices.between(1, n - 1);
  std::vector<int> low(value.radices.begin(), value.radices.begin() + split);
  std::vector<int> high(value.radices.begin() + split, value.radices.end());
  bool alongY = choices.pick(2);
  int64_t arity = 1;
  for (int radix : alongY ? high : low)
    arity *= radix;
  if (arity > 9)
    return false;
  std::string name = fresh("node"), algorithm = fresh("plane"), type = shared.names.name(value.type);
  std::vector<Slot> arguments;
  std::string argumentText;
  if (choices.pick(2)) {
    arguments.push_back({"d", {Kind::I32, 0, {}}, {{1, 0}}, false});
    argumentText = std::string("(digits(") + (alongY ? "x" : "y") + "))";
  }
  bool linear = arguments.empty() && value.type.isVector() && choices.pick(2);
  value.bounds = declare(shared, choices, name, static_cast<int>(arity), {{"x0", value.type, value.bounds, true}},
                         arguments, {value.type}, {true}, linear)[0];
  bool transposed = choices.pick(2);
  // The result has no dimensions any more, so that the next step may see others.
  if (transposed) {
    value.radices = high;
    value.radices.insert(value.radices.end(), low.begin(), low.end());
  }
  shared.declarations += "algorithm " + algorithm + "(x: " + type + "[y: " + shapeText(high) +
                         "][x: " + shapeText(low) + "]) -> " + spell(type, value.radices) + " {\n  return x |> " +
                         name + argumentText + " @ " + (alongY ? "y" : "x") +
                         (transposed ? " |> permute([x, y])" : "") + ";\n}\n";
  std::string from = value.name;
  value.name = fresh("v");
  define({value}, from + " |> " + algorithm);
  return true;
}
