//===- FakeDriver.cpp - a stand-in for the CUDA driver --------------------===//

#include "FakeDriver.h"

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

using idc::test::FakeLaunch;
using idc::test::FakeState;

namespace {

constexpr int notFound = 500, invalidImage = 200, invalidValue = 1, invalidContext = 201, invalidDevice = 101,
              invalidCapture = 901, outOfMemory = 2;
constexpr int maxDynamicSharedBytes = 8, largestSharedBytes = 227 * 1024, multiprocessorCount = 16;
constexpr unsigned hostMemory = 1, deviceMemory = 2;
constexpr int memoryType = 2, majorVersion = 75, minorVersion = 76;

FakeState state;
std::mutex stateMutex;
std::set<uint64_t> allocated;
std::map<char *, size_t> pageLocked; // begin -> bytes
int primaryContexts[8];              // of the devices; their addresses serve
int deviceCount() {
  const char *count = std::getenv("IDC_FAKE_DEVICES");
  return count ? std::atoi(count) : 1;
}
/// A thread's stack of contexts. Libraries unload when the program ends: it is still there then.
struct Contexts {
  void *&back() { return all[top]; }
  void push_back(void *context) { all[++top] = context; }
  void pop_back() { --top; }

  void *all[16] = {nullptr};
  size_t top = 0;
};
thread_local Contexts contexts;

struct Module {
  std::map<std::string, std::string> functions; // name -> name; the address of an entry is the handle
  bool hasAll = false;                          // machine code, whose kernels are not read
};

int takeFailure() {
  std::lock_guard<std::mutex> lock(stateMutex);
  int failure = state.failNext;
  state.failNext = 0;
  return failure;
}

int launch(const std::string *function, FakeLaunch record, void **arguments) {
  if (int failure = takeFailure())
    return failure;
  if (!contexts.back())
    return invalidContext;
  record.kernel = *function;
  record.context = contexts.back();
  std::memcpy(&record.firstArgument, arguments[0], sizeof record.firstArgument);
  if (*function == "meet")
    for (int k = 0; k < 6; ++k)
      std::memcpy(&record.arguments.emplace_back(), arguments[k], sizeof(uint64_t));
  if (function->rfind("twice", 0) == 0) {
    const float *x = *static_cast<float **>(arguments[0]);
    float *y = *static_cast<float **>(arguments[1]);
    int64_t batch = *static_cast<int64_t *>(arguments[2]);
    const char *digits = function->c_str() + std::strlen("twice");
    const int64_t floats = std::isdigit(*digits) ? std::atoll(digits) : 4;
    for (int64_t i = 0; i < floats * batch; ++i)
      y[i] = 2 * x[i];
  }
  std::lock_guard<std::mutex> lock(stateMutex);
  state.launches.push_back(std::move(record));
  return 0;
}

struct Attribute {
  unsigned id, pad;
  unsigned value[16];
};
struct Config {
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  Attribute *attributes;
  unsigned count;
};

} // namespace

FakeState *idcFakeDriverState() { return &state; }

extern "C" {

int cuInit(unsigned) { return 0; }
int cuGetErrorName(int, const char **name) { return *name = "CUDA_ERROR_FAKE", 0; }
int cuGetErrorString(int, const char **text) { return *text = "fake error", 0; }
int cuDeviceGetCount(int *count) { return *count = deviceCount(), 0; }
int cuDeviceGet(int *device, int ordinal) {
  return *device = ordinal, ordinal >= 0 && ordinal < deviceCount() ? 0 : invalidDevice;
}
int cuDeviceGetName(char *name, int capacity, int) {
  std::strncpy(name, "Fake GPU", size_t(capacity) - 1);
  name[capacity - 1] = '\0';
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case multiprocessorCount:
    return *value = 2, 0;
  case majorVersion:
    return *value = state.architecture / 10, 0;
  case minorVersion:
    return *value = state.architecture % 10, 0;
  }
  return *value = 1 << 20, 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &primaryContexts[device], 0; }

int cuCtxGetCurrent(void **context) { return *context = contexts.back(), 0; }
int cuCtxSetCurrent(void *context) { return contexts.back() = context, 0; }
int cuCtxPushCurrent_v2(void *context) { return contexts.push_back(context), 0; }
int cuCtxPopCurrent_v2(void **context) {
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = 0;
  for (int k = 0; k < deviceCount(); ++k)
    if (contexts.back() == &primaryContexts[k])
      *device = k;
  return contexts.back() ? 0 : invalidContext;
}

