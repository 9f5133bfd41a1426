// Programs that were compiled ahead of time for the check and the benchmark:
// build/gpu/kernels/PROGRAM-TYPE-nSIZES.fatbin and .json, where SIZES are the exponents of the dimensions' lengths,
// e.g. fft2d-f32-n04x04.
#pragma once
#include "Cuda.h"
#include "Reference.h"
#include <idc/runtime.h>
#include <string>
#include <vector>

namespace gpucheck {

/// A program of the standard library whose result a Reference can compute.
struct Program {
  const char *name;
  Transform transform;
  bool averaged;  // the result is divided by the transform's length
  int dimensions; // a size each
};
/// Null when the name is unknown.
const Program *findProgram(const std::string &name);

/// A compiled program on disk.
struct KernelFile {
  const Program *program;
  Real real;
  Exponents exponents;         // as many as the program has dimensions
  int n;                       // their sum
  std::string image, manifest; // paths
  std::string hash;            // of the contents of both, 16 hexadecimal digits

  std::string name() const; // e.g. "fft-f32-n08"
  std::string size() const { return sizeText(exponents); }
  size_t components() const { return componentsOf(program->transform) << n; }
  size_t bytesPerProblem() const { return components() * bytesOf(real); }
  /// Factor by which a result is multiplied to become that of the unscaled transform.
  double unscale() const { return program->averaged ? double(size_t(1) << n) : 1.0; }
};

/// What to pick from a folder; empty lists pick everything.
struct Selection {
  std::vector<std::string> programs, types, sizes; // sizes: as sizeText() writes them

  bool picks(const std::string &program, const std::string &type, const std::string &size) const;
};

/// The prepared programs of a folder, smallest first. Throws std::runtime_error when the folder cannot be read or a
/// file name is not of the form above.
std::vector<KernelFile> listKernels(const std::string &folder, const Selection &selection);

/// A program loaded with the idc runtime. Failures throw CudaError with the runtime's message.
class LoadedKernel {
public:
  LoadedKernel(const std::string &image, const std::string &manifest);
  /// Checks that there are one input and one output of 2^n elements of the expected size.
  explicit LoadedKernel(const KernelFile &file);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  std::vector<idc_operand> inputs() const;
  std::vector<idc_operand> outputs() const;
  /// The only one; fails when there are several.
  idc_operand input() const;
  idc_operand output() const;
  size_t workspaceBytes(size_t batch) const;
  void launch(size_t batch, const std::vector<const void *> &inputs, const std::vector<void *> &outputs,
              const Buffer &workspace, cudaStream_t stream) const;

private:
  idc_module *module = nullptr;
};

const char *nameOf(Real real);

} // namespace gpucheck
