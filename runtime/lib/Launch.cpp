//===- Launch.cpp - the calls that all modules share ----------------------===//

#include "Module.h"
#include "Status.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace idc::runtime;

static unsigned long long number(size_t value) { return value; }

/// Refuses null and misaligned pointers of one side, and operands whose size overflows.
static idc_status checkOperands(const std::vector<Operand> &operands, const void *const *pointers, const char *side,
                                int64_t batch) {
  if (!operands.empty() && !pointers)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%ss' must not be null", side);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = operands[i];
    for (size_t k = 0; k < operand.planes.size(); ++k) {
      const void *pointer = pointers[size_t(operand.firstPointer) + k];
      if (!pointer)
        return fail(IDC_ERROR_INVALID_ARGUMENT, "%s %llu (%s) is null", side, number(i),
                    operand.planes[k].name.c_str());
      if (reinterpret_cast<uintptr_t>(pointer) & uintptr_t(operand.alignment - 1))
        return fail(IDC_ERROR_INVALID_ARGUMENT, "%s %llu (%s) is not aligned to %d bytes", side, number(i),
                    operand.planes[k].name.c_str(), int(operand.alignment));
    }
    if (operand.reach(batch) < 0)
      return fail(IDC_ERROR_TOO_LARGE, "%s %llu (%s) exceeds 2^63 - 1 bytes at batch %lld", side, number(i),
                  operand.name.c_str(), static_cast<long long>(batch));
    if (operand.mostProblems && batch > operand.mostProblems)
      return fail(IDC_ERROR_INVALID_ARGUMENT, "%s %llu (%s) has a layout in which only %lld problems do not overlap",
                  side, number(i), operand.name.c_str(), static_cast<long long>(operand.mostProblems));
  }
  return IDC_SUCCESS;
}

namespace {

/// A dimension of an array, the batch included: as many elements at a distance in bytes.
struct Extent {
  int64_t count, stride;
};

/// Pieces of memory of one length: where the first one begins, and the dimensions in which they repeat, the largest
/// distance first.
struct Pieces {
  /// The elements of a plane.
  Pieces(const Operand &operand, size_t plane, const void *const *pointers, int64_t batch)
      : begin(reinterpret_cast<uintptr_t>(pointers[size_t(operand.firstPointer) + plane])),
        bytes(operand.planes[plane].bytes) {
    begin += uintptr_t(operand.offset * bytes);
    for (size_t i = 0; i < operand.sizes.size(); ++i)
      add(operand.sizes[i], operand.strides[i] * bytes);
    add(batch, operand.batchStride * bytes);
    std::sort(extents.begin(), extents.end(), [](const Extent &a, const Extent &b) { return a.stride > b.stride; });
    while (!extents.empty() && extents.back().stride == bytes) { // one after another
      bytes *= extents.back().count;
      extents.pop_back();
    }
  }
  /// Memory without gaps.
  Pieces(const void *pointer, int64_t bytes) : begin(reinterpret_cast<uintptr_t>(pointer)), bytes(bytes) {}

  uintptr_t begin;
  int64_t bytes;
  std::vector<Extent> extents;

private:
  void add(int64_t count, int64_t stride) {
    if (count > 1 && stride)
      extents.push_back({count, stride});
  }
};

/// Whether two sets of pieces share a byte. Where the outermost distances of both are the same, and what repeats there
/// is no longer, only two or three of the second set's parts can meet one of the first set's; otherwise the parts of
/// that with the larger distance are gone through.
class Overlap {
public:
  Overlap(const Pieces &a, const Pieces &b) : first(a), second(b) {}
  /// May say so of pieces that are apart, where to find out would take too long.
  bool isPossible() { return meet(0, 0, int64_t(second.begin - first.begin)); }

private:
  const Pieces &first, &second;
  int left = 4096; // comparisons

  /// From the first byte to the last one of what repeats in the extents from `depth` on.
  static int64_t spanOf(const Pieces &pieces, size_t depth) {
    int64_t span = pieces.bytes;
    for (; depth < pieces.extents.size(); ++depth)
      span += (pieces.extents[depth].count - 1) * pieces.extents[depth].stride;
    constexpr int64_t anyMemory = int64_t(1) << 62;
    return std::min(span, anyMemory);
  }

