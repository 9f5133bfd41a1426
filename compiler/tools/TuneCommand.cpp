#include "compiler/tools/TuneCommand.h"

#include "compiler/codegen/Choices.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/Modules.h"
#include "compiler/tools/ScheduleText.h"
#include "host/Error.h"
#include "host/Jobs.h"
#include "host/Progress.h"
#include "idc/runtime.h"
#include "runtime/lib/WholeFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <deque>
#include <iostream>
#include <set>

using namespace idc;
using codegen::Compiler;
using codegen::Level;
using tools::fail;
using tools::LaunchText;

namespace {

/// Input bytes of a batch: what benchmarks take, and much more than caches hold.
constexpr int64_t batchBytes = int64_t(1) << 30, cpuBatchBytes = int64_t(1) << 28;
/// Combinations of choices that are elaborated, at most.
constexpr size_t waysTried = 4096;
/// Schedules looked at for each that is kept.
constexpr unsigned searched = 8;
/// Numbers in a row that give no schedule, after which there are no more.
constexpr unsigned patience = 8;
/// Schedules put together of measured kernels, for each size.
constexpr size_t compositions = 3;
/// Planner and best count as equal within this.
constexpr double margin = 1.01;

bool write(const std::string &path, llvm::StringRef text) {
  try {
    runtime::writeFile(path, {text.data(), text.size()});
    return true;
  } catch (const runtime::FileError &error) {
    fail(error.what());
    return false;
  }
}

/// The file's text; nothing with a message printed when it cannot be read.
std::optional<std::string> read(const std::string &path) {
  constexpr int64_t largest = int64_t(1) << 30;
  try {
    return runtime::readFile(path, largest);
  } catch (const runtime::FileError &error) {
    fail(error.what());
    return std::nullopt;
  }
}

/// The file's JSON object; nothing with a message printed when there is none.
std::optional<llvm::json::Object> readObject(const std::string &path) {
  std::optional<std::string> text = read(path);
  if (!text)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(*text);
  if (!parsed) {
    fail(path + ": " + llvm::toString(parsed.takeError()));
    return std::nullopt;
  }
  if (llvm::json::Object *object = parsed->getAsObject())
    return std::move(*object);
  fail(path + " holds no JSON object");
  return std::nullopt;
}

//===--- candidates -----------------------------------------------------------------------------------------------===//

/// What a compiler made of one candidate.
struct Candidate {
  std::string symbol, schedule, kernels, manifest; // kernels: a cubin, or an object for this computer's processor
  bool isCpu = false;
  int64_t batch = 1;
  llvm::json::Array costs = {}; // what the planner counted, for each part of the program; none of another's schedules
};

/// What was counted of a candidate's kernels, as the list of jobs has it.
llvm::json::Array costsOf(const Compiler &compiler) {
  llvm::json::Array parts;
  for (const passes::CandidateList &list : compiler.candidates()) {
    const passes::PlanCost &cost = list.candidates.front().cost;
    llvm::json::Array kernels;
    for (const passes::KernelCost &kernel : cost.kernels) {
      llvm::json::Object counted{{"cost", kernel.cost}};
      for (const auto &[name, value] : kernel.counted)
        counted[name] = value;
      kernels.push_back(std::move(counted));
    }
    parts.push_back(llvm::json::Object{
        {"part", list.part}, {"unit", cost.unit}, {"cost", cost.cost}, {"kernels", std::move(kernels)}});
  }
  return parts;
}

/// The manifest's symbol and how many problems fill a batch.
bool readManifest(Candidate &candidate, bool latency) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(candidate.manifest);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const llvm::json::Object &manifest = *parsed->getAsObject();
  candidate.symbol = manifest.getString("symbol").value_or("").str();
  int64_t bytes = 0;
  for (const llvm::json::Value &input : *manifest.getArray("inputs"))
    bytes += *input.getAsObject()->getInteger("elementBytes") * *input.getAsObject()->getInteger("elements");
  const int64_t all = candidate.isCpu ? cpuBatchBytes : batchBytes;
  candidate.batch = latency ? 1 : std::max<int64_t>(1, all / std::max<int64_t>(1, bytes));
  return true;
}

bool isCpu(const passes::Target &target) { return target.kind == "cpu"; }

