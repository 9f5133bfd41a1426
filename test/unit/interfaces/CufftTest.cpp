// libidc-cufft: what its plans compute, on the CPU, against FFTW, and the codes of its functions where no GPU is.
#include "interfaces/compiled/Scratch.h"
#include "interfaces/cufft/CufftPlan.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <dlfcn.h>
#include <fftw3.h>
#include <vector>

using namespace idc::interfaces;

namespace {

using Numbers = std::vector<double>;

Numbers someNumbers(size_t count) {
  Numbers numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = std::sin(double(i * i + 1));
  return numbers;
}

/// One of cuFFT's problems, computed by a plan and by FFTW.
struct Many {
  Kind kind;
  std::vector<int> n, inembed, onembed; // without embed: the basic layout
  int istride = 1, idist = 0, ostride = 1, odist = 0, batch = 1;

  void compare(bool forward, bool inPlace, size_t inNumbers, size_t outNumbers) const {
    auto layout = [](const std::vector<int> &embed, int stride, int distance) {
      return ManyLayout{{embed.begin(), embed.end()}, stride, distance};
    };
    const CufftPlan plan("cpu", kind, Number::Double, {n.begin(), n.end()}, layout(inembed, istride, idist),
                         layout(onembed, ostride, odist), batch);
    Numbers x = someNumbers(inPlace ? std::max(inNumbers, outNumbers) : inNumbers), y(outNumbers, 0.5);
    Numbers fx = x, fy = y;
    auto run = [&](Numbers &from, Numbers &to) {
      const Scratch scratch("cpu", plan.size());
      plan.run(from.data(), to.data(), forward, scratch.data(), nullptr);
    };
    run(x, inPlace ? x : y);
    reference(forward, fx, inPlace ? fx : fy);
    const Numbers &got = inPlace ? x : y, &expected = inPlace ? fx : fy;
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], expected[i], 1e-11) << i;
  }

private:
  void reference(bool forward, Numbers &in, Numbers &out) const {
    const bool basic = inembed.empty();
    size_t elements = 1;
    for (int size : n)
      elements *= size_t(size);
    auto distance = [&](bool isComplex) { // of the basic layout
      const size_t rows = elements / size_t(n.back());
      if (kind == Kind::ComplexToComplex)
        return int(elements);
      const bool inPlace = &in == &out;
      return int(rows * size_t(isComplex ? n.back() / 2 + 1 : inPlace ? n.back() / 2 * 2 + 2 : n.back()));
    };
    const int *ie = basic ? nullptr : inembed.data(), *oe = basic ? nullptr : onembed.data();
    const int from = basic ? distance(kind != Kind::RealToComplex) : idist;
    const int to = basic ? distance(kind != Kind::ComplexToReal) : odist;
    auto *ci = reinterpret_cast<fftw_complex *>(in.data()), *co = reinterpret_cast<fftw_complex *>(out.data());
    const int rank = int(n.size());
    fftw_plan plan = nullptr;
    if (kind == Kind::ComplexToComplex)
      plan = fftw_plan_many_dft(rank, n.data(), batch, ci, ie, istride, from, co, oe, ostride, to,
                                forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
    else if (kind == Kind::RealToComplex)
      plan = fftw_plan_many_dft_r2c(rank, n.data(), batch, in.data(), ie, istride, from, co, oe, ostride, to,
                                    FFTW_ESTIMATE);
    else
      plan = fftw_plan_many_dft_c2r(rank, n.data(), batch, ci, ie, istride, from, out.data(), oe, ostride, to,
                                    FFTW_ESTIMATE);
    ASSERT_NE(plan, nullptr);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
  }
};

TEST(CufftTest, ComplexTransformsOfBothDirections) {
  for (bool inPlace : {false, true})
    for (bool forward : {false, true}) {
      Many{Kind::ComplexToComplex, {16}, {}, {}, 1, 0, 1, 0, 5}.compare(forward, inPlace, 160, 160);
      Many{Kind::ComplexToComplex, {6, 10}, {}, {}, 1, 0, 1, 0, 2}.compare(forward, inPlace, 240, 240);
      Many{Kind::ComplexToComplex, {3, 4, 5}, {}, {}}.compare(forward, inPlace, 120, 120);
    }
}

TEST(CufftTest, RealTransformsOfTheBasicLayoutArePaddedInPlace) {
  Many{Kind::RealToComplex, {6, 9}, {}, {}, 1, 0, 1, 0, 2}.compare(true, false, 108, 120);
  Many{Kind::RealToComplex, {6, 8}, {}, {}, 1, 0, 1, 0, 2}.compare(true, true, 120, 120);
  Many{Kind::RealToComplex, {15}, {}, {}, 1, 0, 1, 0, 4}.compare(true, true, 64, 64);
}