  /// A part of each, the second one beginning `apart` bytes behind the first one.
  bool meet(size_t i, size_t j, int64_t apart) {
    const int64_t spanOfFirst = spanOf(first, i), spanOfSecond = spanOf(second, j);
    if (apart >= spanOfFirst || -apart >= spanOfSecond)
      return false;
    const Extent *a = i < first.extents.size() ? &first.extents[i] : nullptr;
    const Extent *b = j < second.extents.size() ? &second.extents[j] : nullptr;
    if ((!a && !b) || --left < 0)
      return true;
    const int64_t innerOfFirst = a ? spanOf(first, i + 1) : spanOfFirst,
                  innerOfSecond = b ? spanOf(second, j + 1) : spanOfSecond;
    // Which parts can meet: those `k` further on, with apart + k · stride within the lengths of both.
    auto any = [&](int64_t stride, int64_t lowest, int64_t highest, int64_t lengthOfFirst, int64_t lengthOfSecond,
                   size_t nextI, size_t nextJ) {
      int64_t k = std::max(lowest, floorOf(-lengthOfSecond - apart, stride) + 1);
      for (; k <= highest && apart + k * stride < lengthOfFirst; ++k)
        if (meet(nextI, nextJ, apart + k * stride))
          return true;
      return false;
    };
    if (a && b && a->stride == b->stride && std::max(innerOfFirst, innerOfSecond) <= a->stride)
      return any(a->stride, 1 - a->count, b->count - 1, innerOfFirst, innerOfSecond, i + 1, j + 1);
    if (a && (!b || a->stride >= b->stride)) // its parts: apart decreases
      return any(a->stride, 1 - a->count, 0, innerOfFirst, spanOfSecond, i + 1, j);
    return any(b->stride, 0, b->count - 1, spanOfFirst, innerOfSecond, i, j + 1);
  }

  static int64_t floorOf(int64_t x, int64_t y) { return x / y - (x % y < 0); }
};

/// Whether all pieces lie between each other by what their distances have in common.
bool areInterleaved(const Pieces &a, const Pieces &b) {
  uintptr_t period = 0;
  for (const Pieces *pieces : {&a, &b})
    for (const Extent &extent : pieces->extents)
      period = std::gcd(period, uintptr_t(extent.stride));
  if (!period)
    return false;
  const uintptr_t behind = b.begin >= a.begin ? (b.begin - a.begin) % period : period - (a.begin - b.begin) % period;
  return behind >= uintptr_t(a.bytes) && behind + uintptr_t(b.bytes) <= period;
}

bool mayOverlap(const Pieces &a, const Pieces &b) { return !areInterleaved(a, b) && Overlap(a, b).isPossible(); }

} // namespace

/// Refuses outputs that lie on other outputs, or on inputs but for those whose place they may take: blocks run in any
/// order, and several kernels may use an output for values between them. checkOperands() has passed.
static idc_status checkOverlap(const Manifest &manifest, const void *const *inputs, const void *const *outputs,
                               int64_t batch) {
  for (size_t i = 0; i < manifest.outputs.size(); ++i) {
    const Operand &output = manifest.outputs[i];
    auto overlapping = [&](const Operand &other, const void *const *pointers, size_t plane, size_t end) {
      size_t k = 0;
      while (k < end && !mayOverlap({output, plane, outputs, batch}, {other, k, pointers, batch}))
        ++k;
      return k;
    };
    for (size_t plane = 0; plane < output.planes.size(); ++plane) {
      const char *name = output.planes[plane].name.c_str();
      for (size_t j = 0; j < manifest.inputs.size(); ++j) {
        const Operand &input = manifest.inputs[j];
        const bool inPlace = output.takesPlaceOf(int32_t(j));
        if (inPlace &&
            std::equal(outputs + output.firstPointer, outputs + output.firstPointer + int32_t(output.planes.size()),
                       inputs + input.firstPointer))
          continue;
        if (size_t k = overlapping(input, inputs, plane, input.planes.size()); k < input.planes.size())
          return fail(IDC_ERROR_INVALID_ARGUMENT, "output %llu (%s) overlaps input %llu (%s)%s", number(i), name,
                      number(j), input.planes[k].name.c_str(),
                      inPlace ? ": in place both have the same pointer"
                              : ", in whose place it was not compiled to work");
      }
      for (size_t j = 0; j <= i; ++j) {
        const Operand &other = manifest.outputs[j];
        const size_t end = j < i ? other.planes.size() : plane;
        if (size_t k = overlapping(other, outputs, plane, end); k < end)
          return fail(IDC_ERROR_INVALID_ARGUMENT, "output %llu (%s) overlaps output %llu (%s)", number(i), name,
                      number(j), other.planes[k].name.c_str());
      }
    }
  }
  return IDC_SUCCESS;
}

