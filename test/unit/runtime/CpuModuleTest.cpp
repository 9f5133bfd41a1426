//===- CpuModuleTest.cpp - modules of C functions -------------------------===//

#include "CpuFixture.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace idc::test;

namespace {

struct alignas(16) Block {
  float values[problemElements];
};

std::vector<Block> counting(int64_t batch) {
  std::vector<Block> blocks(static_cast<size_t>(batch));
  for (int64_t i = 0; i < batch * problemElements; ++i)
    blocks[size_t(i / problemElements)].values[i % problemElements] = float(i % 1000003);
  return blocks;
}

/// Launches y = 2 x and checks it.
void runDoubling(const idc_module *module, int64_t batch) {
  std::vector<Block> x = counting(batch), y(size_t(batch), Block{{-1, -1, -1, -1}});
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  ASSERT_EQ(idc_launch(module, batch, inputs, nullptr, outputs, nullptr, nullptr), IDC_SUCCESS) << idc_last_error();
  for (int64_t i = 0; i < batch; ++i)
    for (int j = 0; j < problemElements; ++j)
      ASSERT_EQ(y[size_t(i)].values[j], 2 * x[size_t(i)].values[j]) << i;
}

TEST(CpuModule, RunsOneAndManyProblems) {
  ModulePointer module = makeCpuModule(doubleManifest(), doubleKernel);
  for (int64_t batch : {1, 2, 7, 1000, 200001})
    runDoubling(module.get(), batch);
}

TEST(CpuModule, LaunchesFromSeveralThreads) {
  ModulePointer module = makeCpuModule(doubleManifest(), doubleKernel);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round)
        runDoubling(module.get(), 20000 + 1000 * t + round);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CpuModule, DescribesItself) {
  ModulePointer module = makeCpuModule(doubleManifest(), doubleKernel);
  EXPECT_EQ(idc_input_count(module.get()), 1);
  EXPECT_EQ(idc_output_count(module.get()), 1);
  EXPECT_STREQ(idc_module_entry(module.get()), "twice");
  EXPECT_STREQ(idc_module_symbol(module.get()), "twice_f32");
  EXPECT_STREQ(idc_module_target(module.get()), "cpu");
  EXPECT_EQ(idc_module_is_cpu(module.get()), 1);
  idc_operand operand;
  ASSERT_EQ(idc_output(module.get(), 0, &operand), IDC_SUCCESS);
  EXPECT_STREQ(operand.name, "y0");
  EXPECT_STREQ(operand.type, "f32");
  EXPECT_EQ(operand.element_bytes, 4);
  EXPECT_EQ(operand.elements, 4);
  EXPECT_EQ(idc_input(module.get(), 1, &operand), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_input(module.get(), -1, &operand), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_input(nullptr, 0, &operand), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_input_count(nullptr), 0);
  EXPECT_EQ(idc_module_entry(nullptr), nullptr);
}

