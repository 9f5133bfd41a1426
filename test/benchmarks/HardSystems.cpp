#include "HardSystems.h"
#include <cmath>
#include <limits>
#include <utility>

namespace hard {

namespace {

void offDiagonals(Random &random, double &a, double &c) {
  a = random();
  c = random();
}
double sign(Random &random) { return random() < 0 ? -1 : 1; }

const double pi = 3.14159265358979323846;

} // namespace

const std::vector<Matrix> &matrices() {
  static const std::vector<Matrix> list = {
      {"dominant", "a, c random in [-1, 1], b in [3, 5]", true,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = 4 + random();
       }},
      {"weakly dominant", "a, c random, |b| = 1.001 (|a| + |c|), signs random", true,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = sign(random) * 1.001 * (std::fabs(a) + std::fabs(c));
       }},
      {"barely dominant", "a, c random, |b| = |a| + |c|, signs random", false, // rounding may break it
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = sign(random) * (std::fabs(a) + std::fabs(c));
       }},
      {"Poisson", "[-1, 2, -1]", true,
       [](size_t, size_t, Random &, double &a, double &b, double &c) {
         a = c = -1;
         b = 2;
       }},
      {"[1, 2, 1]", "[1, 2, 1]", true,
       [](size_t, size_t, Random &, double &a, double &b, double &c) {
         a = c = 1;
         b = 2;
       }},
      {"large diagonal", "a, c random, b = 10^8", true,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = 1e8;
       }},
      {"unit diagonal", "a, c random, b = 1", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = 1;
       }},
      {"random", "a, b, c random in [-1, 1]", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = random();
       }},
      {"tiny lower", "random, a multiplied by 10^-50", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         a *= 1e-50;
         b = random();
       }},
      {"tiny off-diagonals", "b random, a, c multiplied by 10^-30", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         a *= 1e-30;
         c *= 1e-30;
         b = random();
       }},
      {"one cut", "random, a of the middle row multiplied by 10^-50", false,
       [](size_t row, size_t rows, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         if (row == rows / 2)
           a *= 1e-50;
         b = random();
       }},
      {"small diagonal", "a, c random, b random multiplied by 10^-5", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = 1e-5 * random();
       }},
      {"tiny diagonal", "a, c random, b = 10^-8", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = 1e-8;
       }},
      {"zero diagonal", "a, c random, b = 0", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = 0;
       }},
      {"[1, 0, 1]", "[1, 0, 1]", false,
       [](size_t, size_t, Random &, double &a, double &b, double &c) {
         a = c = 1;
         b = 0;
       }},
      {"zeros and ones", "a, c random, b 0 or 1", false,
       [](size_t, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = random() < 0 ? 0 : 1;
       }},
      {"singular pairs", "dominant, but rows 2k - 1 and 2k have 1, 1 + 10^-6 on the diagonal and 1, 1 beside it", false,
       [](size_t row, size_t, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         b = row % 2 ? 1 : 1 + 1e-6;
         (row % 2 ? c : a) = 1;
       }},
      {"graded rows", "dominant, row i multiplied by 10^(-12 i / n)", true,
       [](size_t row, size_t rows, Random &random, double &a, double &b, double &c) {
         offDiagonals(random, a, c);
         const double factor = std::pow(10, -12 * double(row) / double(rows));
         a *= factor;
         c *= factor;
         b = (4 + random()) * factor;
       }},
      {"graded symmetric", "D·P·D, P the Poisson matrix, D = diag 10^(-6 i / n)", false,
       [](size_t row, size_t rows, Random &, double &a, double &b, double &c) {
         const double ratio = std::pow(10, -6 / double(rows)), own = std::pow(ratio, double(row));
         a = -own * own / ratio;
         b = 2 * own * own;
         c = -own * own * ratio;
       }},
      {"Clement", "b = 0, c[i] = i + 1, a[i] = n - i", false,
       [](size_t row, size_t rows, Random &, double &a, double &b, double &c) {
         a = double(rows - row);
         b = 0;
         c = double(row + 1);
       }},
      {"Lesp", "b = -(2 i + 5), a[i] = 1 / (i + 1), c[i] = i + 2", true,
       [](size_t row, size_t, Random &, double &a, double &b, double &c) {
         a = 1 / double(row + 1);
         b = -(2 * double(row) + 5);
         c = double(row + 2);
       }},
      {"Dorr", "singularly perturbed, ε = 10^-4, row sums 0 but at the ends", false,
       [](size_t row, size_t rows, Random &, double &a, double &b, double &c) {
         const double h = 1 / double(rows + 1), diffusion = 1e-4 / (h * h), drift = (0.5 - double(row + 1) * h) / h;
         a = -diffusion - (row < rows / 2 ? 0 : -drift);
         c = -diffusion - (row < rows / 2 ? drift : 0);
         b = -(a + c);
       }},
      {"near an eigenvalue", "[-1, 2 - λ, -1], λ the middle eigenvalue of the Poisson matrix plus 10^-6", false,
       [](size_t, size_t rows, Random &, double &a, double &b, double &c) {
         a = c = -1;
         b = 2 * std::cos(pi * double(rows / 2) / double(rows + 1)) - 1e-6;
       }},
  };
  return list;
}

