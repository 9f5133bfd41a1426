// Addresses of tiles against the permutations themselves, element by element.
#include "compiler/conversion/addresses/Access.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace idc;
using conversion::Access;
using digits::Field;
using digits::Mapping;
using digits::Permutation;

namespace {

std::vector<int> shuffled(int n, std::mt19937 &random) {
  std::vector<int> digits(n);
  std::iota(digits.begin(), digits.end(), 1);
  std::shuffle(digits.begin(), digits.end(), random);
  return digits;
}

Permutation randomMap(int n, std::mt19937 &random, bool complements) {
  Permutation map = Permutation::fromSources(shuffled(n, random));
  for (int place = 1; complements && place <= n; ++place)
    if (random() % 3 == 0)
      map = map.then(Permutation::complement(n, place));
  return map;
}

/// The digits 1 … total in random columns of reg, lane, warp and block.
Mapping randomMapping(int total, std::mt19937 &random) {
  Mapping mapping;
  const Field fields[] = {Field::Reg, Field::Reg, Field::Lane, Field::Warp, Field::Block};
  for (int digit : shuffled(total, random))
    mapping.push(fields[random() % 5], digit);
  return mapping;
}

/// The buffer address of the tile's element with linear index `index`.
uint64_t address(const Access &access, uint64_t index) {
  uint64_t bits = access.flipped;
  for (int digit = 1; digit <= access.numDigits; ++digit)
    if (index >> (digit - 1) & 1)
      bits ^= access.target(digit);
  return bits;
}

/// The register bits of a wide access are the lowest address bits, as many as fit; complemented ones are told.
void checkVector(const Access &access, const Mapping &mapping, int64_t maxVector) {
  ASSERT_LE(int64_t(1) << access.vectorBits.size(), maxVector);
  auto digitOfBit = [&](size_t bit) {
    for (int digit = 1; digit <= access.numDigits; ++digit)
      if (access.bit[digit - 1] == static_cast<int>(bit))
        return digit;
    return 0;
  };
  for (size_t i = 0; i < access.vectorBits.size(); ++i) {
    EXPECT_EQ(mapping[Field::Reg][access.vectorBits[i]].digits, std::vector<int>{digitOfBit(i)});
    EXPECT_EQ(access.vectorFlip >> i & 1, access.flipped >> i & 1);
  }
  EXPECT_EQ(access.vectorFlip >> access.vectorBits.size(), 0u);
  size_t next = access.vectorBits.size();
  digits::Place place;
  bool more = (int64_t(2) << next) <= maxVector && static_cast<int>(next) < access.numDigits &&
              mapping.find(digitOfBit(next), place) && place.field == Field::Reg;
  EXPECT_FALSE(more) << "one more register bit would fit";
}

TEST(Access, LoadAgainstThePermutation) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    int n = static_cast<int>(random() % 9), batch = static_cast<int>(random() % 4);
    Permutation map = randomMap(n, random, i % 2);
    Mapping mapping = randomMapping(n + batch, random);
    int64_t maxVector = int64_t(1) << random() % 4;
    Access access = conversion::loadAccess(mapping, map, map.size(), maxVector);
    EXPECT_EQ(access.numDigits, n);
    EXPECT_EQ(access.batchDigits, batch);
    std::vector<int> radices(n, 2);
    for (int64_t from = 0; from < int64_t(1) << n; ++from)
      ASSERT_EQ(address(access, map.destinationIndex(radices, from)), static_cast<uint64_t>(from)) << map.str();
    checkVector(access, mapping, maxVector);
  }
}

TEST(Access, StoreAgainstThePermutation) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    int n = static_cast<int>(random() % 9), batch = static_cast<int>(random() % 4);
    Permutation map = randomMap(n, random, i % 2);
    Mapping mapping = randomMapping(n + batch, random);
    int64_t maxVector = int64_t(1) << random() % 4;
    Access access = conversion::storeAccess(mapping, map, maxVector);
    std::vector<int> radices(n, 2);
    for (int64_t element = 0; element < int64_t(1) << n; ++element)
      ASSERT_EQ(address(access, element), static_cast<uint64_t>(map.destinationIndex(radices, element))) << map.str();
    checkVector(access, mapping, maxVector);
  }
}

TEST(Access, BatchDigits) {
  Mapping mapping;
  std::string error;
  ASSERT_TRUE(Mapping::parse("reg(2) lane(5, 1) warp(4) block(3)", {}, mapping, error)) << error;
  Access access = conversion::loadAccess(mapping, Permutation::reverse(3, 3, 1), 3, 1);
  EXPECT_EQ(access.batchDigits, 2);
  EXPECT_EQ(access.target(4), 8u) << "problems follow each other";
  EXPECT_EQ(access.target(5), 16u);
  EXPECT_EQ(access.batchTarget(3), 0u);
  EXPECT_EQ(access.batchTarget(4), 1u);
  EXPECT_EQ(access.batchTarget(5), 2u);
}

TEST(Access, WideAccesses) {
  auto bits = [](const std::string &text, const Permutation &map, int64_t maxVector) {
    Mapping mapping;
    std::string error;
    EXPECT_TRUE(Mapping::parse(text, {}, mapping, error)) << error;
    return conversion::storeAccess(mapping, map, maxVector).vectorBits;
  };
  Permutation identity = Permutation::identity(4);
  EXPECT_EQ(bits("reg(4, 2, 1) lane(3)", identity, 4), (std::vector<int>{0, 1}));
  EXPECT_EQ(bits("reg(1, 2, 4) lane(3)", identity, 4), (std::vector<int>{2, 1}));
  EXPECT_EQ(bits("reg(4, 2, 1) lane(3)", identity, 2), (std::vector<int>{0}));
  EXPECT_EQ(bits("reg(4, 2, 1) lane(3)", identity, 1), (std::vector<int>{}));
  EXPECT_EQ(bits("reg(4, 2) lane(3, 1)", identity, 4), (std::vector<int>{}));
  EXPECT_EQ(bits("reg(4, 2) lane(3, 1)", Permutation::reverse(4, 4, 1), 4), (std::vector<int>{1}));
  EXPECT_EQ(bits("reg(4..1)", Permutation::complement(4, 2), 8), (std::vector<int>{0, 1, 2})) << "complemented";
  EXPECT_EQ(bits("reg(1) lane(2)", Permutation::identity(0), 8), (std::vector<int>{})) << "one element each";
}

// Digits that number devices are no part of the address, and those above them move down.
TEST(Access, LeavesDevicesOut) {
  Mapping mapping;
  std::string error;
  ASSERT_TRUE(Mapping::parse("reg(1, 4) lane(3..2) block(6) device(5)", std::vector<int>(5, 2), mapping, error))
      << error;
  Access access = conversion::loadAccess(mapping, Permutation::identity(5), 5, 4, {2, 4});
  EXPECT_EQ(access.addressDigits, 3);
  EXPECT_EQ(access.bit, (std::vector<int>{0, -1, 1, -1, 2, 3})); // the last one of the batch
  EXPECT_EQ(access.device, (std::vector<int>{-1, 0, -1, 1, -1}));
  EXPECT_EQ(access.deviceTarget(4), 2u);
  EXPECT_EQ(access.target(5), 4u);
  EXPECT_EQ(access.deviceTarget(6), 0u);
  EXPECT_EQ(access.vectorBits, (std::vector<int>{1})); // digit 1; the next address bit is a lane's
}

} // namespace
