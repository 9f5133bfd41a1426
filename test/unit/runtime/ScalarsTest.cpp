//===- ScalarsTest.cpp - run-time scalars from text -----------------------===//

#include "host/Scalars.h"
#include "CpuFixture.h"
#include "host/Error.h"
#include "host/HalfFloat.h"
#include "host/Run.h"

#include <cmath>

using namespace idc::test;
using namespace idc::host;

namespace {

void idle(void *const *, int64_t, int64_t, int64_t) {}

/// A module with one scalar `s`.
ModulePointer moduleWith(const std::string &type, int64_t bytes) {
  std::string manifest = doubleManifest();
  manifest.insert(manifest.find("\"outputs\""),
                  R"("scalars": [{"name": "s", "type": ")" + type + R"(", "bytes": )" + std::to_string(bytes) + "}], ");
  return makeCpuModule(manifest, idle);
}

template <typename T> T value(const std::string &type, const std::string &text) {
  std::vector<std::vector<char>> values = scalarValues(moduleWith(type, sizeof(T)).get(), {"s=" + text});
  T result{};
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values.at(0).size(), sizeof(T));
  std::memcpy(&result, values.at(0).data(), sizeof(T));
  return result;
}

std::string errorOf(const idc_module *module, const std::vector<std::string> &settings) {
  try {
    scalarValues(module, settings);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

std::string refusal(const std::string &type, int64_t bytes, const std::string &text) {
  return errorOf(moduleWith(type, bytes).get(), {"s=" + text});
}

struct Pair {
  double re, im;
};

TEST(Scalars, ValuesOfEveryType) {
  EXPECT_EQ(value<float>("f32", "-1e30"), -1e30f);
  EXPECT_EQ(value<float>("f32", "0.1"), 0.1f);
  EXPECT_EQ(value<float>("f32", "-inf"), -INFINITY);
  EXPECT_EQ(value<double>("f64", "0.1"), 0.1);
  EXPECT_EQ(value<uint16_t>("f16", "1.5"), toHalf(1.5f));
  EXPECT_EQ(value<uint16_t>("bf16", "-3"), toBFloat16(-3));
  EXPECT_EQ(value<int32_t>("i32", "-2147483648"), INT32_MIN);
  EXPECT_EQ(value<int64_t>("i64", "9223372036854775807"), INT64_MAX);
  EXPECT_EQ(value<uint32_t>("u32", "4294967295"), UINT32_MAX);
  EXPECT_EQ(value<uint64_t>("u64", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(value<uint8_t>("bool", "true"), 1);
  EXPECT_EQ(value<uint8_t>("bool", "0"), 0);
  EXPECT_EQ(value<uint32_t>("mod<17>", "16"), 16u);
  EXPECT_EQ(value<uint64_t>("mod<18446744069414584321>", "18446744069414584320"), 18446744069414584320u);
  EXPECT_EQ(value<Pair>("complex<f64>", "0.5,-1").re, 0.5);
  EXPECT_EQ(value<Pair>("complex<f64>", "0.5,-1").im, -1);
  EXPECT_EQ(value<Pair>("complex<f64>", "2").im, 0);
}

TEST(Scalars, ValuesThatDoNotFit) {
  EXPECT_EQ(refusal("f32", 4, "low"), "scalar 's' is of type f32: 'low' is no number");
  EXPECT_EQ(refusal("f32", 4, ""), "--scalar needs NAME=VALUE, not 's='");
  EXPECT_EQ(refusal("f64", 8, "1,2"), "scalar 's' is of type f64: '1,2' is no number");
  EXPECT_EQ(refusal("complex<f32>", 8, "1,2,3"), "scalar 's' is of type complex<f32>: '1,2,3' is not RE,IM");
  EXPECT_EQ(refusal("complex<f32>", 8, "1,"), "scalar 's' is of type complex<f32>: '1,' is not RE,IM");
  EXPECT_EQ(refusal("i32", 4, "1.5"), "scalar 's' is of type i32: '1.5' is no integer");
  EXPECT_EQ(refusal("i32", 4, "2147483648"),
            "scalar 's' is of type i32: '2147483648' is outside -2147483648 .. 2147483647");
  EXPECT_EQ(refusal("i64", 8, "9223372036854775808"),
            "scalar 's' is of type i64: '9223372036854775808' is outside -9223372036854775808 .. 9223372036854775807");
  EXPECT_EQ(refusal("u32", 4, "-1"), "scalar 's' is of type u32: '-1' is negative");
  EXPECT_EQ(refusal("mod<17>", 4, "17"), "scalar 's' is of type mod<17>: '17' is outside 0 .. 16");
  EXPECT_EQ(refusal("bool", 1, "2"), "scalar 's' is of type bool: '2' is neither true nor false");
}

TEST(Scalars, EveryScalarIsSetOnce) {
  ModulePointer module = makeCpuModule(shiftManifest(), shiftKernel);
  EXPECT_EQ(scalarValues(module.get(), {"f=3", "c=1,2"}).at(1).size(), 4u);
  EXPECT_EQ(errorOf(module.get(), {"f=3"}),
            "scalar 'c' of type complex<f32> has no value; set it with --scalar c=VALUE");
  EXPECT_EQ(errorOf(module.get(), {"f=3", "c=1", "f=4"}), "--scalar f is given twice");
  EXPECT_EQ(errorOf(module.get(), {"f=3", "c=1", "g=4"}), "the program has no scalar 'g'; it has c, f");
  EXPECT_EQ(errorOf(module.get(), {"f"}), "--scalar needs NAME=VALUE, not 'f'");
  ModulePointer plain = makeCpuModule(doubleManifest(), doubleKernel);
  EXPECT_EQ(errorOf(plain.get(), {"f=3"}), "the program has no scalar 'f'");
}

TEST(Scalars, ReachKernelsAndReferences) {
  ModulePointer module = makeCpuModule(shiftManifest(), shiftKernel);
  RunRequest request;
  request.module = module.get();
  request.batch = 3;
  request.scalars = {"c=7,0.5", "f=4"};
  request.reference = [](const std::vector<std::vector<char>> &given) {
    EXPECT_EQ(given.size(), 3u); // x, c, f
    idc::npy::Array y{idc::npy::DType::F4, {4}, given.at(0)};
    for (int i = 0; i < 4; ++i) {
      float element, shift;
      int32_t factor;
      std::memcpy(&element, &y.data[4 * size_t(i)], 4);
      std::memcpy(&shift, given.at(1).data() + 4, 4);
      std::memcpy(&factor, given.at(2).data(), 4);
      element = float(factor) * (element + shift);
      std::memcpy(&y.data[4 * size_t(i)], &element, 4);
    }
    return std::vector<idc::npy::Array>{y};
  };
  EXPECT_TRUE(run(request).passed());
}

} // namespace
