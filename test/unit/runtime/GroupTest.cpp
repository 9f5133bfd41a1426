//===- GroupTest.cpp - groups of devices, on a stand-in driver ------------===//

#include "idc/group.h"
#include "FakeDriver.h"
#include "TwoDevices.h"

#include <array>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <thread>

using namespace idc::test;

namespace {

const std::string manifest = manifestOfTwo(
    "far", 4, 4,
    R"({"name": "k0", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 3, "sharedBytes": 0,
     "args": [{"input": 0, "device": 0}, {"output": 0}, {"ownDevice": true}, {"batch": true}]},
    {"name": "k1", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 3, "sharedBytes": 0,
     "args": [{"output": 0, "device": 1}, {"batch": true}]})");

class Group : public ::testing::Test {
protected:
  void SetUp() override {
    auto stateOf = driverFunction<decltype(&idcFakeDriverState)>("idcFakeDriverState");
    ASSERT_TRUE(stateOf);
    state = stateOf();
    *state = {};
    module = load(manifest);
  }
  void TearDown() override {
    for (idc_group *rank : ranks)
      idc_group_destroy(rank);
    idc_module_unload(module);
  }

  static idc_module *load(const std::string &manifest) {
    const std::string image = ".version meet k0 k1";
    idc_module *loaded = nullptr;
    EXPECT_EQ(idc_module_load(image.data(), image.size(), manifest.data(), manifest.size(), &loaded), IDC_SUCCESS)
        << idc_last_error();
    return loaded;
  }

  /// Two ranks of this process, whose arrays are registered.
  void makeRanks() {
    const int32_t devices[] = {0, 0};
    ASSERT_EQ(idc_group_of_devices(2, devices, ranks.data()), IDC_SUCCESS) << idc_last_error();
    for (int rank : {0, 1}) {
      ASSERT_EQ(idc_group_register(ranks[rank], x[rank], sizeof x[rank]), IDC_SUCCESS);
      ASSERT_EQ(idc_group_register(ranks[rank], y[rank], sizeof y[rank]), IDC_SUCCESS);
    }
  }

  idc_status launch(idc_group *group, int rank) { return launch(group, rank, module); }
  idc_status launch(idc_group *group, int rank, const idc_module *module, int64_t batch = 1) {
    const void *inputs[] = {x[rank] + 4};
    void *outputs[] = {y[rank]};
    return idc_group_launch(group, module, batch, inputs, nullptr, outputs, nullptr, nullptr);
  }
  /// The first argument of the k-th launch of a kernel.
  uint64_t argumentOf(const std::string &kernel, int k) const {
    for (const FakeLaunch &launch : state->launches)
      if (launch.kernel == kernel && k-- == 0)
        return launch.firstArgument;
    return 0;
  }
  static uint64_t addressOf(const float *pointer) { return reinterpret_cast<uint64_t>(pointer); }

  FakeState *state = nullptr;
  idc_module *module = nullptr;
  std::array<idc_group *, 2> ranks{};
  alignas(16) float x[2][8] = {}, y[2][4] = {};
};

