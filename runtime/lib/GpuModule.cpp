//===- GpuModule.cpp - modules of GPU kernels -----------------------------===//

#include "Driver.h"
#include "HostModule.h"
#include "Meeting.h"
#include "Module.h"
#include "Status.h"
#include "WholeFile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

using namespace idc::runtime;

namespace {

struct GpuModule final : idc_module {
  GpuModule(Manifest manifest, const Driver &driver) : idc_module(std::move(manifest)), driver(driver) {}
  ~GpuModule() override {
    if (code) {
      ContextScope scope(driver, context);
      driver.moduleUnload(code);
    }
  }

  /// Loads the image and prepares every kernel of the manifest.
  idc_status load(const std::string &image);
  idc_status launch(int64_t batch, const Operands &operands, void *stream) const override;

private:
  /// A kernel of the image that is ready to be launched.
  struct Function {
    CUfunction code = nullptr;
    int64_t residentBlocks = 0; // of persistent kernels and teams: the largest grid
  };

  idc_status prepare(const Kernel &kernel);
  idc_status find(const Kernel &kernel, const std::string &name, Function &function) const;
  idc_status countResident(const Kernel &kernel, Function &function) const;

  const Driver &driver;
  CUcontext context = nullptr;
  CUmodule code = nullptr;
  std::vector<Function> functions; // one per kernel of the manifest
};

/// What a launch of a kernel needs beside its grid.
struct LaunchAttributes {
  CUlaunchAttribute list[3] = {};
  unsigned count = 0;

  explicit LaunchAttributes(const Kernel &kernel) {
    if (kernel.cluster > 1) {
      list[count].id = CUlaunchAttribute::ClusterDimension;
      list[count++].value.clusterDim = {unsigned(kernel.cluster), 1, 1};
    }
    if (kernel.team > 1)
      set(CUlaunchAttribute::Cooperative);
    if (kernel.dependent)
      set(CUlaunchAttribute::ProgrammaticStreamSerialization);
  }

private:
  void set(CUlaunchAttribute::Id id) {
    list[count].id = id;
    list[count++].value.flag = 1;
  }
};

CUlaunchConfig launchConfig(const Kernel &kernel, int64_t blocks, CUstream stream, LaunchAttributes &attributes) {
  return {unsigned(blocks), 1, 1, unsigned(kernel.threads), 1, 1, unsigned(kernel.sharedBytes), stream, attributes.list,
          attributes.count};
}

/// Refuses images that the driver would read beyond their end. PTX ends at a zero byte, which std::string provides; an
/// ELF image (cubin) and a fatbin carry their own lengths.
idc_status checkImage(const std::string &image) {
  struct FatbinHeader {
    uint32_t magic;
    uint16_t version, headerBytes;
    uint64_t payloadBytes;
  } header;
  constexpr uint32_t fatbinMagic = 0xba55ed50;
  if (image.empty())
    return fail(IDC_ERROR_IMAGE, "the image is empty");
  if (image.size() >= sizeof header) {
    std::memcpy(&header, image.data(), sizeof header);
    if (header.magic == fatbinMagic &&
        (header.headerBytes > image.size() || header.payloadBytes > image.size() - header.headerBytes))
      return fail(IDC_ERROR_IMAGE, "the fatbin is truncated: %zu bytes of %llu", image.size(),
                  static_cast<unsigned long long>(header.headerBytes + header.payloadBytes));
    if (header.magic == fatbinMagic)
      return IDC_SUCCESS;
  }
  // ELF64: the section header table, whose place and size stand in the header, comes within the file.
  constexpr size_t elfHeaderBytes = 64;
  if (image.compare(0, 4, "\177ELF") == 0) {
    uint64_t tableOffset = 0;
    uint16_t entryBytes = 0, entries = 0;
    if (image.size() >= elfHeaderBytes) {
      std::memcpy(&tableOffset, image.data() + 40, sizeof tableOffset);
      std::memcpy(&entryBytes, image.data() + 58, sizeof entryBytes);
      std::memcpy(&entries, image.data() + 60, sizeof entries);
    }
    if (image.size() < elfHeaderBytes || tableOffset > image.size() ||
        uint64_t(entryBytes) * entries > image.size() - tableOffset)
      return fail(IDC_ERROR_IMAGE, "the cubin is truncated: %zu bytes", image.size());
    return IDC_SUCCESS;
  }
  if (image.find(".version") == std::string::npos)
    return fail(IDC_ERROR_IMAGE, "the image is neither a fatbin, nor a cubin, nor PTX");
  return IDC_SUCCESS;
}

idc_status GpuModule::load(const std::string &image) {
  if (idc_status status = checkImage(image))
    return status;
  if (idc_status status = driver.ensureContext())
    return status;
  if (idc_status status = driver.check(driver.contextGetCurrent(&context), "reading the current context"))
    return status;
  char log[512] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  CUresult result = driver.moduleLoad(&code, image.c_str(), 2, options, values);
  if (result != CUDA_SUCCESS) {
    code = nullptr;
    idc_status status = driver.check(result, "loading the image");
    if (!log[0])
      return status;
    std::string detail = idc_last_error();
    return fail(status, "%s: %s", detail.c_str(), log);
  }
  for (const Kernel &kernel : manifest.kernels)
    if (idc_status status = prepare(kernel))
      return status;
  return IDC_SUCCESS;
}

idc_status GpuModule::prepare(const Kernel &kernel) {
  Function function;
  if (idc_status status = find(kernel, kernel.name, function))
    return status;
  if (function.residentBlocks < kernel.team && !kernel.anyGrid.empty())
    if (idc_status status = find(kernel, kernel.anyGrid, function))
      return status;
  if (kernel.fitsDevice() && function.residentBlocks == 0)
    return fail(IDC_ERROR_UNSUPPORTED, "not even 1 block of kernel '%s' fits this device", kernel.name.c_str());
  if (function.residentBlocks < kernel.team && kernel.team > 1 && kernel.anyGrid.empty())
    return fail(IDC_ERROR_UNSUPPORTED, "the %lld blocks of kernel '%s' that wait for each other do not fit this device",
                static_cast<long long>(kernel.team), kernel.name.c_str());
  functions.push_back(function);
  return IDC_SUCCESS;
}

/// Finds the code of a kernel, under its name or that of its second form, and makes it ready.
idc_status GpuModule::find(const Kernel &kernel, const std::string &name, Function &found) const {
  CUfunction &function = found.code;
  CUresult result = driver.moduleGetFunction(&function, code, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return fail(IDC_ERROR_IMAGE, "the image has no kernel '%s'", name.c_str());
  if (idc_status status = driver.check(result, "finding a kernel"))
    return status;
  bool plain = LaunchAttributes(kernel).count == 0;
  if (!plain && (!driver.launchKernelEx || !driver.occupancyClusters))
    return fail(IDC_ERROR_UNSUPPORTED, "kernel '%s' needs a driver of CUDA 11.8 or later", kernel.name.c_str());
  if (kernel.sharedBytes > 0 &&
      driver.functionSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel.sharedBytes))
    return fail(IDC_ERROR_UNSUPPORTED, "kernel '%s' needs %d bytes of shared memory, more than this device has",
                kernel.name.c_str(), kernel.sharedBytes);
  constexpr int portableCluster = 8;
  if (kernel.cluster > portableCluster &&
      driver.functionSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1))
    return fail(IDC_ERROR_UNSUPPORTED, "kernel '%s' needs clusters of %d blocks, which this device does not allow",
                kernel.name.c_str(), kernel.cluster);
  // A kernel that waits for another device's must not wait for the loading of code behind it, which asking for the
  // number of its blocks does now.
  return kernel.fitsDevice() || manifest.devices > 1 ? countResident(kernel, found) : IDC_SUCCESS;
}