int cuModuleLoadDataEx(void **module, const char *image, unsigned count, int *options, void **values) {
  if (int failure = takeFailure())
    return failure;
  const bool isMachineCode = std::strncmp(image, "\177ELF", 4) == 0 || std::strncmp(image, "\x50\xed\x55\xba", 4) == 0;
  std::istringstream words(isMachineCode ? "" : image);
  std::string word;
  words >> word;
  if (!isMachineCode && word != ".version") {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas fatal: fake log");
    return invalidImage;
  }
  Module *loaded = new Module;
  loaded->hasAll = isMachineCode;
  while (words >> word)
    loaded->functions[word] = word;
  *module = loaded;
  std::lock_guard<std::mutex> lock(stateMutex);
  ++state.modulesLoaded;
  return 0;
}
int cuModuleUnload(void *module) {
  delete static_cast<Module *>(module);
  std::lock_guard<std::mutex> lock(stateMutex);
  ++state.modulesUnloaded;
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  auto &functions = static_cast<Module *>(module)->functions;
  if (static_cast<Module *>(module)->hasAll)
    functions.emplace(name, name);
  auto found = functions.find(name);
  if (found == functions.end())
    return notFound;
  *function = &found->second;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  if (attribute == maxDynamicSharedBytes && value > largestSharedBytes)
    return invalidValue;
  std::lock_guard<std::mutex> lock(stateMutex);
  state.functionAttributes[*static_cast<std::string *>(function)][attribute] = value;
  return 0;
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned, unsigned, unsigned blockX, unsigned, unsigned,
                   unsigned sharedBytes, void *stream, void **arguments, void **) {
  return launch(static_cast<std::string *>(function), {"", gridX, blockX, sharedBytes, stream, {}, nullptr, 0, {}},
                arguments);
}
int cuLaunchKernelEx(const Config *config, void *function, void **arguments, void **) {
  FakeLaunch record{"", config->grid[0], config->block[0], config->sharedBytes, config->stream, {}, nullptr, 0, {}};
  for (unsigned i = 0; i < config->count; ++i)
    record.attributes[config->attributes[i].id] = config->attributes[i].value[0];
  return launch(static_cast<std::string *>(function), record, arguments);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t) {
  return *blocks = state.blocksPerMultiprocessor, 0;
}
int cuOccupancyMaxActiveClusters(int *clusters, void *, const Config *) { return *clusters = state.clusters, 0; }

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  if (int failure = takeFailure())
    return failure;
  void *memory = nullptr;
  if (posix_memalign(&memory, 256, bytes) != 0)
    return outOfMemory;
  *pointer = reinterpret_cast<uint64_t>(memory);
  std::lock_guard<std::mutex> lock(stateMutex);
  allocated.insert(*pointer);
  ++state.allocations;
  return 0;
}
int cuMemFree_v2(uint64_t pointer) {
  std::free(reinterpret_cast<void *>(pointer));
  std::lock_guard<std::mutex> lock(stateMutex);
  allocated.erase(pointer);
  ++state.frees;
  return 0;
}
int cuMemAllocHost_v2(void **pointer, size_t bytes) {
  if (posix_memalign(pointer, 4096, bytes) != 0)
    return outOfMemory;
  std::lock_guard<std::mutex> lock(stateMutex);
  pageLocked[*static_cast<char **>(static_cast<void *>(pointer))] = bytes;
  ++state.hostAllocations;
  return 0;
}
int cuMemFreeHost(void *pointer) {
  std::lock_guard<std::mutex> lock(stateMutex);
  pageLocked.erase(static_cast<char *>(pointer));
  ++state.hostFrees;
  return std::free(pointer), 0;
}
int cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  if (int failure = takeFailure())
    return failure;
  constexpr int alreadyRegistered = 712;
  auto *begin = static_cast<char *>(pointer);
  std::lock_guard<std::mutex> lock(stateMutex);
  for (const auto &[other, size] : pageLocked)
    if (begin < other + size && other < begin + bytes)
      return alreadyRegistered;
  pageLocked[begin] = bytes;
  ++state.registered;
  return 0;
}
int cuMemHostUnregister(void *pointer) {
  std::lock_guard<std::mutex> lock(stateMutex);
  ++state.unregistered;
  return pageLocked.erase(static_cast<char *>(pointer)) ? 0 : invalidValue;
}
/// Where the page-locked memory ends that a place is in; null where it is in none. Under the lock.
static char *endOfPageLocked(char *place) {
  auto after = pageLocked.upper_bound(place);
  if (after == pageLocked.begin())
    return nullptr;
  const auto &[begin, bytes] = *std::prev(after);
  return place < begin + bytes ? begin + bytes : nullptr;
}
/// Whether memory begins in what is page-locked and ends behind it, which no copy takes.
static bool isLockedInPart(const void *memory, size_t bytes) {
  std::lock_guard<std::mutex> lock(stateMutex);
  auto *begin = static_cast<char *>(const_cast<void *>(memory));
  char *const end = endOfPageLocked(begin);
  return end && begin + bytes > end;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
  if (isLockedInPart(from, bytes))
    return invalidValue;
  return std::memcpy(reinterpret_cast<void *>(to), from, bytes), 0;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  if (isLockedInPart(to, bytes))
    return invalidValue;
  return std::memcpy(to, reinterpret_cast<void *>(from), bytes), 0;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
  return std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes), 0;
}
struct FakeCopySide {
  size_t x, y;
  int type;
  char *host;
  uint64_t device;
  void *array;
  size_t pitch;
  char *row(size_t number) const { return (type == 1 ? host : reinterpret_cast<char *>(device)) + number * pitch; }
};
struct FakeCopy {
  FakeCopySide from, to;
  size_t width, rows;
};
int cuMemcpy2DAsync_v2(const FakeCopy *copy, void *) {
  if (int failure = takeFailure())
    return failure;
  for (size_t row = 0; row < copy->rows; ++row)
    std::memcpy(copy->to.row(row), copy->from.row(row), copy->width);
  return 0;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *) {
  return std::memset(reinterpret_cast<void *>(to), value, bytes), 0;
}
int cuStreamCreate(void **stream, unsigned) { return *stream = new char, 0; }
int cuStreamDestroy_v2(void *stream) { return delete static_cast<char *>(stream), 0; }
int cuStreamSynchronize(void *) { return (state.interrupted |= state.capturing) ? invalidCapture : 0; }

