#include "compiler/codegen/ManifestWriter.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace idc;
using namespace idc::codegen;
using conversion::Buffer;

static void writeLayout(llvm::json::OStream &json, const ManifestArray &array) {
  const digits::ArrayLayout &layout = array.layout;
  int64_t alignment = array.planes.empty() ? layout.pointerAlignment(array.elementBytes) : 1;
  for (const auto &[name, bytes] : array.planes)
    alignment = std::max(alignment, layout.pointerAlignment(bytes));
  json.attributeObject("layout", [&] {
    auto list = [&](const char *key, int64_t digits::ArrayLayout::Dimension::*field) {
      json.attributeArray(key, [&] {
        for (const digits::ArrayLayout::Dimension &dimension : llvm::reverse(layout.dimensions))
          json.value(dimension.*field);
      });
    };
    list("sizes", &digits::ArrayLayout::Dimension::size);
    list("strides", &digits::ArrayLayout::Dimension::stride);
    json.attribute("offset", layout.offset);
    json.attribute("batch", layout.batchStride);
    json.attribute("alignment", alignment);
    if (int64_t most = array.isOutput ? layout.mostProblems() : -1; most >= 0)
      json.attribute("mostProblems", most);
    if (!array.planes.empty())
      json.attributeArray("planes", [&] {
        for (const std::pair<std::string, int64_t> &plane : array.planes)
          json.object([&] {
            json.attribute("name", plane.first);
            json.attribute("bytes", plane.second);
          });
      });
  });
}

/// Where an array lies: {"input": 0}, {"output": 0} or {"workspace": bytes}, per problem.
static void writePlace(llvm::json::OStream &json, const Buffer &buffer) {
  if (buffer.kind == Buffer::Kind::Input)
    json.attribute("input", buffer.index);
  else if (buffer.kind == Buffer::Kind::Output)
    json.attribute("output", buffer.index);
  else
    json.attribute("workspace", buffer.offsetPerProblem);
}

static void writeArrays(llvm::json::OStream &json, const char *key, const std::vector<ManifestArray> &arrays) {
  json.attributeArray(key, [&] {
    for (const ManifestArray &array : arrays)
      json.object([&] {
        json.attribute("name", array.name);
        json.attribute("type", array.type);
        json.attribute("elementBytes", array.elementBytes);
        json.attribute("elements", array.elements);
        if (!array.layout.dimensions.empty() && !array.layout.isDense())
          writeLayout(json, array);
        if (array.alignment)
          json.attribute("alignment", array.alignment);
        if (!array.deviceDigits.empty())
          json.attributeArray("devices", [&] {
            for (const auto &[below, radix] : llvm::reverse(array.deviceDigits))
              json.object([&, below = below, radix = radix] {
                json.attribute("below", below);
                json.attribute("radix", radix);
              });
          });
        if (array.hostPlace)
          json.attributeObject("host", [&] {
            writePlace(json, *array.hostPlace);
            if (array.isReached)
              json.attribute("reached", true);
          });
        if (!array.inPlace.empty())
          json.attribute("inPlace", llvm::json::Array(array.inPlace));
      });
  });
}

static void writeArguments(llvm::json::OStream &json, const conversion::LoweredKernel &kernel, int64_t fixedBytes) {
  json.attributeArray("args", [&] {
    for (int64_t device = 0; kernel.isMeeting && device < kernel.devices; ++device)
      json.object([&] { json.attribute("meeting", device); });
    if (kernel.isMeeting)
      for (const char *what : {"report", "launched"})
        json.object([&] { json.attribute(what, true); });
    for (const Buffer &buffer : kernel.buffers)
      for (int64_t pointer = 0; pointer < buffer.pointers(); ++pointer)
        json.object([&] {
          const int64_t plane = pointer % buffer.planes;
          if (buffer.kind == Buffer::Kind::Input)
            json.attribute("input", buffer.index);
          else if (buffer.kind == Buffer::Kind::Output)
            json.attribute("output", buffer.index);
          else {
            json.attribute("workspace", fixedBytes);
            json.attribute("perProblem", buffer.offsetPerProblem);
          }
          if (buffer.peers)
            json.attribute("device", pointer / buffer.planes);
          if (plane > 0)
            json.attribute("plane", plane);
        });
    for (const conversion::ScalarArgument &scalar : kernel.scalars)
      json.object([&] {
        json.attribute("scalar", scalar.index);
        json.attribute("offset", scalar.offset);
        json.attribute("bytes", scalar.bytes);
      });
    if (kernel.devices > 1)
      json.object([&] { json.attribute("ownDevice", true); });
    if (kernel.hasRing())
      json.object([&] { json.attribute("workspace", kernel.ringOffset); });
    if (kernel.hasCounter())
      json.object([&] { json.attribute("workspace", kernel.counterOffset); });
    json.object([&] { json.attribute("batch", true); });
  });
}