/// The candidate of a schedule; nothing when it needs more than the machine has, which only the assembler knows.
std::optional<Candidate> compileCandidate(Compiler &compiler, const std::string &schedule, bool latency,
                                          llvm::raw_ostream &errors) {
  llvm::Expected<codegen::LibraryInstance> made = compiler.instance({"", /*laterGpus=*/false}, errors);
  if (!made) {
    llvm::consumeError(made.takeError());
    return std::nullopt;
  }
  const bool cpu = isCpu(compiler.target());
  Candidate candidate{"", schedule, cpu ? made->object : made->image, made->manifest, cpu};
  candidate.costs = costsOf(compiler);
  return readManifest(candidate, latency) ? std::optional(std::move(candidate)) : std::nullopt;
}

/// The schedule of a candidate with registers for `more` blocks of each kernel on a multiprocessor; nothing where that
/// would make the same code, or halve a thread's registers.
std::optional<std::string> withMoreBlocks(const Candidate &candidate, int64_t more, const passes::Target &target) {
  llvm::Expected<llvm::json::Value> manifest = llvm::json::parse(candidate.manifest);
  if (!manifest) {
    llvm::consumeError(manifest.takeError());
    return std::nullopt;
  }
  const llvm::json::Array &kernels = *manifest->getAsObject()->getArray("kernels");
  const std::vector<LaunchText> launches = tools::launchesOf(candidate.schedule);
  if (launches.size() != kernels.size())
    return std::nullopt;
  bool other = false;
  std::string text = tools::headerOf(candidate.schedule);
  for (size_t k = 0; k < launches.size(); ++k) {
    const llvm::json::Object &kernel = *kernels[k].getAsObject();
    const int64_t threads = kernel.getInteger("threads").value_or(1),
                  present = kernel.getInteger("residentBlocks").value_or(1), blocks = present + more,
                  registers =
                      kernel.getInteger("registers").value_or(target.registersPerMultiprocessor / (threads * present));
    const bool helps = !kernel.getInteger("team") && target.residentBlocks(threads, registers, 0) < blocks &&
                       target.residentBlocks(threads, registers / 2, 0) >= blocks;
    text += helps ? tools::withResidentBlocks(launches[k].kernels, blocks) : launches[k].kernels;
    other |= helps;
  }
  return other ? std::optional(text + "}\n") : std::nullopt;
}

/// The candidates of schedules that are made already, with more blocks on a multiprocessor.
void addResidentVariants(codegen::CompileRequest request, std::vector<Candidate> &made) {
  constexpr int64_t mostMore = 2;
  const bool latency = request.plan == passes::Plan::Latency;
  passes::Target target;
  std::string error;
  if (!passes::findTarget(request.target, target, error))
    return; // has been said
  if (isCpu(target))
    return;
  for (size_t i = 0, count = made.size(); i < count; ++i)
    for (int64_t more = 1; more <= mostMore; ++more) {
      std::optional<std::string> schedule = withMoreBlocks(made[i], more, target);
      llvm::SmallString<128> path;
      if (!schedule || llvm::sys::fs::createTemporaryFile("idc", "id", path))
        continue;
      llvm::FileRemover remover(path);
      request.scheduleFile = path.str().str();
      if (!write(request.scheduleFile, *schedule))
        return;
      Compiler compiler(request);
      if (std::optional<Candidate> candidate = compileCandidate(compiler, *schedule, latency, llvm::nulls()))
        made.push_back(std::move(*candidate));
    }
}

/// The candidate of a planned schedule with rings between its kernels; nothing where they cannot be passes of one.
std::optional<Candidate> withRings(codegen::CompileRequest request, const std::string &without) {
  request.rings = true;
  Compiler compiler(request);
  llvm::Expected<std::string> schedule = compiler.schedule(llvm::nulls());
  if (!schedule) {
    llvm::consumeError(schedule.takeError());
    return std::nullopt;
  }
  return *schedule == without ? std::nullopt : compileCandidate(compiler, *schedule, /*latency=*/false, llvm::nulls());
}

