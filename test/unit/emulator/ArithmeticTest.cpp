// Every scalar op that kernels are made of, on many operands of every type, bit by bit.
#include "ElementwiseFixture.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

#include <cmath>
#include <functional>
#include <random>

using namespace idc::emulator;
using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr auto nearest = APFloat::rmNearestTiesToEven;

struct Format {
  const char *type;
  unsigned bits;
  const llvm::fltSemantics *semantics;
  bool isSame(uint64_t a, uint64_t b) const { return a == b || (number(a).isNaN() && number(b).isNaN()); }
  APFloat number(uint64_t value) const { return APFloat(*semantics, APInt(bits, value, false, true)); }
};

const Format formats[] = {{"f16", 16, &APFloat::IEEEhalf()},
                          {"bf16", 16, &APFloat::BFloat()},
                          {"f32", 32, &APFloat::IEEEsingle()},
                          {"f64", 64, &APFloat::IEEEdouble()}};

class Arithmetic : public ElementwiseFixture {
protected:
  static Scalar scalar(const Format &format) { return {format.type, format.bits / 8}; }
  static Scalar integer(unsigned bits) { return {"i" + std::to_string(bits), std::max(bits / 8, 1u)}; }

  std::mt19937_64 random{1};

  /// Bits of any kind (subnormal, infinite, no number), then numbers of like size, whose sums have many digits.
  std::vector<Operands> numbers(const Format &format) {
    std::vector<Operands> operands(2048);
    for (Operands &o : operands)
      for (uint64_t &bits : o)
        bits = random();
    std::uniform_real_distribution<double> exponent(-14, 14), mantissa(1, 2);
    for (size_t i = 1024; i < operands.size(); ++i)
      for (uint64_t &bits : operands[i]) {
        APFloat value(
            std::ldexp(random() % 2 ? mantissa(random) : -mantissa(random), static_cast<int>(exponent(random))));
        bool inexact;
        value.convert(*format.semantics, nearest, &inexact);
        bits = value.bitcastToAPInt().getZExtValue();
      }
    return operands;
  }
  std::vector<Operands> integers() {
    std::vector<Operands> operands(1024);
    const uint64_t edges[] = {0, 1, 2, ~uint64_t(0), uint64_t(1) << 31, uint64_t(1) << 63, INT32_MAX, INT64_MAX};
    for (Operands &o : operands)
      for (uint64_t &bits : o)
        bits = random() % 2 ? edges[random() % 8] : random() >> random() % 64;
    return operands;
  }

  void expectNumbers(const Format &from, const Format &to, const std::string &op,
                     const std::function<APFloat(APFloat, APFloat, APFloat)> &expected) {
    SCOPED_TRACE(op);
    std::vector<Operands> operands = numbers(from);
    std::vector<uint64_t> found = results(scalar(from), scalar(to), "    %r = " + op + "\n", operands);
    for (size_t i = 0; i < operands.size(); ++i) {
      auto [x, y, z] = operands[i];
      uint64_t want = expected(from.number(x), from.number(y), from.number(z)).bitcastToAPInt().getZExtValue();
      ASSERT_TRUE(to.isSame(found[i], want))
          << std::hex << x << " " << y << " " << z << ": " << found[i] << ", not " << want;
    }
  }

  /// `expected` of the operands cut to the width, as unsigned numbers.
  void expectIntegers(unsigned bits, const std::string &body, unsigned resultBits,
                      const std::function<uint64_t(uint64_t, uint64_t, uint64_t)> &expected) {
    SCOPED_TRACE(body + " on " + std::to_string(bits) + " bits");
    std::vector<Operands> operands = integers();
    auto cut = [](uint64_t x, unsigned width) { return width == 64 ? x : x & ((uint64_t(1) << width) - 1); };
    for (Operands &o : operands)
      for (uint64_t &x : o)
        x = cut(x, bits);
    std::vector<uint64_t> found = results(integer(bits), integer(resultBits), body, operands);
    for (size_t i = 0; i < operands.size(); ++i) {
      auto [x, y, z] = operands[i];
      ASSERT_EQ(cut(found[i], resultBits), cut(expected(x, y, z), resultBits)) << std::hex << x << " " << y << " " << z;
    }
  }
};

