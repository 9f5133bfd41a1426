// Shared by the tests of the standard library: programs run in long double by the evaluator, or in their own types as
// idc compiles them.
#pragma once

#include "Execution.h"

#include "test/unit/frontend/FrontendFixture.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace idc::frontend::test {

using Complex = std::complex<long double>;

/// The outputs of the algorithm `entry` of the library's file `file`.
inline std::vector<Buffer> runLibrary(const std::string &file, const std::string &entry, const SizeMap &sizes,
                                      const TypeMap &types, const std::vector<Buffer> &inputs,
                                      const std::vector<Scalar> &scalars = {}) {
  return run(*fromFile(file, entry, sizes, types), inputs, scalars);
}

/// A test against an oracle: of the program itself, by the evaluator, and of what idc makes of it for the CPU and for
/// the GPU (emulated).
class AgainstOracle : public ::testing::TestWithParam<std::optional<idc::test::Device>> {
protected:
  static std::vector<Buffer> runLibrary(const std::string &file, const std::string &entry, const SizeMap &sizes,
                                        const TypeMap &types, const std::vector<Buffer> &inputs) {
    if (!GetParam())
      return frontend::test::runLibrary(file, entry, sizes, types, inputs);
    return idc::test::Executable(*GetParam(), file, entry, sizes, types).run(inputs);
  }
  /// 0 to `largest` for the evaluator; compiled, which takes longer, a small size and a larger one.
  static std::vector<int64_t> sizes(int64_t largest, int64_t larger) {
    if (GetParam())
      return {std::min<int64_t>(2, larger), larger};
    std::vector<int64_t> all(static_cast<size_t>(largest + 1));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  /// What is allowed of an f64 program, given what is allowed in long double.
  static long double limit(long double inLongDouble) { return GetParam() ? inLongDouble * 0x1p11L : inLongDouble; }
};

/// The names of the processors, for INSTANTIATE_TEST_SUITE_P.
inline std::string processorName(const ::testing::TestParamInfo<std::optional<idc::test::Device>> &info) {
  return info.param ? idc::test::name(*info.param) : "evaluator";
}
inline auto everyProcessor() {
  using idc::test::Device;
  return ::testing::Values(std::optional<Device>(), std::optional(Device::Cpu), std::optional(Device::Emulator));
}

/// Why the algorithm cannot be elaborated at these sizes and types; it is a failure if it can.
inline std::string libraryError(const std::string &file, const std::string &entry, const SizeMap &sizes,
                                const TypeMap &types) {
  auto elaborated = fromFile(file, entry, sizes, types);
  EXPECT_FALSE(elaborated->program.has_value());
  return elaborated->messages();
}

inline Complex value(const Scalar &x) { return {x.re, x.im}; }

inline long double norm(const Buffer &x) {
  long double sum = 0;
  for (const Scalar &element : x)
    sum += element.re * element.re + element.im * element.im;
  return std::sqrt(sum);
}

/// ‖a - b‖ / ‖b‖ in the L2 norm, or ‖a - b‖ where b is 0.
inline long double relativeError(const Buffer &a, const Buffer &b) {
  EXPECT_EQ(a.size(), b.size());
  Buffer difference(std::min(a.size(), b.size()));
  for (size_t i = 0; i < difference.size(); ++i) {
    difference[i].re = a[i].re - b[i].re;
    difference[i].im = a[i].im - b[i].im;
  }
  long double size = norm(b);
  return norm(difference) / (size > 0 ? size : 1);
}

/// a·x + y.
inline Buffer combine(Complex a, const Buffer &x, const Buffer &y) {
  Buffer result = y;
  for (size_t i = 0; i < x.size(); ++i) {
    Complex sum = a * value(x[i]) + value(y[i]);
    result[i].re = sum.real();
    result[i].im = sum.imag();
  }
  return result;
}

inline Scalar realScalar(long double x) {
  Scalar result;
  result.re = x;
  return result;
}

inline Scalar integerScalar(int64_t x) {
  Scalar result;
  result.integer = x;
  return result;
}

inline std::vector<int64_t> integers(const Buffer &x) {
  std::vector<int64_t> result;
  for (const Scalar &element : x)
    result.push_back(element.integer);
  return result;
}

inline std::vector<long double> reals(const Buffer &x) {
  std::vector<long double> result;
  for (const Scalar &element : x)
    result.push_back(element.re);
  return result;
}

inline size_t reversedBits(size_t index, int64_t bits) {
  size_t result = 0;
  for (int64_t i = 0; i < bits; ++i)
    result |= (index >> i & 1) << (bits - 1 - i);
  return result;
}

inline Buffer bitReversed(const Buffer &x, int64_t bits) {
  Buffer result(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    result[reversedBits(i, bits)] = x[i];
  return result;
}

} // namespace idc::frontend::test
