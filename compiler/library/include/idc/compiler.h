//===- compiler.h - C interface of the idc compiler -------------*- C -*-===//
//
// Compiles programs in the language of idc while an application runs, and loads what was compiled, for the runtime
// (idc/runtime.h) to launch: for this computer's processor or for a GPU.
//
//   idc_request *request;
//   idc_request_create(&request);
//   idc_request_file(request, "scan.id");                a program of the standard library
//   idc_request_entry(request, "inclusive_scan");
//   idc_request_set(request, "n=12");
//   idc_request_set(request, "T=f32");
//   idc_result *result;
//   idc_module *module;
//   if (idc_compile(request, &result) == IDC_SUCCESS && idc_result_load(result, &module) == IDC_SUCCESS)
//     idc_launch(module, batch, inputs, NULL, outputs, workspace, NULL);
//
// Results are kept: in the process, where an identical request takes microseconds, and on disk ($IDC_CACHE, else idc in
// the user's cache folder; an empty IDC_CACHE: nowhere), where those of other processes are found. What was changed
// since, a file of the program, the compiler, the processor, is compiled again. A cache that is damaged, full, not
// readable or not writable is no error.
//
// Errors. Functions return an idc_status; IDC_SUCCESS is 0. What is wrong with a program or a request is data: the
// diagnostics of the result. No function throws, writes to standard error or ends the process.
//
// Threads. Every function may be called from any thread at any time; a request must not be changed or destroyed while
// another call uses it. A result is immutable. Compilations run at the same time, each on one core and on a stack of
// its own.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_COMPILER_H
#define IDC_COMPILER_H

#include "idc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Requests
//
// The functions copy what they are given. They return IDC_ERROR_INVALID_ARGUMENT for a null pointer and
// IDC_ERROR_OUT_OF_MEMORY; whether a text makes sense is said by idc_compile(). What is set again replaces what was
// set before, but for folders, settings and layouts, of which there may be several.
//===----------------------------------------------------------------------===//

typedef struct idc_request idc_request;

/// Makes a request for the target "cpu" that says nothing else; frees one (null is accepted).
idc_status idc_request_create(idc_request **request);
void idc_request_destroy(idc_request *request);

/// The program: a file, which may be one of the standard library without its folder ...
idc_status idc_request_file(idc_request *request, const char *path);
/// ... or `bytes` of text, called `name` in messages. Imports are looked for in the folder of that name first.
idc_status idc_request_text(idc_request *request, const char *text, size_t bytes, const char *name);

/// One more folder where imports are looked for, after those given before and before the standard library.
idc_status idc_request_folder(idc_request *request, const char *folder);

/// The algorithm to compile. Without one, the only one of the file.
idc_status idc_request_entry(idc_request *request, const char *entry);

/// One more setting, NAME=VALUE, as `idc compile --set` takes it: a size or another integer ("n=12"), a type
/// ("T=complex<f32>"), a truth value, a real number, a function.
idc_status idc_request_set(idc_request *request, const char *setting);

/// "cpu": this computer's processor; "sm_90", ...: a GPU.
idc_status idc_request_target(idc_request *request, const char *target);

/// "throughput" (what is taken when nothing is said): for many problems at a time; "latency": for one.
idc_status idc_request_plan(idc_request *request, const char *plan);

/// One more layout, NAME=PROPERTY,..., as `idc compile --layout` takes it: "x=stride:4,batch:4096".
idc_status idc_request_layout(idc_request *request, const char *layout);

/// Whether every result has to be able to lie on an argument.
idc_status idc_request_in_place(idc_request *request, int32_t in_place);

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

typedef struct idc_result idc_result;

/// Compiles, or finds what was compiled. On IDC_SUCCESS the result holds the program's code. When the program or the
/// request is wrong, IDC_ERROR_PROGRAM, it holds diagnostics, the first of which is an error. Any other failure leaves
/// `*result` null. A compilation takes tenths of a second and more: a size that is new is best asked for early.
idc_status idc_compile(const idc_request *request, idc_result **result);

/// Parses the request's file and says what algorithms it has, as JSON (idc_result_description()); entry, settings and
/// target are ignored. Returns as idc_compile() does.
idc_status idc_describe(const idc_request *request, idc_result **result);

/// Derives the adjoint of the request's entry at its sizes and types, as `idc adjoint` does (docs/adjoints.md): a
/// program that computes the gradients of inputs from those of results, the vector-Jacobian product
/// (idc_result_adjoint()). `with_respect_to` names the inputs, separated by commas; null: all of reals and complex
/// numbers. Target, plan and layouts are ignored. Returns as idc_compile() does; what has no derivatives is an
/// IDC_ERROR_PROGRAM.
idc_status idc_adjoint(const idc_request *request, const char *with_respect_to, idc_result **result);

