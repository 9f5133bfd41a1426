// Input: a function of id.kernel ops with planned exchanges. Output: gpu.module of llvm functions.
//
// A thread holds its registers as SSA values. A kernel is emitted from parts (KernelParts.h), its body by the protocol
// of its launch (protocols/Protocols.h). Here stand the module, and what is true of its arguments.
#include "compiler/conversion/LowerToGpu.h"

#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/KernelFrame.h"
#include "compiler/conversion/LaunchBounds.h"
#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/protocols/DeviceMeeting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

/// Bytes that a pointer of a kernel's operand (inputs, then outputs) is a multiple of.
static int64_t pointerAlignment(id::KernelOp kernel, size_t operand, int plane, const Buffer &buffer) {
  Value value = operand < kernel.getInputs().size() ? kernel.getInputs()[operand]
                                                    : kernel.getOutputs()[operand - kernel.getInputs().size()];
  return buffer.layout.pointerAlignment(
      planeBytes(cast<id::SeqType>(value.getType()).getElement(), buffer.layout, plane));
}

/// True for an argument of a kernel that may have the memory of another one, and whose loads and stores then have to
/// keep their order.
static bool mayBeEqual(const Buffer &buffer, const LoweredKernel &kernel, ArrayRef<InPlacePair> inPlace) {
  auto has = [&](Buffer::Kind kind, int index) {
    return llvm::any_of(kernel.buffers,
                        [&](const Buffer &other) { return other.kind == kind && other.index == index; });
  };
  return llvm::any_of(inPlace, [&](const InPlacePair &pair) {
    bool member = buffer.kind == Buffer::Kind::Input
                      ? buffer.index == pair.input
                      : buffer.kind == Buffer::Kind::Output && buffer.index == pair.output;
    return pair.byOrder && member && has(Buffer::Kind::Input, pair.input) && has(Buffer::Kind::Output, pair.output);
  });
}

/// Adds the kernels of a function to a module. The tables are those of all.
static LogicalResult addKernels(func::FuncOp function, const passes::Target &target, gpu::GPUModuleOp gpuModule,
                                TwiddleTables &tables, std::vector<LoweredKernel> &kernels) {
  MLIRContext *context = function.getContext();
  PassManager passes(context, func::FuncOp::getOperationName());
  passes.addPass(createPlaceBarriers({target.name}));
  passes.addPass(createPlaceBuffers({target.name}));
  passes.addPass(createSetLaunchBounds({target.name}));
  if (failed(passes.run(function)))
    return failure();
  kernels = describeLaunches(function);
  const std::vector<InPlacePair> inPlace = inPlacePairs(function);
  Location loc = function.getLoc();
  OpBuilder b(context);
  SmallVector<std::pair<id::KernelOp, bool>> forms; // true: the second
  for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
    forms.emplace_back(kernel, false);
    if (kernel.getLaunch().getTeam() > 1)
      forms.emplace_back(kernel, true);
  }
  size_t index = 0;
  for (auto [kernel, several] : forms) {
    LoweredKernel &entry = kernels[several ? index - 1 : index++];
    if (several)
      entry.anyGrid = entry.name + "_any";
    auto pointer = LLVM::LLVMPointerType::get(context, machine::globalSpace);
    SmallVector<Type> parameters(entry.pointerCount(), pointer);
    for (const ScalarArgument &scalar : entry.scalars)
      parameters.push_back(scalar.type);
    if (entry.devices > 1)
      parameters.push_back(b.getI32Type());
    for (bool present : {entry.hasRing(), entry.hasCounter()})
      if (present)
        parameters.push_back(pointer);
    parameters.push_back(b.getI64Type());
    b.setInsertionPointToEnd(gpuModule.getBody());
    LLVM::LLVMFuncOp func = makeKernel(b, loc, several ? entry.anyGrid : entry.name, parameters);
    unsigned argument = 0;
    for (auto [i, buffer] : llvm::enumerate(entry.buffers)) {
      if (buffer.kind == Buffer::Kind::Constant)
        continue;
      // What a dependent launch reads changes while it runs: its loads must stay behind its wait.
      const bool input = i < kernel.getInputs().size();
      const bool changes = input && entry.launch.dependent && !isa<BlockArgument>(kernel.getInputs()[i]);
      for (int64_t pointer = 0; pointer < buffer.pointers(); ++pointer, ++argument) {
        const int plane = static_cast<int>(pointer % buffer.planes);
        func.setArgAttr(argument, "llvm.align", b.getI64IntegerAttr(pointerAlignment(kernel, i, plane, buffer)));
        if (changes || mayBeEqual(buffer, entry, inPlace))
          continue;
        func.setArgAttr(argument, "llvm.noalias", b.getUnitAttr());
        if (input)
          func.setArgAttr(argument, "llvm.readonly", b.getUnitAttr());
      }
    }
    bool equalPointers =
        llvm::any_of(entry.buffers, [&](const Buffer &buffer) { return mayBeEqual(buffer, entry, inPlace); });
    bool startsNext = index < kernels.size() && kernels[index].launch.dependent;
    TileCode code(
        b, kernel.getLoc(), tables, [](Type type) { return type; }, TileCode::Alignment::Access);
    KernelFrame frame = openKernel(code, kernel, func, entry, target, equalPointers, startsNext);
    frame.several = several;
    if (failed(emitKernel(code, frame)))
      return failure();
    if (entry.sharedBytes > target.sharedBytesPerBlock) {
      kernel.emitError() << entry.name << " needs " << entry.sharedBytes << " bytes of shared memory, a block of "
                         << target.name << " has " << target.sharedBytesPerBlock;
      return failure();
    }
    entry.residentBlocks = numberOf(kernel, residentAttr);
    setLaunchBounds(func, entry.threads, entry.residentBlocks);
  }
  llvm::for_each(kernels, dropConstants);
  if (const int64_t devices = id::devicesOf(function); devices > 1)
    insertMeetings(gpuModule, (function.getName() + "_meet").str(), devices, kernels);
  return success();
}

OwningOpRef<ModuleOp> conversion::lowerToGpu(ArrayRef<func::FuncOp> functions, const passes::Target &target,
                                             std::vector<std::vector<LoweredKernel>> &kernels) {
  func::FuncOp first = functions.front();
  MLIRContext *context = first.getContext();
  context->loadDialect<LLVM::LLVMDialect, machine::MachineDialect, gpu::GPUDialect, scf::SCFDialect,
                       arith::ArithDialect, math::MathDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(first.getLoc());
  gpu::GPUModuleOp gpuModule = makeKernelModule(*module);
  TwiddleTables tables(gpuModule, machine::globalSpace);
  kernels.assign(functions.size(), {});
  for (auto [function, own] : llvm::zip(functions, kernels))
    if (failed(addKernels(function, target, gpuModule, tables, own)))
      return {};
  return module;
}

OwningOpRef<ModuleOp> conversion::lowerToGpu(func::FuncOp function, const passes::Target &target,
                                             std::vector<LoweredKernel> &kernels) {
  std::vector<std::vector<LoweredKernel>> all;
  OwningOpRef<ModuleOp> module = lowerToGpu(ArrayRef(function), target, all);
  kernels = std::move(all.front());
  return module;
}
