// libidc-fftw3 and libidc-fftw3f against FFTW: the same calls of both, on random problems of all its interfaces.
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <dlfcn.h>
#include <fftw3.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

/// A function of the library beside FFTW's own of that name.
template <typename Function> Function *ours(const char *name, Function *) {
  const bool isSingle = std::string(name).rfind("fftwf_", 0) == 0;
  void *library = dlopen(isSingle ? IDC_LIBRARIES "/libidc-fftw3f.so.0" : IDC_LIBRARIES "/libidc-fftw3.so.0",
                         RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  auto function = reinterpret_cast<Function *>(library ? dlsym(library, name) : nullptr);
  EXPECT_NE(function, nullptr) << name;
  return function;
}
#define OURS(name) ours(#name, name)

using Numbers = std::vector<double>;

Numbers randomNumbers(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(-1, 1);
  Numbers numbers(count);
  for (double &number : numbers)
    number = distribution(generator);
  return numbers;
}

double largest(const Numbers &numbers) {
  double most = 0;
  for (double number : numbers)
    most = std::max(most, std::abs(number));
  return most;
}

/// All numbers, those between the elements of results, too, which nobody writes.
void expectSame(const Numbers &got, const Numbers &expected, const std::string &what) {
  ASSERT_EQ(got.size(), expected.size());
  const double most = largest(expected) * 1e-13;
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], most) << what << ", number " << i;
}

enum class Form { Complex, Split, Forward, Backward, Real };

/// A problem of the guru interface: sizes and distances of axes in the order of the arrays, which differs on both
/// sides.
struct Guru {
  Form form;
  int sign = FFTW_FORWARD;
  std::vector<fftw_iodim64> axes, batch;
  std::vector<fftw_r2r_kind> kinds;
  size_t inNumbers = 0, outNumbers = 0;

  std::string describe() const {
    std::string text = "form " + std::to_string(int(form)) + " sign " + std::to_string(sign);
    for (const std::vector<fftw_iodim64> *part : {&axes, &batch}) {
      for (const fftw_iodim64 &axis : *part)
        text += " " + std::to_string(axis.n) + ":" + std::to_string(axis.is) + ":" + std::to_string(axis.os);
      text += " |";
    }
    for (fftw_r2r_kind kind : kinds)
      text += " k" + std::to_string(kind);
    return text;
  }
};

Guru randomProblem(std::mt19937 &generator) {
  auto upTo = [&](int most) { return int(generator() % unsigned(most + 1)); };
  Guru guru;
  guru.form = Form(upTo(4));
  guru.sign = guru.form == Form::Complex && upTo(1) ? FFTW_BACKWARD : FFTW_FORWARD;
  const bool halves = guru.form == Form::Forward || guru.form == Form::Backward;
  const int rank = std::max(upTo(4), halves ? 1 : 0), batches = upTo(2);
  std::vector<fftw_iodim64 *> all;
  guru.axes.resize(size_t(rank)), guru.batch.resize(size_t(batches));
  for (fftw_iodim64 &axis : guru.axes) {
    axis.n = 1 + upTo(rank > 2 ? 5 : 24);
    if (guru.form == Form::Real) {
      guru.kinds.push_back(fftw_r2r_kind(upTo(10)));
      if (guru.kinds.back() == FFTW_REDFT00)
        axis.n = std::max<ptrdiff_t>(axis.n, 2);
    }
    all.push_back(&axis);
  }
  for (fftw_iodim64 &axis : guru.batch) {
    axis.n = 1 + upTo(4);
    all.push_back(&axis);
  }
  for (bool isOut : {false, true}) {
    if (upTo(2)) // mostly another order than that of the axes
      std::shuffle(all.begin(), all.end(), generator);
    ptrdiff_t distance = 1 + upTo(1);
    for (fftw_iodim64 *axis : all) {
      const bool isHalved =
          halves && !guru.axes.empty() && axis == &guru.axes.back() && isOut == (guru.form == Form::Forward);
      (isOut ? axis->os : axis->is) = distance;
      distance = distance * (isHalved ? axis->n / 2 + 1 : axis->n) + upTo(2);
    }
    const bool complex = guru.form == Form::Complex || (halves && isOut == (guru.form == Form::Forward));
    (isOut ? guru.outNumbers : guru.inNumbers) = size_t(distance) * (complex ? 2 : 1);
  }
  return guru;
}

