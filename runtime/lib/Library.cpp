//===- Library.cpp - generated libraries ----------------------------------===//
//
// What is loaded of a library hangs on its `state`. It only grows until the library is unloaded, so that launches read
// it without a lock: the list of places and each place's modules are published by release stores.
//
//===----------------------------------------------------------------------===//

#include "idc/library.h"

#include "Checksum.h"
#include "Group.h"
#include "Module.h"
#include "Passes.h"
#include "Status.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

using namespace idc::runtime;

namespace {

/// A library's modules in one context of a GPU, or on the CPU (without a context).
struct Place {
  Place(CUcontext context, int32_t target, int32_t points)
      : context(context), target(target), modules(new std::atomic<idc_module *>[size_t(points)]()), points(points) {}
  ~Place() {
    for (int32_t i = 0; i < points; ++i)
      idc_module_unload(modules[i].load());
  }

  const CUcontext context;
  const int32_t target;                                 // number in the library's list
  std::unique_ptr<std::atomic<idc_module *>[]> modules; // one per point; null: not loaded
  const int32_t points;
  Place *next = nullptr;
};

struct State {
  std::mutex loading;
  std::atomic<Place *> places{nullptr};

  ~State() {
    for (Place *place = places.load(); place;)
      delete std::exchange(place, place->next);
  }
};

/// Finds what serves a call on a library.
class Call {
public:
  explicit Call(idc_library &library) : library(library) {}

  /// The loaded module of a point for a stream, loaded now if need be.
  idc_status module(int32_t point, void *stream, const idc_module *&result);
  /// Loads all points into the current context or for the CPU.
  idc_status loadAll(bool cpu);

  bool hasCpu() const { return isCpu(library.target_count - 1); }
  bool hasGpu() const { return !isCpu(0); }

private:
  bool isCpu(int32_t target) const { return !std::strcmp(library.targets[target], "cpu"); }
  State &state();
  idc_status context(bool cpu, CUcontext &result) const;
  idc_status chooseTarget(bool cpu, int32_t &target) const;
  /// Both with the lock held.
  idc_status makePlace(CUcontext context, bool cpu, Place *&result);
  idc_status load(Place &place, int32_t point);

  static Place *find(const State &state, CUcontext context) {
    Place *place = state.places.load(std::memory_order_acquire);
    while (place && place->context != context)
      place = place->next;
    return place;
  }

