//===- CpuFunctions.cpp - kernels for the CPU in a shared library ---------===//

#include "CpuFunctions.h"

#include "Error.h"

#include <dlfcn.h>

using namespace idc::host;

/// dlopen() looks for names without a folder where libraries of the system are.
static std::string asPath(const std::string &name) { return name.find('/') == std::string::npos ? "./" + name : name; }

CpuFunctions::CpuFunctions(const std::string &path) : library(dlopen(asPath(path).c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library)
    throw Error(dlerror());
}

CpuFunctions::~CpuFunctions() { dlclose(library); }

idc_cpu_kernel CpuFunctions::find(const char *name, void *functions) {
  return reinterpret_cast<idc_cpu_kernel>(dlsym(static_cast<CpuFunctions *>(functions)->library, name));
}