TEST(CpuModule, ChecksLaunchArguments) {
  ModulePointer module = makeCpuModule(doubleManifest(), doubleKernel);
  Block x{}, y{};
  const void *inputs[] = {&x}, *noInput[] = {nullptr}, *oddInput[] = {&x.values[1]};
  void *outputs[] = {&y}, *noOutput[] = {nullptr}, *oddOutput[] = {&y.values[1]};
  auto launch = [&](int64_t batch, const void *const *in, void *const *out) {
    return idc_launch(module.get(), batch, in, nullptr, out, nullptr, nullptr);
  };
  EXPECT_EQ(launch(0, nullptr, nullptr), IDC_SUCCESS);
  EXPECT_EQ(launch(-1, inputs, outputs), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "the batch is -1; it must not be negative");
  EXPECT_EQ(launch(1, nullptr, outputs), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "'inputs' must not be null");
  EXPECT_EQ(launch(1, noInput, outputs), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "input 0 (x) is null");
  EXPECT_EQ(launch(1, oddInput, outputs), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "input 0 (x) is not aligned to 16 bytes");
  EXPECT_EQ(launch(1, inputs, noOutput), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(launch(1, inputs, oddOutput), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(launch(int64_t(1) << 31, inputs, outputs), IDC_ERROR_TOO_LARGE);
  EXPECT_STREQ(idc_last_error(), "kernel 'twice_k0' needs more than 2147483647 blocks at batch 2147483648");
  EXPECT_EQ(launch(std::numeric_limits<int64_t>::max(), inputs, outputs), IDC_ERROR_TOO_LARGE);
  EXPECT_EQ(idc_launch(nullptr, 1, inputs, nullptr, outputs, nullptr, nullptr), IDC_ERROR_INVALID_ARGUMENT);
}

/// Arrays and a workspace at random places of a small memory: a launch is right just when nothing that is written
/// shares a byte with anything else, but for y0, which may have the memory of x.
TEST(CpuModule, LaunchesJustWhatSharesNoByte) {
  const char *manifest = R"({"idc": 1, "entry": "f", "symbol": "f", "target": "cpu",
    "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4},
               {"name": "s", "type": "f32", "elementBytes": 4, "elements": 8}],
    "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4, "inPlace": [0]},
                {"name": "y1", "type": "f32", "elementBytes": 4, "elements": 4}],
    "workspace": {"bytesPerProblem": 16, "fixedBytes": 256},
    "kernels": [{"name": "f_k0", "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                 "args": [{"input": 0}, {"input": 1}, {"output": 0}, {"output": 1},
                          {"workspace": 256, "perProblem": 0}, {"batch": true}]}]})";
  ModulePointer module = makeCpuModule(manifest, [](void *const *, int64_t, int64_t, int64_t) {});
  constexpr int64_t unit = 16, units = 2048;
  alignas(256) static char memory[units * unit];
  std::mt19937 random(1);
  int right = 0, wrong = 0;
  for (int round = 0; round < 20000; ++round) {
    const int64_t batch = 1 + int64_t(random() % 3), room = random() % 2 ? units : 96;
    auto place = [&](int64_t step) { return memory + random() % uint64_t(room / 2 / step) * uint64_t(step) * unit; };
    char *x = place(1), *s = place(1), *y0 = random() % 3 ? place(1) : x, *y1 = place(1), *workspace = place(16);
    struct Part {
      const char *begin;
      int64_t bytes;
    };
    const Part parts[] = {
        {x, 16 * batch}, {s, 32 * batch}, {y0, 16 * batch}, {y1, 16 * batch}, {workspace, 256 + 16 * batch}};
    bool expected = true;
    for (size_t i = 2; i < 5; ++i)
      for (size_t j = 0; j < i; ++j)
        expected &= parts[i].begin + parts[i].bytes <= parts[j].begin ||
                    parts[j].begin + parts[j].bytes <= parts[i].begin || (i == 2 && j == 0 && y0 == x);
    const void *inputs[] = {x, s};
    void *outputs[] = {y0, y1};
    const idc_status status = idc_launch(module.get(), batch, inputs, nullptr, outputs, workspace, nullptr);
    ASSERT_EQ(status, expected ? IDC_SUCCESS : IDC_ERROR_INVALID_ARGUMENT) << round << ": " << idc_last_error();
    ++(expected ? right : wrong);
  }
  EXPECT_GT(right, 2000);
  EXPECT_GT(wrong, 2000);
}

TEST(CpuModule, LastErrorBelongsToTheThread) {
  EXPECT_EQ(idc_workspace_size(nullptr, 1, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  std::string here = idc_last_error(), there = "?";
  std::thread([&] { there = idc_last_error(); }).join();
  EXPECT_EQ(here, "'module' must not be null");
  EXPECT_EQ(there, "");
}

/// Two kernels with a workspace between: w[b] = sum of x[b], then y[b][i] = w[batch - 1 - b]. The second kernel reads
/// what any block of the first wrote, so that it must come after all of it.
constexpr const char *reversedSums = R"({"idc": 1, "entry": "sums", "symbol": "sums", "target": "cpu",
  "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4}],
  "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
  "workspace": {"bytesPerProblem": 32, "fixedBytes": 64},
  "kernels": [
    {"name": "sum", "problemsPerBlockGroup": 2, "blocksPerGroup": 1,
     "args": [{"input": 0}, {"workspace": 64, "perProblem": 16}]},
    {"name": "spread", "problemsPerBlockGroup": 3, "blocksPerGroup": 2,
     "args": [{"batch": true}, {"workspace": 64, "perProblem": 16}, {"output": 0}]}]})";

