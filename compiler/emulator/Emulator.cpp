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

llvm::Expected<KernelReport> Emulator::run(llvm::StringRef name, const Launch &launch) {
  auto kernel = program.kernels.find(name.str());
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
  return KernelRun(kernel->second, options, launch, places, sharedBytes + launch.sharedBytes).run();
}
