//===- Launch.cpp - the calls that all modules share ----------------------===//

#include "Module.h"
#include "Status.h"

#include <limits>

using namespace idc::runtime;

/// Refuses null and misaligned pointers of one side, and operands whose size overflows.
static idc_status checkOperands(const std::vector<Operand> &operands, const void *const *pointers, const char *side,
                                int64_t batch) {
  if (!operands.empty() && !pointers)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'%ss' must not be null", side);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = operands[i];
    if (!pointers[i])
      return fail(IDC_ERROR_INVALID_ARGUMENT, "%s %zu (%s) is null", side, i, operand.name.c_str());
    if (reinterpret_cast<uintptr_t>(pointers[i]) % IDC_POINTER_ALIGNMENT)
      return fail(IDC_ERROR_INVALID_ARGUMENT, "%s %zu (%s) is not aligned to %d bytes", side, i, operand.name.c_str(),
                  IDC_POINTER_ALIGNMENT);
    if (batch > std::numeric_limits<int64_t>::max() / operand.bytesPerProblem())
      return fail(IDC_ERROR_TOO_LARGE, "%s %zu (%s) exceeds 2^63 - 1 bytes at batch %lld", side, i,
                  operand.name.c_str(), static_cast<long long>(batch));
  }
  return IDC_SUCCESS;
}

/// Refuses outputs that lie on other outputs, or on inputs but for those whose place they may take: blocks run in any
/// order, and several kernels may use an output for values between them. checkOperands() has passed.
static idc_status checkOverlap(const Manifest &manifest, const void *const *inputs, void *const *outputs,
                               int64_t batch) {
  auto overlap = [&](const Operand &a, const void *atA, const Operand &b, const void *atB) {
    auto first = reinterpret_cast<uintptr_t>(atA), second = reinterpret_cast<uintptr_t>(atB);
    return first < second ? second - first < uintptr_t(a.bytesPerProblem() * batch)
                          : first - second < uintptr_t(b.bytesPerProblem() * batch);
  };
  for (size_t i = 0; i < manifest.outputs.size(); ++i) {
    const Operand &output = manifest.outputs[i];
    for (size_t j = 0; j < manifest.inputs.size(); ++j) {
      const bool inPlace = output.takesPlaceOf(int32_t(j));
      if ((inPlace && outputs[i] == inputs[j]) || !overlap(output, outputs[i], manifest.inputs[j], inputs[j]))
        continue;
      return fail(IDC_ERROR_INVALID_ARGUMENT, "output %zu (%s) overlaps input %zu (%s)%s", i, output.name.c_str(), j,
                  manifest.inputs[j].name.c_str(),
                  inPlace ? ": in place both have the same pointer" : ", in whose place it was not compiled to work");
    }
    for (size_t j = 0; j < i; ++j)
      if (overlap(output, outputs[i], manifest.outputs[j], outputs[j]))
        return fail(IDC_ERROR_INVALID_ARGUMENT, "output %zu (%s) overlaps output %zu (%s)", i, output.name.c_str(), j,
                    manifest.outputs[j].name.c_str());
  }
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
  return module->launch(batch, {inputs, scalars, outputs, workspace}, stream);
}

idc_status idc_module_unload(idc_module *module) {
  delete module;
  return IDC_SUCCESS;
}

static int32_t count(const std::vector<Operand> &operands) { return static_cast<int32_t>(operands.size()); }

static idc_status describe(const std::vector<Operand> &operands, int32_t index, idc_operand *result) {
  if (!result)
    return fail(IDC_ERROR_INVALID_ARGUMENT, "'operand' must not be null");
  if (index < 0 || index >= count(operands))
    return fail(IDC_ERROR_INVALID_ARGUMENT, "operand %d does not exist: there are %d", index, count(operands));
  const Operand &operand = operands[index];
  *result = {operand.name.c_str(), operand.type.c_str(), operand.elementBytes, operand.elements};
  return IDC_SUCCESS;
}

int32_t idc_input_count(const idc_module *module) { return module ? count(module->manifest.inputs) : 0; }
int32_t idc_output_count(const idc_module *module) { return module ? count(module->manifest.outputs) : 0; }

idc_status idc_input(const idc_module *module, int32_t index, idc_operand *operand) {
  return module ? describe(module->manifest.inputs, index, operand)
                : fail(IDC_ERROR_INVALID_ARGUMENT, "'module' must not be null");
}
idc_status idc_output(const idc_module *module, int32_t index, idc_operand *operand) {
  return module ? describe(module->manifest.outputs, index, operand)
                : fail(IDC_ERROR_INVALID_ARGUMENT, "'module' must not be null");
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
