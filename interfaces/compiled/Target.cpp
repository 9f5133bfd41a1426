#include "interfaces/compiled/Target.h"

#include "interfaces/compiled/Failure.h"

#include "idc/compiler.h"

#include <dlfcn.h>

#include <sstream>

using namespace idc::interfaces;

std::string idc::interfaces::targetOfDevice() {
  int32_t major, minor;
  check(idc_device_capability(&major, &minor));
  std::istringstream targets(idc_targets());
  int best = 0;
  for (std::string target; targets >> target;)
    if (target.rfind("sm_", 0) == 0)
      if (int number = std::stoi(target.substr(3)); number <= 10 * major + minor && number > best)
        best = number;
  if (!best)
    throw Failure(IDC_ERROR_UNSUPPORTED,
                  "no target for a GPU of compute capability " + std::to_string(major) + "." + std::to_string(minor));
  return "sm_" + std::to_string(best);
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