TEST_F(Group, ReachesOtherDevicesMemoryAtTheSameDistance) {
  EXPECT_EQ(idc_module_devices(module), 2);
  makeRanks();
  for (int rank : {0, 1}) {
    EXPECT_EQ(idc_group_rank(ranks[rank]), rank);
    EXPECT_EQ(idc_group_size(ranks[rank]), 2);
  }
  for (int rank : {0, 1})
    ASSERT_EQ(launch(ranks[rank], rank), IDC_SUCCESS) << idc_last_error();
  for (int rank : {0, 1}) {
    EXPECT_EQ(argumentOf("k0", rank), addressOf(x[0] + 4));
    EXPECT_EQ(argumentOf("k1", rank), addressOf(y[1]));
    EXPECT_EQ(argumentOf("meet", rank), argumentOf("meet", 0));
  }
  EXPECT_EQ(state->launches[0].blocks, 1u);
  // Memory that is not registered any more is not reached.
  ASSERT_EQ(idc_group_unregister(ranks[0], x[0]), IDC_SUCCESS);
  EXPECT_EQ(launch(ranks[1], 1), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(idc_last_error()),
            "kernel 'k0' reaches memory of device 0 that is not registered with the group");
  EXPECT_EQ(idc_group_unregister(ranks[0], x[0]), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(state->launches.size(), 6u); // of a launch that is refused nothing is done
  // Nor memory of which less is registered than kernels may reach.
  ASSERT_EQ(idc_group_register(ranks[0], x[0], 7 * sizeof(float)), IDC_SUCCESS);
  EXPECT_EQ(launch(ranks[1], 1), IDC_ERROR_INVALID_ARGUMENT);
}

TEST_F(Group, RefusesWhatOtherRanksDoNotLaunch) {
  makeRanks();
  std::string other = manifest;
  other.replace(other.find("far_f32"), 7, "far_f64");
  idc_module *second = load(other);
  for (int k : {0, 1})
    ASSERT_EQ(launch(ranks[0], 0), IDC_SUCCESS) << k;
  ASSERT_EQ(launch(ranks[1], 1), IDC_SUCCESS);
  const size_t launches = state->launches.size();
  EXPECT_EQ(launch(ranks[1], 1, second), IDC_ERROR_GROUP);
  EXPECT_EQ(std::string(idc_last_error()),
            "rank 1 launches 'far_f64' with a batch of 1 where another rank has launched "
            "'far_f32' with a batch of 1");
  EXPECT_EQ(launch(ranks[1], 1, module, 2), IDC_ERROR_INVALID_ARGUMENT); // for its memory
  EXPECT_EQ(state->launches.size(), launches);
  // It may still launch what is right.
  EXPECT_EQ(launch(ranks[1], 1), IDC_SUCCESS);
  EXPECT_EQ(launch(ranks[1], 1, second), IDC_SUCCESS);
  EXPECT_EQ(launch(ranks[0], 0), IDC_ERROR_GROUP);
  EXPECT_EQ(launch(ranks[0], 0, second), IDC_SUCCESS);
  idc_module_unload(second);
}

// What a kernel would write when a rank does not come, the test writes.
TEST_F(Group, CannotBeUsedWhenARankDidNotCome) {
  makeRanks();
  EXPECT_EQ(idc_group_set_limit(ranks[0], 0), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_group_set_limit(nullptr, 1), IDC_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(launch(ranks[0], 0), IDC_SUCCESS);
  const FakeLaunch meeting = state->launches[0];
  ASSERT_EQ(meeting.kernel, "meet");
  ASSERT_EQ(meeting.arguments.size(), 6u);
  const auto *words = reinterpret_cast<const uint64_t *>(meeting.arguments[0]);
  EXPECT_EQ(words[4], 30000000000u); // the limit, behind the number, two devices and the mark
  ASSERT_EQ(idc_group_set_limit(ranks[0], 250), IDC_SUCCESS);
  EXPECT_EQ(words[4], 250000000u);
  EXPECT_EQ(idc_group_check(ranks[0]), IDC_SUCCESS);
  // Rank 0 waited for rank 1 in what it launched.
  *reinterpret_cast<uint64_t *>(meeting.arguments[2]) = meeting.arguments[3] << 32 | 1 << 16 | 0 << 8 | 1;
  for (idc_group *rank : ranks) {
    EXPECT_EQ(idc_group_check(rank), IDC_ERROR_GROUP);
    EXPECT_EQ(std::string(idc_last_error()),
              "the group cannot be used any more: rank 0 waited 250 ms for rank 1 in 'far_f32', and rank 1 did not "
              "come: it has ended, or launches less or later");
  }
  const size_t launches = state->launches.size();
  EXPECT_EQ(launch(ranks[1], 1), IDC_ERROR_GROUP);
  EXPECT_EQ(state->launches.size(), launches);
  *reinterpret_cast<uint64_t *>(meeting.arguments[2]) = uint64_t(5) << 32 | 0 << 16 | 1 << 8 | 2;
  EXPECT_EQ(idc_group_check(ranks[1]), IDC_ERROR_GROUP);
  EXPECT_EQ(std::string(idc_last_error()),
            "the group cannot be used any more: rank 1 met rank 0 in what it launched, but rank 0 launched another "
            "module, or with another batch");
}

TEST_F(Group, RefusesWhatDoesNotFit) {
  const void *inputs[] = {x[0]};
  void *outputs[] = {y[0]};
  EXPECT_EQ(idc_launch(module, 1, inputs, nullptr, outputs, nullptr, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(idc_last_error()), "the module is for 2 devices: each of them launches it with its group");
  const int32_t devices[] = {0, 0, 0};
  std::array<idc_group *, 3> ranks{};
  ASSERT_EQ(idc_group_of_devices(3, devices, ranks.data()), IDC_SUCCESS);
  EXPECT_EQ(launch(ranks[0], 0), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(idc_last_error()), "the module is for 2 devices, the group has 3 ranks");
  EXPECT_EQ(idc_group_register(ranks[0], nullptr, 4), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_group_register(ranks[0], x, 0), IDC_ERROR_INVALID_ARGUMENT);
  for (idc_group *rank : ranks)
    idc_group_destroy(rank);
  EXPECT_EQ(idc_group_of_devices(65, devices, ranks.data()), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_group_of_devices(2, nullptr, ranks.data()), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_group_destroy(nullptr), IDC_SUCCESS);
}

/// Two threads in the place of two processes, which gather by a table.
struct Table {
  std::mutex mutex;
  std::condition_variable changed;
  std::array<std::string, 2> sent;
  int given = 0, taken = 0;

  void gather(int rank, const void *send, void *receive, size_t bytes) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return taken == 0; });
    sent[size_t(rank)].assign(static_cast<const char *>(send), bytes);
    ++given;
    changed.notify_all();
    changed.wait(lock, [&] { return given == 2; });
    for (size_t r = 0; r < 2; ++r)
      std::memcpy(static_cast<char *>(receive) + r * bytes, sent[r].data(), bytes);
    if (++taken == 2)
      given = taken = 0;
    changed.notify_all();
    changed.wait(lock, [&] { return given == 0 || taken == 0; });
  }
};
struct Member {
  Table *table;
  int rank;
};

