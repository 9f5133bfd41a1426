// Programs on several GPUs, beside the same on one and cuFFT's several-GPU transforms.
//
// usage: gpu-devices [--launches N] [--repetitions N] [--missing] CASE…
// A case is NAME:MANY:ONE[:SIDES]: prefixes of two images and manifests (PREFIX.fatbin, PREFIX.json), for several
// devices and for one, and for cuFFT the sides of a complex transform (1024x1024x1024). Data are random and differ in
// every element; results on several devices are compared with those on one, element by element, after every array has
// been filled with what is no number. A line per case: how large the largest difference is in units of the largest
// value, whether all bits are the same, times in ms on several devices, on one, and of cuFFT on as many. With
// --repetitions nothing is timed: so many launches, each on results that are no numbers, have to give the same bits.
// With --missing the last device launches nothing: every other one has to end with an error after the limit of a
// second.
#include "Cuda.h"
#include "idc/group.h"
#include "runtime/lib/Shares.h"
#include "runtime/lib/WholeFile.h"

#include <cufftXt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using idc::runtime::Manifest;
using idc::runtime::Operand;

namespace {

void check(idc_status status) {
  if (status)
    throw std::runtime_error(idc_message(status));
}
std::string readText(const std::string &path) { return idc::runtime::readFile(path, int64_t(1) << 30); }

/// Device memory that is freed with it.
using Memory = std::shared_ptr<char>;
Memory allocate(int device, int64_t bytes) {
  CHECK_CUDA(cudaSetDevice(device));
  void *pointer = nullptr;
  CHECK_CUDA(cudaMalloc(&pointer, size_t(std::max<int64_t>(bytes, 16))));
  return Memory(static_cast<char *>(pointer), [](char *memory) { cudaFree(memory); });
}

/// What a rank has: its arrays, and the module in its context.
struct Rank {
  idc_group *group = nullptr;
  idc_module *module = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<Memory> inputs, outputs;
  Memory workspace;

  void launch() const {
    std::vector<const void *> in;
    std::vector<void *> out;
    for (const Memory &memory : inputs)
      in.push_back(memory.get());
    for (const Memory &memory : outputs)
      out.push_back(memory.get());
    check(group ? idc_group_launch(group, module, 1, in.data(), nullptr, out.data(), workspace.get(), stream)
                : idc_launch(module, 1, in.data(), nullptr, out.data(), workspace.get(), stream));
  }
};

/// Median milliseconds of one of the launches of which `launch` makes so many.
double milliseconds(const std::function<void()> &launch, const std::function<void()> &synchronize, int launches) {
  std::vector<double> times;
  launch();
  synchronize();
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    launch();
    synchronize();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() /
                    launches);
  }
  std::nth_element(times.begin(), times.begin() + 3, times.end());
  return times[3];
}

