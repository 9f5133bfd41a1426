// Interval arithmetic on the operations that integers of digits are made of, and on the bools that choose among them.
#include "compiler/frontend/IndexBounds.h"

#include "compiler/frontend/Value.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace idc::frontend {

namespace {

bool isDiscrete(const Type &type) { return type.kind == Type::Kind::Bool || isInteger(type); }

int widthOf(const Type &type) { return type.kind == Type::Kind::Bool ? 1 : bitWidth(type); }

} // namespace

OutsideSearch::OutsideSearch(const Body &body, const std::vector<int> &radices, int64_t length)
    : body(body), length(length), radices(radices) {}

OutsideSearch::Answer OutsideSearch::search(int64_t most) {
  for (const Instr &instr : body.instrs)
    if (!isDiscrete(*instr.type))
      return Answer::Unknown;
  if (!body.params.empty())
    return Answer::Unknown;
  left = most;
  ranges.clear();
  for (const Instr &instr : body.instrs) {
    Int low = 0, high = 1;
    if (isInteger(*instr.type))
      integerBounds(*instr.type, low, high);
    const bool isUnsigned = instr.type->kind == Type::Kind::U64;
    ranges.push_back({static_cast<int64_t>(low), isUnsigned ? Wide(UINT64_MAX) : Wide(static_cast<int64_t>(high))});
  }
  values.assign(body.instrs.size(), {});
  digits.clear();
  for (int radix : radices)
    digits.push_back({0, radix - 1});
  return searchBox();
}

OutsideSearch::Answer OutsideSearch::searchBox() {
  if (left-- == 0 || !bound())
    return Answer::Unknown;
  const Interval value = values[static_cast<size_t>(body.results[0])];
  if (value.low >= 0 && value.high < length)
    return Answer::Inside;
  const auto highest =
      std::find_if(digits.rbegin(), digits.rend(), [](const Interval &digit) { return !digit.single(); });
  if (highest == digits.rend()) {
    int64_t element = 0;
    for (size_t digit = digits.size(); digit-- > 0;)
      element = element * radices[digit] + static_cast<int64_t>(digits[digit].low);
    found = {element, static_cast<int64_t>(value.low)};
    return Answer::Outside;
  }
  const Interval whole = *highest;
  const Wide middle = whole.low + (whole.high - whole.low) / 2;
  *highest = {whole.low, middle};
  Answer answer = searchBox();
  if (answer == Answer::Inside) {
    *highest = {middle + 1, whole.high};
    answer = searchBox();
  }
  *highest = whole;
  return answer;
}

/// Bounds of all values for the digits as they are.
bool OutsideSearch::bound() {
  for (size_t i = 0; i < body.instrs.size(); ++i) {
    const Instr &instr = body.instrs[i];
    Interval result;
    if (!boundOf(instr, result))
      return false;
    // What wraps may be anything, unless it is one number.
    const Interval range = ranges[i];
    if (result.low < range.low || result.high > range.high) {
      const Wide count = range.high - range.low + 1, above = (result.low - range.low) % count;
      const Wide wrapped = range.low + (above < 0 ? above + count : above);
      result = result.single() ? Interval{wrapped, wrapped} : range;
    }
    values[i] = result;
  }
  return true;
}