void sumKernel(void *const *args, int64_t batch, int64_t first, int64_t last) {
  const Block *x = static_cast<const Block *>(args[0]);
  float *w = static_cast<float *>(args[1]);
  for (int64_t b = 2 * first; b < std::min(2 * last, batch); ++b)
    w[b] = x[b].values[0] + x[b].values[1] + x[b].values[2] + x[b].values[3];
}

void spreadKernel(void *const *args, int64_t batch, int64_t first, int64_t last) {
  const float *w = static_cast<const float *>(args[0]);
  Block *y = static_cast<Block *>(args[1]);
  for (int64_t block = first; block < last; ++block) // of the two blocks of a group, each writes half of every problem
    for (int64_t b = block / 2 * 3; b < std::min(block / 2 * 3 + 3, batch); ++b)
      for (int half = 0; half < 2; ++half)
        y[b].values[block % 2 * 2 + half] = w[batch - 1 - b];
}

TEST(CpuModule, KernelsRunInOrderThroughTheWorkspace) {
  idc_module *raw = nullptr;
  auto lookup = [](const char *name, void *) { return std::string(name) == "sum" ? sumKernel : spreadKernel; };
  ASSERT_EQ(idc_cpu_module_create(reversedSums, std::strlen(reversedSums), lookup, nullptr, &raw), IDC_SUCCESS);
  ModulePointer module(raw, idc_module_unload);
  for (int64_t batch : {1, 2, 3, 5, 64, 100000}) {
    std::vector<Block> x = counting(batch), y((size_t(batch)));
    int64_t bytes = -1;
    ASSERT_EQ(idc_workspace_size(raw, batch, &bytes), IDC_SUCCESS);
    EXPECT_EQ(bytes, 64 + 32 * batch);
    std::vector<Block> workspace(size_t(bytes) / sizeof(Block), Block{{-1, -1, -1, -1}});
    const void *inputs[] = {x.data()};
    void *outputs[] = {y.data()};
    EXPECT_EQ(idc_launch(raw, batch, inputs, nullptr, outputs, nullptr, nullptr), IDC_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(idc_launch(raw, batch, inputs, nullptr, outputs, workspace.data(), nullptr), IDC_SUCCESS)
        << idc_last_error();
    for (int64_t b = 0; b < batch; ++b) {
      const Block &from = x[size_t(batch - 1 - b)];
      for (float value : y[size_t(b)].values)
        ASSERT_EQ(value, from.values[0] + from.values[1] + from.values[2] + from.values[3]) << b;
    }
    // The first kernel was given workspace + 16 * batch + 64.
    for (size_t i = 0; i < size_t(batch + 4); ++i)
      EXPECT_EQ(workspace[i].values[0], -1) << i;
  }
}

/// y = 2 (2 x) in two kernels, the value between them in the workspace.
constexpr const char *fourTimes = R"({"idc": 1, "entry": "f", "symbol": "f", "target": "cpu",
  "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4}],
  "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
  "workspace": {"bytesPerProblem": 16, "fixedBytes": 0},
  "kernels": [
    {"name": "first", "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
     "args": [{"input": 0}, {"workspace": 0, "perProblem": 0}, {"batch": true}]},
    {"name": "second", "problemsPerBlockGroup": 8, "blocksPerGroup": 8,
     "args": [{"workspace": 0, "perProblem": 0}, {"output": 0}, {"batch": true}]}]})";

void doubleWithinBatch(void *const *args, int64_t batch, int64_t first, int64_t last) {
  doubleKernel(args, batch, first, std::min(batch, last));
}

