#include "compiler/adjoint/GatherAdjoint.h"

#include "compiler/adjoint/BodyAdjoint.h"
#include "compiler/adjoint/IndexFormula.h"

#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/Value.h"

#include "dialect/digits/NumberTheory.h"

#include <algorithm>
#include <numeric>

using namespace idc;
using namespace idc::adjoint;
using frontend::Body;
using frontend::Instr;
using frontend::Op;
using frontend::Step;

static int64_t product(const std::vector<int> &radices) {
  int64_t count = 1;
  for (int radix : radices)
    count *= radix;
  return count;
}

//===--- gathers by run-time integers ---------------------------------------------------------------------------===//

namespace {

/// An integer modulo a length: a multiple of each digit and what is made of parameters alone.
struct Congruence {
  std::vector<int64_t> multiples; // by digit - 1
  int rest = -1;                  // the instruction of the body that collects what has no digits; -1: 0
};

/// Reads a body of integers as a congruence; `rest` collects the part without digits.
class CongruenceReader {
public:
  CongruenceReader(const Body &body, int64_t length, size_t digits)
      : body(body), length(length), digits(digits), hasDigits(body.instrs.size()), copied(body.instrs.size(), -1) {
    for (size_t i = 0; i < body.instrs.size(); ++i) {
      hasDigits[i] = body.instrs[i].op == Op::Digit;
      for (int operand : body.instrs[i].operands)
        hasDigits[i] = hasDigits[i] || hasDigits[static_cast<size_t>(operand)];
    }
  }

  Body rest;
  IntegerCode code{rest};

  std::optional<Congruence> read(int id) {
    const Instr &instr = body.instrs[static_cast<size_t>(id)];
    if (!hasDigits[static_cast<size_t>(id)])
      return Congruence{std::vector<int64_t>(digits, 0), copy(id)};
    switch (instr.op) {
    case Op::Digit: {
      Congruence one{std::vector<int64_t>(digits, 0), -1};
      one.multiples[static_cast<size_t>(instr.digit) - 1] = 1 % length;
      return one;
    }
    case Op::Add:
    case Op::Sub: {
      std::optional<Congruence> a = read(instr.operands[0]), b = read(instr.operands[1]);
      return a && b ? std::optional(combined(*a, *b, instr.op == Op::Add ? 1 : -1)) : std::nullopt;
    }
    case Op::Neg: {
      std::optional<Congruence> a = read(instr.operands[0]);
      return a ? std::optional(combined(Congruence{std::vector<int64_t>(digits, 0), -1}, *a, -1)) : std::nullopt;
    }
    case Op::Mul:
      for (size_t i : {0, 1})
        if (const Instr &factor = body.instrs[static_cast<size_t>(instr.operands[i])]; factor.op == Op::Constant) {
          std::optional<Congruence> a = read(instr.operands[1 - i]);
          return a ? std::optional(combined(Congruence{std::vector<int64_t>(digits, 0), -1}, *a, factor.intValue))
                   : std::nullopt;
        }
      return std::nullopt;
    case Op::Rem:
      if (const Instr &by = body.instrs[static_cast<size_t>(instr.operands[1])];
          by.op == Op::Constant && by.intValue % length == 0)
        return read(instr.operands[0]);
      return std::nullopt;
    default:
      return std::nullopt;
    }
  }

private:
  Congruence combined(const Congruence &a, const Congruence &b, int64_t factor) {
    Congruence result = a;
    factor %= length;
    for (size_t d = 0; d < digits; ++d)
      result.multiples[d] = static_cast<int64_t>(
          ((static_cast<__int128>(b.multiples[d]) * factor + a.multiples[d]) % length + length) % length);
    if (b.rest >= 0) {
      const int scaled = factor == 1 ? b.rest : code.emit(Op::Mul, code.constant(factor), b.rest);
      result.rest = a.rest < 0 ? scaled : code.emit(Op::Add, a.rest, scaled);
    }
    return result;
  }

  int copy(int id) {
    int &known = copied[static_cast<size_t>(id)];
    if (known < 0) {
      Instr instr = body.instrs[static_cast<size_t>(id)];
      for (int &operand : instr.operands)
        operand = copy(operand);
      rest.instrs.push_back(std::move(instr));
      known = static_cast<int>(rest.instrs.size()) - 1;
    }
    return known;
  }

  const Body &body;
  int64_t length;
  size_t digits;
  std::vector<bool> hasDigits;
  std::vector<int> copied;
};

} // namespace

