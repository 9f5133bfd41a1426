//===- LibraryTest.cpp - generated libraries, on a stand-in driver --------===//

#include "idc/library.h"

#include "CpuFixture.h"
#include "FakeDriver.h"
#include "lib/Checksum.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace idc::test;

namespace {

/// A function of the library that the runtime has opened as the driver.
std::string gpuManifest(const std::string &kernel, const std::string &target) {
  return R"({"idc": 1, "entry": "twice", "symbol": "twice_f32", "target": ")" + target + R"(",
    "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4}],
    "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
    "workspace": {"bytesPerProblem": 16, "fixedBytes": 0},
    "kernels": [{"name": ")" +
         kernel + R"(", "kind": "plain", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
       "sharedBytes": 0, "args": [{"input": 0}, {"output": 0}, {"batch": true}]}]})";
}

/// y = 2 x on 4 floats as a library of the sizes n = 2 and 3, as the compiler writes them. The kernel of size n for
/// sm_80 is called twice_n_sm_80.
class MadeLibrary {
public:
  explicit MadeLibrary(std::vector<const char *> targetNames, const char *name = "twice") : targets(targetNames) {
    for (int64_t n : points)
      for (const char *target : targets) {
        std::string kernel = "twice_" + std::to_string(n) + "_" + target;
        bool cpu = !std::strcmp(target, "cpu");
        texts.push_back(cpu ? "" : ".version " + kernel);
        texts.push_back(cpu ? doubleManifest() : gpuManifest(kernel, target));
      }
    for (size_t i = 0; i < texts.size(); i += 2) {
      idc_library_instance instance{};
      bool cpu = texts[i].empty();
      instance.image = cpu ? nullptr : texts[i].data();
      instance.image_bytes = int64_t(texts[i].size());
      instance.manifest = texts[i + 1].data();
      instance.manifest_bytes = int64_t(texts[i + 1].size());
      instance.checksum =
          idc::runtime::checksum(instance.image, instance.image_bytes, instance.manifest, instance.manifest_bytes);
      instance.kernels = cpu ? &kernels : nullptr;
      instance.kernel_count = cpu;
      instance.workspace_bytes_per_problem = cpu ? 0 : 16;
      instances.push_back(instance);
    }
    library.abi = IDC_LIBRARY_ABI;
    library.size_count = 1;
    library.target_count = int32_t(targets.size());
    library.point_count = 2;
    library.name = name;
    library.size_names = sizeNames;
    library.targets = targets.data();
    library.points = points;
    library.instances = instances.data();
  }
  ~MadeLibrary() { idc_library_unload(&library); }

  /// A call as the generated function makes it.
  idc_status operator()(int64_t n, int64_t batch, const void *x, void *y, void *workspace, void *stream) {
    return idc_library_launch(&library, &n, batch, &x, nullptr, &y, workspace, stream);
  }

  idc_library library{};
  std::vector<idc_library_instance> instances;
  std::vector<std::string> texts; // image and manifest of each instance

private:
  std::vector<const char *> targets;
  const char *sizeNames[1] = {"n"};
  int64_t points[2] = {2, 3};
  idc_cpu_kernel kernels = doubleKernel;
};