TEST(CpuModule, PiecesOfTheBatchGoThroughAllKernels) {
  ModulePointer module = makeCpuModule(fourTimes, doubleWithinBatch);
  for (int32_t threads : {1, 2, 0}) {
    ASSERT_EQ(idc_cpu_threads(threads), IDC_SUCCESS);
    for (int64_t batch : {1, 7, 8, 9, 5461, 5462, 100003}) {
      std::vector<Block> x = counting(batch), y((size_t(batch))), workspace((size_t(batch)));
      const void *inputs[] = {x.data()};
      void *outputs[] = {y.data()};
      ASSERT_EQ(idc_launch(module.get(), batch, inputs, nullptr, outputs, workspace.data(), nullptr), IDC_SUCCESS);
      for (size_t b = 0; b < size_t(batch); ++b)
        for (int j = 0; j < problemElements; ++j)
          ASSERT_EQ(y[b].values[j], 4 * x[b].values[j]) << b;
    }
  }
}

std::mutex seenMutex;
std::set<std::thread::id> seen;

void noteThread(void *const *args, int64_t batch, int64_t first, int64_t last) {
  doubleKernel(args, batch, first, last);
  std::lock_guard<std::mutex> lock(seenMutex);
  seen.insert(std::this_thread::get_id());
}

TEST(CpuModule, ThreadsAreSaidForTheCallingThread) {
  ModulePointer module = makeCpuModule(doubleManifest(), noteThread);
  EXPECT_EQ(idc_cpu_threads(-1), IDC_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(idc_cpu_threads(1), IDC_SUCCESS);
  std::thread([] { EXPECT_EQ(idc_cpu_threads(3), IDC_SUCCESS); }).join(); // changes nothing here
  seen.clear();
  for (int round = 0; round < 5; ++round)
    runDoubling(module.get(), 200000);
  EXPECT_EQ(seen, std::set<std::thread::id>{std::this_thread::get_id()});
  ASSERT_EQ(idc_cpu_threads(0), IDC_SUCCESS);
  runDoubling(module.get(), 200000);
}

/// What idc_launch() says of a workspace with everything else in order: nothing when it takes it.
std::string refusal(const idc_module *module, int64_t batch, const void *x, void *y, void *workspace) {
  const void *inputs[] = {x};
  void *outputs[] = {y};
  idc_status status = idc_launch(module, batch, inputs, nullptr, outputs, workspace, nullptr);
  EXPECT_TRUE(status == IDC_SUCCESS || status == IDC_ERROR_INVALID_ARGUMENT);
  return status == IDC_SUCCESS ? "" : idc_last_error();
}

TEST(CpuModule, WorkspaceOnOperandsIsRefused) {
  idc_module *raw = nullptr;
  auto lookup = [](const char *name, void *) { return std::string(name) == "sum" ? sumKernel : spreadKernel; };
  ASSERT_EQ(idc_cpu_module_create(reversedSums, std::strlen(reversedSums), lookup, nullptr, &raw), IDC_SUCCESS);
  ModulePointer module(raw, idc_module_unload);
  // x at 10, y at 20, both 3 blocks long; the workspace of 64 + 3 * 32 bytes is 10 blocks long.
  std::vector<Block> all(40, Block{});
  for (int at = 0; at < 30; ++at) {
    std::string expected = at > 0 && at < 13 ? "input 0 (x)" : at > 10 && at < 23 ? "output 0 (y0)" : "";
    if (!expected.empty())
      expected = "the workspace of 160 bytes overlaps " + expected;
    EXPECT_EQ(refusal(raw, 3, &all[10], &all[20], &all[size_t(at)]), expected) << at;
  }
  // A module that needs none may be given any.
  ModulePointer none = makeCpuModule(doubleManifest(), doubleKernel);
  EXPECT_EQ(refusal(none.get(), 3, &all[10], &all[20], nullptr), "");
  EXPECT_EQ(refusal(none.get(), 3, &all[10], &all[20], &all[10]), "");
}

void idleKernel(void *const *, int64_t, int64_t, int64_t) {}

TEST(CpuModule, WorkspaceMayLieBetweenElements) {
  // Two planes of 2 x 3 numbers, the rows 100 and the numbers 8 apart, 3 problems 1000 apart.
  ModulePointer module = makeCpuModule(R"({"idc": 1, "entry": "f", "symbol": "f", "target": "cpu",
      "inputs": [{"name": "x", "type": "complex<f32>", "elementBytes": 8, "elements": 6,
                  "layout": {"sizes": [2, 3], "strides": [100, 8], "offset": 4, "batch": 1000, "alignment": 4,
                             "planes": [{"name": "re", "bytes": 4}, {"name": "im", "bytes": 4}]}}],
      "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
      "workspace": {"bytesPerProblem": 0, "fixedBytes": 32},
      "kernels": [{"name": "k", "problemsPerBlockGroup": 1, "blocksPerGroup": 1, "args": [{"batch": true}]}]})",
                                       idleKernel);
  alignas(16) static float re[4096], im[4096], y[64];
  for (auto [plane, name] : {std::pair(re, "x.re"), std::pair(im, "x.im")})
    for (int at = 0; at < 4000; at += 4) { // 8 numbers from there on
      bool meets = false;
      for (int b = 0; b < 3; ++b)
        for (int i = 0; i < 6; ++i) {
          int number = 4 + b * 1000 + i / 3 * 100 + i % 3 * 8;
          meets |= number >= at && number < at + 8;
        }
      const void *inputs[] = {re, im};
      void *outputs[] = {y};
      idc_status status = idc_launch(module.get(), 3, inputs, nullptr, outputs, plane + at, nullptr);
      ASSERT_EQ(status, meets ? IDC_ERROR_INVALID_ARGUMENT : IDC_SUCCESS) << name << " " << at;
      if (meets) {
        EXPECT_EQ(idc_last_error(), "the workspace of 32 bytes overlaps input 0 (" + std::string(name) + ")");
      }
    }
}

