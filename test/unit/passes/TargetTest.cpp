// The machines' data files.
#include "compiler/passes/Target.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace idc::passes;

TEST(Target, Names) {
  std::vector<std::string> names = targetNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char *name : {"cpu", "sm_80", "sm_90"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

TEST(Target, EveryFileIsWhole) {
  for (const std::string &name : targetNames()) {
    SCOPED_TRACE(name);
    Target target;
    std::string error;
    ASSERT_TRUE(findTarget(name, target, error)) << error;
    EXPECT_EQ(target.name, name);
    EXPECT_TRUE(target.kind == "nvptx" || target.kind == "cpu");
    EXPECT_FALSE(target.chip.empty());
    EXPECT_GT(target.lanes, 0);
    EXPECT_EQ(target.lanes & (target.lanes - 1), 0) << "lanes are digits of radix 2";
    EXPECT_GE(target.maxThreadsPerBlock, 1);
    EXPECT_GE(target.maxTileBytes, target.tileBytes);
    EXPECT_GE(target.vectorBytes, 4);
    if (target.kind == "nvptx") {
      EXPECT_EQ(target.chip, name);
      EXPECT_LE(target.maxTileBytes, target.sharedBytesPerBlock);
      EXPECT_LE(target.sharedBytesPerBlock, target.sharedBytesPerMultiprocessor);
      EXPECT_FALSE(target.features.empty());
    }
    EXPECT_TRUE(std::is_sorted(target.runCost.begin(), target.runCost.end()));
    for (size_t i = 1; i < target.runCost.size(); ++i)
      EXPECT_LE(target.runCost[i].second, target.runCost[i - 1].second) << "longer runs are not dearer";
  }
}

TEST(Target, UnknownName) {
  Target target;
  std::string error;
  EXPECT_FALSE(findTarget("sm_12", target, error));
  EXPECT_EQ(error.rfind("unknown target 'sm_12'; known are cpu", 0), 0u) << error;
}

TEST(Target, CostOfRun) {
  Target target;
  EXPECT_EQ(target.costOfRun(8), 1) << "no table";
  target.runCost = {{16, 4.0}, {32, 2.0}, {128, 1.0}};
  EXPECT_EQ(target.costOfRun(16), 4);
  EXPECT_EQ(target.costOfRun(8), 8) << "half the bytes of each access";
  EXPECT_EQ(target.costOfRun(64), 2);
  EXPECT_EQ(target.costOfRun(4096), 1);
}