/// Adds up to `count` of the planner's schedules, best first, each with a launch that those before do not have, and the
/// same with rings where it is for throughput. Returns false after printing to `errors` what went wrong.
bool addPlanned(codegen::CompileRequest request, size_t count, std::vector<Candidate> &made,
                llvm::raw_ostream &errors) {
  const bool latency = request.plan == passes::Plan::Latency;
  const size_t before = made.size();
  auto fail = [&](const llvm::Twine &message) { return tools::fail(message, errors) == 0; };
  std::set<std::string> seen; // launches
  request.ownSchedules = false;
  request.listed = 1;
  unsigned missing = 0;
  size_t withRing = 0;
  for (unsigned number = 0; made.size() - before - withRing < count && number < searched * count && missing < patience;
       ++number) {
    request.candidate = number;
    Compiler compiler(request);
    // The first is the planner's choice, whose mistakes are the user's; a later one may not exist, or not fit.
    llvm::raw_ostream &said = number ? llvm::nulls() : errors;
    llvm::Expected<std::string> schedule = compiler.schedule(said);
    if (!schedule) {
      std::string message = llvm::toString(schedule.takeError());
      ++missing;
      if (number)
        continue;
      return fail(message);
    }
    missing = 0;
    // A schedule whose launches all stand in others says nothing that those do not.
    bool fresh = false;
    for (const LaunchText &launch : tools::launchesOf(*schedule))
      fresh |= seen.insert(launch.key()).second;
    if (!fresh)
      continue;
    std::optional<Candidate> candidate = compileCandidate(compiler, *schedule, latency, said);
    if (candidate)
      made.push_back(std::move(*candidate));
    else if (!number)
      return fail("the planner's own schedule does not compile");
    if (std::optional<Candidate> other = latency ? std::nullopt : withRings(request, *schedule)) {
      made.push_back(std::move(*other));
      ++withRing;
    }
  }
  return true;
}

/// Values of the choices that are open, the defaults first, then the cheapest by the planner's count, `most` at most.
std::vector<codegen::CompileRequest> cheapestWays(const codegen::CompileRequest &request, size_t most) {
  Compiler compiler(request);
  llvm::Expected<const frontend::Program *> program = compiler.program(llvm::nulls());
  if (!program) {
    llvm::consumeError(program.takeError()); // will be said
    return {request};
  }
  std::vector<std::pair<double, codegen::CompileRequest>> ways;
  for (codegen::CompileRequest &way : codegen::waysOf(request, **program, waysTried)) {
    codegen::CompileRequest counted = way;
    counted.ownSchedules = false;
    counted.listed = 1;
    Compiler planned(counted);
    if (auto stages = planned.stages(llvm::nulls())) {
      double cost = 0;
      for (const passes::CandidateList &list : planned.candidates())
        cost += list.candidates.front().cost.cost;
      if (llvm::all_of((*program)->choices, [&](const frontend::Choice &choice) {
            return request.sizes.count(choice.name) || way.sizes.at(choice.name) == choice.fallback;
          }))
        cost = -1;
      ways.push_back({cost, std::move(way)});
    } else {
      llvm::consumeError(stages.takeError());
    }
  }
  llvm::stable_sort(ways, [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<codegen::CompileRequest> best;
  for (auto &[cost, way] : ways)
    if (best.size() < most)
      best.push_back(std::move(way));
  return best.empty() ? std::vector<codegen::CompileRequest>{request} : best;
}

/// The request's schedules that are to be measured: `count` of the planner's, with choices that are open `count` of the
/// ways to make them and fewer schedules of each, the one that the program or its table has so far, and all of them
/// with more blocks on a multiprocessor. Returns false after printing to `errors` what went wrong.
bool makeCandidates(codegen::CompileRequest request, unsigned count, std::vector<Candidate> &made,
                    llvm::raw_ostream &errors) {
  const bool latency = request.plan == passes::Plan::Latency;
  auto fail = [&](const llvm::Twine &message) { return tools::fail(message, errors) == 0; };
  const std::vector<codegen::CompileRequest> ways = cheapestWays(request, count);
  const size_t each = ways.size() == 1 ? count : std::max(1u, count / searched);
  for (const codegen::CompileRequest &way : ways)
    if (!addPlanned(way, each, made, errors))
      return false;
  Compiler compiler(request);
  llvm::Expected<std::string> schedule = compiler.schedule(errors);
  if (!schedule)
    return fail(llvm::toString(schedule.takeError()));
  if (llvm::none_of(made, [&](const Candidate &other) { return other.schedule == *schedule; })) {
    std::optional<Candidate> candidate = compileCandidate(compiler, *schedule, latency, errors);
    if (!candidate)
      return fail("the present schedule does not compile");
    made.push_back(std::move(*candidate));
  }
  addResidentVariants(request, made);
  return true;
}

/// A folder of candidates and its list of jobs.
class CandidateFolder {
public:
  explicit CandidateFolder(const std::string &folder) : folder(folder) {}

  std::string jobsFile() const { return folder + "/jobs.json"; }
  std::string resultsFile() const { return folder + "/results.json"; }

  /// Takes over the jobs that the folder has; false with a message printed when there are none.
  bool readJobs() {
    std::optional<llvm::json::Object> document = readObject(jobsFile());
    llvm::json::Array *listed = document ? document->getArray("jobs") : nullptr;
    if (!listed)
      return false;
    jobs = std::move(*listed);
    return true;
  }

  bool add(const Candidate &candidate, bool latency) {
    size_t number = llvm::count_if(jobs, [&](const llvm::json::Value &job) {
      return job.getAsObject()->getString("group") == llvm::StringRef(candidate.symbol);
    });
    const std::string name = candidate.symbol + "-" + std::to_string(number), prefix = folder + "/" + name;
    const char *kernels = candidate.isCpu ? ".o" : ".cubin";
    jobs.push_back(llvm::json::Object{{"name", name},
                                      {"group", candidate.symbol},
                                      {"batch", candidate.batch},
                                      {"latency", latency},
                                      {"kernels", name + kernels},
                                      {"manifest", name + ".json"}});
    if (!candidate.costs.empty())
      (*jobs.back().getAsObject())["costs"] = llvm::json::Array(candidate.costs);
    return write(prefix + kernels, candidate.kernels) && write(prefix + ".json", candidate.manifest) &&
           write(prefix + ".id", candidate.schedule);
  }

  /// Writes the list.
  bool finish() {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{{"jobs", llvm::json::Array(jobs)}}));
    return write(jobsFile(), text);
  }

  /// Prints how to go on where candidates are measured elsewhere.
  void printNext(size_t added) const {
    llvm::outs() << added << " candidates; measure them with: idc-runner --jobs " << jobsFile() << " --results "
                 << resultsFile() << "\n";
  }

  size_t size() const { return jobs.size(); }

private:
  std::string folder;
  llvm::json::Array jobs;
};

