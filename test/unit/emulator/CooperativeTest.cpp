// Cooperative kernels: every order of blocks and threads gives the same right result, on grids of several teams, of
// one, and of fewer blocks than a team has; what the protocol of their rounds needs is noticed when it is missing or
// weaker. The kernels are small ones of three programs: sums of what is before each number, in one turn and in four,
// and compositions of the affine maps before each.
#include "CompiledFixture.h"

using namespace idc;
using namespace idc::emulator;

namespace {

class CooperativeKernels : public CompiledFixture {
protected:
  static float numberAt(const std::vector<Pair> &values, size_t i) { return values[i / 4].number[i % 4]; }
  /// What CompiledFixture gives the kernels.
  static float inputAt(size_t i) {
    const size_t pair = i / 4;
    constexpr size_t moduli[] = {7, 11, 13, 17};
    return static_cast<float>(pair % moduli[i % 4]);
  }

  /// Numbers of a batch that are not what `expected` says of element i of a problem that begins at `first`.
  size_t wrong(const std::vector<Pair> &result, int64_t batch) {
    size_t count = 0;
    for (size_t b = 0; b < static_cast<size_t>(batch); ++b) {
      float sum = 0; // exact: small integers
      for (size_t i = b * floats; i < (b + 1) * floats; ++i) {
        count += numberAt(result, i) != sum;
        sum += inputAt(i);
      }
    }
    return count;
  }

  /// Damaged kernels must be noticed, by a fault or a wrong result, in some order; `everywhere`: in each.
  /// `held`: blocks that the device holds; a team has four.
  void expectNoticed(const std::string &changed, bool everywhere = false,
                     const std::vector<int64_t> &held = {3, 4, 8}) {
    constexpr int64_t batch = 11; // of two teams each comes to places that it has used
    int shown = 0, tried = 0;
    for (int64_t resident : held)
      inEveryOrder(resident, [&](const EmulatorOptions &options) {
        std::vector<Pair> result;
        EmulatorOptions impatient = options;
        impatient.maxIterations = 1000;
        bool hasFaults = !faults(changed, impatient, batch, &result).empty();
        shown += hasFaults || wrong(result, batch);
        ++tried;
      });
    EXPECT_GT(shown, 0);
    if (everywhere) {
      EXPECT_EQ(shown, tried);
    }
  }

  /// `text` with every match of a regular expression replaced; there must be some.
  std::string replaced(const std::string &pattern, const std::string &to) {
    std::regex expression(pattern);
    EXPECT_TRUE(std::regex_search(text, expression)) << pattern;
    return std::regex_replace(text, expression, to);
  }

