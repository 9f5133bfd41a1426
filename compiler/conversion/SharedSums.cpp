#include "compiler/conversion/SharedSums.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

using namespace idc::conversion;

namespace {

/// The terms of a row that are left: value -> coefficient.
using Row = std::map<int, double>;

/// Ratios that differ by rounding only are one.
bool isSame(double ratio, double other) { return std::fabs(ratio - other) <= 0x1p-40 * std::fabs(other); }

bool isUnit(double factor) { return std::fabs(factor) == 1; }

/// Which of a sum's coefficients to divide by: a unit, else the largest.
std::pair<bool, double> rank(double coefficient) { return {isUnit(coefficient), std::fabs(coefficient)}; }

class Sharing {
public:
  explicit Sharing(const std::vector<std::vector<double>> &matrix) {
    values = matrix.empty() ? 0 : static_cast<int>(matrix[0].size());
    for (const std::vector<double> &coefficients : matrix) {
      Row &row = rows.emplace_back();
      for (int i = 0; i < values; ++i)
        if (coefficients[i] != 0)
          row[i] = coefficients[i];
    }
  }

  SharedSums run() {
    while (extractCommon())
      ;
    for (Row &row : rows)
      finish(row);
    return std::move(program);
  }

private:
  std::vector<Row> rows;
  int values;
  SharedSums program;

  int addSum(int left, int right, double factor) {
    program.sums.push_back({left, right, factor});
    return values++;
  }

  /// Makes the sum of two terms that most rows have in common; false when none is in two.
  bool extractCommon() {
    struct Pair {
      int rows = 0;
      double ratio = 0; // of right to left
    };
    std::map<std::tuple<int, int, float>, Pair> pairs; // single precision brings together what may be one ratio
    for (const Row &row : rows)
      for (auto left = row.begin(); left != row.end(); ++left)
        for (auto right = std::next(left); right != row.end(); ++right) {
          double ratio = right->second / left->second;
          Pair &pair = pairs[{left->first, right->first, static_cast<float>(ratio)}];
          if (pair.rows == 0)
            pair.ratio = ratio;
          pair.rows += isSame(ratio, pair.ratio);
        }
    auto value = [](const Pair &pair) { return std::pair(pair.rows, isUnit(pair.ratio)); };
    auto best = std::max_element(pairs.begin(), pairs.end(),
                                 [&](const auto &a, const auto &b) { return value(a.second) < value(b.second); });
    if (best == pairs.end() || best->second.rows < 2)
      return false;
    const int first = std::get<0>(best->first), second = std::get<1>(best->first);
    const double ratio = best->second.ratio;
    auto isCommon = [&](const Row &row) {
      auto left = row.find(first), right = row.find(second);
      return left != row.end() && right != row.end() && isSame(right->second / left->second, ratio);
    };
    // The larger coefficient is the sum's own, or one that is a unit, so that a row may be the sum itself.
    const Row &example = *std::find_if(rows.begin(), rows.end(), isCommon);
    bool turned = rank(example.at(second)) > rank(example.at(first));
    int sum = turned ? addSum(second, first, 1 / ratio) : addSum(first, second, ratio);
    for (Row &row : rows) {
      if (!isCommon(row))
        continue;
      row[sum] = row.at(turned ? second : first);
      row.erase(first);
      row.erase(second);
    }
    return true;
  }

  /// A row's remaining terms, one after the other.
  void finish(const Row &row) {
    if (row.empty()) {
      program.results.push_back({-1, 0});
      return;
    }
    auto start = std::max_element(row.begin(), row.end(),
                                  [](const auto &a, const auto &b) { return rank(a.second) < rank(b.second); });
    int value = start->first;
    const double factor = start->second;
    for (auto term = row.begin(); term != row.end(); ++term)
      if (term != start)
        value = addSum(value, term->first, term->second / factor);
    program.results.push_back({value, factor});
  }
};

} // namespace

int SharedSums::operations() const {
  auto isScaled = [](const Result &result) { return result.value >= 0 && !isUnit(result.factor); };
  return static_cast<int>(sums.size() + std::count_if(results.begin(), results.end(), isScaled));
}

SharedSums idc::conversion::shareSums(const std::vector<std::vector<double>> &rows) { return Sharing(rows).run(); }
