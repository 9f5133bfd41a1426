#include "compiler/codegen/HostManifest.h"

#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Layouts.h"

#include "id/Chunks.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace idc;
using namespace idc::codegen;
using conversion::Buffer;

void codegen::divide(ManifestArray &array, Type type, ArrayRef<int> deviceDigits) {
  auto sequence = cast<id::SeqType>(type);
  const int64_t together = array.elements / sequence.getNumElements();
  for (int digit : deviceDigits) {
    const int64_t radix = sequence.getRadices()[static_cast<size_t>(digit) - 1];
    const auto below = sequence.getRadices().take_front(static_cast<size_t>(digit) - 1);
    array.deviceDigits.emplace_back(together * id::elementsOf(below), radix);
  }
  array.elements /= conversion::heldByDevices(sequence, deviceDigits);
}

/// A pass, whose arrays have those of its function as elements.
static ManifestPass passOf(func::CallOp call, const std::vector<conversion::LoweredKernel> &kernels) {
  func::FuncOp function = id::functionOf(call);
  const std::vector<Buffer> places = conversion::buffersOf(call);
  ManifestPass pass;
  pass.chunks = id::devicesOf(function);
  pass.kernels = &kernels;
  auto array = [&](const std::string &name, Type type, const std::vector<int> &digits, const Buffer &place,
                   bool isReached) {
    auto sequence = cast<id::SeqType>(type);
    std::string element;
    llvm::raw_string_ostream(element) << sequence.getElement();
    ManifestArray result{name, element, id::elementBytes(sequence.getElement()), sequence.getNumElements()};
    divide(result, type, digits);
    result.hostPlace = place;
    result.isReached = isReached;
    return result;
  };
  const unsigned arguments = function.getNumArguments();
  for (unsigned i = 0; i < arguments; ++i)
    if (places[i].kind != Buffer::Kind::Constant)
      pass.inputs.push_back(array("x" + std::to_string(i), function.getArgumentTypes()[i],
                                  id::argumentDeviceDigits(function, static_cast<int>(i)), places[i],
                                  function.getArgAttr(i, id::reachedAttr) != nullptr));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    pass.outputs.push_back(array("y" + std::to_string(i), function.getResultTypes()[i],
                                 id::resultDeviceDigits(function, static_cast<int>(i)), places[arguments + i],
                                 function.getResultAttr(i, id::reachedAttr) != nullptr));
  for (const conversion::InPlacePair &pair : conversion::inPlacePairs(function))
    pass.outputs[static_cast<size_t>(pair.output)].inPlace.push_back(pair.input);
  return pass;
}

void codegen::addPasses(func::FuncOp host, const std::vector<std::vector<conversion::LoweredKernel>> &kernels,
                        const std::vector<std::vector<conversion::LoweredKernel>> &cpuKernels, ManifestInfo &info) {
  constexpr int64_t alignment = 16; // of values in host memory, in bytes
  info.memoryBytes = id::memoryOf(host);
  auto ofCpu = cpuKernels.begin();
  for (auto [call, own] : llvm::zip(id::passesOf(host), kernels)) {
    info.passes.push_back(passOf(call, own));
    if (func::FuncOp pass = id::functionOf(call); id::onCpuOf(pass)) {
      info.passes.back().cpuChunks = id::cpuChunksOf(pass);
      info.passes.back().cpuKernels = &*ofCpu;
      info.hostFixedBytes = std::max(info.hostFixedBytes, conversion::workspaceBytes(*ofCpu++));
    }
    for (const Buffer &buffer : conversion::buffersOf(call))
      if (buffer.kind == Buffer::Kind::Workspace)
        info.hostBytesPerProblem =
            std::max(info.hostBytesPerProblem,
                     buffer.offsetPerProblem + (buffer.bytesPerProblem + alignment - 1) / alignment * alignment);
  }
}
