#include "compiler/conversion/TwiddleTables.h"

#include "compiler/conversion/PrimeField.h"
#include "compiler/conversion/RootOfUnity.h"

#include "dialect/digits/NumberTheory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Polynomial;

int64_t TwiddleFactor::weight(size_t i) const {
  int64_t weight = 1;
  for (size_t k = 0; k < i; ++k)
    weight *= radices.empty() ? 2 : radices[k];
  return weight;
}

/// The factor for the monomials of `part`, its digits packed in the order of `digits`.
static TwiddleFactor makeFactor(int64_t root, const Polynomial &part, const std::vector<int> &digits) {
  int64_t common = root;
  for (const auto &[monomial, coefficient] : part.monomials())
    common = std::gcd(common, coefficient);
  TwiddleFactor factor{root / common, digits, {}, {}};
  for (const auto &[monomial, coefficient] : part.monomials()) {
    Polynomial::Monomial packed;
    for (int digit : monomial)
      packed.push_back(static_cast<int>(std::find(digits.begin(), digits.end(), digit) - digits.begin()) + 1);
    std::sort(packed.begin(), packed.end());
    factor.exponent = factor.exponent + Polynomial::term(coefficient / common, packed);
  }
  return factor;
}

/// A sum whose digits do not fit a table, in pieces that do where that is possible: digits are taken in runs of half a
/// table's, and monomials that touch the same runs stay together. A form in two times k runs of digits is k * k pieces.
static std::vector<Polynomial> piecesOf(const Polynomial &sum, std::vector<int> digits, int maxBits) {
  std::sort(digits.begin(), digits.end());
  auto runOf = [&](int digit) {
    return (std::find(digits.begin(), digits.end(), digit) - digits.begin()) / std::max(1, maxBits / 2);
  };
  std::map<std::set<long>, Polynomial> pieces;
  for (const auto &[monomial, coefficient] : sum.monomials()) {
    std::set<long> runs;
    for (int digit : monomial)
      runs.insert(runOf(digit));
    Polynomial &piece = pieces[runs];
    piece = piece + Polynomial::term(coefficient, monomial);
  }
  std::vector<Polynomial> result;
  for (auto &[runs, piece] : pieces) {
    if (static_cast<int>(piece.digits().size()) <= maxBits) {
      result.push_back(std::move(piece));
      continue;
    }
    for (const auto &[monomial, coefficient] : piece.monomials())
      result.push_back(Polynomial::term(coefficient, monomial));
  }
  return result;
}

