#include "dialect/digits/Exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace idc::digits;

namespace {

using Random = std::mt19937;
int below(Random &random, int n) { return static_cast<int>(random() % n); }

Mapping parse(const std::string &text, const std::vector<int> &radices = {}) {
  Mapping m;
  std::string error;
  EXPECT_TRUE(Mapping::parse(text, radices, m, error)) << error;
  return m;
}

ExchangePlan plan(const Mapping &source, const Mapping &destination, const ExchangeOptions &options = {}) {
  ExchangePlan result;
  std::string error;
  EXPECT_TRUE(planExchange(source, destination, options, result, error))
      << source.str() << " -> " << destination.str() << ": " << error;
  return result;
}

std::string planError(const Mapping &source, const Mapping &destination, const ExchangeOptions &options = {}) {
  ExchangePlan result;
  std::string error;
  EXPECT_FALSE(planExchange(source, destination, options, result, error)) << source.str() << destination.str();
  return error;
}

//===----------------------------------------------------------------------===//
// Random layouts
//===----------------------------------------------------------------------===//

struct Shape {
  int regs, lanes, warps, ranks = 0;
  int total() const { return regs + lanes + warps + ranks; }
};

/// Deals the columns of a list to the fields, registers first.
Mapping deal(const std::vector<Column> &columns, const Shape &shape) {
  Mapping m;
  auto it = columns.begin();
  for (auto [field, count] : {std::pair{Field::Reg, shape.regs}, std::pair{Field::Lane, shape.lanes},
                              std::pair{Field::Warp, shape.warps}, std::pair{Field::Rank, shape.ranks}})
    for (int i = 0; i < count; ++i)
      m[field].push_back(*it++);
  return m;
}

std::vector<Column> randomColumns(int n, bool generic, Random &random) {
  std::vector<uint64_t> vectors;
  for (int i = 0; i < n; ++i)
    vectors.push_back(uint64_t(1) << i);
  if (generic)
    for (int k = 0; k < 3 * n; ++k) {
      const int to = below(random, n), from = below(random, n);
      if (to != from)
        vectors[to] ^= vectors[from];
    }
  std::shuffle(vectors.begin(), vectors.end(), random);
  std::vector<Column> columns;
  for (uint64_t v : vectors) {
    Column column;
    for (int i = 0; i < n; ++i)
      if (v >> i & 1)
        column.digits.push_back(i + 1);
    columns.push_back(column);
  }
  return columns;
}

/// The same number of columns, dealt otherwise between registers, lanes and warps.
Shape otherShape(const Shape &shape, Random &random) {
  Shape other = shape;
  for (int k = below(random, 4); k > 0; --k) {
    int *fields[] = {&other.regs, &other.lanes, &other.warps};
    int *from = fields[below(random, 3)], *to = fields[below(random, 3)];
    if (*from > 0 && (to != &other.lanes || other.lanes < 5)) {
      --*from;
      ++*to;
    }
  }
  return other;
}

//===----------------------------------------------------------------------===//
// Simulation: every place holds the identity of its element
//===----------------------------------------------------------------------===//

struct PlaceOf {
  int64_t rank, warp, lane, reg;
  bool operator<(const PlaceOf &o) const {
    return std::tie(rank, warp, lane, reg) < std::tie(o.rank, o.warp, o.lane, o.reg);
  }
};

template <class Visit> void forEachPlace(const Mapping &m, Visit visit) {
  for (int64_t rank = 0; rank < m.extent(Field::Rank); ++rank)
    for (int64_t warp = 0; warp < m.extent(Field::Warp); ++warp)
      for (int64_t lane = 0; lane < m.extent(Field::Lane); ++lane) {
        std::vector<int64_t> thread;
        m.contribute(Field::Rank, rank, thread);
        m.contribute(Field::Warp, warp, thread);
        m.contribute(Field::Lane, lane, thread);
        for (int64_t reg = 0; reg < m.extent(Field::Reg); ++reg) {
          std::vector<int64_t> values = thread;
          m.contribute(Field::Reg, reg, values);
          visit(PlaceOf{rank, warp, lane, reg}, values);
        }
      }
}

/// A number for the element with these digit values (digits of radix at most 8).
int64_t elementOf(const std::vector<int64_t> &values) {
  int64_t id = 0;
  for (size_t i = values.size(); i > 0; --i)
    id = id * 8 + values[i - 1];
  return id;
}
int64_t rankOf(const Mapping &m, const std::vector<int64_t> &values) {
  int64_t rank = 0, weight = 1; // digit form
  for (const Column &column : m[Field::Rank]) {
    rank += weight * (column.digits.empty() ? 0 : values[column.digits.front() - 1]);
    weight *= column.radix;
  }
  return rank;
}

/// Runs the plan as emitted code would and compares every destination register with the mapping.
void expectMoves(const Mapping &source, const Mapping &destination, const ExchangePlan &p) {
  SCOPED_TRACE(source.str() + " -> " + destination.str() + " by " + exchangeKindName(p.kind));
  int wrong = 0;
  if (p.kind == ExchangeKind::Shared || p.kind == ExchangeKind::Cluster) {
    std::vector<std::vector<int64_t>> memory(destination.extent(Field::Rank), std::vector<int64_t>(p.shared.words, -1));
    std::vector<std::vector<int64_t>> writer = memory;
    int collisions = 0;
    forEachPlace(source, [&](const PlaceOf &at, const std::vector<int64_t> &values) {
      const int64_t block = p.kind == ExchangeKind::Shared ? at.rank : rankOf(destination, values);
      const int64_t word = p.shared.word(values);
      ASSERT_TRUE(word >= 0 && word < p.shared.words);
      int64_t &cell = memory[block][word];
      collisions += cell != -1 && cell != elementOf(values);
      cell = elementOf(values);
      writer[block][word] = at.warp;
    });
    EXPECT_EQ(collisions, 0);
    bool replicated = false;
    for (const Column &column : source[Field::Warp])
      replicated |= column.digits.empty();
    bool crossed = p.kind == ExchangeKind::Cluster;
    forEachPlace(destination, [&](const PlaceOf &at, const std::vector<int64_t> &values) {
      wrong += memory[at.rank][p.shared.word(values)] != elementOf(values);
      crossed |= writer[at.rank][p.shared.word(values)] != at.warp;
    });
    EXPECT_TRUE(replicated || p.needsBlockBarrier == crossed);
  } else {
    std::map<PlaceOf, int64_t> registers;
    forEachPlace(source, [&](const PlaceOf &at, const std::vector<int64_t> &v) { registers[at] = elementOf(v); });
    auto renamed = [&](const std::vector<int> &from) {
      std::map<PlaceOf, int64_t> result;
      forEachPlace(destination, [&](PlaceOf at, const std::vector<int64_t> &) {
        const PlaceOf to = at;
        at.reg = from[at.reg];
        result[to] = registers.at(at);
      });
      registers = result;
    };
    if (p.kind == ExchangeKind::Registers)
      renamed(p.registerSource);
    if (p.kind == ExchangeKind::Shuffle) {
      const ShufflePlan &s = p.shuffle;
      std::vector<int> numbers;
      for (int64_t reg = 0; reg < destination.extent(Field::Reg); ++reg) {
        int old = 0;
        for (size_t i = 0; i < s.registerSource.size(); ++i)
          old |= static_cast<int>(reg >> i & 1) << s.registerSource[i];
        numbers.push_back(old);
      }
      renamed(numbers);
      auto select = [&](auto laneBit) {
        for (auto [r, l] : s.swaps) {
          const auto before = registers;
          for (auto &[at, value] : registers)
            if (at.lane >> laneBit(l) & 1)
              value = before.at({at.rank, at.warp, at.lane, at.reg ^ (int64_t(1) << r)});
        }
      };
      select([&](int l) { return s.laneSource[l]; });
      const auto before = registers;
      for (auto &[at, value] : registers) {
        int64_t lane = 0;
        for (size_t l = 0; l < s.laneSource.size(); ++l)
          lane |= (at.lane >> l & 1) << s.laneSource[l];
        for (auto [r, l] : s.swaps)
          lane ^= (at.reg >> r & 1) << s.laneSource[l];
        value = before.at({at.rank, at.warp, lane, at.reg});
      }
      select([](int l) { return l; });
    }
    forEachPlace(destination, [&](const PlaceOf &at, const std::vector<int64_t> &values) {
      wrong += registers.at(at) != elementOf(values);
    });
  }
  EXPECT_EQ(wrong, 0);
}

void expectConflictFree(const Mapping &source, const Mapping &destination, const ExchangePlan &p, int64_t wordBytes) {
  EXPECT_EQ(countConflicts(source, p.shared, wordBytes), 1) << source.str() << " -> " << destination.str();
  EXPECT_EQ(countConflicts(destination, p.shared, wordBytes), 1) << source.str() << " -> " << destination.str();
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

TEST(Exchange, CheapestMeans) {
  const Mapping m = parse("reg(9..8) lane(5..1) warp(7..6)");
  EXPECT_EQ(plan(m, m).kind, ExchangeKind::None);
  EXPECT_EQ(plan(m, parse("reg(8, 9) lane(5..1) warp(7..6)")).kind, ExchangeKind::Registers);
  EXPECT_EQ(plan(m, parse("reg(9..8) lane(4, 5, 3..1) warp(7..6)")).kind, ExchangeKind::Shuffle);
  EXPECT_EQ(plan(m, parse("reg(5, 8) lane(9, 4..1) warp(7..6)")).kind, ExchangeKind::Shuffle);
  ExchangePlan p = plan(m, parse("reg(5..4) lane(9..8, 3..1) warp(7..6)"));
  EXPECT_EQ(p.kind, ExchangeKind::Shared);
  EXPECT_FALSE(p.needsBlockBarrier);
  ExchangeOptions two;
  two.maxShuffleSwaps = 2;
  EXPECT_EQ(plan(m, parse("reg(5..4) lane(9..8, 3..1) warp(7..6)"), two).kind, ExchangeKind::Shuffle);
  p = plan(m, parse("reg(9, 7) lane(5..1) warp(8, 6)"));
  EXPECT_EQ(p.kind, ExchangeKind::Shared);
  EXPECT_TRUE(p.needsBlockBarrier);
  EXPECT_EQ(plan(parse("reg(7) lane(5..1) rank(6)"), parse("reg(6) lane(5..1) rank(7)")).kind, ExchangeKind::Cluster);
  EXPECT_EQ(plan(parse("reg(6) lane(5..1) rank(7)"), parse("lane(6..2) warp(1) rank(7)")).kind, ExchangeKind::Shared);
  EXPECT_EQ(plan(parse("reg((6^7)) lane(5..1) warp(7)"), parse("reg(6) lane(5..1) warp(7)")).kind,
            ExchangeKind::Shared);
  EXPECT_EQ(plan(parse("reg((6^7), 7) lane(5..1)"), parse("reg(7, 6) lane(5..1)")).kind, ExchangeKind::Registers);
  EXPECT_STREQ(exchangeKindName(ExchangeKind::Cluster), "cluster");
}

TEST(Exchange, CommonRegisterDigits) {
  Mapping before = parse("reg(4, 2, 7..6) lane(5, 3, 1)"), after = parse("reg(7, 1, 2) lane(5, 3, 4, 6)");
  EXPECT_EQ(commonRegisterDigits(before, after, 5), (std::vector<int>{2, 7}));
  EXPECT_EQ(commonRegisterDigits(before, after, 1), std::vector<int>{2});
  EXPECT_TRUE(commonRegisterDigits(before, after, 0).empty());
  EXPECT_TRUE(commonRegisterDigits(before, parse("reg(1, 3, 5) lane(2, 4, 7..6)"), 5).empty());
  std::vector<int> radices = {2, 3, 2};
  EXPECT_EQ(commonRegisterDigits(parse("reg(2..1) lane(3)", radices), parse("reg(1, 2) lane(3)", radices), 5),
            std::vector<int>{1});
}

TEST(Exchange, BlockAndTurnStay) {
  const Mapping m = parse("reg(6) lane(5..1) block(8..7) turn(9)");
  EXPECT_EQ(plan(m, parse("reg(1) lane(6..2) block(8..7) turn(9)")).shared.column(8), 0u);
  EXPECT_EQ(planError(m, parse("reg(6) lane(5..1) block(7, 8) turn(9)")), "the mappings differ in block");
  EXPECT_EQ(planError(m, parse("reg(6) lane(5..1) block(9..7)")), "the mappings differ in block");
  EXPECT_EQ(planError(m, parse("reg(6) lane(5..1)")), "the mappings hold different digits");
  EXPECT_EQ(planError(parse("reg(1) lane(1)"), parse("reg(1)")), "source mapping: digit 1 is held twice");
  EXPECT_EQ(planError(parse("reg(1)"), parse("lane(1)"), {1, 12, 32}),
            "shared memory is accessed in words of 1, 2, 4, 8 or 16 bytes, not 12");
  EXPECT_EQ(planError(parse("reg(1)", {3}), parse("lane(1)", {5})),
            "digit 1 has radix 3 in the source and 5 in the destination");
  EXPECT_EQ(planError(parse("reg(2) rank(1)"), parse("reg(2..1)")), "the mappings differ in the size of the cluster");
  EXPECT_EQ(planError(parse("reg(2) rank(1)"), parse("reg(2..1) rank(_)")),
            "the destination spreads values to several blocks of the cluster");
  EXPECT_EQ(planError(parse("reg((1^2)) block(2)"), parse("reg(1) block(2)")),
            "digit 2 belongs both to the tile and to the block, device or turn");
  EXPECT_EQ(planError(parse("reg((1^2), 3) lane(2)", {2, 2, 3}), parse("lane(3..1)", {2, 2, 3})),
            "XOR columns beside digits of other radices");
}

TEST(Exchange, Replication) {
  for (auto [from, to, kind] :
       {std::tuple{"reg(3) lane(_, 1) warp(2)", "reg(3) lane(_, 1) warp(2)", ExchangeKind::None},
        std::tuple{"reg(3, 2) lane(_, 1)", "reg(2, 3) lane(_, 1)", ExchangeKind::Registers},
        std::tuple{"reg(2) lane(_, 1)", "reg(2, _) lane(_, 1)", ExchangeKind::Registers},
        std::tuple{"reg(2) lane(_, 1, 3)", "reg(3) lane(_, 1, 2)", ExchangeKind::Shuffle},
        std::tuple{"reg(2) lane(_, 1)", "lane(2, 1)", ExchangeKind::Shared},
        std::tuple{"lane(2, 1)", "reg(2) lane(_, 1)", ExchangeKind::Shared},
        std::tuple{"reg(3) lane(2..1) warp(_)", "lane(2..1) warp(3)", ExchangeKind::Shared},
        std::tuple{"lane(2..1) warp(3)", "lane(2, 3) warp(1, _)", ExchangeKind::Shared},
        std::tuple{"reg(3) lane(2..1) rank(_)", "lane(2..1) rank(3)", ExchangeKind::Cluster},
        std::tuple{"reg(3) lane(2..1) rank(_)", "reg(2) lane(3, 1) rank(_)", ExchangeKind::Shuffle}}) {
    const Mapping source = parse(from), destination = parse(to);
    const ExchangePlan p = plan(source, destination);
    EXPECT_EQ(p.kind, kind) << from << " -> " << to << ": " << exchangeKindName(p.kind);
    expectMoves(source, destination, p);
  }
  // Each warp holds a copy of what it needs.
  EXPECT_FALSE(plan(parse("reg(3) lane(2..1) warp(_)"), parse("lane(2..1) warp(3)")).needsBlockBarrier);
}

//===----------------------------------------------------------------------===//
// Shuffles and renaming
//===----------------------------------------------------------------------===//

TEST(Exchange, RandomShuffles) {
  Random random(11);
  std::map<ExchangeKind, int> kinds;
  for (int trial = 0; trial < 1500; ++trial) {
    const Shape shape{below(random, 5), below(random, 6), below(random, 2)};
    if (shape.total() == 0)
      continue;
    std::vector<Column> columns = randomColumns(shape.total(), trial % 2, random);
    const Mapping source = deal(columns, shape);
    std::shuffle(columns.begin(), columns.end() - shape.warps, random);
    const Mapping destination = deal(columns, shape);
    ExchangeOptions options;
    options.maxShuffleSwaps = 5;
    const ExchangePlan p = plan(source, destination, options);
    EXPECT_NE(p.kind, ExchangeKind::Shared);
    ++kinds[p.kind];
    expectMoves(source, destination, p);
    // Swaps are as few as the digits that leave the registers.
    int leave = 0;
    for (const Column &column : source[Field::Reg])
      leave += std::count(destination[Field::Lane].begin(), destination[Field::Lane].end(), column);
    EXPECT_EQ(static_cast<int>(p.shuffle.swaps.size()), leave);
  }
  EXPECT_GT(kinds[ExchangeKind::Shuffle], 500);
  EXPECT_GT(kinds[ExchangeKind::Registers], 10);
}

TEST(Exchange, RegistersOfAnyRadix) {
  Random random(12);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + below(random, 4);
    std::vector<Column> columns;
    for (int i = 1; i <= n; ++i)
      columns.push_back({{i}, 2 + below(random, 4)});
    const Shape shape{n, 0, 0};
    const Mapping source = deal(columns, shape);
    std::shuffle(columns.begin(), columns.end(), random);
    const Mapping destination = deal(columns, shape);
    const ExchangePlan p = plan(source, destination);
    EXPECT_TRUE(p.kind == ExchangeKind::None || p.kind == ExchangeKind::Registers);
    expectMoves(source, destination, p);
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(Exchange, RandomSwizzles) {
  Random random(13);
  int shared = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int64_t wordBytes = 4 << below(random, 3);
    const Shape shape{below(random, 7), trial % 4 ? 5 : below(random, 6), below(random, 6)};
    if (shape.total() == 0 || (shape.total() > 13 && trial % 8))
      continue;
    const bool generic = trial % 3 == 0;
    const Mapping source = deal(randomColumns(shape.total(), generic, random), shape);
    const Mapping destination = deal(randomColumns(shape.total(), generic, random), otherShape(shape, random));
    ExchangeOptions options;
    options.wordBytes = wordBytes;
    const ExchangePlan p = plan(source, destination, options);
    if (p.kind != ExchangeKind::Shared)
      continue;
    ++shared;
    EXPECT_EQ(p.shared.words, int64_t(1) << shape.total());
    expectConflictFree(source, destination, p, wordBytes);
    expectMoves(source, destination, p);
    if (HasFailure())
      return;
  }
  EXPECT_GT(shared, 2000);
}

TEST(Exchange, RandomClusters) {
  Random random(14);
  int clusters = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Shape shape{below(random, 5), 5, below(random, 4), 1 + below(random, 3)};
    const Mapping source = deal(randomColumns(shape.total(), false, random), shape);
    const Mapping destination = deal(randomColumns(shape.total(), false, random), otherShape(shape, random));
    const ExchangePlan p = plan(source, destination);
    if (p.kind != ExchangeKind::Cluster)
      continue;
    ++clusters;
    EXPECT_EQ(p.shared.words, int64_t(1) << (shape.total() - shape.ranks));
    for (const Column &column : destination[Field::Rank])
      EXPECT_EQ(p.shared.column(column.digits.front()), 0u);
    expectConflictFree(source, destination, p, 8);
    expectMoves(source, destination, p);
    if (HasFailure())
      return;
  }
  EXPECT_GT(clusters, 800);
}

/// Registers that the other side does not hold in a phase's lanes are address offsets: their bits meet no thread bits.
TEST(Exchange, RegistersBecomeImmediates) {
  Random random(15);
  for (int trial = 0; trial < 1000; ++trial) {
    const Shape shape{1 + below(random, 5), 5, below(random, 5)};
    const Mapping source = deal(randomColumns(shape.total(), false, random), shape);
    const Mapping destination = deal(randomColumns(shape.total(), false, random), shape);
    const ExchangePlan p = plan(source, destination);
    if (p.kind != ExchangeKind::Shared)
      continue;
    for (auto [mine, other] : {std::pair{&source, &destination}, std::pair{&destination, &source}}) {
      uint32_t threads = 0;
      std::set<int> swizzled;
      for (Field f : {Field::Lane, Field::Warp})
        for (const Column &column : (*mine)[f])
          threads |= p.shared.column(column.digits.front());
      for (int i = 0; i < 4; ++i) // 8-byte words: half a warp
        swizzled.insert((*other)[Field::Lane][i].digits.front());
      for (const Column &column : (*mine)[Field::Reg]) {
        const uint32_t bits = p.shared.column(column.digits.front());
        EXPECT_TRUE(swizzled.count(column.digits.front()) || (bits & threads) == 0)
            << source.str() << " -> " << destination.str();
      }
    }
  }
}

TEST(Exchange, SwizzleOfATransposition) {
  // Four lane digits go to registers: bank = source lane bits XOR destination lane bits, rows = destination's.
  ExchangeOptions options;
  options.maxShuffleSwaps = 0;
  const SharedLayout layout = plan(parse("reg(8..5) lane(4..1)"), parse("reg(4..1) lane(8..5)"), options).shared;
  EXPECT_FALSE(layout.padded);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(layout.column(1 + i), 1u << i);
    EXPECT_EQ(layout.column(5 + i), 17u << i);
  }
}

