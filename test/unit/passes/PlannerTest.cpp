// Plans of many programs: every step once and in order, its digits in registers, the machine's limits, full runs.
#include "compiler/passes/Planner.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace idc;
using namespace idc::passes;
using digits::Field;
using digits::Mapping;

namespace {

Target target(const char *name) {
  Target machine;
  std::string error;
  EXPECT_TRUE(findTarget(name, machine, error)) << error;
  return machine;
}

digits::AddressOrder ascending(int n) {
  digits::AddressOrder order(n);
  std::iota(order.begin(), order.end(), 1);
  return order;
}

PlanRequest request(int n, int64_t bytes, std::vector<std::vector<int>> steps, bool reversed) {
  PlanRequest result;
  result.numDigits = n;
  result.elementBytes = result.registerBytes = result.loadBytes = result.storeBytes = bytes;
  result.stepDigits = std::move(steps);
  result.loadOrder = result.storeOrder = ascending(n);
  if (reversed)
    std::reverse(result.storeOrder.begin(), result.storeOrder.end());
  return result;
}

/// What a schedule must obey for any program and machine.
void checkSchedule(const PlanRequest &request, const Target &machine) {
  Schedule schedule;
  std::string error;
  ASSERT_TRUE(planSchedule(request, machine, schedule, error)) << error;
  ASSERT_FALSE(schedule.kernels.empty());
  int next = 1;
  for (const KernelPlan &kernel : schedule.kernels) {
    ASSERT_FALSE(kernel.ranges.empty());
    const digits::Launch &launch = kernel.launch;
    EXPECT_TRUE(!launch.dependent || (machine.dependentLaunch && &kernel != &schedule.kernels.front()));
    EXPECT_TRUE(!launch.persistent || (launch.cluster > 1 && request.elementBytes <= 8 && !launch.dependent));
    EXPECT_EQ(launch.team, 1);
    EXPECT_LE(launch.cluster, machine.maxCluster);
    const Mapping &first = kernel.ranges.front().mapping;
    for (const RangePlan &range : kernel.ranges) {
      SCOPED_TRACE(range.mapping.str());
      EXPECT_EQ(range.mapping.check(), "");
      EXPECT_TRUE(range.mapping.isDigitForm());
      EXPECT_TRUE(range.mapping.missing(request.numDigits).empty());
      EXPECT_TRUE(range.mapping.missing(static_cast<int>(range.mapping.digits().size())).empty())
          << "batch digits are the lowest ones";
      EXPECT_EQ(range.mapping.digits(), first.digits());
      EXPECT_EQ(range.mapping[Field::Block], first[Field::Block]) << "blocks cannot exchange";
      EXPECT_EQ(range.mapping.extent(Field::Rank), launch.cluster);
      if (machine.kind == "cpu") {
        EXPECT_LE(range.mapping.extent(Field::Lane), machine.lanes);
        EXPECT_EQ(range.mapping.extent(Field::Lane), first.extent(Field::Lane)) << "vectors are as long in all passes";
        EXPECT_EQ(range.mapping.extent(Field::Warp), first.extent(Field::Warp));
      } else {
        EXPECT_EQ(range.mapping.extent(Field::Lane), machine.lanes);
        EXPECT_LE(range.mapping.extent(Field::Lane) * range.mapping.extent(Field::Warp), machine.maxThreadsPerBlock);
        int64_t tile = range.mapping.extent(Field::Reg) * range.mapping.extent(Field::Lane) *
                       range.mapping.extent(Field::Warp) * request.elementBytes;
        EXPECT_LE(tile, machine.sharedBytesPerBlock);
      }
      if (range.kind != RangePlan::Kind::Steps)
        continue;
      EXPECT_EQ(range.first, next);
      ASSERT_LE(range.first, range.last);
      next = range.last + 1;
      ASSERT_LE(range.last, static_cast<int>(request.stepDigits.size()));
      for (int s = range.first; s <= range.last; ++s)
        for (int digit : request.stepDigits[s - 1]) {
          digits::Place place;
          EXPECT_TRUE(range.mapping.find(digit, place) && place.field == Field::Reg) << "step " << s;
        }
    }
    // The order of a workspace names every digit once; the last kernel has the program's.
    if (&kernel == &schedule.kernels.back())
      EXPECT_TRUE(kernel.order.empty());
    else if (!kernel.order.empty()) {
      std::vector<int> order = kernel.order;
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, ascending(request.numDigits));
    }
  }
  EXPECT_EQ(next, static_cast<int>(request.stepDigits.size()) + 1) << "every step is planned";
}

