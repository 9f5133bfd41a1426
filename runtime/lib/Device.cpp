//===- Device.cpp - device memory, streams and timing ---------------------===//

#include "Driver.h"
#include "Status.h"

using namespace idc::runtime;

/// Runs `body` with the driver and a current context.
template <typename Body> static idc_status withDevice(Body body) {
  return guarded([&] {
    const Driver *driver = nullptr;
    if (idc_status status = Driver::get(driver))
      return status;
    if (idc_status status = driver->ensureContext())
      return status;
    return body(*driver);
  });
}

static CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

static idc_status nullArgument(const char *name) {
  return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", name);
}

idc_status idc_device_available(void) {
  return guarded([] {
    const Driver *driver = nullptr;
    return Driver::get(driver);
  });
}

int32_t idc_device_count(void) {
  int count = 0;
  guarded([&] {
    const Driver *driver = nullptr;
    if (idc_status status = Driver::get(driver))
      return status;
    return driver->check(driver->deviceGetCount(&count), "counting devices");
  });
  return count;
}

idc_status idc_device_use(int32_t device) {
  return guarded([&] {
    const Driver *driver = nullptr;
    if (idc_status status = Driver::get(driver))
      return status;
    CUdevice handle = 0;
    CUcontext context = nullptr;
    if (idc_status status = driver->check(driver->deviceGet(&handle, device), "finding a device"))
      return status;
    if (idc_status status = driver->check(driver->primaryContextRetain(&context, handle), "using a device"))
      return status;
    return driver->check(driver->contextSetCurrent(context), "using a device");
  });
}

void *idc_stream_for(const void *pointer, void *stream) {
  bool onDevice = false;
  withDevice([&](const Driver &driver) {
    // The driver refuses pointers that it does not know: ordinary memory of the host.
    unsigned type = 0, managed = 0;
    onDevice = driver.pointerAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(pointer)) == CUDA_SUCCESS &&
               (type == CU_MEMORYTYPE_DEVICE ||
                (driver.pointerAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address(pointer)) == CUDA_SUCCESS &&
                 managed));
    return IDC_SUCCESS;
  });
  return onDevice ? stream : IDC_CPU;
}

idc_status idc_device_name(char *name, size_t capacity) {
  if (!name || capacity == 0)
    return nullArgument("name");
  return withDevice([&](const Driver &driver) {
    CUdevice device = 0;
    if (idc_status status = driver.check(driver.contextGetDevice(&device), "finding the current device"))
      return status;
    return driver.check(driver.deviceGetName(name, int(capacity < 4096 ? capacity : 4096), device),
                        "reading the device's name");
  });
}

/// Reads a number that the device of the current context has.
static idc_status readAttribute(const Driver &driver, int attribute, int &value, const char *what) {
  CUdevice device = 0;
  if (idc_status status = driver.check(driver.contextGetDevice(&device), "finding the current device"))
    return status;
  return driver.check(driver.deviceGetAttribute(&value, attribute, device), what);
}

idc_status idc_device_capability(int32_t *major, int32_t *minor) {
  if (!major || !minor)
    return nullArgument(major ? "minor" : "major");
  return withDevice([&](const Driver &driver) {
    const char *what = "reading the compute capability";
    if (idc_status status = readAttribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, *major, what))
      return status;
    return readAttribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, *minor, what);
  });
}

idc_status idc_device_l2_bytes(int64_t *bytes) {
  if (!bytes)
    return nullArgument("bytes");
  return withDevice([&](const Driver &driver) {
    int value = 0;
    idc_status status =
        readAttribute(driver, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, value, "reading the size of the level-2 cache");
    *bytes = value;
    return status;
  });
}

idc_status idc_device_alloc(size_t bytes, void **pointer) {
  if (!pointer)
    return nullArgument("pointer");
  *pointer = nullptr;
  if (bytes == 0)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "an allocation must have at least 1 byte");
  return withDevice([&](const Driver &driver) {
    CUdeviceptr allocated = 0;
    if (idc_status status = driver.check(driver.memAlloc(&allocated, bytes), "allocating device memory"))
      return status;
    *pointer = reinterpret_cast<void *>(allocated);
    return IDC_SUCCESS;
  });
}

idc_status idc_device_free(void *pointer) {
  if (!pointer)
    return IDC_SUCCESS;
  return withDevice(
      [&](const Driver &driver) { return driver.check(driver.memFree(address(pointer)), "freeing device memory"); });
}