class Library : public ::testing::Test {
protected:
  void SetUp() override {
    auto stateOf = driverFunction<decltype(&idcFakeDriverState)>("idcFakeDriverState");
    ASSERT_TRUE(stateOf) << "the stand-in driver is not on the library path";
    state = stateOf();
    *state = {};
    setContext(nullptr);
  }
  void setContext(void *context) { driverFunction<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent")(context); }

  FakeState *state = nullptr;
  alignas(16) float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
  alignas(16) char workspace[64] = {};
};

TEST_F(Library, LoadsASizeWhenItIsFirstLaunched) {
  MadeLibrary twice({"sm_80", "sm_90"});
  ASSERT_EQ(twice(3, 2, x, y, workspace, nullptr), IDC_SUCCESS) << idc_last_error();
  EXPECT_EQ(y[7], 16);
  EXPECT_EQ(state->modulesLoaded, 1);
  ASSERT_EQ(twice(3, 1, x, y, workspace, workspace), IDC_SUCCESS);
  ASSERT_EQ(twice(2, 1, x, y, workspace, workspace), IDC_SUCCESS);
  EXPECT_EQ(state->modulesLoaded, 2);
  ASSERT_EQ(state->launches.size(), 3u);
  EXPECT_EQ(state->launches[1].kernel, "twice_3_sm_90");
  EXPECT_EQ(state->launches[1].stream, workspace);
  EXPECT_EQ(state->launches[2].kernel, "twice_2_sm_90");
}

TEST_F(Library, LoadsEverySizeAtOnceForEachContext) {
  MadeLibrary twice({"sm_90"});
  int contexts[2];
  for (int &context : contexts) {
    setContext(&context);
    ASSERT_EQ(idc_library_load(&twice.library), IDC_SUCCESS) << idc_last_error();
    ASSERT_EQ(idc_library_load(&twice.library), IDC_SUCCESS);
    ASSERT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_SUCCESS);
    EXPECT_EQ(state->launches.back().context, &context);
  }
  EXPECT_EQ(state->modulesLoaded, 4);
  idc_library_unload(&twice.library);
  EXPECT_EQ(state->modulesUnloaded, 4);
  EXPECT_EQ(twice.library.state, nullptr);
  // And it can be used again.
  ASSERT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_SUCCESS);
  EXPECT_EQ(state->modulesLoaded, 5);
}

TEST_F(Library, TakesTheCodeThatTheDeviceRuns) {
  const std::pair<int, const char *> expected[] = {{80, "twice_2_sm_80"},
                                                   {89, "twice_2_sm_80"},
                                                   {90, "twice_2_sm_90"},
                                                   {100, "twice_2_sm_90"},
                                                   {120, "twice_2_sm_90"}};
  for (auto [architecture, kernel] : expected) {
    MadeLibrary twice({"sm_80", "sm_90", "cpu"});
    state->architecture = architecture;
    ASSERT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_SUCCESS) << idc_last_error();
    EXPECT_EQ(state->launches.back().kernel, kernel) << architecture;
  }
  // Only the newest has PTX.
  for (int architecture : {70, 75}) {
    MadeLibrary twice({"sm_80", "sm_90"});
    state->architecture = architecture;
    EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_ERROR_UNSUPPORTED);
    EXPECT_EQ(std::string(idc_message(IDC_ERROR_UNSUPPORTED)),
              "twice was compiled for sm_80 sm_90, and the device is sm_" + std::to_string(architecture));
  }
  MadeLibrary old({"sm_75", "sm_90"});
  state->architecture = 86;
  EXPECT_EQ(old(2, 1, x, y, workspace, nullptr), IDC_ERROR_UNSUPPORTED);
}

TEST_F(Library, RunsOnTheCpuWhenAsked) {
  MadeLibrary both({"sm_90", "cpu"});
  ASSERT_EQ(both(2, 2, x, y, nullptr, IDC_CPU), IDC_SUCCESS) << idc_last_error();
  EXPECT_EQ(y[7], 16);
  EXPECT_EQ(state->modulesLoaded, 0);
  EXPECT_TRUE(state->launches.empty());

  // Without GPU code the stream makes no difference.
  MadeLibrary cpu({"cpu"});
  ASSERT_EQ(idc_library_load(&cpu.library), IDC_SUCCESS);
  ASSERT_EQ(cpu(2, 2, x, y, nullptr, nullptr), IDC_SUCCESS);
  MadeLibrary gpu({"sm_90"});
  EXPECT_EQ(gpu(2, 2, x, y, workspace, IDC_CPU), IDC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(idc_message(IDC_ERROR_UNSUPPORTED), "twice was compiled without code for the CPU");
}

TEST_F(Library, ChoosesTheProcessorByWhereThePointerLies) {
  void *device = nullptr;
  ASSERT_EQ(idc_device_alloc(64, &device), IDC_SUCCESS);
  EXPECT_EQ(idc_stream_for(device, workspace), workspace);
  EXPECT_EQ(idc_stream_for(x, workspace), IDC_CPU);
  EXPECT_EQ(idc_stream_for(nullptr, workspace), IDC_CPU);
  ASSERT_EQ(idc_device_free(device), IDC_SUCCESS);
}

TEST_F(Library, NeverLoadsIntoACapture) {
  MadeLibrary twice({"sm_90"});
  state->capturing = true;
  EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_ERROR_NOT_LOADED);
  EXPECT_STREQ(idc_message(IDC_ERROR_NOT_LOADED),
               "twice is not loaded and the stream is capturing a graph: call twice_load() before");
  EXPECT_EQ(state->modulesLoaded, 0);
  ASSERT_EQ(idc_library_load(&twice.library), IDC_SUCCESS);
  EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_SUCCESS) << idc_last_error();
}

