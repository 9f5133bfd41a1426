//===- QuickCheck.cpp - launches that are right at a glance ---------------===//

#include "QuickCheck.h"

#include "idc/runtime.h"

#include <algorithm>
#include <array>

using namespace idc::runtime;

QuickCheck::QuickCheck(const Manifest &manifest)
    : workspaceFixedBytes(manifest.workspaceFixedBytes), workspaceBytesPerProblem(manifest.workspaceBytesPerProblem) {
  for (auto [operands, wholes] : {std::pair(&manifest.inputs, &inputs), std::pair(&manifest.outputs, &outputs)})
    for (const Operand &operand : *operands)
      for (size_t plane = 0; plane < operand.planes.size(); ++plane) {
        const int64_t bytes = operand.planes[plane].bytes;
        wholes->push_back({operand.firstPointer + int32_t(plane), uintptr_t(operand.alignment - 1),
                           operand.offset * bytes, operand.span * bytes, operand.batchStride * bytes, 0});
      }
  for (const Operand &output : manifest.outputs)
    for (int32_t replaced : output.inPlace)
      if (const Operand &input = manifest.inputs[size_t(replaced)];
          output.planes.size() == 1 && input.planes.size() == 1 && input.firstPointer < int32_t(most))
        outputs[size_t(output.firstPointer)].replaces |= uint32_t(1) << input.firstPointer;
  const bool looks = inputs.size() + outputs.size() < most && manifest.scalars.empty() && manifest.devices == 1;
  auto isRight = [&](int64_t batch) {
    auto fits = [&](const Operand &operand) {
      return operand.reach(batch) >= 0 && (!operand.mostProblems || batch <= operand.mostProblems);
    };
    return std::all_of(manifest.inputs.begin(), manifest.inputs.end(), fits) &&
           std::all_of(manifest.outputs.begin(), manifest.outputs.end(), fits) &&
           std::all_of(manifest.kernels.begin(), manifest.kernels.end(),
                       [&](const Kernel &kernel) { return kernel.blocks(batch) >= 0; }) &&
           manifest.workspaceBytes(batch) >= 0;
  };
  for (int64_t batch = 1; looks && batch < int64_t(1) << 32 && isRight(batch); batch *= 2)
    mostProblems = batch;
}

bool QuickCheck::passes(int64_t batch, const void *const *inputPointers, void *const *outputPointers,
                        const void *workspace) const {
  if (batch > mostProblems || !inputPointers || !outputPointers)
    return false;
  struct Stretch {
    uintptr_t begin, end;
    bool meets(const Stretch &other) const { return begin < other.end && other.begin < end; }
  };
  std::array<Stretch, most> seen;
  size_t count = 0;
  uintptr_t wrong = 0; // bits that no pointer may have
  auto stretch = [&](const Whole &whole, const void *pointer) -> Stretch {
    const uintptr_t at = reinterpret_cast<uintptr_t>(pointer);
    wrong |= (at & whole.misaligned) | uintptr_t(!at);
    const uintptr_t begin = at + uintptr_t(whole.begin);
    return {begin, begin + uintptr_t(whole.bytes + (batch - 1) * whole.batchStride)};
  };
  auto isApart = [&](const Stretch &own, uint32_t replaces, const void *pointer) {
    for (size_t i = 0; i < count; ++i)
      if (own.meets(seen[i]) && !(replaces >> i & 1 && inputPointers[i] == pointer))
        return false;
    return true;
  };
  for (const Whole &input : inputs) // in the order of their pointers
    seen[count++] = stretch(input, inputPointers[input.pointer]);
  for (const Whole &output : outputs) {
    const Stretch own = stretch(output, outputPointers[output.pointer]);
    if (!isApart(own, output.replaces, outputPointers[output.pointer]))
      return false;
    seen[count++] = own;
  }
  const uintptr_t begin = reinterpret_cast<uintptr_t>(workspace);
  if (wrong | begin % IDC_POINTER_ALIGNMENT)
    return false;
  const int64_t bytes = workspaceFixedBytes + batch * workspaceBytesPerProblem;
  return !bytes || (begin && isApart({begin, begin + uintptr_t(bytes)}, 0, nullptr));
}
