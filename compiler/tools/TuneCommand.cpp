#include "compiler/tools/TuneCommand.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace idc;
using codegen::Compiler;
using codegen::Level;

namespace {

/// Input bytes of a batch: what benchmarks take, and much more than caches hold.
constexpr int64_t batchBytes = int64_t(1) << 30;
/// Schedules looked at for each that is kept.
constexpr unsigned searched = 8;
/// Planner and best count as equal within this.
constexpr double margin = 1.01;

int fail(const llvm::Twine &message) {
  llvm::errs() << "idc: " << message << "\n";
  return 1;
}

bool write(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::ToolOutputFile output(path, error, llvm::sys::fs::OF_None);
  if (error) {
    fail("cannot write " + path + ": " + error.message());
    return false;
  }
  output.os() << text;
  output.keep();
  return true;
}

/// The text of a schedule file cut into its schedules, by their first lines.
std::map<std::string, std::string> schedulesOf(llvm::StringRef text) {
  std::map<std::string, std::string> schedules;
  std::string *current = nullptr;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (line.starts_with("schedule "))
      current = &schedules[line.str()];
    if (current)
      *current += line.str() + "\n";
    if (line == "}")
      current = nullptr;
    text = rest;
  }
  return schedules;
}

/// The kernels of a schedule's text, each with the order of addresses in which it finds its data.
std::vector<std::string> kernelsOf(llvm::StringRef schedule) {
  std::vector<std::string> kernels;
  std::string order, next;
  bool inside = false;
  for (llvm::StringRef line : llvm::split(schedule, '\n')) {
    if (line.starts_with("  kernel ")) {
      kernels.push_back(order + "\n");
      inside = true;
    }
    if (inside)
      kernels.back() += line.str() + "\n";
    if (line.starts_with("    order "))
      next = line.str();
    if (line == "  }") {
      inside = false;
      order = std::move(next);
      next.clear();
    }
  }
  return kernels;
}

/// What a compiler made of one candidate, or nothing when there are no more.
struct Candidate {
  std::string symbol, schedule, cubin, manifest;
  int64_t batch = 1;
};

/// The manifest's symbol and how many problems fill a batch.
bool readManifest(Candidate &candidate, bool latency) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(candidate.manifest);
  if (!parsed)
    return false;
  const llvm::json::Object &manifest = *parsed->getAsObject();
  candidate.symbol = manifest.getString("symbol").value_or("").str();
  int64_t bytes = 0;
  for (const llvm::json::Value &input : *manifest.getArray("inputs"))
    bytes += *input.getAsObject()->getInteger("elementBytes") * *input.getAsObject()->getInteger("elements");
  candidate.batch = latency ? 1 : std::max<int64_t>(1, batchBytes / std::max<int64_t>(1, bytes));
  return true;
}

} // namespace

int tools::writeCandidates(codegen::CompileRequest request, const std::vector<frontend::SizeMap> &sizes, unsigned count,
                           const std::string &folder) {
  if (std::string missing = Compiler::whyNoFatbin(); !missing.empty())
    return fail("tune needs fat binaries: " + missing);
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail("cannot make the folder " + folder + ": " + error.message());
  bool latency = request.plan == passes::Plan::Latency;
  request.ownSchedules = false;
  llvm::json::Array jobs;
  for (const frontend::SizeMap &size : sizes) {
    request.sizes = size;
    std::set<std::string> seen; // kernels
    unsigned chosen = 0;
    // A schedule whose kernels all stand in others says nothing that those do not.
    for (unsigned number = 0; chosen < count && number < searched * count; ++number) {
      request.candidate = number;
      Compiler compiler(request);
      // The first is the planner's choice, whose mistakes are the user's; a later one may not exist, or not fit.
      llvm::Expected<std::string> schedule = compiler.schedule(number ? llvm::nulls() : llvm::errs());
      if (!schedule) {
        std::string message = llvm::toString(schedule.takeError());
        if (number)
          continue;
        return message.empty() ? 1 : fail(message);
      }
      bool fresh = false;
      for (const std::string &kernel : kernelsOf(*schedule))
        fresh |= seen.insert(kernel).second;
      if (!fresh)
        continue;
      Candidate candidate{"", *schedule, "", "", 1};
      for (auto [level, text] : {std::pair(Level::Cubin, &candidate.cubin), {Level::Manifest, &candidate.manifest}}) {
        llvm::Expected<std::string> result = compiler.emit(level, number ? llvm::nulls() : llvm::errs());
        if (result)
          *text = std::move(*result);
        else
          llvm::consumeError(result.takeError());
      }
      if (candidate.cubin.empty() || !readManifest(candidate, latency)) {
        if (!number)
          return fail("the planner's own schedule does not compile");
        continue; // more than the machine has, which only the assembler knows
      }
      std::string name = candidate.symbol + "-" + std::to_string(chosen++);
      std::string prefix = folder + "/" + name;
      if (!write(prefix + ".cubin", candidate.cubin) || !write(prefix + ".json", candidate.manifest) ||
          !write(prefix + ".id", candidate.schedule))
        return 1;
      jobs.push_back(llvm::json::Object{{"name", name},
                                        {"group", candidate.symbol},
                                        {"batch", candidate.batch},
                                        {"latency", latency},
                                        {"kernels", name + ".cubin"},
                                        {"manifest", name + ".json"}});
    }
  }
  size_t written = jobs.size();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n",
                                                  llvm::json::Value(llvm::json::Object{{"jobs", std::move(jobs)}}));
  if (!write(folder + "/jobs.json", text))
    return 1;
  llvm::outs() << written << " candidates; measure them with: idc-runner --jobs " << folder << "/jobs.json --results "
               << folder << "/results.json\n";
  return 0;
}

