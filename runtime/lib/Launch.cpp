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

/// The elements of a plane as bytes in memory.
struct Stretch {
  Stretch(const Operand &operand, size_t plane, const void *const *pointers, int64_t batch)
      : bytes(uint64_t(operand.planes[plane].bytes)),
        begin(reinterpret_cast<uintptr_t>(pointers[size_t(operand.firstPointer) + plane]) +
              uint64_t(operand.offset) * bytes),
        end(begin + uint64_t(operand.reach(batch)) * bytes), operand(&operand), batch(batch) {}

  /// A stretch of memory without gaps.
  Stretch(const void *pointer, int64_t bytes)
      : bytes(uint64_t(bytes)), begin(reinterpret_cast<uintptr_t>(pointer)), end(begin + uint64_t(bytes)) {}

  /// All elements begin at multiples of it from `begin`; 0: at `begin` only.
  uint64_t period() const {
    uint64_t period = 0;
    for (size_t i = 0; operand && i < operand->sizes.size(); ++i)
      if (operand->sizes[i] > 1)
        period = std::gcd(period, uint64_t(operand->strides[i]) * bytes);
    return operand && batch > 1 ? std::gcd(period, uint64_t(operand->batchStride) * bytes) : period;
  }

  uint64_t bytes; // of an element
  uint64_t begin, end;

private:
  const Operand *operand = nullptr;
  int64_t batch = 1;
};

/// Whether elements of both may share bytes. Those that lie between each other, at common distances, do not.
bool mayOverlap(const Stretch &a, const Stretch &b) {
  if (a.end <= b.begin || b.end <= a.begin)
    return false;
  uint64_t period = std::gcd(a.period(), b.period());
  if (!period)
    return true;
  uint64_t from = b.begin >= a.begin ? (b.begin - a.begin) % period : (period - (a.begin - b.begin) % period) % period;
  return from < a.bytes || period - from < b.bytes;
}

/// A dimension of an array, the batch included: as many elements at a distance in bytes.
struct Extent {
  uint64_t count, stride;
};

/// Whether an element at `at` plus multiples of the strides of `extents`, which descend, has a byte in `gapless`.
/// `bytes` are those of an element.
bool reaches(const Stretch &gapless, uint64_t at, const Extent *extents, const Extent *last, uint64_t bytes) {
  if (extents == last)
    return at < gapless.end && gapless.begin < at + bytes;
  uint64_t span = bytes; // of what lies at one index of this dimension
  for (const Extent *inner = extents + 1; inner != last; ++inner)
    span += (inner->count - 1) * inner->stride;
  const auto [count, stride] = *extents;
  // The first index whose part ends after the stretch's begin, and all of those that begin before its end.
  uint64_t i = gapless.begin < at + span ? 0 : (gapless.begin - at - span) / stride + 1;
  for (; i < count && at + i * stride < gapless.end; ++i)
    if (reaches(gapless, at + i * stride, extents + 1, last, bytes))
      return true;
  return false;
}

/// Whether an element of a plane has a byte in a stretch without gaps. Of the parts that meet the stretch only the
/// first and the last are searched where they do not interleave: one between them lies in it.
bool mayOverlap(const Operand &operand, size_t plane, const void *const *pointers, int64_t batch,
                const Stretch &gapless) {
  const Stretch all(operand, plane, pointers, batch);
  if (all.end <= gapless.begin || gapless.end <= all.begin)
    return false;
  std::vector<Extent> extents;
  auto add = [&](int64_t count, int64_t stride) {
    if (count > 1 && stride)
      extents.push_back({uint64_t(count), uint64_t(stride) * all.bytes});
  };
  for (size_t i = 0; i < operand.sizes.size(); ++i)
    add(operand.sizes[i], operand.strides[i]);
  add(batch, operand.batchStride);
  std::sort(extents.begin(), extents.end(), [](const Extent &a, const Extent &b) { return a.stride > b.stride; });
  return reaches(gapless, all.begin, extents.data(), extents.data() + extents.size(), all.bytes);
}

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
  const Stretch gapless(workspace, workspaceBytes);
  for (auto [operands, pointers, side] :
       {std::tuple(&manifest.inputs, inputs, "input"), std::tuple(&manifest.outputs, outputs, "output")})
    for (size_t i = 0; i < operands->size(); ++i)
      for (size_t plane = 0; plane < (*operands)[i].planes.size(); ++plane)
        if (mayOverlap((*operands)[i], plane, pointers, batch, gapless))
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

idc_status idc::runtime::launchChecked(const idc_module *module, int64_t batch, const Operands &operands,
                                       void *stream) {
  const auto &[inputs, scalars, outputs, workspace, peers, host] = operands;
  (void)host;
  int64_t workspaceBytes = 0;
  if (idc_status status = idc_workspace_size(module, batch, &workspaceBytes))
    return status;
  if (batch == 0)
    return IDC_SUCCESS;
  const Manifest &manifest = module->manifest;
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
  if (idc_status status = checkWorkspace(manifest, inputs, outputs, workspace, workspaceBytes, batch))
    return status;
  if (peers)
    if (idc_status status = peers->admit(manifest, batch, operands))
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
