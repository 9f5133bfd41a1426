// Passes over data in host memory, on queues whose work is done in any order that events allow.
#include "compiler/emulator/EmulatedQueues.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace idc;
using emulator::EmulatedQueues;

namespace {

/// Two passes over 64 numbers in 8 chunks: rows in and columns out through the workspace, then in natural order. Both
/// add up what they find; the second has an input that every chunk needs.
const std::string text = R"({"idc": 2, "entry": "f", "symbol": "f", "target": "sm_90", "memory": 4096,
  "inputs": [{"name": "x", "type": "i32", "elementBytes": 4, "elements": 64},
             {"name": "w", "type": "i32", "elementBytes": 4, "elements": 8}],
  "outputs": [{"name": "y0", "type": "i32", "elementBytes": 4, "elements": 64}],
  "workspace": {"bytesPerProblem": 256, "fixedBytes": 0},
  "passes": [
    {"devices": 8,
     "inputs": [{"name": "x0", "type": "i32", "elementBytes": 4, "elements": 8, "host": {"input": 0},
                 "devices": [{"below": 8, "radix": 8}]}],
     "outputs": [{"name": "y0", "type": "i32", "elementBytes": 4, "elements": 8, "host": {"workspace": 0},
                  "devices": [{"below": 2, "radix": 4}, {"below": 16, "radix": 2}]}],
     "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
     "kernels": [{"name": "k0", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                  "sharedBytes": 0, "args": [{"input": 0}, {"output": 0}, {"ownDevice": true}, {"batch": true}]}]},
    {"devices": 8,
     "inputs": [{"name": "x0", "type": "i32", "elementBytes": 4, "elements": 8, "host": {"workspace": 0},
                 "devices": [{"below": 1, "radix": 8}]},
                {"name": "x1", "type": "i32", "elementBytes": 4, "elements": 8, "host": {"input": 1}}],
     "outputs": [{"name": "y0", "type": "i32", "elementBytes": 4, "elements": 8, "host": {"output": 0},
                  "devices": [{"below": 8, "radix": 8}]}],
     "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
     "kernels": [{"name": "k1", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                  "sharedBytes": 0, "args": [{"input": 0}, {"input": 1}, {"output": 0}, {"batch": true}]}]}]})";

/// The same, with results in the memory of their arguments.
std::string inPlace() {
  std::string changed = text;
  for (const char *host : {R"("host": {"workspace": 0},)", R"("host": {"output": 0},)"}) {
    const std::string key = std::string(R"("elements": 8, )") + host;
    const size_t at = changed.find(key, changed.find(R"("outputs")", changed.find(R"("passes")")));
    changed.replace(at, key.size(), R"("elements": 8, "inPlace": [0], )" + std::string(host));
  }
  return changed;
}

constexpr int problems = 2, elements = 64, chunkElements = 8;

struct Data {
  Data()
      : x(problems * elements), w(problems * chunkElements), y(problems * elements, -1),
        workspace(problems * elements, -1) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = int32_t(i * i % 1009);
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = int32_t(1000 * i);
  }
  std::vector<int32_t> x, w, y, workspace;
};

/// What the kernels do, in place where that is asked for: a result depends on all of a chunk, and on its number.
idc_status work(size_t pass, int64_t batch, const runtime::Operands &operands) {
  EXPECT_EQ(batch, 1);
  const auto *x = static_cast<const int32_t *>(operands.inputs[0]);
  auto *y = static_cast<int32_t *>(operands.outputs[0]);
  int32_t sum = 0;
  for (int i = 0; i < chunkElements; ++i) {
    sum += x[i];
    y[i] = sum + (pass == 0 ? operands.peers->device() : static_cast<const int32_t *>(operands.inputs[1])[i]);
  }
  return IDC_SUCCESS;
}

/// The same by the whole arrays.
std::vector<int32_t> expected(const Data &data) {
  std::vector<int32_t> between(elements), y(problems * elements);
  for (int problem = 0; problem < problems; ++problem) {
    for (int chunk = 0; chunk < 8; ++chunk) {
      int32_t sum = 0;
      for (int i = 0; i < chunkElements; ++i) {
        sum += data.x[size_t(problem * elements + chunk * chunkElements + i)];
        // Digits of the number of a chunk, 2 below 4 values: places 2 … 4 and 16.
        const int place = i % 2 + (chunk / 2) * 2 + (i / 2 % 2) * 8 + (chunk % 2) * 16 + i / 4 * 32;
        between[size_t(place)] = sum + chunk;
      }
    }
    for (int chunk = 0; chunk < 8; ++chunk) {
      int32_t sum = 0;
      for (int i = 0; i < chunkElements; ++i) {
        sum += between[size_t(i * 8 + chunk)];
        y[size_t(problem * elements + chunk * chunkElements + i)] = sum + data.w[size_t(problem * chunkElements + i)];
      }
    }
  }
  return y;
}

struct Outcome {
  idc_status status;
  bool isRight;
  int64_t waits;
};

Outcome run(uint64_t seed, int64_t forgotten, idc_progress progress = nullptr, void *user = nullptr, int count = 1,
            const std::string &program = text) {
  const runtime::Manifest manifest = runtime::parseManifest(program);
  Data data;
  std::deque<EmulatedQueues> queues;
  std::deque<std::vector<int32_t>> memories(static_cast<size_t>(count), std::vector<int32_t>(1024, -1));
  std::vector<runtime::ChunkDevice> devices;
  for (std::vector<int32_t> &memory : memories) {
    queues.emplace_back(manifest, work, seed + devices.size(), forgotten);
    devices.push_back({&queues.back(), memory.data(), int64_t(memory.size()) * 4});
  }
  const void *inputs[] = {data.x.data(), data.w.data()};
  void *outputs[] = {data.y.data()};
  const idc_host_call call{inputs, nullptr, outputs, data.workspace.data(), nullptr, 0, progress, user};
  const idc_status status = runtime::runPasses(manifest, devices, nullptr, problems, call);
  return {status, data.y == expected(data), queues.front().waits()};
}

