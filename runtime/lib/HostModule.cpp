//===- HostModule.cpp - modules whose data lie in the host's memory -------===//

#include "HostModule.h"
#include "Driver.h"
#include "Passes.h"
#include "Status.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace idc::runtime;

namespace {

/// Streams and events of a device.
class GpuQueues final : public Queues {
public:
  GpuQueues(const Driver &driver, const std::vector<std::unique_ptr<idc_module>> &passes)
      : driver(driver), passes(passes) {}
  ~GpuQueues() override {
    for (CUevent event : events)
      if (event)
        driver.eventDestroy(event);
    for (CUstream stream : streams)
      if (stream)
        driver.streamDestroy(stream);
  }

  idc_status create() {
    for (CUstream &stream : streams)
      if (idc_status status = driver.check(driver.streamCreate(&stream, CU_STREAM_NON_BLOCKING), "making a stream"))
        return status;
    for (CUevent &event : events)
      if (idc_status status = driver.check(driver.eventCreate(&event, CU_EVENT_DISABLE_TIMING), "making an event"))
        return status;
    return IDC_SUCCESS;
  }

  idc_status copyIn(void *device, const void *host, const Rectangle &rectangle) override {
    return copy({hostSide(host, rectangle), deviceSide(device, rectangle)}, rectangle, In);
  }
  idc_status copyOut(void *host, const void *device, const Rectangle &rectangle) override {
    return copy({deviceSide(device, rectangle), hostSide(host, rectangle)}, rectangle, Out);
  }
  idc_status launch(size_t pass, int64_t batch, const Operands &operands) override {
    return passes[pass]->launch(batch, operands, streams[Kernels]);
  }
  idc_status record(Queue queue, size_t event) override {
    return driver.check(driver.eventRecord(eventOf(queue, event), streams[queue]), "recording an event");
  }
  idc_status wait(Queue queue, Queue other, size_t event) override {
    return driver.check(driver.streamWaitEvent(streams[queue], eventOf(other, event), 0), "waiting for an event");
  }
  idc_status finish(Queue queue, size_t event) override {
    return driver.check(driver.eventSynchronize(eventOf(queue, event)), "working on a chunk");
  }
  idc_status finishAll() override {
    idc_status first = IDC_SUCCESS;
    for (CUstream stream : streams)
      if (idc_status status = driver.check(driver.streamSynchronize(stream), "working on a chunk"); status && !first)
        first = status;
    return first;
  }

private:
  struct Sides {
    CUmemcpy2D::Side from, to;
  };
  static CUmemcpy2D::Side hostSide(const void *pointer, const Rectangle &rectangle) {
    return {0, 0, CU_MEMORYTYPE_HOST, pointer, 0, nullptr, size_t(rectangle.rows > 1 ? rectangle.pitch : 0)};
  }
  static CUmemcpy2D::Side deviceSide(const void *pointer, const Rectangle &rectangle) {
    return {0,
            0,
            CU_MEMORYTYPE_DEVICE,
            nullptr,
            reinterpret_cast<CUdeviceptr>(pointer),
            nullptr,
            size_t(rectangle.rows > 1 ? rectangle.width : 0)};
  }

  idc_status copy(Sides sides, const Rectangle &rectangle, Queue queue) {
    const char *what = queue == In ? "copying to the device" : "copying from the device";
    constexpr int64_t mostPitch = (int64_t(1) << 31) - 1; // that the driver takes
    if (rectangle.rows > 1 && rectangle.pitch <= mostPitch) {
      const CUmemcpy2D all{sides.from, sides.to, size_t(rectangle.width), size_t(rectangle.rows)};
      return driver.check(driver.copyRectangle(&all, streams[queue]), what);
    }
    for (int64_t row = 0; row < rectangle.rows; ++row) {
      const int64_t host = row * rectangle.pitch, device = row * rectangle.width;
      CUresult result = queue == In ? driver.copyToDevice(sides.to.device + uint64_t(device),
                                                          static_cast<const char *>(sides.from.host) + host,
                                                          size_t(rectangle.width), streams[queue])
                                    : driver.copyToHost(static_cast<char *>(const_cast<void *>(sides.to.host)) + host,
                                                        sides.from.device + uint64_t(device), size_t(rectangle.width),
                                                        streams[queue]);
      if (idc_status status = driver.check(result, what))
        return status;
    }
    return IDC_SUCCESS;
  }

  CUevent &eventOf(Queue queue, size_t event) { return events[size_t(queue) * eventsOfQueue + event]; }

  const Driver &driver;
  const std::vector<std::unique_ptr<idc_module>> &passes;
  CUstream streams[queues] = {};
  CUevent events[queues * eventsOfQueue] = {};
};

/// The passes of a host program as modules of their own.
struct HostModule final : idc_module {
  HostModule(Manifest manifest, const Driver &driver) : idc_module(std::move(manifest)), driver(driver) {}

  idc_status load(const std::string &image) {
    for (const Pass &pass : manifest.passes) {
      passes.emplace_back();
      if (idc_status status = loadGpuModule(image, pass.kernels, driver, passes.back()))
        return status;
    }
    return driver.check(driver.contextGetCurrent(&context), "reading the current context");
  }

  idc_status launch(int64_t batch, const Operands &operands, void *stream) const override {
    idc_host_call call{operands.inputs, operands.scalars, operands.outputs, operands.workspace, nullptr, 0,
                       nullptr,         nullptr};
    if (operands.host)
      call = *operands.host;
    return guarded([&]() -> idc_status {
      ContextScope scope(driver, context);
      if (scope.status())
        return scope.status();
      if (idc_status status = driver.check(driver.streamSynchronize(static_cast<CUstream>(stream)),
                                           "waiting for what was enqueued before"))
        return status;
      GpuQueues queues(driver, passes);
      if (idc_status status = queues.create())
        return status;
      CUdeviceptr own = 0;
      if (!call.memory) {
        call.memory_bytes = std::max(deviceBytes(manifest), manifest.memoryBytes);
        if (idc_status status = driver.check(driver.memAlloc(&own, size_t(call.memory_bytes)), "allocating memory"))
          return status;
        call.memory = reinterpret_cast<void *>(own);
      }
      const idc_status status = runPasses(manifest, queues, batch, call);
      if (own)
        driver.memFree(own);
      return status;
    });
  }

private:
  const Driver &driver;
  CUcontext context = nullptr;
  std::vector<std::unique_ptr<idc_module>> passes;
};

} // namespace

idc_status idc::runtime::loadHostModule(const std::string &image, Manifest manifest, const Driver &driver,
                                        std::unique_ptr<idc_module> &module) {
  auto loaded = std::make_unique<HostModule>(std::move(manifest), driver);
  if (idc_status status = loaded->load(image))
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
  if (!module || !call)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", module ? "call" : "module");
  int64_t least = 0;
  if (idc_status status = idc_host_memory_size(module, &least))
    return status;
  if (call->memory && call->memory_bytes < least)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "there are %lld bytes of memory on the device, %lld are needed",
                static_cast<long long>(call->memory_bytes), static_cast<long long>(least));
  return launchChecked(module, batch, {call->inputs, call->scalars, call->outputs, call->workspace, nullptr, call},
                       stream);
}
