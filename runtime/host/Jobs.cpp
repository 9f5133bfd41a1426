//===- Jobs.cpp - measures many modules in turn ---------------------------===//

#include "host/Jobs.h"
#include "host/Memory.h"
#include "host/Run.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace idc::host {

namespace {

/// Random inputs repeat after as many problems as have so many elements together: drawing more takes longer than
/// measuring.
constexpr int64_t distinctElements = int64_t(1) << 20;
/// How far candidates of a group may differ: rounding, in another order.
constexpr double tolerance = 1e-2;

json readJson(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw Error("cannot read '" + path + "'");
  try {
    return json::parse(file);
  } catch (const json::exception &error) {
    throw Error("'" + path + "': " + error.what());
  }
}

void writeJson(const std::string &path, const json &document) {
  if (!(std::ofstream(path) << document.dump(1) << "\n"))
    throw Error("cannot write '" + path + "'");
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

/// Microseconds of a job. Compares its outputs with the sketches of the group, or makes these when there are none.
double measure(const Job &job, const std::filesystem::path &folder) {
  idc_module *loaded = nullptr;
  check(idc_module_load_files((folder / job.kernels).c_str(), (folder / job.manifest).c_str(), &loaded));
  std::unique_ptr<idc_module, idc_status (*)(idc_module *)> module(loaded, idc_module_unload);
  RunRequest request;
  request.module = module.get();
  request.batch = job.batch;
  request.repeat = 9;
  idc_operand input{};
  if (idc_input_count(module.get()) > 0)
    check(idc_input(module.get(), 0, &input));
  request.distinctProblems = std::max<int64_t>(1, distinctElements / std::max<int64_t>(1, input.elements));

  RunRequest checked = request;
  checked.batch = std::min<int64_t>(job.batch, 3);
  checked.tolerance = tolerance;
  std::vector<std::string> sketches;
  for (int32_t i = 0; i < idc_output_count(module.get()); ++i)
    sketches.push_back((folder / (job.group + "." + std::to_string(i) + ".sketch.npy")).string());
  bool first = !std::filesystem::exists(sketches.front());
  (first ? checked.sketches : checked.expectedSketches) = sketches;
  if (!run(checked).passed())
    throw Error("its results differ from the other candidates'");

  request.time = !job.latency;
  request.latency = job.latency;
  RunReport report = run(request);
  return (job.latency ? *report.latencySeconds : report.timing->seconds) * 1e6;
}

} // namespace

void measureJobs(const std::string &jobs, const std::string &results, std::ostream &progress) {
  json document = {{"results", json::array()}};
  if (std::filesystem::exists(results))
    document = readJson(results);
  std::filesystem::path folder = std::filesystem::path(jobs).parent_path();
  for (const Job &job : readJobs(jobs)) {
    json &done = document["results"];
    if (std::any_of(done.begin(), done.end(), [&](const json &result) { return result.at("name") == job.name; }))
      continue;
    json result = {{"name", job.name}, {"group", job.group}};
    char line[512];
    try {
      double microseconds = measure(job, folder);
      result["microseconds"] = microseconds;
      std::snprintf(line, sizeof line, "%s: %.3f us\n", job.name.c_str(), microseconds);
    } catch (const Error &error) {
      result["error"] = error.what();
      std::snprintf(line, sizeof line, "%s: %s\n", job.name.c_str(), error.what());
    }
    progress << line << std::flush;
    done.push_back(result);
    writeJson(results, document);
  }
}

} // namespace idc::host