template <class T> System<T> makeSystem(const Matrix &matrix, size_t rows) {
  uint64_t seed = rows;
  for (char letter : matrix.name)
    seed = seed * 131 + static_cast<unsigned char>(letter);
  Random random(seed);
  System<T> system{std::vector<T>(rows), std::vector<T>(rows), std::vector<T>(rows), std::vector<T>(rows)};
  for (size_t i = 0; i < rows; i++) {
    double a, b, c;
    matrix.fill(i, rows, random, a, b, c);
    system.a[i] = i > 0 ? T(a) : T(0);
    system.b[i] = T(b);
    system.c[i] = i + 1 < rows ? T(c) : T(0);
  }
  std::vector<long double> x(rows);
  for (long double &value : x)
    value = random();
  for (size_t i = 0; i < rows; i++)
    system.d[i] =
        T((i > 0 ? system.a[i] * x[i - 1] : 0) + system.b[i] * x[i] + (i + 1 < rows ? system.c[i] * x[i + 1] : 0));
  return system;
}

template <class T> std::vector<long double> solution(const System<T> &system) {
  // Row i of the triangle holds its diagonal element and the two after it.
  struct Row {
    long double diagonal, next, afterNext, right;
  };
  const size_t rows = system.b.size();
  std::vector<Row> triangle;
  Row current{system.b[0], rows > 1 ? system.c[0] : 0, 0, system.d[0]};
  for (size_t i = 1; i < rows; i++) {
    Row below{system.a[i], system.b[i], i + 1 < rows ? system.c[i] : 0, system.d[i]}; // begins at column i - 1
    if (std::fabs(below.diagonal) > std::fabs(current.diagonal))
      std::swap(below, current);
    const long double factor = current.diagonal == 0 ? 0 : below.diagonal / current.diagonal;
    triangle.push_back(current);
    current = {below.next - factor * current.next, below.afterNext - factor * current.afterNext, 0,
               below.right - factor * current.right};
  }
  triangle.push_back(current);
  std::vector<long double> x(rows);
  for (size_t i = rows; i-- > 0;)
    x[i] = (triangle[i].right - (i + 1 < rows ? triangle[i].next * x[i + 1] : 0) -
            (i + 2 < rows ? triangle[i].afterNext * x[i + 2] : 0)) /
           triangle[i].diagonal;
  return x;
}

template <class T> Errors errorsOf(const System<T> &system, const std::vector<long double> &exact, const T *x) {
  const size_t rows = exact.size();
  long double residual = 0, terms = 0, right = 0, difference = 0, size = 0; // sums of squares
  const auto square = [](long double value) { return value * value; };
  for (size_t i = 0; i < rows; i++) {
    const long double before = i > 0 ? static_cast<long double>(system.a[i]) * x[i - 1] : 0;
    const long double own = static_cast<long double>(system.b[i]) * x[i];
    const long double after = i + 1 < rows ? static_cast<long double>(system.c[i]) * x[i + 1] : 0;
    residual += square(before + own + after - system.d[i]);
    terms += square(std::fabs(before) + std::fabs(own) + std::fabs(after));
    right += square(system.d[i]);
    difference += square(x[i] - exact[i]);
    size += square(exact[i]);
  }
  if (!std::isfinite(residual) || !std::isfinite(difference))
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  return {double(std::sqrt(residual) / (std::sqrt(terms) + std::sqrt(right))), double(std::sqrt(difference / size))};
}

template System<float> makeSystem(const Matrix &, size_t);
template System<double> makeSystem(const Matrix &, size_t);
template std::vector<long double> solution(const System<float> &);
template std::vector<long double> solution(const System<double> &);
template Errors errorsOf(const System<float> &, const std::vector<long double> &, const float *);
template Errors errorsOf(const System<double> &, const std::vector<long double> &, const double *);

} // namespace hard