TEST_F(Arithmetic, FloatingPointRoundsOnce) {
  for (const Format &f : formats) {
    std::string type = std::string(" : ") + f.type;
    auto with = [](auto change) {
      return [change](APFloat x, APFloat y, APFloat z) {
        change(x, y, z);
        return x;
      };
    };
    expectNumbers(f, f, "arith.addf %x, %y" + type, with([](APFloat &x, APFloat &y, APFloat &) { x.add(y, nearest); }));
    expectNumbers(f, f, "arith.subf %x, %y" + type,
                  with([](APFloat &x, APFloat &y, APFloat &) { x.subtract(y, nearest); }));
    expectNumbers(f, f, "arith.mulf %x, %y" + type,
                  with([](APFloat &x, APFloat &y, APFloat &) { x.multiply(y, nearest); }));
    expectNumbers(f, f, "arith.divf %x, %y" + type,
                  with([](APFloat &x, APFloat &y, APFloat &) { x.divide(y, nearest); }));
    expectNumbers(f, f, "math.fma %x, %y, %z" + type,
                  with([](APFloat &x, APFloat &y, APFloat &z) { x.fusedMultiplyAdd(y, z, nearest); }));
    expectNumbers(f, f, "arith.negf %x" + type, with([](APFloat &x, APFloat &, APFloat &) { x.changeSign(); }));
    expectNumbers(f, f, "math.absf %x" + type, with([](APFloat &x, APFloat &, APFloat &) { x.clearSign(); }));
  }
}

TEST_F(Arithmetic, ConversionsBetweenFloatingPointTypesRoundOnce) {
  for (const Format &from : formats)
    for (const Format &to : formats) {
      if (from.bits == to.bits)
        continue;
      std::string op = from.bits < to.bits ? "arith.extf" : "arith.truncf";
      expectNumbers(from, to, op + " %x : " + from.type + " to " + to.type, [&](APFloat x, APFloat, APFloat) {
        bool inexact;
        x.convert(*to.semantics, nearest, &inexact);
        return x;
      });
    }
  // Just above the middle between two numbers of f16, by less than f32 shows.
  uint64_t bits;
  double x = 1 + 0x1p-11 + 0x1p-40;
  std::memcpy(&bits, &x, 8);
  EXPECT_EQ(results({"f64", 8}, {"f16", 2}, "    %r = arith.truncf %x : f64 to f16\n", {{bits, 0, 0}})[0], 0x3c01u);
}

TEST_F(Arithmetic, FusedMultiplyAddOfHalfPrecisionRoundsOnce) {
  auto fma = [&](uint64_t x, uint64_t y, uint64_t z) {
    return results({"f16", 2}, {"f16", 2}, "    %r = math.fma %x, %y, %z : f16\n", {{x, y, z}})[0];
  };
  // 0x7800 = 2^15, 0x7801 = 2^15 + 2^5, 0x4c00 = 2^4: exactly in the middle, to even.
  EXPECT_EQ(fma(0x4c00, 0x3c00, 0x7801), 0x7802u);
  EXPECT_EQ(fma(0x4c00, 0xbc00, 0x7801), 0x7800u);
  // 1141 * 1838 = 2^21 + 6: above the middle by less than single precision shows beside 2^15.
  EXPECT_EQ(fma(0x4075, 0x472e, 0x7800), 0x7801u);
}

TEST_F(Arithmetic, IntegersBecomeFloatingPointNumbersRoundedOnce) {
  for (const Format &to : formats)
    for (unsigned bits : {32u, 64u})
      for (bool isSigned : {false, true}) {
        std::vector<Operands> operands = integers();
        // Middles between numbers of every precision, and their neighbours.
        for (unsigned top = 10; top < bits - 1; ++top)
          for (unsigned low : {8u, 11u, 24u, 53u})
            for (int64_t d : {-1, 0, 1})
              if (low <= top)
                operands.push_back({(uint64_t(1) << top) + (uint64_t(1) << (top - low)) + static_cast<uint64_t>(d)});
        std::string op = isSigned ? "arith.sitofp" : "arith.uitofp";
        std::vector<uint64_t> found =
            results(integer(bits), scalar(to),
                    "    %r = " + op + " %x : i" + std::to_string(bits) + " to " + to.type + "\n", operands);
        for (size_t i = 0; i < operands.size(); ++i) {
          APFloat want(*to.semantics);
          want.convertFromAPInt(APInt(bits, operands[i][0], false, true), isSigned, nearest);
          ASSERT_EQ(found[i], want.bitcastToAPInt().getZExtValue())
              << op << " to " << to.type << std::hex << " of " << operands[i][0];
        }
      }
}

