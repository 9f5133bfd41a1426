#include "compiler/tools/LibraryCommand.h"

#include "compiler/codegen/LibrarySignature.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/codegen/ResultCache.h"
#include "compiler/passes/Target.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/OutputFiles.h"

#include "host/Progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>

using namespace idc;
using namespace idc::codegen;
using namespace idc::tools;

static llvm::Error wrong(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

// As many as a product of two ranges may reasonably have; each takes about a second.
constexpr size_t maxCompilations = 4096;

/// One compilation: a point of a function for a target.
struct Job {
  CompileRequest request;
  size_t function = 0;
  bool laterGpus = false;
  LibraryInstance instance;
  std::vector<int64_t> point; // in the order of the function's sizes
  std::string errors;
};

class LibraryMaker {
public:
  explicit LibraryMaker(const LibraryRequest &request) : request(request) {}
  llvm::Error make();

private:
  llvm::Error readTargets();
  llvm::Error readSettings();
  llvm::Error makeJobs();
  void run(Job &job);
  llvm::Error runAll();
  llvm::Error assemble();
  llvm::Error write();
  std::string path(const char *before, const char *after) const;

  const LibraryRequest &request;
  Library library;
  ResultCache cache;
  std::vector<Setting> settings;
  std::vector<Job> jobs;
  std::vector<std::pair<std::string, std::string>> outputs; // path and content
  std::mutex mutex;                                         // of what follows, and of `library` while jobs run
  llvm::StringSet<> files;
  std::optional<host::Progress> progress;
  std::atomic<bool> failed{false};
};

llvm::Error LibraryMaker::readTargets() {
  llvm::SmallVector<llvm::StringRef> kinds;
  llvm::StringRef(request.targets).split(kinds, ',');
  const bool cpu = llvm::is_contained(kinds, "cpu"), gpu = llvm::is_contained(kinds, "nvptx");
  if (size_t(cpu) + gpu != kinds.size())
    return wrong("unknown targets '" + request.targets + "'; known are nvptx, cpu, and nvptx,cpu");
  for (llvm::StringRef name : request.architectures)
    if (!name.starts_with("sm_"))
      return wrong("'" + name + "' is no architecture of a GPU");
  for (const std::string &name : passes::targetNames()) { // oldest first
    const auto times = llvm::count(request.architectures, name);
    if (times > 1)
      return wrong("--arch names " + name + " twice");
    if (times == 1)
      library.targets.push_back(name);
  }
  if (cpu)
    library.targets.push_back("cpu");
  return llvm::Error::success();
}

llvm::Error LibraryMaker::readSettings() {
  for (llvm::StringRef text : request.settings) {
    llvm::Expected<Setting> setting = readSetting(text);
    if (!setting)
      return setting.takeError();
    auto unique = [](auto values) {
      llvm::sort(values);
      return std::adjacent_find(values.begin(), values.end()) == values.end();
    };
    if (!unique(setting->sizes) || !unique(setting->types))
      return wrong("--set " + text + " names a value twice");
    if (!request.devices.empty() && setting->name == devicesName)
      return wrong("a size called '" + setting->name + "' is the number of devices where there are several");
    if (llvm::any_of(settings, [&](const Setting &other) { return other.name == setting->name; }))
      return wrong("--set " + setting->name + " is given twice");
    settings.push_back(std::move(*setting));
  }
  return llvm::Error::success();
}

/// A function for every choice of types, whose names tell them apart where there are several; for each, every choice of
/// sizes for every target.
llvm::Error LibraryMaker::makeJobs() {
  struct Choice {
    std::string suffix;
    frontend::TypeMap types;
  };
  std::vector<Choice> choices{{}};
  std::vector<frontend::SizeMap> points{{}};
  for (const Setting &setting : settings) {
    std::vector<Choice> moreChoices;
    for (const Choice &choice : choices)
      for (const std::string &type : setting.types) {
        Choice next = choice;
        next.types[setting.name] = type;
        std::string word;
        for (char c : llvm::StringRef(type).rtrim('>'))
          word += llvm::isAlnum(c) ? c : '_';
        if (setting.types.size() > 1)
          next.suffix += "_" + word;
        moreChoices.push_back(std::move(next));
      }
    if (!setting.types.empty())
      choices = std::move(moreChoices);
    std::vector<frontend::SizeMap> morePoints;
    for (const frontend::SizeMap &point : points)
      for (int64_t size : setting.sizes) {
        morePoints.push_back(point);
        morePoints.back()[setting.name] = size;
      }
    if (!setting.sizes.empty())
      points = std::move(morePoints);
    if (points.size() * choices.size() * library.targets.size() > maxCompilations)
      return wrong("the settings ask for more than " + llvm::Twine(maxCompilations) + " compilations");
  }
  std::vector<std::pair<int64_t, frontend::SizeMap>> onDevices; // number of devices, sizes
  for (int64_t devices : request.devices.empty() ? std::vector<int64_t>{1} : request.devices)
    for (const frontend::SizeMap &point : points)
      onDevices.emplace_back(devices, point);
  if (onDevices.size() * choices.size() * library.targets.size() > maxCompilations)
    return wrong("the settings ask for more than " + llvm::Twine(maxCompilations) + " compilations");
  for (const Choice &choice : choices) {
    LibraryFunction function;
    function.name = library.name + choice.suffix;
    if (std::string why = whyNoCName(function.name); !why.empty())
      return wrong("-o " + request.prefix + ": '" + function.name + "' " + why);
    library.functions.push_back(std::move(function));
    for (const auto &[devices, point] : onDevices)
      for (auto [i, target] : llvm::enumerate(library.targets)) {
        Job job;
        job.request = request.program;
        job.request.devices = devices;
        job.request.types = choice.types;
        job.request.sizes = point;
        job.request.target = target;
        if (target == "cpu" && library.targets.size() > 1) { // has the host's memory
          job.request.memory = 0;
          job.request.cpuShare.reset();
          job.request.hostLinkFile.clear();
        }
        job.function = library.functions.size() - 1;
        job.laterGpus = i + 1 == library.targets.size() || library.targets[i + 1] == "cpu";
        jobs.push_back(std::move(job));
      }
  }
  return llvm::Error::success();
}

void LibraryMaker::run(Job &job) {
  if (failed)
    return;
  llvm::raw_string_ostream errors(job.errors);
  Compiler compiler(job.request);
  auto fail = [&](llvm::Error error) {
    failed = true;
    tools::fail(std::move(error), errors);
  };
  llvm::Expected<const frontend::Program *> program = compiler.program(errors);
  if (!program)
    return fail(program.takeError());
  llvm::Expected<const frontend::Function *> declaration = compiler.declaration(errors);
  if (!declaration)
    return fail(declaration.takeError());
  const InstanceForm form{"idc." + library.functions[job.function].name + ".", job.laterGpus};
  std::vector<std::string> sources = compiler.files();
  llvm::Expected<LibraryInstance> instance =
      cache.get(cache.key(job.request, sources, form), [&] { return compiler.instance(form, errors); });
  if (!instance)
    return fail(instance.takeError());
  job.instance = std::move(*instance);
  if (!request.devices.empty())
    job.point.push_back(job.request.devices);
  for (const auto &[size, value] : (*program)->sizes)
    job.point.push_back(value);

  std::lock_guard<std::mutex> lock(mutex);
  if (LibraryFunction &function = library.functions[job.function]; function.outputs.empty()) {
    describe(**program, **declaration, job.instance.manifest, job.request.layouts, function);
    if (!request.devices.empty())
      addGroup(job.request.distributions, function);
    function.isHost = request.program.memory > 0;
  }
  for (const std::string &file : sources)
    files.insert(file);
  progress->finished(job.instance.target);
}

llvm::Error LibraryMaker::runAll() {
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(request.jobs));
  progress.emplace(jobs.size());
  // The largest sizes take longest: they come first.
  for (size_t i = jobs.size(); i-- > 0;)
    pool.async([this, i] { run(jobs[i]); });
  pool.wait();
  progress.reset();
  for (const Job &job : jobs)
    if (!job.errors.empty()) {
      llvm::errs() << job.errors;
      return wrong("");
    }
  return llvm::Error::success();
}

