// Linear maps as shared sums: what they compute, and how few operations they take.
#include "compiler/conversion/SharedSums.h"

#include "compiler/conversion/RootOfUnity.h"

#include "gtest/gtest.h"

#include <random>

using namespace idc::conversion;

namespace {

using Matrix = std::vector<std::vector<double>>;

std::vector<double> run(const SharedSums &sums, std::vector<double> values) {
  for (const SharedSums::Sum &sum : sums.sums)
    values.push_back(values.at(sum.left) + sum.factor * values.at(sum.right));
  std::vector<double> results;
  for (const SharedSums::Result &result : sums.results)
    results.push_back(result.value < 0 ? 0 : result.factor * values.at(result.value));
  return results;
}

/// Runs the sums of `rows` on random numbers and compares with the matrix.
SharedSums checked(const Matrix &rows) {
  SharedSums sums = shareSums(rows);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> input(rows.empty() ? 0 : rows[0].size());
  for (double &x : input)
    x = normal(random);
  std::vector<double> results = run(sums, input);
  EXPECT_EQ(results.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    double expected = 0;
    for (size_t j = 0; j < input.size(); ++j)
      expected += rows[i][j] * input[j];
    EXPECT_NEAR(results[i], expected, 1e-12) << "row " << i;
  }
  return sums;
}

/// The real matrix of a Fourier transform of n complex numbers.
Matrix fourier(int n) {
  Matrix rows(2 * n, std::vector<double>(2 * n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      std::complex<double> w = rootOfUnity(n, i * j);
      rows[2 * i][2 * j] = rows[2 * i + 1][2 * j + 1] = w.real();
      rows[2 * i][2 * j + 1] = -w.imag();
      rows[2 * i + 1][2 * j] = w.imag();
    }
  return rows;
}

TEST(SharedSums, NothingToShare) {
  EXPECT_EQ(checked({}).operations(), 0);
  EXPECT_EQ(checked({{0, 0}}).operations(), 0);
  EXPECT_EQ(checked({{0, 1}, {-1, 0}}).operations(), 0);
  EXPECT_EQ(checked({{0, 2}}).operations(), 1);
  EXPECT_EQ(checked({{1, 1}, {1, -1}}).operations(), 2);
  EXPECT_EQ(checked({{0.5, 0.25, 3}}).operations(), 3); // a product and two multiply-adds
}

TEST(SharedSums, CommonParts) {
  EXPECT_EQ(checked({{1, 1, 1}, {1, 1, -1}}).operations(), 3);
  EXPECT_EQ(checked({{1, 1, 0}, {-2, -2, 1}}).operations(), 2); // in another multiple
  EXPECT_EQ(checked({{1, 1e-3, 5}, {1, 2e-3, 5}}).operations(), 3);
  EXPECT_EQ(checked({{1, 1}, {1, 1}}).operations(), 1); // one result twice
}

TEST(SharedSums, SmallCoefficientsAreNotDividedBy) {
  for (const SharedSums::Sum &sum : checked({{1e-6, 1, 1}, {1e-6, 1, -1}}).sums)
    EXPECT_LE(std::abs(sum.factor), 1);
}

// As many operations as the known algorithms with multiply-adds take; 4n² - 2n as the sums are written.
TEST(SharedSums, FourierTransforms) {
  EXPECT_EQ(checked(fourier(2)).operations(), 4);
  EXPECT_EQ(checked(fourier(3)).operations(), 12);
  EXPECT_EQ(checked(fourier(4)).operations(), 16);
  EXPECT_EQ(checked(fourier(5)).operations(), 32);
  EXPECT_LE(checked(fourier(7)).operations(), 60);
  EXPECT_LE(checked(fourier(8)).operations(), 56);
  EXPECT_LE(checked(fourier(11)).operations(), 200);
}

TEST(SharedSums, RandomMatrices) {
  std::mt19937 random(7);
  const double choices[] = {0, 0, 1, -1, 0.5, 2, 0.3};
  for (int i = 0; i < 200; ++i) {
    size_t inputs = 1 + random() % 7, results = 1 + random() % 7;
    Matrix rows(results, std::vector<double>(inputs));
    int terms = 0;
    for (auto &row : rows)
      for (double &coefficient : row) {
        coefficient = choices[random() % 7];
        terms += coefficient != 0;
      }
    EXPECT_LE(checked(rows).operations(), terms);
  }
}

} // namespace
