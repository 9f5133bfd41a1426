//===- Driver.h - the CUDA driver, opened at run time -----------*- C++ -*-===//
//
// Declares the few driver functions, constants and structures the runtime uses, with the driver's binary interface, so
// that no CUDA header is needed to build and no driver to start.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_LIB_DRIVER_H
#define IDC_RUNTIME_LIB_DRIVER_H

#include "idc/runtime.h"

#include <cstddef>
#include <cstdint>

namespace idc::runtime {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
};
enum : int {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1,
};
struct CUipcMemHandle {
  char bytes[64];
};
enum : unsigned {
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_MEMHOSTREGISTER_ALL = 3, // for all contexts, and in the devices' address spaces
};

struct CUmemcpy2D {
  struct Side {
    size_t x = 0, y = 0;
    int type = 0; // CU_MEMORYTYPE_HOST or CU_MEMORYTYPE_DEVICE
    const void *host = nullptr;
    CUdeviceptr device = 0;
    void *array = nullptr;
    size_t pitch = 0;
  } from, to;
  size_t width = 0, rows = 0;
};
static_assert(sizeof(CUmemcpy2D) == 128, "the driver's layout");

struct CUlaunchAttribute {
  enum Id : unsigned { Cooperative = 2, ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };
  Id id;
  unsigned pad = 0;
  union {
    char space[64];
    int flag; // Cooperative, ProgrammaticStreamSerialization
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value;
};
static_assert(sizeof(CUlaunchAttribute) == 72, "the driver's layout");

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(CUlaunchConfig) == 56, "the driver's layout");

/// The functions of the driver. Each pointer is set when get() succeeds, except the last two.
struct Driver {
  CUresult (*init)(unsigned flags);
  CUresult (*getErrorName)(CUresult, const char **);
  CUresult (*getErrorString)(CUresult, const char **);
  CUresult (*deviceGetCount)(int *);
  CUresult (*deviceGet)(CUdevice *, int ordinal);
  CUresult (*deviceGetName)(char *, int capacity, CUdevice);
  CUresult (*deviceGetAttribute)(int *, int attribute, CUdevice);
  CUresult (*primaryContextRetain)(CUcontext *, CUdevice);
  CUresult (*contextGetCurrent)(CUcontext *);
  CUresult (*contextSetCurrent)(CUcontext);
  CUresult (*contextPush)(CUcontext);
  CUresult (*contextPop)(CUcontext *);
  CUresult (*contextGetDevice)(CUdevice *);
  CUresult (*moduleLoad)(CUmodule *, const void *image, unsigned numOptions, int *options, void **values);
  CUresult (*moduleUnload)(CUmodule);
  CUresult (*moduleGetFunction)(CUfunction *, CUmodule, const char *name);
  CUresult (*functionSetAttribute)(CUfunction, int attribute, int value);
  CUresult (*launchKernel)(CUfunction, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                           unsigned blockZ, unsigned sharedBytes, CUstream, void **arguments, void **extra);
  CUresult (*occupancyBlocks)(int *blocks, CUfunction, int threads, size_t sharedBytes);
  CUresult (*memAlloc)(CUdeviceptr *, size_t);
  CUresult (*memFree)(CUdeviceptr);
  CUresult (*memAllocHost)(void **, size_t);
  CUresult (*memFreeHost)(void *);
  CUresult (*hostRegister)(void *, size_t, unsigned flags);
  CUresult (*hostUnregister)(void *);
  CUresult (*copyToDevice)(CUdeviceptr, const void *, size_t, CUstream);
  CUresult (*copyToHost)(void *, CUdeviceptr, size_t, CUstream);
  CUresult (*copyOnDevice)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
  CUresult (*copyRectangle)(const CUmemcpy2D *, CUstream);
  CUresult (*setBytes)(CUdeviceptr, unsigned char value, size_t, CUstream);
  CUresult (*pointerAttribute)(void *value, int attribute, CUdeviceptr);
  CUresult (*addressRange)(CUdeviceptr *base, size_t *bytes, CUdeviceptr);
  CUresult (*canAccessPeer)(int *can, CUdevice, CUdevice peer);
  CUresult (*enablePeerAccess)(CUcontext peer, unsigned flags);
  CUresult (*ipcGetHandle)(CUipcMemHandle *, CUdeviceptr);
  CUresult (*ipcOpenHandle)(CUdeviceptr *, CUipcMemHandle, unsigned flags);
  CUresult (*ipcCloseHandle)(CUdeviceptr);
  CUresult (*streamCreate)(CUstream *, unsigned flags);
  CUresult (*streamDestroy)(CUstream);
  CUresult (*streamSynchronize)(CUstream);
  CUresult (*eventCreate)(CUevent *, unsigned flags);
  CUresult (*eventDestroy)(CUevent);
  CUresult (*eventRecord)(CUevent, CUstream);
  CUresult (*eventSynchronize)(CUevent);
  CUresult (*streamWaitEvent)(CUstream, CUevent, unsigned flags);
  CUresult (*eventElapsedTime)(float *milliseconds, CUevent, CUevent);
  CUresult (*streamIsCapturing)(CUstream, int *status);
  CUresult (*streamBeginCapture)(CUstream, unsigned mode);
  CUresult (*streamEndCapture)(CUstream, CUgraph *);
  CUresult (*graphInstantiate)(CUgraphExec *, CUgraph, unsigned long long flags);
  CUresult (*graphDestroy)(CUgraph);
  CUresult (*graphLaunch)(CUgraphExec, CUstream);
  CUresult (*graphExecDestroy)(CUgraphExec);
  /// Launches with attributes (clusters, dependent launch), and how many clusters of such a launch the device holds at
  /// a time; null before CUDA 11.8.
  CUresult (*launchKernelEx)(const CUlaunchConfig *, CUfunction, void **arguments, void **extra);
  CUresult (*occupancyClusters)(int *clusters, CUfunction, const CUlaunchConfig *);

  /// Opens and initialises the driver at the first call, for all threads, and writes it to `driver`. Returns
  /// IDC_ERROR_NO_DRIVER or IDC_ERROR_NO_DEVICE when there is nothing to use; the outcome never changes afterwards.
  static idc_status get(const Driver *&driver);

  /// IDC_SUCCESS, or the status for a driver error with "`what`: NAME: description" as its detail.
  idc_status check(CUresult result, const char *what) const;

  /// Makes the primary context of device 0 current on this thread unless a context is current already.
  idc_status ensureContext() const;

  /// Whether what is enqueued on a stream becomes part of a graph.
  idc_status isCapturing(void *stream, bool &capturing) const;
};

/// Makes a context current and restores the previous one at the end of the scope.
class ContextScope {
public:
  ContextScope(const Driver &driver, CUcontext context);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  idc_status status() const { return result; }

private:
  const Driver &driver;
  idc_status result = IDC_SUCCESS;
  bool pushed = false;
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_DRIVER_H