TEST_F(Arithmetic, FloatingPointNumbersBecomeIntegersTruncated) {
  for (const Format &from : formats)
    for (bool isSigned : {false, true}) {
      std::vector<Operands> operands;
      for (Operands o : numbers(from))
        if (double x =
                [&] {
                  APFloat value = from.number(o[0]);
                  bool inexact;
                  value.convert(APFloat::IEEEdouble(), nearest, &inexact);
                  return value.convertToDouble();
                }();
            (isSigned ? -0x1p31 : 0) <= x && x < 0x1p31) // outside, the op has no value
          operands.push_back(o);
      ASSERT_GT(operands.size(), 100u);
      std::string op = isSigned ? "arith.fptosi" : "arith.fptoui";
      std::vector<uint64_t> found =
          results(scalar(from), integer(32), "    %r = " + op + " %x : " + from.type + " to i32\n", operands);
      for (size_t i = 0; i < operands.size(); ++i) {
        llvm::APSInt want(32, !isSigned);
        bool exact;
        from.number(operands[i][0]).convertToInteger(want, APFloat::rmTowardZero, &exact);
        ASSERT_EQ(found[i], want.getZExtValue()) << op << " " << from.type << " " << std::hex << operands[i][0];
      }
    }
}

TEST_F(Arithmetic, Integers) {
  for (unsigned bits : {1u, 32u, 64u}) {
    auto extended = [bits](uint64_t x) { return static_cast<int64_t>(x << (64 - bits)) >> (64 - bits); };
    auto expect = [&](const std::string &op, const std::function<uint64_t(uint64_t, uint64_t)> &expected) {
      std::string load, width = "i" + std::to_string(bits);
      expectIntegers(bits, "    %r = arith." + op + " %x, %y : " + width + "\n", bits,
                     [&](uint64_t x, uint64_t y, uint64_t) { return expected(x, y); });
    };
    expect("addi", [](uint64_t x, uint64_t y) { return x + y; });
    expect("subi", [](uint64_t x, uint64_t y) { return x - y; });
    expect("muli", [](uint64_t x, uint64_t y) { return x * y; });
    expect("andi", [](uint64_t x, uint64_t y) { return x & y; });
    expect("ori", [](uint64_t x, uint64_t y) { return x | y; });
    expect("xori", [](uint64_t x, uint64_t y) { return x ^ y; });
    expect("minui", [](uint64_t x, uint64_t y) { return std::min(x, y); });
    expect("maxui", [](uint64_t x, uint64_t y) { return std::max(x, y); });
    expect("minsi", [&](uint64_t x, uint64_t y) { return std::min(extended(x), extended(y)); });
    expect("maxsi", [&](uint64_t x, uint64_t y) { return std::max(extended(x), extended(y)); });
    if (bits == 1)
      continue;
    // Operands for which the op has no value are replaced.
    std::string width = "i" + std::to_string(bits);
    auto guarded = [&](const std::string &op, const std::string &guard,
                       const std::function<uint64_t(uint64_t, uint64_t)> &expected) {
      std::string mask = std::to_string(bits - 1);
      expectIntegers(bits,
                     "    %one = arith.constant 1 : " + width + "\n    %mask = arith.constant " + mask + " : " + width +
                         "\n    %b1 = arith." + guard + " : " + width + "\n    %r = arith." + op +
                         " %x, %b1 : " + width + "\n",
                     bits, [&](uint64_t x, uint64_t y, uint64_t) { return expected(x, y); });
    };
    guarded("divui", "ori %y, %one", [](uint64_t x, uint64_t y) { return x / (y | 1); });
    guarded("remui", "ori %y, %one", [](uint64_t x, uint64_t y) { return x % (y | 1); });
    auto divisor = [&](uint64_t y) { return extended(y | 1); };
    guarded("divsi", "ori %y, %one", [&](uint64_t x, uint64_t y) {
      return divisor(y) == -1 ? 0 - x : static_cast<uint64_t>(extended(x) / divisor(y));
    });
    guarded("remsi", "ori %y, %one", [&](uint64_t x, uint64_t y) {
      return divisor(y) == -1 ? 0 : static_cast<uint64_t>(extended(x) % divisor(y));
    });
    guarded("shli", "andi %y, %mask", [&](uint64_t x, uint64_t y) { return x << (y & (bits - 1)); });
    guarded("shrui", "andi %y, %mask", [&](uint64_t x, uint64_t y) { return x >> (y & (bits - 1)); });
    guarded("shrsi", "andi %y, %mask",
            [&](uint64_t x, uint64_t y) { return static_cast<uint64_t>(extended(x) >> (y & (bits - 1))); });
    expectIntegers(bits, "    %r = math.absi %x : " + width + "\n", bits,
                   [&](uint64_t x, uint64_t, uint64_t) { return extended(x) < 0 ? 0 - x : x; });
    __extension__ typedef unsigned __int128 Wide;
    for (bool high : {false, true})
      expectIntegers(
          bits, std::string("    ") + (high ? "%l, %r" : "%r, %h") + " = arith.mului_extended %x, %y : " + width + "\n",
          bits,
          [&](uint64_t x, uint64_t y, uint64_t) { return static_cast<uint64_t>(Wide(x) * y >> (high ? bits : 0)); });
  }
}

