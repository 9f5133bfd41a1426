#include "compiler/emulator/Scalar.h"

#include "compiler/emulator/Memory.h"

#include "llvm/ADT/StringSwitch.h"

#include "host/HalfFloat.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace idc;
using namespace idc::emulator;

//===--- representations ----------------------------------------------------------------------------------------===//

namespace {

struct F32 {
  using Value = float;
  static float get(uint64_t bits) {
    auto low = static_cast<uint32_t>(bits);
    float x;
    std::memcpy(&x, &low, 4);
    return x;
  }
  static uint64_t put(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    return bits;
  }
};
struct F64 {
  using Value = double;
  static double get(uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, 8);
    return x;
  }
  static uint64_t put(double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    return bits;
  }
};

/// `nearest`, a rounding of a number that lies in the direction of `error` from it, rounded to odd instead: the
/// neighbour with an odd last bit. A second rounding to two bits less or fewer then gives what one would have given.
template <class T> T roundedToOdd(T nearest, double error) {
  uint64_t bits = 0;
  std::memcpy(&bits, &nearest, sizeof nearest);
  if (error == 0 || std::isnan(error) || bits & 1)
    return nearest;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return std::nextafter(nearest, error > 0 ? infinity : -infinity);
}
float toOddFloat(double x) {
  auto nearest = static_cast<float>(x);
  return roundedToOdd(nearest, std::isinf(x) ? 0 : x - static_cast<double>(nearest));
}

struct F16 {
  using Value = double;
  static double get(uint64_t bits) { return host::fromHalf(static_cast<uint16_t>(bits)); }
  static uint64_t put(double x) { return host::toHalf(toOddFloat(x)); }
};
struct BF16 {
  using Value = double;
  static double get(uint64_t bits) { return host::fromBFloat16(static_cast<uint16_t>(bits)); }
  static uint64_t put(double x) { return host::toBFloat16(toOddFloat(x)); }
};
template <class F> constexpr bool isNarrow = std::is_same_v<F, F16> || std::is_same_v<F, BF16>;

uint64_t cut(uint64_t x, unsigned bits) { return bits >= 64 ? x : x & ((uint64_t(1) << bits) - 1); }
int64_t extended(uint64_t x, unsigned bits) {
  return bits >= 64 ? static_cast<int64_t>(x) : static_cast<int64_t>(x << (64 - bits)) >> (64 - bits);
}

template <class F, class Op> void floatUnary(uint64_t *s, const Instruction &i) {
  s[i.result] = F::put(Op::apply(F::get(s[i.a])));
}
template <class F, class Op> void floatBinary(uint64_t *s, const Instruction &i) {
  s[i.result] = F::put(Op::apply(F::get(s[i.a]), F::get(s[i.b])));
}
template <class F> void floatFma(uint64_t *s, const Instruction &i) {
  typename F::Value x = F::get(s[i.a]), y = F::get(s[i.b]), z = F::get(s[i.c]);
  if constexpr (isNarrow<F>) { // the product is exact, the sum's error known (Knuth's two-sum)
    double product = x * y, sum = product + z, rest = sum - product;
    double error = (product - (sum - rest)) + (z - rest);
    s[i.result] = F::put(std::isfinite(sum) ? roundedToOdd(sum, error) : sum);
  } else {
    s[i.result] = F::put(std::fma(x, y, z));
  }
}
template <class Op> void integerBinary(uint64_t *s, const Instruction &i) {
  s[i.result] = cut(Op::apply(s[i.a], s[i.b], i.bits), i.bits);
}

/// A handler for each Number.
using Handlers = std::array<Handler, 4>;
template <class Op>
constexpr Handlers unary = {floatUnary<F32, Op>, floatUnary<F64, Op>, floatUnary<F16, Op>, floatUnary<BF16, Op>};
template <class Op>
constexpr Handlers binary = {floatBinary<F32, Op>, floatBinary<F64, Op>, floatBinary<F16, Op>, floatBinary<BF16, Op>};

#define IDC_BINARY(NAME, EXPRESSION)                                                                                   \
  struct NAME {                                                                                                        \
    template <class T> static T apply(T a, T b) { return EXPRESSION; }                                                 \
  };