// A graph is the number of launches that were recorded; launching it records as many empty ones.
int cuStreamIsCapturing(void *, int *capturing) { return *capturing = state.capturing, 0; }
// All devices are one, which has all memory.
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address) { return *base = address, *bytes = 0, 0; }
int cuDeviceCanAccessPeer(int *can, int, int) { return *can = 1, 0; }
int cuCtxEnablePeerAccess(void *, unsigned) { return 0; }
int cuIpcGetMemHandle(void *handle, uint64_t address) { return std::memcpy(handle, &address, sizeof address), 0; }
struct IpcHandle {
  char bytes[64];
};
int cuIpcOpenMemHandle_v2(uint64_t *address, IpcHandle handle, unsigned) {
  return std::memcpy(address, handle.bytes, sizeof *address), 0;
}
int cuIpcCloseMemHandle(uint64_t) { return 0; }
// "Device memory" is what cuMemAlloc gave.
int cuPointerGetAttribute(unsigned *value, int attribute, uint64_t pointer) {
  std::lock_guard<std::mutex> lock(stateMutex);
  if (attribute == memoryType && endOfPageLocked(reinterpret_cast<char *>(pointer)))
    return *value = hostMemory, 0;
  if (!allocated.count(pointer))
    return invalidValue;
  return *value = attribute == memoryType ? deviceMemory : 0, 0;
}
int cuStreamBeginCapture_v2(void *, unsigned) { return state.capturedFrom = state.launches.size(), 0; }
int cuStreamEndCapture(void *, void **graph) {
  return *graph = new size_t(state.launches.size() - state.capturedFrom), 0;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
  if (int failure = takeFailure())
    return failure;
  ++state.graphsMade;
  return *executable = new size_t(*static_cast<size_t *>(graph)), 0;
}
int cuGraphDestroy(void *graph) { return delete static_cast<size_t *>(graph), 0; }
int cuGraphLaunch(void *executable, void *) {
  state.launches.resize(state.launches.size() + *static_cast<size_t *>(executable));
  return 0;
}
int cuGraphExecDestroy(void *executable) {
  delete static_cast<size_t *>(executable);
  ++state.graphsDestroyed;
  return 0;
}

using Clock = std::chrono::steady_clock;
int cuEventCreate(void **event, unsigned) { return *event = new Clock::time_point, 0; }
int cuEventDestroy_v2(void *event) { return delete static_cast<Clock::time_point *>(event), 0; }
int cuEventRecord(void *event, void *) { return *static_cast<Clock::time_point *>(event) = Clock::now(), 0; }
int cuEventSynchronize(void *) { return 0; }
int cuStreamWaitEvent(void *, void *, unsigned) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  auto time = *static_cast<Clock::time_point *>(end) - *static_cast<Clock::time_point *>(begin);
  *milliseconds = std::chrono::duration<float, std::milli>(time).count();
  return 0;
}
}