/// Random arrays with two dimensions and a batch at any distances, in one small memory: a launch is right just when no
/// byte of a result is one of the input.
TEST(CpuModule, ElementsMayLieBetweenEachOther) {
  std::mt19937 random(2);
  auto below = [&](int64_t end) { return int64_t(random() % uint64_t(end)); };
  int right = 0, wrong = 0;
  for (int round = 0; round < 3000; ++round) {
    struct Array {
      int64_t sizes[3], strides[3], offset; // batch, then dimensions; in numbers
      std::set<int64_t> places() const {
        std::set<int64_t> all;
        for (int64_t i = 0; i < sizes[0]; ++i)
          for (int64_t j = 0; j < sizes[1]; ++j)
            for (int64_t k = 0; k < sizes[2]; ++k)
              all.insert(offset + i * strides[0] + j * strides[1] + k * strides[2]);
        return all;
      }
      std::string json(const char *name) const {
        const std::string count = std::to_string(sizes[1] * sizes[2]);
        return std::string(R"({"name": ")") + name + R"(", "type": "f32", "elementBytes": 4, "elements": )" + count +
               R"(, "layout": {"sizes": [)" + std::to_string(sizes[1]) + ", " + std::to_string(sizes[2]) +
               R"(], "strides": [)" + std::to_string(strides[1]) + ", " + std::to_string(strides[2]) +
               R"(], "offset": )" + std::to_string(offset) + R"(, "batch": )" + std::to_string(strides[0]) +
               R"(, "alignment": 4}})";
      }
    };
    const int64_t batch = 1 + below(3);
    const int64_t common = 4 + below(60); // a distance that both may have
    auto draw = [&] {
      Array array;
      do
        array = {{batch, 1 + below(5), 1 + below(5)},
                 {below(2) ? common * (1 + below(5)) : 1 + below(100), below(2) ? common : 1 + below(40), 1 + below(6)},
                 below(60)};
      while (int64_t(array.places().size()) != batch * array.sizes[1] * array.sizes[2]);
      return array;
    };
    const Array x = draw(), y = draw();
    const std::set<int64_t> ofX = x.places(), ofY = y.places();
    const bool meets = std::any_of(ofX.begin(), ofX.end(), [&](int64_t place) { return ofY.count(place); });
    ModulePointer module = makeCpuModule(R"({"idc": 1, "entry": "f", "symbol": "f", "target": "cpu", "inputs": [)" +
                                             x.json("x") + R"(], "outputs": [)" + y.json("y0") +
                                             R"(], "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
          "kernels": [{"name": "k", "problemsPerBlockGroup": 1, "blocksPerGroup": 1, "args": [{"batch": true}]}]})",
                                         idleKernel);
    alignas(16) static float memory[2048];
    const void *inputs[] = {memory};
    void *outputs[] = {memory};
    ASSERT_EQ(idc_launch(module.get(), batch, inputs, nullptr, outputs, nullptr, nullptr),
              meets ? IDC_ERROR_INVALID_ARGUMENT : IDC_SUCCESS)
        << x.json("x") << " " << y.json("y0") << " " << batch << " " << idc_last_error();
    ++(meets ? wrong : right);
  }
  EXPECT_GT(right, 300);
  EXPECT_GT(wrong, 300);
}

