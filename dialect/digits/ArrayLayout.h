// How the elements of an array lie in memory: at constant distances along each dimension and from problem to problem.
#pragma once

#include <cstdint>
#include <vector>

namespace idc::digits {

/// All distances are in elements. Element i of problem b, with the digits i_d of i in the dimensions' sizes, lies at
/// offset + sum of i_d * stride_d + b * batchStride.
struct ArrayLayout {
  struct Dimension {
    int64_t size, stride;
    bool operator==(const Dimension &o) const { return size == o.size && stride == o.stride; }
  };
  std::vector<Dimension> dimensions; // least significant first
  int64_t offset = 0;
  int64_t batchStride = 0;
  bool planar = false; // every number of an element has an array of its own, all laid out alike

  bool operator==(const ArrayLayout &o) const {
    return dimensions == o.dimensions && offset == o.offset && batchStride == o.batchStride && planar == o.planar;
  }

  /// Elements and problems one after another.
  static ArrayLayout dense(int64_t elements);
  bool isDense() const { return *this == dense(elements()); }

  int64_t elements() const; // of a problem
  /// Where an element lies; `element` beyond those of the first problem counts on in the next.
  int64_t at(int64_t element) const;
  /// Elements from the first to the last of a problem, both included, whatever lies between.
  int64_t reach() const;
  /// True when no two elements of a problem lie in one place. Sufficient: each dimension, by ascending stride, begins
  /// beyond those below it.
  bool isNested() const;
  /// The most problems that do not overlap: where problems lie between each other's elements these are limited. 0: even
  /// two overlap; -1: there is no limit. For nested layouts.
  int64_t mostProblems() const;
  /// The largest power of two, at most `most`, such that so many elements from a multiple of it on are neighbours and
  /// begin at a multiple of it.
  int64_t runLength(int64_t most) const;
  /// Bytes that pointers to such arrays are multiples of, for numbers or elements of `bytes` bytes: 16, or what one
  /// element needs where no two are neighbours.
  int64_t pointerAlignment(int64_t bytes) const;
};

} // namespace idc::digits