/// Element i was element (a·i + s) mod the length: element k goes back from place (k - s) / a.
static std::optional<int> backByCongruence(StepMaker &steps, const Step &step, const std::vector<int> &own,
                                           const std::vector<int> &made, int gradient, std::string &error) {
  const int64_t length = product(own);
  CongruenceReader reader(step.body, length, made.size());
  const std::optional<Congruence> found =
      product(made) <= length ? reader.read(step.body.results[0]) : std::optional<Congruence>();
  const int64_t factor = found && !made.empty() ? found->multiples[0] : 1;
  bool isIndex = found.has_value();
  int64_t weight = 1;
  for (size_t d = 0; found && d < made.size(); ++d) {
    isIndex &= found->multiples[d] == static_cast<int64_t>(static_cast<__int128>(factor) * weight % length);
    weight *= made[d];
  }
  const int64_t back = length == 1 ? 1 : digits::inverseMod(factor, length);
  if (!isIndex || back == 0) {
    error = "the adjoint of a 'gather' by a run-time integer is known where that is added to a multiple of the index "
            "modulo the length, and this one is another";
    return std::nullopt;
  }
  if (product(made) < length) // what was not taken gets nothing
    gradient = steps.resize(gradient, static_cast<int>(made.size()), own);
  Body body = reader.rest;
  IntegerCode code(body);
  const int modulus = code.constant(length);
  int place = code.index(own);
  if (found->rest >= 0) {
    const int shift =
        code.emit(Op::Rem, code.emit(Op::Add, code.emit(Op::Rem, found->rest, modulus), modulus), modulus);
    place = code.emit(Op::Add, place, code.emit(Op::Sub, modulus, shift));
  }
  place = code.emit(Op::Rem, place, modulus);
  if (back != 1)
    place = code.emit(Op::Rem, code.emit(Op::Mul, code.constant(back), place), modulus);
  body.results = {place};
  const int lowest = static_cast<int>(product(made) < length ? own.size() : made.size());
  return steps.move(Step::Kind::Gather, gradient, lowest, own, withoutDeadCode(body));
}

//===--- gathers that are known when compiling ------------------------------------------------------------------===//

namespace {

constexpr int64_t maxTried = int64_t(1) << 24;     // elements whose places are looked at
constexpr int64_t maxScattered = int64_t(1) << 22; // the front end looks at every element of a scatter, and of a gather
                                                   // whose bounds do not show that it stays inside

/// Which places each element went to.
class Takers {
public:
  Takers(int64_t length, const std::vector<int64_t> &elements) : first(static_cast<size_t>(length) + 1, 0) {
    for (int64_t element : elements)
      ++first[static_cast<size_t>(element) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    places.resize(elements.size());
    std::vector<int64_t> next(first.begin(), first.end() - 1);
    for (size_t place = 0; place < elements.size(); ++place)
      places[static_cast<size_t>(next[static_cast<size_t>(elements[place])]++)] = static_cast<int64_t>(place);
  }
  int64_t count(int64_t element) const {
    return first[static_cast<size_t>(element) + 1] - first[static_cast<size_t>(element)];
  }
  const int64_t *begin(int64_t element) const { return places.data() + first[static_cast<size_t>(element)]; }
  const int64_t *end(int64_t element) const { return begin(element) + count(element); }

private:
  std::vector<int64_t> first, places;
};

/// Digits for at least `count` values that are added up: prime factors where these are small, else bits.
std::vector<int> digitsOf(int64_t count) {
  std::vector<int> radices;
  int64_t rest = count;
  for (int prime : {2, 3, 5, 7, 11, 13})
    for (; rest % prime == 0; rest /= prime)
      radices.push_back(prime);
  if (rest == 1)
    return radices;
  radices.clear();
  for (int64_t length = 1; length < count; length *= 2)
    radices.push_back(2);
  return radices;
}

/// The elements that went to so many places that they are better summed apart, at most eight.
std::vector<int64_t> heaviest(const Takers &takers, int64_t length) {
  constexpr size_t most = 8;
  std::vector<int64_t> order(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), 0);
  const size_t seen = std::min(most + 1, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(seen), order.end(),
      [&](int64_t a, int64_t b) { return std::make_pair(-takers.count(a), a) < std::make_pair(-takers.count(b), b); });
  size_t heavy = 0;
  int64_t best = INT64_MAX, before = 0;
  for (size_t h = 0; h < seen; ++h) {
    const int64_t width = std::max<int64_t>(1, takers.count(order[h]));
    if (const int64_t cost = length * width + before + static_cast<int64_t>(h) * 64; cost < best) {
      best = cost;
      heavy = h;
    }
    before += width;
  }
  order.resize(heavy);
  return order;
}

/// Takes, for each digit of `kept`, the elements `places` that belong to it (-1: none), along the digits `summed`
/// below, and adds them.
std::optional<int> sumFrom(StepMaker &steps, int gradient, int lowest, const std::vector<int> &kept,
                           const std::vector<int> &summed, const std::vector<int64_t> &places) {
  std::vector<int> radices = summed;
  radices.insert(radices.end(), kept.begin(), kept.end());
  const std::optional<Body> formula = findFormula(places, radices);
  if (!formula)
    return std::nullopt;
  const bool lacks = std::find(places.begin(), places.end(), -1) != places.end();
  Body index = *formula;
  IntegerCode code(index);
  if (lacks)
    index.results = {code.emit(Op::Max, index.results[0], code.constant(0))};
  if (static_cast<int64_t>(places.size()) > maxScattered) {
    const std::vector<int> &all = steps.radices(gradient);
    index.results = {code.emit(Op::Rem, index.results[0], code.constant(product({all.begin(), all.begin() + lowest})))};
  }
  int result = steps.move(Step::Kind::Gather, gradient, lowest, radices, std::move(index));
  if (lacks)
    result = steps.masked(result, *formula);
  for (size_t digit = 0; digit < summed.size(); ++digit)
    result = steps.sumOverDigit(result, 1);
  return result;
}

} // namespace