TEST_F(Arithmetic, WidthsOfIntegers) {
  auto cast = [&](const std::string &op, unsigned from, unsigned to,
                  const std::function<uint64_t(uint64_t)> &expected) {
    expectIntegers(from,
                   "    %r = arith." + op + " %x : i" + std::to_string(from) + " to i" + std::to_string(to) + "\n", to,
                   [&](uint64_t x, uint64_t, uint64_t) { return expected(x); });
  };
  auto same = [](uint64_t x) { return x; };
  for (auto [from, to] : {std::pair(1u, 8u), {1u, 32u}, {1u, 64u}, {8u, 64u}, {16u, 32u}, {32u, 64u}}) {
    cast("extui", from, to, same);
    cast("trunci", to, from, same);
    cast("extsi", from, to, [from = from](uint64_t x) {
      return static_cast<uint64_t>(static_cast<int64_t>(x << (64 - from)) >> (64 - from));
    });
  }
}

TEST_F(Arithmetic, Functions) {
  const std::pair<const char *, double (*)(double)> functions[] = {
      {"sqrt", std::sqrt}, {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"exp", std::exp},   {"log", std::log},
      {"sin", std::sin},   {"cos", std::cos}};
  for (const Format &f : {formats[2], formats[3]})
    for (auto [name, function] : functions) {
      std::vector<Operands> operands;
      for (double x : {0.0, 1.0, 0.3, 2.75, 77.0, 1e-30}) {
        APFloat value(x);
        bool inexact;
        value.convert(*f.semantics, nearest, &inexact);
        operands.push_back({value.bitcastToAPInt().getZExtValue()});
      }
      std::vector<uint64_t> found =
          results(scalar(f), scalar(f), std::string("    %r = math.") + name + " %x : " + f.type + "\n", operands);
      for (size_t i = 0; i < operands.size(); ++i) {
        auto number = [&](uint64_t bits) {
          APFloat value = f.number(bits);
          bool inexact;
          value.convert(APFloat::IEEEdouble(), nearest, &inexact);
          return value.convertToDouble();
        };
        double want = function(number(operands[i][0])), got = number(found[i]);
        double unit = f.bits == 32 ? 0x1p-23 : 0x1p-52;
        EXPECT_TRUE(got == want || std::abs(got - want) <= unit * std::abs(want))
            << name << " of " << number(operands[i][0]) << " as " << f.type << ": " << got << ", not " << want;
      }
    }
}

} // namespace
