//===- Error.h - a run that cannot be carried out ---------------*- C++ -*-===//

#ifndef IDC_HOST_ERROR_H
#define IDC_HOST_ERROR_H

#include <stdexcept>

namespace idc::host {

/// A run that cannot be carried out: a file, the request, the runtime or the device; the message says why.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace idc::host

#endif // IDC_HOST_ERROR_H