TEST(CufftTest, RealResultsOfTheBasicLayout) {
  Many{Kind::ComplexToReal, {16}, {}, {}, 1, 0, 1, 0, 3}.compare(false, false, 54, 48);
  Many{Kind::ComplexToReal, {7}, {}, {}, 1, 0, 1, 0, 3}.compare(false, false, 24, 21);
}

TEST(CufftTest, AdvancedLayouts) {
  Many{Kind::ComplexToComplex, {12}, {12}, {14}, 3, 1, 1, 14, 3}.compare(true, false, 72, 84);
  Many{Kind::ComplexToComplex, {4, 6}, {4, 8}, {5, 7}, 1, 40, 2, 80, 2}.compare(false, false, 144, 320);
  Many{Kind::RealToComplex, {4, 6}, {4, 8}, {4, 5}, 1, 32, 1, 20, 3}.compare(true, false, 96, 120);
}

TEST(CufftTest, NumbersOf16BitsAreStored) {
  struct Format {
    Number number;
    uint16_t one, sixteen;
  };
  for (const Format &format : {Format{Number::Half, 0x3c00, 0x4c00}, Format{Number::BFloat, 0x3f80, 0x4180}}) {
    const CufftPlan plan("cpu", Kind::RealToComplex, format.number, {16}, {}, {}, 3);
    std::vector<uint16_t> x(3 * 16, format.one), y(3 * 18, 7), expected(3 * 18, 0);
    for (size_t row = 0; row < 3; ++row)
      expected[row * 18] = format.sixteen;
    const Scratch scratch("cpu", plan.size());
    plan.run(x.data(), y.data(), true, scratch.data(), nullptr);
    for (uint16_t &value : y)
      value = value == 0x8000 ? 0 : value; // -0
    EXPECT_EQ(y, expected);
  }
}

template <typename Function> Function *ofLibrary(const char *name) {
  void *library = dlopen(IDC_LIBRARIES "/libidc-cufft.so.0", RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return reinterpret_cast<Function *>(library ? dlsym(library, name) : nullptr);
}

TEST(CufftTest, CodesOfWrongArguments) {
  auto *create = ofLibrary<int(int *)>("cufftCreate");
  auto *destroy = ofLibrary<int(int)>("cufftDestroy");
  auto *plan1d = ofLibrary<int(int *, int, int, int)>("cufftPlan1d");
  auto *make1d = ofLibrary<int(int, int, int, int, size_t *)>("cufftMakePlan1d");
  auto *estimate = ofLibrary<int(int, int, int, size_t *)>("cufftEstimate1d");
  auto *execute = ofLibrary<int(int, void *, void *, int)>("cufftExecC2C");
  auto *version = ofLibrary<int(int *)>("cufftGetVersion");
  auto *gpus = ofLibrary<int(int, int, int *)>("cufftXtSetGPUs");
  auto *callback = ofLibrary<int(int, void **, int, void **)>("cufftXtSetCallback");
  constexpr int C2C = 0x29, invalidPlan = 1, invalidType = 3, invalidValue = 4, invalidSize = 8, notImplemented = 14;
  int plan = -1, other = -1;
  size_t size = 0;
  EXPECT_EQ(plan1d(nullptr, 8, C2C, 1), invalidValue);
  EXPECT_EQ(plan1d(&plan, 0, C2C, 1), invalidSize);
  EXPECT_EQ(plan1d(&plan, 8, 0x30, 1), invalidType);
  EXPECT_EQ(plan1d(&plan, 8, C2C, 0), invalidSize);
  EXPECT_EQ(plan, -1);
  EXPECT_EQ(estimate(1024, C2C, 4, &size), 0);
  EXPECT_EQ(size, 1024 * 4 * 8u);
  ASSERT_EQ(create(&plan), 0);
  ASSERT_EQ(create(&other), 0);
  EXPECT_NE(plan, other);
  EXPECT_EQ(make1d(12345, 8, C2C, 1, &size), invalidPlan);
  EXPECT_EQ(execute(plan, &size, &size, -1), invalidPlan); // it has not been made
  EXPECT_EQ(gpus(plan, 2, nullptr), notImplemented);
  EXPECT_EQ(callback(plan, nullptr, 0, nullptr), notImplemented);
  EXPECT_EQ(destroy(plan), 0);
  EXPECT_EQ(destroy(plan), invalidPlan);
  EXPECT_EQ(destroy(other), 0);
  int number = 0;
  EXPECT_EQ(version(&number), 0);
  EXPECT_EQ(number, 12000);
}

} // namespace