//===--- results --------------------------------------------------------------------------------------------------===//

/// One measured candidate: microseconds in all, and of each launch alone where there are several.
struct Measured {
  std::string name;
  double time = 0;
  std::vector<double> launches;
};

/// The candidates for one instance of a program.
struct Group {
  std::string name;
  int candidates = 0;
  std::vector<Measured> measured;
  double copyTime = 0; // 0: not measured

  const Measured *planned() const {
    auto found = llvm::find_if(measured, [&](const Measured &one) { return one.name == name + "-0"; });
    return found == measured.end() ? nullptr : &*found;
  }
  const Measured &best() const {
    return *llvm::min_element(measured, [](const Measured &a, const Measured &b) { return a.time < b.time; });
  }
};

/// What the runner wrote, by groups in the order of the file; nothing with a message printed when it is malformed.
std::optional<std::vector<Group>> readResults(const std::string &results) {
  std::optional<llvm::json::Object> document = readObject(results);
  const llvm::json::Array *listed = document ? document->getArray("results") : nullptr;
  if (!listed) {
    if (document)
      fail(results + " holds no results");
    return std::nullopt;
  }
  std::vector<Group> groups;
  for (const llvm::json::Value &value : *listed) {
    const llvm::json::Object *entry = value.getAsObject();
    std::optional<llvm::StringRef> name = entry ? entry->getString("name") : std::nullopt,
                                   group = entry ? entry->getString("group") : std::nullopt;
    if (!name || !group) {
      fail(results + ": a result lacks its name or group");
      return std::nullopt;
    }
    auto place = llvm::find_if(groups, [&](const Group &other) { return other.name == *group; });
    if (place == groups.end())
      place = groups.insert(groups.end(), Group{group->str(), 0, {}, 0});
    ++place->candidates;
    Measured measured{name->str(), entry->getNumber("microseconds").value_or(0), {}};
    if (measured.time <= 0)
      continue;
    if (const llvm::json::Array *launches = entry->getArray("kernels"))
      for (const llvm::json::Value &time : *launches)
        measured.launches.push_back(time.getAsNumber().value_or(0));
    place->measured.push_back(std::move(measured));
    place->copyTime = entry->getNumber("copyMicroseconds").value_or(0);
  }
  return groups;
}

