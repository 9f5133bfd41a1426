#include "dialect/digits/Gf2.h"

#include <cstddef>

namespace idc::digits::gf2 {

namespace {
/// Gaussian elimination fed one vector at a time. Every kept vector remembers which of the inputs it is the sum of.
struct Elimination {
  struct Row {
    Vector vector, inputs;
  };
  std::vector<Row> rows; // distinct leading bits

  Row reduce(Row row) const {
    for (const Row &r : rows)
      if (row.vector >> leading(r.vector) & 1)
        row = {row.vector ^ r.vector, row.inputs ^ r.inputs};
    return row;
  }
  /// False when the vector depends on earlier ones; `row` then tells how.
  bool insert(Vector vector, Vector inputs, Row &row) {
    row = reduce({vector, inputs});
    if (!row.vector)
      return false;
    // Descending leading bits keep reduce() a single sweep.
    auto it = rows.begin();
    while (it != rows.end() && it->vector > row.vector)
      ++it;
    rows.insert(it, row);
    return true;
  }
  bool insert(Vector vector) {
    Row row;
    return insert(vector, 0, row);
  }
  static int leading(Vector v) { return 63 - __builtin_clzll(v); }
};
} // namespace

Matrix identity(int n) {
  Matrix result;
  for (int i = 0; i < n; ++i)
    result.push_back(Vector(1) << i);
  return result;
}

Vector apply(const Matrix &matrix, Vector x) {
  Vector result = 0;
  for (size_t i = 0; i < matrix.size(); ++i)
    if (x >> i & 1)
      result ^= matrix[i];
  return result;
}

Matrix multiply(const Matrix &a, const Matrix &b) {
  Matrix result;
  for (Vector column : b)
    result.push_back(apply(a, column));
  return result;
}

Matrix transpose(const Matrix &matrix, int rows) {
  Matrix result(rows, 0);
  for (size_t j = 0; j < matrix.size(); ++j)
    for (int i = 0; i < rows; ++i)
      result[i] |= (matrix[j] >> i & 1) << j;
  return result;
}

int rank(const Matrix &matrix) { return static_cast<int>(basis(matrix).size()); }

bool isIndependent(const Matrix &matrix) { return basis(matrix).size() == matrix.size(); }

bool invert(const Matrix &matrix, Matrix &inverse) {
  inverse.clear();
  for (size_t i = 0; i < matrix.size(); ++i) {
    Vector x;
    if (!solve(matrix, Vector(1) << i, x))
      return false;
    inverse.push_back(x);
  }
  return true;
}

bool solve(const Matrix &matrix, Vector b, Vector &x) {
  Elimination elimination;
  Elimination::Row row;
  for (size_t i = 0; i < matrix.size(); ++i)
    elimination.insert(matrix[i], Vector(1) << i, row);
  row = elimination.reduce({b, 0});
  x = row.inputs;
  return row.vector == 0;
}

Matrix kernel(const Matrix &matrix) {
  Elimination elimination;
  Matrix result;
  for (size_t i = 0; i < matrix.size(); ++i) {
    Elimination::Row row;
    if (!elimination.insert(matrix[i], Vector(1) << i, row))
      result.push_back(row.inputs);
  }
  return result;
}

Matrix basis(const Matrix &vectors) { return complement({}, vectors); }

bool contains(const Matrix &space, Vector v) {
  Vector x;
  return solve(space, v, x);
}

Matrix intersection(const Matrix &a, const Matrix &b) {
  const Matrix left = basis(a), right = basis(b);
  Matrix both = left;
  both.insert(both.end(), right.begin(), right.end());
  Matrix result;
  const Vector leftMask = left.size() < 64 ? (Vector(1) << left.size()) - 1 : ~Vector(0);
  for (Vector x : kernel(both))
    result.push_back(apply(left, x & leftMask));
  return result;
}

Matrix complement(const Matrix &space, const Matrix &candidates) {
  Elimination elimination;
  for (Vector v : space)
    elimination.insert(v);
  Matrix result;
  for (Vector v : candidates)
    if (elimination.insert(v))
      result.push_back(v);
  return result;
}

Matrix commonComplement(const Matrix &s, const Matrix &d, const Matrix &candidates) {
  const Matrix both = intersection(s, d);
  const Matrix a = complement(both, s), b = complement(both, d);
  Matrix sum = s;
  sum.insert(sum.end(), d.begin(), d.end());
  Matrix result = complement(sum, candidates);
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    result.push_back(a[i] ^ b[i]);
  return result;
}

} // namespace idc::digits::gf2