IDC_BINARY(Add, a + b)
IDC_BINARY(Sub, a - b)
IDC_BINARY(Mul, a *b)
IDC_BINARY(Div, a / b)
IDC_BINARY(Rem, std::fmod(a, b))
IDC_BINARY(Power, std::pow(a, b))
IDC_BINARY(Angle, std::atan2(a, b))
IDC_BINARY(MinNumber, std::fmin(a, b))
IDC_BINARY(MaxNumber, std::fmax(a, b))
IDC_BINARY(Minimum, std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : std::fmin(a, b))
IDC_BINARY(Maximum, std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : std::fmax(a, b))
IDC_BINARY(CopySign, std::copysign(a, b))
#undef IDC_BINARY

#define IDC_UNARY(NAME, EXPRESSION)                                                                                    \
  struct NAME {                                                                                                        \
    template <class T> static T apply(T a) { return EXPRESSION; }                                                      \
  };
IDC_UNARY(Negate, -a)
IDC_UNARY(Abs, std::fabs(a))
IDC_UNARY(Sqrt, std::sqrt(a))
IDC_UNARY(Rsqrt, T(1) / std::sqrt(a))
IDC_UNARY(Exp, std::exp(a))
IDC_UNARY(Exp2, std::exp2(a))
IDC_UNARY(Log, std::log(a))
IDC_UNARY(Log2, std::log2(a))
IDC_UNARY(Sin, std::sin(a))
IDC_UNARY(Cos, std::cos(a))
IDC_UNARY(Tanh, std::tanh(a))
IDC_UNARY(Erf, std::erf(a))
IDC_UNARY(RoundEven, std::nearbyint(a))
IDC_UNARY(Floor, std::floor(a))
IDC_UNARY(Ceil, std::ceil(a))
#undef IDC_UNARY

constexpr Handlers fusedMultiplyAdd = {floatFma<F32>, floatFma<F64>, floatFma<F16>, floatFma<BF16>};

// Division by zero and shifts past the width have no value in the dialect: all ones, as the hardware's division gives.
#define IDC_INTEGER(NAME, EXPRESSION)                                                                                  \
  struct NAME {                                                                                                        \
    static uint64_t apply(uint64_t a, uint64_t b, [[maybe_unused]] unsigned bits) { return EXPRESSION; }               \
  };
#define IDC_SIGNED(X) extended(X, bits)
IDC_INTEGER(AddInteger, a + b)
IDC_INTEGER(SubInteger, a - b)
IDC_INTEGER(MulInteger, a *b)
IDC_INTEGER(DivUnsigned, b ? a / b : poisonBits)
IDC_INTEGER(RemUnsigned, b ? a % b : a)
IDC_INTEGER(DivSigned, !b                    ? poisonBits
                       : IDC_SIGNED(b) == -1 ? 0 - a
                                             : static_cast<uint64_t>(IDC_SIGNED(a) / IDC_SIGNED(b)))
IDC_INTEGER(RemSigned, !b ? a : IDC_SIGNED(b) == -1 ? 0 : static_cast<uint64_t>(IDC_SIGNED(a) % IDC_SIGNED(b)))
IDC_INTEGER(And, a &b)
IDC_INTEGER(Or, a | b)
IDC_INTEGER(Xor, a ^ b)
IDC_INTEGER(ShiftLeft, b < bits ? a << b : poisonBits)
IDC_INTEGER(ShiftRight, b < bits ? a >> b : poisonBits)
IDC_INTEGER(ShiftRightSigned, b < bits ? static_cast<uint64_t>(IDC_SIGNED(a) >> b) : poisonBits)
IDC_INTEGER(MinSigned, IDC_SIGNED(a) < IDC_SIGNED(b) ? a : b)
IDC_INTEGER(MaxSigned, IDC_SIGNED(a) > IDC_SIGNED(b) ? a : b)
IDC_INTEGER(MinUnsigned, a < b ? a : b)
IDC_INTEGER(MaxUnsigned, a > b ? a : b)
#undef IDC_SIGNED
#undef IDC_INTEGER