/// The file of a candidate beside the results.
std::string besideResults(const std::string &results, const std::string &name, const char *extension) {
  llvm::SmallString<256> path(llvm::sys::path::parent_path(results));
  llvm::sys::path::append(path, name + extension);
  return path.str().str();
}

/// The schedule's text with the time that it took: microseconds, or where a copy of the same data was timed, copies.
std::string withMeasurement(llvm::StringRef schedule, double microseconds, double copyMicroseconds) {
  std::string line = copyMicroseconds > 0
                         ? llvm::formatv("  measured {0:f2} copies\n", microseconds / copyMicroseconds).str()
                         : llvm::formatv("  measured {0:f2} us\n", microseconds).str();
  return (schedule.drop_back(2) + line + "}\n").str(); // the last line is the closing brace
}

//===--- compositions ---------------------------------------------------------------------------------------------===//

/// Launches one after the other, and the sum of their times.
struct Composition {
  std::string kernels;
  double time = 0;
};

/// The `count` compositions of least time of measured launches that join: each begins at the step and with the order of
/// addresses at which the one before ends.
std::vector<Composition> fastestCompositions(std::vector<std::pair<LaunchText, double>> launches, size_t count) {
  int steps = 0;
  for (const auto &[launch, time] : launches)
    steps = std::max(steps, launch.last);
  if (steps == 0)
    return {};
  // Whatever ends before a step begins before it as well.
  llvm::stable_sort(launches, [](const auto &a, const auto &b) { return a.first.first < b.first.first; });
  using Place = std::pair<int, std::string>; // steps that are done, order of the values
  std::map<Place, std::vector<Composition>> fastest;
  fastest[{0, ""}] = {Composition()};
  for (const auto &[launch, time] : launches) {
    auto before = fastest.find({launch.first - 1, launch.in});
    if (before == fastest.end())
      continue;
    std::vector<Composition> &after = fastest[{launch.last, launch.out}];
    for (const Composition &composition : before->second)
      after.push_back({composition.kernels + launch.kernels, composition.time + time});
    llvm::stable_sort(after, [](const Composition &a, const Composition &b) { return a.time < b.time; });
    after.resize(std::min(after.size(), count));
  }
  return fastest[{steps, ""}];
}

