// Linear algebra over GF(2) on vectors of at most 64 bits.
//
// A vector is a bit mask; a matrix is its list of columns, so that a matrix applied to a vector is the XOR of the
// columns that the vector's bits select. A list of vectors also stands for the space it spans.
#pragma once

#include <cstdint>
#include <vector>

namespace idc::digits::gf2 {

using Vector = uint64_t;
using Matrix = std::vector<Vector>; // columns

Matrix identity(int n);
/// matrix * x: the XOR of the columns selected by the bits of x.
Vector apply(const Matrix &matrix, Vector x);
/// a * b: column j is a applied to column j of b.
Matrix multiply(const Matrix &a, const Matrix &b);
Matrix transpose(const Matrix &matrix, int rows);
int rank(const Matrix &matrix);
bool isIndependent(const Matrix &matrix);
/// The inverse of a square matrix (as many rows as columns); false when it is singular.
bool invert(const Matrix &matrix, Matrix &inverse);
/// Some x with matrix * x = b, the bits of dependent columns zero; false when there is none.
bool solve(const Matrix &matrix, Vector b, Vector &x);
/// A basis of the vectors x with matrix * x = 0.
Matrix kernel(const Matrix &matrix);

/// The vectors of the list that do not depend on earlier ones.
Matrix basis(const Matrix &vectors);
bool contains(const Matrix &space, Vector v);
/// A basis of the intersection of two spaces.
Matrix intersection(const Matrix &a, const Matrix &b);
/// Vectors of `candidates`, in order, that extend `space` to the span of both: a complement of `space` in it.
Matrix complement(const Matrix &space, const Matrix &candidates);
/// A common complement of two spaces of equal dimension in the span of both and `candidates`: C ∪ {a_i ⊕ b_i} with C a
/// complement of S+D and a_i, b_i bases of S and D modulo their intersection.
Matrix commonComplement(const Matrix &s, const Matrix &d, const Matrix &candidates);

} // namespace idc::digits::gf2
