// Exponents split into table factors: their product is the whole root of unity, for all values of the digits.
#include "compiler/conversion/RootOfUnity.h"
#include "compiler/conversion/TwiddleTables.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace idc;
using conversion::splitTwiddle;
using conversion::TwiddleFactor;
using digits::Polynomial;

namespace {

/// Checks the factors against the exponent on `samples` random digit values, in integers and in complex numbers.
void check(int64_t root, const Polynomial &exponent, int maxBits, std::mt19937_64 &random, bool once = true) {
  constexpr int samples = 20;
  SCOPED_TRACE("omega(" + std::to_string(root) + ", " + exponent.str() + ")");
  std::vector<TwiddleFactor> factors = splitTwiddle(root, exponent, maxBits);
  ASSERT_FALSE(factors.empty());
  std::set<int> covered;
  for (const TwiddleFactor &factor : factors) {
    EXPECT_LE(static_cast<int>(factor.digits.size()), maxBits);
    EXPECT_EQ(root % factor.root, 0);
    for (int digit : factor.digits)
      EXPECT_TRUE(covered.insert(digit).second || !once) << "digit " << digit << " is looked up twice";
    for (int bit : factor.exponent.digits())
      EXPECT_LE(bit, static_cast<int>(factor.digits.size()));
  }
  std::vector<int> digits = exponent.digits();
  EXPECT_EQ(std::vector<int>(covered.begin(), covered.end()), digits);
  for (int i = 0; i < samples; ++i) {
    std::vector<int64_t> values(64);
    for (int64_t &value : values)
      value = static_cast<int64_t>(random() & 1);
    __int128 sum = 0;
    std::complex<double> product = 1;
    for (const TwiddleFactor &factor : factors) {
      std::vector<int64_t> packed;
      for (int digit : factor.digits)
        packed.push_back(values[digit - 1]);
      int64_t value = factor.exponent.evaluate(packed, factor.root);
      sum += static_cast<__int128>(value) * (root / factor.root);
      product *= conversion::rootOfUnity(factor.root, value);
    }
    int64_t whole = exponent.evaluate(values, root);
    EXPECT_EQ(static_cast<int64_t>(sum % root), whole);
    EXPECT_LT(std::abs(product - conversion::rootOfUnity(root, whole)), 1e-15 * (1 + factors.size()));
  }
}

TEST(SplitTwiddle, Affine) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    int64_t root = int64_t(2) << random() % 40;
    if (i % 4 == 0)
      root = 3 + static_cast<int64_t>(random() % 10000);
    Polynomial exponent;
    int terms = 1 + static_cast<int>(random() % 24);
    for (int t = 0; t < terms; ++t)
      exponent = exponent + Polynomial::term(1 + static_cast<int64_t>(random() % (root - 1)),
                                             {1 + static_cast<int>(random() % 40)});
    exponent = exponent.reduced(root, std::vector<int>(40, 2));
    if (!exponent.isZero())
      check(root, exponent, 1 + static_cast<int>(random() % 11), random);
  }
}

// Digits of other radices, and constants: the factors' exponents add up to the whole one.
TEST(SplitTwiddle, AnyRadices) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    int64_t root = 2 + static_cast<int64_t>(random() % 100000);
    std::vector<int> radices;
    for (int d = 0; d < 8; ++d)
      radices.push_back(d == 0 ? 3 : 2 + static_cast<int>(random() % 6));
    Polynomial exponent =
        Polynomial::constant(static_cast<int64_t>(random() % root)) + Polynomial::term(1, {1}); // never without digits
    for (size_t t = 0; t < 1 + random() % 6; ++t)
      exponent = exponent + Polynomial::term(static_cast<int64_t>(random() % root),
                                             {1 + static_cast<int>(random() % 4), 5 + static_cast<int>(random() % 4)});
    exponent = exponent.reduced(root, radices);
    std::vector<TwiddleFactor> factors = splitTwiddle(root, exponent, 8, radices);
    ASSERT_FALSE(factors.empty());
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<int64_t> values;
      for (int radix : radices)
        values.push_back(static_cast<int64_t>(random() % radix));
      int64_t sum = 0;
      for (const TwiddleFactor &factor : factors) {
        EXPECT_LE(factor.count(), 256);
        ASSERT_EQ(factor.radices.size(), factor.digits.size());
        std::vector<int64_t> packed;
        for (int digit : factor.digits)
          packed.push_back(values[digit - 1]);
        sum += factor.exponent.evaluate(packed, factor.root) * (root / factor.root);
      }
      EXPECT_EQ(sum % root, exponent.evaluate(values, root)) << exponent.str() << " of " << root;
    }
  }
}