TEST_F(Group, OfProcessesExchangesHandles) {
  Table table;
  std::array<Member, 2> members{Member{&table, 0}, Member{&table, 1}};
  auto gather = [](const void *send, void *receive, size_t bytes, void *user) {
    auto *own = static_cast<Member *>(user);
    own->table->gather(own->rank, send, receive, bytes);
    return 0;
  };
  std::array<idc_group *, 2> ranks{};
  std::array<idc_status, 2> status{IDC_ERROR_DRIVER, IDC_ERROR_DRIVER};
  std::array<std::thread, 2> threads;
  for (int rank : {0, 1})
    threads[size_t(rank)] = std::thread([&, rank] {
      idc_group *&group = ranks[size_t(rank)];
      status[size_t(rank)] = idc_group_create(rank, 2, gather, &members[size_t(rank)], &group);
      for (auto [array, bytes] : {std::pair<void *, size_t>(x[rank], sizeof x[rank]), {y[rank], sizeof y[rank]}})
        if (!status[size_t(rank)])
          status[size_t(rank)] = idc_group_register(group, array, bytes);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int rank : {0, 1}) {
    ASSERT_EQ(status[size_t(rank)], IDC_SUCCESS);
    ASSERT_EQ(launch(ranks[size_t(rank)], rank), IDC_SUCCESS) << idc_last_error();
    EXPECT_EQ(argumentOf("k0", rank), addressOf(x[0] + 4));
    EXPECT_EQ(argumentOf("k1", rank), addressOf(y[1]));
    idc_group_destroy(ranks[size_t(rank)]);
  }
}

} // namespace