TEST(Exchange, ConflictCounter) {
  // No swizzle: a stride of 32 words meets in one bank.
  SharedLayout layout;
  layout.words = 1024;
  for (int digit = 1; digit <= 10; ++digit)
    layout.columns.emplace_back(digit, 1u << (digit - 1));
  EXPECT_EQ(countConflicts(parse("reg(10..6) lane(5..1)"), layout, 4), 1);
  EXPECT_EQ(countConflicts(parse("reg(5..1) lane(10..6)"), layout, 4), 32);
  EXPECT_EQ(countConflicts(parse("reg(5..1) lane(10..6)"), layout, 8), 16);
  EXPECT_EQ(countConflicts(parse("reg(5..1) lane(10..6)"), layout, 16), 8);
  EXPECT_EQ(countConflicts(parse("lane(9..8, 3..1)"), layout, 8), 1 << 1);
  EXPECT_EQ(countConflicts(parse("lane(_, _, _, _, 1)"), layout, 4), 1) << "one word for all is a broadcast";
  layout.columns.assign({{1, 33}, {2, 66}, {3, 132}, {4, 264}, {5, 528}});
  layout.padded = true;
  EXPECT_EQ(countConflicts(parse("lane(5..1)"), layout, 4), 1);
}

//===----------------------------------------------------------------------===//
// Other radices
//===----------------------------------------------------------------------===//

