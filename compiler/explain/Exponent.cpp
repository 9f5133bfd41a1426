#include "compiler/explain/Exponent.h"

#include <map>

using namespace idc;
using Monomial = digits::Polynomial::Monomial;

static std::string spellDigit(int digit) { return "i_" + std::to_string(digit); }

/// "-2*i_4*": a coefficient, from -root/2 to root/2, and digits in front of other factors.
static std::string spellFactors(int64_t coefficient, int64_t root, const Monomial &digits, const std::string &last) {
  const bool isNegative = coefficient > root / 2;
  const int64_t size = isNegative ? root - coefficient : coefficient;
  std::string text;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    text += (text.empty() ? "" : "*") + spellDigit(*digit);
  text += (text.empty() || last.empty() ? "" : "*") + last;
  if (size != 1 || text.empty())
    text = std::to_string(size) + (text.empty() ? "" : "*") + text;
  return (isNegative ? "-" : "") + text;
}

std::string explain::spellExponent(const digits::Polynomial &exponent, int64_t root, const std::vector<int> &radices) {
  // What is multiplied with the same digits is a sum over their lowest factors.
  std::map<Monomial, std::map<int, int64_t>, std::greater<>> sums;
  int64_t constant = 0;
  const std::map<Monomial, int64_t> monomials = exponent.monomials();
  for (const auto &[monomial, coefficient] : monomials) {
    const int64_t reduced = (coefficient % root + root) % root;
    if (monomial.empty())
      constant = reduced;
    else
      sums[{monomial.begin() + 1, monomial.end()}][monomial.front()] = reduced;
  }
  std::string text;
  auto add = [&](const std::string &term) {
    text += text.empty() ? term : term[0] == '-' ? " - " + term.substr(1) : " + " + term;
  };
  for (const auto &[digits, sum] : sums)
    for (auto low = sum.begin(); low != sum.end();) {
      // Neighbours that count the values of the digits below are digits(high, low).
      auto next = std::next(low);
      int64_t coefficient = low->second;
      int high = low->first;
      for (; next != sum.end() && next->first == high + 1; ++next, ++high) {
        coefficient =
            static_cast<int64_t>(static_cast<__int128>(coefficient) * radices[static_cast<size_t>(high) - 1] % root);
        if (coefficient != next->second)
          break;
      }
      const std::string last = high == low->first
                                   ? spellDigit(high)
                                   : "digits(" + std::to_string(high) + ", " + std::to_string(low->first) + ")";
      add(spellFactors(low->second, root, digits, last));
      low = next;
    }
  if (constant != 0 || text.empty())
    add(spellFactors(constant, root, {}, ""));
  return text;
}