/// splitTwiddle for other radices: terms that share digits stay together while a table holds them.
static std::vector<TwiddleFactor> splitMixed(int64_t root, const Polynomial &exponent, int maxBits,
                                             const std::vector<int> &radices) {
  std::vector<std::pair<int64_t, Polynomial>> terms; // by ascending coefficient: neighbouring weights share a table
  for (const auto &[monomial, coefficient] : exponent.monomials())
    terms.emplace_back(std::min(coefficient, root - coefficient), Polynomial::term(coefficient, monomial));
  std::stable_sort(terms.begin(), terms.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<TwiddleFactor> factors;
  Polynomial part;
  std::vector<int> digits; // in the order in which the terms name them
  auto finish = [&] {
    TwiddleFactor factor = makeFactor(root, part, digits);
    for (int digit : digits)
      factor.radices.push_back(radices[digit - 1]);
    factors.push_back(std::move(factor));
    part = {};
    digits.clear();
  };
  for (const auto &[weight, term] : terms) {
    std::vector<int> joined = digits;
    for (int digit : term.digits())
      if (std::find(joined.begin(), joined.end(), digit) == joined.end())
        joined.push_back(digit);
    int64_t entries = 1;
    for (int digit : joined)
      entries = std::min(entries * radices[digit - 1], int64_t(2) << maxBits);
    if (entries > int64_t(1) << maxBits) {
      if (digits.empty())
        return {};
      finish();
      joined = term.digits();
    }
    digits = joined;
    part = part + term;
  }
  finish();
  return factors;
}

std::vector<TwiddleFactor> conversion::splitTwiddle(int64_t root, const Polynomial &exponent, int maxBits,
                                                    const std::vector<int> &radices) {
  std::vector<TwiddleFactor> factors;
  if (int64_t constant = exponent.constantTerm()) {
    factors = splitTwiddle(root, exponent - Polynomial::constant(constant), maxBits, radices);
    if (factors.empty())
      return {};
    TwiddleFactor &first = factors.front();
    int64_t scale = root / first.root, common = std::gcd(scale, constant);
    first.root = root / common;
    first.exponent = first.exponent * (scale / common) + Polynomial::constant(constant / common);
    return factors;
  }
  if (std::any_of(radices.begin(), radices.end(), [](int radix) { return radix != 2; }))
    return splitMixed(root, exponent, maxBits, radices);
  if (exponent.isAffine()) {
    std::vector<std::pair<int64_t, int>> terms; // (coefficient, digit): neighbouring weights share a table
    for (const auto &[monomial, coefficient] : exponent.monomials())
      terms.emplace_back(coefficient, monomial[0]);
    // Ascending powers of omega or of its inverse both give consecutive table entries to consecutive indices.
    std::sort(terms.begin(), terms.end(), [&](const auto &a, const auto &b) {
      return std::min(a.first, root - a.first) < std::min(b.first, root - b.first);
    });
    size_t chunks = (terms.size() + maxBits - 1) / maxBits;
    for (size_t c = 0, i = 0; c < chunks; ++c) {
      size_t end = terms.size() * (c + 1) / chunks;
      Polynomial part;
      std::vector<int> digits;
      for (; i < end; ++i) {
        part = part + Polynomial::term(terms[i].first, {terms[i].second});
        digits.push_back(terms[i].second);
      }
      factors.push_back(makeFactor(root, part, digits));
    }
    return factors;
  }
  // Digits that meet in a monomial must share a table.
  std::vector<std::pair<std::vector<int>, Polynomial>> groups;
  for (const auto &[monomial, coefficient] : exponent.monomials()) {
    std::vector<int> digits = Polynomial::term(1, monomial).digits();
    Polynomial part = Polynomial::term(coefficient, monomial);
    for (size_t g = 0; g < groups.size();) {
      bool meets = std::any_of(digits.begin(), digits.end(), [&](int d) {
        return std::find(groups[g].first.begin(), groups[g].first.end(), d) != groups[g].first.end();
      });
      if (!meets) {
        ++g;
        continue;
      }
      part = part + groups[g].second;
      groups.erase(groups.begin() + static_cast<long>(g));
      digits = part.digits();
    }
    groups.emplace_back(digits, part);
  }
  for (const auto &[digits, part] : groups) {
    if (static_cast<int>(digits.size()) > maxBits) {
      for (const Polynomial &piece : piecesOf(part, digits, maxBits)) {
        if (static_cast<int>(piece.digits().size()) > maxBits)
          return {};
        factors.push_back(makeFactor(root, piece, piece.digits()));
      }
      continue;
    }
    factors.push_back(makeFactor(root, part, digits));
  }
  return factors;
}

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The exponent at every index of the table.
static std::vector<int64_t> exponentsOf(const TwiddleFactor &factor) {
  std::vector<int64_t> exponents(static_cast<size_t>(factor.count())), values(factor.digits.size());
  for (size_t index = 0; index < exponents.size(); ++index) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<int64_t>(index) / factor.weight(i) % (factor.weight(i + 1) / factor.weight(i));
    exponents[index] = factor.exponent.evaluate(values, factor.root);
  }
  return exponents;
}

static std::string spell(const TwiddleFactor &factor) {
  std::string text =
      std::to_string(factor.root) + ":" + factor.exponent.str() + ":" + std::to_string(factor.digits.size());
  for (int radix : factor.radices)
    text += "," + std::to_string(radix);
  return text;
}

std::string TwiddleTables::table(const TwiddleFactor &factor, Type real) {
  std::string key = spell(factor) + ":" + spell(real);
  if (auto known = names.find(key); known != names.end())
    return known->second;
  std::vector<double> values;
  for (int64_t exponent : exponentsOf(factor)) {
    std::complex<double> w = rootOfUnity(factor.root, exponent);
    values.push_back(w.real());
    values.push_back(w.imag());
  }
  return add(key, real, values);
}

