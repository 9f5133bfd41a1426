//===- runtime.h - C interface of the idc runtime ---------------*- C -*-===//
//
// Loads modules that idc compiled and launches them. A module is an image (fatbin, cubin or PTX; for the CPU, C
// functions) and a JSON manifest that says how its kernels are launched; runtime/manifest.md describes the latter.
//
// The NVIDIA driver library is opened at run time: a program that links this library needs no CUDA toolkit to build
// and no driver to start. Functions that need the driver return IDC_ERROR_NO_DRIVER or IDC_ERROR_NO_DEVICE without it.
//
// Errors. Functions return an idc_status; IDC_SUCCESS is 0. After a failure idc_last_error() holds, for the calling
// thread, what exactly was wrong. No function throws or ends the process.
//
// Threads. Every function may be called from any thread at any time, with one exception: idc_module_unload() must not
// run at the same time as another call on the same module. A module is immutable once loaded, so that launches from
// several threads share no lock on a GPU; concurrent launches need separate workspaces and outputs.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_H
#define IDC_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

typedef enum idc_status {
  IDC_SUCCESS = 0,
  IDC_ERROR_INVALID_ARGUMENT = 1, /* an argument breaks the function's contract (null, negative, misaligned) */
  IDC_ERROR_MANIFEST = 2,         /* the manifest is not valid JSON, or a field is missing or has a wrong value */
  IDC_ERROR_FILE = 3,             /* a file cannot be read */
  IDC_ERROR_NO_DRIVER = 4,        /* no usable NVIDIA driver library on this machine */
  IDC_ERROR_NO_DEVICE = 5,        /* the driver works but there is no GPU */
  IDC_ERROR_UNSUPPORTED = 6,      /* this device, this driver or this library lacks what the module needs */
  IDC_ERROR_IMAGE = 7,            /* the image cannot be loaded, or a kernel of the manifest is not in it */
  IDC_ERROR_TOO_LARGE = 8,        /* a byte count or a grid of this batch exceeds the limits (2^31 - 1 blocks) */
  IDC_ERROR_OUT_OF_MEMORY = 9,    /* host or device memory is exhausted */
  IDC_ERROR_DRIVER = 10,          /* the driver reported another error; an earlier kernel may have failed */
  IDC_ERROR_NOT_LOADED = 11,      /* the code has to be loaded before, as the stream is capturing a graph */
  IDC_ERROR_PROGRAM = 12,         /* the program or the request is wrong; diagnostics say how (idc/compiler.h) */
  IDC_ERROR_STOPPED = 13,         /* stopped before the end, as was asked for (idc/host_memory.h) */
  IDC_ERROR_GROUP = 14            /* ranks of a group did not meet: one is missing, or launches differ (idc/group.h) */
} idc_status;

/// A short sentence for a status, in static storage; never null, also for numbers that are no status.
const char *idc_error_message(idc_status status);

/// Details of the most recent failure of a function of this library on the calling thread; the empty string when none
/// failed yet. Valid until the next call on this thread.
const char *idc_last_error(void);

/// What to show for a status that a function has just returned: the details when they belong to it, else the short
/// sentence. Valid until the next call on this thread.
const char *idc_message(idc_status status);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

typedef struct idc_module idc_module;

/// Loads `image` (a fatbin, a cubin, or PTX text, `image_bytes` long) into the calling thread's current context. When
/// none is current, the primary context of device 0 is retained and made current on the calling thread. On success
/// `*module` owns the loaded code until idc_module_unload(); on failure it is null. Neither buffer is used afterwards.
/// A module for a CPU target is refused with IDC_ERROR_INVALID_ARGUMENT: see idc_cpu_module_create().
/// Must be called before the capture of a graph begins.
idc_status idc_module_load(const void *image, size_t image_bytes, const char *manifest_json, size_t manifest_bytes,
                           idc_module **module);

/// idc_module_load() on the contents of two files.
idc_status idc_module_load_files(const char *image_path, const char *manifest_path, idc_module **module);

/// A kernel of a CPU module: runs blocks firstBlock .. lastBlock - 1. `args` holds the pointers among the kernel's
/// arguments in manifest order (a `batch` argument takes no place). Blocks of one kernel may run at the same time.
typedef void (*idc_cpu_kernel)(void *const *args, int64_t batch, int64_t first_block, int64_t last_block);

/// Returns the function for the kernel called `name`, or null.
typedef idc_cpu_kernel (*idc_cpu_lookup)(const char *name, void *user);

