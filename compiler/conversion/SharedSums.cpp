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

  /// Two terms of a row, up to a multiple.
  struct Pair {
    int first = 0, second = 0;
    double ratio = 0; // of the second coefficient to the first
    int rows = 0;

    bool isIn(const Row &row) const {
      auto left = row.find(first), right = row.find(second);
      return left != row.end() && right != row.end() && isSame(right->second / left->second, ratio);
    }
  };

  /// Makes the sums of two terms that most rows have in common; false when no two terms are in two.
  bool extractCommon() {
    std::map<std::tuple<int, int, float>, Pair> pairs; // single precision brings together what may be one ratio
    for (const Row &row : rows)
      for (auto left = row.begin(); left != row.end(); ++left)
        for (auto right = std::next(left); right != row.end(); ++right) {
          double ratio = right->second / left->second;
          Pair &pair = pairs[{left->first, right->first, static_cast<float>(ratio)}];
          if (pair.rows == 0)
            pair = {left->first, right->first, ratio, 0};
          pair.rows += isSame(ratio, pair.ratio);
        }
    int most = 0;
    for (const auto &[key, pair] : pairs)
      most = std::max(most, pair.rows);
    if (most < 2)
      return false;
    for (bool units : {true, false})
      for (const auto &[key, pair] : pairs)
        if (pair.rows == most && isUnit(pair.ratio) == units)
          extract(pair);
    return true;
  }

  /// Makes a sum for the rows that have the pair, unless some of them have lost it.
  void extract(const Pair &pair) {
    std::vector<Row *> users;
    for (Row &row : rows)
      if (pair.isIn(row))
        users.push_back(&row);
    if (static_cast<int>(users.size()) < pair.rows)
      return;
    // The larger coefficient is the sum's own, or one that is a unit, so that a row may be the sum itself.
    bool turned = rank(users[0]->at(pair.second)) > rank(users[0]->at(pair.first));
    int sum = turned ? addSum(pair.second, pair.first, 1 / pair.ratio) : addSum(pair.first, pair.second, pair.ratio);
    for (Row *row : users) {
      (*row)[sum] = row->at(turned ? pair.second : pair.first);
      row->erase(pair.first);
      row->erase(pair.second);
    }
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
