//===- GpuModuleTest.cpp - modules of GPU kernels, on a stand-in driver ---===//

#include "FakeDriver.h"
#include "host/Jobs.h"
#include "host/Run.h"
#include "idc/runtime.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <thread>

using namespace idc::test;

namespace {

using ModulePointer = std::unique_ptr<idc_module, idc_status (*)(idc_module *)>;

/// A function of the library that the runtime has opened as the driver.
std::string manifestOf(const std::string &kernels) {
  return R"({"idc": 1, "entry": "twice", "symbol": "twice_f32", "target": "sm_90",
    "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4}],
    "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
    "workspace": {"bytesPerProblem": 16, "fixedBytes": 32}, "kernels": [)" +
         kernels + "]}";
}

/// In a manifest of version 1. The blocks of a cooperative kernel are no cluster but a team.
std::string kernel(const std::string &name, const std::string &kind, int cluster, int sharedBytes,
                   const std::string &args = R"({"input": 0}, {"output": 0}, {"batch": true})") {
  const bool team = kind == "cooperative" && cluster > 1;
  return R"({"name": ")" + name + R"(", "kind": ")" + kind + R"(", "threads": 128, )" +
         (team ? "\"cluster\": 1, \"team\": " : "\"cluster\": ") + std::to_string(cluster) +
         R"(, "problemsPerBlockGroup": 2, "blocksPerGroup": )" + std::to_string(cluster) + R"(, "sharedBytes": )" +
         std::to_string(sharedBytes) + R"(, "args": [)" + args + "]}";
}

class GpuModule : public ::testing::Test {
protected:
  void SetUp() override {
    auto stateOf = driverFunction<decltype(&idcFakeDriverState)>("idcFakeDriverState");
    ASSERT_TRUE(stateOf) << "the stand-in driver is not on the library path";
    state = stateOf();
    *state = {};
    driverFunction<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent")(nullptr);
  }

  ModulePointer load(const std::string &image, const std::string &manifest) {
    idc_module *module = nullptr;
    status = idc_module_load(image.data(), image.size(), manifest.data(), manifest.size(), &module);
    return {module, idc_module_unload};
  }

