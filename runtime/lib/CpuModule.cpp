//===- CpuModule.cpp - modules of C functions -----------------------------===//

#include "CpuModule.h"

#include "Status.h"

#include <algorithm>
#include <numeric>
#include <optional>

using namespace idc::runtime;

namespace {

/// Threads of a launch by the calling thread; 0: all.
thread_local unsigned wantedThreads = 0;

} // namespace

CpuModule::CpuModule(Manifest read, std::vector<idc_cpu_kernel> found)
    : idc_module(std::move(read)), functions(std::move(found)), pool(WorkerPool::shared()) {
  auto note = [&](const std::vector<Operand> &side, std::vector<int64_t> &strides) {
    for (const Operand &operand : side) {
      problemBytes += operand.bytesPerProblem();
      for (const Plane &plane : operand.planes)
        strides.push_back(operand.batchStride * plane.bytes);
    }
  };
  note(manifest.inputs, inputStrides);
  note(manifest.outputs, outputStrides);
  for (const Kernel &kernel : manifest.kernels)
    problemsTogether = std::lcm(problemsTogether, kernel.problemsPerBlockGroup);
}

void CpuModule::point(const Kernel &kernel, int64_t first, int64_t batch, const Operands &operands, char *workspace,
                      void **pointers) const {
  for (const Argument &argument : kernel.arguments)
    switch (argument.kind) {
    case Argument::Kind::Input:
      *pointers++ = static_cast<char *>(const_cast<void *>(operands.inputs[argument.operand])) +
                    first * inputStrides[size_t(argument.operand)];
      break;
    case Argument::Kind::Output:
      *pointers++ =
          static_cast<char *>(operands.outputs[argument.operand]) + first * outputStrides[size_t(argument.operand)];
      break;
    case Argument::Kind::Scalar:
      *pointers++ = pointerFor(argument, batch, operands);
      break;
    case Argument::Kind::Workspace:
      *pointers++ = workspace + batch * argument.bytesPerProblem + argument.offset;
      break;
    case Argument::Kind::Batch:
    case Argument::Kind::Device: // of GPUs only
    case Argument::Kind::Meeting:
    case Argument::Kind::Report:
    case Argument::Kind::Launched:
      break;
    }
}

/// Every thread takes pieces of the batch, and each through all kernels: what one writes the next finds in the cache.
/// Each has its own part of the workspace.
void CpuModule::runPieces(int64_t batch, int64_t problems, unsigned threads, const Operands &operands) const {
  const int64_t pieces = (batch + problems - 1) / problems;
  pool->forEach(pieces, threads, [&](int64_t piece, unsigned member) {
    const int64_t first = piece * problems, count = std::min(problems, batch - first);
    char *workspace = static_cast<char *>(operands.workspace) + member * problems * manifest.workspaceBytesPerProblem;
    for (size_t k = 0; k < functions.size(); ++k) {
      const Kernel &kernel = manifest.kernels[k];
      void *pointers[maxKernelArguments];
      point(kernel, first, count, operands, workspace, pointers);
      functions[k](pointers, count, 0, kernel.blocks(count));
    }
  });
}

/// All threads share the blocks of a part of a kernel, and wait for each other between kernels.
void CpuModule::runKernels(int64_t batch, int64_t part, int64_t parts, unsigned threads,
                           const Operands &operands) const {
  for (size_t k = 0; k < functions.size(); ++k) {
    const Kernel &kernel = manifest.kernels[k];
    void *pointers[maxKernelArguments];
    point(kernel, 0, batch, operands, static_cast<char *>(operands.workspace), pointers);
    const int64_t blocks = kernel.blocks(batch) / parts, first = part * blocks;
    if (threads == 1 || blocks == 1) {
      functions[k](pointers, batch, first, first + blocks);
      continue;
    }
    // Several chunks per thread even out what the system takes from one of them.
    const int64_t chunks = std::min<int64_t>(blocks, 4 * threads);
    pool->forEach(chunks, threads, [&](int64_t chunk, unsigned) {
      functions[k](pointers, batch, first + blocks * chunk / chunks, first + blocks * (chunk + 1) / chunks);
    });
  }
}

idc_status CpuModule::launch(int64_t batch, const Operands &operands, void *) const {
  // Waking the workers costs tens of microseconds: as long as one core needs to stream through this much.
  constexpr double bytesWorthSharing = 256 << 10;
  // What a piece of the batch may take to stay in a core's second-level cache beside tables.
  constexpr int64_t pieceBytes = 256 << 10;
  unsigned threads = 1;
  if (double(problemBytes) * double(batch) >= bytesWorthSharing)
    threads = wantedThreads ? std::min(wantedThreads, pool->threads()) : pool->threads();
  if (functions.size() > 1 && batch > 1 && manifest.workspaceFixedBytes == 0) {
    const int64_t bytes = problemBytes + manifest.workspaceBytesPerProblem;
    int64_t problems = std::min(pieceBytes / std::max<int64_t>(1, bytes), batch / threads);
    problems = std::max<int64_t>(1, problems / problemsTogether) * problemsTogether;
    if (problems <= batch / threads && problems < batch) {
      runPieces(batch, problems, threads, operands);
      return IDC_SUCCESS;
    }
  }
  runKernels(batch, 0, 1, threads, operands);
  return IDC_SUCCESS;
}

void CpuModule::launchPart(int64_t part, int64_t parts, const Operands &operands) const {
  runKernels(1, part, parts, pool->threads(), operands);
}

idc_status CpuModule::create(Manifest manifest, idc_cpu_lookup lookup, void *user, std::unique_ptr<CpuModule> &module) {
  std::vector<idc_cpu_kernel> functions;
  for (const Kernel &kernel : manifest.kernels) {
    functions.push_back(lookup(kernel.name.c_str(), user));
    if (!functions.back())
      return fail(IDC_ERROR_IMAGE, "there is no function for the kernel '%s'", kernel.name.c_str());
  }
  module.reset(new CpuModule(std::move(manifest), std::move(functions)));
  return IDC_SUCCESS;
}

idc_status idc_cpu_threads(int32_t count) {
  if (count < 0)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "%d threads; it must be 0 for all, or more", int(count));
  wantedThreads = unsigned(count);
  return IDC_SUCCESS;
}

idc_status idc_cpu_module_create(const char *manifest_json, size_t manifest_bytes, idc_cpu_lookup lookup, void *user,
                                 idc_module **module) {
  if (!module)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'module' must not be null");
  *module = nullptr;
  if (!manifest_json || !lookup)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", lookup ? "manifest_json" : "lookup");
  return guarded([&]() -> idc_status {
    std::optional<Manifest> manifest;
    try {
      manifest = parseManifest({manifest_json, manifest_bytes});
    } catch (const ManifestError &error) {
      return fail(IDC_ERROR_MANIFEST, "%s", error.what());
    }
    if (!manifest->isCpu())
      return fail(IDC_ERROR_INVALID_ARGUMENT, "the manifest's target is '%s', not 'cpu'", manifest->target.c_str());
    std::unique_ptr<CpuModule> made;
    if (idc_status status = CpuModule::create(std::move(*manifest), lookup, user, made))
      return status;
    *module = made.release();
    return IDC_SUCCESS;
  });
}
