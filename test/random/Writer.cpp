#include "Writer.h"

#include "dialect/digits/Permutation.h"

#include <algorithm>
#include <numeric>

using namespace idc::random;
using idc::digits::Permutation;
using Kind = Type::Kind;

//===--- pieces of text -----------------------------------------------------------------------------------------===//

std::string idc::random::join(const std::vector<std::string> &texts) {
  std::string joined;
  for (const std::string &text : texts)
    joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

std::string idc::random::tuple(const std::vector<std::string> &texts) {
  return texts.size() == 1 ? texts[0] : "(" + join(texts) + ")";
}

std::string idc::random::shapeText(const std::vector<int> &radices) {
  std::string text;
  for (size_t i = radices.size(); i > 0;) {
    size_t run = i;
    while (run > 0 && radices[run - 1] == radices[i - 1])
      --run;
    text += (text.empty() ? "" : " * ") + std::to_string(radices[i - 1]) + "^" + std::to_string(i - run);
    i = run;
  }
  return text.empty() ? "1" : text;
}

std::string idc::random::spell(const std::string &element, const std::vector<int> &radices) {
  return element + "[" + shapeText(radices) + "]";
}

std::string idc::random::digitList(Choices &choices, const std::vector<int> &digits) {
  bool range = digits.size() > 1;
  for (size_t i = 1; i < digits.size(); ++i)
    range &= digits[i] == digits[i - 1] - 1;
  if (range && choices.pick(2))
    return std::to_string(digits.front()) + ".." + std::to_string(digits.back());
  std::vector<std::string> texts;
  for (int digit : digits)
    texts.push_back(std::to_string(digit));
  return tuple(texts);
}

std::string idc::random::permutationStage(Choices &choices, std::vector<int> &radices) {
  int n = static_cast<int>(radices.size());
  auto number = [](int i) { return std::to_string(i); };
  Permutation p = Permutation::identity(n);
  std::string text;
  switch (n == 0 ? 1 : choices.pick(5)) {
  case 0: {
    int j = choices.between(1, n), i = choices.between(j, n);
    p = Permutation::unshuffle(n, i, j);
    text = "unshuffle(" + number(i) + ", " + number(j) + ")";
    break;
  }
  case 1: {
    int j = n ? choices.between(1, n) : 1, i = n ? choices.between(j, n) : 0;
    p = n ? Permutation::reverse(n, i, j) : p;
    text = "reverse(" + number(i) + ", " + number(j) + ")";
    break;
  }
  case 2: { // two fields, the lower one below the other
    int l = choices.between(1, n), k = choices.between(l - 1, n - 1);
    int j = choices.between(k + 1, n), i = choices.between(j - 1, n);
    if (i < j)
      i = j;
    if (k < l)
      k = l - 1;
    p = Permutation::unshuffle(n, i, j, k, l);
    text = "unshuffle(" + number(i) + ", " + number(j) + ", " + number(k) + ", " + number(l) + ")";
    break;
  }
  case 3: {
    std::vector<int> sources(n), rest(n);
    std::iota(rest.begin(), rest.end(), 1);
    std::string list;
    for (int place = n; place > 0; --place) {
      auto at = rest.end() - 1 - choices.pick(static_cast<uint32_t>(rest.size()));
      sources[place - 1] = *at;
      list += (list.empty() ? "" : ", ") + number(*at);
      rest.erase(at);
    }
    p = Permutation::fromSources(sources);
    text = "permute([" + list + "])";
    break;
  }
  default: {
    int i = choices.between(1, n);
    p = Permutation::complement(n, i);
    text = "complement(" + number(i) + ")";
  }
  }
  static const std::vector<int> powers = {1, 1, 1, -1, 2, 1, 3, -2, 0};
  int power = choices.pick(powers);
  if (power != 1)
    text += " ^ " + number(power);
  radices = p.power(power).apply(radices);
  return text;
}

//===--- values made of digits ----------------------------------------------------------------------------------===//

namespace {
/// An integer made of digits and its largest value.
struct DigitNumber {
  std::string text;
  int64_t largest;
};
} // namespace

static DigitNumber digitNumber(Choices &choices, const std::vector<int> &radices, const std::vector<int> &except) {
  std::vector<int> usable;
  for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit)
    if (std::find(except.begin(), except.end(), digit) == except.end())
      usable.push_back(digit);
  if (usable.empty())
    return {"1", 1};
  if (except.empty() && choices.oneIn(6)) {
    int64_t elements = 1;
    for (int radix : radices)
      elements *= radix;
    return {"index()", elements - 1};
  }
  int low = choices.pick(usable), high = low;
  int64_t product = radices[low - 1];
  while (std::find(usable.begin(), usable.end(), high + 1) != usable.end() && choices.pick(3))
    product *= radices[high++];
  if (high == low && choices.pick(4))
    return {"digit(" + std::to_string(low) + ")", product - 1};
  return {"digits(" + std::to_string(high) + ", " + std::to_string(low) + ")", product - 1};
}

