//===- HostModule.cpp - modules whose data lie in the host's memory -------===//

#include "HostModule.h"
#include "CopyLane.h"
#include "Driver.h"
#include "PageLock.h"
#include "Passes.h"
#include "Status.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace idc::runtime;

namespace {

/// Streams and events of a device. Copies are issued by threads of their own, kernels by the caller's, which waits
/// until what a stream is to wait for has been issued.
class GpuQueues final : public Queues {
public:
  GpuQueues(const Driver &driver, CUcontext context, const std::vector<std::unique_ptr<idc_module>> &passes)
      : driver(driver), passes(passes), in(driver, context, CopyLane::Way::In),
        out(driver, context, CopyLane::Way::Out) {}
  ~GpuQueues() override {
    if (!kernels) // and nothing was issued; the driver's default stream is the caller's
      return;
    (void)finishAll();
    for (CUevent event : events)
      if (event)
        driver.eventDestroy(event);
    driver.streamDestroy(kernels);
  }

  idc_status create() {
    if (idc_status status = driver.check(driver.streamCreate(&kernels, CU_STREAM_NON_BLOCKING), "making a stream"))
      return status;
    for (CUevent &event : events)
      if (idc_status status = driver.check(driver.eventCreate(&event, CU_EVENT_DISABLE_TIMING), "making an event"))
        return status;
    if (idc_status status = in.create())
      return status;
    return out.create();
  }

  idc_status copyIn(void *device, const void *host, const Rectangle &rectangle) override {
    in.copy(const_cast<void *>(host), device, rectangle);
    return IDC_SUCCESS;
  }
  idc_status copyOut(void *host, const void *device, const Rectangle &rectangle) override {
    out.copy(host, const_cast<void *>(device), rectangle);
    return IDC_SUCCESS;
  }
  idc_status launch(size_t pass, int64_t batch, const Operands &operands) override {
    return passes[pass]->launch(batch, operands, kernels);
  }
  idc_status record(Queue queue, size_t event) override {
    auto act = [this, own = eventOf(queue, event)](CUstream stream) {
      return driver.check(driver.eventRecord(own, stream), "recording an event");
    };
    if (queue == Kernels)
      return act(kernels);
    recorded[queue][event] = laneOf(queue).add(act);
    return IDC_SUCCESS;
  }
  idc_status wait(Queue queue, Queue other, size_t event) override {
    if (idc_status status = issued(other, event))
      return status;
    auto act = [this, own = eventOf(other, event)](CUstream stream) {
      return driver.check(driver.streamWaitEvent(stream, own, 0), "waiting for an event");
    };
    if (queue == Kernels)
      return act(kernels);
    laneOf(queue).add(act);
    return IDC_SUCCESS;
  }
  idc_status finish(Queue queue, size_t event) override {
    if (idc_status status = issued(queue, event))
      return status;
    return driver.check(driver.eventSynchronize(eventOf(queue, event)), "working on a chunk");
  }
  idc_status finishAll() override {
    idc_status first = IDC_SUCCESS;
    std::string message;
    auto note = [&](idc_status status) {
      if (status && !first) {
        first = status;
        message = idc_last_error();
      }
    };
    for (CopyLane *lane : {&in, &out})
      note(lane->drain());
    for (CopyLane *lane : {&in, &out})
      note(lane->synchronize());
    note(driver.check(driver.streamSynchronize(kernels), "working on a chunk"));
    return first ? fail(first, "%s", message.c_str()) : IDC_SUCCESS;
  }

private:
  /// Returns when an event's record has been put on its stream: who waits for it before waits for nothing.
  idc_status issued(Queue queue, size_t event) {
    return queue == Kernels ? IDC_SUCCESS : laneOf(queue).waitFor(recorded[queue][event]);
  }
  CopyLane &laneOf(Queue queue) { return queue == In ? in : out; }
  CUevent &eventOf(Queue queue, size_t event) { return events[size_t(queue) * eventsOfQueue + event]; }

  const Driver &driver;
  const std::vector<std::unique_ptr<idc_module>> &passes;
  CUstream kernels = nullptr;
  CUevent events[queues * eventsOfQueue] = {};
  int64_t recorded[queues][eventsOfQueue] = {}; // the numbers of the lanes' work that records them
  CopyLane in, out;
};

/// The passes of a host program as modules of their own.
struct HostModule final : idc_module {
  HostModule(Manifest manifest, const Driver &driver) : idc_module(std::move(manifest)), driver(driver) {}

  idc_status load(const std::string &image, idc_cpu_lookup lookup, void *user) {
    if (idc_status status = CpuChunks::create(manifest, lookup, user, onCpu))
      return status;
    for (const Pass &pass : manifest.passes) {
      passes.emplace_back();
      if (idc_status status = loadGpuModule(image, pass.kernels, driver, passes.back()))
        return status;
    }
    return driver.check(driver.contextGetCurrent(&context), "reading the current context");
  }

  idc_status launch(int64_t batch, const Operands &operands, void *stream) const override {
    const idc_host_call own{operands.inputs, operands.scalars, operands.outputs, operands.workspace, nullptr, 0,
                            nullptr,         nullptr};
    const idc_module *module = this;
    const HostLaunch alone{1, &module, &own, &stream};
    return guarded([&] { return launchOn(operands.host ? *operands.host : alone, batch); });
  }

private:
  /// What a GPU has during a launch.
  struct Part {
    Part(const HostModule &module) : module(module), queues(module.driver, module.context, module.passes) {}
    ~Part() {
      if (!own)
        return;
      ContextScope scope(module.driver, module.context);
      module.driver.memFree(own);
    }
    Part(const Part &) = delete;