void checkPlan(PlanRequest request, const Target &machine) {
  checkSchedule(request, machine);
  if (request.numDigits % 4 == 0 || machine.kind == "cpu") { // many shapes are tried for one problem alone
    SCOPED_TRACE("latency");
    request.plan = Plan::Latency;
    checkSchedule(request, machine);
  }
}

std::vector<std::vector<int>> downwards(int n) {
  std::vector<std::vector<int>> steps;
  for (int d = n; d >= 1; --d)
    steps.push_back({d});
  return steps;
}
std::vector<std::vector<int>> upwards(int n) {
  std::vector<std::vector<int>> steps = downwards(n);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

class Planner : public ::testing::TestWithParam<const char *> {};

TEST_P(Planner, OneStepPerDigit) {
  Target machine = target(GetParam());
  for (int n = 0; n <= 30; ++n)
    for (int64_t bytes : {4, 8, 16})
      for (bool reversed : {false, true}) {
        SCOPED_TRACE("n = " + std::to_string(n) + ", " + std::to_string(bytes) + " bytes");
        checkPlan(request(n, bytes, downwards(n), reversed), machine);
        checkPlan(request(n, bytes, upwards(n), reversed), machine);
      }
}

TEST_P(Planner, NodesOfTwoDigits) {
  Target machine = target(GetParam());
  for (int n = 2; n <= 30; ++n)
    for (int64_t bytes : {4, 8, 16}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", " + std::to_string(bytes) + " bytes");
      std::vector<std::vector<int>> steps;
      for (int d = n; d >= 2; d -= 2)
        steps.push_back({d, d - 1});
      checkPlan(request(n, bytes, steps, true), machine);
    }
}

TEST_P(Planner, ThereAndBack) {
  Target machine = target(GetParam());
  for (int n = 1; n <= 26; ++n) {
    SCOPED_TRACE("n = " + std::to_string(n));
    std::vector<std::vector<int>> steps = downwards(n), back = upwards(n);
    steps.insert(steps.end(), back.begin(), back.end());
    checkPlan(request(n, 8, steps, false), machine);
  }
}

TEST_P(Planner, FewSteps) {
  Target machine = target(GetParam());
  for (int n = 1; n <= 30; ++n)
    for (int64_t bytes : {4, 8, 16}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", " + std::to_string(bytes) + " bytes");
      checkPlan(request(n, bytes, {}, true), machine);
      checkPlan(request(n, bytes, {{1}}, true), machine);
      checkPlan(request(n, bytes, {{n}}, false), machine);
      checkPlan(request(n, bytes, {{1}, {n}, {1}}, true), machine);
    }
}