Mapping randomMixed(std::vector<Column> columns, int lanes, Random &random) {
  std::shuffle(columns.begin(), columns.end(), random);
  Mapping m;
  int64_t used = 1, warps = 1;
  for (const Column &column : columns)
    if (used * column.radix <= lanes) {
      m[Field::Lane].push_back(column);
      used *= column.radix;
    } else if (warps * column.radix <= 6 && random() % 2) {
      m[Field::Warp].push_back(column);
      warps *= column.radix;
    } else
      m[Field::Reg].push_back(column);
  return m;
}

TEST(Exchange, StoresToOtherBlocksFillSectors) {
  // What a warp sends to another block's memory lies together there, whatever the lanes of the reader are.
  const std::vector<int> radices{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2};
  const Mapping source = parse("reg(14..11) lane(5..1) warp(9..6) rank(10)", radices),
                destination = parse("reg(10..6) lane(5, 11, 13, 14) warp(1, 2, 3, 4) rank(12)", radices);
  ExchangeOptions options;
  options.wordBytes = 8;
  const ExchangePlan p = plan(source, destination, options);
  ASSERT_EQ(p.kind, ExchangeKind::Cluster);
  for (int64_t half = 0; half < 32; half += 16) {
    std::set<int64_t> sectors;
    for (int64_t lane = half; lane < half + 16; ++lane) {
      std::vector<int64_t> values;
      source.contribute(Field::Lane, lane, values);
      sectors.insert(p.shared.word(values) * options.wordBytes / 32);
    }
    EXPECT_EQ(sectors.size(), 4u);
  }
  EXPECT_LE(countConflicts(destination, p.shared, options.wordBytes), 2);
}