    /// Waits for the stream, and allocates memory where there is none.
    idc_status prepare(void *stream, const idc_host_call &call) {
      const Driver &driver = module.driver;
      ContextScope scope(driver, module.context);
      if (scope.status())
        return scope.status();
      bool capturing = false;
      if (idc_status status = driver.isCapturing(stream, capturing))
        return status;
      if (capturing)
        return fail(IDC_ERROR_UNSUPPORTED, "the stream is capturing a graph: data of the host's memory pass during the "
                                           "call, and no graph repeats that");
      if (idc_status status = driver.check(driver.streamSynchronize(static_cast<CUstream>(stream)),
                                           "waiting for what was enqueued before"))
        return status;
      if (idc_status status = queues.create())
        return status;
      device = {&queues, call.memory, call.memory_bytes};
      if (device.memory)
        return IDC_SUCCESS;
      device.memoryBytes = std::max(deviceBytes(module.manifest), module.manifest.memoryBytes);
      if (idc_status status = driver.check(driver.memAlloc(&own, size_t(device.memoryBytes)), "allocating memory"))
        return status;
      device.memory = reinterpret_cast<void *>(own);
      return IDC_SUCCESS;
    }

    const HostModule &module;
    GpuQueues queues;
    ChunkDevice device = {};
    CUdeviceptr own = 0;
  };

  idc_status launchOn(const HostLaunch &launch, int64_t batch) const {
    std::deque<Part> parts;
    std::vector<ChunkDevice> devices;
    for (int32_t k = 0; k < launch.count; ++k) {
      parts.emplace_back(static_cast<const HostModule &>(*launch.modules[k]));
      if (idc_status status = parts.back().prepare(launch.streams ? launch.streams[k] : nullptr, launch.calls[k]))
        return status;
      devices.push_back(parts.back().device);
    }
    ContextScope scope(driver, context);
    if (scope.status())
      return scope.status();
    PageLock lock(driver);
    addReached(lock, batch, launch.calls[0]);
    if (idc_status status = lock.lock())
      return status;
    return runPasses(manifest, devices, onCpu.get(), batch, launch.calls[0]);
  }

  /// Notes the arrays of a call that kernels reach where these lie.
  void addReached(PageLock &lock, int64_t batch, const idc_host_call &call) const {
    auto add = [&](const HostPlace &place) {
      const auto number = size_t(place.operand);
      if (!place.isReached)
        return;
      if (place.kind == HostPlace::Kind::Workspace)
        lock.add(call.workspace, manifest.workspaceBytes(batch));
      else if (place.kind == HostPlace::Kind::Input)
        lock.add(call.inputs[number], batch * manifest.inputs[number].bytesPerProblem());
      else
        lock.add(call.outputs[number], batch * manifest.outputs[number].bytesPerProblem());
    };
    for (const Pass &pass : manifest.passes) {
      std::for_each(pass.inputs.begin(), pass.inputs.end(), add);
      std::for_each(pass.outputs.begin(), pass.outputs.end(), add);
    }
  }

  const Driver &driver;
  CUcontext context = nullptr;
  std::vector<std::unique_ptr<idc_module>> passes;
  std::unique_ptr<CpuChunks> onCpu;
};

} // namespace

idc_status idc::runtime::loadHostModule(const std::string &image, Manifest manifest, const Driver &driver,
                                        idc_cpu_lookup lookup, void *user, std::unique_ptr<idc_module> &module) {
  auto loaded = std::make_unique<HostModule>(std::move(manifest), driver);
  if (idc_status status = loaded->load(image, lookup, user))
    return status;
  module = std::move(loaded);
  return IDC_SUCCESS;
}

int32_t idc_module_is_host(const idc_module *module) { return module && module->manifest.memoryBytes > 0; }

idc_status idc_host_memory_size(const idc_module *module, int64_t *bytes) {
  if (!module || !bytes)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", module ? "bytes" : "module");
  if (!idc_module_is_host(module))
    return fail(IDC_ERROR_INVALID_ARGUMENT, "the module's data do not lie in the host's memory");
  *bytes = deviceBytes(module->manifest);
  return IDC_SUCCESS;
}

idc_status idc_host_launch(const idc_module *module, int64_t batch, const idc_host_call *call, void *stream) {
  return idc_host_launch_on(1, &module, batch, call, &stream);
}

idc_status idc_host_launch_on(int32_t count, const idc_module *const *modules, int64_t batch,
                              const idc_host_call *calls, void *const *streams) {
  if (!modules || !calls)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", modules ? "calls" : "modules");
  if (count < 1)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "a launch is on 1 GPU or more, not %d", int(count));
  for (int32_t k = 0; k < count; ++k) {
    int64_t least = 0;
    if (idc_status status = idc_host_memory_size(modules[k], &least))
      return status;
    if (modules[k]->manifest.symbol != modules[0]->manifest.symbol ||
        modules[k]->manifest.memoryBytes != modules[0]->manifest.memoryBytes)
      return fail(IDC_ERROR_INVALID_ARGUMENT, "modules 0 and %d are of different programs", int(k));
    if (calls[k].memory && calls[k].memory_bytes < least)
      return fail(IDC_ERROR_INVALID_ARGUMENT, "there are %lld bytes of memory on the device, %lld are needed",
                  static_cast<long long>(calls[k].memory_bytes), static_cast<long long>(least));
  }
  const HostLaunch launch{count, modules, calls, streams};
  const idc_host_call &call = calls[0];
  return launchChecked(modules[0], batch, {call.inputs, call.scalars, call.outputs, call.workspace, nullptr, &launch},
                       nullptr);
}
