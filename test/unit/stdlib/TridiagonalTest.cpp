// tridiagonal.id and tridiagonal_pivoting.id against LAPACK in double and Gaussian elimination with pivoting in long
// double.
#include "Gtsv.h"
#include "LibraryFixture.h"

#include <random>

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

const TypeMap f64 = {{"T", "f64"}}, complexF64 = {{"T", "complex<f64>"}};
const char *const solvers[] = {"tridiagonal", "tridiagonal_checked", "wang_mou", "tridiagonal_pivoting",
                               "tridiagonal_pivoting_checked"};
const char *const periodicSolvers[] = {"periodic_tridiagonal", "periodic_tridiagonal_checked",
                                       "periodic_tridiagonal_pivoting", "periodic_tridiagonal_pivoting_checked"};
const char *const checkedSolvers[] = {"tridiagonal_checked", "periodic_tridiagonal_checked",
                                      "tridiagonal_pivoting_checked", "periodic_tridiagonal_pivoting_checked"};

/// The library's file that has a solver.
bool pivots(const std::string &entry) { return entry.find("pivoting") != std::string::npos; }
std::string file(const std::string &entry) { return pivots(entry) ? "tridiagonal_pivoting.id" : "tridiagonal.id"; }

struct System {
  Buffer a, b, c, d;
  std::vector<Buffer> inputs() const { return {a, b, c, d}; }
};

/// Random coefficients with |b| ≥ |a| + |c| + margin.
System dominant(size_t size, unsigned seed, bool complex = false, long double margin = 0.1L) {
  System s = {randomReals(size, seed, complex), randomReals(size, seed + 1, complex),
              randomReals(size, seed + 2, complex), randomReals(size, seed + 3, complex)};
  for (size_t i = 0; i < size; ++i) {
    long double least = std::abs(value(s.a[i])) + std::abs(value(s.c[i])) + margin;
    Complex unit = value(s.b[i]) / std::abs(value(s.b[i]));
    s.b[i].re = (unit * least).real();
    s.b[i].im = (unit * least).imag();
  }
  return s;
}

/// Gaussian elimination with partial pivoting on the dense matrix.
Buffer dense(const System &s, bool periodic) {
  const size_t size = s.b.size();
  std::vector<std::vector<Complex>> rows(size, std::vector<Complex>(size + 1));
  for (size_t i = 0; i < size; ++i) {
    if (i > 0 || periodic)
      rows[i][(i + size - 1) % size] += value(s.a[i]);
    rows[i][i] += value(s.b[i]);
    if (i + 1 < size || periodic)
      rows[i][(i + 1) % size] += value(s.c[i]);
    rows[i][size] = value(s.d[i]);
  }
  for (size_t k = 0; k < size; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < size; ++i)
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k]))
        pivot = i;
    std::swap(rows[k], rows[pivot]);
    for (size_t i = k + 1; i < size; ++i) {
      Complex factor = rows[i][k] / rows[k][k];
      if (factor != Complex(0))
        for (size_t j = k; j <= size; ++j)
          rows[i][j] -= factor * rows[k][j];
    }
  }
  Buffer x(size);
  for (size_t k = size; k-- > 0;) {
    Complex sum = rows[k][size];
    for (size_t j = k + 1; j < size; ++j)
      sum -= rows[k][j] * value(x[j]);
    sum /= rows[k][k];
    x[k].re = sum.real();
    x[k].im = sum.imag();
  }
  return x;
}

/// LAPACK's gtsv in double.
Buffer lapack(const System &s) {
  auto reals = [](const Buffer &buffer) {
    std::vector<double> values;
    for (const auto &scalar : buffer)
      values.push_back(double(scalar.re));
    return values;
  };
  const std::vector<double> solution = idc::test::gtsv(reals(s.a), reals(s.b), reals(s.c), reals(s.d));
  EXPECT_EQ(solution.size(), s.b.size()) << "singular";
  Buffer x(s.b.size());
  for (size_t i = 0; i < solution.size(); ++i)
    x[i].re = solution[i];
  return x;
}