void multiplyBoth(uint64_t *s, const Instruction &i) {
  __extension__ typedef unsigned __int128 Wide;
  Wide product = static_cast<Wide>(s[i.a]) * s[i.b];
  s[i.result] = cut(static_cast<uint64_t>(product), i.bits);
  s[i.d] = cut(static_cast<uint64_t>(product >> i.bits), i.bits);
}

void absInteger(uint64_t *s, const Instruction &i) {
  int64_t x = extended(s[i.a], i.bits);
  s[i.result] = cut(x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x), i.bits);
}
void countOnes(uint64_t *s, const Instruction &i) { s[i.result] = static_cast<uint64_t>(__builtin_popcountll(s[i.a])); }
void countLeadingZeros(uint64_t *s, const Instruction &i) {
  s[i.result] = s[i.a] ? static_cast<uint64_t>(__builtin_clzll(s[i.a])) + i.bits - 64 : i.bits;
}

// Relations, one bit each. `isUnordered` holds for numbers that are not; `asSigned` says how integers are compared.
enum Relation : uint64_t { isEqual = 1, isGreater = 2, isLess = 4, isUnordered = 8, asSigned = 8 };

template <class F> void compareFloat(uint64_t *s, const Instruction &i) {
  auto a = F::get(s[i.a]), b = F::get(s[i.b]);
  uint64_t relation = a == b ? isEqual : a > b ? isGreater : a < b ? isLess : isUnordered;
  s[i.result] = (i.immediate & relation) != 0;
}
void compareInteger(uint64_t *s, const Instruction &i) {
  uint64_t a = s[i.a], b = s[i.b];
  bool less = i.immediate & asSigned ? extended(a, i.bits) < extended(b, i.bits) : a < b;
  uint64_t relation = a == b ? isEqual : less ? isLess : isGreater;
  s[i.result] = (i.immediate & relation) != 0;
}

template <class F, bool isSigned> void fromInteger(uint64_t *s, const Instruction &i) {
  bool negative = isSigned && extended(s[i.a], i.bits) < 0;
  uint64_t size = negative ? 0 - static_cast<uint64_t>(extended(s[i.a], i.bits)) : s[i.a];
  if constexpr (isNarrow<F>) // what a double cannot hold goes into its last bit
    if (size >> 53)
      size = (size & ~uint64_t(0x7ff)) | (size & 0x7ff ? 0x800 : 0);
  auto value = static_cast<typename F::Value>(size);
  s[i.result] = F::put(negative ? -value : value);
}
/// Saturates, as the hardware does; not a number gives 0.
template <class F, bool isSigned> void toInteger(uint64_t *s, const Instruction &i) {
  double x = F::get(s[i.a]);
  double high = std::ldexp(1.0, isSigned ? i.bits - 1 : i.bits), low = isSigned ? -high : 0;
  uint64_t all = cut(poisonBits, i.bits);
  uint64_t value = std::isnan(x) ? 0
                   : x >= high   ? (isSigned ? all >> 1 : all)
                   : x <= low    ? (isSigned ? uint64_t(1) << (i.bits - 1) : 0)
                   : isSigned    ? static_cast<uint64_t>(static_cast<int64_t>(x))
                                 : static_cast<uint64_t>(x);
  s[i.result] = cut(value, i.bits);
}
template <class From, class To> void toFloat(uint64_t *s, const Instruction &i) {
  s[i.result] = To::put(static_cast<typename To::Value>(From::get(s[i.a])));
}
template <class From>
constexpr Handlers convert = {toFloat<From, F32>, toFloat<From, F64>, toFloat<From, F16>, toFloat<From, BF16>};

} // namespace

//===--- names --------------------------------------------------------------------------------------------------===//

