//===- Run.cpp - runs a module on files -----------------------------------===//

#include "host/Run.h"
#include "host/Arrays.h"
#include "host/ElementType.h"
#include "host/GroupModule.h"
#include "host/Measure.h"
#include "host/Memory.h"
#include "host/Mismatch.h"
#include "host/NamedValues.h"
#include "host/Operands.h"
#include "host/Progress.h"
#include "host/Scalars.h"
#include "host/Sketch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>

namespace idc::host {

namespace {

/// One run: the operands laid out in one stretch of memory, a set, which is repeated when timing needs several.
class Runner {
public:
  explicit Runner(const RunRequest &request);
  RunReport run();

private:
  void setInput(size_t i, char *set);
  void launch(char *set) { operands.launch(module, set, scalars, workspace.get(), memory->stream()); }
  std::vector<char> download(const Operand &operand, const char *set);
  std::vector<char> download(const Operand &operand, const char *set, int64_t problem);
  std::vector<OperandValues> keep(const std::vector<Operand> &side, const char *set);
  void unset(const Operand &operand, char *set);
  void checkBetween(const Operand &operand, const char *set, RunReport &report);
  void writeAndCompare(size_t i, const char *set, RunReport &report);
  Elements elementsOf(size_t output, int64_t problems, int64_t firstProblem = 0) const;
  void compareWithReference(const char *given, const char *set, RunReport &report);
  void launchAgain(char *set, RunReport &report);
  Timing measure(const Memory::Buffer &first);