/// The largest |a·x(before) + b·x + c·x(after) - d|.
long double residual(const System &s, const Buffer &x, bool periodic) {
  const size_t size = x.size();
  long double worst = 0;
  for (size_t i = 0; i < size; ++i) {
    Complex left = value(s.b[i]) * value(x[i]) - value(s.d[i]);
    if (i > 0 || periodic)
      left += value(s.a[i]) * value(x[(i + size - 1) % size]);
    if (i + 1 < size || periodic)
      left += value(s.c[i]) * value(x[(i + 1) % size]);
    worst = std::max(worst, std::abs(left));
  }
  return worst;
}

/// A solution and its status.
std::pair<Buffer, int64_t> result(const std::vector<Buffer> &outputs) {
  EXPECT_EQ(outputs.size(), 2u);
  return {outputs[0], outputs[1][0].integer};
}

bool finite(const Buffer &x) {
  return std::all_of(x.begin(), x.end(), [](const Scalar &v) { return std::isfinite(v.re) && std::isfinite(v.im); });
}

} // namespace

class Tridiagonal : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, Tridiagonal, everyProcessor(), processorName);

TEST_P(Tridiagonal, AgreesWithElimination) {
  for (int64_t n : sizes(6, 7))
    for (bool complex : {false, true}) {
      System s = dominant(size_t(1) << n, 10 * unsigned(n), complex);
      const TypeMap &types = complex ? complexF64 : f64;
      for (const char *entry : solvers) {
        Buffer x = runLibrary(file(entry), entry, {{"n", n}}, types, s.inputs())[0];
        EXPECT_LT(relativeError(x, dense(s, false)), limit(1e-16L)) << entry << " n=" << n;
      }
      for (const char *entry : periodicSolvers) {
        Buffer x = runLibrary(file(entry), entry, {{"n", n}}, types, s.inputs())[0];
        EXPECT_LT(relativeError(x, dense(s, true)), limit(1e-16L)) << entry << " n=" << n;
      }
    }
}

TEST_P(Tridiagonal, AgreesWithLapack) {
  for (int64_t n : sizes(10, 12)) {
    System s = dominant(size_t(1) << n, 7);
    for (const char *entry : solvers)
      EXPECT_LT(relativeError(runLibrary(file(entry), entry, {{"n", n}}, f64, s.inputs())[0], lapack(s)), 1e-13L)
          << entry << " n=" << n;
  }
}

TEST_P(Tridiagonal, AgreesWithLapackForAnyNumberOfEquations) {
  for (int size : GetParam() ? std::vector<int>{1, 2, 3, 5, 7, 31, 33, 1000, 1009, 1025}
                             : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 9, 31, 33, 1000, 1009, 4095, 4097, 100003}) {
    System s = dominant(static_cast<size_t>(size), 7);
    Buffer x = runLibrary("tridiagonal.id", "tridiagonal_any", {{"N", size}}, f64, s.inputs())[0];
    EXPECT_LT(relativeError(x, lapack(s)), 1e-13L) << size;
    Buffer rounded = runLibrary("tridiagonal.id", "tridiagonal_any", {{"N", size}}, {{"T", "f32"}}, s.inputs())[0];
    EXPECT_LT(relativeError(rounded, lapack(s)), 1e-5L) << size;
    auto [checked, status] =
        result(runLibrary("tridiagonal.id", "tridiagonal_checked_any", {{"N", size}}, f64, s.inputs()));
    EXPECT_LT(relativeError(checked, x), 1e-15L) << size;
    EXPECT_EQ(status, 0) << size;
  }
}

TEST_P(Tridiagonal, AgreesWithEliminationForAnyNumberOfEquations) {
  for (int size : GetParam() ? std::vector<int>{3, 14} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 31, 41}) {
    System s = dominant(static_cast<size_t>(size), 17);
    const Buffer open = dense(s, false), periodic = dense(s, true);
    for (const char *entry : {"tridiagonal_checked_any", "tridiagonal_pivoting_any", "tridiagonal_pivoting_checked_any",
                              "periodic_tridiagonal_pivoting_any", "periodic_tridiagonal_pivoting_checked_any"}) {
      const auto outputs = runLibrary(file(entry), entry, {{"N", size}}, f64, s.inputs());
      const bool wrapped = std::string(entry).find("periodic") == 0;
      EXPECT_LT(relativeError(outputs[0], wrapped ? periodic : open), limit(1e-16L)) << entry << " N=" << size;
      if (outputs.size() > 1) {
        EXPECT_EQ(outputs[1][0].integer, 0) << entry << " N=" << size;
      }
    }
  }
}

