//===- Status.cpp - failures with details ---------------------------------===//

#include "Status.h"

#include <cstdarg>
#include <cstdio>

static thread_local char lastError[1024];
static thread_local idc_status lastStatus = IDC_SUCCESS;

namespace idc::runtime {

idc_status fail(idc_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(lastError, sizeof lastError, format, arguments);
  va_end(arguments);
  lastStatus = status;
  return status;
}

} // namespace idc::runtime

const char *idc_last_error(void) { return lastError; }

const char *idc_message(idc_status status) {
  return status != IDC_SUCCESS && status == lastStatus ? lastError : idc_error_message(status);
}

const char *idc_error_message(idc_status status) {
  switch (status) {
  case IDC_SUCCESS:
    return "success";
  case IDC_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case IDC_ERROR_MANIFEST:
    return "invalid manifest";
  case IDC_ERROR_FILE:
    return "file cannot be read";
  case IDC_ERROR_NO_DRIVER:
    return "no CUDA driver";
  case IDC_ERROR_NO_DEVICE:
    return "no CUDA device";
  case IDC_ERROR_UNSUPPORTED:
    return "not supported here";
  case IDC_ERROR_IMAGE:
    return "invalid image";
  case IDC_ERROR_TOO_LARGE:
    return "too large";
  case IDC_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case IDC_ERROR_DRIVER:
    return "CUDA driver error";
  case IDC_ERROR_STOPPED:
    return "stopped";
  case IDC_ERROR_GROUP:
    return "the ranks of a group did not meet";
  case IDC_ERROR_NOT_LOADED:
    return "not loaded before the capture of a graph";
  case IDC_ERROR_PROGRAM:
    return "the program cannot be compiled";
  }
  return "unknown status";
}