/// Adds the compositions of a group's launches that should be faster than all candidates to the folder.
/// Returns false after printing what went wrong.
bool compose(const Group &group, const std::string &results, codegen::CompileRequest request, CandidateFolder &folder) {
  using Launches = std::map<std::string, std::pair<LaunchText, double>>; // by their keys
  std::map<std::string, Launches> byHeader;                              // of one program: steps mean the same
  std::set<std::string> known;                                           // kernels of whole schedules
  for (const Measured &measured : group.measured) {
    std::optional<std::string> text = read(besideResults(results, measured.name, ".id"));
    if (!text)
      return false;
    std::vector<LaunchText> parts = tools::launchesOf(*text);
    const std::string header = tools::headerOf(*text);
    Launches &launches = byHeader[header];
    std::string kernels;
    for (size_t i = 0; i < parts.size(); ++i) {
      kernels += parts[i].kernels;
      if (parts.size() > 1 && measured.launches.size() != parts.size())
        continue;
      double time = parts.size() > 1 ? measured.launches[i] : measured.time;
      auto [place, fresh] = launches.try_emplace(parts[i].key(), parts[i], time);
      if (!fresh)
        place->second.second = std::min(place->second.second, time);
    }
    known.insert(header + kernels);
  }
  if (byHeader.empty())
    return true;
  std::optional<llvm::json::Object> manifest = readObject(besideResults(results, group.measured.front().name, ".json"));
  if (!manifest)
    return false;
  request.entry = manifest->getString("entry").value_or("").str();
  request.plan = passes::findPlan(manifest->getString("plan").value_or("")).value_or(request.plan);
  if (const llvm::json::Object *sizes = manifest->getObject("sizes"))
    for (const auto &[name, value] : *sizes)
      request.sizes[name.str()] = value.getAsInteger().value_or(0);
  if (const llvm::json::Object *types = manifest->getObject("types"))
    for (const auto &[name, value] : *types)
      request.types[name.str()] = value.getAsString().value_or("").str();
  bool latency = request.plan == passes::Plan::Latency;
  std::vector<std::pair<std::string, Composition>> composed; // with their headers
  for (const auto &[header, launches] : byHeader) {
    std::vector<std::pair<LaunchText, double>> all;
    for (const auto &[key, launch] : launches)
      all.push_back(launch);
    for (Composition &composition : fastestCompositions(all, compositions))
      composed.push_back({header, std::move(composition)});
  }
  llvm::stable_sort(composed, [](const auto &a, const auto &b) { return a.second.time < b.second.time; });
  composed.resize(std::min(composed.size(), compositions));
  for (const auto &[header, composition] : composed) {
    std::string schedule = header + composition.kernels + "}\n";
    if (known.count(header + composition.kernels))
      break; // those that follow are slower than a candidate
    request.scheduleFile = besideResults(results, "composed", ".id");
    if (!write(request.scheduleFile, schedule))
      return false;
    Compiler compiler(request);
    // Kernels of steps outside chains need not make what those that follow take.
    std::optional<Candidate> candidate = compileCandidate(compiler, schedule, latency, llvm::nulls());
    llvm::sys::fs::remove(request.scheduleFile);
    if (!candidate)
      continue;
    if (!folder.add(*candidate, latency))
      return false;
    llvm::outs() << llvm::formatv("{0}: {1:f3} us expected\n", group.name, composition.time);
  }
  return true;
}

/// Compiles the candidates for all sizes; false after printing what went wrong.
bool fill(CandidateFolder &candidates, const codegen::CompileRequest &request,
          const std::vector<frontend::SizeMap> &sizes, unsigned count, const std::string &folder) {
  if (std::string missing = Compiler::whyNoFatbin(); !missing.empty() && request.target != "cpu")
    return fail("tune needs an assembler: " + missing), false;
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail("cannot make the folder " + folder + ": " + error.message()), false;
  bool latency = request.plan == passes::Plan::Latency;
  std::vector<std::vector<Candidate>> made(sizes.size());
  std::vector<std::string> messages(sizes.size());
  std::atomic<bool> failed{false};
  std::optional<host::Progress> progress(std::in_place, sizes.size());
  llvm::DefaultThreadPool pool;
  for (size_t i = sizes.size(); i-- > 0;) // the largest take longest
    pool.async([&, i] {
      if (failed)
        return;
      codegen::CompileRequest one = request;
      one.sizes = sizes[i];
      llvm::raw_string_ostream errors(messages[i]);
      failed = !makeCandidates(one, count, made[i], errors) || failed;
      progress->finished(made[i].empty() ? "" : made[i].front().symbol);
    });
  pool.wait();
  progress.reset();
  for (size_t i = 0; i < sizes.size(); ++i) {
    llvm::errs() << messages[i];
    for (const Candidate &candidate : made[i])
      if (!failed && !candidates.add(candidate, latency))
        return false;
  }
  return !failed && candidates.finish();
}

/// Adds what measured kernels make up, and says how many that are; nothing after printing what went wrong.
std::optional<size_t> composeInto(CandidateFolder &candidates, const codegen::CompileRequest &request,
                                  const std::string &results) {
  std::optional<std::vector<Group>> groups = readResults(results);
  if (!groups)
    return std::nullopt;
  const size_t before = candidates.size();
  for (const Group &group : *groups)
    if (!group.measured.empty() && !compose(group, results, request, candidates))
      return std::nullopt;
  return candidates.finish() ? std::optional(candidates.size() - before) : std::nullopt;
}

} // namespace

int tools::writeCandidates(codegen::CompileRequest request, const std::vector<frontend::SizeMap> &sizes, unsigned count,
                           const std::string &folder) {
  CandidateFolder candidates(folder);
  if (!fill(candidates, request, sizes, count, folder))
    return 1;
  candidates.printNext(candidates.size());
  return 0;
}

