//===- HostRunTest.cpp - running a module on files ------------------------===//

#include "CpuFixture.h"
#include "host/Memory.h"
#include "host/Operands.h"
#include "host/Run.h"
#include "npy/Npy.h"

#include <atomic>
#include <sstream>

using namespace idc::test;
using namespace idc::host;
namespace npy = idc::npy;

namespace {

std::string path(const std::string &name) {
  return ::testing::TempDir() + "idc-" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + "-" + name +
         ".npy";
}

void writeFloats(const std::string &file, const std::vector<float> &values) {
  npy::Array array{npy::DType::F4, {int64_t(values.size())}, std::vector<char>(values.size() * sizeof(float))};
  std::memcpy(array.data.data(), values.data(), array.data.size());
  npy::write(file, array);
}

std::string errorOf(const RunRequest &request) {
  try {
    run(request);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

class HostRun : public ::testing::Test {
protected:
  HostRun() : module(makeCpuModule(doubleManifest(), doubleKernel)) {
    request.module = module.get();
    request.batch = 2;
  }
  ModulePointer module;
  RunRequest request;
};

/// As doubleKernel, but the third launch is wrong in its last element.
void forgetfulKernel(void *const *arguments, int64_t batch, int64_t first, int64_t last) {
  static std::atomic<int> launches{0};
  doubleKernel(arguments, batch, first, last);
  if (last == batch && ++launches == 3)
    static_cast<float *>(arguments[1])[4 * batch - 1] = 0;
}

TEST_F(HostRun, ComparesAllLaunchesWithTheFirst) {
  request.launches = 5;
  RunReport report = run(request);
  ASSERT_EQ(report.comparisons.size(), 1u);
  EXPECT_TRUE(report.passed());
  ModulePointer forgetful = makeCpuModule(doubleManifest(), forgetfulKernel);
  request.module = forgetful.get();
  report = run(request);
  EXPECT_FALSE(report.passed());
  EXPECT_NE(report.comparisons.at(0).file.find("5 launches, of which 1 differ"), std::string::npos)
      << report.comparisons[0].file;
}

/// y = 2 x, 4 elements each at distance 2 in problems of 10, the numbers in two planes; writes between them where x is
/// negative.
void spreadKernel(void *const *arguments, int64_t, int64_t first, int64_t last) {
  for (int plane : {0, 1}) {
    const float *x = static_cast<const float *>(arguments[plane]);
    float *y = static_cast<float *>(arguments[2 + plane]);
    for (int64_t b = first; b < last; ++b)
      for (int64_t i = 0; i < 4; ++i) {
        y[1 + 10 * b + 2 * i] = 2 * x[1 + 10 * b + 2 * i];
        if (x[1 + 10 * b + 2 * i] < 0)
          y[10 * b + 2 * i] = 0;
      }
  }
}

const char *spreadManifest() {
  return R"({"idc": 1, "entry": "twice", "symbol": "twice", "target": "cpu",
    "inputs": [{"name": "x", "type": "complex<f32>", "elementBytes": 8, "elements": 4,
                "layout": {"sizes": [4], "strides": [2], "offset": 1, "batch": 10, "alignment": 4,
                           "planes": [{"name": "re", "bytes": 4}, {"name": "im", "bytes": 4}]}}],
    "outputs": [{"name": "y0", "type": "complex<f32>", "elementBytes": 8, "elements": 4,
                 "layout": {"sizes": [4], "strides": [2], "offset": 1, "batch": 10, "alignment": 4, "mostProblems": 9,
                            "planes": [{"name": "re", "bytes": 4}, {"name": "im", "bytes": 4}]}}],
    "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
    "kernels": [{"name": "twice_k0", "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                 "args": [{"input": 0}, {"input": 0, "plane": 1}, {"output": 0}, {"output": 0, "plane": 1},
                          {"batch": true}]}]})";
}

TEST_F(HostRun, LaysOperandsOut) {
  ModulePointer spread = makeCpuModule(spreadManifest(), spreadKernel);
  request.module = spread.get();
  npy::Array x{npy::DType::C8, {8}, std::vector<char>(64)}, doubled = x;
  for (int i = 0; i < 16; ++i) {
    float value = float(i + 1), twice = 2 * value;
    std::memcpy(&x.data[size_t(4 * i)], &value, 4);
    std::memcpy(&doubled.data[size_t(4 * i)], &twice, 4);
  }
  npy::write(path("x"), x);
  npy::write(path("doubled"), doubled);
  request.inputs = {path("x")};
  request.expected = {path("doubled")};
  RunReport report = run(request);
  ASSERT_EQ(report.comparisons.size(), 2u);
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.comparisons[0].file, "what was between its elements");
  x.data[3] = char(0xbf); // -1
  npy::write(path("x"), x);
  report = run(request);
  EXPECT_FALSE(report.comparisons[0].passed);
  request.batch = 10;
  request.inputs = {};
  EXPECT_NE(errorOf(request).find("output 0 (y0) has a layout in which only 9 problems do not overlap"),
            std::string::npos);
}

