// tridiagonal_pivoting.id on the matrices that LAPACK tests its own tridiagonal solvers with (xDRVGT and xLATB4 of
// LAPACK 3: sizes, kinds, ratios and their threshold), on matrices that are hard for elimination without pivoting, and
// on random ones of all kinds. LAPACK's gtsv solves the same systems.
#include "Gtsv.h"
#include "LibraryFixture.h"

#include <limits>
#include <random>

using namespace idc::frontend;
using namespace idc::frontend::test;
using idc::test::Device;

namespace {

const char *const file = "tridiagonal_pivoting.id";

template <class T> struct System {
  std::vector<T> a, b, c, d; // a[0] and c[n - 1] are 0
  size_t size() const { return b.size(); }
};

/// LAPACK's solution, empty where it finds the matrix singular.
template <class T> std::vector<T> lapack(const System<T> &s) { return idc::test::gtsv(s.a, s.b, s.c, s.d); }

template <class T> long double row(const System<T> &s, const std::vector<T> &x, size_t i) {
  long double sum = static_cast<long double>(s.b[i]) * x[i];
  if (i > 0)
    sum += static_cast<long double>(s.a[i]) * x[i - 1];
  if (i + 1 < x.size())
    sum += static_cast<long double>(s.c[i]) * x[i + 1];
  return sum;
}
template <class T> long double columnSum(const System<T> &s, size_t j) {
  long double sum = std::abs(s.b[j]);
  if (j > 0)
    sum += std::abs(s.c[j - 1]);
  if (j + 1 < s.size())
    sum += std::abs(s.a[j + 1]);
  return sum;
}
template <class T> long double sum(const std::vector<T> &x) {
  long double result = 0;
  for (T value : x)
    result += std::abs(value);
  return result;
}
template <class T> bool finite(const std::vector<T> &x) {
  return std::all_of(x.begin(), x.end(), [](T value) { return std::isfinite(value); });
}

template <class T> const long double roundoff = std::numeric_limits<T>::epsilon() / 2;

/// xGTT02: ‖Ax - d‖ / (‖A‖ ‖x‖ roundoff) in the 1-norm.
template <class T> long double residualRatio(const System<T> &s, const std::vector<T> &x) {
  long double residual = 0, size = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    residual += std::abs(row(s, x, i) - s.d[i]);
    size = std::max(size, columnSum(s, i));
  }
  return residual == 0 ? 0 : residual / size / sum(x) / roundoff<T>;
}
/// What a status of 0 promises: the largest |Ax - d| of a row over the row's largest coefficient, the largest unknown
/// and the unit roundoff.
template <class T> long double rowRatio(const System<T> &s, const std::vector<T> &x) {
  long double worst = 0, largest = 0;
  for (T value : x)
    largest = std::max(largest, static_cast<long double>(std::abs(value)));
  for (size_t i = 0; i < x.size(); ++i) {
    const long double size = std::max({std::abs(s.a[i]), std::abs(s.b[i]), std::abs(s.c[i])});
    const long double residual = std::abs(row(s, x, i) - s.d[i]);
    if (!(residual <= std::numeric_limits<T>::denorm_min() * size)) // an unknown may be 0 by underflow
      worst = std::max(worst, residual / size / largest / roundoff<T>);
  }
  return worst;
}
/// xGET04: ‖x - exact‖ / (‖exact‖ condition roundoff), with the condition in the 1-norm.
template <class T> long double errorRatio(const System<T> &s, const std::vector<T> &x, const std::vector<T> &exact) {
  long double inverse = 0, matrix = 0, error = 0, size = 0;
  for (size_t j = 0; j < s.size(); ++j) {
    System<T> unit = s;
    unit.d.assign(s.size(), 0);
    unit.d[j] = 1;
    inverse = std::max(inverse, sum(lapack(unit)));
    matrix = std::max(matrix, columnSum(s, j));
    error = std::max(error, static_cast<long double>(std::abs(x[j] - exact[j])));
    size = std::max(size, static_cast<long double>(std::abs(exact[j])));
  }
  return error / size / matrix / inverse / roundoff<T>;
}

