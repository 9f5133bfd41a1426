//===- CpuModule.cpp - modules of C functions -----------------------------===//

#include "Module.h"
#include "Status.h"
#include "WorkerPool.h"

#include <algorithm>
#include <memory>
#include <optional>

using namespace idc::runtime;

namespace {

struct CpuModule final : idc_module {
  CpuModule(Manifest manifest, std::vector<idc_cpu_kernel> functions)
      : idc_module(std::move(manifest)), functions(std::move(functions)), pool(WorkerPool::shared()) {}

  idc_status launch(int64_t batch, const Operands &operands, void *stream) const override;

private:
  std::vector<idc_cpu_kernel> functions; // one per kernel of the manifest
  std::shared_ptr<WorkerPool> pool;
};

idc_status CpuModule::launch(int64_t batch, const Operands &operands, void *) const {
  // Waking the workers costs tens of microseconds: as long as one core needs to stream through this much.
  constexpr double bytesWorthSharing = 256 << 10;
  double bytes = 0;
  for (const std::vector<Operand> *side : {&manifest.inputs, &manifest.outputs})
    for (const Operand &operand : *side)
      bytes += double(operand.bytesPerProblem()) * double(batch);

  for (size_t k = 0; k < functions.size(); ++k) {
    const Kernel &kernel = manifest.kernels[k];
    void *pointers[maxKernelArguments];
    size_t count = 0;
    for (const Argument &argument : kernel.arguments)
      if (argument.kind != Argument::Kind::Batch)
        pointers[count++] = pointerFor(argument, batch, operands);
    int64_t blocks = kernel.blocks(batch);
    // Several chunks per thread even out what the system takes from one of them.
    int64_t chunks = bytes < bytesWorthSharing ? 1 : std::min<int64_t>(blocks, 4 * pool->threads());
    pool->forEach(chunks, [&](int64_t chunk) {
      functions[k](pointers, batch, blocks * chunk / chunks, blocks * (chunk + 1) / chunks);
    });
  }
  return IDC_SUCCESS;
}

} // namespace

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
    std::vector<idc_cpu_kernel> functions;
    for (const Kernel &kernel : manifest->kernels) {
      functions.push_back(lookup(kernel.name.c_str(), user));
      if (!functions.back())
        return fail(IDC_ERROR_IMAGE, "there is no function for the kernel '%s'", kernel.name.c_str());
    }
    *module = new CpuModule(std::move(*manifest), std::move(functions));
    return IDC_SUCCESS;
  });
}
