// Batches of tridiagonal systems in the layouts of cuSPARSE's functions, on the CPU, against LAPACK.
#include "interfaces/gtsv/Systems.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <vector>

extern "C" void dgtsv_(const int *n, const int *nrhs, double *dl, double *d, double *du, double *b, const int *ldb,
                       int *info);

using namespace idc::interfaces;

namespace {

/// Solves all systems of a shape with numbers that need pivoting, and compares each with LAPACK's solution.
void compare(int64_t equations, int64_t systems, int64_t stride, int64_t matrix, int64_t side,
             const char *target = "cpu") {
  const SystemsShape shape{"f64", 8, equations, systems, stride, matrix, side};
  std::mt19937 generator(unsigned(equations + systems));
  std::uniform_real_distribution<double> distribution(-1, 1);
  auto numbers = [&](int64_t step) {
    std::vector<double> values(size_t((equations - 1) * stride + std::max<int64_t>(systems - 1, 0) * step + 1));
    for (double &value : values)
      value = distribution(generator);
    return values;
  };
  std::vector<double> a = numbers(matrix), b = numbers(matrix), c = numbers(matrix), d = numbers(side);
  const std::vector<double> right = d;
  const auto solver = Systems::find(shape, target);
  EXPECT_EQ(solver, Systems::find(shape, target));
  std::vector<double> scratch(size_t(solver->scratchBytes()) / 8 + 4);
  auto *aligned = reinterpret_cast<char *>(scratch.data());
  aligned += (16 - reinterpret_cast<uintptr_t>(aligned) % 16) % 16;
  solver->solve(a.data(), b.data(), c.data(), d.data(), nullptr, aligned, nullptr);
  std::vector<double> expected = right;
  for (int64_t s = 0; s < systems; ++s) {
    auto row = [&](const std::vector<double> &from, int64_t i, int64_t step) {
      return from[size_t(i * stride + s * step)];
    };
    std::vector<double> below, main, above, x;
    for (int64_t i = 0; i < equations; ++i) {
      if (i > 0)
        below.push_back(row(a, i, matrix));
      main.push_back(row(b, i, matrix));
      if (i + 1 < equations)
        above.push_back(row(c, i, matrix));
      x.push_back(row(right, i, side));
    }
    const int n = int(equations), one = 1;
    int info = 0;
    dgtsv_(&n, &one, below.data(), main.data(), above.data(), x.data(), &n, &info);
    ASSERT_EQ(info, 0);
    double most = 0;
    for (double value : x)
      most = std::max(most, std::abs(value));
    for (int64_t i = 0; i < equations; ++i) {
      ASSERT_NEAR(row(d, i, side), x[size_t(i)], most * 1e-9) << equations << " " << systems << ": " << s << ", " << i;
      expected[size_t(i * stride + s * side)] = row(d, i, side);
    }
  }
  EXPECT_EQ(d, expected); // what lies between is as it was
}

TEST(SystemsTest, SystemsFollowEachOther) {
  compare(3, 1, 1, 3, 3);
  compare(16, 5, 1, 16, 16);
  compare(37, 4, 1, 40, 40);
  compare(1000, 2, 1, 1000, 1000);
}

TEST(SystemsTest, SystemsInterleave) {
  compare(8, 3, 3, 1, 1);
  compare(33, 4, 4, 1, 1);
  compare(20, 96, 96, 1, 1);
}

TEST(SystemsTest, RightSidesShareAMatrix) {
  compare(9, 1, 1, 0, 9);
  compare(50, 7, 1, 0, 53);
}

TEST(SystemsTest, SingularMatricesAreReported) {
  const SystemsShape shape{"f64", 8, 4, 2, 1, 4, 4};
  const auto solver = Systems::find(shape, "cpu", /*checked=*/true);
  std::vector<double> a(8, 0), b{1, 2, 3, 4, 1, 0, 3, 4}, c(8, 0), d(8, 1);
  std::vector<int32_t> status(2, 7);
  std::vector<double> scratch(size_t(solver->scratchBytes()) / 8 + 4);
  auto *aligned = reinterpret_cast<char *>(scratch.data());
  aligned += (16 - reinterpret_cast<uintptr_t>(aligned) % 16) % 16;
  solver->solve(a.data(), b.data(), c.data(), d.data(), status.data(), aligned, nullptr);
  EXPECT_EQ(status[0], 0);
  EXPECT_NE(status[1], 0);
  EXPECT_EQ(d[2], 1.0 / 3);
}

} // namespace