std::string LibraryMaker::path(const char *before, const char *after) const {
  llvm::SmallString<256> result(llvm::sys::path::parent_path(request.prefix));
  llvm::sys::path::append(result, before + library.name + after);
  return result.str().str();
}

llvm::Error LibraryMaker::assemble() {
  llvm::stable_sort(
      jobs, [](const Job &a, const Job &b) { return std::tie(a.function, a.point) < std::tie(b.function, b.point); });
  std::vector<std::pair<std::string, std::string>> members; // name and content
  for (auto [i, job] : llvm::enumerate(jobs)) {
    LibraryFunction &function = library.functions[job.function];
    if (i % library.targets.size() == 0)
      function.points.push_back(job.point);
    if (!job.instance.object.empty()) {
      std::string name = function.name;
      for (int64_t value : job.point)
        name += "_" + std::to_string(value);
      members.emplace_back(name + ".o", job.instance.object);
    }
    function.instances.push_back(std::move(job.instance));
  }
  llvm::Expected<std::string> object = libraryObject(library);
  if (!object)
    return object.takeError();
  members.emplace_back(library.name + ".o", *object);
  std::vector<llvm::NewArchiveMember> archive;
  for (const auto &[name, content] : members)
    archive.emplace_back(llvm::MemoryBufferRef(content, name));
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> bytes =
      llvm::writeArchiveToBuffer(archive, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!bytes)
    return bytes.takeError();
  outputs.emplace_back(path("lib", ".a"), (*bytes)->getBuffer().str());
  outputs.emplace_back(path("", ".h"), libraryHeader(library));
  outputs.emplace_back(path("", ".json"), libraryManifest(library));
  if (!request.depfile.empty()) {
    auto escaped = [](llvm::StringRef path) {
      std::string text;
      for (char c : path)
        text += c == ' ' || c == '#' ? std::string("\\") + c : c == '$' ? "$$" : std::string(1, c);
      return text;
    };
    std::vector<std::string> sorted;
    for (const auto &file : files)
      sorted.push_back(escaped(file.getKey()));
    llvm::sort(sorted);
    outputs.emplace_back(request.depfile, escaped(outputs.front().first) + ": " + llvm::join(sorted, " ") + "\n");
  }
  return llvm::Error::success();
}

llvm::Error LibraryMaker::write() { return writeFiles(outputs); }

llvm::Error LibraryMaker::make() {
  library.name = llvm::sys::path::filename(request.prefix).str();
  library.source = llvm::sys::path::filename(request.program.file).str();
  using Step = llvm::Error (LibraryMaker::*)();
  for (Step step : {&LibraryMaker::readTargets, &LibraryMaker::readSettings, &LibraryMaker::makeJobs,
                    &LibraryMaker::runAll, &LibraryMaker::assemble, &LibraryMaker::write})
    if (llvm::Error error = (this->*step)())
      return error;
  return llvm::Error::success();
}

} // namespace

int tools::compileLibrary(const LibraryRequest &request) {
  std::string missing = llvm::StringRef(request.targets).contains("nvptx") ? Compiler::whyNoFatbin() : "";
  if (!missing.empty())
    note(missing);
  if (llvm::Error error = LibraryMaker(request).make())
    return fail(std::move(error));
  return 0;
}