/// Makes a module of C functions from a manifest whose target is "cpu". `lookup` is called once for each kernel, with
/// `user`, before this function returns. The functions must stay valid until idc_module_unload().
/// CPU modules share a pool of worker threads, one fewer than the machine has hardware threads, while there are any.
idc_status idc_cpu_module_create(const char *manifest_json, size_t manifest_bytes, idc_cpu_lookup lookup, void *user,
                                 idc_module **module);

/// Says how many threads share a launch on the CPU, the calling one included, for all launches that the calling thread
/// makes from now on; no more than the machine has hardware threads. 0, as at first: as many as these. Results do not
/// depend on it. IDC_ERROR_INVALID_ARGUMENT when `count` is negative.
idc_status idc_cpu_threads(int32_t count);

/// Frees a module. Null is accepted. No launch of the module may be in flight, on a stream or on another thread.
idc_status idc_module_unload(idc_module *module);

/// Bytes of workspace that a launch of `batch` problems needs, written to `*bytes`; 0 when the module needs none. The
/// size grows with the batch, so that a workspace for one batch serves every smaller one.
idc_status idc_workspace_size(const idc_module *module, int64_t batch, int64_t *bytes);

/// Every pointer given to idc_launch() must be a multiple of this many bytes, but for those of operands whose layout
/// asks for less (idc_layout): on the CPU they only have to be multiples of a number's.
#define IDC_POINTER_ALIGNMENT 16

/// Runs the module on `batch` problems. `inputs` and `outputs` hold one pointer per operand in manifest order, or one
/// per plane where its layout has several; problem b of an operand begins b * elements * element_bytes bytes after its
/// pointer, or where its layout says. `scalars` holds one pointer to host
/// memory per run-time scalar of the program, in manifest order; the values, one for the whole batch, are copied before
/// the function returns (a graph that is captured keeps them); it may be null when the module has none. `workspace` has
/// the size that idc_workspace_size() tells and may be null when that is 0; its contents need not be initialised.
///
/// On a GPU the pointers to operands and workspace are device pointers and `stream` is a CUstream or cudaStream_t
/// (null: the default stream). The kernels are enqueued and the function returns; errors of their execution appear at a
/// later synchronization. The stream must belong to the module's context, which is made current for the duration of the
/// call. Nothing is allocated, nothing waits, and the stream may be capturing a graph. On a CPU module the pointers are
/// host pointers, `stream` is ignored, and the outputs are complete on return.
///
/// Outputs lie neither on inputs nor on other outputs, with one exception: where idc_in_place() says so, an output may
/// have the same pointer as an input, and takes its place. No byte of the workspace belongs to an element of either.
///
/// A batch of 0 does nothing and looks at no pointer. Otherwise a negative batch, a null or misaligned pointer,
/// overlapping arrays (IDC_ERROR_INVALID_ARGUMENT; values of scalars need no alignment) and a batch that needs more
/// than 2^31 - 1 blocks (IDC_ERROR_TOO_LARGE) are refused before anything is launched.
idc_status idc_launch(const idc_module *module, int64_t batch, const void *const *inputs, const void *const *scalars,
                      void *const *outputs, void *workspace, void *stream);

//===----------------------------------------------------------------------===//
// What a module says about itself
//===----------------------------------------------------------------------===//

/// One input, output or run-time scalar. The strings belong to the module.
typedef struct idc_operand {
  const char *name;      /* parameter name, or the name given to the result */
  const char *type;      /* element type as written in the language, e.g. "complex<f32>" */
  int64_t element_bytes; /* bytes of one element */
  int64_t elements;      /* elements per problem; 1 for a scalar */
} idc_operand;

/// Number of inputs, run-time scalars and outputs; 0 for a null module.
int32_t idc_input_count(const idc_module *module);
int32_t idc_scalar_count(const idc_module *module);
int32_t idc_output_count(const idc_module *module);

/// Describes input, scalar or output number `index`, counted from 0; an index out of range is
/// IDC_ERROR_INVALID_ARGUMENT. A parameter that is a record is one scalar for each of its leaves.
idc_status idc_input(const idc_module *module, int32_t index, idc_operand *operand);
idc_status idc_scalar(const idc_module *module, int32_t index, idc_operand *operand);
idc_status idc_output(const idc_module *module, int32_t index, idc_operand *operand);

/// How an operand lies in memory. Distances are in elements: element i of problem b, whose index in dimension d is i_d,
/// lies at offset + sum of i_d * strides[d] + b * batch_stride, in each of `planes` arrays alike. With one plane it is
/// a whole element; else each plane has one number of it, in order: the real and imaginary part, the fields of a
/// record.
typedef struct idc_layout {
  int32_t dimensions;
  int32_t planes;
  const int64_t *sizes, *strides; /* most significant dimension first; they belong to the module */
  int64_t offset;
  int64_t batch_stride;
  int64_t alignment; /* bytes that its pointers are multiples of */
} idc_layout;

