//===- Jobs.cpp - measures many modules in turn ---------------------------===//

#include "host/Jobs.h"
#include "host/Arrays.h"
#include "host/Error.h"
#include "host/Measure.h"
#include "host/Memory.h"
#include "host/Operands.h"
#include "host/Progress.h"
#include "lib/WholeFile.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

using nlohmann::json;

namespace idc::host {

namespace {

/// Random inputs repeat after as many problems as have so many elements together, and so many elements of an output are
/// compared: drawing and comparing more takes longer than measuring.
constexpr int64_t distinctElements = int64_t(1) << 20;
/// How far candidates of a group may differ: rounding, in another order.
constexpr double tolerance = 1e-2;
/// Measurements of which the median is taken.
constexpr int repeat = 7;

std::string readFile(const std::filesystem::path &path) {
  constexpr int64_t largest = int64_t(1) << 30;
  try {
    return runtime::readFile(path, largest);
  } catch (const runtime::FileError &error) {
    throw Error(error.what());
  }
}

json readJson(const std::filesystem::path &path) {
  try {
    return json::parse(readFile(path));
  } catch (const json::exception &error) {
    throw Error("'" + path.string() + "': " + error.what());
  }
}

void writeJson(const std::string &path, const json &document) {
  try {
    runtime::writeFile(path, document.dump(1) + "\n");
  } catch (const runtime::FileError &error) {
    throw Error(error.what());
  }
}

struct Job {
  std::string name, group, kernels, manifest;
  int64_t batch = 1;
  bool latency = false;
};

std::vector<Job> readJobs(const std::string &path) {
  const json document = readJson(path);
  std::vector<Job> jobs;
  try {
    for (const json &entry : document.at("jobs"))
      jobs.push_back({entry.at("name"), entry.at("group"), entry.at("kernels"), entry.at("manifest"), entry.at("batch"),
                      entry.at("latency")});
  } catch (const json::exception &error) {
    throw Error("'" + path + "': " + error.what());
  }
  return jobs;
}

/// A candidate's image, its manifest, and the module of both.
class Candidate {
public:
  Candidate(const Job &job, const std::filesystem::path &folder, const JobLoader &loader)
      : loader(loader), image(readFile(folder / job.kernels)), manifest(readJson(folder / job.manifest)),
        whole(load(manifest)) {}

  const idc_module *module() const { return whole.get(); }

  /// Modules of each kernel alone, with the operands and the workspace of the whole; none when there is only one.
  std::vector<JobModule> kernels() const {
    std::vector<JobModule> modules;
    const json &all = manifest.at("kernels");
    for (size_t k = 0; all.size() > 1 && k < all.size(); ++k) {
      json alone = manifest;
      alone["kernels"] = {all[k]};
      json &first = alone["kernels"][0]; // there is nothing before it to depend on
      first.erase("dependent");
      if (first.value("kind", "") == "dependent-launch") // of version 1
        first["kind"] = "plain";
      modules.push_back(load(alone));
    }
    return modules;
  }

private:
  const JobLoader &loader;
  std::string image;
  json manifest;
  JobModule whole;

  JobModule load(const json &launches) const { return loader(image, launches.dump()); }
};

/// Programs that compute the same, on the same operands.
class Group {
public:
  /// What `first` computes is what all have to.
  Group(const idc_module *first, int64_t batch) : memory(Memory::forModule(first)), operands(first, batch) {
    set = memory->allocate(operands.setBytes);
    for (size_t i = 0; i < operands.inputs.size(); ++i) {
      int64_t problems = std::max<int64_t>(1, distinctElements / operands.inputs[i].elementsPerProblem);
      fillInput(*memory, operands, i, set.get(), problems, 0, {});
    }
    expected = results(first);
  }

  /// Throws unless the module's results are those of the first.
  void verify(const idc_module *module) {
    std::vector<npy::Array> actual = results(module);
    for (size_t i = 0; i < actual.size(); ++i)
      if (!(relativeError(actual[i], expected[i], operands.outputs[i].name) <= tolerance))
        throw Error("its results differ from the other candidates'");
  }

  /// Microseconds of a launch, or of one execution among dependent ones in a graph.
  double time(const idc_module *module, bool latency) {
    provideWorkspace(module);
    if (latency)
      return 1e6 * dependentSeconds(
                       *memory, [&] { launch(module); }, repeat);
    return perLaunch([&] { launch(module); });
  }