uint64_t conversion::residueRoot(int64_t root, int64_t exponent, uint64_t modulus) {
  uint64_t w = digits::powerMod(digits::primitiveRoot(modulus), (modulus - 1) / static_cast<uint64_t>(root), modulus);
  return digits::powerMod(w, static_cast<uint64_t>(exponent), modulus);
}

std::string TwiddleTables::residueTable(const TwiddleFactor &factor, uint64_t modulus) {
  std::string key = "residues:" + spell(factor) + ":" + std::to_string(modulus);
  if (auto known = names.find(key); known != names.end())
    return known->second;
  uint64_t w = residueRoot(factor.root, 1, modulus);
  SmallVector<uint64_t> values;
  for (int64_t exponent : exponentsOf(factor)) {
    values.push_back(digits::powerMod(w, static_cast<uint64_t>(exponent), modulus));
    values.push_back(PrimeField::quotientOf(values.back(), modulus));
  }
  return addResidues(key, values, modulus);
}

std::string TwiddleTables::powers(int64_t root, int64_t step, int64_t count, Type real) {
  std::string key =
      "powers:" + std::to_string(root) + ":" + std::to_string(step) + ":" + std::to_string(count) + ":" + spell(real);
  if (auto known = names.find(key); known != names.end())
    return known->second;
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    std::complex<double> w = rootOfUnity(root, static_cast<int64_t>(static_cast<__int128>(step) * i % root));
    values.push_back(w.real());
    values.push_back(w.imag());
  }
  return add(key, real, values);
}

std::string TwiddleTables::residues(int64_t root, int64_t step, int64_t count, uint64_t modulus) {
  std::string key = "residues:" + std::to_string(root) + ":" + std::to_string(step) + ":" + std::to_string(count) +
                    ":" + std::to_string(modulus);
  if (auto known = names.find(key); known != names.end())
    return known->second;
  __extension__ typedef unsigned __int128 Wide;
  uint64_t factor = residueRoot(root, step, modulus), value = 1;
  SmallVector<uint64_t> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(value);
    value = static_cast<uint64_t>(static_cast<Wide>(value) * factor % modulus);
  }
  return addResidues(key, values, modulus);
}

std::string TwiddleTables::data(DenseElementsAttr bytes) {
  std::string &name = dataNames[bytes.getAsOpaquePointer()];
  if (name.empty()) {
    name = "constant_" + std::to_string(dataNames.size() - 1);
    addGlobal(name, bytes.getElementType(), bytes);
  }
  return name;
}

std::string TwiddleTables::addResidues(const std::string &key, ArrayRef<uint64_t> values, uint64_t modulus) {
  unsigned bits = modulus <= (uint64_t(1) << 32) ? 32 : 64;
  SmallVector<llvm::APInt> integers;
  for (uint64_t value : values)
    integers.emplace_back(bits, value);
  Type scalar = IntegerType::get(module->getContext(), bits);
  auto shape = RankedTensorType::get({static_cast<int64_t>(values.size())}, scalar);
  return addTable(key, scalar, DenseElementsAttr::get(shape, integers));
}

std::string TwiddleTables::add(const std::string &key, Type real, const std::vector<double> &values) {
  SmallVector<llvm::APFloat> rounded;
  for (double value : values) {
    bool inexact;
    rounded.emplace_back(value);
    rounded.back().convert(cast<FloatType>(real).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  }
  auto shape = RankedTensorType::get({static_cast<int64_t>(values.size())}, real);
  return addTable(key, real, DenseElementsAttr::get(shape, ArrayRef<llvm::APFloat>(rounded)));
}

std::string TwiddleTables::addTable(const std::string &key, Type scalar, DenseElementsAttr data) {
  const std::string name = "omega_table_" + std::to_string(names.size());
  names[key] = name;
  addGlobal(name, scalar, data);
  return name;
}

void TwiddleTables::addGlobal(const std::string &name, Type scalar, DenseElementsAttr data) {
  OpBuilder b(module->getContext());
  b.setInsertionPointToStart(&module->getRegion(0).front());
  auto array = LLVM::LLVMArrayType::get(scalar, data.getNumElements());
  LLVM::GlobalOp::create(b, module->getLoc(), array, /*isConstant=*/true, LLVM::Linkage::Internal, name, data,
                         /*alignment=*/16, addressSpace);
}
