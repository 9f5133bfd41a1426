#include "compiler/conversion/Machine.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static constexpr char sharedName[] = "shared_memory";
static constexpr char launchScope[] = "device"; // of what the blocks of a launch say to each other
static constexpr char systemScope[] = "";       // of what devices do

//===--- frame --------------------------------------------------------------------------------------------------===//

gpu::GPUModuleOp conversion::makeKernelModule(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  module->setAttr("gpu.container_module", b.getUnitAttr());
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
  b.setInsertionPointToStart(kernels.getBody());
  LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                         LLVM::Linkage::External, sharedName, Attribute(), /*alignment=*/1024, machine::sharedSpace);
  return kernels;
}

LLVM::LLVMFuncOp conversion::makeKernel(OpBuilder &b, Location loc, StringRef name, ArrayRef<Type> parameters) {
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), parameters);
  auto kernel = LLVM::LLVMFuncOp::create(b, loc, name, type);
  kernel->setAttr(kernelAttr, b.getUnitAttr());
  return kernel;
}

void conversion::setLaunchBounds(LLVM::LLVMFuncOp kernel, int64_t threads, int64_t residentBlocks) {
  Builder b(kernel.getContext());
  kernel->setAttr(threadsAttr, b.getI32IntegerAttr(static_cast<int32_t>(threads)));
  kernel->setAttr(residentBlocksAttr, b.getI32IntegerAttr(static_cast<int32_t>(residentBlocks)));
}

//===--- memory -------------------------------------------------------------------------------------------------===//

Value conversion::sharedMemory(OpBuilder &b, Location loc) {
  return LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), machine::sharedSpace),
                                   sharedName);
}

Value conversion::peerMemory(OpBuilder &b, Location loc, Value pointer, Value rank) {
  return machine::PeerOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), machine::clusterSpace), pointer,
                                 rank);
}

Value conversion::drawNumber(OpBuilder &b, Location loc, Value counter) {
  Value one = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  return LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, counter, one, LLVM::AtomicOrdering::monotonic,
                                   launchScope);
}

void conversion::raiseFlag(OpBuilder &b, Location loc, Value counter) {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, launchScope);
  drawNumber(b, loc, counter);
}

Value conversion::readFlag(OpBuilder &b, Location loc, Value counter) {
  return LLVM::LoadOp::create(b, loc, b.getI32Type(), counter, 4, /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/false, /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire,
                              launchScope);
}

void conversion::post(OpBuilder &b, Location loc, Value bits, Value place) {
  LLVM::StoreOp::create(b, loc, bits, place, 8, /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic, launchScope);
}

Value conversion::readPost(OpBuilder &b, Location loc, Value place) {
  return LLVM::LoadOp::create(b, loc, b.getI64Type(), place, 8, /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/false, /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
                              launchScope);
}

void conversion::tellDevice(OpBuilder &b, Location loc, Value word, Value place) {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, systemScope);
  markDevice(b, loc, word, place);
}

static Value loadWord(OpBuilder &b, Location loc, Value place, LLVM::AtomicOrdering ordering) {
  return LLVM::LoadOp::create(b, loc, b.getI64Type(), place, 8, /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/false, /*isInvariantGroup=*/false, ordering, systemScope);
}

Value conversion::hearDevice(OpBuilder &b, Location loc, Value place) {
  return loadWord(b, loc, place, LLVM::AtomicOrdering::acquire);
}

void conversion::markDevice(OpBuilder &b, Location loc, Value word, Value place) {
  LLVM::StoreOp::create(b, loc, word, place, 8, /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic, systemScope);
}

Value conversion::readMark(OpBuilder &b, Location loc, Value place) {
  return loadWord(b, loc, place, LLVM::AtomicOrdering::monotonic);
}