/// Random numbers, and matrices of given singular values.
class Generator {
public:
  explicit Generator(unsigned seed) : engine(seed) {}
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(engine); }

  /// Elements [0, n), [n, 2n), [2n, 3n) are a, b, c of a tridiagonal matrix whose singular values go from `norm` to
  /// norm / condition geometrically.
  std::vector<long double> ofCondition(size_t n, long double condition, long double norm) {
    std::vector<std::vector<long double>> m(n, std::vector<long double>(n));
    for (size_t i = 0; i < n; ++i)
      m[i][i] = std::pow(condition, n > 1 ? -static_cast<long double>(i) / static_cast<long double>(n - 1) : 0);
    // Reflections of rows and of columns: random ones fill the matrix, others take it to tridiagonal form. What is
    // right of i, and below it, may be changed by itself.
    for (bool columns : {false, true}) {
      std::vector<long double> v(n);
      for (long double &element : v)
        element = uniform();
      reflect(m, v, columns);
    }
    for (size_t i = 0; i + 2 < n; ++i)
      for (bool columns : {false, true}) {
        std::vector<long double> v(n);
        long double length = 0;
        for (size_t k = i + 1; k < n; ++k) {
          v[k] = columns ? m[i][k] : m[k][i];
          length += v[k] * v[k];
        }
        v[i + 1] += std::copysign(std::sqrt(length), v[i + 1]);
        reflect(m, v, columns);
      }
    std::vector<long double> result(3 * n);
    for (size_t i = 0; i < n; ++i) {
      result[i] = i > 0 ? m[i][i - 1] * norm : 0;
      result[n + i] = m[i][i] * norm;
      result[2 * n + i] = i + 1 < n ? m[i][i + 1] * norm : 0;
    }
    return result;
  }

private:
  /// Applies 1 - 2 v v' / v'v to the columns' index or to the rows'.
  static void reflect(std::vector<std::vector<long double>> &m, const std::vector<long double> &v, bool columns) {
    const size_t n = v.size();
    long double length = 0;
    for (long double element : v)
      length += element * element;
    if (length == 0)
      return;
    for (size_t i = 0; i < n; ++i) {
      long double product = 0;
      for (size_t k = 0; k < n; ++k)
        product += v[k] * (columns ? m[i][k] : m[k][i]);
      for (size_t k = 0; k < n; ++k)
        (columns ? m[i][k] : m[k][i]) -= 2 * product / length * v[k];
    }
  }
  std::mt19937 engine;
};

template <class T> System<T> empty(size_t n) {
  return {std::vector<T>(n), std::vector<T>(n), std::vector<T>(n), std::vector<T>(n)};
}

/// Type 1 to 12 of LAPACK's test matrices. Columns from `zero` on that are 0 make types 8 to 10 singular.
template <class T> System<T> lapackMatrix(int type, size_t n, Generator &random) {
  const long double precision = std::numeric_limits<T>::epsilon();
  const long double small = std::numeric_limits<T>::min() / precision / 4, bad = 0.1L / precision;
  const long double norm = type == 5 || type == 11 ? small : type == 6 || type == 12 ? 1 / small : 1;
  System<T> s = empty<T>(n);
  if (type == 1)
    for (size_t i = 0; i < n; ++i)
      s.b[i] =
          static_cast<T>(std::pow(2.0L, n > 1 ? -static_cast<long double>(i) / static_cast<long double>(n - 1) : 0));
  else if (type <= 6) {
    const std::vector<long double> m = random.ofCondition(n, type == 3 ? std::sqrt(bad) : type == 4 ? bad : 2, norm);
    for (size_t i = 0; i < n; ++i) {
      s.a[i] = static_cast<T>(m[i]);
      s.b[i] = static_cast<T>(m[n + i]);
      s.c[i] = static_cast<T>(m[2 * n + i]);
    }
  } else
    for (size_t i = 0; i < n; ++i) {
      s.a[i] = i > 0 ? static_cast<T>(random.uniform() * norm) : T(0);
      s.b[i] = static_cast<T>(random.uniform() * norm);
      s.c[i] = i + 1 < n ? static_cast<T>(random.uniform() * norm) : T(0);
    }
  for (size_t j = 0; j < n; ++j)
    if ((type == 8 && j == 0) || (type == 9 && j == n - 1) || (type == 10 && j + 1 >= (n + 1) / 2)) {
      s.b[j] = 0;
      if (j > 0)
        s.c[j - 1] = 0;
      if (j + 1 < n)
        s.a[j + 1] = 0;
    }
  return s;
}