static std::string rootOf(Choices &choices, int64_t order, const std::vector<int> &radices,
                          const std::vector<int> &except) {
  std::string exponent;
  int terms = choices.between(1, 2);
  for (int i = 0; i < terms; ++i) {
    std::string term = digitNumber(choices, radices, except).text;
    if (choices.pick(3))
      term += " * " + digitNumber(choices, radices, except).text;
    static const std::vector<int> factors = {1, 1, 3, -1, 2, 5};
    int factor = choices.pick(factors);
    if (factor != 1)
      term = std::to_string(factor) + " * " + term;
    exponent += (exponent.empty() ? "" : " + ") + term;
  }
  if (choices.oneIn(4))
    exponent += " + 1";
  if (choices.oneIn(12)) // no polynomial any more
    exponent = "(" + exponent + ") % 5";
  return "omega(" + std::to_string(order) + ", " + exponent + ")";
}

int64_t idc::random::pickOrder(Choices &choices, const Type &type, const std::vector<int> &radices) {
  int64_t elements = 1;
  for (int radix : radices)
    elements *= radix;
  std::vector<int64_t> orders;
  for (int64_t order : {elements, int64_t(2), int64_t(4), int64_t(8), int64_t(3), int64_t(5), int64_t(12), int64_t(16),
                        int64_t(256), int64_t(4096)})
    if (type.isComplex() || (type.kind == Kind::Mod && (type.modulus - 1) % static_cast<uint64_t>(order) == 0))
      orders.push_back(order);
  return orders.empty() ? 1 : choices.pick(orders);
}

Type idc::random::pickArgumentType(Choices &choices) {
  Type type = pickType(choices, false);
  return type;
}

std::string idc::random::digitArgument(Choices &choices, const Type &type, const std::vector<int> &radices,
                                       const std::vector<int> &except, Bound &bound) {
  if (type.isField()) {
    int64_t order = pickOrder(choices, type, radices);
    bound = {1, 3 * type.precision()};
    return rootOf(choices, order, radices, except);
  }
  DigitNumber number = digitNumber(choices, radices, except);
  if (type.kind == Kind::Bool) {
    static const std::vector<std::string> comparisons = {" == ", " < ", " != ", " >= "};
    std::string comparison = choices.pick(comparisons);
    return number.text + comparison + std::to_string(choices.between(0, 2));
  }
  if (type.isReal()) {
    bound = {double(number.largest), 0};
    switch (choices.pick(3)) {
    case 0:
      return number.text;
    case 1:
      bound.magnitude = 2 * bound.magnitude + 1;
      return "1 - 2 * " + number.text;
    default:
      bound.magnitude = 0.5 * bound.magnitude + 1;
      return "0.5 * " + number.text + " + 1";
    }
  }
  switch (choices.pick(3)) {
  case 0:
    return number.text;
  case 1:
    return type.isSigned() ? "1 - 2 * " + number.text : "2 * " + number.text + " + 1";
  default:
    return number.text + " * " + digitNumber(choices, radices, except).text;
  }
}

//===--- steps --------------------------------------------------------------------------------------------------===//

/// The last ones most often.
const Sequence &Writer::pickValue(Choices &choices) const {
  size_t back = 0;
  while (back + 1 < values.size() && choices.oneIn(3))
    ++back;
  return values[values.size() - 1 - back];
}

void Writer::define(const std::vector<Sequence> &results, const std::string &pipe) {
  std::vector<std::string> names;
  for (const Sequence &result : results)
    names.push_back(result.name);
  statements += "  let " + tuple(names) + " = " + pipe + ";\n";
  values.insert(values.end(), results.begin(), results.end());
}

