//===- HostModuleTest.cpp - data in host memory, on a stand-in driver -----===//

#include "FakeDriver.h"
#include "idc/host_memory.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace idc::test;

namespace {

/// A pass of so many chunks of so many numbers, `where` says of which arrays.
std::string manifestWith(const std::string &digits, int chunks, int64_t elements = 4, const std::string &where = "") {
  const std::string operand = R"("type": "f32", "elementBytes": 4, "elements": )" + std::to_string(elements) +
                              R"(, "devices": [)" + digits + "]";
  const std::string all = std::to_string(elements * chunks);
  return R"({"idc": 2, "entry": "f", "symbol": "f", "target": "sm_90", "memory": )" + std::to_string(512 * elements) +
         R"(,
    "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": )" +
         all + R"(}],
    "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": )" +
         all + R"(}],
    "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
    "passes": [{"devices": )" +
         std::to_string(chunks) + R"(,
      "inputs": [{"name": "x0", "host": {"input": 0)" +
         where + "}, " + operand + R"(}],
      "outputs": [{"name": "y0", "host": {"output": 0)" +
         where + "}, " + operand + R"(}],
      "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
      "kernels": [{"name": "twice)" +
         std::to_string(elements) + R"(", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                   "sharedBytes": 0, "args": [{"input": 0}, {"output": 0}, {"batch": true}]}]}]})";
}

/// The library is found as the runtime finds it.
class HostModule : public ::testing::Test {
protected:
  void SetUp() override {
    auto stateOf = driverFunction<decltype(&idcFakeDriverState)>("idcFakeDriverState");
    ASSERT_TRUE(stateOf);
    state = stateOf();
    *state = {};
    load(manifestWith(R"({"below": 2, "radix": 4})", 4));
  }
  void TearDown() override { idc_module_unload(module); }

  void load(const std::string &manifest) {
    idc_module_unload(module);
    const std::string image = ".version twice4 twice2359296";
    ASSERT_EQ(idc_module_load(image.data(), image.size(), manifest.data(), manifest.size(), &module), IDC_SUCCESS)
        << idc_last_error();
  }
  idc_status launch(int64_t batch, void *memory = nullptr, int64_t bytes = 0) {
    x.resize(size_t(16 * batch));
    y.assign(x.size(), 0);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i) + 1;
    inputs[0] = x.data();
    outputs[0] = y.data();
    const idc_host_call call{inputs, nullptr, outputs, nullptr, memory, bytes, nullptr, nullptr};
    return idc_host_launch(module, batch, &call, nullptr);
  }
  /// Launches on `memory` and what is right behind it, which comes to be twice as much.
  void launchSideBySide(float *memory, int64_t batch) {
    const int64_t floats = 4 * batch;
    for (int64_t i = 0; i < floats; ++i)
      memory[i] = float(i) + 1;
    inputs[0] = memory, outputs[0] = memory + floats;
    ASSERT_EQ(idc_launch(module, batch, inputs, nullptr, outputs, nullptr, nullptr), IDC_SUCCESS) << idc_last_error();
    for (int64_t i = 0; i < floats; ++i)
      ASSERT_EQ(memory[floats + i], 2 * memory[i]) << i;
  }
  bool isTwice() const {
    return std::equal(x.begin(), x.end(), y.begin(), [](float a, float b) { return b == 2 * a; });
  }

  FakeState *state = nullptr;
  idc_module *module = nullptr;
  std::vector<float> x, y;
  const void *inputs[1] = {};
  void *outputs[1] = {};
};

TEST_F(HostModule, CopiesRowsAndLaunchesEveryChunk) {
  EXPECT_EQ(idc_module_is_host(module), 1);
  int64_t bytes = 0;
  ASSERT_EQ(idc_host_memory_size(module, &bytes), IDC_SUCCESS);
  EXPECT_EQ(bytes, 1024); // two slots of the input, two of the output
  ASSERT_EQ(launch(3), IDC_SUCCESS) << idc_last_error();
  EXPECT_TRUE(isTwice());
  EXPECT_EQ(state->launches.size(), 12u);
  EXPECT_EQ(state->allocations, state->frees);
  alignas(256) static char memory[1024];
  ASSERT_EQ(launch(1, memory, sizeof memory), IDC_SUCCESS);
  EXPECT_TRUE(isTwice());
}