TEST(SplitTwiddle, ConnectedGroups) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i) {
    int64_t root = int64_t(2) << random() % 30;
    Polynomial exponent;
    int terms = 1 + static_cast<int>(random() % 8);
    for (int t = 0; t < terms; ++t) {
      std::set<int> monomial;
      for (size_t k = 0; k < 1 + random() % 3; ++k)
        monomial.insert(1 + static_cast<int>(random() % 10));
      exponent = exponent + Polynomial::term(1 + static_cast<int64_t>(random() % (root - 1)),
                                             Polynomial::Monomial(monomial.begin(), monomial.end()));
    }
    exponent = exponent.reduced(root, std::vector<int>(10, 2));
    if (!exponent.isZero())
      check(root, exponent, 10, random);
  }
}

// Consecutive values of the lowest index bits are consecutive powers, forward and backward.
TEST(SplitTwiddle, LowIndexBitsAreLowPowers) {
  for (int64_t sign : {1, -1}) {
    Polynomial exponent;
    for (int digit = 1; digit <= 6; ++digit) // t6 is the lowest power
      exponent = exponent + Polynomial::term(int64_t(1) << (6 - digit), {digit}) * sign;
    std::vector<TwiddleFactor> factors = splitTwiddle(64, exponent.reduced(64), 11);
    ASSERT_EQ(factors.size(), 1u);
    EXPECT_EQ(factors[0].digits, (std::vector<int>{6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(factors[0].root, 64);
  }
}

TEST(SplitTwiddle, LowestTerms) {
  Polynomial exponent = Polynomial::term(1024, {3}) + Polynomial::term(512, {5});
  std::vector<TwiddleFactor> factors = splitTwiddle(4096, exponent, 11);
  ASSERT_EQ(factors.size(), 1u);
  EXPECT_EQ(factors[0].root, 8);
  EXPECT_EQ(factors[0].exponent.str(), "2*t2 + t1");
}

TEST(SplitTwiddle, EvenTables) {
  Polynomial exponent;
  for (int digit = 1; digit <= 12; ++digit)
    exponent = exponent + Polynomial::term(int64_t(1) << (digit - 1), {digit});
  std::vector<TwiddleFactor> factors = splitTwiddle(4096, exponent, 11);
  ASSERT_EQ(factors.size(), 2u);
  EXPECT_EQ(factors[0].digits.size(), 6u);
  EXPECT_EQ(factors[1].digits.size(), 6u);
}

// The square of an index, a product of two halves, and forms of degree three: pieces of monomials.
TEST(SplitTwiddle, GroupLargerThanATable) {
  std::mt19937_64 random(7);
  Polynomial low, high;
  for (int digit = 1; digit <= 10; ++digit) {
    low = low + Polynomial::term(int64_t(1) << (digit - 1), {digit});
    high = high + Polynomial::term(int64_t(1) << (digit - 1), {digit + 10});
  }
  const int64_t root = int64_t(1) << 20;
  std::vector<int> radices(20, 2);
  check(root, (low * high).reduced(root, radices), 10, random, /*once=*/false);
  EXPECT_EQ(splitTwiddle(root, (low * high).reduced(root, radices), 10).size(), 4u);
  Polynomial index = low + high * 1024;
  check(root, (index * index).reduced(root, radices), 10, random, false);
  check(root, (low * low * high).reduced(root, radices), 10, random, false);
  Polynomial chain = Polynomial::term(1, {1, 2}) + Polynomial::term(1, {2, 3}) + Polynomial::term(1, {3, 4});
  check(64, chain, 3, random, false);
  EXPECT_EQ(splitTwiddle(64, chain, 4).size(), 1u);
  EXPECT_TRUE(splitTwiddle(64, Polynomial::term(1, {1, 2, 3, 4}), 3).empty());
}

TEST(TwiddleTables, OneGlobalForEqualFactors) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  conversion::TwiddleTables tables(*module, 1);
  mlir::Type f32 = mlir::Float32Type::get(&context), f64 = mlir::Float64Type::get(&context);
  TwiddleFactor low = splitTwiddle(4, Polynomial::term(1, {7}), 11)[0];
  TwiddleFactor same = splitTwiddle(16, Polynomial::term(4, {2}), 11)[0];
  TwiddleFactor other = splitTwiddle(4, Polynomial::term(3, {7}), 11)[0];
  std::string name = tables.table(low, f32);
  EXPECT_EQ(tables.table(same, f32), name) << "which digits are packed does not matter";
  EXPECT_NE(tables.table(other, f32), name);
  EXPECT_NE(tables.table(low, f64), name);
  auto globals = module->getBody()->getOps<mlir::LLVM::GlobalOp>();
  EXPECT_EQ(std::distance(globals.begin(), globals.end()), 3);
  for (mlir::LLVM::GlobalOp global : globals) {
    EXPECT_TRUE(global.getConstant());
    EXPECT_EQ(global.getAddrSpace(), 1u);
    if (global.getSymName() != name)
      continue;
    auto values = mlir::cast<mlir::DenseElementsAttr>(global.getValueOrNull()).getValues<float>();
    EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{1, 0, 0, -1}));
  }
}

} // namespace
