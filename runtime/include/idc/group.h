//===- group.h - several GPUs that work on one problem ----------*- C -*-===//
//
// A module that was compiled for several devices (idc compile --devices N) has its arrays distributed: each device has
// a part of every input and result, or all of it, as the manifest says (runtime/manifest.md). Every device launches the
// module on its own stream, and the kernels store where the data is needed next, also in other devices' memory.
//
// Who runs a device is a rank of a group: a thread or the one thread of a process that has several GPUs, or a process
// with one. Memory that others reach is registered with the group once; it is ordinary memory of cudaMalloc().
//
//===----------------------------------------------------------------------===//

#ifndef IDC_GROUP_H
#define IDC_GROUP_H

#include "idc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct idc_group idc_group;

/// Makes the group of `count` devices of this process, and writes one handle for each rank to `ranks`: rank r is on
/// device `devices[r]`, whose primary context it uses. IDC_ERROR_UNSUPPORTED where two of them do not reach each
/// other's memory.
idc_status idc_group_of_devices(int32_t count, const int32_t *devices, idc_group **ranks);

/// Gathers: `receive` gets `bytes` bytes of every rank, in the order of the ranks. Called by all ranks at the same
/// time; returns 0 when it succeeded. MPI_Allgather() is one (idc/group_mpi.h).
typedef int (*idc_all_gather)(const void *send, void *receive, size_t bytes, void *user);

/// Makes this process's rank of a group of `count` processes of one machine, on the device of the current context. A
/// collective call: all ranks make it, with a `gather` that they are all reached by, which is kept with `user`.
idc_status idc_group_create(int32_t rank, int32_t count, idc_all_gather gather, void *user, idc_group **group);

/// Frees a rank's handle; null is accepted. Nothing that it launched may be in flight. The other ranks must not launch
/// any more, either.
idc_status idc_group_destroy(idc_group *group);

int32_t idc_group_rank(const idc_group *group);
int32_t idc_group_size(const idc_group *group);

/// Lets the other ranks reach `bytes` bytes at `pointer`, memory of this rank's device. Every rank registers as many
/// arrays, in the same order: what others find at some distance from their array's beginning corresponds to what lies
/// there in this one. With several processes a collective call.
idc_status idc_group_register(idc_group *group, void *pointer, size_t bytes);
/// Takes the array with that pointer back; with several processes a collective call, in the same order.
idc_status idc_group_unregister(idc_group *group, void *pointer);

/// How long this rank waits for another one where devices meet, in milliseconds, 1 to 2^40; 30000 at first. Ranks are
/// launched at different times, so it has to be longer than any may be behind another, with all that it does between
/// two launches, and longer where a profiler or a debugger stops devices. Takes effect with the launches that come,
/// recorded ones included. Waits for the default stream.
idc_status idc_group_set_limit(idc_group *group, int64_t milliseconds);

/// Whether devices have met so far. When a rank does not come within the limit, or comes with another module or batch,
/// the ranks that wait for it end their launches, whose results are then wrong, and so are those of all later launches;
/// from then on this function and idc_group_launch() return IDC_ERROR_GROUP on every rank that was to meet it, and
/// idc_last_error() tells who waited for whom. Such a group can only be destroyed. Asks no device: what was launched
/// before has been checked when its stream has been waited for. May be called at any time, by any thread.
idc_status idc_group_check(const idc_group *group);

/// idc_launch() of one rank: `module` is loaded in its context, pointers are those of its parts. Every rank launches
/// the same modules in the same order with the same batch. Arrays of which kernels reach others' parts, and the
/// workspace, must lie in registered memory, at the same distance from its beginning on every rank. The stream may be
/// capturing a graph, once the module has been launched before. Where ranks are of one process, a call that does not
/// match those of the other ranks is refused (IDC_ERROR_GROUP) and nothing is launched.
idc_status idc_group_launch(const idc_group *group, const idc_module *module, int64_t batch, const void *const *inputs,
                            const void *const *scalars, void *const *outputs, void *workspace, void *stream);

/// How many devices a module is for: 1 for most, 0 for null.
int32_t idc_module_devices(const idc_module *module);

#ifdef __cplusplus
}
#endif

#endif // IDC_GROUP_H
