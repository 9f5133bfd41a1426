//===- CpuFixture.h - CPU modules of hand-written kernels -------*- C++ -*-===//

#ifndef IDC_TEST_UNIT_RUNTIME_CPUFIXTURE_H
#define IDC_TEST_UNIT_RUNTIME_CPUFIXTURE_H

#include "idc/runtime.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace idc::test {

/// Elements of a problem in these modules.
constexpr int64_t problemElements = 4;

using ModulePointer = std::unique_ptr<idc_module, idc_status (*)(idc_module *)>;

/// y = 2 x on 4 floats; a block is one problem.
inline void doubleKernel(void *const *args, int64_t, int64_t first, int64_t last) {
  const float *x = static_cast<const float *>(args[0]);
  float *y = static_cast<float *>(args[1]);
  for (int64_t i = first * problemElements; i < last * problemElements; ++i)
    y[i] = 2 * x[i];
}

inline const char *doubleManifest() {
  return R"({"idc": 1, "entry": "twice", "symbol": "twice_f32", "target": "cpu",
    "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4}],
    "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
    "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
    "kernels": [{"name": "twice_k0", "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                 "args": [{"input": 0}, {"batch": true}, {"output": 0}]}]})";
}

/// y = f (x + c) on 4 floats, the scalars being c of type complex<f32>, whose imaginary part counts, and f of type i32.
inline void shiftKernel(void *const *args, int64_t, int64_t first, int64_t last) {
  const float *x = static_cast<const float *>(args[0]);
  float *y = static_cast<float *>(args[1]);
  float shift;
  int32_t factor;
  std::memcpy(&shift, args[3], sizeof shift);
  std::memcpy(&factor, args[2], sizeof factor);
  for (int64_t i = first * problemElements; i < last * problemElements; ++i)
    y[i] = float(factor) * (x[i] + shift);
}

inline const char *shiftManifest() {
  return R"({"idc": 1, "entry": "shift", "symbol": "shift_f32", "target": "cpu",
    "inputs": [{"name": "x", "type": "f32", "elementBytes": 4, "elements": 4}],
    "scalars": [{"name": "c", "type": "complex<f32>", "bytes": 8}, {"name": "f", "type": "i32", "bytes": 4}],
    "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
    "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
    "kernels": [{"name": "shift_k0", "problemsPerBlockGroup": 1, "blocksPerGroup": 1,
                 "args": [{"input": 0}, {"output": 0}, {"scalar": 1, "offset": 0, "bytes": 4},
                          {"scalar": 0, "offset": 4, "bytes": 4}, {"batch": true}]}]})";
}

/// A module whose kernels are all `kernel`; null with a test failure when it cannot be made.
inline ModulePointer makeCpuModule(const std::string &manifest, idc_cpu_kernel kernel) {
  idc_module *module = nullptr;
  auto lookup = [](const char *, void *user) { return *static_cast<idc_cpu_kernel *>(user); };
  EXPECT_EQ(idc_cpu_module_create(manifest.data(), manifest.size(), lookup, &kernel, &module), IDC_SUCCESS)
      << idc_last_error();
  return {module, idc_module_unload};
}

} // namespace idc::test

#endif // IDC_TEST_UNIT_RUNTIME_CPUFIXTURE_H
