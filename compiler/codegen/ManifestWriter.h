// The manifest: what a loader needs to know of a set of kernels, as JSON. runtime/manifest.md defines its fields.
#pragma once

#include "compiler/codegen/Toolkit.h"
#include "compiler/conversion/Buffers.h"
#include "compiler/frontend/Elaborated.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace idc::codegen {

/// The version of runtime/manifest.md that manifests of modules and libraries are written in, their field `idc`.
constexpr int manifestVersion = 2;

struct ManifestArray {
  std::string name, type; // as spelled in the source language
  int64_t elementBytes = 0, elements = 0;
  digits::ArrayLayout layout = {}; // without dimensions: dense
  bool isOutput = false;
  int64_t alignment = 0;                                    // of its pointers in bytes; 0: as the layout says
  std::vector<std::pair<std::string, int64_t>> planes = {}; // names and bytes, where it is planar
  std::vector<int64_t> inPlace = {};                        // of an output: the inputs whose memory it may have
  /// Of several devices each has a part of it, and `elements` are those of one: the digits of an element's number in
  /// the whole that number its device, by how many elements are below a digit, and its radix, least significant first.
  std::vector<std::pair<int64_t, int64_t>> deviceDigits = {};
  std::optional<conversion::Buffer> hostPlace = {}; // of a pass: which array of the host it is a part of,
  bool isReached = false;                           // and whether kernels take that where it lies
};

/// A run-time scalar, given to a launch by value.
struct ManifestScalar {
  std::string name, type;
  int64_t bytes = 0;
  std::vector<frontend::Requirement> required = {};
};

/// A pass over data in host memory: what its kernels take, chunk by chunk.
struct ManifestPass {
  std::vector<ManifestArray> inputs, outputs;
  int64_t chunks = 1;
  const std::vector<conversion::LoweredKernel> *kernels = nullptr;
  /// The CPU of the host takes so many, the last ones, by these kernels.
  int64_t cpuChunks = 0;
  const std::vector<conversion::LoweredKernel> *cpuKernels = nullptr;
};

struct ManifestInfo {
  std::string entry, symbol, target, plan = "throughput";
  std::vector<std::pair<std::string, int64_t>> sizes;
  std::vector<std::pair<std::string, std::string>> types;
  std::vector<ManifestArray> inputs, outputs;
  std::vector<ManifestScalar> scalars;
  int64_t devices = 1; // that work on each problem together
  /// Of a program whose arrays lie in host memory: the device memory that it was made for, the workspace in host memory
  /// and its passes, in place of kernels.
  int64_t memoryBytes = 0, hostBytesPerProblem = 0, hostFixedBytes = 0;
  std::vector<ManifestPass> passes = {};
};

/// `resources` may be empty (no ptxas): then the fields registers, spillBytes and localBytes are null.
std::string writeManifest(const ManifestInfo &info, const std::vector<conversion::LoweredKernel> &kernels,
                          const std::map<std::string, KernelResources> &resources);

} // namespace idc::codegen
