// Splits a chain's steps into kernels of least cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace idc::passes {

/// What a kernel may cost to be of use: less than what is left of a split known already after the kernels before it.
struct CostLimit {
  double before = 0, known = std::numeric_limits<double>::infinity();
  /// True when a kernel of that cost is of no use.
  bool isReachedBy(double cost) const { return before + cost >= known; }
};

/// The `count` cheapest ways to split steps 1 … `steps` into kernels, cheapest first; fewer when there are not so many,
/// none when a step fits no kernel. `kernels(first, last, limit)` gives the forms that a kernel of steps first … last
/// can have, each with its cost; none when they are too many, and then also for more steps, unless these are all from
/// the first on. A form that is of no use by its `limit` may come with any bound of its cost that says so.
/// The cost of a split is the sum. A program without steps takes one kernel, of steps 1 … 0. `Kernel` has its `first`
/// step.
///
/// Where one split is asked for, the last kernel of the one before is tried with one more step ahead of all others: in
/// a long program the best kernels differ by little from one step to the next, and what costs more need not be counted.
template <class Kernel, class Kernels>
std::vector<std::pair<std::vector<Kernel>, double>> cheapestSplits(int steps, size_t count, Kernels kernels) {
  using Split = std::pair<std::vector<Kernel>, double>;
  if (steps == 0) {
    std::vector<Split> splits;
    for (const auto &[kernel, cost] : kernels(1, 0, CostLimit()))
      splits.push_back({{kernel}, cost});
    std::stable_sort(splits.begin(), splits.end(), [](const Split &a, const Split &b) { return a.second < b.second; });
    splits.resize(std::min(count, splits.size()));
    return splits;
  }
  std::vector<std::vector<Split>> best(static_cast<size_t>(steps) + 1); // of steps 1 … last
  best[0] = {{{}, 0}};
  using Forms = std::vector<std::pair<Kernel, double>>;
  for (int last = 1; last <= steps; ++last) {
    std::vector<Split> &splits = best[static_cast<size_t>(last)];
    int longer = 0; // the first step of the kernel that takes one more
    Forms longerForms;
    double known = std::numeric_limits<double>::infinity();
    auto formsOf = [&](int first) {
      const std::vector<Split> &starts = best[static_cast<size_t>(first) - 1];
      if (starts.empty())
        return kernels(first, last, CostLimit());
      if (splits.size() == count)
        known = std::min(known, splits.back().second);
      return kernels(first, last, CostLimit{starts.front().second, known});
    };
    for (int first = last; first >= 1; --first) {
      const std::vector<Split> &starts = best[static_cast<size_t>(first) - 1];
      const Forms forms = first == longer ? std::move(longerForms) : formsOf(first);
      if (forms.empty()) {
        first = std::min(first, 2); // all steps next
        continue;
      }
      for (const auto &[kernel, cost] : forms)
        for (const Split &before : starts) {
          if (splits.size() == count && before.second + cost >= splits.back().second)
            break; // those that follow cost more
          Split split = before;
          split.first.push_back(kernel);
          split.second += cost;
          // Behind its equals: the split found first stays first.
          auto place = std::upper_bound(splits.begin(), splits.end(), split.second,
                                        [](double value, const Split &other) { return value < other.second; });
          splits.insert(place, std::move(split));
          if (splits.size() > count)
            splits.pop_back();
        }
      if (first == last && count == 1 && !starts.empty() && !starts.front().first.empty()) {
        longer = starts.front().first.back().first;
        longerForms = formsOf(longer);
        // A little more, as its equals may be found first.
        constexpr double above = 1 + 1e-12;
        for (const auto &[kernel, cost] : longerForms)
          known = std::min(known, above * (best[static_cast<size_t>(longer) - 1].front().second + cost));
      }
    }
  }
  return best.back();
}

} // namespace idc::passes