/// Shows what becomes of the request's entry on a GPU, "sm_90" when the target is "cpu", as `idc explain` does
/// (docs/explain.md): idc_result_explanation(). Returns as idc_compile() does.
idc_status idc_explain(const idc_request *request, idc_result **result);

/// Frees a result. Null is accepted. On the CPU, modules loaded from it must have been unloaded before.
void idc_result_destroy(idc_result *result);

/// Where the result comes from.
typedef enum idc_origin {
  IDC_ORIGIN_COMPILED = 0,
  IDC_ORIGIN_DISK = 1,  /* the cache on disk */
  IDC_ORIGIN_MEMORY = 2 /* an identical request of this process */
} idc_origin;
idc_origin idc_result_origin(const idc_result *result);

// The strings and bytes below belong to the result. They are null when it has none.

/// The image for idc_module_load(): a fat binary, or PTX without CUDA's tools; null for the CPU. `bytes` may be null.
const void *idc_result_image(const idc_result *result, size_t *bytes);

/// The manifest (runtime/manifest.md).
const char *idc_result_manifest(const idc_result *result, size_t *bytes);

/// What the function takes and gives in the terms of its declaration, as JSON on one line:
///   {"entry": "scan", "sizes": {"n": 12}, "types": {"T": "f32"},
///    "inputs": [{"name": "x", "type": "f32", "shape": [4096]}], "scalars": [], "outputs": [...]}
/// Types are as manifests spell them, shapes the lengths of the declared dimensions of one problem.
const char *idc_result_signature(const idc_result *result);

/// Of idc_describe(): the algorithms of the file, as JSON on one line:
///   [{"name", "doc", "generics": [{"name", "kind", "default"}], "parameters": [TYPE...], "results": [TYPE...]}, ...]
/// A TYPE is {"name", "text", "element", "dimensions": [EXPRESSION...]}, `element` the declared element as text;
/// `default` is null where there is none. An EXPRESSION is a number, a name, or [operator or function, EXPRESSION...].
const char *idc_result_description(const idc_result *result);

/// Of idc_adjoint(): a program in the language, for idc_request_text(), which imports nothing. Its entry,
/// ENTRY_adjoint, takes those inputs of ENTRY whose values it needs, by their names, and the gradients of results,
/// "d_y0", "d_y1", ... (with "_" behind where an input is called so), of the results' shapes and types; it gives the
/// gradients asked for, in the order of the names. The gradient of a real L at a complex z is dL/d(re z) + i dL/d(im
/// z).
const char *idc_result_adjoint(const idc_result *result);

/// Of idc_explain(), as JSON on one line: {"text": what `idc explain` prints, "digits", "kernels", "circuit": pictures
/// as SVG documents, the last one null for programs of more than 64 elements}.
const char *idc_result_explanation(const idc_result *result);

/// Loads the function, for idc_launch() and the other functions of the runtime: on the CPU into the process, for a GPU
/// into the calling thread's current context, as idc_module_load() does. Every call makes a module of its own, which
/// idc_module_unload() frees. IDC_ERROR_INVALID_ARGUMENT when the result has no code.
idc_status idc_result_load(const idc_result *result, idc_module **module);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

typedef enum idc_severity { IDC_SEVERITY_ERROR = 0, IDC_SEVERITY_NOTE = 1 } idc_severity;

/// A message. Notes belong to the error before them.
typedef struct idc_diagnostic {
  idc_severity severity;
  const char *file;     /* empty when the message has no place, as of a target that does not exist */
  int32_t line, column; /* from 1, columns in bytes; 0 without a place */
  const char *text;     /* what is wrong */
  const char *rendered; /* "file:line:column: error: text", the source line and a caret; ends in a newline */
} idc_diagnostic;

/// Number of diagnostics; 0 for a null result and for one that succeeded.
int32_t idc_result_diagnostic_count(const idc_result *result);
/// Diagnostic number `index`, counted from 0; an index out of range is IDC_ERROR_INVALID_ARGUMENT. The strings belong
/// to the result.
idc_status idc_result_diagnostic(const idc_result *result, int32_t index, idc_diagnostic *diagnostic);

/// The targets that idc_request_target() knows, separated by spaces: "cpu sm_80 ...". In static storage.
const char *idc_targets(void);

/// The newest target whose code a GPU of this compute capability runs, "sm_90" for 9 and 0: its own one when there is
/// one. Null for a GPU older than all. In static storage.
const char *idc_target_for(int32_t major, int32_t minor);

/// The version of this library, as in "MAJOR.MINOR.PATCH".
const char *idc_compiler_version(void);

#ifdef __cplusplus
}
#endif

#endif /* IDC_COMPILER_H */
