// mlir-opt for the dialects id and machine: runs passes on textual IR.
#include "compiler/conversion/Passes.h"
#include "compiler/passes/Passes.h"
#include "compiler/passes/Pipelines.h"

#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "idc-opt " IDC_VERSION "\n"; });
  mlir::DialectRegistry registry;
  registry.insert<idc::id::IdDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::complex::ComplexDialect, idc::machine::MachineDialect, mlir::LLVM::LLVMDialect,
                  mlir::NVVM::NVVMDialect, mlir::gpu::GPUDialect, mlir::scf::SCFDialect>();
  idc::passes::registerIdPasses();
  idc::conversion::registerIdConversionPasses();
  idc::passes::registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "idc optimizer\n", registry));
}