ScalarOp emulator::floatOp(llvm::StringRef name, Number type) {
  struct Entry {
    const Handlers *handlers = nullptr;
    OpClass counted = OpClass::OtherFloat;
  };
  Entry entry = llvm::StringSwitch<Entry>(name)
                    .Case("arith.addf", {&binary<Add>, OpClass::Add})
                    .Case("arith.subf", {&binary<Sub>, OpClass::Add})
                    .Case("arith.mulf", {&binary<Mul>, OpClass::Mul})
                    .Case("math.fma", {&fusedMultiplyAdd, OpClass::Fma})
                    .Case("arith.negf", {&unary<Negate>, OpClass::OtherFloat})
                    .Case("arith.divf", {&binary<Div>, OpClass::OtherFloat})
                    .Case("arith.remf", {&binary<Rem>, OpClass::OtherFloat})
                    .Case("arith.minnumf", {&binary<MinNumber>, OpClass::OtherFloat})
                    .Case("arith.maxnumf", {&binary<MaxNumber>, OpClass::OtherFloat})
                    .Case("arith.minimumf", {&binary<Minimum>, OpClass::OtherFloat})
                    .Case("arith.maximumf", {&binary<Maximum>, OpClass::OtherFloat})
                    .Case("math.copysign", {&binary<CopySign>, OpClass::OtherFloat})
                    .Case("math.powf", {&binary<Power>, OpClass::OtherFloat})
                    .Case("math.atan2", {&binary<Angle>, OpClass::OtherFloat})
                    .Case("math.absf", {&unary<Abs>, OpClass::OtherFloat})
                    .Case("math.sqrt", {&unary<Sqrt>, OpClass::OtherFloat})
                    .Case("math.rsqrt", {&unary<Rsqrt>, OpClass::OtherFloat})
                    .Case("math.exp", {&unary<Exp>, OpClass::OtherFloat})
                    .Case("math.exp2", {&unary<Exp2>, OpClass::OtherFloat})
                    .Case("math.log", {&unary<Log>, OpClass::OtherFloat})
                    .Case("math.log2", {&unary<Log2>, OpClass::OtherFloat})
                    .Case("math.sin", {&unary<Sin>, OpClass::OtherFloat})
                    .Case("math.cos", {&unary<Cos>, OpClass::OtherFloat})
                    .Case("math.tanh", {&unary<Tanh>, OpClass::OtherFloat})
                    .Case("math.erf", {&unary<Erf>, OpClass::OtherFloat})
                    .Case("math.roundeven", {&unary<RoundEven>, OpClass::OtherFloat})
                    .Case("math.floor", {&unary<Floor>, OpClass::OtherFloat})
                    .Case("math.ceil", {&unary<Ceil>, OpClass::OtherFloat})
                    .Default({});
  return {entry.handlers ? (*entry.handlers)[static_cast<size_t>(type)] : nullptr, entry.counted};
}

ScalarOp emulator::integerOp(llvm::StringRef name) {
  Handler handler = llvm::StringSwitch<Handler>(name)
                        .Case("arith.addi", integerBinary<AddInteger>)
                        .Case("arith.subi", integerBinary<SubInteger>)
                        .Case("arith.muli", integerBinary<MulInteger>)
                        .Case("arith.divui", integerBinary<DivUnsigned>)
                        .Case("arith.divsi", integerBinary<DivSigned>)
                        .Case("arith.remui", integerBinary<RemUnsigned>)
                        .Case("arith.remsi", integerBinary<RemSigned>)
                        .Case("arith.andi", integerBinary<And>)
                        .Case("arith.ori", integerBinary<Or>)
                        .Case("arith.xori", integerBinary<Xor>)
                        .Case("arith.shli", integerBinary<ShiftLeft>)
                        .Case("arith.shrui", integerBinary<ShiftRight>)
                        .Case("arith.shrsi", integerBinary<ShiftRightSigned>)
                        .Case("arith.minsi", integerBinary<MinSigned>)
                        .Case("arith.maxsi", integerBinary<MaxSigned>)
                        .Case("arith.minui", integerBinary<MinUnsigned>)
                        .Case("arith.maxui", integerBinary<MaxUnsigned>)
                        .Case("math.absi", absInteger)
                        .Case("math.ctpop", countOnes)
                        .Case("math.ctlz", countLeadingZeros)
                        .Default(nullptr);
  return {handler, OpClass::Integer};
}

ScalarOp emulator::multiplyExtended() { return {multiplyBoth, OpClass::Integer}; }

ScalarOp emulator::compareFloats(Number type) {
  static constexpr Handlers handlers = {compareFloat<F32>, compareFloat<F64>, compareFloat<F16>, compareFloat<BF16>};
  return {handlers[static_cast<size_t>(type)], OpClass::OtherFloat};
}
ScalarOp emulator::compareIntegers() { return {compareInteger, OpClass::Integer}; }

