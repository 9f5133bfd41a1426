//===- library.h - what generated libraries ask of the runtime --*- C -*-===//
//
// `idc compile` makes C libraries: a header with functions for people, and an object with these functions and constant
// tables, one idc_library per function. The generated functions only pass their arguments on to the ones below.
// Applications have no use for this header; docs/linking.md describes the generated one.
//
// A library holds the program at several choices of its sizes (points), each compiled for several targets (GPU
// architectures, the CPU). An instance is one point for one target.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_LIBRARY_H
#define IDC_LIBRARY_H

#include "idc/group.h"
#include "idc/host_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the structures below and of the meaning of their fields. A runtime serves objects of its own version
/// only.
#define IDC_LIBRARY_ABI 2

/// One point for one target.
typedef struct idc_library_instance {
  const void *image; /* fatbin, cubin or PTX; null for the CPU */
  int64_t image_bytes;
  const char *manifest;
  int64_t manifest_bytes;
  uint64_t checksum;             /* the sum of the 64-bit XXH3 hashes of the image and of the manifest */
  const idc_cpu_kernel *kernels; /* CPU, or its share of chunks: a function for each such kernel, in order; else null */
  int64_t kernel_count;
  int64_t workspace_fixed_bytes, workspace_bytes_per_problem;
} idc_library_instance;

typedef struct idc_library {
  int32_t abi;                           /* IDC_LIBRARY_ABI of the compiler */
  int32_t size_count;                    /* sizes that a call takes */
  int32_t target_count;                  /* at least 1 */
  int32_t point_count;                   /* at least 1 */
  const char *name;                      /* of the C function */
  const char *const *size_names;         /* size_count */
  const char *const *targets;            /* target_count: "sm_80", "sm_90", "cpu"; GPUs ascending, then the CPU */
  const int64_t *points;                 /* point_count * size_count, ascending */
  const idc_library_instance *instances; /* point_count * target_count, targets of a point beside each other */
  void *state;                           /* null at first; belongs to the runtime */
} idc_library;

/// 1 when the library was compiled for these sizes, else 0.
int32_t idc_library_supported(const idc_library *library, const int64_t *sizes);

/// Bytes of workspace that are enough for `batch` problems on every target of the library; a negative idc_status when
/// the sizes or the batch are refused.
int64_t idc_library_workspace_size(const idc_library *library, const int64_t *sizes, int64_t batch);

/// Loads every point into the calling thread's current context (that of device 0 when none is current) and for the
/// CPU, as far as the library has targets for them. What is loaded stays; each module is loaded once for a context,
/// whichever thread comes first. Without a GPU a library that has CPU code succeeds.
idc_status idc_library_load(idc_library *library);

/// Frees everything that was loaded, in all contexts. No other call on the library may run at the same time.
void idc_library_unload(idc_library *library);

/// idc_launch() of the instance for these sizes, and for the device of the current context or, when `stream` is IDC_CPU
/// or the library has no GPU code, for the CPU. Loads the module when this has not been done, but never into a stream
/// that is capturing a graph (IDC_ERROR_NOT_LOADED). When it is loaded, the call takes no lock.
idc_status idc_library_launch(idc_library *library, const int64_t *sizes, int64_t batch, const void *const *inputs,
                              const void *const *scalars, void *const *outputs, void *workspace, void *stream);

/// The same for a rank of a group, by idc_group_launch() and in its device's context. The first of the sizes is how
/// many ranks the group has.
idc_status idc_library_group_launch(idc_library *library, const idc_group *group, const int64_t *sizes, int64_t batch,
                                    const void *const *inputs, const void *const *scalars, void *const *outputs,
                                    void *workspace, void *stream);

/// Bytes of GPU memory that are enough for a call on data in the host's memory, on every target; a negative idc_status
/// when the sizes are refused.
int64_t idc_library_memory_size(const idc_library *library, const int64_t *sizes);

/// The same by idc_host_launch(); on the CPU by idc_launch(), without memory or progress.
idc_status idc_library_host_launch(idc_library *library, const int64_t *sizes, int64_t batch, const void *const *inputs,
                                   const void *const *scalars, void *const *outputs, void *workspace, void *memory,
                                   int64_t memory_bytes, idc_progress progress, void *user, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* IDC_LIBRARY_H */
