//===- host_memory.h - data in the memory of the host ----------*- C++ -*-===//
//
// A module that was compiled for a part of the GPU's memory (idc compile --memory 8GiB) works on arrays in the memory
// of the host. It goes over them in passes; in each the data pass through the GPU in chunks: while the kernels of one
// run, the next is copied in and the last one is copied out. How large an array may be, the host's memory decides.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_INCLUDE_HOST_MEMORY_H
#define IDC_INCLUDE_HOST_MEMORY_H

#include "idc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// 1 for a module of kernels for the GPU whose operands and workspace lie in the memory of the host, else 0.
int32_t idc_module_is_host(const idc_module *module);

/// idc_module_load(), for a module of whose chunks the CPU takes a share (idc compile --cpu-share): `lookup` is called
/// once for each of its functions, with `user`, before this returns. The functions must stay valid until
/// idc_module_unload(). They share the worker threads of CPU modules; so does the thread that they are called from.
idc_status idc_host_module_load(const void *image, size_t image_bytes, const char *manifest_json, size_t manifest_bytes,
                                idc_cpu_lookup lookup, void *user, idc_module **module);

/// Bytes of GPU memory that a launch takes, written to `*bytes`: at most what the module was compiled for. One chunk
/// needs that much whatever the batch is.
idc_status idc_host_memory_size(const idc_module *module, int64_t *bytes);

/// Called from idc_host_launch(), by its thread, whenever chunks are done: `done` of `all`, over all passes. Returns 0
/// to go on, another number to stop.
typedef int (*idc_progress)(int64_t done, int64_t all, void *user);

/// What a launch works on. Pointers to the host's memory but for `memory`.
typedef struct idc_host_call {
  const void *const *inputs;
  const void *const *scalars;
  void *const *outputs;
  void *workspace;       /* of idc_workspace_size() bytes, or null when that is 0 */
  void *memory;          /* of the GPU; null: it is allocated for the call */
  int64_t memory_bytes;  /* at least idc_host_memory_size() */
  idc_progress progress; /* null: nobody asks */
  void *user;            /* handed to `progress` */
} idc_host_call;

/// Runs the module on `batch` problems, as idc_launch() does otherwise; returns when the results are there. What was
/// enqueued on `stream` before comes first. Copies are as fast as the link where the arrays are page-locked
/// (cudaHostAlloc(), cudaHostRegister()), and right for all memory, mapped files as well.
///
/// An output may have the memory of an input where the module was compiled for that (idc compile --in-place).
///
/// IDC_ERROR_STOPPED when `progress` asked for that. After this or any other error nothing is in flight any more, and
/// outputs hold what was copied until then: the message says how far that was.
idc_status idc_host_launch(const idc_module *module, int64_t batch, const idc_host_call *call, void *stream);

/// The same on several GPUs, which take chunks in turn: `modules[k]` is the program's module in the context of GPU k,
/// `calls[k]` tells its memory, and `streams[k]`, where there are streams, what comes first there. All else is that of
/// `calls[0]`. Results are those of one GPU, to the bit.
idc_status idc_host_launch_on(int32_t count, const idc_module *const *modules, int64_t batch,
                              const idc_host_call *calls, void *const *streams);

#ifdef __cplusplus
}
#endif

#endif // IDC_INCLUDE_HOST_MEMORY_H