uint64_t emulator::floatRelations(uint64_t predicate) {
  // false oeq ogt oge olt ole one ord, ueq … une, uno, true
  return predicate < 8 ? predicate : predicate < 14 ? predicate + 1 : predicate == 14 ? uint64_t(isUnordered) : 15;
}
uint64_t emulator::integerRelations(uint64_t predicate) {
  constexpr uint64_t relations[] = {isEqual,
                                    isLess | isGreater,
                                    asSigned | isLess,
                                    asSigned | isLess | isEqual,
                                    asSigned | isGreater,
                                    asSigned | isGreater | isEqual,
                                    isLess,
                                    isLess | isEqual,
                                    isGreater,
                                    isGreater | isEqual};
  return relations[predicate];
}

ScalarOp emulator::integerToFloat(Number to, bool isSigned) {
  static constexpr Handlers signedOnes = {fromInteger<F32, true>, fromInteger<F64, true>, fromInteger<F16, true>,
                                          fromInteger<BF16, true>};
  static constexpr Handlers unsignedOnes = {fromInteger<F32, false>, fromInteger<F64, false>, fromInteger<F16, false>,
                                            fromInteger<BF16, false>};
  return {(isSigned ? signedOnes : unsignedOnes)[static_cast<size_t>(to)], OpClass::OtherFloat};
}
ScalarOp emulator::floatToInteger(Number from, bool isSigned) {
  static constexpr Handlers signedOnes = {toInteger<F32, true>, toInteger<F64, true>, toInteger<F16, true>,
                                          toInteger<BF16, true>};
  static constexpr Handlers unsignedOnes = {toInteger<F32, false>, toInteger<F64, false>, toInteger<F16, false>,
                                            toInteger<BF16, false>};
  return {(isSigned ? signedOnes : unsignedOnes)[static_cast<size_t>(from)], OpClass::OtherFloat};
}
ScalarOp emulator::convertFloat(Number from, Number to) {
  static constexpr std::array<Handlers, 4> handlers = {convert<F32>, convert<F64>, convert<F16>, convert<BF16>};
  return {handlers[static_cast<size_t>(from)][static_cast<size_t>(to)], OpClass::OtherFloat};
}

void emulator::move(uint64_t *s, const Instruction &i) { s[i.result] = cut(s[i.a], i.bits); }
void emulator::extractBits(uint64_t *slots, const Instruction &i) {
  uint64_t bits = slots[i.a] >> i.immediate;
  slots[i.result] = i.bits < 64 ? bits & ((uint64_t(1) << i.bits) - 1) : bits;
}

void emulator::joinBits(uint64_t *slots, const Instruction &i) {
  uint64_t bits = 0;
  for (uint32_t k = 0; k < i.scalars; ++k)
    bits |= (slots[i.a + k] & ((uint64_t(1) << i.immediate) - 1)) << (k * i.immediate);
  slots[i.result] = bits;
}

void emulator::extendSigned(uint64_t *s, const Instruction &i) {
  s[i.result] = cut(static_cast<uint64_t>(extended(s[i.a], static_cast<unsigned>(i.immediate))), i.bits);
}
void emulator::select(uint64_t *s, const Instruction &i) { s[i.result] = s[s[i.a] ? i.b : i.c]; }
void emulator::addScaled(uint64_t *s, const Instruction &i) {
  s[i.result] = s[i.a] + static_cast<uint64_t>(extended(s[i.b], i.bits)) * i.immediate;
}
void emulator::mapToRank(uint64_t *s, const Instruction &i) {
  // The machine replaces the part of an address that says whose memory it is: one below or far above is another
  // block's.
  constexpr int64_t window = int64_t(1) << 18;
  const int64_t offset = offsetOf(s[i.a]);
  const bool isInside = offset >= 0 && offset < window;
  s[i.result] = isInside ? addressOf(clusterRegion + static_cast<uint32_t>(s[i.b] & 0xff), offset) : 0;
}
void emulator::addImmediate(uint64_t *s, const Instruction &i) { s[i.result] = s[i.a] + i.immediate; }