template <class T> std::vector<T> randomSolution(System<T> &s, Generator &random) {
  std::vector<T> x(s.size());
  for (T &value : x)
    value = static_cast<T>(random.uniform());
  for (size_t i = 0; i < x.size(); ++i)
    s.d[i] = static_cast<T>(row(s, x, i));
  return x;
}

template <class T> const char *const typeName = sizeof(T) == 4 ? "f32" : "f64";

/// A solver with a status for N = 2^n or any N.
template <class T> class Solver {
public:
  Solver(Device device, const std::string &entry, size_t n)
      : n(n), executable(device, entry.find("pivoting") == std::string::npos ? "tridiagonal.id" : file, entry,
                         sizes(entry, n), {{"T", typeName<T>}}) {}

  struct Result {
    std::vector<T> x;
    int64_t status;
  };
  std::vector<Result> operator()(const std::vector<System<T>> &systems) const {
    std::vector<Buffer> inputs(4);
    for (const System<T> &s : systems)
      for (size_t k = 0; k < 4; ++k)
        for (T value : *std::vector{&s.a, &s.b, &s.c, &s.d}[k])
          inputs[k].push_back(realScalar(value));
    const std::vector<Buffer> outputs = executable.run(inputs);
    std::vector<Result> results;
    for (size_t k = 0; k < systems.size(); ++k) {
      results.push_back({{}, outputs[1][k].integer});
      for (size_t i = 0; i < n; ++i)
        results.back().x.push_back(static_cast<T>(outputs[0][k * n + i].re));
    }
    return results;
  }

private:
  static SizeMap sizes(const std::string &entry, size_t n) {
    if (entry.size() > 4 && entry.substr(entry.size() - 4) == "_any")
      return {{"N", static_cast<int64_t>(n)}};
    int64_t digits = 0;
    while (size_t(1) << digits < n)
      ++digits;
    EXPECT_EQ(size_t(1) << digits, n);
    return {{"n", digits}};
  }
  size_t n;
  idc::test::Executable executable;
};

template <class T> void lapackSet(Device device, const std::string &entry, size_t n, size_t repetitions) {
  Generator random(static_cast<unsigned>(n));
  std::vector<System<T>> systems;
  std::vector<std::vector<T>> exact;
  std::vector<int> types;
  for (size_t k = 0; k < repetitions; ++k)
    for (int type = 1; type <= 12; ++type) {
      systems.push_back(lapackMatrix<T>(type, n, random));
      exact.push_back(randomSolution(systems.back(), random));
      types.push_back(type);
    }
  const auto results = Solver<T>(device, entry, n)(systems);
  for (size_t k = 0; k < systems.size(); ++k) {
    SCOPED_TRACE(entry + ", " + typeName<T> + ", N=" + std::to_string(n) + ", type " + std::to_string(types[k]));
    if (types[k] >= 8 && types[k] <= 10) {
      EXPECT_EQ(results[k].status, 1);
      continue;
    }
    EXPECT_EQ(results[k].status, 0);
    EXPECT_LT(residualRatio(systems[k], results[k].x), 30);
    EXPECT_LT(errorRatio(systems[k], results[k].x, exact[k]), 30);
    EXPECT_LT(rowRatio(systems[k], results[k].x), 30);
  }
}

} // namespace

class TridiagonalPivoting : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Library, TridiagonalPivoting, ::testing::ValuesIn(idc::test::devices),
                         [](const auto &info) { return idc::test::name(info.param); });

TEST_P(TridiagonalPivoting, LapackTestMatrices) {
  const bool cpu = GetParam() == Device::Cpu;
  for (size_t n : cpu ? std::vector<size_t>{1, 2, 3, 5, 10, 50} : std::vector<size_t>{3, 10, 50}) {
    lapackSet<double>(GetParam(), "tridiagonal_pivoting_checked_any", n, cpu ? 20 : 1);
    lapackSet<float>(GetParam(), "tridiagonal_pivoting_checked_any", n, cpu ? 20 : 1);
  }
  for (size_t n : {1, 2, 8, 64}) {
    lapackSet<double>(GetParam(), "tridiagonal_pivoting_checked", n, cpu ? 10 : 1);
    lapackSet<float>(GetParam(), "tridiagonal_pivoting_checked", n, cpu ? 10 : 1);
  }
}