  std::vector<size_t> barriers() const {
    std::vector<size_t> found;
    for (const char *word : {"machine.barrier\n", "machine.warp_barrier"})
      for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        found.push_back(at);
    return found;
  }
};

class CooperativeSums : public CooperativeKernels, public ::testing::WithParamInterface<bool> {
protected:
  void SetUp() override { GetParam() ? lower("cooperative_turns.mlir", 4096) : lower("cooperative.mlir", 1024); }
};

TEST_P(CooperativeSums, AreRightInEveryOrder) {
  expectRightInEveryOrder({1, 2, 3, 11}, {1, 2, 3, 4, 8, 11});
  std::vector<Pair> result;
  EXPECT_TRUE(faults(text, {}, 7, &result).empty());
  EXPECT_EQ(wrong(result, 7), 0u);
}

TEST_P(CooperativeSums, EveryBarrierIsNeeded) {
  EXPECT_GE(barriers().size(), 5u);
  for (size_t at : barriers()) {
    std::string changed = text;
    changed.erase(at, changed.find('\n', at) - at);
    SCOPED_TRACE("line " + std::to_string(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1));
    expectNoticed(changed);
  }
}

TEST_P(CooperativeSums, NobodyWaits) {
  expectNoticed(replaced(R"(scf\.condition\((%\w+)\) (.*: i64))", "%never = arith.constant false\n"
                                                                  "scf.condition(%never) $2"));
}

TEST_P(CooperativeSums, PostsOfAnyItem) {
  // It is enough that something was posted.
  expectNoticed(
      replaced(R"(arith\.cmpi ne, (%\w+), (%\w+) : i32(\n\s*%c32_i64|\n\s*%\w+ = arith\.ori %\w+, %\w+ : i1\n))",
               "arith.cmpi eq, $1, %c0_i32 : i32$3"));
}

TEST_P(CooperativeSums, TwoPlacesForPosts) {
  expectNoticed(
      replaced(R"((%c3_i32\w*) = arith\.constant 3 : i32\n(\s*%\w+ = arith\.andi %\w+, \1 : i32\n\s*%c4_i32))",
               "$1 = arith.constant 1 : i32\n$2"));
}

TEST_P(CooperativeSums, OnePlaceForWhatIsParked) {
  expectNoticed(replaced(R"((%c1_i32\w*) = arith\.constant 1 : i32\n(\s*%\w+ = arith\.andi %\w+, \1 : i32))",
                         "$1 = arith.constant 0 : i32\n$2"));
}

TEST_P(CooperativeSums, PostsThatAreNoAtomicAccesses) {
  for (const char *access : {"llvm.store", "llvm.load"})
    expectNoticed(
        replaced("(" + std::string(access) + R"( %\w+(, %\w+)?) atomic syncscope\("device"\) monotonic)", "$1"),
        /*everywhere=*/true);
}

TEST_P(CooperativeSums, MemoryThatIsNotZero) {
  manifest = std::regex_replace(manifest, std::regex(R"("zeroedBytes": \d+)"), "\"zeroedBytes\": 0");
  expectNoticed(text); // where blocks ask before others have posted
}

TEST_P(CooperativeSums, BlocksThatAreNotAllThere) {
  manifest = std::regex_replace(manifest, std::regex(R"("team": \d+,)"), "");
  expectNoticed(text);
}

// Of blocks that play several ranks: one waits before it has posted all its parts; what it has begun lies where the
// next part comes to lie; it finishes the last of its parts only.

TEST_P(CooperativeSums, WaitsBeforeAllIsPosted) {
  expectNoticed(replaced(R"(arith\.cmpi uge, (%\w+), %\w+ : i32)", "arith.cmpi eq, $1, $1 : i32"), false, {1, 2, 3});
}

TEST_P(CooperativeSums, OnePlaceForAllVisits) {
  expectNoticed(
      replaced(R"(arith\.addi (%\w+), %\w+ : i32(\n\s*(%c1_i32\w*) = .*\n\s*%\w+ = arith\.andi %\w+, \3 : i32))",
               "arith.addi $1, $1 : i32$2"),
      false, {1, 2, 3});
}

TEST_P(CooperativeSums, OneVisitForEachRank) {
  expectNoticed(replaced(R"(arith\.addi (%\w+), \1 : i32)", "arith.minui $1, $1 : i32"), false, {1, 2, 3});
}

INSTANTIATE_TEST_SUITE_P(Turns, CooperativeSums, ::testing::Bool(),
                         [](const auto &info) { return info.param ? "Four" : "One"; });

class CooperativeMaps : public CooperativeKernels {
protected:
  void SetUp() override { lower("cooperative_records.mlir", 1024); }
};

TEST_F(CooperativeMaps, AreRightInEveryOrder) {
  expectRightInEveryOrder({1, 2, 5}, {1, 3, 4, 7});
  std::vector<Pair> result;
  EXPECT_TRUE(faults(text, {}, 5, &result).empty());
  auto bits = [](float number) {
    uint32_t value;
    std::memcpy(&value, &number, sizeof value);
    return value;
  };
  for (size_t b = 0; b < 5; ++b) {
    uint32_t factor = 1, offset = 0; // of x -> factor · x + offset, modulo 2^32
    for (size_t i = b * floats; i < (b + 1) * floats; i += 2) {
      EXPECT_EQ(bits(numberAt(result, i)), factor);
      EXPECT_EQ(bits(numberAt(result, i + 1)), offset);
      uint32_t a = bits(inputAt(i)), c = bits(inputAt(i + 1));
      factor *= a;
      offset = offset * a + c;
    }
  }
}

} // namespace
