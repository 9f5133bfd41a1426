//===- CpuModule.h - modules of C functions ---------------------*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_CPUMODULE_H
#define IDC_RUNTIME_LIB_CPUMODULE_H

#include "Module.h"
#include "WorkerPool.h"

#include <memory>
#include <vector>

namespace idc::runtime {

class CpuModule final : public idc_module {
public:
  /// Looks up the functions of the manifest's kernels; says which one there is not.
  static idc_status create(Manifest manifest, idc_cpu_lookup lookup, void *user, std::unique_ptr<CpuModule> &module);

  idc_status launch(int64_t batch, const Operands &operands, void *stream) const override;
  /// One problem's part of as many, which are runs of the blocks of every kernel, on all cores.
  void launchPart(int64_t part, int64_t parts, const Operands &operands) const;

private:
  CpuModule(Manifest manifest, std::vector<idc_cpu_kernel> functions);

  std::vector<idc_cpu_kernel> functions; // one per kernel of the manifest
  std::shared_ptr<WorkerPool> pool;
  std::vector<int64_t> inputStrides, outputStrides; // of the planes: bytes from one problem to the next
  int64_t problemBytes = 0;                         // of inputs and outputs
  int64_t problemsTogether = 1;                     // that no piece of the batch may divide

  void runPieces(int64_t batch, int64_t problems, unsigned threads, const Operands &operands) const;
  void runKernels(int64_t batch, int64_t part, int64_t parts, unsigned threads, const Operands &operands) const;
  /// The pointers of a kernel for `batch` problems from problem `first` on, with a workspace of their own.
  void point(const Kernel &kernel, int64_t first, int64_t batch, const Operands &operands, char *workspace,
             void **pointers) const;
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_CPUMODULE_H