std::string Writer::named(Choices &choices, const std::string &expression) {
  if (!choices.oneIn(6))
    return expression;
  const std::string name = fresh("e");
  statements += "  let " + name + " = " + expression + ";\n";
  return name;
}

bool Writer::step(Choices &choices) {
  using Step = bool (Writer::*)(Choices &);
  static const std::vector<Step> steps = {
      &Writer::permutation, &Writer::node,        &Writer::pointwise,   &Writer::node,      &Writer::loop,
      &Writer::rootOfUnity, &Writer::permutation, &Writer::node,        &Writer::recursion, &Writer::application,
      &Writer::pointwise,   &Writer::loop,        &Writer::rootOfUnity, &Writer::loop,      &Writer::dimensions,
      &Writer::rootOfUnity, &Writer::length,      &Writer::fields};
  return (this->*choices.pick(steps))(choices);
}

bool Writer::permutation(Choices &choices) {
  std::vector<Sequence> moved = {pickValue(choices)};
  const Sequence &other = pickValue(choices);
  if (choices.oneIn(5) && other.name != moved[0].name && other.radices == moved[0].radices)
    moved.push_back(other);
  std::vector<std::string> names;
  std::vector<int> radices = moved[0].radices;
  std::string stage = permutationStage(choices, radices);
  for (Sequence &value : moved) {
    names.push_back(value.name);
    value.name = fresh("v");
    value.radices = radices;
  }
  define(moved, tuple(names) + " |> " + stage);
  return true;
}

/// An index among `length` elements.
static std::string gatherIndex(Choices &choices, int length) {
  const std::string modulus = " % " + std::to_string(length), shift = std::to_string(choices.between(0, length));
  switch (choices.pick(7)) {
  case 0:
    return "(index() + " + shift + ")" + modulus;
  case 1:
    return "(" + shift + " - index())" + modulus;
  case 2:
    return "(" + std::to_string(choices.between(2, 7)) + " * index() + " + shift + ")" + modulus;
  case 3:
    return "index() / " + std::to_string(choices.between(1, 5)) + modulus;
  case 4:
    return "xor(index(), " + shift + ")" + modulus;
  case 5: { // of so many numbers a table is made
    std::vector<std::string> places;
    for (int i = choices.between(9, 12); i > 0; --i)
      places.push_back(std::to_string(choices.between(0, length - 1)));
    return "[" + join(places) + "][index()]";
  }
  default:
    return "min(index() / 2 * 2, " + std::to_string(length - 1) + ")";
  }
}

/// The same that gives every element once.
static std::string scatterIndex(Choices &choices, int length) {
  const std::string modulus = " % " + std::to_string(length), shift = std::to_string(choices.between(0, length));
  int factor = choices.between(2, 7);
  while (std::gcd(factor, length) != 1)
    ++factor;
  return choices.pick(3) ? "(" + std::to_string(factor) + " * index() + " + shift + ")" + modulus
                         : "(" + shift + " - index())" + modulus;
}

/// The digits of a plain length, the smallest at the top.
static std::vector<int> digitsOf(int length) {
  std::vector<int> radices;
  for (int rest = length, p = 2; rest > 1; ++p)
    for (; rest % p == 0; rest /= p)
      radices.insert(radices.begin(), p);
  return radices;
}

/// Elements from other places: of as many, or of another length.
bool Writer::gather(Choices &choices, Sequence value) {
  const std::string from = value.name;
  const int before = static_cast<int>(value.elements());
  std::string length;
  if (choices.oneIn(3)) {
    value.name = fresh("v");
    define({value}, from + " |> scatter(" + scatterIndex(choices, before) + ")");
    return true;
  }
  if (choices.pick(2)) {
    const int after = choices.between(1, static_cast<int>(std::min<int64_t>(2 * before, shared.maxElements)));
    length = std::to_string(after) + ", ";
    value.radices = digitsOf(after);
  }
  value.name = fresh("v");
  const std::string index = named(choices, gatherIndex(choices, before));
  define({value}, from + " |> gather(" + length + index + ")");
  return true;
}