/// The functions that problems need, of one of the libraries.
struct Library {
  decltype(&fftw_plan_guru64_dft) complex;
  decltype(&fftw_plan_guru64_split_dft) split;
  decltype(&fftw_plan_guru64_dft_r2c) forward;
  decltype(&fftw_plan_guru64_dft_c2r) backward;
  decltype(&fftw_plan_guru64_r2r) real;
  decltype(&fftw_execute) execute;
  decltype(&fftw_destroy_plan) destroy;
};

/// The results; split arrays one after the other.
Numbers solve(const Library &library, const Guru &guru, const Numbers &in, const Numbers &filled, bool &planned) {
  Numbers x = in, y = filled;
  const auto rank = int(guru.axes.size()), batches = int(guru.batch.size());
  const fftw_iodim64 *axes = guru.axes.data(), *batch = guru.batch.data();
  const unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
  fftw_plan plan = nullptr;
  switch (guru.form) {
  case Form::Complex:
    plan = library.complex(rank, axes, batches, batch, reinterpret_cast<fftw_complex *>(x.data()),
                           reinterpret_cast<fftw_complex *>(y.data()), guru.sign, flags);
    break;
  case Form::Split:
    plan = library.split(rank, axes, batches, batch, x.data(), x.data() + x.size() / 2, y.data(),
                         y.data() + y.size() / 2, flags);
    break;
  case Form::Forward:
    plan = library.forward(rank, axes, batches, batch, x.data(), reinterpret_cast<fftw_complex *>(y.data()), flags);
    break;
  case Form::Backward:
    plan = library.backward(rank, axes, batches, batch, reinterpret_cast<fftw_complex *>(x.data()), y.data(), flags);
    break;
  case Form::Real:
    plan = library.real(rank, axes, batches, batch, x.data(), y.data(), guru.kinds.data(), flags);
    break;
  }
  planned = plan != nullptr;
  if (planned) {
    library.execute(plan);
    library.destroy(plan);
  }
  return y;
}

TEST(FftwTest, RandomProblemsOfTheGuruInterfaceAreFftws) {
  const Library fftw{fftw_plan_guru64_dft,     fftw_plan_guru64_split_dft, fftw_plan_guru64_dft_r2c,
                     fftw_plan_guru64_dft_c2r, fftw_plan_guru64_r2r,       fftw_execute,
                     fftw_destroy_plan};
  const Library own{OURS(fftw_plan_guru64_dft),     OURS(fftw_plan_guru64_split_dft), OURS(fftw_plan_guru64_dft_r2c),
                    OURS(fftw_plan_guru64_dft_c2r), OURS(fftw_plan_guru64_r2r),       OURS(fftw_execute),
                    OURS(fftw_destroy_plan)};
  std::mt19937 generator(26);
  for (unsigned i = 0; i < 60; ++i) {
    const Guru guru = randomProblem(generator);
    const size_t parts = guru.form == Form::Split ? 2 : 1;
    const Numbers in = randomNumbers(guru.inNumbers * parts, i), filled(guru.outNumbers * parts, 0.5);
    bool planned = false, expectedPlan = false;
    const Numbers expected = solve(fftw, guru, in, filled, expectedPlan);
    const Numbers got = solve(own, guru, in, filled, planned);
    ASSERT_EQ(planned, expectedPlan) << guru.describe();
    expectSame(got, expected, guru.describe());
  }
}

TEST(FftwTest, TransformsInPlaceHaveRowsWithPadding) {
  for (std::vector<int> n : {std::vector<int>{12}, {5, 8}, {6, 7}, {3, 4, 10}, {2, 3, 2, 5}}) {
    const int rank = int(n.size());
    size_t rows = 3;
    for (int i = 0; i + 1 < rank; ++i)
      rows *= size_t(n[size_t(i)]);
    const int half = n.back() / 2 + 1;
    Numbers real = randomNumbers(rows * size_t(half) * 2, 7);
    const int distance = int(real.size() / 3);
    auto transform = [&](auto forward, auto backward, auto execute, auto destroy) {
      Numbers x = real;
      auto *complex = reinterpret_cast<fftw_complex *>(x.data());
      fftw_plan plans[] = {
          forward(rank, n.data(), 3, x.data(), nullptr, 1, distance, complex, nullptr, 1, distance / 2, FFTW_ESTIMATE),
          backward(rank, n.data(), 3, complex, nullptr, 1, distance / 2, x.data(), nullptr, 1, distance,
                   FFTW_ESTIMATE)};
      Numbers all;
      for (fftw_plan plan : plans) {
        EXPECT_NE(plan, nullptr);
        execute(plan);
        destroy(plan);
        all.insert(all.end(), x.begin(), x.end());
      }
      for (size_t i = 0; i < all.size(); ++i) // what the padding of rows holds at the end is nobody's business
        if (i >= x.size() && i % (2 * size_t(half)) >= size_t(n.back()))
          all[i] = 0;
      return all;
    };
    const Numbers expected = transform(fftw_plan_many_dft_r2c, fftw_plan_many_dft_c2r, fftw_execute, fftw_destroy_plan);
    const Numbers got = transform(OURS(fftw_plan_many_dft_r2c), OURS(fftw_plan_many_dft_c2r), OURS(fftw_execute),
                                  OURS(fftw_destroy_plan));
    expectSame(got, expected, "rank " + std::to_string(rank));
  }
}

