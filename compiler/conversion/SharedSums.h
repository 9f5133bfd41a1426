// A linear map as sums of two terms, parts that several results have in common made once.
#pragma once

#include <vector>

namespace idc::conversion {

/// Values are numbered: the inputs, then the sums in order.
struct SharedSums {
  struct Sum { // value of `left` + factor · value of `right`
    int left, right;
    double factor;
  };
  struct Result { // factor · value
    int value;    // -1: zero
    double factor;
  };
  std::vector<Sum> sums;
  std::vector<Result> results;

  /// Additions or multiply-adds, and products of results by other factors than ±1.
  int operations() const;
};

/// Sums for a matrix with a row of coefficients per result. While two values stand in the same ratio in two rows or
/// more, their sum becomes a value, the one in most rows first:
///
///   a + b + c,  a - b/2 + s·c,  a - b/2 - s·c   ->   t = a - b/2;  a + b, (a + b) + c;  t + s·c;  t - s·c
SharedSums shareSums(const std::vector<std::vector<double>> &rows);

} // namespace idc::conversion