TEST_P(Tridiagonal, PivotingSolvesMatricesOfAllKinds) {
  // Random elements, and random ones of which half of the diagonal is 0; real and complex; what is condition is
  // allowed.
  for (int size : GetParam() ? std::vector<int>{14, 37} : std::vector<int>{1, 2, 3, 4, 5, 6, 8, 11, 16, 30, 37})
    for (bool complex : {false, true})
      for (bool zeros : {false, true}) {
        const size_t n = static_cast<size_t>(size);
        System s = {randomReals(n, 51, complex), randomReals(n, 52, complex), randomReals(n, 53, complex),
                    randomReals(n, 54, complex)};
        for (size_t i = 1; zeros && i < n; i += 2)
          s.b[i] = Scalar();
        const TypeMap &types = complex ? complexF64 : f64;
        for (const char *entry : {"tridiagonal_pivoting_checked_any", "periodic_tridiagonal_pivoting_checked_any"}) {
          const bool periodic = std::string(entry).find("periodic") == 0;
          auto [x, status] = result(runLibrary(file(entry), entry, {{"N", size}}, types, s.inputs()));
          EXPECT_EQ(status, 0) << entry << " N=" << size;
          EXPECT_LT(residual(s, x, periodic), limit(1e-17L) * norm(x)) << entry << " N=" << size;
          EXPECT_LT(relativeError(x, dense(s, periodic)), limit(1e-13L)) << entry << " N=" << size;
        }
      }
}

TEST_P(Tridiagonal, AnyNumbersOfRowsAndColumns) {
  const size_t rows = 11, columns = 3;
  System s = dominant(rows * columns, 21);
  const SizeMap sizes = {{"M", 11}, {"N", 3}};
  Buffer all = runLibrary("tridiagonal.id", "tridiagonal_columns_any", sizes, f64, s.inputs())[0];
  for (size_t c = 0; c < columns; ++c) {
    auto column = [&](const Buffer &x) {
      Buffer result;
      for (size_t r = 0; r < rows; ++r)
        result.push_back(x[r * columns + c]);
      return result;
    };
    System one = {column(s.a), column(s.b), column(s.c), column(s.d)};
    EXPECT_LT(relativeError(column(all), dense(one, false)), limit(1e-16L));
  }
}

TEST_P(Tridiagonal, Residuals) {
  for (int64_t n : sizes(10, 12)) {
    System s = dominant(size_t(1) << n, 3, false, 0.01L);
    for (const char *entry : solvers)
      EXPECT_LT(residual(s, runLibrary(file(entry), entry, {{"n", n}}, f64, s.inputs())[0], false), limit(1e-15L))
          << entry << " n=" << n;
    for (const char *entry : periodicSolvers)
      EXPECT_LT(residual(s, runLibrary(file(entry), entry, {{"n", n}}, f64, s.inputs())[0], true), limit(1e-15L))
          << entry << " n=" << n;
  }
}

TEST_P(Tridiagonal, PoissonEquation) {
  // -x'' = 1 with x = 0 beyond both ends: a positive definite matrix that is not strictly dominant.
  const size_t size = 256;
  System s = {Buffer(size), Buffer(size), Buffer(size), Buffer(size)};
  for (size_t i = 0; i < size; ++i) {
    s.a[i].re = s.c[i].re = -1;
    s.b[i].re = 2;
    s.d[i].re = 1;
  }
  for (const char *entry : solvers) {
    Buffer x = runLibrary(file(entry), entry, {{"n", 8}}, f64, s.inputs())[0];
    for (size_t i = 0; i < size; ++i) {
      long double exact = static_cast<long double>(i + 1) * static_cast<long double>(size - i) / 2;
      EXPECT_LT(std::abs(x[i].re - exact), limit(1e-13L) * exact) << entry;
    }
  }
}