/// A sequence that is known when compiling, of the shape of another.
bool Writer::generated(Choices &choices) {
  Sequence value = pickValue(choices);
  value.name = fresh("g");
  value.type = pickArgumentType(choices);
  Bound bound;
  const std::string element = digitArgument(choices, value.type, value.radices, {}, bound);
  value.bounds.assign(leavesOf(value.type).size(), bound);
  statements += "  let " + value.name + ": " + spell(shared.names.name(value.type), value.radices) + " = generate(" +
                element + ");\n";
  values.push_back(value);
  return true;
}

bool Writer::length(Choices &choices) {
  if (choices.oneIn(4))
    return generated(choices);
  Sequence value = pickValue(choices);
  if (choices.oneIn(3))
    return gather(choices, value);
  const std::string from = value.name;
  const int before = static_cast<int>(value.elements());
  const int most = static_cast<int>(std::min<int64_t>(2 * before, shared.maxElements));
  const bool pads = value.type.isNumber() && most > before && choices.pick(2);
  int after = pads ? choices.between(before, most) : choices.between(1, before);
  value.name = fresh("v");
  value.radices = digitsOf(after);
  if (pads)
    for (Bound &bound : value.bounds)
      bound.magnitude = std::max(bound.magnitude, decltype(bound.magnitude)(1));
  define({value},
         from + (pads ? " |> pad(" + std::to_string(after) + ", 1)" : " |> crop(" + std::to_string(after) + ")"));
  return true;
}

std::vector<std::vector<Bound>> idc::random::declare(Shared &shared, Choices &choices, const std::string &name,
                                                     int arity, const std::vector<Slot> &operands,
                                                     const std::vector<Slot> &arguments,
                                                     const std::vector<Type> &results,
                                                     const std::vector<bool> &arrayResult, bool linear) {
  Expressions expressions(choices, shared.names);
  std::vector<std::string> parameters, types, returned;
  std::vector<Expression> terms;
  for (const auto *list : {&operands, &arguments})
    for (const Slot &slot : *list) {
      std::string type = shared.names.name(slot.type);
      parameters.push_back(slot.name + ": " + type + (slot.array ? "[" + std::to_string(arity) + "]" : ""));
      for (int k = 0; k < (slot.array ? arity : 1); ++k) {
        std::string element = slot.name + (slot.array ? "[" + std::to_string(k) + "]" : "");
        expressions.add(element, slot.type, slot.bounds);
        const std::vector<LeafOf> leaves = linear ? leavesOf(slot.type) : std::vector<LeafOf>();
        for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
          terms.push_back({element + leaves[leaf].suffix, leaves[leaf].type, slot.bounds[leaf]});
      }
    }
  std::vector<std::vector<Bound>> bounds;
  int depth = choices.between(1, arity > 4 ? 2 : 3);
  for (size_t i = 0; i < results.size(); ++i) {
    std::string type = shared.names.name(results[i]);
    types.push_back(type + (arrayResult[i] ? "[" + std::to_string(arity) + "]" : ""));
    std::vector<Bound> worst(leavesOf(results[i]).size(), Bound{0, 0});
    std::vector<std::string> elements;
    for (int k = 0; k < (arrayResult[i] ? arity : 1); ++k) {
      std::vector<Bound> element;
      elements.push_back(linear ? expressions.linear(results[i], terms, element)
                                : expressions.value(results[i], depth, element));
      for (size_t leaf = 0; leaf < worst.size(); ++leaf) {
        worst[leaf].magnitude = std::max(worst[leaf].magnitude, element[leaf].magnitude);
        worst[leaf].error = std::max(worst[leaf].error, element[leaf].error);
      }
    }
    returned.push_back(arrayResult[i] ? "[" + join(elements) + "]" : elements[0]);
    bounds.push_back(std::move(worst));
  }
  shared.declarations += std::string(arity ? "node " : "func ") + name + "(" + join(parameters) + ") -> " +
                         tuple(types) + " {\n  return " + tuple(returned) + ";\n}\n";
  return bounds;
}

