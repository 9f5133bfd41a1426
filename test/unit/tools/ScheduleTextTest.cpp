// Schedules cut into launches.
#include "compiler/tools/ScheduleText.h"

#include "gtest/gtest.h"

using namespace idc::tools;

namespace {

TEST(ScheduleText, SchedulesOfAFile) {
  auto schedules =
      schedulesOf("// a comment\n\nschedule f for sm_90 {\n  kernel grid {\n  }\n}\n\nschedule g for sm_90 "
                  "where n == 2 {\n}\n");
  ASSERT_EQ(schedules.size(), 2u);
  EXPECT_EQ(schedules["schedule f for sm_90 {"], "schedule f for sm_90 {\n  kernel grid {\n  }\n}\n");
  EXPECT_EQ(schedules["schedule g for sm_90 where n == 2 {"], "schedule g for sm_90 where n == 2 {\n}\n");
}

TEST(ScheduleText, Launches) {
  std::vector<LaunchText> launches = launchesOf("schedule f for sm_90 {\n"
                                                "  kernel grid {\n"
                                                "    load { reg(1) }\n"
                                                "    steps 1..2 { reg(2) }\n"
                                                "    steps 3..5 { reg(3) }\n"
                                                "    order [1, 2, 3]\n"
                                                "  }\n"
                                                "  kernel dependent {\n"
                                                "    steps 6..7 { reg(1) }\n"
                                                "  }\n"
                                                "}\n");
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].first, 1);
  EXPECT_EQ(launches[0].last, 5);
  EXPECT_EQ(launches[0].in, "");
  EXPECT_EQ(launches[0].out, "[1, 2, 3]");
  EXPECT_EQ(launches[1].first, 6);
  EXPECT_EQ(launches[1].last, 7);
  EXPECT_EQ(launches[1].in, "[1, 2, 3]");
  EXPECT_EQ(launches[1].out, "");
  EXPECT_EQ(launches[1].kernels, "  kernel dependent {\n    steps 6..7 { reg(1) }\n  }\n");
  EXPECT_NE(launches[0].key(), launches[1].key());
}

TEST(ScheduleText, PassesOfARingAreOneLaunch) {
  std::vector<LaunchText> launches = launchesOf("schedule f for sm_90 {\n"
                                                "  kernel grid {\n"
                                                "    steps 1..4 { reg(1) }\n"
                                                "    order [2, 1]\n"
                                                "    ring 3 delay 8\n"
                                                "  }\n"
                                                "  kernel grid {\n"
                                                "    steps 5..8 { reg(2) }\n"
                                                "  }\n"
                                                "}\n");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].first, 1);
  EXPECT_EQ(launches[0].last, 8);
  EXPECT_EQ(launches[0].in, "");
  EXPECT_EQ(launches[0].out, "");
}

} // namespace