/// Arrays in pages that may move go through page-locked pieces, several of them: of rows, of parts of rows, and of
/// short rows of page-locked arrays.
TEST_F(HostModule, StagesWhatTheDeviceCannotCopyItself) {
  constexpr int64_t chunk = 9 << 18, elements = 4 * chunk; // 9 MiB
  void *memory = nullptr;
  ASSERT_EQ(driverFunction<decltype(&cuMemAllocHost_v2)>("cuMemAllocHost_v2")(&memory, 2 * elements * 4), 0);
  auto *locked = static_cast<float *>(memory);
  std::vector<float> pageable(2 * elements);
  for (int64_t below : {int64_t(64), int64_t(16384), chunk})
    for (float *from : {locked, pageable.data()}) {
      load(manifestWith(R"({"below": )" + std::to_string(below) + R"(, "radix": 4})", 4, chunk));
      float *to = from + elements;
      for (int64_t i = 0; i < elements; ++i)
        from[i] = float(i % 8191) + 1, to[i] = -1;
      inputs[0] = from, outputs[0] = to;
      ASSERT_EQ(idc_launch(module, 1, inputs, nullptr, outputs, nullptr, nullptr), IDC_SUCCESS) << idc_last_error();
      EXPECT_TRUE(std::equal(from, to, to, [](float a, float b) { return b == 2 * a; })) << below;
      EXPECT_EQ(state->hostAllocations, state->hostFrees + 1); // `locked`
    }
  EXPECT_EQ(state->hostAllocations, 1 + 3 * 6); // three pieces each way
  driverFunction<decltype(&cuMemFreeHost)>("cuMemFreeHost")(locked);
}

TEST_F(HostModule, DigitsApartAreSeveralRectangles) {
  load(manifestWith(R"({"below": 1, "radix": 2}, {"below": 4, "radix": 2})", 4));
  ASSERT_EQ(launch(1), IDC_SUCCESS) << idc_last_error();
  EXPECT_TRUE(isTwice());
}

constexpr char reached[] = R"(, "reached": true)";

/// Kernels take the arrays of the host as they are, page-locked meanwhile, pages that both share once.
TEST_F(HostModule, KernelsReachArraysWhereTheyLie) {
  load(manifestWith("", 1, 4, reached));
  int64_t bytes = -1;
  ASSERT_EQ(idc_host_memory_size(module, &bytes), IDC_SUCCESS);
  EXPECT_EQ(bytes, 0);
  const int64_t batch = 100, floats = 4 * batch;
  alignas(4096) static float memory[4096];
  ASSERT_NO_FATAL_FAILURE(launchSideBySide(memory, batch));
  EXPECT_EQ(state->launches.front().firstArgument, reinterpret_cast<uint64_t>(memory));
  EXPECT_GT(state->launches.size(), 1u); // some problems at a time
  EXPECT_EQ(state->registered, 1);
  EXPECT_EQ(state->unregistered, 1);

  // The result far away, in memory that is page-locked anyway.
  void *locked = nullptr;
  ASSERT_EQ(driverFunction<decltype(&cuMemAllocHost_v2)>("cuMemAllocHost_v2")(&locked, size_t(floats) * 4), 0);
  outputs[0] = locked;
  ASSERT_EQ(idc_launch(module, batch, inputs, nullptr, outputs, nullptr, nullptr), IDC_SUCCESS) << idc_last_error();
  EXPECT_EQ(static_cast<float *>(locked)[floats - 1], 2 * memory[floats - 1]);
  EXPECT_EQ(state->registered, 2);
  EXPECT_EQ(state->unregistered, 2);
  driverFunction<decltype(&cuMemFreeHost)>("cuMemFreeHost")(locked);
}

/// A result that is copied, and begins in the last page of an argument that is not.
TEST_F(HostModule, CopiesWhatSharesPagesWithWhatIsReached) {
  std::string manifest = manifestWith("", 1, 4, reached);
  manifest.erase(manifest.rfind(reached), sizeof reached - 1);
  load(manifest);
  constexpr int64_t batch = 2000; // 250 problems at a time
  alignas(4096) static float memory[2 * 4 * batch];
  ASSERT_NO_FATAL_FAILURE(launchSideBySide(memory, batch));
  EXPECT_EQ(state->registered, 1);
}

