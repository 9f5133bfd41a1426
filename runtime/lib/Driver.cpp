//===- Driver.cpp - the CUDA driver, opened at run time -------------------===//

#include "Driver.h"
#include "Status.h"

#include <dlfcn.h>
#include <string>

namespace idc::runtime {

namespace {

/// The driver as found by the first use, or why there is none.
struct Opened {
  Driver driver{};
  idc_status status = IDC_SUCCESS;
  char detail[256] = ""; // no std::string: libraries are unloaded after the destructors of static objects

  Opened();

private:
  void reject(idc_status reason, const std::string &why) {
    status = reason;
    why.copy(detail, sizeof detail - 1);
  }
  template <typename Function> void load(void *library, Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function && status == IDC_SUCCESS)
      reject(IDC_ERROR_NO_DRIVER, std::string("no CUDA driver: libcuda.so.1 lacks ") + name);
  }
};

Opened::Opened() {
  // The library stays open until the process ends: modules may be unloaded late.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    reject(IDC_ERROR_NO_DRIVER, std::string("no CUDA driver: ") + (why ? why : "libcuda.so.1 cannot be opened"));
    return;
  }
  // The _v2 names are those behind the unversioned ones of the driver's header.
  load(library, driver.init, "cuInit");
  load(library, driver.getErrorName, "cuGetErrorName");
  load(library, driver.getErrorString, "cuGetErrorString");
  load(library, driver.deviceGetCount, "cuDeviceGetCount");
  load(library, driver.deviceGet, "cuDeviceGet");
  load(library, driver.deviceGetName, "cuDeviceGetName");
  load(library, driver.deviceGetAttribute, "cuDeviceGetAttribute");
  load(library, driver.primaryContextRetain, "cuDevicePrimaryCtxRetain");
  load(library, driver.contextGetCurrent, "cuCtxGetCurrent");
  load(library, driver.contextSetCurrent, "cuCtxSetCurrent");
  load(library, driver.contextPush, "cuCtxPushCurrent_v2");
  load(library, driver.contextPop, "cuCtxPopCurrent_v2");
  load(library, driver.contextGetDevice, "cuCtxGetDevice");
  load(library, driver.moduleLoad, "cuModuleLoadDataEx");
  load(library, driver.moduleUnload, "cuModuleUnload");
  load(library, driver.moduleGetFunction, "cuModuleGetFunction");
  load(library, driver.functionSetAttribute, "cuFuncSetAttribute");
  load(library, driver.launchKernel, "cuLaunchKernel");
  load(library, driver.occupancyBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  load(library, driver.memAlloc, "cuMemAlloc_v2");
  load(library, driver.memFree, "cuMemFree_v2");
  load(library, driver.memAllocHost, "cuMemAllocHost_v2");
  load(library, driver.memFreeHost, "cuMemFreeHost");
  load(library, driver.hostRegister, "cuMemHostRegister_v2");
  load(library, driver.hostUnregister, "cuMemHostUnregister");
  load(library, driver.copyToDevice, "cuMemcpyHtoDAsync_v2");
  load(library, driver.copyToHost, "cuMemcpyDtoHAsync_v2");
  load(library, driver.copyOnDevice, "cuMemcpyDtoDAsync_v2");
  load(library, driver.copyRectangle, "cuMemcpy2DAsync_v2");
  load(library, driver.setBytes, "cuMemsetD8Async");
  load(library, driver.pointerAttribute, "cuPointerGetAttribute");
  load(library, driver.addressRange, "cuMemGetAddressRange_v2");
  load(library, driver.canAccessPeer, "cuDeviceCanAccessPeer");
  load(library, driver.enablePeerAccess, "cuCtxEnablePeerAccess");
  load(library, driver.ipcGetHandle, "cuIpcGetMemHandle");
  load(library, driver.ipcOpenHandle, "cuIpcOpenMemHandle_v2");
  load(library, driver.ipcCloseHandle, "cuIpcCloseMemHandle");
  load(library, driver.streamCreate, "cuStreamCreate");
  load(library, driver.streamDestroy, "cuStreamDestroy_v2");
  load(library, driver.streamSynchronize, "cuStreamSynchronize");
  load(library, driver.eventCreate, "cuEventCreate");
  load(library, driver.eventDestroy, "cuEventDestroy_v2");
  load(library, driver.eventRecord, "cuEventRecord");
  load(library, driver.eventSynchronize, "cuEventSynchronize");
  load(library, driver.streamWaitEvent, "cuStreamWaitEvent");
  load(library, driver.eventElapsedTime, "cuEventElapsedTime");
  load(library, driver.streamIsCapturing, "cuStreamIsCapturing");
  load(library, driver.streamBeginCapture, "cuStreamBeginCapture_v2");
  load(library, driver.streamEndCapture, "cuStreamEndCapture");
  load(library, driver.graphInstantiate, "cuGraphInstantiateWithFlags");
  load(library, driver.graphDestroy, "cuGraphDestroy");
  load(library, driver.graphLaunch, "cuGraphLaunch");
  load(library, driver.graphExecDestroy, "cuGraphExecDestroy");
  if (status != IDC_SUCCESS)
    return;
  driver.launchKernelEx = reinterpret_cast<decltype(driver.launchKernelEx)>(dlsym(library, "cuLaunchKernelEx"));
  driver.occupancyClusters =
      reinterpret_cast<decltype(driver.occupancyClusters)>(dlsym(library, "cuOccupancyMaxActiveClusters"));

  CUresult result = driver.init(0);
  int count = 0;
  if (result == CUDA_SUCCESS)
    result = driver.deviceGetCount(&count);
  if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && count == 0))
    reject(IDC_ERROR_NO_DEVICE, "no CUDA device: the driver finds no GPU");
  else if (result != CUDA_SUCCESS)
    reject(IDC_ERROR_NO_DRIVER, "no CUDA driver: its initialisation returns error " + std::to_string(result));
}

} // namespace