TEST_F(HostRun, WorksInPlace) {
  request.inPlace = true;
  EXPECT_EQ(errorOf(request), "no output may have the memory of an input");
  std::string manifest = doubleManifest(), outputs = R"("outputs": [{)";
  manifest.insert(manifest.find(outputs) + outputs.size(), R"("inPlace": [0], )");
  ModulePointer inPlace = makeCpuModule(manifest, doubleKernel);
  EXPECT_EQ(idc_in_place(inPlace.get(), 0, 0), 1);
  EXPECT_EQ(idc_in_place(inPlace.get(), 1, 0), 0);
  EXPECT_EQ(idc_in_place(inPlace.get(), 0, 1), 0);
  EXPECT_EQ(idc_in_place(module.get(), 0, 0), 0);
  writeFloats(path("x"), {1, 2, 3, 4, 5, 6, 7, 8});
  writeFloats(path("right"), {2, 4, 6, 8, 10, 12, 14, 16});
  request.module = inPlace.get();
  request.inputs = {path("x")};
  request.expected = {path("right")};
  request.reference = [](const std::vector<std::vector<char>> &given) { // is given what has been overwritten
    npy::Array doubled{npy::DType::F4, {problemElements}, given[0]};
    for (int64_t i = 0; i < problemElements; ++i) {
      float value;
      std::memcpy(&value, &doubled.data[size_t(4 * i)], 4);
      value *= 2;
      std::memcpy(&doubled.data[size_t(4 * i)], &value, 4);
    }
    return std::vector<npy::Array>{doubled};
  };
  RunReport report = run(request);
  ASSERT_EQ(report.comparisons.size(), 2u);
  EXPECT_TRUE(report.passed());
  request.launches = 2;
  EXPECT_EQ(errorOf(request), "a launch in place cannot be repeated: its input is gone");
}

TEST_F(HostRun, ReadsWritesAndCompares) {
  writeFloats(path("x"), {1, 2, 3, 4, 5, 6, 7, 8});
  writeFloats(path("right"), {2, 4, 6, 8, 10, 12, 14, 16});
  writeFloats(path("wrong"), {2, 4, 6, 8, 10, 12, 14, 17});
  request.inputs = {path("x")};
  request.outputs = {path("y")};
  request.expected = {path("right")};
  RunReport report = run(request);
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.comparisons.at(0).error, 0);
  EXPECT_EQ(npy::read(path("y")).data, npy::read(path("right")).data);
  EXPECT_EQ(npy::read(path("y")).shape, (std::vector<int64_t>{2, 4}));
  EXPECT_FALSE(report.timing);

  request.expected = {path("wrong")};
  report = run(request);
  EXPECT_FALSE(report.passed());
  EXPECT_GT(report.comparisons.at(0).error, 0.01);
  request.tolerance = 1;
  EXPECT_TRUE(run(request).passed());

  std::ostringstream text;
  print(text, report);
  EXPECT_NE(text.str().find("twice_f32: 2 problems on the CPU"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("relative L2 error"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("FAILED"), std::string::npos) << text.str();
}

TEST_F(HostRun, Sketches) {
  request.sketches = {path("sketch")};
  EXPECT_TRUE(run(request).comparisons.empty());
  request.sketches = {};
  request.expectedSketches = {path("sketch")};
  RunReport report = run(request);
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.comparisons.at(0).error, 0);
  request.seed = 1;
  report = run(request);
  EXPECT_FALSE(report.passed());
  EXPECT_GT(report.comparisons.at(0).error, 0.1);
}

TEST_F(HostRun, DistributionsOfRandomInput) {
  request.distributions = {"x=5+|uniform|,zero/2"};
  request.outputs = {path("y")};
  run(request);
  npy::Array y = npy::read(path("y"));
  std::vector<float> values(8);
  std::memcpy(values.data(), y.data.data(), y.data.size());
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_GE(values[i], i < 4 ? 10 : 0);
    EXPECT_LE(values[i], i < 4 ? 12 : 0);
  }
  request.distributions = {"z=normal"};
  EXPECT_NE(errorOf(request).find("no input 'z'"), std::string::npos);
  request.distributions = {"x=gamma"};
  EXPECT_NE(errorOf(request).find("not 'gamma'"), std::string::npos);
}