/// Refuses a workspace that lies on inputs or outputs. checkOperands() has passed.
static idc_status checkWorkspace(const Manifest &manifest, const void *const *inputs, const void *const *outputs,
                                 const void *workspace, int64_t workspaceBytes, int64_t batch) {
  if (!workspaceBytes)
    return IDC_SUCCESS;
  const Pieces gapless(workspace, workspaceBytes);
  for (auto [operands, pointers, side] :
       {std::tuple(&manifest.inputs, inputs, "input"), std::tuple(&manifest.outputs, outputs, "output")})
    for (size_t i = 0; i < operands->size(); ++i)
      for (size_t plane = 0; plane < (*operands)[i].planes.size(); ++plane)
        if (mayOverlap({(*operands)[i], plane, pointers, batch}, gapless))
          return fail(IDC_ERROR_INVALID_ARGUMENT, "the workspace of %lld bytes overlaps %s %llu (%s)",
                      static_cast<long long>(workspaceBytes), side, number(i),
                      (*operands)[i].planes[plane].name.c_str());
  return IDC_SUCCESS;
}

idc_status idc_workspace_size(const idc_module *module, int64_t batch, int64_t *bytes) {
  if (!module || !bytes)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", module ? "bytes" : "module");
  if (batch < 0)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "the batch is %lld; it must not be negative",
                static_cast<long long>(batch));
  int64_t size = batch == 0 ? 0 : module->manifest.workspaceBytes(batch);
  if (size < 0)
    return fail(IDC_ERROR_TOO_LARGE, "the workspace exceeds 2^63 - 1 bytes at batch %lld",
                static_cast<long long>(batch));
  *bytes = size;
  return IDC_SUCCESS;
}

idc_status idc_launch(const idc_module *module, int64_t batch, const void *const *inputs, const void *const *scalars,
                      void *const *outputs, void *workspace, void *stream) {
  if (module && module->manifest.devices > 1)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "the module is for %d devices: each of them launches it with its group",
                int(module->manifest.devices));
  return launchChecked(module, batch, {inputs, scalars, outputs, workspace}, stream);
}

/// Refuses values that the program does not take.
static idc_status checkRequirements(const std::vector<Scalar> &scalars, const void *const *values) {
  for (size_t i = 0; i < scalars.size(); ++i)
    for (const Requirement &required : scalars[i].required)
      if (const long double value = scalars[i].at(values[i]); !required.holds(value))
        return fail(IDC_ERROR_INVALID_ARGUMENT, "scalar %zu (%s) is %.10Lg, but must be %s %.10Lg: %s", i,
                    scalars[i].name.c_str(), value, required.is.c_str(), required.number, required.message.c_str());
  return IDC_SUCCESS;
}

/// What the arguments of a launch of one problem or more have to be. Everything is looked at, and named where it is
/// wrong.
static idc_status check(const idc_module *module, int64_t batch, const Operands &operands) {
  const auto &[inputs, scalars, outputs, workspace, peers, host] = operands;
  (void)peers, (void)host;
  const Manifest &manifest = module->manifest;
  const int64_t workspaceBytes = manifest.workspaceBytes(batch);
  if (idc_status status = checkOperands(manifest.inputs, inputs, "input", batch))
    return status;
  if (idc_status status = checkOperands(manifest.outputs, outputs, "output", batch))
    return status;
  for (size_t i = 0; i < manifest.scalars.size(); ++i)
    if (!scalars || !scalars[i])
      return fail(IDC_ERROR_INVALID_ARGUMENT, "scalar %zu (%s) has no value", i, manifest.scalars[i].name.c_str());
  if (idc_status status = checkRequirements(manifest.scalars, scalars))
    return status;
  if (workspaceBytes > 0 && !workspace)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "the workspace is null but %lld bytes are needed",
                static_cast<long long>(workspaceBytes));
  if (reinterpret_cast<uintptr_t>(workspace) % IDC_POINTER_ALIGNMENT)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "the workspace is not aligned to %d bytes", IDC_POINTER_ALIGNMENT);
  for (const Kernel &kernel : manifest.kernels)
    if (kernel.blocks(batch) < 0)
      return fail(IDC_ERROR_TOO_LARGE, "kernel '%s' needs more than %lld blocks at batch %lld", kernel.name.c_str(),
                  static_cast<long long>(maxGridBlocks), static_cast<long long>(batch));
  if (idc_status status = checkOverlap(manifest, inputs, outputs, batch))
    return status;
  return checkWorkspace(manifest, inputs, outputs, workspace, workspaceBytes, batch);
}

