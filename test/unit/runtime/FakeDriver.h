//===- FakeDriver.h - what the stand-in for the driver saw ------*- C++ -*-===//
//
// FakeDriver.cpp is a shared library with the driver's functions. "Device memory" is host memory, and a launch is
// recorded. The image of a module lists its kernels: ".version" and then names, separated by spaces. A kernel whose
// name begins with "twice" does y = 2 x on problems of 4 floats with arguments (x, y, batch), "twice16" of 16. Machine
// code has kernels of all names, which do nothing. There are IDC_FAKE_DEVICES devices, 1 without the variable, at
// most 8.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define IDC_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include <cstdint>
#include <dlfcn.h>
#include <map>
#include <string>
#include <vector>

namespace idc::test {

struct FakeLaunch {
  std::string kernel;
  unsigned blocks, threads, sharedBytes;
  void *stream;
  std::map<unsigned, unsigned> attributes; // id -> value (x for the cluster dimension)
  void *context;                           // current at the launch
  uint64_t firstArgument;
  std::vector<uint64_t> arguments; // of a kernel "meet" of two devices: all of them
};

/// Shared by all threads; launches are recorded under a lock.
struct FakeState {
  std::vector<FakeLaunch> launches;
  std::map<std::string, std::map<int, int>> functionAttributes; // kernel -> attribute -> value
  int modulesLoaded = 0, modulesUnloaded = 0;
  int allocations = 0, frees = 0, hostAllocations = 0, hostFrees = 0, registered = 0, unregistered = 0;
  size_t capturedFrom = 0; // launches before the recording of a graph began
  int graphsMade = 0, graphsDestroyed = 0;
  int blocksPerMultiprocessor = 3, clusters = 2; // that are resident; there are 2 multiprocessors
  int architecture = 90;                         // of the device
  bool capturing = false;                        // every stream
  bool interrupted = false;                      // by who waited for a stream meanwhile
  int failNext = 0; // the error that the next launch, allocation, registration or loading of a module returns
};

/// A function of the library that is found in the place of the driver; null where there is none.
template <typename Function> Function driverFunction(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

} // namespace idc::test

extern "C" idc::test::FakeState *idcFakeDriverState();
/// Makes any pointer the calling thread's current context.
extern "C" int cuCtxSetCurrent(void *context);
extern "C" int cuCtxGetCurrent(void **context);
extern "C" int cuMemAllocHost_v2(void **pointer, size_t bytes);
extern "C" int cuMemFreeHost(void *pointer);

#endif // IDC_TEST_UNIT_RUNTIME_FAKEDRIVER_H