  /// Microseconds of a copy that moves as many bytes as the operands have.
  double copyTime() {
    Memory::Buffer to = memory->allocate(operands.operandBytes / 2);
    return perLaunch([&] { memory->copy(to.get(), set.get(), operands.operandBytes / 2); });
  }

private:
  std::unique_ptr<Memory> memory;
  Operands operands;
  Memory::Buffer set, workspace;
  int64_t workspaceBytes = 0;
  std::vector<npy::Array> expected;

  double perLaunch(const std::function<void()> &work) {
    int launches = memory->launchesPerMeasurement();
    auto all = [&] {
      for (int i = 0; i < launches; ++i)
        work();
    };
    return 1e6 * medianSeconds(*memory, all, repeat) / launches;
  }

  void provideWorkspace(const idc_module *module) {
    int64_t bytes = 0;
    check(idc_workspace_size(module, operands.batch, &bytes));
    if (bytes <= workspaceBytes)
      return;
    workspace = nullptr;
    workspace = memory->allocate(bytes);
    workspaceBytes = bytes;
  }

  void launch(const idc_module *module) { operands.launch(module, set.get(), {}, workspace.get(), memory->stream()); }

  /// The first elements of every output, which are no numbers before the launch.
  std::vector<npy::Array> results(const idc_module *module) {
    provideWorkspace(module);
    std::vector<std::vector<char>> data;
    for (const Operand &output : operands.outputs) {
      int64_t elements = std::min(output.elements, distinctElements);
      data.emplace_back(static_cast<size_t>(output.bytes / output.elements * elements), '\xff');
      memory->upload(set.get() + output.offset, data.back().data(), static_cast<int64_t>(data.back().size()));
    }
    launch(module);
    std::vector<npy::Array> arrays;
    for (size_t i = 0; i < data.size(); ++i) {
      const Operand &output = operands.outputs[i];
      memory->download(data[i].data(), set.get() + output.offset, static_cast<int64_t>(data[i].size()));
      int64_t elements = std::min(output.elements, distinctElements);
      arrays.push_back(toArray(std::move(data[i]), output.type, 1, elements));
    }
    return arrays;
  }
};

} // namespace

JobModule loadImage(const std::string &kernels, const std::string &manifest) {
  idc_module *loaded = nullptr;
  check(idc_module_load(kernels.data(), kernels.size(), manifest.data(), manifest.size(), &loaded));
  return JobModule(loaded, idc_module_unload);
}

void measureJobs(const std::string &jobs, const std::string &results, std::ostream &lines, const JobLoader &load) {
  json document = {{"results", json::array()}};
  if (std::filesystem::exists(results))
    document = readJson(results);
  const std::filesystem::path folder = std::filesystem::path(jobs).parent_path();
  const std::vector<Job> all = readJobs(jobs);
  std::optional<Group> group;
  const Job *first = nullptr; // of the group
  double copyTime = 0;
  json &done = document["results"];
  auto isDone = [&done](const Job &job) {
    return std::any_of(done.begin(), done.end(), [&](const json &result) { return result.at("name") == job.name; });
  };
  Progress progress(size_t(std::count_if(all.begin(), all.end(), std::not_fn(isDone))));
  for (const Job &job : all) {
    if (isDone(job))
      continue;
    json result = {{"name", job.name}, {"group", job.group}};
    char line[512];
    try {
      if (!group || first->group != job.group) {
        group.reset(); // and its memory, before there is more
        first = &*std::find_if(all.begin(), all.end(), [&](const Job &other) { return other.group == job.group; });
        group.emplace(Candidate(*first, folder, load).module(), first->batch);
        copyTime = job.latency ? 0 : group->copyTime();
      }
      Candidate candidate(job, folder, load);
      group->verify(candidate.module());
      double microseconds = group->time(candidate.module(), job.latency);
      result["microseconds"] = microseconds;
      if (!job.latency) {
        result["copyMicroseconds"] = copyTime;
        result["kernels"] = json::array();
        for (const JobModule &kernel : candidate.kernels())
          result["kernels"].push_back(group->time(kernel.get(), false));
      }
      std::snprintf(line, sizeof line, "%s: %.3f us\n", job.name.c_str(), microseconds);
    } catch (const Error &error) {
      result["error"] = error.what();
      std::snprintf(line, sizeof line, "%s: %s\n", job.name.c_str(), error.what());
    }
    progress.clear();
    lines << line << std::flush;
    done.push_back(result);
    writeJson(results, document);
    progress.finished(job.name);
  }
}

} // namespace idc::host