TEST(TridiagonalEvaluated, OuterCoefficientsAreNotUsed) {
  for (int64_t n : {0, 1, 5}) {
    System s = dominant(size_t(1) << n, 5), wild = s;
    wild.a.front().re = wild.c.back().re = std::numeric_limits<long double>::quiet_NaN();
    for (const char *entry : solvers) {
      auto program = fromFile(file(entry), entry, {{"n", n}}, f64);
      EXPECT_EQ(reals(run(*program, wild.inputs())[0]), reals(run(*program, s.inputs())[0])) << entry;
    }
  }
}

/// Elements first, first + stride, … of an array.
static Buffer every(size_t stride, size_t first, size_t count, const Buffer &array) {
  Buffer result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(array[first + i * stride]);
  return result;
}

TEST_P(Tridiagonal, AlongAnAxis) {
  const size_t rows = 16, columns = 8;
  System all = dominant(rows * columns, 21), shared = dominant(rows, 31);
  shared.d = all.d;
  Buffer own = runLibrary("tridiagonal.id", "tridiagonal_columns", {{"m", 4}, {"n", 3}}, f64, all.inputs())[0];
  Buffer same = runLibrary("tridiagonal.id", "tridiagonal_shared", {{"m", 4}, {"n", 3}}, f64, shared.inputs())[0];
  Buffer several = runLibrary("tridiagonal.id", "tridiagonal_several", {{"m", 3}, {"n", 4}}, f64, shared.inputs())[0];
  for (size_t c = 0; c < columns; ++c) {
    auto column = [&](const Buffer &x) { return every(columns, c, rows, x); };
    auto row = [&](const Buffer &x) { return every(1, c * rows, rows, x); };
    System one = {column(all.a), column(all.b), column(all.c), column(all.d)};
    EXPECT_LT(relativeError(column(own), dense(one, false)), limit(1e-16L));
    System another = {shared.a, shared.b, shared.c, column(shared.d)};
    EXPECT_LT(relativeError(column(same), dense(another, false)), limit(1e-16L));
    System third = {shared.a, shared.b, shared.c, row(shared.d)};
    EXPECT_LT(relativeError(row(several), dense(third, false)), limit(1e-16L));
  }
}

TEST_P(Tridiagonal, AlongTheMiddleAxis) {
  // Of an array of 4 × 8 × 2: in one problem, and as a batch of tridiagonal_columns.
  const size_t planes = 4, rows = 8, columns = 2;
  System all = dominant(planes * rows * columns, 41);
  std::vector<Buffer> solutions = {run(*fromText(R"(
    import "tridiagonal.id";
    algorithm middle<T = f64>(a: T[z: 2^l][y: 2^m][x: 2^n], b: T[z: 2^l][y: 2^m][x: 2^n],
                              c: T[z: 2^l][y: 2^m][x: 2^n], d: T[z: 2^l][y: 2^m][x: 2^n])
        -> T[z: 2^l][y: 2^m][x: 2^n] {
      return a |> tridiagonal(b, c, d) @ y;
    })",
                                                 "middle", {{"l", 2}, {"m", 3}, {"n", 1}}),
                                       all.inputs())[0]};
  if (GetParam()) // the evaluator has no batch
    solutions.push_back(
        runLibrary("tridiagonal.id", "tridiagonal_columns", {{"m", 3}, {"n", 1}}, f64, all.inputs())[0]);
  for (const Buffer &x : solutions)
    for (size_t plane = 0; plane < planes; ++plane)
      for (size_t c = 0; c < columns; ++c) {
        auto column = [&](const Buffer &array) { return every(columns, plane * rows * columns + c, rows, array); };
        System one = {column(all.a), column(all.b), column(all.c), column(all.d)};
        EXPECT_LT(relativeError(column(x), dense(one, false)), limit(1e-16L)) << plane << ", " << c;
      }
}

TEST_P(Tridiagonal, StatusOfSoundSystems) {
  for (int64_t n : sizes(8, 10)) {
    System s = dominant(size_t(1) << n, 2);
    for (const char *entry : checkedSolvers)
      EXPECT_EQ(result(runLibrary(file(entry), entry, {{"n", n}}, f64, s.inputs())).second, 0) << entry << " n=" << n;
  }
}

