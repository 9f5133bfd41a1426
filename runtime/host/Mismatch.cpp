//===- Mismatch.cpp - where an output misses its reference ----------------===//

#include "host/Mismatch.h"
#include "host/ArrayNumbers.h"
#include "host/ElementText.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace idc::host {

namespace {

std::string join(const std::vector<std::string> &words, const char *between, const char *last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? last : between) + words[i];
  return text;
}

/// Whether a number is further from its reference than `limit`; as relativeError() takes what is no finite number.
bool differs(long double actual, long double expected, long double limit) {
  if (std::isnan(expected) && std::isnan(actual))
    return false;
  if (std::isinf(expected))
    return actual != expected;
  return !(std::fabs(actual - expected) <= limit);
}

class Search {
public:
  Search(const npy::Array &actual, const npy::Array &expected, const Elements &elements, double tolerance);
  std::string describe() const;

private:
  void visit(int64_t element);
  struct Group;
  std::pair<std::string, bool> common(const Group &group) const;
  std::string clustersText() const;
  std::string partsText() const;

  const npy::Array &actual, &expected;
  const Elements &elements;
  const int64_t components;
  std::vector<npy::Field> ours, theirs;
  std::map<std::string, long double> limits; // by field
  int64_t first = 0;                         // that is wrong
  /// What some elements have in common.
  struct Group {
    int64_t count = 0;
    std::set<int64_t> problems;
    std::vector<std::set<int>> values; // of each digit
  };
  Group right, wrong;
  std::set<std::string> allParts, wrongParts;
};

Search::Search(const npy::Array &actual, const npy::Array &expected, const Elements &elements, double tolerance)
    : actual(actual), expected(expected), elements(elements),
      components(actual.elements() / (elements.problems * elements.elementsPerProblem)), ours(numbersOf(actual)),
      theirs(numbersOf(expected)) {
  right.values.resize(elements.radices.size());
  wrong.values.resize(elements.radices.size());
  std::map<std::string, int64_t> counts; // of real numbers
  for (size_t k = 0; k < ours.size(); ++k)
    for (int64_t i = 0; i < expected.elements(); ++i)
      for (int side = 0; side < (isComplex(theirs[k].type) ? 2 : 1); ++side) {
        const long double value = part(expected, theirs[k], i, side);
        limits[ours[k].name] += std::isfinite(value) ? value * value : 0;
        ++counts[ours[k].name];
      }
  for (auto &[name, limit] : limits) // a reference of zeros has no norm: relativeError() takes 1 then
    limit = tolerance * std::sqrt((limit > 0 ? limit : 1) / static_cast<long double>(counts[name]));
  for (int64_t element = 0; element < elements.problems * elements.elementsPerProblem; ++element)
    visit(element);
}

void Search::visit(int64_t element) {
  bool isWrong = false;
  for (int64_t entry = element * components; entry < (element + 1) * components; ++entry)
    for (size_t k = 0; k < ours.size(); ++k)
      for (int side = 0; side < (isComplex(ours[k].type) ? 2 : 1); ++side) {
        std::string name = isComplex(ours[k].type) ? side ? "imaginary part" : "real part" : "";
        if (!ours[k].name.empty())
          name += (name.empty() ? "field '" : " of field '") + ours[k].name + "'";
        allParts.insert(name);
        if (!differs(part(actual, ours[k], entry, side), part(expected, theirs[k], entry, side),
                     limits.at(ours[k].name)))
          continue;
        isWrong = true;
        wrongParts.insert(name);
      }
  if (isWrong && wrong.count == 0)
    first = element;
  Group &group = isWrong ? wrong : right;
  ++group.count;
  group.problems.insert(element / elements.elementsPerProblem);
  const std::vector<int> digits = digitsOf(element % elements.elementsPerProblem, elements.radices);
  for (size_t i = 0; i < digits.size(); ++i)
    group.values[i].insert(digits[i]);
}

/// "digit 3 = 1 and digit 1 not 0": what the digits of all elements of a group are, and whether all such elements, of
/// the problems that have one, are in the group; empty when they may be anything.
std::pair<std::string, bool> Search::common(const Group &group) const {
  std::vector<std::string> conditions;
  int64_t alike = int64_t(group.problems.size());
  for (size_t i = group.values.size(); i-- > 0;) {
    const std::set<int> &values = group.values[i];
    alike *= int64_t(values.size());
    if (int(values.size()) == elements.radices[i])
      continue;
    std::vector<std::string> had, missing;
    for (int value = 0; value < elements.radices[i]; ++value)
      (values.count(value) ? had : missing).push_back(std::to_string(value));
    const bool isOneOf = had.size() <= missing.size();
    conditions.push_back("digit " + std::to_string(i + 1) + (isOneOf ? " = " : " not ") +
                         join(isOneOf ? had : missing, ", ", isOneOf ? " or " : " nor "));
  }
  return {join(conditions, ", ", " and "), alike == group.count};
}

/// What tells wrong elements from right ones, as far as digits do: "those with digit 3 = 1", "all have digit 3 = 1",
/// "the right ones are those with digit 3 = 1".
std::string Search::clustersText() const {
  if (wrong.count == 1)
    return {};
  if (const auto [text, isWhole] = common(wrong); !text.empty())
    return (isWhole ? "those with " : "all have ") + text;
  const auto [text, isWhole] = common(right);
  return right.count > 1 && isWhole && !text.empty() ? "the right ones are those with " + text : "";
}

/// What of the elements is wrong when it is not all.
std::string Search::partsText() const {
  return wrongParts.size() == allParts.size()
             ? ""
             : "only the " + join({wrongParts.begin(), wrongParts.end()}, ", the ", " and the ");
}

std::string Search::describe() const {
  if (wrong.count == 0)
    return {};
  const bool isBatch = elements.problems > 1;
  std::string text = "  wrong: " + std::to_string(wrong.count) + " of " +
                     std::to_string(elements.problems * elements.elementsPerProblem) + " elements";
  if (isBatch)
    text += ", in " + std::to_string(wrong.problems.size()) + " of " + std::to_string(elements.problems) + " problems";
  for (const std::string &more : {clustersText(), partsText()})
    text += more.empty() ? "" : "; " + more;
  const int64_t index = first % elements.elementsPerProblem;
  const int64_t problem = elements.firstProblem + first / elements.elementsPerProblem;
  text += "\n  first: element " + std::to_string(index);
  if (isBatch || elements.firstProblem)
    text += " of problem " + std::to_string(problem);
  if (const size_t digits = elements.radices.size(); digits > 0)
    text += ", " + digitNames(int(digits), 1) + " = " + digitsText(digitsOf(index, elements.radices));
  std::string got, wanted;
  for (int digits = shownDigits; got == wanted && digits < 20; digits += 3) {
    got = elementText(actual, first, components, digits);
    wanted = elementText(expected, first, components, digits);
  }
  return text + ": got " + got + ", expected " + wanted + "\n";
}

} // namespace

std::string describeMismatch(const npy::Array &actual, const npy::Array &expected, const Elements &elements,
                             double tolerance) {
  return Search(actual, expected, elements, tolerance).describe();
}

} // namespace idc::host