/// A program on the devices it is for.
class Program {
public:
  explicit Program(const std::string &prefix) : manifest(idc::runtime::parseManifest(readText(prefix + ".json"))) {
    const std::string image = readText(prefix + ".fatbin"), text = readText(prefix + ".json");
    std::vector<int32_t> devices(size_t(manifest.devices), 0);
    for (int32_t i = 0; i < manifest.devices; ++i)
      devices[size_t(i)] = i;
    std::vector<idc_group *> groups(devices.size(), nullptr);
    if (manifest.devices > 1)
      check(idc_group_of_devices(manifest.devices, devices.data(), groups.data()));
    for (int32_t device : devices) {
      Rank rank;
      CHECK_CUDA(cudaSetDevice(device));
      CHECK_CUDA(cudaFree(nullptr));
      check(idc_module_load(image.data(), image.size(), text.data(), text.size(), &rank.module));
      CHECK_CUDA(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking));
      rank.group = groups[size_t(device)];
      int64_t bytes = 0;
      check(idc_workspace_size(rank.module, 1, &bytes));
      rank.workspace = allocate(device, bytes);
      auto add = [&](std::vector<Memory> &side, const Operand &operand) {
        side.push_back(allocate(device, operand.bytesPerProblem()));
        if (rank.group)
          check(idc_group_register(rank.group, side.back().get(), size_t(operand.bytesPerProblem())));
      };
      for (const Operand &operand : manifest.inputs)
        add(rank.inputs, operand);
      for (const Operand &operand : manifest.outputs)
        add(rank.outputs, operand);
      if (rank.group)
        check(idc_group_register(rank.group, rank.workspace.get(), size_t(std::max<int64_t>(bytes, 16))));
      CHECK_CUDA(cudaMemset(rank.workspace.get(), 0xff, size_t(bytes)));
      ranks.push_back(std::move(rank));
    }
  }
  ~Program() {
    for (Rank &rank : ranks) {
      idc_module_unload(rank.module);
      idc_group_destroy(rank.group);
      cudaStreamDestroy(rank.stream);
    }
  }
  Program(const Program &) = delete;

  void setInput(size_t number, const std::vector<char> &whole) {
    const Operand &operand = manifest.inputs[number];
    std::vector<char> part(size_t(operand.bytesPerProblem()));
    for (size_t device = 0; device < ranks.size(); ++device) {
      idc::runtime::takeShare(operand, 1, int32_t(device), whole.data(), part.data());
      CHECK_CUDA(cudaSetDevice(int(device)));
      CHECK_CUDA(cudaMemcpy(ranks[device].inputs[number].get(), part.data(), part.size(), cudaMemcpyHostToDevice));
    }
  }
  void poison() {
    for (size_t device = 0; device < ranks.size(); ++device) {
      CHECK_CUDA(cudaSetDevice(int(device)));
      for (size_t i = 0; i < manifest.outputs.size(); ++i)
        CHECK_CUDA(cudaMemset(ranks[device].outputs[i].get(), 0xff, size_t(manifest.outputs[i].bytesPerProblem())));
    }
  }
  std::vector<char> output(size_t number) {
    const Operand &operand = manifest.outputs[number];
    std::vector<char> part(size_t(operand.bytesPerProblem()));
    std::vector<char> whole(size_t(idc::runtime::wholeOf(manifest).outputs[number].bytesPerProblem()));
    for (size_t device = 0; device < ranks.size(); ++device) {
      CHECK_CUDA(cudaSetDevice(int(device)));
      CHECK_CUDA(cudaMemcpy(part.data(), ranks[device].outputs[number].get(), part.size(), cudaMemcpyDeviceToHost));
      idc::runtime::putShare(operand, 1, int32_t(device), part.data(), whole.data());
    }
    return whole;
  }
  void launch() {
    for (const Rank &rank : ranks)
      rank.launch();
  }
  /// Launches recorded once, so that the host's part of them is not measured.
  double milliseconds(int launches) {
    std::vector<cudaGraphExec_t> graphs;
    for (size_t device = 0; device < ranks.size(); ++device) {
      const Rank &rank = ranks[device];
      CHECK_CUDA(cudaSetDevice(int(device)));
      cudaGraph_t graph = nullptr;
      CHECK_CUDA(cudaStreamBeginCapture(rank.stream, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < launches; ++i)
        rank.launch();
      CHECK_CUDA(cudaStreamEndCapture(rank.stream, &graph));
      CHECK_CUDA(cudaGraphInstantiate(&graphs.emplace_back(), graph, 0));
      CHECK_CUDA(cudaGraphUpload(graphs.back(), rank.stream));
      CHECK_CUDA(cudaGraphDestroy(graph));
    }
    synchronize();
    auto launch = [&] {
      for (size_t device = 0; device < ranks.size(); ++device) {
        CHECK_CUDA(cudaSetDevice(int(device)));
        CHECK_CUDA(cudaGraphLaunch(graphs[device], ranks[device].stream));
      }
    };
    const double time = ::milliseconds(
        launch, [&] { synchronize(); }, launches);
    for (cudaGraphExec_t graph : graphs)
      cudaGraphExecDestroy(graph);
    return time;
  }
  void synchronize() {
    for (size_t device = 0; device < ranks.size(); ++device) {
      CHECK_CUDA(cudaSetDevice(int(device)));
      CHECK_CUDA(cudaStreamSynchronize(ranks[device].stream));
    }
  }
  /// Throws when the devices have not met.
  void checkMeetings() {
    if (ranks[0].group)
      check(idc_group_check(ranks[0].group));
  }

  const Manifest manifest;
  std::vector<Rank> ranks;
};