TEST(FftwTest, PlansServeArraysAnywhere) {
  auto *plan1d = OURS(fftwf_plan_dft_1d);
  std::vector<std::complex<float>> x(40), y(40), expected(40);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = {float(std::sin(double(i * i))), float(std::cos(double(3 * i)))};
  auto pointer = [](std::complex<float> *z) { return reinterpret_cast<fftwf_complex *>(z); };
  fftwf_plan plan = plan1d(30, pointer(x.data()), pointer(y.data()), FFTW_BACKWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
  ASSERT_NE(plan, nullptr);
  for (size_t at : {0, 1, 2, 3, 7}) {
    OURS(fftwf_execute_dft)(plan, pointer(x.data() + at), pointer(y.data() + at));
    fftwf_plan reference = fftwf_plan_dft_1d(30, pointer(x.data() + at), pointer(expected.data() + at), FFTW_BACKWARD,
                                             FFTW_ESTIMATE | FFTW_UNALIGNED);
    fftwf_execute(reference);
    fftwf_destroy_plan(reference);
    for (size_t i = at; i < at + 30; ++i)
      ASSERT_LT(std::abs(y[i] - expected[i]), 2e-5f) << at << " " << i;
  }
  OURS(fftwf_destroy_plan)(plan);
}

TEST(FftwTest, AlongNoAxisRealNumbersAreCopied) {
  for (const bool forward : {true, false})
    for (const int count : {0, 1, 5}) {
      const fftw_iodim loop{count, 2, 3};
      auto transform = [&](auto r2c, auto c2r, auto execute, auto destroy) {
        Numbers x = randomNumbers(64, 7), y(64, 1);
        auto *z = reinterpret_cast<fftw_complex *>(forward ? y.data() : x.data());
        fftw_plan plan = forward ? r2c(0, nullptr, count > 0, &loop, x.data(), z, FFTW_ESTIMATE)
                                 : c2r(0, nullptr, count > 0, &loop, z, y.data(), FFTW_ESTIMATE);
        EXPECT_NE(plan, nullptr);
        execute(plan);
        destroy(plan);
        return y;
      };
      expectSame(transform(OURS(fftw_plan_guru_dft_r2c), OURS(fftw_plan_guru_dft_c2r), OURS(fftw_execute),
                           OURS(fftw_destroy_plan)),
                 transform(fftw_plan_guru_dft_r2c, fftw_plan_guru_dft_c2r, fftw_execute, fftw_destroy_plan),
                 std::to_string(forward) + " " + std::to_string(count));
    }
}

TEST(FftwTest, InputAndResultMayLieBetweenEachOther) {
  // Rows of 16 numbers, transformed from the left half to the right one, and columns from even to odd ones.
  constexpr int rows = 6, width = 16, length = 8;
  auto transform = [&](auto many, auto execute, auto destroy) {
    Numbers all = randomNumbers(2 * rows * width, 8);
    auto *x = reinterpret_cast<fftw_complex *>(all.data());
    fftw_plan plan =
        many(1, &length, rows, x, nullptr, 1, width, x + length, nullptr, 1, width, FFTW_FORWARD, FFTW_ESTIMATE);
    EXPECT_NE(plan, nullptr);
    execute(plan);
    destroy(plan);
    const int height = rows;
    plan = many(1, &height, width / 2, x, nullptr, width, 2, x + 1, nullptr, width, 2, FFTW_BACKWARD, FFTW_ESTIMATE);
    EXPECT_NE(plan, nullptr);
    execute(plan);
    destroy(plan);
    return all;
  };
  expectSame(transform(OURS(fftw_plan_many_dft), OURS(fftw_execute), OURS(fftw_destroy_plan)),
             transform(fftw_plan_many_dft, fftw_execute, fftw_destroy_plan), "halves");
}

TEST(FftwTest, MeasuringInPlaceOverflowsNothing) {
  std::vector<std::complex<double>> x(1024, {1e300, -1e300});
  auto *z = reinterpret_cast<fftw_complex *>(x.data());
  OURS(fftw_destroy_plan)(OURS(fftw_plan_dft_1d)(1024, z, z, FFTW_FORWARD, FFTW_MEASURE));
  for (const std::complex<double> &number : x)
    EXPECT_EQ(number, 0.0);
  OURS(fftw_forget_wisdom)();
}

TEST(FftwTest, WhatIsNoTransformHasNoPlan) {
  auto *plan = OURS(fftw_plan_dft_1d);
  auto *real = OURS(fftw_plan_r2r_1d);
  fftw_complex x[4];
  double r[4];
  EXPECT_EQ(plan(0, x, x, FFTW_FORWARD, FFTW_ESTIMATE), nullptr);
  EXPECT_EQ(plan(-3, x, x, FFTW_FORWARD, FFTW_ESTIMATE), nullptr);
  EXPECT_EQ(plan(4, x, x, 0, FFTW_ESTIMATE), nullptr);
  EXPECT_EQ(real(1, r, r, FFTW_REDFT00, FFTW_ESTIMATE), nullptr);
  EXPECT_EQ(OURS(fftw_plan_dft)(-1, nullptr, x, x, FFTW_FORWARD, FFTW_ESTIMATE), nullptr);
  OURS(fftw_destroy_plan)(nullptr);
}

TEST(FftwTest, WisdomIsWhatMeasuringFound) {
  auto *plan = OURS(fftw_plan_dft_1d);
  auto *destroy = OURS(fftw_destroy_plan);
  auto *forget = OURS(fftw_forget_wisdom);
  auto *import = OURS(fftw_import_wisdom_from_string);
  std::vector<std::complex<double>> x(64), y(64);
  auto *in = reinterpret_cast<fftw_complex *>(x.data()), *out = reinterpret_cast<fftw_complex *>(y.data());
  EXPECT_EQ(plan(64, in, out, FFTW_FORWARD, FFTW_WISDOM_ONLY), nullptr);
  destroy(plan(64, in, out, FFTW_FORWARD, FFTW_MEASURE));
  char *text = OURS(fftw_export_wisdom_to_string)();
  forget();
  EXPECT_EQ(plan(64, in, out, FFTW_FORWARD, FFTW_WISDOM_ONLY), nullptr);
  EXPECT_EQ(import("(fftw-3.3.10 fftw_wisdom #x0)"), 0);
  EXPECT_EQ(import("(idc-fftw3-wisdom-1 (a"), 0);
  EXPECT_EQ(import(text), 1);
  fftw_plan known = plan(64, in, out, FFTW_FORWARD, FFTW_WISDOM_ONLY);
  EXPECT_NE(known, nullptr);
  char *described = OURS(fftw_sprint_plan)(known);
  EXPECT_EQ(std::string(described), "(idc c2c<sign=1, N=64>)");
  destroy(known);
  OURS(fftw_free)(described);
  OURS(fftw_free)(text);
  forget();
}

TEST(FftwTest, ThreadsPlanAndRunAtOnce) {
  auto *make = OURS(fftw_plan_dft_1d);
  auto *execute = OURS(fftw_execute);
  auto *destroy = OURS(fftw_destroy_plan);
  std::vector<std::thread> threads;
  std::vector<double> errors(100, -1);
  for (size_t t = 0; t < errors.size(); ++t)
    threads.emplace_back([&, t] {
      const int n = 8 + int(t % 5);
      std::vector<std::complex<double>> x(size_t(n), 0), y(size_t(n), 0);
      x[1] = double(t);
      auto *in = reinterpret_cast<fftw_complex *>(x.data()), *out = reinterpret_cast<fftw_complex *>(y.data());
      fftw_plan plan = make(n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
      double error = plan ? 0 : 1;
      for (int run = 0; plan && run < 3; ++run) {
        execute(plan);
        for (int k = 0; k < n; ++k)
          error = std::max(error, std::abs(y[size_t(k)] - std::polar(double(t), -2 * M_PI * k / n)));
      }
      destroy(plan);
      errors[t] = error;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (double error : errors)
    EXPECT_LT(error, 1e-12);
}

} // namespace
