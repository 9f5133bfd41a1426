#include "dialect/digits/Polynomial.h"

#include <algorithm>

namespace idc::digits {

// Coefficients without a modulus wrap at 64 bits rather than overflow.
static int64_t addWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
static int64_t multiplyWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
static int64_t reduceModulo(int64_t a, int64_t modulus) {
  const int64_t r = a % modulus;
  return r < 0 ? r + modulus : r;
}
static int64_t multiplyModulo(int64_t a, int64_t b, int64_t modulus) {
  __extension__ typedef __int128 Wide;
  const Wide r = static_cast<Wide>(a) * b % modulus;
  return static_cast<int64_t>(r < 0 ? r + modulus : r);
}
static int64_t addModulo(int64_t a, int64_t b, int64_t modulus) { return a >= modulus - b ? a - (modulus - b) : a + b; }

static Polynomial::Monomial join(const Polynomial::Monomial &a, const Polynomial::Monomial &b) {
  Polynomial::Monomial result;
  result.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

Polynomial Polynomial::constant(int64_t value) { return term(value, {}); }

Polynomial Polynomial::digit(int number) { return term(1, {number}); }

Polynomial Polynomial::term(int64_t coefficient, Monomial monomial) {
  Polynomial p;
  std::sort(monomial.begin(), monomial.end());
  if (coefficient != 0)
    p.terms.emplace(std::move(monomial), coefficient);
  return p;
}

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  auto [it, inserted] = terms.emplace(monomial, coefficient);
  if (!inserted)
    it->second = addWrapping(it->second, coefficient);
  if (it->second == 0)
    terms.erase(it);
}

Polynomial Polynomial::operator+(const Polynomial &o) const {
  Polynomial p = *this;
  for (const auto &[monomial, coefficient] : o.terms)
    p.add(monomial, coefficient);
  return p;
}

Polynomial Polynomial::operator-(const Polynomial &o) const { return *this + o * -1; }

Polynomial Polynomial::operator*(const Polynomial &o) const {
  Polynomial p;
  for (const auto &[ma, ca] : terms)
    for (const auto &[mb, cb] : o.terms)
      p.add(join(ma, mb), multiplyWrapping(ca, cb));
  return p;
}

Polynomial Polynomial::operator*(int64_t k) const {
  Polynomial p;
  for (const auto &[monomial, coefficient] : terms)
    p.add(monomial, multiplyWrapping(coefficient, k));
  return p;
}

Polynomial Polynomial::timesModulo(const Polynomial &o, int64_t modulus) const {
  Polynomial p;
  for (const auto &[ma, ca] : terms)
    for (const auto &[mb, cb] : o.terms) {
      int64_t &value = p.terms[join(ma, mb)];
      value = addModulo(value, multiplyModulo(ca, cb, modulus), modulus);
    }
  return p.reduced(modulus);
}

Polynomial Polynomial::reduced(int64_t modulus, const std::vector<int> &radices) const {
  Polynomial p;
  for (const auto &[monomial, coefficient] : terms) {
    Monomial shorter;
    for (int digit : monomial) {
      const bool binary = digit >= 1 && digit <= static_cast<int>(radices.size()) && radices[digit - 1] == 2;
      if (!(binary && !shorter.empty() && shorter.back() == digit))
        shorter.push_back(digit);
    }
    int64_t &value = p.terms[std::move(shorter)];
    value = addModulo(value, reduceModulo(coefficient, modulus), modulus);
  }
  for (auto it = p.terms.begin(); it != p.terms.end();)
    it = it->second == 0 ? p.terms.erase(it) : std::next(it);
  return p;
}

Polynomial Polynomial::substitute(const std::function<Polynomial(int)> &value) const {
  std::map<int, Polynomial> values;
  for (int number : digits())
    values.emplace(number, value(number));
  Polynomial p;
  for (const auto &[monomial, coefficient] : terms) {
    Polynomial product = constant(coefficient);
    for (int number : monomial)
      product = product * values.at(number);
    p = p + product;
  }
  return p;
}

int64_t Polynomial::evaluate(const std::vector<int64_t> &digitValues, int64_t modulus) const {
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t product = reduceModulo(coefficient, modulus);
    for (int digit : monomial)
      product = multiplyModulo(product, digitValues[digit - 1], modulus);
    sum = addModulo(sum, product, modulus);
  }
  return sum;
}

int64_t Polynomial::constantTerm() const {
  auto it = terms.find({});
  return it == terms.end() ? 0 : it->second;
}

std::vector<int> Polynomial::digits() const {
  std::vector<int> result;
  for (const auto &entry : terms)
    result.insert(result.end(), entry.first.begin(), entry.first.end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

bool Polynomial::contains(int digit) const {
  return std::any_of(terms.begin(), terms.end(), [&](const auto &entry) {
    return std::binary_search(entry.first.begin(), entry.first.end(), digit);
  });
}

bool Polynomial::isAffine() const {
  return std::all_of(terms.begin(), terms.end(), [](const auto &entry) { return entry.first.size() <= 1; });
}

std::string Polynomial::str() const {
  if (terms.empty())
    return "0";
  // Highest digits first, the constant last.
  std::map<Monomial, int64_t, std::greater<Monomial>> ordered;
  for (const auto &[monomial, coefficient] : terms)
    ordered.emplace(Monomial(monomial.rbegin(), monomial.rend()), coefficient);
  std::string text;
  for (const auto &[monomial, coefficient] : ordered) {
    const bool negative = coefficient < 0;
    const uint64_t size = negative ? uint64_t(0) - static_cast<uint64_t>(coefficient) : coefficient;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    std::string separator;
    if (size != 1 || monomial.empty()) {
      text += std::to_string(size);
      separator = "*";
    }
    for (int digit : monomial) {
      text += separator + "t" + std::to_string(digit);
      separator = "*";
    }
  }
  return text;
}

} // namespace idc::digits