TEST_F(HostRun, RandomInputFollowsTheSeed) {
  for (auto [seed, name] : {std::pair(1, "a"), std::pair(1, "b"), std::pair(2, "c")}) {
    request.seed = uint64_t(seed);
    request.outputs = {path(name)};
    run(request);
  }
  EXPECT_EQ(npy::read(path("a")).data, npy::read(path("b")).data);
  EXPECT_NE(npy::read(path("a")).data, npy::read(path("c")).data);
}

void idleKernel(void *const *, int64_t, int64_t, int64_t) {}

TEST_F(HostRun, RandomInputMayRepeat) {
  std::unique_ptr<Memory> memory = Memory::forModule(request.module);
  Operands operands(request.module, 5);
  auto draw = [&](int64_t problems) {
    std::vector<char> set(size_t(operands.setBytes));
    fillInput(*memory, operands, 0, set.data(), problems, 7, {});
    return set;
  };
  std::vector<char> repeating = draw(2), drawn = draw(5);
  size_t problem = size_t(operands.inputs[0].bytes) / 5;
  auto of = [&](const std::vector<char> &set, size_t i) { return std::string(set.data() + i * problem, problem); };
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(of(repeating, i), of(drawn, i % 2)) << i;
  EXPECT_NE(of(drawn, 2), of(drawn, 0));
}

TEST_F(HostRun, OutputsThatNothingWritesFail) {
  ModulePointer idle = makeCpuModule(doubleManifest(), idleKernel);
  writeFloats(path("zero"), std::vector<float>(8));
  request.module = idle.get();
  request.expected = {path("zero")};
  request.tolerance = 1e30;
  EXPECT_FALSE(run(request).passed());
}

TEST_F(HostRun, Measures) {
  request.batch = 1 << 16;
  request.time = true;
  request.repeat = 3;
  RunReport report = run(request);
  ASSERT_TRUE(report.timing);
  EXPECT_EQ(report.timing->bytes, int64_t(2) * 16 << 16);
  EXPECT_GT(report.timing->seconds, 0);
  EXPECT_GT(report.timing->copySeconds, 0);
  EXPECT_GT(report.timing->gigabytesPerSecond(), 0);
  std::ostringstream text;
  print(text, report);
  EXPECT_NE(text.str().find("times a copy of the same bytes"), std::string::npos) << text.str();
}

TEST_F(HostRun, MeasuresLatency) {
  request.latency = true;
  request.repeat = 3;
  RunReport report = run(request);
  ASSERT_TRUE(report.latencySeconds);
  EXPECT_GT(*report.latencySeconds, 0);
  std::ostringstream text;
  print(text, report);
  EXPECT_NE(text.str().find("one of 64 dependent executions in a graph"), std::string::npos) << text.str();
}

TEST_F(HostRun, Errors) {
  auto with = [&](auto change) {
    RunRequest changed = request;
    change(changed);
    return errorOf(changed);
  };
  EXPECT_EQ(with([](RunRequest &r) { r.module = nullptr; }), "there is no module to run");
  EXPECT_EQ(with([](RunRequest &r) { r.batch = 0; }), "the batch is 0; it must be at least 1");
  EXPECT_EQ(with([](RunRequest &r) { r.repeat = 0; }), "the number of repeats is 0; it must be at least 1");
  EXPECT_EQ(with([](RunRequest &r) { r.batch = int64_t(1) << 62; }), "'x' is too large at batch 4611686018427387904");
  EXPECT_EQ(with([](RunRequest &r) { r.inputs = {"a", "b"}; }), "the module has 1 inputs, but 2 input files are given");
  EXPECT_EQ(with([](RunRequest &r) {
              r.outputs = {"a", "b"};
            }),
            "the module has 1 outputs, but 2 output files are given");
  EXPECT_EQ(with([](RunRequest &r) { r.inputs = {"/does/not/exist"}; }),
            "cannot read '/does/not/exist': No such file or directory");
  EXPECT_EQ(with([](RunRequest &r) { r.outputs = {"/does/not/exist"}; }),
            "cannot write '/does/not/exist': No such file or directory");
  writeFloats(path("short"), {1, 2, 3});
  std::string file = path("short");
  EXPECT_EQ(with([&](RunRequest &r) { r.inputs = {file}; }), "'" + file + "' for input 'x' needs 8 numbers, not 3");
  EXPECT_EQ(with([&](RunRequest &r) { r.expected = {file}; }), "output 'y0' has 8 numbers, but its reference has 3");
}

TEST_F(HostRun, ABatchThatDoesNotFitInMemoryIsAnError) {
  request.batch = int64_t(1) << 50;
  EXPECT_EQ(errorOf(request).rfind("out of memory", 0), 0u) << errorOf(request);
}

} // namespace
