#include "compiler/emulator/EmulatedModule.h"

#include "compiler/emulator/Dialects.h"

#include "runtime/lib/Status.h"

#include "mlir/Parser/Parser.h"

#include <cstring>

using namespace idc;
using namespace idc::emulator;

static llvm::Error message(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

EmulatedModule::EmulatedModule(runtime::Manifest manifest, std::unique_ptr<mlir::MLIRContext> context,
                               mlir::OwningOpRef<mlir::ModuleOp> module, Emulator emulator, EmulatorOptions options)
    : idc_module(std::move(manifest)), context(std::move(context)), module(std::move(module)),
      emulator(std::move(emulator)), options(options) {}

llvm::Expected<std::unique_ptr<EmulatedModule>>
EmulatedModule::create(llvm::StringRef kernels, llvm::StringRef manifestText, EmulatorOptions options) {
  runtime::Manifest manifest;
  try {
    manifest = runtime::parseManifest({manifestText.data(), manifestText.size()});
  } catch (const runtime::ManifestError &error) {
    return message(error.what());
  }
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
  return std::unique_ptr<EmulatedModule>(
      new EmulatedModule(std::move(manifest), std::move(context), std::move(module), std::move(*emulator), options));
}

/// What of an operand may be read: its elements, not what lies between them.
static void markElements(Buffer &buffer, const runtime::Operand &operand, int64_t bytes, int64_t batch) {
  for (int64_t problem = 0; problem < batch; ++problem)
    for (int64_t i = 0; i < operand.elements; ++i)
      std::fill_n(buffer.written.begin() + operand.place(problem, i) * bytes, bytes, 1);
}

idc_status EmulatedModule::launch(int64_t batch, const runtime::Operands &operands, void *) const {
  return runtime::guarded([&]() -> idc_status {
    // One buffer per operand; an output may be an input as well.
    std::deque<Buffer> buffers;
    auto bufferAt = [&](const std::string &name, void *pointer, int64_t bytes, bool initialised, bool writable) {
      for (Buffer &buffer : buffers)
        if (buffer.data == pointer)
          return;
      if (bytes)
        buffers.emplace_back(name, static_cast<char *>(pointer), bytes, initialised, writable);
    };
    auto bytesOf = [&](const runtime::Operand &operand, size_t plane) {
      return (operand.offset + operand.reach(batch)) * operand.planes[plane].bytes;
    };
    for (const runtime::Operand &output : manifest.outputs)
      for (size_t k = 0; k < output.planes.size(); ++k)
        bufferAt("output '" + output.planes[k].name + "'", operands.outputs[size_t(output.firstPointer) + k],
                 bytesOf(output, k), false, true);
    for (const runtime::Operand &input : manifest.inputs)
      for (size_t k = 0; k < input.planes.size(); ++k) {
        void *pointer = const_cast<void *>(operands.inputs[size_t(input.firstPointer) + k]);
        bufferAt("input '" + input.planes[k].name + "'", pointer, bytesOf(input, k), false, false);
        markElements(*llvm::find_if(buffers, [&](const Buffer &buffer) { return buffer.data == pointer; }), input,
                     input.planes[k].bytes, batch);
      }
    bufferAt("workspace", operands.workspace, manifest.workspaceBytes(batch), false, true);
    if (int64_t zeroed = manifest.workspaceZeroedBytes) {
      std::memset(operands.workspace, 0, static_cast<size_t>(zeroed));
      std::fill_n(buffers.back().written.begin(), zeroed, 1);
    }
    auto launchOf = [&](const runtime::Kernel &kernel) {
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
        if (argument.kind == runtime::Argument::Kind::Batch) {
          launch.arguments.push_back({nullptr, batch});
          continue;
        }
        char *pointer = static_cast<char *>(runtime::pointerFor(argument, batch, operands));
        if (argument.kind == runtime::Argument::Kind::Scalar) {
          int64_t bits = 0;
          std::memcpy(&bits, pointer, static_cast<size_t>(argument.bytes));
          launch.arguments.push_back({nullptr, bits});
          continue;
        }
        for (Buffer &buffer : buffers)
          if (pointer >= buffer.data && pointer < buffer.data + buffer.bytes) {
            launch.arguments.push_back({&buffer, pointer - buffer.data});
            break;
          }
      }
      return launch;
    };
    const std::vector<runtime::Kernel> &kernels = manifest.kernels;
    for (size_t k = 0; k < kernels.size();) {
      std::vector<std::pair<std::string, Launch>> launches;
      do {
        const Launch launch = launchOf(kernels[k]);
        launches.emplace_back(launch.blocks < kernels[k].team ? kernels[k].anyGrid : kernels[k].name, launch);
        ++k;
      } while (k < kernels.size() && kernels[k].dependent);
      llvm::Expected<std::vector<KernelReport>> reports = emulator.runDependent(launches);
      if (!reports)
        return runtime::fail(IDC_ERROR_IMAGE, "%s", llvm::toString(reports.takeError()).c_str());
      llvm::append_range(finished, std::move(*reports));
      auto ended = llvm::find_if(llvm::ArrayRef(finished).take_back(launches.size()),
                                 [](const KernelReport &report) { return !report.finished; });
      if (ended != finished.data() + finished.size())
        return runtime::fail(IDC_ERROR_DRIVER, "a fault ended kernel '%s'", ended->name.c_str());
    }
    return IDC_SUCCESS;
  });
}