idc_status idc::runtime::launchChecked(const idc_module *module, int64_t batch, const Operands &operands,
                                       void *stream) {
  if (module && batch > 0 && !operands.peers &&
      module->quickCheck.passes(batch, operands.inputs, operands.outputs, operands.workspace))
    return module->launch(batch, operands, stream);
  int64_t workspaceBytes = 0;
  if (idc_status status = idc_workspace_size(module, batch, &workspaceBytes))
    return status;
  if (batch == 0)
    return IDC_SUCCESS;
  if (idc_status status = check(module, batch, operands))
    return status;
  if (operands.peers)
    if (idc_status status = operands.peers->admit(module->manifest, batch, operands))
      return status;
  return module->launch(batch, operands, stream);
}

idc_status idc_module_unload(idc_module *module) {
  delete module;
  return IDC_SUCCESS;
}

static int32_t count(const std::vector<Operand> &operands) { return static_cast<int32_t>(operands.size()); }

/// Sets *result to what `description` says of an operand; `what` is the result's name. Either side of the module.
template <typename Result, typename Description>
static idc_status describe(const idc_module *module, std::vector<Operand> Manifest::*side, int32_t index,
                           Result *result, const char *what, Description description) {
  if (!module)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'module' must not be null");
  if (!result)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", what);
  const std::vector<Operand> &operands = module->manifest.*side;
  if (index < 0 || index >= count(operands))
    return fail(IDC_ERROR_INVALID_ARGUMENT, "operand %d does not exist: there are %d", index, count(operands));
  *result = description(operands[index]);
  return IDC_SUCCESS;
}

static idc_operand operandOf(const Operand &operand) {
  return {operand.name.c_str(), operand.type.c_str(), operand.elementBytes, operand.elements};
}

static idc_layout layoutOf(const Operand &operand) {
  return {int32_t(operand.sizes.size()),
          int32_t(operand.planes.size()),
          operand.sizes.data(),
          operand.strides.data(),
          operand.offset,
          operand.batchStride,
          operand.alignment};
}

int32_t idc_input_count(const idc_module *module) { return module ? count(module->manifest.inputs) : 0; }
int32_t idc_output_count(const idc_module *module) { return module ? count(module->manifest.outputs) : 0; }

idc_status idc_input(const idc_module *module, int32_t index, idc_operand *operand) {
  return describe(module, &Manifest::inputs, index, operand, "operand", operandOf);
}
idc_status idc_output(const idc_module *module, int32_t index, idc_operand *operand) {
  return describe(module, &Manifest::outputs, index, operand, "operand", operandOf);
}
idc_status idc_input_layout(const idc_module *module, int32_t index, idc_layout *layout) {
  return describe(module, &Manifest::inputs, index, layout, "layout", layoutOf);
}
idc_status idc_output_layout(const idc_module *module, int32_t index, idc_layout *layout) {
  return describe(module, &Manifest::outputs, index, layout, "layout", layoutOf);
}

int32_t idc_in_place(const idc_module *module, int32_t input, int32_t output) {
  return output >= 0 && output < idc_output_count(module) && module->manifest.outputs[output].takesPlaceOf(input);
}

int32_t idc_scalar_count(const idc_module *module) {
  return module ? static_cast<int32_t>(module->manifest.scalars.size()) : 0;
}

idc_status idc_scalar(const idc_module *module, int32_t index, idc_operand *operand) {
  if (!module || !operand)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%s' must not be null", module ? "operand" : "module");
  if (index < 0 || index >= idc_scalar_count(module))
    return fail(IDC_ERROR_INVALID_ARGUMENT, "scalar %d does not exist: there are %d", index, idc_scalar_count(module));
  const Scalar &scalar = module->manifest.scalars[index];
  *operand = {scalar.name.c_str(), scalar.type.c_str(), scalar.bytes, 1};
  return IDC_SUCCESS;
}

const char *idc_module_entry(const idc_module *module) { return module ? module->manifest.entry.c_str() : nullptr; }
const char *idc_module_symbol(const idc_module *module) { return module ? module->manifest.symbol.c_str() : nullptr; }
const char *idc_module_target(const idc_module *module) { return module ? module->manifest.target.c_str() : nullptr; }
int32_t idc_module_is_cpu(const idc_module *module) { return module && module->manifest.isCpu(); }
