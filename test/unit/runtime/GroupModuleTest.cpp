//===- GroupModuleTest.cpp - several devices in the place of one ----------===//

#include "host/GroupModule.h"
#include "host/Error.h"
#include "host/Run.h"

#include "FakeDriver.h"
#include "TwoDevices.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace idc::host;
using namespace idc::test;

namespace {

// y = 2 x of 8 numbers, of which each of two devices has every other one: what the stand-in does for a kernel "twice".
const std::string image = ".version meet twice";
const std::string manifest = manifestOfTwo(
    "twice", 1, 4,
    R"({"name": "twice", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 1, "sharedBytes": 0,
     "args": [{"input": 0}, {"output": 0}, {"batch": true}]})");

class SeveralDevices : public ::testing::Test {
protected:
  void SetUp() override {
    auto stateOf = driverFunction<decltype(&idcFakeDriverState)>("idcFakeDriverState");
    ASSERT_TRUE(stateOf);
    state = stateOf();
    *state = {};
    setenv("IDC_FAKE_DEVICES", "2", 1);
  }
  void TearDown() override { unsetenv("IDC_FAKE_DEVICES"); }

  FakeState *state = nullptr;
};

TEST_F(SeveralDevices, EachHasItsShare) {
  const std::unique_ptr<GroupModule> module = GroupModule::load(image, manifest);
  std::vector<float> x(24);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  RunRequest request;
  request.module = request.group = module.get();
  request.batch = 3;
  request.inputData = {{reinterpret_cast<char *>(x.data()), reinterpret_cast<char *>(x.data() + x.size())}};
  request.keptProblem = 1;
  const RunReport report = run(request);
  EXPECT_EQ(report.processor, "2 x Fake GPU");
  // Device 0 has the even ones and stores the first half.
  const float expected[] = {16, 20, 24, 28, 18, 22, 26, 30};
  ASSERT_EQ(report.kept->outputs[0].data.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(report.kept->outputs[0].data.data(), expected, sizeof expected), 0);
  std::set<void *> contexts;
  for (const FakeLaunch &launch : state->launches)
    contexts.insert(launch.context);
  EXPECT_EQ(contexts.size(), 2u);
}

TEST_F(SeveralDevices, AreMeasuredTogether) {
  const std::unique_ptr<GroupModule> module = GroupModule::load(image, manifest);
  RunRequest request;
  request.module = request.group = module.get();
  request.time = true;
  request.repeat = 3;
  request.launches = 2;
  const RunReport report = run(request);
  EXPECT_TRUE(report.passed());
  ASSERT_TRUE(report.timing);
  EXPECT_EQ(report.timing->bytes, 64);
  EXPECT_GT(report.timing->seconds, 0);
  EXPECT_GT(report.timing->copySeconds, 0);
  EXPECT_EQ(state->graphsMade, 4); // of the launches and of copies, on each device
  EXPECT_EQ(state->graphsDestroyed, 4);
  request.latency = true;
  EXPECT_THROW(run(request), Error);
}

TEST_F(SeveralDevices, NothingIsLeft) {
  const int before = state->allocations - state->frees;
  {
    const std::unique_ptr<GroupModule> module = GroupModule::load(image, manifest);
    RunRequest request;
    request.module = request.group = module.get();
    request.time = true;
    run(request);
    request.batch = 5;
    run(request);
  }
  EXPECT_EQ(state->allocations - state->frees, before);
  EXPECT_EQ(state->hostAllocations, state->hostFrees);
  EXPECT_EQ(state->modulesLoaded, state->modulesUnloaded);
}

std::string messageOf(const std::string &image, const std::string &manifest) {
  try {
    GroupModule::load(image, manifest);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST_F(SeveralDevices, HaveToBeThere) {
  EXPECT_EQ(messageOf(".version meet", manifest), "invalid image: the image has no kernel 'twice'");
  EXPECT_EQ(messageOf(image, "{"), "manifest: not valid JSON at byte 2");
  setenv("IDC_FAKE_DEVICES", "1", 1);
  EXPECT_EQ(messageOf(image, manifest), "the program is for 2 devices, and there is 1");
  EXPECT_EQ(state->modulesLoaded, state->modulesUnloaded);
}

} // namespace