TEST_F(Library, RefusesWhatItCannotDo) {
  MadeLibrary twice({"sm_90", "cpu"});
  int64_t n = 4;
  EXPECT_EQ(idc_library_supported(&twice.library, &n), 0);
  EXPECT_EQ(idc_library_workspace_size(&twice.library, &n, 1), -IDC_ERROR_UNSUPPORTED);
  EXPECT_EQ(twice(n, 1, x, y, workspace, nullptr), IDC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(idc_message(IDC_ERROR_UNSUPPORTED), "twice was not compiled for n = 4, but for n = 2 .. 3");
  n = 3;
  EXPECT_EQ(idc_library_supported(&twice.library, &n), 1);
  EXPECT_EQ(idc_library_workspace_size(&twice.library, &n, 5), 80);
  EXPECT_EQ(idc_library_workspace_size(&twice.library, &n, 0), 0);
  EXPECT_EQ(idc_library_workspace_size(&twice.library, &n, -1), -IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_library_workspace_size(&twice.library, &n, INT64_MAX / 8), -IDC_ERROR_TOO_LARGE);

  for (void *stream : {static_cast<void *>(nullptr), IDC_CPU}) {
    EXPECT_EQ(twice(3, 0, nullptr, nullptr, nullptr, stream), IDC_SUCCESS);
    EXPECT_EQ(twice(3, -1, x, y, workspace, stream), IDC_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(twice(3, 1, nullptr, y, workspace, stream), IDC_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(twice(3, 1, x + 1, y, workspace, stream), IDC_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(twice(3, INT64_MAX / 4, x, y, workspace, stream), IDC_ERROR_TOO_LARGE);
    // In place, and half of it.
    EXPECT_EQ(twice(3, 1, x, x, workspace, stream), IDC_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(idc_message(IDC_ERROR_INVALID_ARGUMENT),
                 "output 0 (y0) overlaps input 0 (x), in whose place it was not compiled to work");
    EXPECT_EQ(twice(3, 2, x, x + 4, workspace, stream), IDC_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(twice(3, 1, x, x + 4, workspace, stream), IDC_SUCCESS) << idc_last_error();
  }
  EXPECT_EQ(twice(3, 1, x, y, nullptr, nullptr), IDC_ERROR_INVALID_ARGUMENT); // the workspace
}

TEST_F(Library, RefusesDamagedCode) {
  for (int where : {0, 1}) { // image, manifest
    MadeLibrary twice({"sm_90"});
    twice.texts[size_t(where)].back() ^= 1;
    EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_ERROR_IMAGE);
    EXPECT_STREQ(idc_message(IDC_ERROR_IMAGE), "the code of twice for sm_90 is damaged: its checksum is wrong");
  }
  MadeLibrary shortened({"sm_90"});
  --shortened.instances[0].image_bytes;
  EXPECT_EQ(shortened(2, 1, x, y, workspace, nullptr), IDC_ERROR_IMAGE);
  EXPECT_EQ(state->modulesLoaded, 0);
  // The other size is whole.
  EXPECT_EQ(shortened(3, 1, x, y, workspace, nullptr), IDC_SUCCESS);
}

TEST_F(Library, RefusesAnotherCompilersLibraries) {
  MadeLibrary twice({"sm_90"});
  ++twice.library.abi;
  int64_t n = 2;
  EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_ERROR_UNSUPPORTED);
  EXPECT_NE(std::string(idc_message(IDC_ERROR_UNSUPPORTED)).find("a library was made by another idc"),
            std::string::npos);
  EXPECT_EQ(idc_library_load(&twice.library), IDC_ERROR_UNSUPPORTED);
  EXPECT_EQ(idc_library_supported(&twice.library, &n), 0);
  idc_library_unload(&twice.library);
}

TEST_F(Library, AFailureOfTheDriverIsPassedOnAndNotKept) {
  MadeLibrary twice({"sm_90"});
  constexpr int outOfMemory = 2, invalidImage = 200, noBinaryForGpu = 209, ptxTooNew = 222, contextDestroyed = 709;
  const std::pair<int, idc_status> loading[] = {{outOfMemory, IDC_ERROR_OUT_OF_MEMORY},
                                                {invalidImage, IDC_ERROR_IMAGE},
                                                {noBinaryForGpu, IDC_ERROR_UNSUPPORTED},
                                                {ptxTooNew, IDC_ERROR_UNSUPPORTED}};
  for (auto [error, expected] : loading) {
    state->failNext = error;
    EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), expected);
  }
  EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_SUCCESS) << idc_last_error();
  state->failNext = contextDestroyed;
  EXPECT_EQ(twice(2, 1, x, y, workspace, nullptr), IDC_ERROR_DRIVER);
  EXPECT_EQ(state->modulesLoaded, 1);
}

TEST_F(Library, MessagesFallBackToTheSentence) {
  MadeLibrary twice({"sm_90"});
  EXPECT_EQ(twice(4, 1, x, y, workspace, nullptr), IDC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(idc_message(IDC_ERROR_TOO_LARGE), "too large");
  EXPECT_STREQ(idc_message(IDC_SUCCESS), "success");
}

TEST_F(Library, TwoLibrariesInOneProcess) {
  MadeLibrary first({"sm_90", "cpu"}, "first"), second({"sm_90", "cpu"}, "second");
  ASSERT_EQ(first(2, 1, x, y, workspace, nullptr), IDC_SUCCESS);
  ASSERT_EQ(second(2, 1, x, y, workspace, nullptr), IDC_SUCCESS);
  ASSERT_EQ(first(2, 1, x, y, workspace, IDC_CPU), IDC_SUCCESS);
  ASSERT_EQ(second(2, 1, x, y, workspace, IDC_CPU), IDC_SUCCESS);
  idc_library_unload(&first.library);
  EXPECT_EQ(second(2, 1, x, y, workspace, IDC_CPU), IDC_SUCCESS);
  EXPECT_EQ(second(5, 1, x, y, workspace, nullptr), IDC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(idc_message(IDC_ERROR_UNSUPPORTED), "second was not compiled for n = 5, but for n = 2 .. 3");
  EXPECT_EQ(state->modulesLoaded, 2);
}

TEST_F(Library, ManyThreadsLoadOnceAndLaunchAtOnce) {
  constexpr int threads = 64, launches = 50;
  MadeLibrary twice({"sm_80", "sm_90", "cpu"});
  struct alignas(16) Data {
    float x[4], y[4];
    char workspace[16];
  };
  std::vector<Data> data(threads);
  std::atomic<int> wrong{0}, ready{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      Data &own = data[size_t(t)];
      ++ready;
      while (ready < threads)
        std::this_thread::yield();
      for (int i = 0; i < launches; ++i) {
        own.x[3] = float(t + i);
        void *stream = i % 3 == 2 ? IDC_CPU : &own;
        if (twice(2 + i % 2, 1, own.x, own.y, own.workspace, stream) || own.y[3] != 2 * own.x[3])
          ++wrong;
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(state->modulesLoaded, 2);
}

TEST_F(Library, AChildProcessComputes) {
  MadeLibrary twice({"cpu"});
  // As much as is shared among the workers.
  constexpr int64_t batch = 1 << 16;
  std::vector<float> storage(8 * batch + 8);
  float *in = reinterpret_cast<float *>((reinterpret_cast<uintptr_t>(storage.data()) + 15) / 16 * 16);
  float *out = in + 4 * batch;
  for (int64_t i = 0; i < 4 * batch; ++i)
    in[i] = float(i);
  auto compute = [&] {
    out[4 * batch - 1] = 0;
    return twice(2, batch, in, out, nullptr, nullptr) == IDC_SUCCESS && out[4 * batch - 1] == 2 * in[4 * batch - 1];
  };
  ASSERT_TRUE(compute());
  pid_t child = fork();
  if (child == 0) {
    bool right = compute();
    idc_library_unload(&twice.library); // must not wait for threads that are not there
    _exit(right && compute() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(compute());
}

} // namespace