TEST(Passes, AreRightInAnyOrder) {
  for (const std::string &program : {text, inPlace()})
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Outcome outcome = run(seed, -1, nullptr, nullptr, 1, program);
      EXPECT_EQ(outcome.status, IDC_SUCCESS);
      EXPECT_TRUE(outcome.isRight) << "seed " << seed;
    }
}

TEST(Passes, TakeOneChunkLessWhereResultsHaveTheMemoryOfArguments) {
  // The second pass has what every chunk needs besides; arrays begin at multiples of 256 bytes.
  EXPECT_EQ(runtime::deviceBytes(runtime::parseManifest(text)), (2 + 1 + 2) * 256);
  EXPECT_EQ(runtime::deviceBytes(runtime::parseManifest(inPlace())), (3 + 1) * 256);
}

TEST(Passes, AreRightOnSeveralDevices) {
  for (const std::string &program : {text, inPlace()})
    for (int count : {2, 3, 8, 11})
      for (uint64_t seed = 0; seed < 20; ++seed) {
        const Outcome outcome = run(seed, -1, nullptr, nullptr, count, program);
        EXPECT_EQ(outcome.status, IDC_SUCCESS);
        EXPECT_TRUE(outcome.isRight) << count << " devices, seed " << seed;
      }
}

TEST(Passes, EachWaitThatIsForgottenIsNoticed) {
  for (const std::string &program : {text, inPlace()}) {
    const int64_t waits = run(0, -1, nullptr, nullptr, 1, program).waits;
    EXPECT_GT(waits, 80);
    for (int64_t forgotten = 0; forgotten < waits; ++forgotten) {
      bool noticed = false;
      for (uint64_t seed = 0; seed < 200 && !noticed; ++seed)
        noticed = !run(seed, forgotten, nullptr, nullptr, 1, program).isRight;
      EXPECT_TRUE(noticed) << "wait " << forgotten;
    }
  }
}

TEST(Passes, EndWhereArraysDo) {
  // 64 numbers in 8 chunks of rows, columns or pairs of columns, of which callers have fewer.
  for (int below : {1, 2, 8})
    for (int length : {32, 33, 47, 50, 63, 64}) {
      const std::string array = R"("type": "i32", "elementBytes": 4, "elements": )",
                        chunk = array + R"(8, "devices": [{"below": )" + std::to_string(below) + R"(, "radix": 8}], )",
                        caller = array + std::to_string(length);
      const runtime::Manifest manifest = runtime::parseManifest(
          R"({"idc": 2, "entry": "f", "symbol": "f", "target": "sm_90", "memory": 4096, "inputs": [{"name": "x", )" +
          caller + R"(}], "outputs": [{"name": "y0", )" + caller +
          R"(}], "workspace": {"bytesPerProblem": 0, "fixedBytes": 0}, "passes": [{"devices": 8,
              "inputs": [{"name": "x0", )" +
          chunk + R"("host": {"input": 0}}],
              "outputs": [{"name": "y0", )" +
          chunk + R"("host": {"output": 0}}],
              "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
              "kernels": [{"name": "k0", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                           "sharedBytes": 0, "args": [{"input": 0}, {"output": 0}, {"batch": true}]}]}]})");
      std::vector<int32_t> x(size_t(problems * length)), y(x.size() + 64, -1), memory(1024, -7);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = int32_t(i);
      auto copied = [](size_t, int64_t, const runtime::Operands &operands) {
        std::copy_n(static_cast<const int32_t *>(operands.inputs[0]), chunkElements,
                    static_cast<int32_t *>(operands.outputs[0]));
        return IDC_SUCCESS;
      };
      EmulatedQueues queues(manifest, copied, 1, -1);
      const void *inputs[] = {x.data()};
      void *outputs[] = {y.data()};
      const idc_host_call call{inputs, nullptr, outputs, nullptr, nullptr, 0, nullptr, nullptr};
      EXPECT_EQ(
          runtime::runPasses(manifest, {{&queues, memory.data(), int64_t(memory.size()) * 4}}, nullptr, problems, call),
          IDC_SUCCESS);
      x.resize(y.size(), -1);
      EXPECT_EQ(x, y) << length << " numbers, " << below;
    }
}

TEST(Passes, TellHowFarTheyAre) {
  std::vector<int64_t> told;
  const Outcome outcome = run(
      1, -1,
      [](int64_t done, int64_t all, void *user) {
        EXPECT_EQ(all, problems * 16);
        static_cast<std::vector<int64_t> *>(user)->push_back(done);
        return 0;
      },
      &told);
  EXPECT_TRUE(outcome.isRight);
  EXPECT_EQ(told.back(), problems * 16);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(std::set<int64_t>(told.begin(), told.end()).size(), told.size());
}

TEST(Passes, StopWhenAsked) {
  const Outcome outcome = run(1, -1, [](int64_t done, int64_t, void *) { return int(done >= 10); });
  EXPECT_EQ(outcome.status, IDC_ERROR_STOPPED);
  EXPECT_EQ(std::string(idc_last_error()), "stopped after 10 of 32 chunks (pass 2 of 2, after 2 of 8 chunks)");
}

} // namespace