std::vector<char> randomInput(const Operand &whole, unsigned seed) {
  std::vector<char> data(size_t(whole.bytesPerProblem()));
  std::mt19937 random(seed);
  const bool isInteger = whole.type.compare(0, 3, "mod") == 0 || whole.type == "i32" || whole.type == "u32";
  const size_t numbers = data.size() / 4;
  for (size_t i = 0; i < numbers; ++i) {
    const uint32_t bits = random();
    if (isInteger) {
      const uint32_t value = bits >> 4;
      std::memcpy(&data[4 * i], &value, 4);
    } else {
      const float value = float(bits) * 0x1p-31f - 1 + (whole.name == "b" ? 4 : 0); // a system's diagonal
      std::memcpy(&data[4 * i], &value, 4);
    }
  }
  return data;
}

/// The largest difference of two arrays of 32-bit floats over the largest value; whether their bits are the same.
double differenceOf(const std::vector<char> &a, const std::vector<char> &b, bool &same) {
  same = a == b;
  double most = 0, largest = 0;
  for (size_t i = 0; i + 4 <= a.size(); i += 4) {
    float x, y;
    std::memcpy(&x, &a[i], 4);
    std::memcpy(&y, &b[i], 4);
    const double difference = std::abs(double(x) - double(y));
    if (!(difference <= most))
      most = std::isnan(difference) && std::memcmp(&x, &y, 4) ? HUGE_VAL : std::max(most, difference);
    largest = std::max(largest, std::abs(double(y)));
  }
  return largest > 0 ? most / largest : most;
}