TEST_F(HostModule, WhatCannotBePageLockedIsNotReached) {
  load(manifestWith("", 1, 4, reached));
  alignas(4096) static float memory[4096];
  inputs[0] = memory, outputs[0] = memory + 2048;
  const idc_host_call call{inputs, nullptr, outputs, nullptr, memory + 1024, 4096, nullptr, nullptr};
  auto expectRefusal = [&] {
    EXPECT_EQ(idc_host_launch(module, 3, &call, nullptr), IDC_ERROR_DRIVER);
    EXPECT_EQ(
        std::string(idc_last_error()).rfind("page-locking memory of the host that kernels reach (no mapped file): ", 0),
        0u)
        << idc_last_error();
    EXPECT_TRUE(state->launches.empty());
  };
  state->failNext = 801;
  expectRefusal();
  EXPECT_EQ(state->registered, state->unregistered);
  // The second array's pages, behind its beginning, are another's: the first one's are let go.
  outputs[0] = memory + 3068;
  ASSERT_EQ(driverFunction<int (*)(void *, size_t, unsigned)>("cuMemHostRegister_v2")(memory + 3072, 4096, 0), 0);
  expectRefusal();
  ASSERT_EQ(driverFunction<int (*)(void *)>("cuMemHostUnregister")(memory + 3072), 0);
  EXPECT_EQ(state->registered, state->unregistered);
}

TEST_F(HostModule, ChunksAreNotReached) {
  const std::string image = ".version twice4", manifest = manifestWith(R"({"below": 2, "radix": 4})", 4, 4, reached);
  idc_module *other = nullptr;
  EXPECT_EQ(idc_module_load(image.data(), image.size(), manifest.data(), manifest.size(), &other), IDC_ERROR_MANIFEST);
  EXPECT_NE(std::string(idc_last_error()).find("host must not be reached, of chunks"), std::string::npos)
      << idc_last_error();
}

TEST_F(HostModule, OfOneChunkTakesManyProblems) {
  load(manifestWith("", 1));
  const int64_t batch = 100;
  x.resize(size_t(4 * batch));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  y.assign(x.size(), 0);
  inputs[0] = x.data(), outputs[0] = y.data();
  ASSERT_EQ(idc_launch(module, batch, inputs, nullptr, outputs, nullptr, nullptr), IDC_SUCCESS) << idc_last_error();
  EXPECT_TRUE(isTwice());
  EXPECT_EQ(state->launches.size(), 9u); // of 12 problems each
}

TEST_F(HostModule, SeveralGpusTakeChunksInTurn) {
  const std::string image = ".version twice4", manifest = manifestWith(R"({"below": 2, "radix": 4})", 4);
  const idc_module *modules[] = {module, nullptr};
  idc_module *second = nullptr;
  ASSERT_EQ(idc_module_load(image.data(), image.size(), manifest.data(), manifest.size(), &second), IDC_SUCCESS);
  modules[1] = second;
  EXPECT_EQ(launch(1), IDC_SUCCESS);
  y.assign(y.size(), 0);
  idc_host_call calls[2] = {};
  calls[0].inputs = inputs, calls[0].outputs = outputs;
  state->launches.clear();
  ASSERT_EQ(idc_host_launch_on(2, modules, 1, calls, nullptr), IDC_SUCCESS) << idc_last_error();
  EXPECT_TRUE(isTwice());
  ASSERT_EQ(state->launches.size(), 4u);
  EXPECT_EQ(state->launches[0].stream, state->launches[2].stream);
  EXPECT_NE(state->launches[0].stream, state->launches[1].stream);
  EXPECT_EQ(state->allocations, state->frees);
  EXPECT_EQ(idc_host_launch_on(0, modules, 1, calls, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  idc_module_unload(second);
}

/// The same pass, of whose four chunks the CPU takes the last ones. Its kernel has two blocks for each, of two numbers,
/// and another factor, so that it can be told who was there.
std::string manifestWithShare(const std::string &chunks, const std::string &blocks = "8") {
  std::string manifest = manifestWith(R"({"below": 4, "radix": 4})", 4);
  manifest.insert(manifest.rfind("}]}"), R"(, "cpu": {"chunks": )" + chunks + R"(,
      "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
      "kernels": [{"name": "thrice", "problemsPerBlockGroup": 1, "blocksPerGroup": )" +
                                             blocks + R"(,
                   "args": [{"input": 0}, {"output": 0}, {"batch": true}]}]})");
  return manifest;
}

void thrice(void *const *arguments, int64_t batch, int64_t firstBlock, int64_t lastBlock) {
  EXPECT_EQ(batch, 1);
  for (int64_t i = 2 * firstBlock; i < 2 * lastBlock; ++i)
    static_cast<float *>(arguments[1])[i] = 3 * static_cast<const float *>(arguments[0])[i];
}

