#include "compiler/emulator/EmulatedModule.h"

#include "compiler/emulator/Dialects.h"
#include "compiler/emulator/EmulatedQueues.h"

#include "runtime/lib/Meeting.h"
#include "runtime/lib/Shares.h"
#include "runtime/lib/Status.h"

#include "mlir/Parser/Parser.h"

#include <cstring>

using namespace idc;
using namespace idc::emulator;

static llvm::Error message(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

EmulatedModule::EmulatedModule(runtime::Manifest ofDevice, std::unique_ptr<mlir::MLIRContext> context,
                               mlir::OwningOpRef<mlir::ModuleOp> module, Emulator emulator, EmulatorOptions options)
    : idc_module(ofDevice.devices > 1 ? runtime::wholeOf(ofDevice) : ofDevice), ofDevice(std::move(ofDevice)),
      context(std::move(context)), module(std::move(module)), emulator(std::move(emulator)), options(options) {}

llvm::Expected<std::unique_ptr<EmulatedModule>> EmulatedModule::create(llvm::StringRef kernels,
                                                                       llvm::StringRef manifestText,
                                                                       EmulatorOptions options, idc_cpu_lookup lookup,
                                                                       void *user) {
  runtime::Manifest manifest;
  try {
    manifest = runtime::parseManifest({manifestText.data(), manifestText.size()});
  } catch (const runtime::ManifestError &error) {
    return message(error.what());
  }
  auto module = create(kernels, std::move(manifest), options);
  if (module && runtime::CpuChunks::create((*module)->manifest, lookup, user, (*module)->onCpu))
    return message(idc_last_error());
  return module;
}

llvm::Expected<std::unique_ptr<EmulatedModule>>
EmulatedModule::create(llvm::StringRef kernels, runtime::Manifest manifest, EmulatorOptions options) {
  manifest.target = "cpu"; // operands in host memory
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(*context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(kernels, context.get(), "kernels.gpu.mlir");
  if (!module)
    return message("the kernels cannot be parsed");
  llvm::Expected<Emulator> emulator = Emulator::create(*module, options);
  if (!emulator)
    return emulator.takeError();
  std::unique_ptr<EmulatedModule> result(
      new EmulatedModule(std::move(manifest), std::move(context), std::move(module), std::move(*emulator), options));
  for (const runtime::Pass &pass : result->manifest.passes) {
    llvm::Expected<std::unique_ptr<EmulatedModule>> own = create(kernels, pass.kernels, options);
    if (!own)
      return own.takeError();
    result->passes.push_back(std::move(*own));
  }
  return result;
}

/// What of an operand may be read: its elements, not what lies between them.
static void markElements(Buffer &buffer, const runtime::Operand &operand, int64_t bytes, int64_t batch) {
  for (int64_t problem = 0; problem < batch; ++problem)
    for (int64_t i = 0; i < operand.elements; ++i)
      std::fill_n(buffer.written.begin() + operand.place(problem, i) * bytes, bytes, 1);
}

/// The memory that a device's operands lie in.
void EmulatedModule::addBuffers(Device &device, int64_t batch, const std::string &where) const {
  const runtime::Operands &operands = device.operands;
  auto bufferAt = [&](const std::string &name, void *pointer, int64_t bytes, bool initialised, bool writable) {
    for (Buffer &buffer : device.buffers)
      if (buffer.data == pointer)
        return;
    if (bytes)
      device.buffers.emplace_back(name + where, static_cast<char *>(pointer), bytes, initialised, writable);
  };
  auto bytesOf = [&](const runtime::Operand &operand, size_t plane) {
    return (operand.offset + operand.reach(batch)) * operand.planes[plane].bytes;
  };
  for (const runtime::Operand &output : ofDevice.outputs)
    for (size_t k = 0; k < output.planes.size(); ++k)
      bufferAt("output '" + output.planes[k].name + "'", operands.outputs[size_t(output.firstPointer) + k],
               bytesOf(output, k), false, true);
  for (const runtime::Operand &input : ofDevice.inputs)
    for (size_t k = 0; k < input.planes.size(); ++k) {
      void *pointer = const_cast<void *>(operands.inputs[size_t(input.firstPointer) + k]);
      bufferAt("input '" + input.planes[k].name + "'", pointer, bytesOf(input, k), false, false);
      markElements(*llvm::find_if(device.buffers, [&](const Buffer &buffer) { return buffer.data == pointer; }), input,
                   input.planes[k].bytes, batch);
    }
  bufferAt("workspace", operands.workspace, ofDevice.workspaceBytes(batch), false, true);
  if (int64_t zeroed = ofDevice.workspaceZeroedBytes) {
    std::memset(operands.workspace, 0, static_cast<size_t>(zeroed));
    std::fill_n(device.buffers.back().written.begin(), zeroed, 1);
  }
}

struct EmulatedModule::Meetings {
  static constexpr int64_t limit = 30000; // milliseconds

  explicit Meetings(size_t devices) : words(devices, std::vector<uint64_t>(runtime::meetingWords(devices))) {
    reports.resize(devices);
    auto add = [](std::deque<Buffer> &buffers, const std::string &name, uint64_t *data, size_t count) {
      buffers.emplace_back(name, reinterpret_cast<char *>(data), static_cast<int64_t>(count * sizeof *data), true);
    };
    for (auto [number, own] : llvm::enumerate(words)) {
      own[runtime::limitWord(devices)] = limit * 1000000;
      const std::string device = "device " + std::to_string(number);
      add(onDevices, "meetings of " + device, own.data(), own.size());
      add(onHost, "report of " + device, &reports[number], 1);
    }
  }

  std::vector<std::vector<uint64_t>> words;
  std::vector<uint64_t> reports;
  std::deque<Buffer> onDevices, onHost;
};

/// A kernel's launch on device number `own`.
Launch EmulatedModule::launchOf(const runtime::Kernel &kernel, int64_t batch, std::deque<Device> &devices, size_t own,
                                Meetings &meetings) const {
  constexpr int64_t least = 2; // of what shares the work, so that something is shared
  Launch launch{kernel.blocks(batch), kernel.threads, kernel.sharedBytes, {}, kernel.cluster};
  if (kernel.persistent) {
    int64_t clusters = std::max<int64_t>(least, options.residentBlocks / kernel.cluster);
    launch.blocks = std::min(launch.blocks, clusters * kernel.cluster);
  }
  if (kernel.team > 1) {
    const int64_t held = options.heldBlocks ? options.heldBlocks : least * kernel.team;
    launch.blocks = std::min(launch.blocks, kernel.largestGrid(held));
    launch.allResident = true;
  }
  for (const runtime::Argument &argument : kernel.arguments) {
    Device &device = devices[argument.device < 0 ? own : size_t(argument.device)];
    char *pointer = static_cast<char *>(runtime::pointerFor(argument, batch, device.operands));
    switch (argument.kind) {
    case runtime::Argument::Kind::Batch:
      launch.arguments.push_back({nullptr, batch});
      break;
    case runtime::Argument::Kind::Device:
      launch.arguments.push_back(
          {nullptr, device.operands.peers ? device.operands.peers->device() : static_cast<int64_t>(own)});
      break;
    case runtime::Argument::Kind::Meeting:
      launch.arguments.push_back({&meetings.onDevices[size_t(argument.device)], 0});
      break;
    case runtime::Argument::Kind::Report:
      launch.arguments.push_back({&meetings.onHost[own], 0});
      break;
    case runtime::Argument::Kind::Launched:
      launch.arguments.push_back({nullptr, runtime::launchedNumber(ofDevice, batch)});
      break;
    case runtime::Argument::Kind::Scalar: {
      int64_t bits = 0;
      std::memcpy(&bits, pointer, static_cast<size_t>(argument.bytes));
      launch.arguments.push_back({nullptr, bits});
      break;
    }
    case runtime::Argument::Kind::Input:
    case runtime::Argument::Kind::Output:
    case runtime::Argument::Kind::Workspace:
      for (Buffer &buffer : device.buffers)
        if (pointer >= buffer.data && pointer < buffer.data + buffer.bytes) {
          launch.arguments.push_back({&buffer, pointer - buffer.data});
          break;
        }
      break;
    }
  }
  return launch;
}

idc_status EmulatedModule::run(int64_t batch, std::deque<Device> &devices) const {
  Meetings meetings(devices.size());
  auto finish = [&](llvm::Expected<std::vector<KernelReport>> reports) -> idc_status {
    if (!reports)
      return runtime::fail(IDC_ERROR_IMAGE, "%s", llvm::toString(reports.takeError()).c_str());
    const size_t before = finished.size();
    llvm::append_range(finished, std::move(*reports));
    for (const KernelReport &report : llvm::ArrayRef(finished).drop_front(before))
      if (!report.finished)
        return runtime::fail(IDC_ERROR_DRIVER, "a fault ended kernel '%s'", report.name.c_str());
    for (uint64_t report : meetings.reports)
      if (report)
        return runtime::fail(IDC_ERROR_GROUP, "%s",
                             runtime::Mark(report).text(ofDevice.symbol, Meetings::limit).c_str());
    return IDC_SUCCESS;
  };
  std::vector<std::vector<Emulator::OnStream>> streams(devices.size());
  auto launchAll = [&] {
    llvm::Expected<std::vector<KernelReport>> reports = emulator.runDevices(streams);
    for (std::vector<Emulator::OnStream> &stream : streams)
      stream.clear();
    return finish(std::move(reports));
  };
  const size_t count = ofDevice.kernels.size() * static_cast<size_t>(devices.size() > 1 ? options.launches : 1);
  for (size_t k = 0; k < count; ++k) {
    const runtime::Kernel &kernel = ofDevice.kernels[k % ofDevice.kernels.size()];
    // What one device does apart from what it has done before can be forgotten.
    if (devices.size() == 1 && !kernel.dependent && !streams.front().empty())
      if (idc_status status = launchAll())
        return status;
    for (size_t own = 0; own < devices.size(); ++own) {
      const Launch launch = launchOf(kernel, batch, devices, own, meetings);
      streams[own].push_back({launch.blocks < kernel.team ? kernel.anyGrid : kernel.name, launch, kernel.dependent});
    }
  }
  return launchAll();
}

idc_status EmulatedModule::launch(int64_t batch, const runtime::Operands &operands, void *) const {
  return runtime::guarded([&]() -> idc_status {
    if (!passes.empty())
      return launchPasses(batch, operands);
    if (ofDevice.devices > 1 && !operands.peers)
      return launchDevices(batch, operands);
    std::deque<Device> devices;
    devices.push_back({operands, {}});
    addBuffers(devices.back(), batch, "");
    return run(batch, devices);
  });
}

/// Memory of so many bytes that nothing has been written to, from a multiple of what pointers are aligned to on.
static char *alignedMemory(std::vector<char> &memory, int64_t bytes) {
  memory.assign(static_cast<size_t>(bytes) + IDC_POINTER_ALIGNMENT, '\xff');
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  return memory.data() + (IDC_POINTER_ALIGNMENT - address % IDC_POINTER_ALIGNMENT) % IDC_POINTER_ALIGNMENT;
}

idc_status EmulatedModule::launchPasses(int64_t batch, const runtime::Operands &operands) const {
  const int64_t bytes = runtime::deviceBytes(manifest);
  if (bytes > manifest.memoryBytes)
    return runtime::fail(IDC_ERROR_IMAGE,
                         "a chunk takes %lld bytes of the device's memory, more than the %lld there are",
                         static_cast<long long>(bytes), static_cast<long long>(manifest.memoryBytes));
  std::vector<char> memory;
  EmulatedQueues queues(
      manifest,
      [&](size_t pass, int64_t problems, const runtime::Operands &chunk) {
        return passes[pass]->launch(problems, chunk, nullptr);
      },
      options.seed);
  const idc_status status = runtime::runPasses(
      manifest, {{&queues, alignedMemory(memory, bytes), bytes}}, onCpu.get(), batch,
      {operands.inputs, operands.scalars, operands.outputs, operands.workspace, nullptr, 0, nullptr, nullptr});
  for (const std::unique_ptr<EmulatedModule> &pass : passes) {
    llvm::append_range(finished, std::move(pass->finished));
    pass->finished.clear();
  }
  return status;
}

idc_status EmulatedModule::launchDevices(int64_t batch, const runtime::Operands &operands) const {
  std::deque<Device> devices;
  struct Share {
    std::deque<std::vector<char>> arrays;
    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    char *add(int64_t bytes) { return alignedMemory(arrays.emplace_back(), bytes); }
  };
  std::deque<Share> shares(static_cast<size_t>(ofDevice.devices));
  for (auto [number, share] : llvm::enumerate(shares)) {
    const auto device = static_cast<int32_t>(number);
    for (const runtime::Operand &input : ofDevice.inputs) {
      char *array = share.add(batch * input.bytesPerProblem());
      runtime::takeShare(input, batch, device, static_cast<const char *>(operands.inputs[size_t(input.firstPointer)]),
                         array);
      share.inputs.push_back(array);
    }
    for (const runtime::Operand &output : ofDevice.outputs)
      share.outputs.push_back(share.add(batch * output.bytesPerProblem()));
    char *workspace = share.add(ofDevice.workspaceBytes(batch));
    devices.push_back({{share.inputs.data(), operands.scalars, share.outputs.data(), workspace}, {}});
    addBuffers(devices.back(), batch, " of device " + std::to_string(device));
  }
  if (idc_status status = run(batch, devices))
    return status;
  for (auto [number, share] : llvm::enumerate(shares))
    for (auto [output, array] : llvm::zip(ofDevice.outputs, share.outputs))
      runtime::putShare(output, batch, static_cast<int32_t>(number), static_cast<const char *>(array),
                        static_cast<char *>(operands.outputs[size_t(output.firstPointer)]));
  return IDC_SUCCESS;
}