/// The part of the device's multiprocessors that kernels may fill which take as many blocks as it holds.
int64_t usedMultiprocessors(int64_t all) {
  const char *limit = std::getenv("IDC_MULTIPROCESSORS");
  const long long most = limit ? std::strtoll(limit, nullptr, 10) : 0;
  return most > 0 ? std::min<int64_t>(all, most) : all;
}

idc_status GpuModule::countResident(const Kernel &kernel, Function &function) const {
  int groups = 0, multiprocessors = 1; // groups: clusters of the device, or blocks of a multiprocessor
  CUdevice device = 0;
  CUresult result = driver.contextGetDevice(&device);
  if (result == CUDA_SUCCESS)
    result = driver.deviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  if (result == CUDA_SUCCESS && kernel.cluster > 1) {
    LaunchAttributes attributes(kernel);
    CUlaunchConfig config = launchConfig(kernel, kernel.cluster, nullptr, attributes);
    result = driver.occupancyClusters(&groups, function.code, &config);
  } else if (result == CUDA_SUCCESS) {
    result = driver.occupancyBlocks(&groups, function.code, kernel.threads, size_t(kernel.sharedBytes));
  }
  if (idc_status status = driver.check(result, "counting the blocks that fit the device"))
    return status;
  const int64_t used = usedMultiprocessors(multiprocessors), least = std::min(groups, 1);
  const int64_t held = kernel.cluster > 1 ? std::max(least, groups * used / multiprocessors) : groups * used;
  if (kernel.fitsDevice())
    function.residentBlocks = kernel.largestGrid(held * kernel.cluster);
  return IDC_SUCCESS;
}

