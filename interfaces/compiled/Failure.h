// Why a plan cannot be made or run.
#pragma once

#include "idc/runtime.h"

#include <stdexcept>
#include <string>

namespace idc::interfaces {

/// `status` tells what kind of failure it is; IDC_ERROR_UNSUPPORTED: what is asked is not there.
struct Failure : std::runtime_error {
  Failure(idc_status status, const std::string &message) : std::runtime_error(message), status(status) {}
  const idc_status status;
};

/// Throws what a function of the runtime or compiler says.
inline void check(idc_status status) {
  if (status != IDC_SUCCESS)
    throw Failure(status, idc_message(status));
}

} // namespace idc::interfaces
