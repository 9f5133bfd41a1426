// Schedules as data, and their conditions.
#include "FrontendFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {
const char *text = R"(
algorithm f<T = f32>(x: T[2^n]) -> T[2^n] { return x; }
schedule f for sm_90 where n == 13 && T == f32 {
  kernel plain {
    load { warp(13..9) lane(8..4) reg(3 2 1) }
    steps 1..5 { reg(13..9) warp(8..6) lane(5..1) }
    steps 6 { reg(8..4) lane((3^7) 2 _) }
    store { }
    order [13..10 1 2]
  }
  kernel cluster 8 { steps 7..13 { rank(13..11) turn(1) } }
}
schedule f for sm_90 where n > 13 || T == complex<f64> { kernel dependent-launch { steps 1..2 { } } }
schedule f for sm_80 { kernel tickets { } kernel tickets blocks 4 { } kernel cooperative blocks 2 { } }
schedule f for sm_90 plan latency where n < 14 { kernel dependent-launch blocks 4 { } }
schedule f for sm_90 plan throughput where n < 13 { kernel plain { } }
)";

/// The entry f as it is elaborated.
Program program(int64_t n, const std::string &type = "f32") {
  Program result;
  result.entry = "f";
  result.sizes = {{"n", n}};
  result.types = {{"T", type}};
  return result;
}
} // namespace

TEST(Schedule, Fields) {
  Diagnostics diagnostics;
  auto source = parseText(text, "test.id", {}, diagnostics);
  ASSERT_TRUE(source) << diagnostics.str();
  const ScheduleDecl &schedule = *source->main().schedules[0];
  EXPECT_EQ(schedule.entry.text, "f");
  EXPECT_EQ(schedule.target, "sm_90");
  ASSERT_EQ(schedule.kernels.size(), 2u);
  const ScheduleKernel &plain = schedule.kernels[0];
  ASSERT_EQ(plain.ranges.size(), 4u);
  EXPECT_EQ(plain.ranges[0].kind, ScheduleRange::Kind::Load);
  EXPECT_EQ(plain.ranges[1].mapping, "reg(13..9) warp(8..6) lane(5..1)");
  EXPECT_EQ(plain.ranges[2].first, 6);
  EXPECT_EQ(plain.ranges[2].last, 6);
  EXPECT_EQ(plain.ranges[2].mapping, "reg(8..4) lane((3^7) 2 _)");
  EXPECT_EQ(plain.order, (std::vector<int>{13, 12, 11, 10, 1, 2}));
  EXPECT_EQ(schedule.kernels[1].launch.str(), "cluster 8");
  const ScheduleDecl &tickets = *source->main().schedules[2];
  ASSERT_EQ(tickets.kernels.size(), 3u);
  // As earlier versions spelled them.
  EXPECT_EQ(tickets.kernels[0].launch.str(), "persistent");
  EXPECT_EQ(tickets.kernels[1].launch.str(), "cluster 4 persistent");
  EXPECT_EQ(tickets.kernels[2].launch.str(), "team 2");
}

TEST(Schedule, TheFirstWhoseConditionHolds) {
  Diagnostics diagnostics;
  auto source = parseText(text, "test.id", {}, diagnostics);
  ASSERT_TRUE(source) << diagnostics.str();
  auto find = [&](const std::string &target, int64_t n, const std::string &type) {
    auto found = findSchedule(*source, program(n, type), target, "throughput", {}, diagnostics);
    EXPECT_TRUE(found.has_value()) << diagnostics.str();
    for (size_t i = 0; i < source->main().schedules.size(); ++i)
      if (*found == source->main().schedules[i].get())
        return static_cast<int>(i);
    return -1;
  };
  EXPECT_EQ(find("sm_90", 13, "f32"), 0);
  EXPECT_EQ(find("sm_90", 13, "f64"), -1);
  EXPECT_EQ(find("sm_90", 14, "f32"), 1);
  EXPECT_EQ(find("sm_90", 3, "complex<f64>"), 1);
  EXPECT_EQ(find("sm_80", 3, "f32"), 2);
  EXPECT_EQ(find("sm_75", 3, "f32"), -1);
}

TEST(Schedule, OfAPlan) {
  Diagnostics diagnostics;
  auto source = parseText(text, "test.id", {}, diagnostics);
  ASSERT_TRUE(source) << diagnostics.str();
  EXPECT_TRUE(check(*source, diagnostics)) << diagnostics.str();
  const auto &schedules = source->main().schedules;
  auto find = [&](const std::string &plan, int64_t n) {
    auto found = findSchedule(*source, program(n), "sm_90", plan, {}, diagnostics);
    return found ? *found : nullptr;
  };
  EXPECT_EQ(find("throughput", 13), schedules[0].get());
  EXPECT_EQ(find("latency", 13), schedules[3].get());
  EXPECT_EQ(find("latency", 14), nullptr);
  EXPECT_EQ(find("throughput", 12), schedules[4].get());
  EXPECT_EQ(schedules[3]->kernels[0].launch.str(), "cluster 4 dependent");
}

TEST(Schedule, OfChoices) {
  Diagnostics diagnostics;
  auto source = parseText("algorithm f<T = f32, c: choice 0..4 = 1, b: bool>(x: T[2^n]) -> T[2^n] { return x; }\n"
                          "schedule f for sm_90 where b { with c = 2 kernel plain { } }\n"
                          "schedule f for sm_90 where T == f32 { kernel plain { } }\n",
                          "test.id", {}, diagnostics);
  ASSERT_TRUE(source && check(*source, diagnostics)) << diagnostics.str();
  const auto &schedules = source->main().schedules;
  EXPECT_EQ(schedules[0]->choices[0].value, 2);
  auto find = [&](bool b, const SizeMap &set) {
    Program with = program(3);
    with.types.push_back({"b", b ? "true" : "false"});
    with.choices = {{"c", 1, 0, 4, 1}};
    auto found = findSchedule(*source, with, "sm_90", "throughput", set, diagnostics);
    return found ? *found : nullptr;
  };
  EXPECT_EQ(find(true, {}), schedules[0].get());
  EXPECT_EQ(find(false, {}), schedules[1].get());
  EXPECT_EQ(find(true, {{"c", 2}}), schedules[0].get());
  EXPECT_EQ(find(true, {{"c", 1}}), schedules[1].get()); // what the other one does not say is the default
  EXPECT_EQ(find(true, {{"c", 3}}), nullptr);
}

TEST(Schedule, MistakesAreDiagnosed) {
  Diagnostics diagnostics;
  auto source = parseText("algorithm f<T = f32>(x: T[2^n]) -> T[2^n] { return x; }\n"
                          "schedule f for sm_90 where m == 1 { kernel plain { } }\n"
                          "schedule g for sm_90 { }\n"
                          "schedule f for sm_90 plan quick { }\n",
                          "test.id", {}, diagnostics);
  ASSERT_TRUE(source) << diagnostics.str();
  EXPECT_FALSE(findSchedule(*source, program(1), "sm_90", "throughput", {}, diagnostics).has_value());
  EXPECT_FALSE(check(*source, diagnostics));
  EXPECT_NE(diagnostics.str().find("there is no algorithm 'g' to schedule"), std::string::npos);
  EXPECT_NE(diagnostics.str().find("a plan is 'throughput' or 'latency', not 'quick'"), std::string::npos);
}
