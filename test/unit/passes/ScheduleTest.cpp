// Schedules as attributes, there and back, and as text.
#include "compiler/passes/Schedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace idc;
using namespace idc::passes;

namespace {

digits::Mapping mapping(const std::string &text, const std::vector<int> &radices = {}) {
  digits::Mapping result;
  std::string error;
  EXPECT_TRUE(digits::Mapping::parse(text, radices, result, error)) << error;
  return result;
}

Schedule twoKernels() {
  Schedule schedule;
  KernelPlan first;
  first.ranges.push_back({RangePlan::Kind::Load, 0, 0, mapping("reg(1) lane(6..2)")});
  first.ranges.push_back({RangePlan::Kind::Steps, 1, 3, mapping("reg(6..4) lane(8..7, 3..1)")});
  first.order = {3, 1, 2, 4, 5, 6};
  KernelPlan second;
  second.launch.cluster = 4;
  second.ranges.push_back({RangePlan::Kind::Steps, 4, 6, mapping("reg(3..1) lane(_, 4, 5) rank(6)")});
  second.ranges.push_back({RangePlan::Kind::Store, 0, 0, mapping("reg(3) lane((1^2), 2, 4, 5) rank(6)")});
  schedule.kernels = {first, second};
  return schedule;
}

TEST(Schedule, AttributeAndBack) {
  mlir::MLIRContext context;
  Schedule schedule = twoKernels(), read;
  std::string error;
  ASSERT_TRUE(fromAttribute(toAttribute(schedule, &context), {2, 2, 2, 2, 2, 2}, read, error)) << error;
  ASSERT_EQ(read.kernels.size(), 2u);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(read.kernels[k].launch, schedule.kernels[k].launch);
    EXPECT_EQ(read.kernels[k].order, schedule.kernels[k].order);
    ASSERT_EQ(read.kernels[k].ranges.size(), schedule.kernels[k].ranges.size());
    for (size_t i = 0; i < read.kernels[k].ranges.size(); ++i) {
      const RangePlan &a = read.kernels[k].ranges[i], &b = schedule.kernels[k].ranges[i];
      EXPECT_EQ(a.kind, b.kind);
      EXPECT_EQ(a.first, b.first);
      EXPECT_EQ(a.last, b.last);
      EXPECT_EQ(a.mapping, b.mapping);
    }
  }
  EXPECT_EQ(toAttribute(read, &context), toAttribute(schedule, &context));
}

TEST(Schedule, RadicesBelongToTheDigits) {
  mlir::MLIRContext context;
  Schedule schedule, read;
  schedule.kernels.emplace_back();
  schedule.kernels[0].ranges.push_back({RangePlan::Kind::Steps, 1, 1, mapping("reg(2) lane(1)", {3, 5})});
  std::string error;
  ASSERT_TRUE(fromAttribute(toAttribute(schedule, &context), {3, 5}, read, error)) << error;
  EXPECT_EQ(read.kernels[0].ranges[0].mapping.extent(digits::Field::Reg), 5);
  EXPECT_EQ(read.kernels[0].ranges[0].mapping.extent(digits::Field::Lane), 3);
}

TEST(Schedule, Malformed) {
  mlir::MLIRContext context;
  mlir::Builder b(&context);
  Schedule schedule;
  std::string error;
  EXPECT_TRUE(fromAttribute(b.getArrayAttr({}), {}, schedule, error));
  EXPECT_TRUE(schedule.kernels.empty());
  auto fails = [&](mlir::Attribute kernel) {
    error.clear();
    return !fromAttribute(b.getArrayAttr(kernel), {2, 2}, schedule, error) && !error.empty();
  };
  auto entry = [&](const char *name, mlir::Attribute value) { return b.getNamedAttr(name, value); };
  mlir::Attribute grid = b.getStringAttr("grid"), none = b.getArrayAttr({});
  EXPECT_TRUE(fails(b.getUnitAttr()));
  EXPECT_TRUE(fails(b.getDictionaryAttr({entry("launch", grid)})));
  EXPECT_TRUE(fails(b.getDictionaryAttr({entry("ranges", none)})));
  auto ranges = [&](llvm::ArrayRef<mlir::NamedAttribute> range) {
    return b.getDictionaryAttr({entry("launch", grid), entry("ranges", b.getArrayAttr(b.getDictionaryAttr(range)))});
  };
  mlir::Attribute map = b.getStringAttr("reg(2..1)");
  EXPECT_TRUE(fails(ranges({entry("range", b.getStringAttr("load"))})));
  EXPECT_TRUE(fails(ranges({entry("map", map)})));
  EXPECT_TRUE(fails(ranges({entry("map", map), entry("range", b.getStringAttr("steps"))})));
  EXPECT_TRUE(fails(ranges({entry("map", b.getStringAttr("reg(")), entry("range", b.getStringAttr("load"))})));
  EXPECT_TRUE(fails(ranges({entry("map", map), entry("range", b.getStringAttr("pause"))})));
}

TEST(Schedule, Text) {
  EXPECT_EQ(printSchedule(twoKernels(), "f", "sm_90", "n == 6"), R"(schedule f for sm_90 where n == 6 {
  kernel grid {
    load { reg(1) lane(6..2) }
    steps 1..3 { reg(6..4) lane(8..7, 3..1) }
    order [6, 5, 4, 2, 1, 3]
  }
  kernel cluster 4 {
    steps 4..6 { reg(3..1) lane(_, 4, 5) rank(6) }
    store { reg(3) lane((1^2), 2, 4, 5) rank(6) }
  }
}
)");
  EXPECT_EQ(printSchedule(Schedule(), "f", "cpu", ""), "schedule f for cpu {\n}\n");
}

TEST(Schedule, KernelsOfGroups) {
  Schedule schedule, read;
  KernelPlan kernel;
  kernel.apart = true;
  kernel.axes = "axes 6..1: digits 6..1 of step 1";
  RangePlan load, join;
  load.kind = RangePlan::Kind::Load;
  load.runs = 32;
  join.kind = RangePlan::Kind::Join;
  join.first = 9;
  join.last = 11;
  // Steps in one mapping that do not follow each other share a line; those that do were not put together by mistake.
  kernel.ranges = {load,
                   {RangePlan::Kind::Steps, 1, 3, mapping("reg(6..4) lane(3..1)")},
                   {RangePlan::Kind::Steps, 7, 8, mapping("reg(6..4) lane(3..1)")},
                   {RangePlan::Kind::Steps, 5, 5, mapping("reg(3..1)")},
                   join};
  schedule.kernels = {kernel};
  EXPECT_EQ(printSchedule(schedule, "f", "sm_90", ""), R"(schedule f for sm_90 {
  kernel grid {
    // axes 6..1: digits 6..1 of step 1
    apart
    load runs 32
    steps 1..3, 7..8 { reg(6..4) lane(3..1) }
    steps 5..5 { reg(3..1) }
    join 9..11
  }
}
)");
  mlir::MLIRContext context;
  std::string error;
  ASSERT_TRUE(fromAttribute(toAttribute(schedule, &context), {}, read, error)) << error;
  EXPECT_EQ(printSchedule(read, "", "", ""), printSchedule(schedule, "", "", ""));
}

} // namespace