std::optional<int> adjoint::gatherAdjoint(StepMaker &steps, const Step &step, const std::vector<int> &radices,
                                          int gradient, std::string &error) {
  // Own digits of the sequence, and those made of them; the others are the batch.
  const std::vector<int> &all = steps.radices(gradient);
  const std::vector<int> own(radices.begin(), radices.begin() + step.lowest);
  const int lowest = static_cast<int>(all.size() - (radices.size() - own.size()));
  const std::vector<int> made(all.begin(), all.begin() + lowest);
  const int64_t length = product(own), count = product(made);
  if (std::any_of(step.body.instrs.begin(), step.body.instrs.end(),
                  [](const Instr &instr) { return instr.op == Op::ScalarParam; }))
    return backByCongruence(steps, step, own, made, gradient, error);
  if (length > maxTried || count > maxTried) {
    error = "the adjoint of a 'gather' is found by trying, of at most " + std::to_string(maxTried) + " elements";
    return std::nullopt;
  }
  std::vector<int64_t> elements;
  if (!frontend::forEachIndex(
          step.body, made, {},
          [&](int64_t element) {
            elements.push_back(element);
            return true;
          },
          error))
    return std::nullopt;
  const Takers takers(length, elements);
  bool isOneToOne = length == count && length <= maxScattered;
  for (int64_t element = 0; element < length && isOneToOne; ++element)
    isOneToOne = takers.count(element) == 1;
  if (isOneToOne)
    return steps.move(Step::Kind::Scatter, gradient, lowest, own, step.body);

  // Most elements went to a few places, and a few, as those at ends where an index is clamped, to many.
  const std::vector<int64_t> heavy = heaviest(takers, length);
  int64_t width = 1;
  for (int64_t element = 0; element < length; ++element)
    if (std::find(heavy.begin(), heavy.end(), element) == heavy.end())
      width = std::max(width, takers.count(element));
  const std::vector<int> summed = digitsOf(width);
  const int64_t wide = product(summed);
  if (wide * length > maxTried) {
    error = "the adjoint of this 'gather' takes too many elements together: up to " + std::to_string(width) +
            " for each of " + std::to_string(length);
    return std::nullopt;
  }
  // The places of an element in order, the first or the last of all elements side by side.
  std::optional<int> result;
  for (bool fromEnd : {false, true}) {
    std::vector<int64_t> places(static_cast<size_t>(wide * length), -1);
    for (int64_t element = 0; element < length; ++element)
      if (std::find(heavy.begin(), heavy.end(), element) == heavy.end())
        std::copy(takers.begin(element), takers.end(element),
                  places.begin() + element * wide + (fromEnd ? wide - takers.count(element) : 0));
    result = sumFrom(steps, gradient, lowest, own, summed, places);
    if (result)
      break;
  }
  for (size_t h = 0; h < heavy.size() && result; ++h) {
    std::vector<int64_t> many(takers.begin(heavy[h]), takers.end(heavy[h]));
    const std::vector<int> bits = digitsOf(static_cast<int64_t>(many.size()));
    many.resize(static_cast<size_t>(product(bits)), -1);
    const std::optional<int> one = sumFrom(steps, gradient, lowest, {}, bits, many);
    if (!one)
      result.reset();
    else
      result = steps.addedAt(*result, *one, own, heavy[h]);
  }
  if (!result)
    error = "the elements that this 'gather' takes several times, or not at all, follow no rule that is short enough";
  return result;
}