int tools::composeCandidates(codegen::CompileRequest request, const std::string &results) {
  CandidateFolder candidates(llvm::sys::path::parent_path(results).str());
  if (!candidates.readJobs())
    return 1;
  std::optional<size_t> added = composeInto(candidates, request, results);
  if (added)
    candidates.printNext(*added);
  return added ? 0 : 1;
}

int tools::tuneHere(codegen::CompileRequest request, const std::vector<frontend::SizeMap> &sizes, unsigned count,
                    const MeasuredTable &table) {
  const bool cpu = request.target == "cpu";
  if (!cpu && idc_device_available() != IDC_SUCCESS)
    return fail("tune measures on this machine's GPU, and there is none: " + llvm::Twine(idc_last_error()) +
                "; -o FOLDER writes candidates for another machine, --target cpu is for this one");
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("idc-tune", folder))
    return fail("cannot make a temporary folder: " + error.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  CandidateFolder candidates(folder.str().str());
  if (!fill(candidates, request, sizes, count, folder.str().str()))
    return 1;
  std::deque<codegen::CpuJit> code; // of the CPU's modules
  const host::JobLoader load = cpu ? host::JobLoader([&code](const std::string &kernels, const std::string &manifest) {
    llvm::Expected<codegen::CpuJit> loaded = codegen::CpuJit::load(kernels);
    if (!loaded)
      throw host::Error(llvm::toString(loaded.takeError()));
    code.push_back(std::move(*loaded));
    return tools::cpuModule(manifest, code.back());
  })
                                   : host::JobLoader(host::loadImage);
  try {
    host::measureJobs(candidates.jobsFile(), candidates.resultsFile(), std::cout, load);
    std::optional<size_t> added = composeInto(candidates, request, candidates.resultsFile());
    if (!added)
      return 1;
    host::measureJobs(candidates.jobsFile(), candidates.resultsFile(), std::cout, load); // those that were added
  } catch (const host::Error &error) {
    return fail(error.what());
  }
  return mergeResults(candidates.resultsFile(), table);
}

int tools::mergeResults(const std::string &results, const MeasuredTable &into) {
  const std::string &table = into.file;
  std::optional<std::vector<Group>> groups = readResults(results);
  if (!groups)
    return 1;
  std::map<std::string, std::string> schedules;
  if (llvm::sys::fs::exists(table)) {
    std::optional<std::string> old = read(table);
    if (!old)
      return 1;
    schedules = schedulesOf(*old);
  }
  int within = 0, compared = 0;
  double worst = 1;
  for (const Group &group : *groups) {
    if (group.measured.empty()) {
      llvm::outs() << group.name << ": nothing measured\n";
      continue;
    }
    const Measured &best = group.best(), *planned = group.planned();
    double ratio = planned ? planned->time / best.time : 0;
    if (planned) {
      ++compared;
      within += ratio <= 1.15;
      worst = std::max(worst, ratio);
    }
    llvm::outs() << llvm::formatv("{0}: planner {1:f3} us, best of {2} {3:f3} us ({4}), {5:f3}", group.name,
                                  planned ? planned->time : 0, group.candidates, best.time, best.name, ratio);
    if (planned && group.copyTime > 0)
      llvm::outs() << llvm::formatv("; {0:f3} and {1:f3} copies", planned->time / group.copyTime,
                                    best.time / group.copyTime);
    llvm::outs() << "\n";
    std::optional<std::string> schedule = read(besideResults(results, best.name, ".id"));
    if (!schedule)
      return 1;
    for (const auto &[header, text] : schedulesOf(*schedule))
      if (planned && ratio < margin && !into.goesFirst)
        schedules.erase(header);
      else
        schedules[header] = withMeasurement(text, best.time, group.copyTime);
  }
  if (compared)
    llvm::outs() << llvm::formatv("{0} of {1} sizes within 15 % of the best, the worst at {2:f2}\n", within, compared,
                                  worst);
  std::string text = "// Schedules measured to be faster than the planner's, written by `idc tune`.\n";
  for (const auto &[header, schedule] : schedules)
    text += "\n" + schedule;
  if (std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(table)))
    return fail("cannot make the folder of " + table + ": " + error.message());
  if (!write(table, text))
    return 1;
  llvm::outs() << "the schedules are in " << table << "\n";
  return 0;
}
