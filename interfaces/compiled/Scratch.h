// Memory that a run needs beside its arrays.
#pragma once

#include "interfaces/compiled/Failure.h"

#include <cstdlib>
#include <string>
#include <utility>

namespace idc::interfaces {

/// Some bytes of the host, for the target "cpu", or of the current context's GPU; null for none. Throws Failure.
class Scratch {
public:
  Scratch(const std::string &target, int64_t bytes) : onHost(target == "cpu") {
    if (bytes && !onHost)
      check(idc_device_alloc(size_t(bytes), &memory));
    else if (bytes && posix_memalign(&memory, 256, size_t(bytes)))
      throw Failure(IDC_ERROR_OUT_OF_MEMORY, "no memory for a transform");
  }
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    if (onHost)
      std::free(memory);
    else
      idc_device_free(memory);
  }
  void *data() const { return memory; }

private:
  const bool onHost;
  void *memory = nullptr;
};

} // namespace idc::interfaces
