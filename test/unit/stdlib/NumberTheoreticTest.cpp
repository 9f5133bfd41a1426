// ntt.id against sums of products in integers.
#include "LibraryFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

struct Field {
  const char *type; // "" for the default
  uint64_t prime, generator;
  int64_t largest; // 2^largest divides prime - 1
};
const Field fields[] = {
    {"", 998244353, 3, 9},
    {"mod<65537>", 65537, 3, 9},
    {"mod<97>", 97, 5, 5},
    {"mod<2013265921>", 2013265921, 31, 9},
    {"mod<3221225473>", 3221225473, 5, 9},
    {"mod<4179340454199820289>", 4179340454199820289, 3, 9}};

TypeMap types(const Field &field) { return *field.type ? TypeMap{{"T", field.type}} : TypeMap{}; }

uint64_t multiply(uint64_t a, uint64_t b, uint64_t prime) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % prime);
}
uint64_t power(uint64_t base, uint64_t exponent, uint64_t prime) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base = multiply(base, base, prime))
    if (exponent & 1)
      result = multiply(result, base, prime);
  return result;
}

Buffer residues(size_t size, unsigned seed, const Field &field) {
  return randomIntegers(size, seed, 0, static_cast<int64_t>(field.prime - 1));
}

Buffer naive(const Buffer &x, const Field &field) {
  const size_t size = x.size();
  std::vector<uint64_t> roots(size, 1);
  for (size_t k = 1; k < size; ++k)
    roots[k] = multiply(roots[k - 1], power(field.generator, (field.prime - 1) / size, field.prime), field.prime);
  Buffer result(size);
  for (size_t k = 0; k < size; ++k) {
    uint64_t sum = 0;
    for (size_t j = 0; j < size; ++j)
      sum = (sum + multiply(uint64_t(x[j].integer), roots[j * k % size], field.prime)) % field.prime;
    result[k].integer = static_cast<int64_t>(sum);
  }
  return result;
}

/// The product of polynomials mod z^size - 1, or + 1 where a wrap changes the sign.
Buffer product(const Buffer &x, const Buffer &w, const Field &field, bool negacyclic) {
  const size_t size = x.size();
  Buffer result(size);
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) {
      uint64_t term = multiply(uint64_t(x[i].integer), uint64_t(w[j].integer), field.prime);
      if (negacyclic && i + j >= size)
        term = (field.prime - term) % field.prime;
      int64_t &sum = result[(i + j) % size].integer;
      sum = static_cast<int64_t>((uint64_t(sum) + term) % field.prime);
    }
  return result;
}

} // namespace

class NumberTheoretic : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, NumberTheoretic, everyProcessor(), processorName);

TEST_P(NumberTheoretic, AgreesWithTheDefinition) {
  for (const Field &field : fields)
    for (int64_t n : sizes(field.largest, field.largest)) {
      Buffer x = residues(size_t(1) << n, 3 + unsigned(n), field), expected = naive(x, field);
      Buffer y = runLibrary("ntt.id", "ntt", {{"n", n}}, types(field), {x})[0];
      EXPECT_EQ(integers(y), integers(expected)) << field.prime << " n=" << n;
      Buffer z = runLibrary("ntt.id", "ntt_dif", {{"n", n}}, types(field), {x})[0];
      EXPECT_EQ(integers(z), integers(bitReversed(expected, n))) << field.prime << " n=" << n;
      EXPECT_EQ(integers(runLibrary("ntt.id", "intt", {{"n", n}}, types(field), {y})[0]), integers(x));
      EXPECT_EQ(integers(runLibrary("ntt.id", "intt_dit", {{"n", n}}, types(field), {z})[0]), integers(x));
    }
}

TEST_P(NumberTheoretic, LargestSize) {
  // The default field has roots up to order 2^23; an impulse at 1 gives their powers.
  const int64_t n = 14;
  Buffer x(size_t(1) << n);
  x[1].integer = 1;
  Buffer y = runLibrary("ntt.id", "ntt", {{"n", n}}, {}, {x})[0];
  uint64_t root = power(3, 998244352 >> n, 998244353);
  for (size_t k = 0; k < y.size(); k += 1001)
    EXPECT_EQ(uint64_t(y[k].integer), power(root, k, 998244353));
}

TEST(NumberTheoreticEvaluated, RootsThatDoNotExist) {
  EXPECT_NE(libraryError("ntt.id", "ntt", {{"n", 6}}, {{"T", "mod<97>"}}).find("root"), std::string::npos);
  EXPECT_NE(libraryError("ntt.id", "negacyclic_convolution", {{"n", 5}}, {{"T", "mod<97>"}}).find("root"),
            std::string::npos);
}

TEST_P(NumberTheoretic, Convolutions) {
  for (const Field &field : fields)
    for (int64_t n : sizes(field.largest - 1, field.largest - 1)) {
      Buffer x = residues(size_t(1) << n, 11, field), w = residues(size_t(1) << n, 12, field);
      for (bool negacyclic : {false, true}) {
        const char *entry = negacyclic ? "negacyclic_convolution" : "cyclic_convolution";
        Buffer y = runLibrary("ntt.id", entry, {{"n", n}}, types(field), {x, w})[0];
        EXPECT_EQ(integers(y), integers(product(x, w, field, negacyclic))) << entry << field.prime << " n=" << n;
      }
    }
}

TEST(NumberTheoreticEvaluated, NothingIsReversedInAConvolution) {
  auto convolution = fromFile("ntt.id", "cyclic_convolution", {{"n", 6}});
  ASSERT_TRUE(convolution->program);
  for (const Step &step : convolution->program->steps)
    EXPECT_NE(step.kind, Step::Kind::Permute) << step.name;
}

TEST_P(NumberTheoretic, TheFieldMayBeComplex) {
  Buffer x = randomReals(64, 1, true);
  TypeMap complex = {{"T", "complex<f64>"}};
  Buffer y = runLibrary("ntt.id", "ntt", {{"n", 6}}, complex, {x})[0];
  EXPECT_LT(relativeError(y, naiveDft(x)), limit(0x1p-60L));
  EXPECT_LT(relativeError(runLibrary("ntt.id", "intt", {{"n", 6}}, complex, {y})[0], x), limit(0x1p-60L));
}