int tools::mergeResults(const std::string &results, const std::string &table) {
  auto read = [](const std::string &path) { return llvm::MemoryBuffer::getFile(path); };
  auto file = read(results);
  if (!file)
    return fail("cannot read " + results + ": " + file.getError().message());
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*file)->getBuffer());
  if (!parsed)
    return fail(results + ": " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *document = parsed->getAsObject();
  const llvm::json::Array *measured = document ? document->getArray("results") : nullptr;
  if (!measured)
    return fail(results + " holds no results");
  struct Group {
    std::string best;
    double bestTime = 0, plannedTime = 0; // microseconds; 0: not measured
    int candidates = 0;
  };
  std::vector<std::pair<std::string, Group>> groups; // in the order of the file
  for (const llvm::json::Value &value : *measured) {
    const llvm::json::Object *entry = value.getAsObject();
    std::optional<llvm::StringRef> name = entry ? entry->getString("name") : std::nullopt,
                                   group = entry ? entry->getString("group") : std::nullopt;
    if (!name || !group)
      return fail(results + ": a result lacks its name or group");
    if (groups.empty() || groups.back().first != *group)
      groups.emplace_back(group->str(), Group());
    Group &current = groups.back().second;
    ++current.candidates;
    std::optional<double> time = entry->getNumber("microseconds");
    if (!time || *time <= 0)
      continue;
    if (name->ends_with("-0"))
      current.plannedTime = *time;
    if (current.bestTime == 0 || *time < current.bestTime) {
      current.bestTime = *time;
      current.best = name->str();
    }
  }

  std::map<std::string, std::string> schedules;
  if (llvm::sys::fs::exists(table)) {
    auto old = read(table);
    if (!old)
      return fail("cannot read " + table + ": " + old.getError().message());
    schedules = schedulesOf((*old)->getBuffer());
  }
  llvm::StringRef folder = llvm::sys::path::parent_path(results);
  int within = 0, compared = 0;
  double worst = 1;
  for (const auto &[name, group] : groups) {
    if (group.bestTime == 0) {
      llvm::outs() << name << ": nothing measured\n";
      continue;
    }
    bool planned = group.plannedTime > 0;
    double ratio = planned ? group.plannedTime / group.bestTime : 0;
    if (planned) {
      ++compared;
      within += ratio <= 1.15;
      worst = std::max(worst, ratio);
    }
    llvm::outs() << llvm::formatv("{0}: planner {1:f3} us, best of {2} {3:f3} us ({4}), {5:f3}\n", name,
                                  group.plannedTime, group.candidates, group.bestTime, group.best, ratio);
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, group.best + ".id");
    auto schedule = read(path.str().str());
    if (!schedule)
      return fail("cannot read " + path + ": " + schedule.getError().message());
    for (const auto &[header, text] : schedulesOf((*schedule)->getBuffer()))
      if (planned && ratio < margin)
        schedules.erase(header);
      else
        schedules[header] = text;
  }
  if (compared)
    llvm::outs() << llvm::formatv("{0} of {1} sizes within 15 % of the best, the worst at {2:f2}\n", within, compared,
                                  worst);
  std::string text = "// Schedules measured to be faster than the planner's, written by `idc tune`.\n";
  for (const auto &[header, schedule] : schedules)
    text += "\n" + schedule;
  if (std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(table)))
    return fail("cannot make the folder of " + table + ": " + error.message());
  return write(table, text) ? 0 : 1;
}