/// The layout of input or output number `index`; an index out of range is IDC_ERROR_INVALID_ARGUMENT.
idc_status idc_input_layout(const idc_module *module, int32_t index, idc_layout *layout);
idc_status idc_output_layout(const idc_module *module, int32_t index, idc_layout *layout);

/// 1 when output number `output` may have the same pointer as input number `input`, else 0, also for numbers out of
/// range.
int32_t idc_in_place(const idc_module *module, int32_t input, int32_t output);

/// The algorithm that was compiled, its symbol, and the target ("cpu", "sm_90"); null for a null module.
const char *idc_module_entry(const idc_module *module);
const char *idc_module_symbol(const idc_module *module);
const char *idc_module_target(const idc_module *module);

/// 1 for a module made by idc_cpu_module_create(), 0 for a GPU module and for null.
int32_t idc_module_is_cpu(const idc_module *module);

//===----------------------------------------------------------------------===//
// Where generated libraries run
//===----------------------------------------------------------------------===//

/// Given as the stream of a generated function, runs it on the CPU: pointers are host pointers, and the outputs are
/// complete on return.
#define IDC_CPU ((void *)(intptr_t)-1)

/// The stream for data at `pointer`: `stream` when it lies in the memory of a GPU or is managed, IDC_CPU when it lies
/// elsewhere or there is no GPU. So NAME(..., idc_stream_for(x, stream)) runs where the data is.
void *idc_stream_for(const void *pointer, void *stream);

//===----------------------------------------------------------------------===//
// Device memory, streams and timing, for hosts without the CUDA runtime
//
// All of them use the calling thread's current context; when none is current, the primary context of device 0 is
// retained and made current. Pointers are device addresses; streams are CUstream, null being the default stream.
//===----------------------------------------------------------------------===//

/// IDC_SUCCESS when a GPU can be used, otherwise IDC_ERROR_NO_DRIVER or IDC_ERROR_NO_DEVICE.
idc_status idc_device_available(void);

/// How many GPUs there are; 0 without a driver.
int32_t idc_device_count(void);

/// Makes the primary context of GPU number `device` current on the calling thread: modules are loaded there, memory and
/// streams belong to it from now on.
idc_status idc_device_use(int32_t device);

/// Writes the name of the device of the current context, cut to `capacity` bytes including the terminating zero.
idc_status idc_device_name(char *name, size_t capacity);

/// The compute capability of the device of the current context: 9 and 0 of sm_90.
idc_status idc_device_capability(int32_t *major, int32_t *minor);

/// Bytes of the device's level-2 cache.
idc_status idc_device_l2_bytes(int64_t *bytes);

/// Allocates `bytes` (at least 1) of device memory, aligned to 256 bytes or more; frees it (null is accepted).
idc_status idc_device_alloc(size_t bytes, void **pointer);
idc_status idc_device_free(void *pointer);

/// Copies host memory to the device, back, or within the device, in order on `stream`. The first two return when the
/// copy is complete; the third is asynchronous.
idc_status idc_device_upload(void *device, const void *host, size_t bytes, void *stream);
idc_status idc_device_download(void *host, const void *device, size_t bytes, void *stream);
idc_status idc_device_copy(void *to, const void *from, size_t bytes, void *stream);

/// Creates a stream that does not synchronize with the default stream; destroys one (null is accepted).
idc_status idc_stream_create(void **stream);
idc_status idc_stream_destroy(void *stream);

/// Waits for everything enqueued on the stream and reports errors of its execution.
idc_status idc_stream_synchronize(void *stream);

/// Graphs: what is enqueued on a stream of idc_stream_create() between begin and end is not run but recorded, to be
/// launched as a whole as often as wanted, in order on `stream`. Destroying accepts null.
idc_status idc_graph_begin(void *stream);
idc_status idc_graph_end(void *stream, void **graph);
idc_status idc_graph_launch(void *graph, void *stream);
idc_status idc_graph_destroy(void *graph);

/// Device timestamps: an event is recorded on a stream; the time between two of them is read after the later one has
/// been reached (idc_event_seconds() waits for it). Resolution is about half a microsecond.
idc_status idc_event_create(void **event);
idc_status idc_event_destroy(void *event);
idc_status idc_event_record(void *event, void *stream);
idc_status idc_event_seconds(void *begin, void *end, double *seconds);

#ifdef __cplusplus
}
#endif

#endif /* IDC_RUNTIME_H */
