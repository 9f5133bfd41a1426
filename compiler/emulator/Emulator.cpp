#include "compiler/emulator/Emulator.h"

#include "compiler/emulator/KernelRun.h"

#include "llvm/ADT/StringSwitch.h"

using namespace idc;
using namespace idc::emulator;

static llvm::Error message(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

std::optional<Interleaving> emulator::findInterleaving(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Interleaving>>(name)
      .Case("round-robin", Interleaving::RoundRobin)
      .Case("random", Interleaving::Random)
      .Case("greedy", Interleaving::Greedy)
      .Case("reverse", Interleaving::Reverse)
      .Default(std::nullopt);
}

llvm::Expected<Emulator> Emulator::create(mlir::ModuleOp module, EmulatorOptions options) {
  llvm::Expected<Program> program = decode(module);
  if (!program)
    return program.takeError();
  return Emulator(std::move(*program), options);
}

Emulator::Emulator(Program decoded, EmulatorOptions options) : program(std::move(decoded)), options(options) {
  for (Global &global : program.globals)
    if (!global.shared) {
      bool initialised = !global.data.empty();
      std::vector<char> &data = globalData.emplace_back(std::move(global.data));
      data.resize(static_cast<size_t>(global.bytes), '\xff');
      globals.emplace_back("@" + global.name, data.data(), global.bytes, initialised, !global.constant,
                           global.constant);
    }
}

namespace {
/// The grids of a device, in launch order.
struct Stream {
  Stream(size_t first, size_t end) : first(first), end(end) {}
  size_t first, end;
  size_t oldest = first;      // that has not ended
  size_t started = first + 1; // behind those that may run
  std::vector<bool> dependent;

  bool hasEnded() const { return oldest == end; }
  /// Lets those start that may.
  void advance(std::vector<KernelRun> &grids) {
    for (; !hasEnded() && grids[oldest].ended(); ++oldest)
      if (const size_t next = oldest + 1; next < end) {
        if (dependent[next - first])
          grids[next].previousHasEnded(grids[oldest].endedFrom(), grids[oldest].learned());
        else
          grids[next].startBehind(static_cast<uint32_t>(first), grids[oldest].learned());
      }
    started = std::min(end, std::max(started, oldest + 1));
    while (started < end && dependent[started - first] && grids[started - 1].startsDependents())
      ++started;
  }
};
} // namespace

/// Runs the grids to their ends, or until a fault stops one.
static void interleave(std::vector<KernelRun> &grids, std::vector<Stream> &streams, GlobalMemory &memory,
                       const EmulatorOptions &options) {
  constexpr uint64_t hour = 3600 * uint64_t(1000000000), mostHours = 1000;
  std::mt19937_64 random(options.seed);
  size_t turns = 0;
  auto passHour = [&] { // false when nobody looks at the clock, or nobody has enough of waiting
    if (memory.nanoseconds == mostHours * hour)
      return false;
    memory.nanoseconds += hour;
    bool woken = false;
    for (KernelRun &grid : grids)
      woken |= grid.wakeByTime();
    return woken;
  };
  while (true) {
    llvm::SmallVector<KernelRun *> able;
    KernelRun *waiting = nullptr; // one that has not ended
    for (Stream &stream : streams) {
      stream.advance(grids);
      for (size_t g = stream.oldest; g < stream.started; ++g)
        if (!grids[g].ended() && grids[g].runnable())
          able.push_back(&grids[g]);
      if (!waiting && !stream.hasEnded())
        waiting = &grids[stream.oldest];
    }
    if (!waiting)
      return;
    if (able.empty()) {
      if (passHour())
        continue;
      return waiting->deadlock();
    }
    if (options.turnsPerHour && random() % options.turnsPerHour == 0)
      passHour();
    size_t which = options.interleaving == Interleaving::Random       ? random() % able.size()
                   : options.interleaving == Interleaving::RoundRobin ? turns++ % able.size()
                   : options.interleaving == Interleaving::Reverse    ? able.size() - 1
                                                                      : 0;
    able[which]->turn();
    if (able[which]->hasStopped())
      return;
  }
}

llvm::Expected<KernelReport> Emulator::run(llvm::StringRef kernel, const Launch &launch) {
  llvm::Expected<std::vector<KernelReport>> reports = runDependent({{kernel.str(), launch}});
  if (!reports)
    return reports.takeError();
  return std::move(reports->front());
}

llvm::Error Emulator::check(const std::string &name, const Launch &launch) const {
  auto kernel = program.kernels.find(name);
  if (kernel == program.kernels.end())
    return message("there is no kernel '" + name + "'");
  if (kernel->second.arguments.size() != launch.arguments.size())
    return message("kernel '" + name + "' takes " + llvm::Twine(kernel->second.arguments.size()) + " arguments, not " +
                   llvm::Twine(launch.arguments.size()));
  if (launch.cluster < 1 || launch.cluster > 16 || launch.blocks % launch.cluster)
    return message("kernel '" + name + "' cannot run on " + llvm::Twine(launch.blocks) + " blocks in clusters of " +
                   llvm::Twine(launch.cluster));
  if (launch.blocks < 1 || launch.threads < 1 || launch.threads > 1024 || launch.sharedBytes < 0)
    return message("kernel '" + name + "' cannot run on " + llvm::Twine(launch.blocks) + " blocks of " +
                   llvm::Twine(launch.threads) + " threads with " + llvm::Twine(launch.sharedBytes) +
                   " bytes of shared memory");
  return llvm::Error::success();
}

llvm::Expected<std::vector<KernelReport>>
Emulator::runDependent(const std::vector<std::pair<std::string, Launch>> &launches) {
  std::vector<OnStream> stream;
  for (const auto &[name, launch] : launches)
    stream.push_back({name, launch, /*dependent=*/!stream.empty()});
  return runDevices({std::move(stream)});
}

llvm::Expected<std::vector<KernelReport>> Emulator::runDevices(const std::vector<std::vector<OnStream>> &launched) {
  std::vector<const Kernel *> kernels;
  std::vector<uint32_t> devices;
  std::vector<Stream> streams;
  for (const std::vector<OnStream> &stream : launched) {
    streams.emplace_back(kernels.size(), kernels.size() + stream.size());
    for (const OnStream &one : stream) {
      if (llvm::Error error = check(one.kernel, one.launch))
        return error;
      kernels.push_back(&program.kernels.at(one.kernel));
      devices.push_back(static_cast<uint32_t>(streams.size()) - 1);
      streams.back().dependent.push_back(one.dependent);
    }
  }
  // Shared memory: variables of a known size, then the dynamic part.
  std::vector<GlobalPlace> places;
  int64_t sharedBytes = 0;
  auto buffer = globals.begin();
  for (bool dynamic : {false, true})
    for (const Global &global : program.globals)
      if (global.shared && (global.bytes == 0) == dynamic) {
        sharedBytes = (sharedBytes + global.alignment - 1) / global.alignment * global.alignment;
        places.push_back({&global, nullptr, sharedBytes});
        sharedBytes += global.bytes;
      }
  for (const Global &global : program.globals)
    if (!global.shared)
      places.push_back({&global, &*buffer++, -1});
  GlobalMemory memory(kernels, std::move(devices));
  std::vector<KernelRun> grids;
  grids.reserve(kernels.size());
  size_t blocks = 0;
  for (const std::vector<OnStream> &stream : launched)
    for (const OnStream &one : stream)
      blocks += static_cast<size_t>(one.launch.blocks);
  host::Progress progress(blocks);
  for (const std::vector<OnStream> &stream : launched)
    for (const OnStream &one : stream)
      grids.emplace_back(*kernels[grids.size()], options, one.launch, places, sharedBytes + one.launch.sharedBytes,
                         memory, static_cast<uint32_t>(grids.size()), progress);
  for (const Stream &stream : streams)
    if (!stream.hasEnded())
      grids[stream.first].startBehind(static_cast<uint32_t>(stream.first), {});
  interleave(grids, streams, memory, options);
  std::vector<KernelReport> reports;
  for (KernelRun &grid : grids)
    reports.push_back(grid.takeReport());
  return reports;
}