TEST(Exchange, RandomPaddings) {
  Random random(16);
  int shared = 0, free = 0, worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int radices[] = {2, 3, 5, 7};
    std::vector<Column> columns{{{1}, radices[1 + below(random, 3)]}};
    int64_t size = columns.front().radix;
    while (size < 200 && columns.size() < 7) {
      columns.push_back({{static_cast<int>(columns.size()) + 1}, radices[below(random, 4)]});
      size *= columns.back().radix;
    }
    const Mapping source = randomMixed(columns, 32, random), destination = randomMixed(columns, 32, random);
    ExchangeOptions options;
    options.wordBytes = 4 << below(random, 3);
    const ExchangePlan p = plan(source, destination, options);
    if (p.kind != ExchangeKind::Shared)
      continue;
    ++shared;
    ASSERT_TRUE(p.shared.padded);
    expectMoves(source, destination, p);
    const int conflicts =
        countConflicts(source, p.shared, options.wordBytes) + countConflicts(destination, p.shared, options.wordBytes);
    free += conflicts == 2;
    // No layout of the digits in order with one padding does better, nor as well in less.
    SharedLayout other = p.shared;
    for (size_t pad = 0; pad + 1 < columns.size(); ++pad)
      for (int amount = 0; amount < 128 / options.wordBytes; ++amount) {
        int64_t stride = 1;
        other.words = 1;
        for (size_t i = 0; i < columns.size(); ++i) {
          other.columns[i] = {static_cast<int>(i) + 1, static_cast<uint32_t>(stride)};
          other.words += (columns[i].radix - 1) * stride;
          stride = stride * columns[i].radix + (i == pad ? amount : 0);
        }
        if (other.words >= p.shared.words && conflicts == 2)
          continue;
        const std::pair<int, int64_t> cost{countConflicts(source, other, options.wordBytes) +
                                               countConflicts(destination, other, options.wordBytes),
                                           other.words};
        EXPECT_LE((std::pair<int, int64_t>{conflicts, p.shared.words}), cost);
      }
    worst = std::max(worst, conflicts);
    if (HasFailure())
      return;
  }
  EXPECT_GT(free, shared * 8 / 10);
  EXPECT_LE(worst, 4) << "wavefronts of a store and a load together";
  EXPECT_GT(shared, 150);
}

} // namespace