TEST_P(Planner, RandomPrograms) {
  Target machine = target(GetParam());
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    int n = 1 + static_cast<int>(random() % 30);
    std::vector<std::vector<int>> steps(random() % 40);
    for (std::vector<int> &step : steps) {
      std::vector<int> digits = ascending(n);
      std::shuffle(digits.begin(), digits.end(), random);
      digits.resize(std::min<size_t>(n, 1 + random() % 2));
      step = digits;
    }
    PlanRequest plan = request(n, int64_t(4) << random() % 3, steps, false);
    std::shuffle(plan.storeOrder.begin(), plan.storeOrder.end(), random);
    SCOPED_TRACE("program " + std::to_string(i) + ", n = " + std::to_string(n));
    checkPlan(plan, machine);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Planner, ::testing::Values("sm_90", "sm_80", "cpu"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Planner, FewestTripsToMemory) {
  Target machine = target("sm_90");
  auto kernels = [&](int n, int64_t bytes) {
    Schedule schedule;
    std::string error;
    EXPECT_TRUE(planSchedule(request(n, bytes, downwards(n), true), machine, schedule, error)) << error;
    return schedule.kernels.size();
  };
  for (int n = 1; n <= 13; ++n)
    EXPECT_EQ(kernels(n, 8), 1u) << n;
  for (int n = 15; n <= 17; ++n)
    EXPECT_EQ(kernels(n, 8), 1u) << n; // of clusters
  for (int n = 18; n <= 22; ++n)
    EXPECT_EQ(kernels(n, 8), 2u) << n;
  EXPECT_EQ(kernels(12, 16), 1u);
}

TEST(Planner, NodeLargerThanAnyTile) {
  for (const char *name : {"sm_90", "sm_80", "cpu"})
    for (Plan plan : {Plan::Throughput, Plan::Latency}) {
      Schedule schedule;
      std::string error;
      PlanRequest large = request(20, 8, {ascending(16)}, false);
      large.plan = plan;
      EXPECT_FALSE(planSchedule(large, target(name), schedule, error)) << name;
      EXPECT_NE(error.find("a step acts on more digits than"), std::string::npos) << error;
      EXPECT_NE(error.find(name), std::string::npos) << error;
    }
}

TEST(Planner, OneProblemIsSpreadOverMoreBlocks) {
  auto blocks = [](Plan plan, int n) {
    PlanRequest program = request(n, 8, downwards(n), true);
    program.plan = plan;
    Schedule schedule;
    std::string error;
    EXPECT_TRUE(planSchedule(program, target("sm_90"), schedule, error)) << error;
    int64_t least = int64_t(1) << 62;
    for (const KernelPlan &kernel : schedule.kernels) {
      const Mapping &mapping = kernel.ranges.front().mapping;
      least = std::min(least, mapping.extent(Field::Block) * mapping.extent(Field::Rank));
    }
    return least;
  };
  for (int n : {12, 15, 18, 20}) {
    EXPECT_GT(blocks(Plan::Latency, n), blocks(Plan::Throughput, n)) << n;
    EXPECT_GE(blocks(Plan::Latency, n), n < 16 ? 4 : 64) << n;
  }
}

TEST(Planner, CandidatesAreDifferentSchedulesUntilThereAreNoMore) {
  PlanRequest program = request(3, 8, downwards(3), true);
  program.plan = Plan::Latency;
  std::string error;
  std::set<std::string> seen;
  const std::vector<Candidate> candidates = planCandidates(program, target("sm_90"), 10000, error);
  for (const Candidate &candidate : candidates)
    EXPECT_TRUE(seen.insert(printSchedule(candidate.schedule, "f", "sm_90", "")).second);
  EXPECT_GT(seen.size(), 5u);
  EXPECT_LT(seen.size(), 10000u);
}

/// The cost of a schedule is the sum of its kernels' costs, and the plan is the first of the candidates.
TEST(Planner, CandidatesAreOrderedByWhatWasCountedOfTheirKernels) {
  for (Plan plan : {Plan::Throughput, Plan::Latency})
    for (int n : {6, 13, 15, 20}) {
      PlanRequest program = request(n, 8, downwards(n), true);
      program.plan = plan;
      std::string error;
      Schedule schedule;
      ASSERT_TRUE(planSchedule(program, target("sm_90"), schedule, error)) << error;
      const std::vector<Candidate> candidates = planCandidates(program, target("sm_90"), 5, error);
      ASSERT_FALSE(candidates.empty()) << error;
      EXPECT_EQ(printSchedule(candidates.front().schedule, "f", "sm_90", ""),
                printSchedule(schedule, "f", "sm_90", ""));
      double before = 0;
      for (const Candidate &candidate : candidates) {
        EXPECT_LE(before, candidate.cost.cost);
        before = candidate.cost.cost;
        ASSERT_EQ(candidate.cost.kernels.size(), candidate.schedule.kernels.size());
        double sum = 0;
        for (const KernelCost &kernel : candidate.cost.kernels) {
          EXPECT_FALSE(kernel.counted.empty());
          sum += kernel.cost;
        }
        const bool hasRing = candidate.schedule.kernels.front().ring > 0;
        EXPECT_NEAR(sum * (hasRing ? 0.9 : 1), candidate.cost.cost, 1e-6 * sum) << n;
      }
    }
}

TEST(Planner, MemoryIsPlannedInTheBytesOfInputAndOutput) {
  PlanRequest plan = request(12, 4, downwards(12), false);
  plan.loadBytes = plan.storeBytes = 2;
  checkPlan(plan, target("sm_90"));
  Schedule schedule;
  std::string error;
  ASSERT_TRUE(planSchedule(plan, target("sm_90"), schedule, error)) << error;
  ASSERT_EQ(schedule.kernels.size(), 1u);
  // Lanes that load two bytes each would make runs of 64; three digits in registers are 16 bytes.
  for (const RangePlan *range : {&schedule.kernels[0].ranges.front(), &schedule.kernels[0].ranges.back()})
    for (int digit : {1, 2, 3}) {
      digits::Place place;
      EXPECT_TRUE(range->mapping.find(digit, place) && place.field == Field::Reg) << range->mapping.str();
    }
  EXPECT_EQ(schedule.kernels[0].ranges.front().kind, RangePlan::Kind::Load);
  plan.storeBytes = 4;
  Schedule narrowing;
  ASSERT_TRUE(planSchedule(plan, target("sm_90"), narrowing, error)) << error;
  digits::Place place;
  EXPECT_TRUE(narrowing.kernels[0].ranges.front().mapping.find(3, place) && place.field == Field::Reg);
  EXPECT_TRUE(narrowing.kernels[0].ranges.back().mapping.find(3, place) && place.field != Field::Reg)
      << "four numbers of four bytes are the widest access";
}

TEST(Planner, RunBytes) {
  EXPECT_EQ(runBytes({}, {1, 2, 3}, 8), 8);
  EXPECT_EQ(runBytes({2, 3}, {1, 2, 3}, 8), 8);
  EXPECT_EQ(runBytes({1, 3}, {1, 2, 3}, 8), 16);
  EXPECT_EQ(runBytes({1, 2, 3}, {3, 1, 2}, 4), 32);
  EXPECT_EQ(runBytes({1, 2, 3}, {}, 4), 4);
}

TEST(Planner, GroupsOfSteps) {
  PlanRequest plan = request(6, 8, {{6}, {5, 4}, {4}, {3, 2, 1}, {1}}, false);
  EXPECT_EQ(digitsOfSteps(plan, 1, 3), (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(digitsOfSteps(plan, 4, 3), (std::vector<int>{}));
  using Groups = std::vector<std::pair<int, int>>;
  EXPECT_EQ(groupSteps(plan, 1, 5, 3), (Groups{{1, 3}, {4, 5}}));
  EXPECT_EQ(groupSteps(plan, 1, 5, 2), (Groups{{1, 1}, {2, 3}, {4, 4}, {5, 5}}))
      << "a larger step is a group of its own";
  EXPECT_EQ(remainingDigits(plan, {2, 7, 5}), (std::vector<int>{1, 3, 4, 6}));
}

TEST(Planner, KernelsEndWhereTheirCodeWouldBeTooLong) {
  constexpr int steps = 1000;
  constexpr int64_t operations = 40; // of a step, for an element
  std::vector<std::vector<int>> digits;
  for (int step = 0; step < steps; ++step)
    digits.push_back({1 + step % 12});
  for (const char *name : {"sm_90", "cpu"}) {
    SCOPED_TRACE(name);
    PlanRequest plan = request(12, 4, digits, false);
    for (int step = 0; step <= steps; ++step)
      plan.operationsUpTo.push_back(step * operations);
    Schedule schedule;
    std::string error;
    ASSERT_TRUE(planSchedule(plan, target(name), schedule, error)) << error;
    checkSchedule(plan, target(name));
    for (const KernelPlan &kernel : schedule.kernels) {
      int64_t all = 0;
      for (const RangePlan &range : kernel.ranges)
        if (range.kind == RangePlan::Kind::Steps)
          all += (range.last - range.first + 1) * operations * range.mapping.extent(Field::Reg);
      EXPECT_LE(all, maxKernelOperations);
    }
  }
}

TEST(Planner, AStepWithTooManyOperationsIsAKernel) {
  PlanRequest plan = request(12, 4, {{1}, {2}, {3}}, false);
  plan.operationsUpTo = {0, 1, 1 + 2 * maxKernelOperations, 2 + 2 * maxKernelOperations};
  Schedule schedule;
  std::string error;
  ASSERT_TRUE(planSchedule(plan, target("sm_90"), schedule, error)) << error;
  EXPECT_EQ(schedule.kernels.size(), 3u);
}

} // namespace