namespace {

/// Matrices on which elimination in pairs of equations loses digits or fails.
template <class T> std::vector<System<T>> hardSystems(size_t n) {
  std::vector<System<T>> result;
  Generator random(11);
  auto add = [&](auto coefficients, bool rightSides) {
    System<T> s = empty<T>(n);
    for (size_t i = 0; i < n; ++i) {
      double a, b, c;
      coefficients(i, a, b, c);
      s.a[i] = i > 0 ? static_cast<T>(a) : T(0);
      s.b[i] = static_cast<T>(b);
      s.c[i] = i + 1 < n ? static_cast<T>(c) : T(0);
      s.d[i] = static_cast<T>(random.uniform());
    }
    if (!rightSides)
      randomSolution(s, random);
    result.push_back(s);
  };
  for (bool rightSides : {false, true}) {
    for (const std::array<double, 3> &row : std::vector<std::array<double, 3>>{{-1, 0.9996, -1},
                                                                               {1, 0, 1},
                                                                               {-1.02, 1, 0},
                                                                               {0, -1.02, 1},
                                                                               {1, -1.02, 0},
                                                                               {0, 1, -1.02},
                                                                               {1, 1, 1},
                                                                               {1, 1e-9, -1}})
      add([&](size_t, double &a, double &b, double &c) { a = row[0], b = row[1], c = row[2]; }, rightSides);
    // 2, 0, 2, 0, … on the diagonal.
    add([&](size_t i, double &a, double &b, double &c) { a = c = 1, b = i % 2 ? 0 : 2; }, rightSides);
    // Every other pivot of elimination without exchanges is 0, counted from the first row and from the second.
    for (size_t first : {0, 1}) {
      double last[2] = {1, 1}; // b and c of the row before
      add(
          [&](size_t i, double &a, double &b, double &c) {
            a = random.uniform(), b = random.uniform(), c = random.uniform();
            if (i % 2 != first)
              b = a * last[1] / last[0];
            last[0] = b, last[1] = c;
          },
          rightSides);
    }
    // Cut into blocks, and nearly so: products of coefficients fall below all numbers.
    for (double tiny : {0.0, sizeof(T) == 4 ? 1e-42 : 1e-315})
      add([&](size_t i, double &a, double &b,
              double &c) { a = i % 5 == 0 ? tiny : random.uniform(), b = 3, c = i % 7 == 3 ? tiny : random.uniform(); },
          rightSides);
  }
  return result;
}

template <class T> void hard(Device device, size_t n) {
  const bool powerOfTwo = (n & (n - 1)) == 0;
  const std::vector<System<T>> systems = hardSystems<T>(n);
  const auto results =
      Solver<T>(device, powerOfTwo ? "tridiagonal_pivoting_checked" : "tridiagonal_pivoting_checked_any", n)(systems);
  const auto plain = Solver<T>(device, powerOfTwo ? "tridiagonal_checked" : "tridiagonal_checked_any", n)(systems);
  for (size_t k = 0; k < systems.size(); ++k) {
    SCOPED_TRACE("system " + std::to_string(k) + " of " + std::to_string(n) + " rows, " + typeName<T>);
    const std::vector<T> expected = lapack(systems[k]);
    if (!expected.empty() && finite(expected) && residualRatio(systems[k], expected) < 30) {
      EXPECT_EQ(results[k].status, 0);
      EXPECT_LT(residualRatio(systems[k], results[k].x), 30);
      EXPECT_LT(rowRatio(systems[k], results[k].x), 30);
    }
    for (const auto &result : {results[k], plain[k]}) {
      EXPECT_EQ(finite(result.x), result.status != 1);
      if (result.status == 0) {
        EXPECT_LE(rowRatio(systems[k], result.x), 600);
      }
    }
  }
}

} // namespace

TEST_P(TridiagonalPivoting, HardMatrices) {
  for (size_t n : GetParam() == Device::Cpu ? std::vector<size_t>{4, 8, 13, 14, 18, 30, 31, 100, 500, 1000, 2048}
                                            : std::vector<size_t>{8, 14, 31, 500}) {
    hard<double>(GetParam(), n);
    hard<float>(GetParam(), n);
  }
}