idc_status GpuModule::launch(int64_t batch, const Operands &operands, void *stream) const {
  ContextScope scope(driver, context);
  if (scope.status())
    return scope.status();
  if (manifest.workspaceZeroedBytes) {
    CUresult result = driver.setBytes(reinterpret_cast<CUdeviceptr>(operands.workspace), 0,
                                      size_t(manifest.workspaceZeroedBytes), static_cast<CUstream>(stream));
    if (idc_status status = driver.check(result, "setting the counters to 0"))
      return status;
  }
  for (size_t k = 0; k < functions.size(); ++k) {
    const Kernel &kernel = manifest.kernels[k];
    uint64_t values[maxKernelArguments]; // pointers and the batch are 8 bytes each
    void *arguments[maxKernelArguments];
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      const Argument &argument = kernel.arguments[i];
      void *pointer = pointerFor(argument, batch, operands);
      switch (argument.kind) {
      case Argument::Kind::Batch:
        values[i] = uint64_t(batch);
        break;
      case Argument::Kind::Device:
        values[i] = uint64_t(operands.peers->device());
        break;
      case Argument::Kind::Meeting:
        values[i] = reinterpret_cast<uint64_t>(operands.peers->meeting(argument.device));
        break;
      case Argument::Kind::Report:
        values[i] = reinterpret_cast<uint64_t>(operands.peers->report());
        break;
      case Argument::Kind::Launched:
        values[i] = launchedNumber(manifest, batch);
        break;
      default:
        if (argument.device >= 0 && argument.device != operands.peers->device())
          pointer = operands.peers->at(pointer, argument.device);
        values[i] = reinterpret_cast<uint64_t>(pointer);
      }
      arguments[i] = argument.kind == Argument::Kind::Scalar ? pointer : &values[i]; // the driver copies what it needs
    }

    int64_t blocks = kernel.blocks(batch);
    if (functions[k].residentBlocks)
      blocks = std::min(blocks, functions[k].residentBlocks);
    LaunchAttributes attributes(kernel);
    CUlaunchConfig config = launchConfig(kernel, blocks, static_cast<CUstream>(stream), attributes);
    CUresult result = attributes.count == 0
                          ? driver.launchKernel(functions[k].code, config.gridDimX, 1, 1, config.blockDimX, 1, 1,
                                                config.sharedMemBytes, config.stream, arguments, nullptr)
                          : driver.launchKernelEx(&config, functions[k].code, arguments, nullptr);
    if (result != CUDA_SUCCESS)
      return driver.check(result, kernel.name.c_str());
  }
  return IDC_SUCCESS;
}

} // namespace

idc_status idc::runtime::loadGpuModule(const std::string &image, Manifest manifest, const Driver &driver,
                                       std::unique_ptr<idc_module> &module) {
  auto loaded = std::make_unique<GpuModule>(std::move(manifest), driver);
  if (idc_status status = loaded->load(image))
    return status;
  module = std::move(loaded);
  return IDC_SUCCESS;
}

idc_status idc_module_load(const void *image, size_t image_bytes, const char *manifest_json, size_t manifest_bytes,
                           idc_module **module) {
  return idc_host_module_load(image, image_bytes, manifest_json, manifest_bytes, nullptr, nullptr, module);
}

idc_status idc_host_module_load(const void *image, size_t image_bytes, const char *manifest_json, size_t manifest_bytes,
                                idc_cpu_lookup lookup, void *user, idc_module **module) {
  if (!module)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'module' must not be null");
  *module = nullptr;
  if (!image || !manifest_json)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", image ? "manifest_json" : "image");
  return guarded([&]() -> idc_status {
    std::optional<Manifest> manifest;
    try {
      manifest = parseManifest({manifest_json, manifest_bytes});
    } catch (const ManifestError &error) {
      return fail(IDC_ERROR_MANIFEST, "%s", error.what());
    }
    if (manifest->isCpu())
      return fail(IDC_ERROR_INVALID_ARGUMENT, "the manifest's target is the CPU; it describes no image");
    const Driver *driver = nullptr;
    if (idc_status status = Driver::get(driver))
      return status;
    const std::string copied(static_cast<const char *>(image), image_bytes);
    std::unique_ptr<idc_module> loaded;
    if (idc_status status = manifest->passes.empty()
                                ? loadGpuModule(copied, std::move(*manifest), *driver, loaded)
                                : loadHostModule(copied, std::move(*manifest), *driver, lookup, user, loaded))
      return status;
    *module = loaded.release();
    return IDC_SUCCESS;
  });
}

idc_status idc_module_load_files(const char *image_path, const char *manifest_path, idc_module **module) {
  if (!module)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'module' must not be null");
  *module = nullptr;
  if (!image_path || !manifest_path)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", image_path ? "manifest_path" : "image_path");
  return guarded([&]() -> idc_status {
    constexpr int64_t largest = int64_t(1) << 30;
    std::string image, manifest;
    try {
      image = readFile(image_path, largest);
      manifest = readFile(manifest_path, largest);
    } catch (const FileError &error) {
      return fail(IDC_ERROR_FILE, "%s", error.what());
    }
    return idc_module_load(image.data(), image.size(), manifest.data(), manifest.size(), module);
  });
}