bool OutsideSearch::boundOf(const Instr &instr, Interval &result) const {
  auto operand = [&](size_t i) { return values[static_cast<size_t>(instr.operands[i])]; };
  const Interval a = instr.operands.empty() ? Interval() : operand(0),
                 b = instr.operands.size() < 2 ? Interval() : operand(1);
  const Interval never{0, 0}, always{1, 1}, either{0, 1};
  auto negated = [&](Interval truth) { return Interval{1 - truth.high, 1 - truth.low}; };
  auto isLess = [&](Interval x, Interval y) { return x.high < y.low ? always : x.low >= y.high ? never : either; };
  auto isEqual = [&] { return a.high < b.low || b.high < a.low ? never : a.single() && b.single() ? always : either; };
  // The extremes are at the corners.
  auto atCorners = [&](auto &&operation) {
    const Wide corners[] = {operation(a.low, b.low), operation(a.low, b.high), operation(a.high, b.low),
                            operation(a.high, b.high)};
    result = {*std::min_element(std::begin(corners), std::end(corners)),
              *std::max_element(std::begin(corners), std::end(corners))};
  };
  // Bits above those that change are known; signs are above them all, and change where an operand may have either.
  auto bitwise = [&](auto &&operation) {
    constexpr int signs = 64;
    int changing = 0;
    for (Interval x : {a, b})
      while (changing < signs && (x.low >> changing) != (x.high >> changing))
        ++changing;
    const Wide step = Wide(1) << changing;
    result.low = changing == signs ? -step : operation(a.low >> changing, b.low >> changing) * step;
    result.high = (changing == signs ? 0 : result.low) + step - 1;
  };
  switch (instr.op) {
  case Op::Constant:
    result.low = result.high =
        instr.type->kind == Type::Kind::U64 ? Wide(static_cast<uint64_t>(instr.intValue)) : Wide(instr.intValue);
    return true;
  case Op::Digit:
    result = digits[static_cast<size_t>(instr.digit - 1)];
    return true;
  case Op::Add:
    result = {a.low + b.low, a.high + b.high};
    return true;
  case Op::Sub:
    result = {a.low - b.high, a.high - b.low};
    return true;
  case Op::Neg:
    result = {-a.high, -a.low};
    return true;
  case Op::Mul:
    atCorners([](Wide x, Wide y) { return x * y; });
    return true;
  case Op::Div:
    if (b.low <= 0 && b.high >= 0)
      return false;
    atCorners([](Wide x, Wide y) { return x / y; });
    return true;
  case Op::Rem: {
    if (b.low <= 0 && b.high >= 0)
      return false;
    if (b.single() && a.low >= 0 && a.low / b.low == a.high / b.low) {
      result = {a.low % b.low, a.high % b.low};
      return true;
    }
    const Wide most = std::max(b.high, -b.low) - 1;
    result = a.single() && b.single()
                 ? Interval{a.low % b.low, a.low % b.low}
                 : Interval{a.low < 0 ? std::max(a.low, -most) : 0, a.high > 0 ? std::min(a.high, most) : 0};
    return true;
  }
  case Op::And:
    bitwise([](Wide x, Wide y) { return x & y; });
    return true;
  case Op::Or:
    bitwise([](Wide x, Wide y) { return x | y; });
    return true;
  case Op::Xor:
    bitwise([](Wide x, Wide y) { return x ^ y; });
    return true;
  case Op::Not:
    result = instr.type->kind == Type::Kind::Bool ? negated(a) : Interval{-1 - a.high, -1 - a.low};
    return true;
  case Op::Shl:
  case Op::Shr: {
    if (b.low < 0)
      return false;
    const int width = widthOf(*instr.type);
    const Wide beyond = Wide(1) << 100; // any type's values
    if (instr.op == Op::Shr)
      atCorners([&](Wide x, Wide y) { return x >> static_cast<int>(std::min<Wide>(y, width)); });
    else if (b.high < width)
      atCorners([](Wide x, Wide y) { return x * (Wide(1) << static_cast<int>(y)); });
    else
      result = b.low >= width ? never : Interval{-beyond, beyond};
    return true;
  }
  case Op::Eq:
    result = isEqual();
    return true;
  case Op::Ne:
    result = negated(isEqual());
    return true;
  case Op::Lt:
    result = isLess(a, b);
    return true;
  case Op::Ge:
    result = negated(isLess(a, b));
    return true;
  case Op::Gt:
    result = isLess(b, a);
    return true;
  case Op::Le:
    result = negated(isLess(b, a));
    return true;
  case Op::Select: {
    const Interval c = operand(2);
    result = a.low == 1 ? b : a.high == 0 ? c : Interval{std::min(b.low, c.low), std::max(b.high, c.high)};
    return true;
  }
  case Op::Lookup: {
    const auto count = static_cast<Wide>(instr.operands.size()) - 1;
    const Wide first = std::max<Wide>(a.low, 0), last = std::min<Wide>(a.high, count - 1);
    if (first > last)
      return false;
    result = operand(static_cast<size_t>(first) + 1);
    for (Wide at = first + 1; at <= last; ++at) {
      const Interval other = operand(static_cast<size_t>(at) + 1);
      result = {std::min(result.low, other.low), std::max(result.high, other.high)};
    }
    return true;
  }
  case Op::Min:
    result = {std::min(a.low, b.low), std::min(a.high, b.high)};
    return true;
  case Op::Max:
    result = {std::max(a.low, b.low), std::max(a.high, b.high)};
    return true;
  case Op::Abs:
    result = {a.low > 0 ? a.low : a.high < 0 ? -a.high : Wide(0), std::max(a.high, -a.low)};
    return true;
  case Op::Popcount:
  case Op::Clz: {
    const int width = widthOf(*body.instrs[static_cast<size_t>(instr.operands[0])].type);
    auto bits = [&](Wide value) { return static_cast<uint64_t>(value) & (~uint64_t(0) >> (64 - width)); };
    auto zeros = [&](Wide value) { return llvm::countl_zero(bits(value)) - (64 - width); };
    if (a.single())
      result.low = result.high = instr.op == Op::Clz ? zeros(a.low) : llvm::popcount(bits(a.low));
    else if (a.low < 0)
      result = {0, width};
    else
      result = instr.op == Op::Clz ? Interval{zeros(a.high), zeros(a.low)} : Interval{0, width - zeros(a.high)};
    return true;
  }
  case Op::Convert:
    result = a;
    return instr.type->kind != Type::Kind::Bool;
  default:
    return false;
  }
}

} // namespace idc::frontend