// What the solvers without pivoting solve as pairs of equations they solve for any number of equations.
TEST_P(TridiagonalPivoting, PairsOfEquationsForAnyNumber) {
  for (size_t n : {2, 6, 10, 14, 18, 22, 26, 28, 30, 100, 500, 1000}) {
    if (GetParam() == Device::Emulator && n % 14 != 0)
      continue;
    std::vector<System<double>> systems;
    Generator random(5);
    for (double diagonal : {0.0, 2.0}) {
      systems.push_back(empty<double>(n));
      for (size_t i = 0; i < n; ++i) {
        systems.back().a[i] = i > 0;
        systems.back().c[i] = i + 1 < n;
        systems.back().b[i] = i % 2 ? 0 : diagonal;
      }
      randomSolution(systems.back(), random);
    }
    const auto results = Solver<double>(GetParam(), "tridiagonal_checked_any", n)(systems);
    for (size_t k = 0; k < systems.size(); ++k) {
      EXPECT_EQ(results[k].status, 0) << n << ", " << k;
      EXPECT_LT(rowRatio(systems[k], results[k].x), 200) << n << ", " << k;
    }
  }
}

namespace {

/// Systems of random kinds: elements of one size, of many, integers, zeros, rows of different sizes.
template <class T> System<T> randomSystem(size_t n, Generator &random) {
  const double range = sizeof(T) == 4 ? 8 : 60; // powers of ten
  const size_t kind = random.below(6), zeros = random.below(4);
  System<T> s = empty<T>(n);
  for (size_t i = 0; i < n; ++i) {
    const double size = kind == 1 ? std::pow(10, range * random.uniform()) : 1;
    for (std::vector<T> *part : {&s.a, &s.b, &s.c, &s.d}) {
      double value = random.uniform() * size;
      if (kind == 2)
        value *= std::pow(10, 2 * random.uniform());
      if (kind == 3)
        value = std::round(2 * value);
      if (kind == 4 && part == &s.b)
        value += 3;
      (*part)[i] = static_cast<T>(part != &s.d && random.below(8) < zeros ? 0 : value);
    }
  }
  s.a.front() = s.c.back() = 0;
  return s;
}

template <class T> void randomSystems(Device device, size_t n, size_t count) {
  Generator random(static_cast<unsigned>(7 * n));
  std::vector<System<T>> systems, scaled;
  std::vector<int> exponents;
  for (size_t k = 0; k < count; ++k) {
    systems.push_back(randomSystem<T>(n, random));
    scaled.push_back(systems.back());
    exponents.push_back(static_cast<int>(random.below(9)) - 4);
    for (size_t i = 0; i < n; ++i) {
      const int exponent = static_cast<int>(random.below(17)) - 8;
      for (std::vector<T> *part : {&scaled[k].a, &scaled[k].b, &scaled[k].c, &scaled[k].d})
        (*part)[i] = std::ldexp((*part)[i], exponent);
      scaled[k].d[i] = std::ldexp(scaled[k].d[i], exponents[k]);
    }
  }
  for (const char *entry : {"tridiagonal_pivoting_checked_any", "tridiagonal_checked_any"}) {
    const bool pivoting = entry == std::string("tridiagonal_pivoting_checked_any");
    const Solver<T> solver(device, entry, n);
    const auto results = solver(systems), ofScaled = solver(scaled);
    size_t solved = 0;
    for (size_t k = 0; k < count; ++k) {
      SCOPED_TRACE(std::string(entry) + ", " + typeName<T> + ", N=" + std::to_string(n) + ", system " +
                   std::to_string(k));
      const auto &[x, status] = results[k];
      EXPECT_EQ(finite(x), status != 1);
      if (status == 0) {
        ++solved;
        EXPECT_LE(rowRatio(systems[k], x), pivoting ? 60 : 600);
      } else if (pivoting) {
        const std::vector<T> other = lapack(systems[k]);
        EXPECT_FALSE(!other.empty() && finite(other) && rowRatio(systems[k], other) < 60) << status;
      }
      // Neither the solution nor the status depends on how rows and right sides are scaled.
      EXPECT_EQ(ofScaled[k].status, status);
      for (size_t i = 0; i < n && status != 1; ++i)
        EXPECT_EQ(std::ldexp(x[i], exponents[k]), ofScaled[k].x[i]) << i;
    }
    EXPECT_GT(solved, count / 4) << entry << " N=" << n;
  }
}

} // namespace

TEST_P(TridiagonalPivoting, RandomMatrices) {
  for (size_t n :
       GetParam() == Device::Cpu ? std::vector<size_t>{1, 2, 3, 4, 5, 9, 24, 40, 127} : std::vector<size_t>{7, 24}) {
    const size_t count = GetParam() == Device::Cpu ? 400 : 40;
    randomSystems<double>(GetParam(), n, count);
    randomSystems<float>(GetParam(), n, count);
  }
}
