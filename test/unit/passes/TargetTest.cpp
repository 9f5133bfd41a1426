// The machines' data files.
#include "compiler/passes/Target.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace idc::passes;

TEST(Target, Names) {
  std::vector<std::string> names = targetNames();
  EXPECT_EQ(names, (std::vector<std::string>{"cpu", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90",
                                             "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"}));
}

TEST(Target, NewestForCapability) {
  EXPECT_EQ(newestTargetFor(9, 0), "sm_90");
  EXPECT_EQ(newestTargetFor(12, 1), "sm_121");
  EXPECT_EQ(newestTargetFor(8, 2), "sm_80") << "none of its own";
  EXPECT_EQ(newestTargetFor(15, 0), "sm_121") << "newer than all";
  EXPECT_EQ(newestTargetFor(7, 0), "");
}

/// What is like another machine has its costs and its own resources.
TEST(Target, Like) {
  Target target, base;
  std::string error;
  ASSERT_TRUE(findTarget("sm_89", target, error) && findTarget(target.like, base, error)) << error;
  EXPECT_EQ(target.like, "sm_80");
  EXPECT_EQ(base.like, "");
  EXPECT_EQ(target.passes.accesses, base.passes.accesses);
  EXPECT_LT(target.sharedBytesPerBlock, base.sharedBytesPerBlock);
  EXPECT_LT(target.threadsPerMultiprocessor, base.threadsPerMultiprocessor);
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
    EXPECT_GE(target.groups.hidden, 1) << "the least bytes cost themselves";
    EXPECT_EQ(target.clusters.full > 1, target.maxCluster > 1) << "only clusters have factors";
    EXPECT_GE(target.maxTileBytes, target.tileBytes);
    EXPECT_GE(target.vectorBytes, 4);
    if (target.kind == "nvptx") {
      EXPECT_EQ(target.chip, name);
      EXPECT_LE(target.maxTileBytes, target.sharedBytesPerBlock);
      EXPECT_LE(target.sharedBytesPerBlock, target.sharedBytesPerMultiprocessor);
      EXPECT_FALSE(target.features.empty());
    }
    for (const RunCosts *costs : {&target.loadRunCost, &target.storeRunCost}) {
      for (const CostTable *table : {&costs->near, &costs->far}) {
        EXPECT_TRUE(std::is_sorted(table->begin(), table->end()));
        for (size_t i = 1; i < table->size(); ++i)
          EXPECT_LE((*table)[i].second, (*table)[i - 1].second) << "longer runs are not dearer";
      }
      EXPECT_TRUE(costs->far.empty() || costs->nearBytes < costs->farBytes);
      for (int64_t run = 16; run <= 1024; run *= 2)
        EXPECT_LE(costs->at(run, 1 << 20), costs->at(run, int64_t(1) << 40)) << "large problems are not cheaper";
    }
    EXPECT_EQ(target.clusterCost.empty(), target.maxCluster == 1);
    for (size_t i = 1; i < target.clusterCost.size(); ++i)
      EXPECT_GE(target.clusterCost[i].second, target.clusterCost[i - 1].second) << "larger clusters are not cheaper";
  }
}

/// Nothing was measured on sm_100: its costs stay those of sm_90.
TEST(Target, UnmeasuredCosts) {
  Target measured, unmeasured;
  std::string error;
  ASSERT_TRUE(findTarget("sm_90", measured, error) && findTarget("sm_100", unmeasured, error)) << error;
  EXPECT_EQ(unmeasured.loadRunCost.near, measured.loadRunCost.near);
  EXPECT_EQ(unmeasured.loadRunCost.far, measured.loadRunCost.far);
  EXPECT_EQ(unmeasured.storeRunCost.near, measured.storeRunCost.near);
  EXPECT_EQ(unmeasured.storeRunCost.far, measured.storeRunCost.far);
  EXPECT_EQ(unmeasured.clusterCost, measured.clusterCost);
  EXPECT_EQ(unmeasured.clusters.full, measured.clusters.full);
  EXPECT_EQ(unmeasured.groups.team, measured.groups.team);
  EXPECT_EQ(unmeasured.ringBytes, measured.ringBytes);
  EXPECT_EQ(unmeasured.ringCost, measured.ringCost);
  EXPECT_EQ(unmeasured.latency.load, measured.latency.load);
}

TEST(Target, UnknownName) {
  Target target;
  std::string error;
  EXPECT_FALSE(findTarget("sm_12", target, error));
  EXPECT_EQ(error.rfind("unknown target 'sm_12'; known are cpu", 0), 0u) << error;
}

TEST(Target, RunCosts) {
  RunCosts costs{{{32, 1.5}, {64, 1.0}}, {{32, 2.5}, {64, 2.0}}, 1 << 10, 1 << 14};
  EXPECT_EQ(costs.at(32, 1 << 9), 1.5);
  EXPECT_EQ(costs.at(64, 1 << 10), 1);
  EXPECT_EQ(costs.at(64, 1 << 11), 1.25) << "a quarter of the way";
  EXPECT_EQ(costs.at(64, 1 << 12), 1.5) << "half of the way";
  EXPECT_EQ(costs.at(32, 1 << 20), 2.5);
  costs.far.clear();
  EXPECT_EQ(costs.at(32, 1 << 20), 1.5);
}

TEST(Target, CostAt) {
  CostTable table;
  EXPECT_EQ(costAt(table, 8), 1) << "no table";
  table = {{16, 4.0}, {32, 2.0}, {128, 1.0}};
  EXPECT_EQ(costAt(table, 16), 4);
  EXPECT_EQ(costAt(table, 8), 8) << "half the bytes of each access";
  EXPECT_EQ(costAt(table, 64), 2);
  EXPECT_EQ(costAt(table, 4096), 1);
}

TEST(Target, ResidentBlocks) {
  Target target;
  std::string error;
  ASSERT_TRUE(findTarget("sm_90", target, error)) << error;
  EXPECT_LT(target.registersBeside(16), target.registersBeside(17));
  EXPECT_LT(target.registersBeside(64), target.registersBeside(65));
  EXPECT_EQ(target.residentBlocks(256, 64, 0), 4);            // registers
  EXPECT_EQ(target.residentBlocks(1024, 32, 0), 2);           // threads
  EXPECT_EQ(target.residentBlocks(256, 64, 100 * 1024), 2);   // shared memory
  EXPECT_EQ(target.residentBlocks(32, 40, 0), 32);            // blocks
  EXPECT_EQ(target.residentBlocks(1024, 168, 200 * 1024), 1); // the assembler then takes fewer registers
  EXPECT_EQ(target.residentBlocksOfWarps(256, 64, 0), 4);
  EXPECT_EQ(target.residentBlocksOfWarps(256, 64, 100 * 1024), 2);
  EXPECT_EQ(target.residentBlocksOfWarps(80, 80, 0), 8);    // of three warps, six to a scheduler; 10 by registers alone
  EXPECT_EQ(target.residentBlocksOfWarps(80, 85, 0), 6);    // 88 registers, five to a scheduler
  EXPECT_EQ(target.residentBlocksOfWarps(144, 72, 0), 5);   // of five warps, seven to a scheduler
  EXPECT_EQ(target.residentBlocksOfWarps(1024, 168, 0), 1); // the assembler then takes fewer registers
}