  const RunRequest &request;
  const idc_module *module;
  std::unique_ptr<Memory> memory;
  Operands operands;
  const std::vector<Operand> &inputs = operands.inputs, &outputs = operands.outputs;
  std::vector<std::vector<char>> scalars;
  std::map<std::string, std::string> distributions; // of inputs, by name
  Memory::Buffer workspace;
};

/// The request's module; throws when there is none, or the request makes no sense.
const idc_module *moduleOf(const RunRequest &request) {
  if (!request.module)
    throw Error("there is no module to run");
  if (request.repeat < 1)
    throw Error("the number of repeats is " + std::to_string(request.repeat) + "; it must be at least 1");
  if (request.keptProblem && (*request.keptProblem < 0 || *request.keptProblem >= request.batch))
    throw Error("there is no problem " + std::to_string(*request.keptProblem) + " in a batch of " +
                std::to_string(request.batch) + "; they are counted from 0");
  if (request.inPlace && request.launches > 1)
    throw Error("a launch in place cannot be repeated: its input is gone");
  if (request.group && request.latency)
    throw Error("the latency of dependent executions is measured on one device");
  return request.module;
}

Runner::Runner(const RunRequest &request)
    : request(request), module(moduleOf(request)), operands(module, request.batch, request.inPlace) {
  if (!request.inputs.empty() && request.inputs.size() != inputs.size())
    throw Error("the module has " + std::to_string(inputs.size()) + " inputs, but " +
                std::to_string(request.inputs.size()) + " input files are given");
  if (!request.inputData.empty() && request.inputData.size() != inputs.size())
    throw Error("the module has " + std::to_string(inputs.size()) + " inputs, but data of " +
                std::to_string(request.inputData.size()) + " is given");
  for (auto [files, what] :
       {std::pair(&request.outputs, "output"), std::pair(&request.expected, "reference"),
        std::pair(&request.sketches, "sketch"), std::pair(&request.expectedSketches, "reference sketch")})
    if (files->size() > outputs.size())
      throw Error("the module has " + std::to_string(outputs.size()) + " outputs, but " +
                  std::to_string(files->size()) + " " + what + " files are given");
  distributions = namedValues("--random", request.distributions);
  for (const auto &[name, text] : distributions) {
    auto named = [name = &name](const Operand &operand) { return operand.name == *name; };
    if (std::none_of(inputs.begin(), inputs.end(), named))
      throw Error("the module has no input '" + name + "' that a distribution could be given for");
    if (!request.inputs.empty())
      throw Error("distributions are for random inputs, but input files are given");
  }
  scalars = scalarValues(module, request.scalars);
  memory = request.group ? Memory::onHost(request.group->processor()) : Memory::forModule(module);
}

/// Input number i, from its file or data or from the seed.
void Runner::setInput(size_t i, char *set) {
  const Operand &operand = inputs[i];
  if (!request.inputs.empty() || !request.inputData.empty()) {
    std::vector<char> data = request.inputs.empty()
                                 ? request.inputData[i]
                                 : fromArray(npy::read(request.inputs[i]), operand.type, operand.elements,
                                             "'" + request.inputs[i] + "' for input '" + operand.name + "'");
    if (int64_t(data.size()) != operand.bytes)
      throw Error("input '" + operand.name + "' has " + std::to_string(operand.bytes) + " bytes, not " +
                  std::to_string(data.size()));
    if (!operand.dense)
      data = operand.spread(data, betweenElements);
    memory->upload(set + operand.offset, data.data(), operand.memoryBytes);
    return;
  }
  auto distribution = distributions.find(operand.name);
  fillInput(*memory, operands, i, set, request.batch, request.seed,
            distribution == distributions.end() ? Distribution() : Distribution::parse(distribution->second));
}

std::vector<char> Runner::download(const Operand &operand, const char *set) {
  std::vector<char> data(size_t(operand.memoryBytes));
  memory->download(data.data(), set + operand.offset, operand.memoryBytes);
  return operand.dense ? data : operand.gather(data);
}

std::vector<char> Runner::download(const Operand &operand, const char *set, int64_t problem) {
  const int64_t bytes = operand.bytes / request.batch;
  if (!operand.dense) {
    std::vector<char> all = download(operand, set);
    return std::vector<char>(all.begin() + problem * bytes, all.begin() + (problem + 1) * bytes);
  }
  std::vector<char> data(static_cast<size_t>(bytes));
  memory->download(data.data(), set + operand.offset + problem * bytes, bytes);
  return data;
}

std::vector<OperandValues> Runner::keep(const std::vector<Operand> &side, const char *set) {
  std::vector<OperandValues> kept;
  for (const Operand &operand : side)
    kept.push_back(
        {operand.name, operand.type, operand.elementsPerProblem, download(operand, set, *request.keptProblem)});
  return kept;
}

/// All ones is not a number in every floating-point type: elements that no kernel writes show up.
void Runner::unset(const Operand &operand, char *set) {
  std::vector<char> data(size_t(operand.bytes), '\xff');
  if (!operand.dense)
    data = operand.spread(data, betweenElements);
  memory->upload(set + operand.offset, data.data(), operand.memoryBytes);
}

/// Nothing may have been written between the elements.
void Runner::checkBetween(const Operand &operand, const char *set, RunReport &report) {
  std::vector<char> data(size_t(operand.memoryBytes));
  memory->download(data.data(), set + operand.offset, operand.memoryBytes);
  const bool same = data == operand.spread(operand.gather(data), betweenElements);
  report.comparisons.push_back(
      {operand.name, "what was between its elements", same ? 0 : std::numeric_limits<double>::infinity(), same});
}

/// What the request's files say about output number i.
void Runner::writeAndCompare(size_t i, const char *set, RunReport &report) {
  const Operand &operand = outputs[i];
  std::vector<char> data = download(operand, set);
  auto compared = [&](const std::string &file, double error) {
    report.comparisons.push_back({operand.name, file, error, error <= request.tolerance});
  };
  if (i < std::max(request.sketches.size(), request.expectedSketches.size())) {
    Sketch sketch = Sketch::of(data.data(), operand.elements, operand.type);
    if (i < request.sketches.size())
      sketch.write(request.sketches[i]);
    if (i < request.expectedSketches.size())
      compared(request.expectedSketches[i], relativeError(sketch, Sketch::read(request.expectedSketches[i])));
  }
  if (i < std::max(request.outputs.size(), request.expected.size())) {
    const std::string what = "output '" + operand.name + "'";
    npy::Array array = toArray(std::move(data), operand.type, request.batch, operand.elementsPerProblem);
    if (i < request.outputs.size())
      npy::write(request.outputs[i], array);
    if (i < request.expected.size()) {
      const npy::Array expected = npy::read(request.expected[i]);
      compared(request.expected[i], relativeError(array, expected, what));
      if (Comparison &comparison = report.comparisons.back(); !comparison.passed)
        comparison.mismatch = describeMismatch(array, expected, elementsOf(i, request.batch), request.tolerance);
    }
  }
}

/// Output number `output` of so many problems of the batch.
Elements Runner::elementsOf(size_t output, int64_t problems, int64_t firstProblem) const {
  Elements elements{problems, outputs[output].elementsPerProblem, firstProblem};
  if (output < request.outputRadices.size())
    elements.radices = request.outputRadices[output];
  return elements;
}

/// The worst of a few problems: the first, the last, and some in between. `given` is a set with the inputs.
void Runner::compareWithReference(const char *given, const char *set, RunReport &report) {
  int64_t count = std::clamp<int64_t>(request.referenceProblems, 1, request.batch);
  std::vector<double> worst(outputs.size(), 0);
  std::vector<std::string> mismatches(outputs.size()); // of the first problem that has one
  Progress progress{size_t(count)};
  for (int64_t k = 0; k < count; ++k) {
    int64_t problem = count == 1 ? 0 : (request.batch - 1) * k / (count - 1);
    std::vector<std::vector<char>> arguments;
    for (const Operand &operand : inputs)
      arguments.push_back(download(operand, given, problem));
    arguments.insert(arguments.end(), scalars.begin(), scalars.end());
    std::vector<npy::Array> expected = request.reference(arguments);
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string what = "output '" + outputs[i].name + "'";
      npy::Array actual =
          toArray(download(outputs[i], set, problem), outputs[i].type, 1, outputs[i].elementsPerProblem);
      double error = relativeError(actual, expected[i], what);
      worst[i] = std::isnan(error) ? error : std::max(worst[i], error);
      if (!(error <= request.tolerance) && mismatches[i].empty())
        mismatches[i] = describeMismatch(actual, expected[i], elementsOf(i, 1, problem), request.tolerance);
    }
    progress.finished("problem " + std::to_string(problem) + " by the reference interpreter");
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    report.comparisons.push_back({outputs[i].name,
                                  "the reference interpreter of the same program (" + std::to_string(count) +
                                      (count == 1 ? " problem)" : " problems)"),
                                  worst[i], worst[i] <= request.tolerance, std::move(mismatches[i])});
}

/// Each launch begins with outputs that are no numbers, and must end with the bits of the first.
void Runner::launchAgain(char *set, RunReport &report) {
  constexpr int64_t word = 16;
  for (const Operand &operand : outputs)
    if (operand.memoryBytes % word)
      throw Error("results of several launches are compared in words of 16 bytes, which output '" + operand.name +
                  "' is no multiple of");
  std::vector<Memory::Buffer> first, unset;
  for (const Operand &operand : outputs) {
    first.push_back(memory->allocate(operand.memoryBytes));
    memory->copy(first.back().get(), set + operand.offset, operand.memoryBytes);
    this->unset(operand, set);
    unset.push_back(memory->allocate(operand.memoryBytes));
    memory->copy(unset.back().get(), set + operand.offset, operand.memoryBytes);
  }
  std::vector<int64_t> differing(outputs.size(), 0); // launches
  for (int64_t k = 1; k < request.launches; ++k) {
    for (size_t i = 0; i < outputs.size(); ++i)
      memory->copy(set + outputs[i].offset, unset[i].get(), outputs[i].memoryBytes);
    launch(set);
    for (size_t i = 0; i < outputs.size(); ++i)
      differing[i] += memory->differences(first[i].get(), set + outputs[i].offset, outputs[i].memoryBytes) != 0;
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    report.comparisons.push_back({outputs[i].name,
                                  "the first of " + std::to_string(request.launches) + " launches, of which " +
                                      std::to_string(differing[i]) + " differ",
                                  differing[i] ? std::numeric_limits<double>::infinity() : 0, differing[i] == 0});
}

RunReport Runner::run() {
  RunReport report{idc_module_symbol(module), memory->processor(), request.batch, {}, {}, {}, {}};
  int64_t workspaceBytes = 0;
  check(idc_workspace_size(module, request.batch, &workspaceBytes));
  workspace = memory->allocate(workspaceBytes);
  Memory::Buffer set = memory->allocate(operands.setBytes);
  for (size_t i = 0; i < inputs.size(); ++i)
    setInput(i, set.get());
  const size_t named = std::max(
      {request.outputs.size(), request.expected.size(), request.sketches.size(), request.expectedSketches.size()});
  const bool wantsAll = request.reference || request.launches > 1 || request.keptProblem;
  const size_t wanted = wantsAll ? outputs.size() : named;
  for (size_t i = 0; i < wanted; ++i)
    if (!outputs[i].isOnInput)
      unset(outputs[i], set.get());
  Memory::Buffer given; // what a launch in place overwrites
  if (request.inPlace && request.reference) {
    given = memory->allocate(operands.setBytes);
    memory->copy(given.get(), set.get(), operands.setBytes);
  }
  if (request.keptProblem)
    report.kept = {keep(inputs, set.get()), {}, scalars};
  launch(set.get());
  memory->synchronize();
  if (request.keptProblem)
    report.kept->outputs = keep(outputs, set.get());

  for (size_t i = 0; i < wanted; ++i)
    if (!outputs[i].dense)
      checkBetween(outputs[i], set.get(), report);
  for (size_t i = 0; i < named; ++i)
    writeAndCompare(i, set.get(), report);
  if (request.reference)
    compareWithReference(given ? given.get() : set.get(), set.get(), report);
  if (request.latency)
    report.latencySeconds = dependentSeconds(
        *memory, [&] { launch(set.get()); }, request.repeat);
  if (request.launches > 1)
    launchAgain(set.get(), report);
  if (request.time)
    report.timing = measure(set);
  return report;
}

/// Launches go round enough sets of operands that none is still in the cache when its turn comes again.
Timing Runner::measure(const Memory::Buffer &first) {
  if (request.group) { // operands lie in the devices' memory by now
    const GroupModule::Times times = request.group->measure(request.repeat);
    return {times.launch, times.copy, operands.operandBytes};
  }
  // More sets of small operands would only lengthen the measurement: their launch costs more than their bytes.
  constexpr int64_t mostSets = 1024;
  int64_t sets =
      std::clamp<int64_t>((2 * memory->cacheBytes() + operands.setBytes - 1) / operands.setBytes, 1, mostSets);
  Memory::Buffer more = memory->allocate((sets - 1) * operands.setBytes);
  auto set = [&](int64_t i) { return i % sets == 0 ? first.get() : more.get() + (i % sets - 1) * operands.setBytes; };
  for (int64_t i = 1; i < sets; ++i)
    memory->copy(set(i), first.get(), operands.setBytes);
  memory->synchronize();

  int64_t launches = std::max<int64_t>(sets, memory->launchesPerMeasurement());
  auto perLaunch = [&](const std::function<void(char *)> &work) {
    auto all = [&] {
      for (int64_t i = 0; i < launches; ++i)
        work(set(i));
    };
    return medianSeconds(*memory, all, request.repeat) / double(launches);
  };
  Timing timing;
  timing.bytes = operands.operandBytes;
  timing.seconds = perLaunch([&](char *at) { launch(at); });
  // A copy of half the bytes reads and writes as many as the module. It overwrites the operands, hence comes last.
  timing.copySeconds =
      perLaunch([&](char *at) { memory->copy(at + operands.setBytes / 2, at, operands.operandBytes / 2); });
  return timing;
}

} // namespace

bool RunReport::passed() const {
  return std::all_of(comparisons.begin(), comparisons.end(), [](const Comparison &c) { return c.passed; });
}

RunReport run(const RunRequest &request) {
  try {
    return Runner(request).run();
  } catch (const npy::Error &error) {
    throw Error(error.what());
  } catch (const std::bad_alloc &) {
    throw Error("out of memory: host memory is exhausted");
  }
}

void print(std::ostream &out, const RunReport &report) {
  char line[256];
  out << report.symbol << ": " << report.batch << (report.batch == 1 ? " problem on " : " problems on ")
      << report.processor << "\n";
  for (const Comparison &comparison : report.comparisons) {
    std::snprintf(line, sizeof line, "relative L2 error %.3e: %s\n", comparison.error,
                  comparison.passed ? "passed" : "FAILED");
    out << comparison.output << " against " << comparison.file << ": " << line << comparison.mismatch;
  }
  if (report.latencySeconds) {
    std::snprintf(line, sizeof line, "latency: %.3f us, one of %d dependent executions in a graph\n",
                  *report.latencySeconds * 1e6, graphExecutions);
    out << line;
  }
  if (report.timing) {
    const Timing &timing = *report.timing;
    std::snprintf(line, sizeof line, "time: %.3f us, %.1f GB/s, %.3f times a copy of the same bytes\n",
                  timing.seconds * 1e6, timing.gigabytesPerSecond(), timing.ratioToCopy());
    out << line;
  }
}

} // namespace idc::host