std::string Writer::makeArguments(Choices &choices, const std::vector<int> &radices, const std::vector<int> &except,
                                  std::vector<Slot> &slots) {
  std::vector<std::string> texts;
  int count = choices.pick(3) == 0 ? choices.between(1, 2) : 0;
  for (int i = 0; i < count; ++i) {
    Slot slot{"d" + std::to_string(i), pickArgumentType(choices), {{1, 0}}, false};
    if (slot.type.isField() && pickOrder(choices, slot.type, radices) == 1)
      slot.type = {Kind::I32, 0, {}};
    texts.push_back(named(choices, digitArgument(choices, slot.type, radices, except, slot.bounds[0])));
    slots.push_back(std::move(slot));
  }
  return texts.empty() ? "" : "(" + join(texts) + ")";
}

bool Writer::pointwise(Choices &choices) {
  std::vector<const Sequence *> inputs = {&pickValue(choices)};
  int more = choices.oneIn(3) ? choices.between(1, 2) : 0;
  std::vector<const Sequence *> others; // the same digits, or the lowest ones
  for (const Sequence &other : values)
    if (other.radices.size() <= inputs[0]->radices.size() &&
        std::equal(other.radices.begin(), other.radices.end(), inputs[0]->radices.begin()))
      others.push_back(&other);
  for (int i = 0; i < more; ++i)
    inputs.push_back(choices.pick(others));
  std::vector<Slot> operands, arguments;
  std::vector<std::string> names;
  for (const Sequence *input : inputs) {
    operands.push_back({"x" + std::to_string(operands.size()), input->type, input->bounds, false});
    names.push_back(input->name);
  }
  std::vector<int> radices = inputs[0]->radices;
  std::string argumentText = makeArguments(choices, radices, {}, arguments);
  std::vector<Sequence> results;
  std::vector<Type> types;
  int count = choices.oneIn(4) ? 2 : 1;
  for (int i = 0; i < count; ++i)
    types.push_back(choices.pick(3) == 2 ? pickType(choices, true) : inputs[0]->type);
  std::string name = fresh("func");
  auto bounds = declare(shared, choices, name, 0, operands, arguments, types, std::vector<bool>(types.size()), false);
  for (int i = 0; i < count; ++i)
    results.push_back({fresh("v"), types[i], radices, bounds[i]});
  define(results, tuple(names) + " |> " + name + argumentText);
  return true;
}

/// A product with a root of unity, or in the body of a func one that depends on a digit.
bool Writer::rootOfUnity(Choices &choices) {
  std::vector<const Sequence *> fields;
  for (const Sequence &value : values)
    if (value.type.isField())
      fields.push_back(&value);
  if (fields.empty())
    return false;
  Sequence value = *fields[fields.size() - 1 - choices.pick(static_cast<uint32_t>(fields.size()))];
  int64_t order = pickOrder(choices, value.type, value.radices);
  if (order == 1)
    return false;
  std::string type = shared.names.name(value.type), name = fresh("func"), from = value.name, argument;
  // In a sum it stays in the body.
  bool inBody = choices.pick(4) == 3;
  Bound &bound = value.bounds[0];
  shared.declarations += "func " + name + "(x: " + type + ", w: " + type + ") -> " + type + " {\n  return x * w" +
                         (inBody ? " + x" : "") + ";\n}\n";
  bound.error += 6 * value.type.precision() * bound.magnitude;
  if (inBody)
    bound = {2 * bound.magnitude, 2 * bound.error + 2 * value.type.precision() * bound.magnitude};
  argument = named(choices, rootOf(choices, order, value.radices, {}));
  value.name = fresh("v");
  define({value}, from + " |> " + name + "(" + argument + ")");
  return true;
}