TEST_F(HostModule, LeavesAShareToTheCpu) {
  const std::string image = ".version twice4";
  auto loadWith = [&](const std::string &manifest, idc_cpu_lookup lookup) {
    idc_module_unload(module);
    return idc_host_module_load(image.data(), image.size(), manifest.data(), manifest.size(), lookup, nullptr, &module);
  };
  auto find = [](const char *name, void *) -> idc_cpu_kernel {
    return std::string(name) == "thrice" ? thrice : nullptr;
  };
  EXPECT_EQ(loadWith(manifestWithShare("1"), nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(idc_last_error()),
            "the CPU takes a share of f: it is loaded with functions for it, by idc_host_module_load()");
  EXPECT_EQ(loadWith(manifestWithShare("1"), [](const char *, void *) -> idc_cpu_kernel { return nullptr; }),
            IDC_ERROR_IMAGE);
  EXPECT_EQ(loadWith(manifestWithShare("5"), find), IDC_ERROR_MANIFEST);
  EXPECT_EQ(loadWith(manifestWithShare("1", "6"), find), IDC_ERROR_MANIFEST);
  for (size_t share : {1u, 3u, 4u}) {
    ASSERT_EQ(loadWith(manifestWithShare(std::to_string(share)), find), IDC_SUCCESS) << idc_last_error();
    state->launches.clear();
    ASSERT_EQ(launch(3), IDC_SUCCESS) << idc_last_error();
    EXPECT_EQ(state->launches.size(), 3 * (4 - share));
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(y[i], (i % 16 / 4 < 4 - share ? 2 : 3) * x[i]) << share << " chunks, element " << i;
  }
}

TEST_F(HostModule, CountsTheChunksOfTheCpu) {
  const std::string image = ".version twice4", manifest = manifestWithShare("3");
  idc_module_unload(module);
  ASSERT_EQ(idc_host_module_load(
                image.data(), image.size(), manifest.data(), manifest.size(),
                [](const char *, void *) -> idc_cpu_kernel { return thrice; }, nullptr, &module),
            IDC_SUCCESS);
  ASSERT_EQ(launch(1), IDC_SUCCESS);
  struct Told {
    int64_t last, stopAt;
    bool isAscending;
  } told{0, 100, true};
  idc_host_call call{inputs,
                     nullptr,
                     outputs,
                     nullptr,
                     nullptr,
                     0,
                     [](int64_t done, int64_t all, void *user) {
                       auto &told = *static_cast<Told *>(user);
                       told.isAscending &= done > told.last && all == 4;
                       told.last = done;
                       return int(done >= told.stopAt);
                     },
                     &told};
  EXPECT_EQ(idc_host_launch(module, 1, &call, nullptr), IDC_SUCCESS);
  EXPECT_TRUE(told.isAscending);
  EXPECT_EQ(told.last, 4);
  told = {0, 1, true};
  const idc_status status = idc_host_launch(module, 1, &call, nullptr);
  EXPECT_EQ(status,
            told.last < 4 ? IDC_ERROR_STOPPED : IDC_SUCCESS); // all may be done when it is told for the first time
}

TEST_F(HostModule, ErrorsSayHowFarItWas) {
  alignas(256) static char memory[1024];
  state->failNext = 719;
  EXPECT_EQ(launch(1, memory, sizeof memory), IDC_ERROR_DRIVER);
  const std::string message = idc_last_error();
  EXPECT_NE(message.find("(pass 1 of 1, after 0 of 4 chunks)"), std::string::npos) << message;
  EXPECT_EQ(launch(1, memory, 512), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(idc_last_error()), "there are 512 bytes of memory on the device, 1024 are needed");
  state->failNext = 2;
  EXPECT_EQ(launch(1), IDC_ERROR_OUT_OF_MEMORY);
}

TEST_F(HostModule, IsNotCaptured) {
  state->capturing = true;
  EXPECT_EQ(launch(1), IDC_ERROR_UNSUPPORTED);
  state->capturing = false;
  const std::string message = idc_last_error();
  EXPECT_EQ(message.find("the stream is capturing a graph"), 0u) << message;
  EXPECT_TRUE(state->launches.empty());
  EXPECT_FALSE(state->interrupted) << "the capture goes on";
}

} // namespace