/// As many elements as nobody compares one by one: every second and every fourth number.
TEST(CpuModule, ManyElementsMayLieBetweenEachOther) {
  ModulePointer module = makeCpuModule(R"({"idc": 1, "entry": "f", "symbol": "f", "target": "cpu",
      "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 100000,
                  "layout": {"sizes": [100000], "strides": [2], "offset": 0, "batch": 200000, "alignment": 4}}],
      "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 50000,
                   "layout": {"sizes": [50000], "strides": [4], "offset": 0, "batch": 200000, "alignment": 4}}],
      "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
      "kernels": [{"name": "k", "problemsPerBlockGroup": 1, "blocksPerGroup": 1, "args": [{"batch": true}]}]})",
                                       idleKernel);
  static float memory[600016];
  for (int at = 0; at < 8; ++at) {
    const void *inputs[] = {memory + 4};
    void *outputs[] = {memory + at};
    EXPECT_EQ(idc_launch(module.get(), 3, inputs, nullptr, outputs, nullptr, nullptr),
              at % 2 ? IDC_SUCCESS : IDC_ERROR_INVALID_ARGUMENT)
        << at;
  }
}

TEST(CpuModule, ScalarsComeByTheirBytes) {
  ModulePointer module = makeCpuModule(shiftManifest(), shiftKernel);
  EXPECT_EQ(idc_scalar_count(module.get()), 2);
  idc_operand described;
  ASSERT_EQ(idc_scalar(module.get(), 0, &described), IDC_SUCCESS);
  EXPECT_STREQ(described.name, "c");
  EXPECT_STREQ(described.type, "complex<f32>");
  EXPECT_EQ(described.element_bytes, 8);
  EXPECT_EQ(described.elements, 1);
  EXPECT_EQ(idc_scalar(module.get(), 2, &described), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_scalar_count(nullptr), 0);

  Block x{{1, 2, 3, 4}}, y{};
  char bytes[9]; // the values of scalars need no alignment
  float c[] = {100, 10};
  std::memcpy(bytes + 1, c, sizeof c);
  int32_t f = -2;
  const void *inputs[] = {&x}, *scalars[] = {bytes + 1, &f}, *missing[] = {bytes + 1, nullptr};
  void *outputs[] = {&y};
  ASSERT_EQ(idc_launch(module.get(), 1, inputs, scalars, outputs, nullptr, nullptr), IDC_SUCCESS) << idc_last_error();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(y.values[i], -2 * (x.values[i] + 10));
  EXPECT_EQ(idc_launch(module.get(), 1, inputs, missing, outputs, nullptr, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "scalar 1 (f) has no value");
  EXPECT_EQ(idc_launch(module.get(), 1, inputs, nullptr, outputs, nullptr, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "scalar 0 (c) has no value");
}

TEST(CpuModule, RequiredScalars) {
  std::string manifest = shiftManifest();
  const std::string factor = R"("type": "i32", "bytes": 4)";
  manifest.insert(manifest.find(factor) + factor.size(),
                  R"(, "required": [{"is": ">=", "number": -2, "message": "small"},
                                    {"is": "<", "number": 3, "message": "large"}, {"is": "!=", "number": 0, "message": "none"}])");
  ModulePointer module = makeCpuModule(manifest, shiftKernel);
  ASSERT_TRUE(module);
  Block x{{1, 2, 3, 4}}, y{};
  float c[] = {0, 0};
  auto launched = [&](int32_t f) {
    const void *inputs[] = {&x}, *scalars[] = {c, &f};
    void *outputs[] = {&y};
    y.values[1] = 77;
    return idc_launch(module.get(), 1, inputs, scalars, outputs, nullptr, nullptr);
  };
  for (int32_t f : {-2, -1, 1, 2}) {
    ASSERT_EQ(launched(f), IDC_SUCCESS) << idc_last_error();
    EXPECT_EQ(y.values[1], float(2 * f));
  }
  EXPECT_EQ(launched(3), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "scalar 1 (f) is 3, but must be < 3: large");
  EXPECT_EQ(launched(-3), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(idc_last_error(), "scalar 1 (f) is -3, but must be >= -2: small");
  EXPECT_EQ(launched(0), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(y.values[1], 77); // nothing is launched
}

TEST(CpuModule, WorkspaceSizes) {
  auto lookup = [](const char *, void *) { return sumKernel; };
  idc_module *raw = nullptr;
  ASSERT_EQ(idc_cpu_module_create(reversedSums, std::strlen(reversedSums), lookup, nullptr, &raw), IDC_SUCCESS);
  ModulePointer module(raw, idc_module_unload);
  int64_t bytes = -1;
  EXPECT_EQ(idc_workspace_size(raw, 0, &bytes), IDC_SUCCESS);
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(idc_workspace_size(raw, -1, &bytes), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_workspace_size(raw, std::numeric_limits<int64_t>::max(), &bytes), IDC_ERROR_TOO_LARGE);
  EXPECT_EQ(idc_workspace_size(raw, 1, nullptr), IDC_ERROR_INVALID_ARGUMENT);
}

TEST(CpuModule, CreationErrors) {
  idc_module *module = reinterpret_cast<idc_module *>(16);
  auto none = [](const char *, void *) { return idc_cpu_kernel(nullptr); };
  std::string manifest = doubleManifest();
  EXPECT_EQ(idc_cpu_module_create(manifest.data(), manifest.size(), none, nullptr, &module), IDC_ERROR_IMAGE);
  EXPECT_EQ(module, nullptr);
  EXPECT_STREQ(idc_last_error(), "there is no function for the kernel 'twice_k0'");
  EXPECT_EQ(idc_cpu_module_create("{", 1, none, nullptr, &module), IDC_ERROR_MANIFEST);
  EXPECT_STREQ(idc_last_error(), "manifest: not valid JSON at byte 2");
  EXPECT_EQ(idc_cpu_module_create(nullptr, 0, none, nullptr, &module), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_cpu_module_create(manifest.data(), manifest.size(), nullptr, nullptr, &module),
            IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_cpu_module_create(manifest.data(), manifest.size(), none, nullptr, nullptr),
            IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_module_load("x", 1, manifest.data(), manifest.size(), &module), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_module_unload(nullptr), IDC_SUCCESS);
}

TEST(Status, EveryStatusHasItsMessage) {
  std::set<std::string> messages;
  for (int status = IDC_SUCCESS; status <= IDC_ERROR_GROUP; ++status)
    messages.insert(idc_error_message(idc_status(status)));
  EXPECT_EQ(messages.size(), size_t(IDC_ERROR_GROUP) + 1);
  EXPECT_EQ(messages.count("unknown status"), 0u);
  EXPECT_STREQ(idc_error_message(idc_status(IDC_ERROR_GROUP + 1)), "unknown status");
}

} // namespace