bool Writer::node(Choices &choices) {
  const Sequence value = pickValue(choices);
  int n = static_cast<int>(value.radices.size());
  std::vector<int> radices = value.radices, digits; // of the arrangement with the node's digits
  int64_t arity = 1;
  bool inserts = n == 0 || choices.oneIn(7);
  int count = choices.pick(3) == 2 ? choices.between(2, 3) : 1;
  if (inserts) {
    static const std::vector<int> lengths = {2, 3, 2, 5};
    int radix = choices.pick(lengths);
    for (int i = 0; i < count; ++i)
      if (value.elements() * arity * radix <= shared.maxElements && arity * radix <= 9)
        arity *= radix, digits.push_back(0);
    if (digits.empty())
      return false;
    // Places in the new arrangement, then its radices.
    std::vector<int> places(n + digits.size());
    std::iota(places.begin(), places.end(), 1);
    for (int &digit : digits) {
      auto at = places.begin() + choices.pick(static_cast<uint32_t>(places.size()));
      digit = *at;
      places.erase(at);
    }
    radices.assign(places.size() + digits.size(), radix);
    for (size_t i = 0; i < places.size(); ++i)
      radices[places[i] - 1] = value.radices[i];
  } else {
    for (int i = 0; i < count; ++i) {
      int digit = choices.between(1, n);
      if (std::find(digits.begin(), digits.end(), digit) == digits.end() && arity * radices[digit - 1] <= 9) {
        digits.push_back(digit);
        arity *= radices[digit - 1];
      }
    }
    if (digits.empty())
      return false;
  }
  std::vector<int> reduced;
  for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit)
    if (std::find(digits.begin(), digits.end(), digit) == digits.end())
      reduced.push_back(radices[digit - 1]);

  std::vector<Slot> operands = {{"x0", value.type, value.bounds, !inserts}}, arguments;
  std::vector<std::string> names = {value.name};
  bool linear = value.type.isVector() && choices.pick(3) == 0;
  int others = choices.pick(3) == 2 ? choices.between(1, 2) : 0;
  std::vector<const Sequence *> candidates; // as arrays or as single elements
  for (const Sequence &other : values)
    if (((other.radices == radices && !inserts) || other.radices == reduced) && (!linear || other.type == value.type))
      candidates.push_back(&other);
  for (int i = 0; i < others && !candidates.empty(); ++i) {
    const Sequence &other = *choices.pick(candidates);
    operands.push_back({"x" + std::to_string(operands.size()), other.type, other.bounds, other.radices == radices});
    names.push_back(other.name);
  }
  std::string argumentText = linear ? "" : makeArguments(choices, radices, digits, arguments);
  // What comes out: arrays, single elements, or both; something has to have the digits.
  std::vector<bool> arrays;
  switch (inserts ? 0 : choices.pick(6)) {
  case 3:
    arrays = {false};
    break;
  case 4:
    arrays = {false, false};
    break;
  case 5:
    arrays = {true, false};
    break;
  default:
    arrays = {true};
  }
  if (inserts && choices.oneIn(4))
    arrays.push_back(choices.pick(2));
  std::vector<Type> types;
  for (size_t i = 0; i < arrays.size(); ++i)
    types.push_back(!linear && choices.oneIn(6) ? pickType(choices, true) : value.type);
  std::string name = fresh("node");
  auto bounds = declare(shared, choices, name, static_cast<int>(arity), operands, arguments, types, arrays, linear);
  std::vector<Sequence> results;
  for (size_t i = 0; i < arrays.size(); ++i)
    results.push_back({fresh("v"), types[i], arrays[i] ? radices : reduced, bounds[i]});
  define(results, tuple(names) + " |> " + name + argumentText + " @ " + digitList(choices, digits));
  return true;
}

/// Records, then linear nodes on one digit each that mix their fields.
bool Writer::fields(Choices &choices) {
  Sequence value = pickValue(choices);
  const int n = static_cast<int>(value.radices.size());
  if (n < 2 || *std::max_element(value.radices.begin(), value.radices.end()) > 5)
    return false;
  static const std::vector<Type> types = {
      {Kind::F32, 0, {}}, {Kind::Mod, 97, {}}, {Kind::ComplexF32, 0, {}}, {Kind::F64, 0, {}}};
  const Type field = choices.pick(types);
  Type record{Kind::Record, 0, {field, field}};
  if (choices.oneIn(3))
    record = {Kind::Record, 0, {field, record}};
  auto apply = [&](const char *stem, int arity, const std::string &place) {
    std::string name = fresh(stem), from = value.name;
    value.bounds = declare(shared, choices, name, arity, {{"x0", value.type, value.bounds, arity > 0}}, {}, {record},
                           {arity > 0}, arity > 0)[0];
    value.type = record;
    value.name = fresh("v");
    define({value}, from + " |> " + name + place);
  };
  apply("func", 0, "");
  const int nodes = choices.between(2, 4);
  for (int i = 0; i < nodes; ++i) {
    const int digit = choices.between(1, n);
    apply("node", value.radices[digit - 1], " @ " + std::to_string(digit));
  }
  return true;
}
