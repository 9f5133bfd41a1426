// What libidc-xla exports: algorithms as functions of XLA's foreign function interface, for jax.ffi.
//
//   idc_xla_algorithm(request, scalars)     makes one; its address is the attribute "algorithm", a 64-bit integer, of
//   calls idc_xla_cpu, idc_xla_gpu                the functions to register for the platforms "cpu" and "CUDA"
//
// An algorithm lives as long as the process: programs that XLA compiled may call it at any time.
#include "interfaces/compiled/Failure.h"
#include "interfaces/xla/Algorithm.h"

#include <cstring>
#include <new>

using namespace idc::interfaces;
using namespace idc::xla;

/// XLA's codes of errors.
static int codeOf(idc_status status) {
  switch (status) {
  case IDC_ERROR_OUT_OF_MEMORY:
    return 8; // resource exhausted
  case IDC_ERROR_UNSUPPORTED:
    return 12; // unimplemented
  case IDC_ERROR_INVALID_ARGUMENT:
  case IDC_ERROR_PROGRAM:
    return 3; // invalid argument
  default:
    return 13; // internal
  }
}

static Error *failed(const Call &call, idc_status status, const char *message) {
  ErrorArguments arguments;
  arguments.message = message;
  arguments.code = codeOf(status);
  return call.functions->makeError(&arguments);
}

/// Answers a question of which version and kind a function is; false when there is none. It is of XLA's own version:
/// the members that are used here are those of all versions 0.
static bool answered(const Call &call) {
  for (Extension *extension = call.extension; extension; extension = extension->next) {
    if (extension->type != Extension::Metadata)
      continue;
    MetadataExtension::Answer &answer = *reinterpret_cast<MetadataExtension *>(extension)->answer;
    answer.version.major = 0;
    answer.version.minor = call.functions ? call.functions->version.minor : 1;
    answer.traits = 0;
    return true;
  }
  return false;
}

static Algorithm &algorithmOf(const Call &call) {
  static const char name[] = "algorithm";
  const Attributes &attributes = call.attributes;
  for (int64_t i = 0; i < attributes.count; ++i) {
    const Text &text = *attributes.names[i];
    if (text.length != sizeof(name) - 1 || std::memcmp(text.data, name, text.length) ||
        attributes.types[i] != Attributes::Scalar)
      continue;
    const Number &number = *static_cast<const Number *>(attributes.values[i]);
    if (number.type == Number::Int64)
      return *reinterpret_cast<Algorithm *>(*static_cast<const intptr_t *>(number.value));
  }
  throw Failure(IDC_ERROR_INVALID_ARGUMENT, "a call of idc without the attribute 'algorithm'");
}

static Error *handle(const Call &call, Place place) noexcept {
  if (answered(call))
    return nullptr;
  if (call.functions->version.major != 0 || call.functions->size < sizeof(Functions))
    return failed(call, IDC_ERROR_UNSUPPORTED, "XLA's foreign function interface has another version than 0");
  try {
    if (call.stage == Call::Execute)
      algorithmOf(call).run(call, place);
    return nullptr;
  } catch (const Failure &failure) {
    return failed(call, failure.status, failure.what());
  } catch (const std::bad_alloc &) {
    return failed(call, IDC_ERROR_OUT_OF_MEMORY, "no memory");
  } catch (const std::exception &error) {
    return failed(call, IDC_ERROR_DRIVER, error.what());
  }
}

extern "C" {

/// Makes an algorithm of a request, which it takes over; null without memory, when the request stays the caller's.
/// `scalars` as of idc_launch(), for as long as the process lives.
void *idc_xla_algorithm(idc_request *request, const void *const *scalars) noexcept {
  return new (std::nothrow) Algorithm(request, scalars);
}

Error *idc_xla_cpu(const Call *call) noexcept { return handle(*call, Place::Cpu); }
Error *idc_xla_gpu(const Call *call) noexcept { return handle(*call, Place::Gpu); }
}