double cufft(const std::vector<int> &sides, int devices, int launches) {
  cufftHandle plan;
  CHECK_CUDA(cufftCreate(&plan));
  std::vector<int> gpus(size_t(devices), 0);
  for (int i = 0; i < devices; ++i)
    gpus[size_t(i)] = i;
  CHECK_CUDA(cufftXtSetGPUs(plan, devices, gpus.data()));
  std::vector<size_t> sizes(size_t(devices), 0);
  size_t elements = 1;
  for (int side : sides)
    elements *= size_t(side);
  if (sides.size() == 1)
    CHECK_CUDA(cufftMakePlan1d(plan, sides[0], CUFFT_C2C, 1, sizes.data()));
  else if (sides.size() == 2)
    CHECK_CUDA(cufftMakePlan2d(plan, sides[0], sides[1], CUFFT_C2C, sizes.data()));
  else
    CHECK_CUDA(cufftMakePlan3d(plan, sides[0], sides[1], sides[2], CUFFT_C2C, sizes.data()));
  cudaLibXtDesc *data = nullptr;
  CHECK_CUDA(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE));
  std::vector<char> values(elements * 8);
  for (size_t i = 0; i < elements * 2; ++i) {
    const float value = float((i * 2654435761u) >> 8 & 0xffff) * 0x1p-16f;
    std::memcpy(&values[4 * i], &value, 4);
  }
  CHECK_CUDA(cufftXtMemcpy(plan, data, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
  const double time = milliseconds(
      [&] {
        for (int i = 0; i < launches; ++i)
          CHECK_CUDA(cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD));
      },
      [&] {
        for (int i = 0; i < devices; ++i) {
          CHECK_CUDA(cudaSetDevice(i));
          CHECK_CUDA(cudaDeviceSynchronize());
        }
      },
      launches);
  cufftXtFree(data);
  cufftDestroy(plan);
  return time;
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> words{""};
  for (char c : text) {
    if (c == at)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

/// Launches whose results differ from the first one's.
int repeatCase(const std::string &text, int repetitions) {
  const std::vector<std::string> words = split(text, ':');
  Program many(words.at(1));
  const Manifest whole = idc::runtime::wholeOf(many.manifest);
  for (size_t i = 0; i < whole.inputs.size(); ++i)
    many.setInput(i, randomInput(whole.inputs[i], unsigned(i + 1)));
  std::vector<std::vector<char>> first;
  int wrong = 0;
  for (int k = 0; k < repetitions; ++k) {
    many.poison();
    // Another device is the first to be launched each time.
    for (size_t r = 0; r < many.ranks.size(); ++r)
      many.ranks[(r + size_t(k)) % many.ranks.size()].launch();
    many.synchronize();
    bool same = true;
    for (size_t i = 0; i < whole.outputs.size(); ++i) {
      std::vector<char> result = many.output(i);
      if (k == 0)
        first.push_back(std::move(result));
      else
        same &= result == first[i];
    }
    wrong += !same;
  }
  many.checkMeetings();
  std::printf("%-28s %d devices  %d launches, %d with other results than the first\n", words[0].c_str(),
              int(many.manifest.devices), repetitions, wrong);
  std::fflush(stdout);
  return wrong;
}

/// 1 when devices do not end as they have to without the last one.
int missCase(const std::string &text) {
  const std::vector<std::string> words = split(text, ':');
  Program many(words.at(1));
  for (const Rank &rank : many.ranks)
    check(idc_group_set_limit(rank.group, 1000));
  const auto begin = std::chrono::steady_clock::now();
  for (size_t r = 0; r + 1 < many.ranks.size(); ++r)
    many.ranks[r].launch();
  many.synchronize();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  bool right = seconds > 0.9 && seconds < 3;
  for (const Rank &rank : many.ranks)
    right &= idc_group_check(rank.group) == IDC_ERROR_GROUP;
  std::printf("%-28s %d devices without the last: %.2f s, %s%s\n", words[0].c_str(), int(many.manifest.devices),
              seconds, idc_last_error(), right ? "" : "  WRONG");
  std::fflush(stdout);
  return right ? 0 : 1;
}

int runCase(const std::string &text, int launches) {
  const std::vector<std::string> words = split(text, ':');
  if (words.size() < 3)
    throw std::runtime_error("'" + text + "' is no case");
  std::vector<std::vector<char>> expected;
  double oneTime = 0, manyTime = 0, largest = 0;
  bool allSame = true;
  const Manifest whole = idc::runtime::wholeOf(idc::runtime::parseManifest(readText(words[1] + ".json")));
  std::vector<std::vector<char>> inputs;
  for (size_t i = 0; i < whole.inputs.size(); ++i)
    inputs.push_back(randomInput(whole.inputs[i], unsigned(i + 1)));
  {
    Program one(words[2]);
    for (size_t i = 0; i < inputs.size(); ++i)
      one.setInput(i, inputs[i]);
    one.poison();
    one.launch();
    one.synchronize();
    for (size_t i = 0; i < whole.outputs.size(); ++i)
      expected.push_back(one.output(i));
    oneTime = one.milliseconds(launches);
  }
  int devices = 1;
  {
    Program many(words[1]);
    devices = many.manifest.devices;
    for (size_t i = 0; i < inputs.size(); ++i)
      many.setInput(i, inputs[i]);
    auto compare = [&] {
      many.poison();
      many.launch();
      many.synchronize();
      for (size_t i = 0; i < whole.outputs.size(); ++i) {
        bool same = false;
        largest = std::max(largest, differenceOf(many.output(i), expected[i], same));
        allSame &= same;
      }
    };
    compare();
    manyTime = many.milliseconds(launches);
    compare(); // timed loops repeat their data and cannot see what is stale
    many.checkMeetings();
  }
  double peer = 0;
  if (words.size() > 3) {
    std::vector<int> sides;
    for (const std::string &side : split(words[3], 'x'))
      sides.push_back(std::atoi(side.c_str()));
    peer = cufft(sides, devices, launches);
  }
  const bool right = largest < 1e-4;
  std::printf("%-28s %d devices  difference %.1e%s  %9.4f ms  one %9.4f ms  x%.2f", words[0].c_str(), devices, largest,
              allSame ? " (same bits)" : "", manyTime, oneTime, oneTime / manyTime);
  if (peer > 0)
    std::printf("  cuFFT %9.4f ms  x%.2f", peer, peer / manyTime);
  std::printf("%s\n", right ? "" : "  WRONG");
  std::fflush(stdout);
  return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  int launches = 20, repetitions = 0, wrong = 0;
  bool missing = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--launches") && i + 1 < argc) {
      launches = std::max(1, std::atoi(argv[++i]));
      continue;
    }
    if (!std::strcmp(argv[i], "--repetitions") && i + 1 < argc) {
      repetitions = std::atoi(argv[++i]);
      continue;
    }
    if (!std::strcmp(argv[i], "--missing")) {
      missing = true;
      continue;
    }
    try {
      wrong += missing           ? missCase(argv[i])
               : repetitions > 0 ? repeatCase(argv[i], repetitions)
                                 : runCase(argv[i], launches);
    } catch (const std::exception &error) {
      std::printf("%s: %s\n", argv[i], error.what());
      ++wrong;
    }
  }
  return wrong ? 1 : 0;
}