  idc_library &library;
};

State &Call::state() {
  auto *current = static_cast<State *>(__atomic_load_n(&library.state, __ATOMIC_ACQUIRE));
  if (current)
    return *current;
  auto made = std::make_unique<State>();
  void *expected = nullptr;
  if (__atomic_compare_exchange_n(&library.state, &expected, made.get(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return *made.release();
  return *static_cast<State *>(expected);
}

/// The context to run in; null for the CPU.
idc_status Call::context(bool cpu, CUcontext &result) const {
  result = nullptr;
  if (cpu)
    return hasCpu() ? IDC_SUCCESS
                    : fail(IDC_ERROR_UNSUPPORTED, "%s was compiled without code for the CPU", library.name);
  const Driver *driver = nullptr;
  if (idc_status status = Driver::get(driver))
    return status;
  if (idc_status status = driver->ensureContext())
    return status;
  return driver->check(driver->contextGetCurrent(&result), "reading the current context");
}

/// Code for an architecture runs on devices of the same major version and at least its minor one. The newest
/// architecture's images also hold PTX, from which the driver makes code for every later device.
idc_status Call::chooseTarget(bool cpu, int32_t &target) const {
  if (cpu) {
    target = library.target_count - 1;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
      return fail(IDC_ERROR_UNSUPPORTED, "%s needs a processor with AVX2, FMA and BMI2 (x86-64-v3)", library.name);
#endif
    return IDC_SUCCESS;
  }
  const Driver *driver = nullptr;
  if (idc_status status = Driver::get(driver))
    return status;
  CUdevice device = 0;
  int major = 0, minor = 0;
  CUresult result = driver->contextGetDevice(&device);
  if (result == CUDA_SUCCESS)
    result = driver->deviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result == CUDA_SUCCESS)
    result = driver->deviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  if (idc_status status = driver->check(result, "reading the device's architecture"))
    return status;
  std::string known;
  target = -1;
  bool newest = true;
  for (int32_t i = library.target_count - 1 - hasCpu(); i >= 0; --i, newest = false) {
    int architecture = std::atoi(library.targets[i] + std::strlen("sm_")), own = 10 * major + minor;
    if (architecture <= own && (newest || architecture / 10 == major)) {
      target = i;
      return IDC_SUCCESS;
    }
    known.insert(0, std::string(" ") + library.targets[i]);
  }
  return fail(IDC_ERROR_UNSUPPORTED, "%s was compiled for%s, and the device is sm_%d%d", library.name, known.c_str(),
              major, minor);
}

idc_status Call::makePlace(CUcontext context, bool cpu, Place *&result) {
  State &known = state();
  if ((result = find(known, context)))
    return IDC_SUCCESS;
  int32_t target = 0;
  if (idc_status status = chooseTarget(cpu, target))
    return status;
  result = new Place(context, target, library.point_count);
  result->next = known.places.load(std::memory_order_relaxed);
  known.places.store(result, std::memory_order_release);
  return IDC_SUCCESS;
}

idc_status Call::load(Place &place, int32_t point) {
  if (place.modules[point].load(std::memory_order_relaxed))
    return IDC_SUCCESS;
  const idc_library_instance &instance = library.instances[int64_t(point) * library.target_count + place.target];
  if (checksum(instance.image, instance.image_bytes, instance.manifest, instance.manifest_bytes) != instance.checksum)
    return fail(IDC_ERROR_IMAGE, "the code of %s for %s is damaged: its checksum is wrong", library.name,
                library.targets[place.target]);
  idc_module *module = nullptr;
  idc_status status;
  struct Next {
    const idc_cpu_kernel *kernel, *end;
  } next{instance.kernels, instance.kernels + instance.kernel_count};
  auto lookup = [](const char *, void *user) -> idc_cpu_kernel {
    auto &next = *static_cast<Next *>(user);
    return next.kernel == next.end ? nullptr : *next.kernel++;
  };
  if (isCpu(place.target)) {
    status = idc_cpu_module_create(instance.manifest, size_t(instance.manifest_bytes), lookup, &next, &module);
  } else if (instance.kernel_count) {
    status = idc_host_module_load(instance.image, size_t(instance.image_bytes), instance.manifest,
                                  size_t(instance.manifest_bytes), lookup, &next, &module);
  } else {
    status = idc_module_load(instance.image, size_t(instance.image_bytes), instance.manifest,
                             size_t(instance.manifest_bytes), &module);
  }
  if (status == IDC_SUCCESS)
    place.modules[point].store(module, std::memory_order_release);
  return status;
}

idc_status Call::module(int32_t point, void *stream, const idc_module *&result) {
  bool cpu = stream == IDC_CPU || !hasGpu();
  CUcontext current = nullptr;
  if (idc_status status = context(cpu, current))
    return status;
  State &known = state();
  Place *place = find(known, current);
  if (place && (result = place->modules[point].load(std::memory_order_acquire)))
    return IDC_SUCCESS;

  if (!cpu) {
    const Driver *driver = nullptr;
    if (idc_status status = Driver::get(driver))
      return status;
    bool capturing = false;
    if (idc_status status = driver->isCapturing(stream, capturing))
      return status;
    if (capturing)
      return fail(IDC_ERROR_NOT_LOADED, "%s is not loaded and the stream is capturing a graph: call %s_load() before",
                  library.name, library.name);
  }
  std::lock_guard<std::mutex> lock(known.loading);
  if (idc_status status = makePlace(current, cpu, place))
    return status;
  if (idc_status status = load(*place, point))
    return status;
  result = place->modules[point].load(std::memory_order_relaxed);
  return IDC_SUCCESS;
}

idc_status Call::loadAll(bool cpu) {
  CUcontext current = nullptr;
  if (idc_status status = context(cpu, current))
    return status;
  std::lock_guard<std::mutex> lock(state().loading);
  Place *place = nullptr;
  if (idc_status status = makePlace(current, cpu, place))
    return status;
  for (int32_t point = 0; point < library.point_count; ++point)
    if (idc_status status = load(*place, point))
      return status;
  return IDC_SUCCESS;
}

idc_status checkVersion(const idc_library *library) {
  if (!library)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'library' must not be null");
  if (library->abi != IDC_LIBRARY_ABI)
    return fail(IDC_ERROR_UNSUPPORTED,
                "a library was made by another idc, whose runtime has interface %d; this one has %d: compile it again "
                "or link the runtime of the same version",
                library->abi, IDC_LIBRARY_ABI);
  return IDC_SUCCESS;
}

/// The number of the point with these sizes, or -1.
int32_t findPoint(const idc_library &library, const int64_t *sizes) {
  const size_t count = size_t(library.size_count);
  for (int32_t point = 0; point < library.point_count; ++point)
    if (std::equal(sizes, sizes + count, library.points + size_t(point) * count))
      return point;
  return -1;
}

/// Checks version and sizes.
idc_status choosePoint(const idc_library *library, const int64_t *sizes, int32_t &point) {
  if (idc_status status = checkVersion(library))
    return status;
  point = findPoint(*library, sizes);
  if (point >= 0)
    return IDC_SUCCESS;
  std::string asked, last;
  for (int32_t i = 0; i < library->size_count; ++i) {
    std::string name = std::string(i ? ", " : "") + library->size_names[i] + " = ";
    asked += name + std::to_string(sizes[i]);
    int64_t most = library->points[int64_t(library->point_count - 1) * library->size_count + i];
    last += name + std::to_string(library->points[i]) + " .. " + std::to_string(most);
  }
  return fail(IDC_ERROR_UNSUPPORTED, "%s was not compiled for %s, but for %s", library->name, asked.c_str(),
              last.c_str());
}

/// Launches the loaded module of the point with these sizes; a batch of 0 does nothing.
template <typename Launch>
idc_status launchPoint(idc_library *library, const int64_t *sizes, int64_t batch, void *stream, Launch launch) {
  return guarded([&]() -> idc_status {
    int32_t point = 0;
    if (idc_status status = choosePoint(library, sizes, point))
      return status;
    if (batch == 0)
      return IDC_SUCCESS;
    const idc_module *module = nullptr;
    if (idc_status status = Call(*library).module(point, stream, module))
      return status;
    return launch(module);
  });
}

} // namespace

int32_t idc_library_supported(const idc_library *library, const int64_t *sizes) {
  return checkVersion(library) == IDC_SUCCESS && findPoint(*library, sizes) >= 0;
}

int64_t idc_library_workspace_size(const idc_library *library, const int64_t *sizes, int64_t batch) {
  int64_t most = 0;
  idc_status status = guarded([&]() -> idc_status {
    int32_t point = 0;
    if (idc_status status = choosePoint(library, sizes, point))
      return status;
    if (batch < 0)
      return fail(IDC_ERROR_INVALID_ARGUMENT, "the batch is %lld; it must not be negative",
                  static_cast<long long>(batch));
    for (int32_t target = 0; target < library->target_count && batch > 0; ++target) {
      const idc_library_instance &instance = library->instances[int64_t(point) * library->target_count + target];
      int64_t bytes = 0;
      if (__builtin_mul_overflow(instance.workspace_bytes_per_problem, batch, &bytes) ||
          __builtin_add_overflow(instance.workspace_fixed_bytes, bytes, &bytes))
        return fail(IDC_ERROR_TOO_LARGE, "the workspace exceeds 2^63 - 1 bytes at batch %lld",
                    static_cast<long long>(batch));
      most = std::max(most, bytes);
    }
    return IDC_SUCCESS;
  });
  return status == IDC_SUCCESS ? most : -int64_t(status);
}

idc_status idc_library_load(idc_library *library) {
  return guarded([&]() -> idc_status {
    if (idc_status status = checkVersion(library))
      return status;
    Call call(*library);
    if (call.hasCpu())
      if (idc_status status = call.loadAll(/*cpu=*/true))
        return status;
    if (!call.hasGpu())
      return IDC_SUCCESS;
    idc_status status = idc_device_available();
    bool absent = status == IDC_ERROR_NO_DRIVER || status == IDC_ERROR_NO_DEVICE;
    return absent && call.hasCpu() ? IDC_SUCCESS : call.loadAll(/*cpu=*/false);
  });
}

void idc_library_unload(idc_library *library) {
  if (library && library->abi == IDC_LIBRARY_ABI)
    delete static_cast<State *>(__atomic_exchange_n(&library->state, nullptr, __ATOMIC_ACQ_REL));
}

idc_status idc_library_launch(idc_library *library, const int64_t *sizes, int64_t batch, const void *const *inputs,
                              const void *const *scalars, void *const *outputs, void *workspace, void *stream) {
  return launchPoint(library, sizes, batch, stream, [&](const idc_module *module) {
    return idc_launch(module, batch, inputs, scalars, outputs, workspace, stream);
  });
}

idc_status idc_library_group_launch(idc_library *library, const idc_group *group, const int64_t *sizes, int64_t batch,
                                    const void *const *inputs, const void *const *scalars, void *const *outputs,
                                    void *workspace, void *stream) {
  return guarded([&]() -> idc_status {
    if (!group)
      return fail(IDC_ERROR_INVALID_ARGUMENT, "'group' must not be null");
    int32_t point = 0;
    if (idc_status status = choosePoint(library, sizes, point))
      return status;
    const Driver *driver = nullptr;
    if (idc_status status = Driver::get(driver))
      return status;
    ContextScope scope(*driver, contextOf(*group));
    if (scope.status())
      return scope.status();
    const idc_module *module = nullptr;
    if (idc_status status = Call(*library).module(point, stream, module))
      return status;
    return idc_group_launch(group, module, batch, inputs, scalars, outputs, workspace, stream);
  });
}

int64_t idc_library_memory_size(const idc_library *library, const int64_t *sizes) {
  int64_t most = 0;
  idc_status status = guarded([&]() -> idc_status {
    int32_t point = 0;
    if (idc_status status = choosePoint(library, sizes, point))
      return status;
    for (int32_t target = 0; target < library->target_count; ++target) {
      const idc_library_instance &instance = library->instances[int64_t(point) * library->target_count + target];
      const Manifest manifest = parseManifest({instance.manifest, size_t(instance.manifest_bytes)});
      most = std::max(most, manifest.memoryBytes ? deviceBytes(manifest) : 0);
    }
    return IDC_SUCCESS;
  });
  return status == IDC_SUCCESS ? most : -int64_t(status);
}

idc_status idc_library_host_launch(idc_library *library, const int64_t *sizes, int64_t batch, const void *const *inputs,
                                   const void *const *scalars, void *const *outputs, void *workspace, void *memory,
                                   int64_t memory_bytes, idc_progress progress, void *user, void *stream) {
  return launchPoint(library, sizes, batch, stream, [&](const idc_module *module) {
    if (!idc_module_is_host(module))
      return idc_launch(module, batch, inputs, scalars, outputs, workspace, stream);
    const idc_host_call call{inputs, scalars, outputs, workspace, memory, memory_bytes, progress, user};
    return idc_host_launch(module, batch, &call, stream);
  });
}