TEST(TridiagonalEvaluated, StatusOfSingularSystems) {
  const long double infinity = std::numeric_limits<long double>::infinity();
  const long double wrong[] = {0, infinity, std::numeric_limits<long double>::quiet_NaN()};
  for (int64_t n = 0; n <= 6; ++n) {
    const size_t size = size_t(1) << n;
    for (const char *entry :
         {"tridiagonal", "periodic_tridiagonal", "wang_mou", "tridiagonal_pivoting", "periodic_tridiagonal_pivoting"}) {
      auto plain = fromFile(file(entry), entry, {{"n", n}}, f64);
      auto checked = std::string(entry) == "wang_mou"
                         ? nullptr
                         : fromFile(file(entry), std::string(entry) + "_checked", {{"n", n}}, f64);
      for (size_t row = 0; row < size; row += 1 + size / 8)
        for (long double bad : wrong) {
          // An equation 0 = d, or one without meaning, makes the system singular wherever it stands.
          System s = dominant(size, 4);
          s.a[row].re = s.b[row].re = s.c[row].re = bad;
          if (checked) {
            EXPECT_EQ(run(*checked, s.inputs())[1][0].integer, 1) << entry << " n=" << n << " row " << row << bad;
          }
          if (bad == 0) {
            EXPECT_FALSE(finite(run(*plain, s.inputs())[0])) << entry << " n=" << n << " row " << row;
          }
        }
    }
  }
}

TEST(TridiagonalEvaluated, ZeroDiagonalElements) {
  // [0 1; 1 0] blocks: every pair is invertible though no diagonal element is.
  System s = dominant(8, 6);
  for (size_t i = 0; i < 8; ++i) {
    s.b[i].re = 0;
    s.a[i].re = s.c[i].re = 1;
  }
  auto checked = runLibrary("tridiagonal.id", "tridiagonal_checked", {{"n", 3}}, f64, s.inputs());
  EXPECT_EQ(checked[1][0].integer, 0);
  EXPECT_LT(relativeError(checked[0], dense(s, false)), 1e-16L);
  EXPECT_FALSE(finite(runLibrary("tridiagonal.id", "wang_mou", {{"n", 3}}, f64, s.inputs())[0]));
}

TEST(TridiagonalEvaluated, StatusOfVanishingAndOverflowingPivots) {
  // Rows 1 and 2 meet in a singular pair, though the matrix is not singular.
  System s = dominant(4, 8);
  for (size_t i : {1, 2})
    s.a[i].re = s.b[i].re = s.c[i].re = 1;
  EXPECT_TRUE(finite(dense(s, false)));
  auto checked = runLibrary("tridiagonal.id", "tridiagonal_checked", {{"n", 2}}, f64, s.inputs());
  EXPECT_EQ(checked[1][0].integer, 1);
  EXPECT_FALSE(finite(checked[0]));
  const char *pivoting = "tridiagonal_pivoting_checked";
  auto [x, status] = result(runLibrary(file(pivoting), pivoting, {{"n", 2}}, f64, s.inputs()));
  EXPECT_EQ(status, 0);
  EXPECT_LT(relativeError(x, dense(s, false)), 1e-17L);
  // Pivots beyond the range of long double, above and below. Elimination with pivoting has none.
  for (long double size : {1e4000L, 1e-4000L}) {
    System t = dominant(4, 8);
    for (Scalar &element : t.b)
      element.re = size;
    for (Buffer *zero : {&t.a, &t.c})
      *zero = Buffer(4);
    EXPECT_EQ(runLibrary("tridiagonal.id", "tridiagonal_checked", {{"n", 2}}, f64, t.inputs())[1][0].integer, 1);
    EXPECT_EQ(runLibrary(file(pivoting), pivoting, {{"n", 2}}, f64, t.inputs())[1][0].integer, 0);
  }
}

TEST_P(Tridiagonal, StatusOfNearlySingularBlocks) {
  // Rows 1 and 2 are nearly a singular pair, though the matrix is well conditioned. (The evaluator has more bits, and
  // the residual is as much smaller.)
  for (long double distance : {1e-15L, 1e-13L, 1e-11L}) {
    System s = dominant(4, 8);
    for (size_t i : {1, 2})
      s.a[i].re = s.b[i].re = s.c[i].re = 1;
    s.b[2].re = 1 + distance;
    for (const char *entry : checkedSolvers) {
      auto [x, status] = result(runLibrary(file(entry), entry, {{"n", 2}}, f64, s.inputs()));
      EXPECT_EQ(status, pivots(entry) ? 0 : 2) << entry << double(distance);
      EXPECT_TRUE(finite(x));
    }
  }
}

