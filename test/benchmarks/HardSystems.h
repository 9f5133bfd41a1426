// Tridiagonal systems that are hard to solve, and how well they were solved. No part of it needs a GPU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace hard {

/// a·x(before) + b·x + c·x(after) = d, rounded to T.
template <class T> struct System { std::vector<T> a, b, c, d; };

/// Numbers in [-1, 1), the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  double operator()() { return double(engine() >> 11) * 0x1p-52 - 1; }

private:
  std::mt19937_64 engine;
};

/// A family of matrices.
struct Matrix {
  std::string name, description;
  bool dominant; // |b| ≥ |a| + |c| in every row, rounded too
  /// Writes the coefficients of row `row` of `rows`.
  void (*fill)(size_t row, size_t rows, Random &random, double &a, double &b, double &c);
};
const std::vector<Matrix> &matrices();

/// The system of a family: coefficients rounded to T, d = A·x rounded to T for an x of random numbers in [-1, 1]. The
/// same on every machine. a[0] and c[rows - 1] are 0.
template <class T> System<T> makeSystem(const Matrix &matrix, size_t rows);

/// The solution of the rounded system in long double, by elimination with partial pivoting.
template <class T> std::vector<long double> solution(const System<T> &system);

struct Errors {
  double residual; // ‖Ax - d‖ / (‖|A| |x|‖ + ‖d‖)
  double forward;  // ‖x - exact‖ / ‖exact‖
};
/// In long double; infinite where x is not finite.
template <class T> Errors errorsOf(const System<T> &system, const std::vector<long double> &exact, const T *x);

} // namespace hard