/// An integer is written as one: 64 bits of it are more than a double has.
static void writeRequirement(llvm::json::OStream &json, const frontend::Requirement &required) {
  json.attribute("is", required.is);
  if (required.number == std::floor(required.number) && std::fabs(required.number) < 0x1p63L)
    json.attribute("number", static_cast<int64_t>(required.number));
  else
    json.attribute("number", static_cast<double>(required.number));
  json.attribute("message", required.message);
}

/// Workspace and kernels.
static void writeKernels(llvm::json::OStream &json, const std::vector<conversion::LoweredKernel> &kernels,
                         const std::map<std::string, KernelResources> &resources) {
  const int64_t fixedBytes = conversion::fixedBytes(kernels);
  json.attributeObject("workspace", [&] {
    json.attribute("bytesPerProblem", conversion::workspaceBytes(kernels));
    json.attribute("fixedBytes", fixedBytes);
    json.attribute("zeroedBytes", conversion::counterBytes(kernels));
  });
  json.attributeArray("kernels", [&] {
    for (const conversion::LoweredKernel &kernel : kernels)
      json.object([&] {
        json.attribute("name", kernel.name);
        json.attribute("threads", kernel.threads);
        if (kernel.residentBlocks)
          json.attribute("residentBlocks", kernel.residentBlocks);
        json.attribute("cluster", kernel.launch.cluster);
        if (kernel.launch.team > 1)
          json.attribute("team", kernel.launch.team);
        if (!kernel.anyGrid.empty())
          json.attribute("anyGrid", kernel.anyGrid);
        if (kernel.launch.persistent)
          json.attribute("persistent", true);
        if (kernel.launch.dependent)
          json.attribute("dependent", true);
        json.attribute("problemsPerBlockGroup", kernel.problemsPerBlockGroup);
        json.attribute("blocksPerGroup", kernel.blocksPerGroup);
        if (kernel.delay) {
          json.attribute("passes", 1);
          json.attribute("delay", kernel.delay);
        }
        json.attribute("sharedBytes", kernel.sharedBytes);
        auto found = resources.find(kernel.name);
        auto resource = [&](const char *key, int64_t KernelResources::*field) {
          if (found == resources.end())
            json.attribute(key, nullptr);
          else
            json.attribute(key, found->second.*field);
        };
        resource("registers", &KernelResources::registers);
        resource("spillBytes", &KernelResources::spillBytes);
        resource("localBytes", &KernelResources::localBytes);
        writeArguments(json, kernel, fixedBytes);
      });
  });
}

std::string codegen::writeManifest(const ManifestInfo &info, const std::vector<conversion::LoweredKernel> &kernels,
                                   const std::map<std::string, KernelResources> &resources) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("idc", manifestVersion);
    json.attribute("entry", info.entry);
    json.attribute("symbol", info.symbol);
    json.attributeObject("sizes", [&] {
      for (const auto &[name, value] : info.sizes)
        json.attribute(name, value);
    });
    json.attributeObject("types", [&] {
      for (const auto &[name, value] : info.types)
        json.attribute(name, value);
    });
    json.attribute("target", info.target);
    if (info.devices > 1)
      json.attribute("devices", info.devices);
    json.attribute("plan", info.plan);
    writeArrays(json, "inputs", info.inputs);
    json.attributeArray("scalars", [&] {
      for (const ManifestScalar &scalar : info.scalars)
        json.object([&] {
          json.attribute("name", scalar.name);
          json.attribute("type", scalar.type);
          json.attribute("bytes", scalar.bytes);
          if (!scalar.required.empty())
            json.attributeArray("required", [&] {
              for (const frontend::Requirement &required : scalar.required)
                json.object([&] { writeRequirement(json, required); });
            });
        });
    });
    writeArrays(json, "outputs", info.outputs);
    if (info.passes.empty()) {
      writeKernels(json, kernels, resources);
      return;
    }
    json.attribute("memory", info.memoryBytes);
    json.attributeObject("workspace", [&] {
      json.attribute("bytesPerProblem", info.hostBytesPerProblem);
      json.attribute("fixedBytes", info.hostFixedBytes);
    });
    json.attributeArray("passes", [&] {
      for (const ManifestPass &pass : info.passes)
        json.object([&] {
          if (pass.chunks > 1)
            json.attribute("devices", pass.chunks);
          writeArrays(json, "inputs", pass.inputs);
          writeArrays(json, "outputs", pass.outputs);
          writeKernels(json, *pass.kernels, resources);
          if (pass.cpuChunks)
            json.attributeObject("cpu", [&] {
              json.attribute("chunks", pass.cpuChunks);
              writeKernels(json, *pass.cpuKernels, {});
            });
        });
    });
  });
  stream << '\n';
  return text;
}