TEST_P(Tridiagonal, StatusOfOverflowOutsideOfThePivots) {
  // Every pivot is an ordinary number: a product of coefficients, an unknown, a right-hand side are not.
  for (auto [right, diagonal] : {std::pair(1e300L, 1e20L), {1e300L, 1e-20L}, {INFINITY, 1.0L}, {NAN, 1.0L}})
    for (int64_t n : {0, 1, 3}) {
      const size_t size = size_t(1) << n;
      System s = {Buffer(size), Buffer(size), Buffer(size), Buffer(size)};
      for (size_t i = 0; i < size; ++i) {
        s.b[i].re = diagonal;
        s.d[i].re = i == size / 2 ? right : 0;
      }
      for (const char *entry : checkedSolvers) {
        auto [x, status] = result(runLibrary(file(entry), entry, {{"n", n}}, f64, s.inputs()));
        EXPECT_EQ(status, finite(x) ? 0 : 1)
            << entry << " n=" << n << " " << double(right) << " / " << double(diagonal);
      }
    }
}

TEST(TridiagonalCompiled, NothingIsNotFiniteWithoutAWord) {
  // Equations of zeros, ones, and numbers at the ends of the range and beyond.
  const std::vector<long double> nasty = {0,       1,      -1,      2,      1e-300L,  -1e-200L,
                                          1e-155L, 1e155L, -1e200L, 1e308L, INFINITY, NAN};
  const size_t batch = 2000;
  std::mt19937 generator(5);
  for (idc::test::Device device : idc::test::devices)
    for (const char *entry : checkedSolvers)
      for (int64_t n : {0, 1, 2, 4}) {
        const idc::test::Executable solver(device, file(entry), entry, {{"n", n}}, f64);
        const size_t size = size_t(1) << n;
        std::vector<Buffer> inputs(4, Buffer(batch * size));
        for (size_t system = 0; system < batch; ++system) {
          // Systems of ordinary numbers but for one in `rare`.
          std::uniform_int_distribution<size_t> which(0, nasty.size() - 1), rare(0, system % 8 * size);
          for (Buffer &input : inputs)
            for (size_t i = 0; i < size; ++i)
              input[system * size + i].re = rare(generator) == 0 ? nasty[which(generator)] : 1 + (generator() % 5);
        }
        const std::vector<Buffer> outputs = solver.run(inputs);
        size_t failures = 0;
        for (size_t system = 0; system < batch; ++system) {
          const Buffer x = every(1, system * size, size, outputs[0]);
          failures += !finite(x);
          EXPECT_TRUE(finite(x) || outputs[1][system].integer == 1) << entry << " n=" << n << " system " << system;
        }
        EXPECT_GT(failures, batch / 20) << entry << " n=" << n;
      }
}

TEST(TridiagonalEvaluated, StatusOfEverySystemOfABatch) {
  const char *text = R"(
    import "tridiagonal.id";
    algorithm columns<T = f64>(a: T[y: 2^m][x: 2^n], b: T[y: 2^m][x: 2^n], c: T[y: 2^m][x: 2^n],
                               d: T[y: 2^m][x: 2^n]) -> (T[y: 2^m][x: 2^n], i32[2^n]) {
      return a |> tridiagonal_checked(b, c, d) @ y;
    })";
  const size_t rows = 8, columns = 4;
  System s = dominant(rows * columns, 12);
  size_t bad = 5 * columns + 2; // row 5 of column 2
  s.a[bad].re = s.b[bad].re = s.c[bad].re = 0;
  auto result = run(*fromText(text, "columns", {{"m", 3}, {"n", 2}}), s.inputs());
  EXPECT_EQ(integers(result[1]), (std::vector<int64_t>{0, 0, 1, 0}));
  for (size_t i = 0; i < rows * columns; ++i) {
    if (i % columns != 2) {
      EXPECT_TRUE(std::isfinite(result[0][i].re));
    }
  }
}
