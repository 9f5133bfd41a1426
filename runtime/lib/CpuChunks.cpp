//===- CpuChunks.cpp - the CPU's share of passes --------------------------===//

#include "CpuChunks.h"

#include "Shares.h"
#include "Status.h"

#include <algorithm>

using namespace idc::runtime;

/// Kernels that work on whole operands, with a chunk's part of the workspace.
static Manifest kernelsOf(const Pass &pass) {
  Manifest kernels = wholeOf(pass.cpu);
  kernels.workspaceBytesPerProblem = pass.cpu.workspaceBytesPerProblem;
  return kernels;
}

idc_status CpuChunks::create(const Manifest &manifest, idc_cpu_lookup lookup, void *user,
                             std::unique_ptr<CpuChunks> &chunks) {
  const auto hasShare = [](const Pass &pass) { return pass.cpuChunks > 0; };
  if (std::none_of(manifest.passes.begin(), manifest.passes.end(), hasShare))
    return IDC_SUCCESS;
  if (!lookup)
    return fail(IDC_ERROR_INVALID_ARGUMENT,
                "the CPU takes a share of %s: it is loaded with functions for it, by idc_host_module_load()",
                manifest.symbol.c_str());
  auto made = std::make_unique<CpuChunks>();
  for (const Pass &pass : manifest.passes) {
    made->passes.push_back({nullptr, pass.kernels.devices});
    if (hasShare(pass))
      if (idc_status status = CpuModule::create(kernelsOf(pass), lookup, user, made->passes.back().module))
        return status;
  }
  chunks = std::move(made);
  return IDC_SUCCESS;
}

CpuWork::CpuWork(int64_t count, std::function<void(int64_t)> act) : count(count), act(std::move(act)) {
  if (count == 0)
    return;
  thread = std::thread([this] {
    for (int64_t i = 0; i < this->count; ++i) {
      this->act(i);
      std::lock_guard<std::mutex> lock(mutex);
      ++done;
      changed.notify_all();
      if (isStopping)
        return;
    }
  });
}

CpuWork::~CpuWork() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  thread.join();
}

int64_t CpuWork::finished() {
  std::lock_guard<std::mutex> lock(mutex);
  return done;
}

int64_t CpuWork::finishedBeyond(int64_t pieces) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done > pieces || done == count; });
  return done;
}