idc_status idc_device_upload(void *device, const void *host, size_t bytes, void *stream) {
  if (bytes && (!device || !host))
    return nullArgument(device ? "host" : "device");
  return withDevice([&](const Driver &driver) {
    CUstream on = static_cast<CUstream>(stream);
    if (idc_status status =
            driver.check(driver.copyToDevice(address(device), host, bytes, on), "copying to the device"))
      return status;
    return driver.check(driver.streamSynchronize(on), "copying to the device");
  });
}

idc_status idc_device_download(void *host, const void *device, size_t bytes, void *stream) {
  if (bytes && (!device || !host))
    return nullArgument(device ? "host" : "device");
  return withDevice([&](const Driver &driver) {
    CUstream on = static_cast<CUstream>(stream);
    if (idc_status status =
            driver.check(driver.copyToHost(host, address(device), bytes, on), "copying from the device"))
      return status;
    return driver.check(driver.streamSynchronize(on), "copying from the device");
  });
}

idc_status idc_device_copy(void *to, const void *from, size_t bytes, void *stream) {
  if (bytes && (!to || !from))
    return nullArgument(to ? "from" : "to");
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.copyOnDevice(address(to), address(from), bytes, static_cast<CUstream>(stream)),
                        "copying on the device");
  });
}

idc_status idc_stream_create(void **stream) {
  if (!stream)
    return nullArgument("stream");
  *stream = nullptr;
  return withDevice([&](const Driver &driver) {
    CUstream created = nullptr;
    idc_status status = driver.check(driver.streamCreate(&created, CU_STREAM_NON_BLOCKING), "creating a stream");
    *stream = created;
    return status;
  });
}

idc_status idc_stream_destroy(void *stream) {
  if (!stream)
    return IDC_SUCCESS;
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.streamDestroy(static_cast<CUstream>(stream)), "destroying a stream");
  });
}

idc_status idc_stream_synchronize(void *stream) {
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.streamSynchronize(static_cast<CUstream>(stream)), "waiting for a stream");
  });
}

idc_status idc_graph_begin(void *stream) {
  if (!stream)
    return nullArgument("stream");
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.streamBeginCapture(static_cast<CUstream>(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                        "recording a graph");
  });
}

idc_status idc_graph_end(void *stream, void **graph) {
  if (!stream || !graph)
    return nullArgument(stream ? "graph" : "stream");
  *graph = nullptr;
  return withDevice([&](const Driver &driver) {
    CUgraph recorded = nullptr;
    if (idc_status status =
            driver.check(driver.streamEndCapture(static_cast<CUstream>(stream), &recorded), "recording a graph"))
      return status;
    CUgraphExec executable = nullptr;
    idc_status status = driver.check(driver.graphInstantiate(&executable, recorded, 0), "making a graph");
    driver.graphDestroy(recorded);
    *graph = executable;
    return status;
  });
}

idc_status idc_graph_launch(void *graph, void *stream) {
  if (!graph)
    return nullArgument("graph");
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.graphLaunch(static_cast<CUgraphExec>(graph), static_cast<CUstream>(stream)),
                        "launching a graph");
  });
}

idc_status idc_graph_destroy(void *graph) {
  if (!graph)
    return IDC_SUCCESS;
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.graphExecDestroy(static_cast<CUgraphExec>(graph)), "destroying a graph");
  });
}

idc_status idc_event_create(void **event) {
  if (!event)
    return nullArgument("event");
  *event = nullptr;
  return withDevice([&](const Driver &driver) {
    CUevent created = nullptr;
    idc_status status = driver.check(driver.eventCreate(&created, CU_EVENT_DEFAULT), "creating an event");
    *event = created;
    return status;
  });
}

idc_status idc_event_destroy(void *event) {
  if (!event)
    return IDC_SUCCESS;
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.eventDestroy(static_cast<CUevent>(event)), "destroying an event");
  });
}

idc_status idc_event_record(void *event, void *stream) {
  if (!event)
    return nullArgument("event");
  return withDevice([&](const Driver &driver) {
    return driver.check(driver.eventRecord(static_cast<CUevent>(event), static_cast<CUstream>(stream)),
                        "recording an event");
  });
}

idc_status idc_event_seconds(void *begin, void *end, double *seconds) {
  if (!begin || !end || !seconds)
    return nullArgument(!begin ? "begin" : !end ? "end" : "seconds");
  return withDevice([&](const Driver &driver) {
    float milliseconds = 0;
    if (idc_status status = driver.check(driver.eventSynchronize(static_cast<CUevent>(end)), "waiting for an event"))
      return status;
    idc_status status =
        driver.check(driver.eventElapsedTime(&milliseconds, static_cast<CUevent>(begin), static_cast<CUevent>(end)),
                     "reading the time between events");
    *seconds = double(milliseconds) * 1e-3;
    return status;
  });
}