idc_status Driver::get(const Driver *&driver) {
  static const Opened opened;
  driver = &opened.driver;
  return opened.status == IDC_SUCCESS ? IDC_SUCCESS : fail(opened.status, "%s", opened.detail);
}

idc_status Driver::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return IDC_SUCCESS;
  idc_status status = IDC_ERROR_DRIVER;
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    status = IDC_ERROR_OUT_OF_MEMORY;
    break;
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    status = IDC_ERROR_UNSUPPORTED;
    break;
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_NOT_FOUND:
    status = IDC_ERROR_IMAGE;
    break;
  }
  const char *name = nullptr, *description = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &description);
  return fail(status, "%s: %s: %s", what, name ? name : "unknown error", description ? description : "no description");
}

idc_status Driver::isCapturing(void *stream, bool &capturing) const {
  int state = 0;
  idc_status status =
      check(streamIsCapturing(static_cast<CUstream>(stream), &state), "asking whether the stream is capturing");
  capturing = state != 0;
  return status;
}

idc_status Driver::ensureContext() const {
  CUcontext current = nullptr;
  if (idc_status status = check(contextGetCurrent(&current), "reading the current context"))
    return status;
  if (current)
    return IDC_SUCCESS;
  // Retained once and kept: other parts of the process may come to rely on the primary context.
  struct Primary {
    CUcontext context = nullptr;
    CUresult result;
    explicit Primary(const Driver &driver) {
      CUdevice device = 0;
      result = driver.deviceGet(&device, 0);
      if (result == CUDA_SUCCESS)
        result = driver.primaryContextRetain(&context, device);
    }
  };
  static const Primary primary(*this);
  if (idc_status status = check(primary.result, "retaining the primary context of device 0"))
    return status;
  return check(contextSetCurrent(primary.context), "making the primary context current");
}

ContextScope::ContextScope(const Driver &driver, CUcontext context) : driver(driver) {
  CUcontext current = nullptr;
  result = driver.check(driver.contextGetCurrent(&current), "reading the current context");
  if (result == IDC_SUCCESS && current != context) {
    result = driver.check(driver.contextPush(context), "making the module's context current");
    pushed = result == IDC_SUCCESS;
  }
}

ContextScope::~ContextScope() {
  CUcontext popped;
  if (pushed)
    driver.contextPop(&popped);
}

} // namespace idc::runtime