  FakeState *state = nullptr;
  idc_status status = IDC_SUCCESS;
  alignas(16) float x[120] = {1, 2, 3, 4, 5, 6, 7, 8}, y[120] = {}; // 30 problems
  alignas(16) char workspace[1024] = {};
  const void *inputs[1] = {x};
  void *outputs[1] = {y};
};

TEST_F(GpuModule, LaunchesInOrderWithTheManifestsShape) {
  ModulePointer module =
      load(".version k0 k1 k2 k3 k4",
           manifestOf(kernel("k0", "plain", 1, 0) + "," + kernel("k1", "cluster", 4, 50000) + "," +
                      kernel("k2", "cooperative", 2, 0) + "," + kernel("k3", "dependent-launch", 16, 100) + "," +
                      kernel("k4", "plain", 1, 0, R"({"workspace": 32, "perProblem": 16})")));
  ASSERT_EQ(status, IDC_SUCCESS) << idc_last_error();
  EXPECT_EQ(idc_module_is_cpu(module.get()), 0);
  EXPECT_EQ(state->functionAttributes["k1"], (std::map<int, int>{{8, 50000}}));
  EXPECT_EQ(state->functionAttributes["k3"], (std::map<int, int>{{8, 100}, {14, 1}}));

  void *stream = workspace;
  ASSERT_EQ(idc_launch(module.get(), 5, inputs, nullptr, outputs, workspace, stream), IDC_SUCCESS) << idc_last_error();
  ASSERT_EQ(state->launches.size(), 5u);
  unsigned blocks[] = {3, 12, 6, 48, 3}, shared[] = {0, 50000, 0, 100, 0};
  std::map<unsigned, unsigned> attributes[] = {{}, {{4, 4}}, {{2, 1}}, {{4, 16}, {6, 1}}, {}};
  for (int i = 0; i < 5; ++i) {
    const FakeLaunch &launch = state->launches[size_t(i)];
    EXPECT_EQ(launch.kernel, "k" + std::to_string(i));
    EXPECT_EQ(launch.blocks, blocks[i]);
    EXPECT_EQ(launch.threads, 128u);
    EXPECT_EQ(launch.sharedBytes, shared[i]);
    EXPECT_EQ(launch.stream, stream);
    EXPECT_EQ(launch.attributes, attributes[i]) << i;
  }
  EXPECT_EQ(state->launches[4].firstArgument, reinterpret_cast<uint64_t>(workspace) + 5 * 16 + 32);
  module.reset();
  EXPECT_EQ(state->modulesLoaded, state->modulesUnloaded);
}

TEST_F(GpuModule, LaunchesAsManyTicketBlocksAsAreResident) {
  std::string manifest = manifestOf(kernel("k0", "tickets", 4, 100) + "," + kernel("k1", "tickets", 1, 0));
  manifest.insert(manifest.find("\"fixedBytes\": 32"), "\"zeroedBytes\": 16, ");
  std::memset(workspace, 1, sizeof workspace);
  ModulePointer module = load(".version k0 k1", manifest);
  ASSERT_EQ(status, IDC_SUCCESS) << idc_last_error();
  for (int64_t batch : {2, 30}) {
    state->launches.clear();
    ASSERT_EQ(idc_launch(module.get(), batch, inputs, nullptr, outputs, workspace, nullptr), IDC_SUCCESS)
        << idc_last_error();
    ASSERT_EQ(state->launches.size(), 2u);
    EXPECT_EQ(state->launches[0].blocks, batch == 2 ? 4u : 8u); // two clusters are resident
    EXPECT_EQ(state->launches[0].attributes, (std::map<unsigned, unsigned>{{4, 4}}));
    EXPECT_EQ(state->launches[1].blocks, batch == 2 ? 1u : 6u); // two multiprocessors of three blocks
    EXPECT_TRUE(state->launches[1].attributes.empty());
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(workspace[i], i < 16 ? 0 : 1);
  state->clusters = 0;
  load(".version k0 k1", manifest);
  EXPECT_EQ(status, IDC_ERROR_UNSUPPORTED);
}

TEST_F(GpuModule, LaunchesWholeTeamsThatAreResident) {
  auto manifestOfTeam = [](int team) {
    std::string text = manifestOf(kernel("k0", "cooperative", 1, 0)), blocks = "\"blocksPerGroup\": 1";
    return text.replace(text.find(blocks), blocks.size(),
                        "\"team\": " + std::to_string(team) + ", \"blocksPerGroup\": " + std::to_string(team));
  };
  ModulePointer module = load(".version k0", manifestOfTeam(4));
  ASSERT_EQ(status, IDC_SUCCESS) << idc_last_error();
  for (int64_t batch : {2, 30}) {
    state->launches.clear();
    ASSERT_EQ(idc_launch(module.get(), batch, inputs, nullptr, outputs, workspace, nullptr), IDC_SUCCESS)
        << idc_last_error();
    ASSERT_EQ(state->launches.size(), 1u);
    EXPECT_EQ(state->launches[0].blocks, 4u); // of the six that are resident
    EXPECT_EQ(state->launches[0].attributes, (std::map<unsigned, unsigned>{{2, 1}}));
  }
  load(".version k0", manifestOfTeam(7));
  EXPECT_EQ(status, IDC_ERROR_UNSUPPORTED);
  EXPECT_NE(std::string(idc_last_error()).find("the 7 blocks of kernel 'k0' that wait for each other"),
            std::string::npos)
      << idc_last_error();
}

TEST_F(GpuModule, LaunchesTheFormForAnyGridWhereATeamIsNotResident) {
  std::string manifest = manifestOf(kernel("k0", "cooperative", 7, 0));
  manifest.insert(manifest.find("\"threads\""), "\"anyGrid\": \"k0_any\", ");
  auto expectLaunch = [&](const char *name, unsigned blocks) {
    ModulePointer module = load(".version k0 k0_any", manifest);
    ASSERT_EQ(status, IDC_SUCCESS) << idc_last_error();
    state->launches.clear();
    ASSERT_EQ(idc_launch(module.get(), 30, inputs, nullptr, outputs, workspace, nullptr), IDC_SUCCESS)
        << idc_last_error();
    ASSERT_EQ(state->launches.size(), 1u);
    EXPECT_EQ(state->launches[0].kernel, name);
    EXPECT_EQ(state->launches[0].blocks, blocks);
    EXPECT_EQ(state->launches[0].attributes, (std::map<unsigned, unsigned>{{2, 1}}));
  };
  expectLaunch("k0_any", 6); // of two multiprocessors
  ASSERT_EQ(setenv("IDC_MULTIPROCESSORS", "1", 1), 0);
  expectLaunch("k0_any", 3);
  state->blocksPerMultiprocessor = 8;
  expectLaunch("k0", 7);
  unsetenv("IDC_MULTIPROCESSORS");
  expectLaunch("k0", 14);
  state->blocksPerMultiprocessor = 0;
  load(".version k0 k0_any", manifest);
  EXPECT_EQ(status, IDC_ERROR_UNSUPPORTED);
  state->blocksPerMultiprocessor = 3;
  load(".version k0", manifest);
  EXPECT_EQ(status, IDC_ERROR_IMAGE);
}

TEST_F(GpuModule, ComputesThroughTheArguments) {
  ModulePointer module = load(".version twice", manifestOf(kernel("twice", "plain", 1, 0)));
  ASSERT_EQ(idc_launch(module.get(), 2, inputs, nullptr, outputs, workspace, nullptr), IDC_SUCCESS) << idc_last_error();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], 2 * x[i]);
}

