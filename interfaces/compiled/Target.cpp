#include "interfaces/compiled/Target.h"

#include "interfaces/compiled/Failure.h"

#include "idc/compiler.h"

#include <dlfcn.h>

using namespace idc::interfaces;

std::string idc::interfaces::targetOfDevice() {
  int32_t major, minor;
  check(idc_device_capability(&major, &minor));
  if (const char *target = idc_target_for(major, minor))
    return target;
  throw Failure(IDC_ERROR_UNSUPPORTED,
                "no target for a GPU of compute capability " + std::to_string(major) + "." + std::to_string(minor));
}

void *idc::interfaces::currentContext() {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), *context = nullptr;
  if (!driver)
    return nullptr;
  if (auto function = reinterpret_cast<int (*)(void **)>(dlsym(driver, "cuCtxGetCurrent")))
    function(&context);
  dlclose(driver);
  return context;
}

std::string idc::interfaces::targetOf(const void *pointer) {
  // Without the driver in the process nothing can lie there, and it need not be started.
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver || !pointer)
    return "cpu";
  dlclose(driver);
  return idc_stream_for(pointer, nullptr) != IDC_CPU ? targetOfDevice() : "cpu";
}