TEST_F(GpuModule, PassesScalarsByValue) {
  std::string manifest = manifestOf(
      kernel("k0", "plain", 1, 0, R"({"scalar": 0, "offset": 8, "bytes": 8}, {"input": 0}, {"batch": true})"));
  manifest.insert(manifest.find("\"outputs\""), R"("scalars": [{"name": "w", "type": "complex<f64>", "bytes": 16}], )");
  ModulePointer module = load(".version k0", manifest);
  uint64_t bits[] = {17, 4711};
  const void *scalars[] = {bits};
  ASSERT_EQ(idc_launch(module.get(), 2, inputs, scalars, outputs, workspace, nullptr), IDC_SUCCESS) << idc_last_error();
  ASSERT_EQ(state->launches.size(), 1u);
  EXPECT_EQ(state->launches[0].firstArgument, 4711u);
}

TEST_F(GpuModule, ChecksArgumentsBeforeLaunchingAnything) {
  ModulePointer module =
      load(".version k0 k1", manifestOf(kernel("k0", "plain", 1, 0) + "," + kernel("k1", "cluster", 4, 0)));
  const void *odd[] = {x + 1};
  EXPECT_EQ(idc_launch(module.get(), 0, nullptr, nullptr, nullptr, nullptr, nullptr), IDC_SUCCESS);
  EXPECT_EQ(idc_launch(module.get(), 2, odd, nullptr, outputs, workspace, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_launch(module.get(), 2, inputs, nullptr, outputs, nullptr, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_launch(module.get(), 2, inputs, nullptr, outputs, workspace + 8, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  // 2^30 problems fit the first kernel, 2^29 blocks, but not the second, 2^31.
  EXPECT_EQ(idc_launch(module.get(), int64_t(1) << 30, inputs, nullptr, outputs, workspace, nullptr),
            IDC_ERROR_TOO_LARGE);
  EXPECT_TRUE(state->launches.empty());
}

TEST_F(GpuModule, KeepsTheThreadsContext) {
  auto setCurrent = driverFunction<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent");
  auto getCurrent = driverFunction<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
  int mine = 0, other = 0;
  setCurrent(&mine);
  ModulePointer module = load(".version k0", manifestOf(kernel("k0", "plain", 1, 0)));
  setCurrent(&other);
  ASSERT_EQ(idc_launch(module.get(), 1, inputs, nullptr, outputs, workspace, nullptr), IDC_SUCCESS);
  void *current = nullptr;
  getCurrent(&current);
  EXPECT_EQ(current, &other);
  EXPECT_EQ(state->launches.at(0).context, &mine);
}

TEST_F(GpuModule, LaunchesFromThreadsWithoutAContext) {
  ModulePointer module = load(".version k0", manifestOf(kernel("k0", "plain", 1, 0)));
  ASSERT_EQ(status, IDC_SUCCESS);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        EXPECT_EQ(idc_launch(module.get(), 1, inputs, nullptr, outputs, workspace, nullptr), IDC_SUCCESS)
            << idc_last_error();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(state->launches.size(), 800u);
}

TEST_F(GpuModule, LoadErrors) {
  std::string manifest = manifestOf(kernel("k0", "plain", 1, 0));
  EXPECT_FALSE(load(".version other", manifest));
  EXPECT_EQ(status, IDC_ERROR_IMAGE);
  EXPECT_STREQ(idc_last_error(), "the image has no kernel 'k0'");
  EXPECT_EQ(state->modulesLoaded, state->modulesUnloaded);

  EXPECT_FALSE(load("", manifest));
  EXPECT_EQ(status, IDC_ERROR_IMAGE);
  EXPECT_FALSE(load("nonsense", manifest));
  EXPECT_EQ(status, IDC_ERROR_IMAGE);
  EXPECT_STREQ(idc_last_error(), "the image is neither a fatbin, nor a cubin, nor PTX");
  EXPECT_FALSE(load(std::string("\177ELF\2\1") + std::string(20, '\0'), manifest));
  EXPECT_STREQ(idc_last_error(), "the cubin is truncated: 26 bytes");
  EXPECT_FALSE(load(std::string("\x50\xed\x55\xba\1\0\x10\0\xff\0\0\0\0\0\0\0", 16), manifest));
  EXPECT_STREQ(idc_last_error(), "the fatbin is truncated: 16 bytes of 271");
  EXPECT_FALSE(load("broken .version", manifest));
  EXPECT_EQ(status, IDC_ERROR_IMAGE);
  EXPECT_STREQ(idc_last_error(), "loading the image: CUDA_ERROR_FAKE: fake error: ptxas fatal: fake log");

  EXPECT_FALSE(load(".version k0", manifestOf(kernel("k0", "plain", 1, 300000))));
  EXPECT_EQ(status, IDC_ERROR_UNSUPPORTED);
  EXPECT_STREQ(idc_last_error(), "kernel 'k0' needs 300000 bytes of shared memory, more than this device has");
  EXPECT_EQ(state->modulesLoaded, state->modulesUnloaded);
}

TEST_F(GpuModule, DriverErrorsBecomeStatuses) {
  ModulePointer module = load(".version k0", manifestOf(kernel("k0", "plain", 1, 0)));
  state->failNext = 719;
  EXPECT_EQ(idc_launch(module.get(), 1, inputs, nullptr, outputs, workspace, nullptr), IDC_ERROR_DRIVER);
  EXPECT_STREQ(idc_last_error(), "k0: CUDA_ERROR_FAKE: fake error");
  state->failNext = 2;
  void *pointer = x;
  EXPECT_EQ(idc_device_alloc(100, &pointer), IDC_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(GpuModule, HostRunsWhatPassesThroughTheGpu) {
  ModulePointer module = load(".version twice", R"({"idc": 2, "entry": "f", "symbol": "f", "target": "sm_90",
    "memory": 1024, "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4}],
    "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
    "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
    "passes": [{"inputs": [{"name": "x0", "type": "f32", "elementBytes": 4, "elements": 4, "host": {"input": 0}}],
      "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4, "host": {"output": 0}}],
      "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
      "kernels": [{"name": "twice", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                   "sharedBytes": 0, "args": [{"input": 0}, {"output": 0}, {"batch": true}]}]}]})");
  idc::host::RunRequest request;
  request.module = module.get();
  request.batch = 100;
  EXPECT_EQ(idc::host::run(request).processor, "Fake GPU, data in the host's memory");
  EXPECT_GT(state->launches.size(), 1u);
}

TEST_F(GpuModule, HostRunsAndMeasures) {
  ModulePointer module = load(".version twice", manifestOf(kernel("twice", "plain", 1, 0)));
  idc::host::RunRequest request;
  request.module = module.get();
  request.batch = 1000;
  request.time = true;
  request.repeat = 2;
  idc::host::RunReport report = idc::host::run(request);
  EXPECT_EQ(report.processor, "Fake GPU");
  ASSERT_TRUE(report.timing);
  EXPECT_EQ(report.timing->bytes, 32000);
  // Sets of 32 KB (rounded up) fill twice the 1 MiB cache; one run, a warm-up and two measurements launch them.
  EXPECT_EQ(state->launches.size(), 1u + 3 * 66);
  EXPECT_EQ(state->allocations, state->frees);

  state->failNext = 2;
  EXPECT_THROW(idc::host::run(request), idc::host::Error);
  EXPECT_EQ(state->allocations, state->frees);
}

TEST_F(GpuModule, HostMeasuresAGraph) {
  ModulePointer module = load(".version twice", manifestOf(kernel("twice", "plain", 1, 0)));
  idc::host::RunRequest request;
  request.module = module.get();
  request.latency = true;
  request.repeat = 3;
  idc::host::RunReport report = idc::host::run(request);
  ASSERT_TRUE(report.latencySeconds);
  EXPECT_GE(*report.latencySeconds, 0);
  EXPECT_FALSE(report.timing);
  // One run; the graph is recorded once and launched for a warm-up and three measurements.
  EXPECT_EQ(state->launches.size(), 1u + 64 * (1 + 4));
  EXPECT_EQ(state->graphsMade, 1);
  EXPECT_EQ(state->graphsDestroyed, 1);
  EXPECT_EQ(state->allocations, state->frees);
}

TEST_F(GpuModule, HostMeasuresJobs) {
  std::string folder = ::testing::TempDir() + "idc-jobs";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  auto write = [&](const std::string &name, const std::string &text) { std::ofstream(folder + "/" + name) << text; };
  std::string list;
  for (std::string name : {"twice-0", "twice-1", "other-2", "missing-3", "twice-4"}) {
    bool latency = name == "twice-1";
    if (name != "missing-3")
      write(name + ".ptx", ".version begin " + name);
    std::string before = name == "twice-4" ? kernel("begin", "plain", 1, 0) + "," : "";
    write(name + ".json", manifestOf(before + kernel(name, before.empty() ? "plain" : "dependent-launch", 1, 0)));
    list += std::string(list.empty() ? "" : ",") + R"({"name": ")" + name +
            R"(", "group": "g", "batch": 5, "latency": )" + (latency ? "true" : "false") + R"(, "kernels": ")" + name +
            R"(.ptx", "manifest": ")" + name + R"(.json"})";
  }
  write("jobs.json", "{\"jobs\": [" + list + "]}");
  std::ostringstream progress;
  idc::host::measureJobs(folder + "/jobs.json", folder + "/results.json", progress);
  EXPECT_NE(progress.str().find("other-2: its results differ from the other candidates'"), std::string::npos)
      << progress.str();
  EXPECT_NE(progress.str().find("missing-3.ptx"), std::string::npos) << progress.str();
  EXPECT_EQ(state->graphsMade, 1); // the second is measured in a graph
  std::stringstream results;
  results << std::ifstream(folder + "/results.json").rdbuf();
  for (const char *part : {"\"microseconds\"", "\"error\"", "\"name\": \"twice-1\"", "\"name\": \"missing-3\""})
    EXPECT_NE(results.str().find(part), std::string::npos) << results.str();
  // Of several kernels each is also measured alone: launched without those before it, and as the first.
  std::string pair = results.str().substr(results.str().find("\"kernels\": [\n"));
  EXPECT_EQ(std::count(pair.begin(), pair.begin() + long(pair.find(']')), ','), 1) << results.str();
  size_t alone = 0;
  for (const FakeLaunch &launch : state->launches)
    alone += launch.kernel == "twice-4" && launch.attributes.empty();
  EXPECT_EQ(alone, 8u * 8);

  // What has been measured is not measured again.
  size_t launches = state->launches.size();
  std::ostringstream nothing;
  idc::host::measureJobs(folder + "/jobs.json", folder + "/results.json", nothing);
  EXPECT_EQ(nothing.str(), "");
  EXPECT_EQ(state->launches.size(), launches);

  write("broken.json", "{\"jobs\": [{}]}");
  EXPECT_THROW(idc::host::measureJobs(folder + "/broken.json", folder + "/r.json", nothing), idc::host::Error);
  EXPECT_THROW(idc::host::measureJobs(folder + "/none.json", folder + "/r.json", nothing), idc::host::Error);
  EXPECT_THROW(idc::host::measureJobs(folder + "/jobs.json", folder + "/no/r.json", nothing), idc::host::Error);
}

TEST_F(GpuModule, Graphs) {
  void *graph = x;
  EXPECT_EQ(idc_graph_begin(nullptr), IDC_ERROR_INVALID_ARGUMENT); // the default stream records nothing
  EXPECT_EQ(idc_graph_end(workspace, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_graph_launch(nullptr, workspace), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_graph_destroy(nullptr), IDC_SUCCESS);
  EXPECT_EQ(idc_graph_begin(workspace), IDC_SUCCESS);
  state->failNext = 2;
  EXPECT_EQ(idc_graph_end(workspace, &graph), IDC_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(GpuModule, LoadsFiles) {
  std::string folder = ::testing::TempDir(), image = folder + "idc-LoadsFiles.ptx",
              manifest = folder + "idc-LoadsFiles.json";
  std::ofstream(image) << ".version k0";
  std::ofstream(manifest) << manifestOf(kernel("k0", "plain", 1, 0));
  idc_module *module = nullptr;
  EXPECT_EQ(idc_module_load_files(image.c_str(), manifest.c_str(), &module), IDC_SUCCESS) << idc_last_error();
  EXPECT_EQ(idc_module_unload(module), IDC_SUCCESS);
}

} // namespace
