#include "Levels.h"

#include "compiler/codegen/HostManifest.h"
#include "compiler/codegen/SharedMemoryPlan.h"
#include "compiler/conversion/LowerToCpu.h"
#include "compiler/conversion/LowerToGpu.h"
#include "compiler/conversion/Passes.h"
#include "compiler/frontend/Elaborate.h"
#include "compiler/frontend/Parse.h"
#include "compiler/irgen/IrGen.h"
#include "compiler/passes/Pipelines.h"

#include "id/ArrayType.h"
#include "id/Chunks.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace idc;
using namespace idc::random;

static llvm::Error message(const std::string &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<std::unique_ptr<Levels>> Levels::parse(const std::string &text) {
  auto levels = std::make_unique<Levels>();
  auto wrong = [&] {
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    levels->diagnostics.print(stream);
    return message(errors);
  };
  std::unique_ptr<frontend::Source> source = frontend::parseText(text, "random.id", {}, levels->diagnostics);
  if (!source || !frontend::check(*source, levels->diagnostics))
    return wrong();
  std::optional<frontend::Program> program = frontend::elaborate(*source, "f", {}, {}, levels->diagnostics);
  if (!program)
    return wrong();
  levels->elaborated = std::move(*program);
  const uint64_t any = llvm::xxh3_64bits(text);
  levels->isDissolved = any & 1;
  levels->registerBytes = int64_t(16) << (any >> 1) % 3;
  return levels;
}

/// The kernels are those of the function, or of the passes that it calls.
static std::string manifestOf(const frontend::Program &program, const std::string &target,
                              const std::vector<std::vector<conversion::LoweredKernel>> &launches,
                              const std::vector<std::vector<conversion::LoweredKernel>> &cpuLaunches,
                              func::FuncOp function) {
  codegen::ManifestInfo info;
  info.entry = program.entry;
  info.symbol = function.getName().str();
  info.target = target;
  info.devices = id::devicesOf(function);
  auto array = [&](const std::string &name, int value, id::SeqType sequence, mlir::Type type,
                   const std::vector<int> &deviceDigits) {
    codegen::ManifestArray array{name, frontend::spellStructure(*program.values[value].element),
                                 id::elementBytes(sequence.getElement()), sequence.getNumElements()};
    codegen::divide(array, type, deviceDigits);
    return array;
  };
  for (auto [i, parameter] : llvm::enumerate(program.inputs))
    info.inputs.push_back(array(parameter.name, parameter.value, id::argumentArray(function, static_cast<unsigned>(i)),
                                function.getArgumentTypes()[i],
                                id::argumentDeviceDigits(function, static_cast<int>(i))));
  for (auto [i, value] : llvm::enumerate(program.outputs))
    info.outputs.push_back(array("y" + std::to_string(i), value, id::resultArray(function, static_cast<unsigned>(i)),
                                 function.getResultTypes()[i], id::resultDeviceDigits(function, static_cast<int>(i))));
  codegen::addPasses(function, launches, cpuLaunches, info);
  return codegen::writeManifest(info, launches.front(), {});
}

/// Lets several devices have as much of arrays as their digits allow.
static void distribute(func::FuncOp function, int64_t devices, bool byLowest) {
  id::setDevices(function, devices);
  auto wanted = [&](Type type) {
    std::string error;
    const char *first = byLowest ? "low" : "top";
    const bool is = id::distributedDigits(cast<id::SeqType>(type), first, devices, error).has_value();
    return StringAttr::get(function.getContext(), is ? first : "all");
  };
  for (BlockArgument argument : function.getArguments())
    function.setArgAttr(argument.getArgNumber(), id::distributionAttr, wanted(argument.getType()));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttr(i, id::distributionAttr, wanted(function.getResultTypes()[i]));
}

/// Lets data lie in host memory, and pass in so many chunks through memory that holds these with some room, or only
/// twice each: then results have to take the memory of arguments where kernels keep something between them.
static void divideIntoChunks(func::FuncOp function, int64_t chunks, bool isTight) {
  constexpr int64_t alignment = 256, room = 6, least = 4096;
  int64_t bytes = 0; // of a chunk of all
  auto add = [&](Type type) { bytes += llvm::alignTo(id::bytesOf(cast<id::SeqType>(type)) / chunks, alignment); };
  llvm::for_each(function.getArgumentTypes(), add);
  llvm::for_each(function.getResultTypes(), add);
  function->setAttr(id::memoryAttr,
                    Builder(function.getContext()).getI64IntegerAttr(isTight ? 2 * bytes : room * bytes + least));
  id::setDevices(function, chunks);
}

llvm::Expected<Levels::Kernels> Levels::compile(const std::string &target, const Changes &changes) const {
  Kernels result;
  result.context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  MLIRContext &context = *result.context;
  context.printOpOnDiagnostic(false);
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  SourceMgrDiagnosticHandler handler(const_cast<llvm::SourceMgr &>(diagnostics.sources), &context, stream);
  passes::Target machine;
  std::string unknown;
  if (!passes::findTarget(target, machine, unknown))
    return message(unknown);
  OwningOpRef<ModuleOp> module = irgen::generate(elaborated, diagnostics.sources, context);
  if (!module)
    return message(errors);
  if (changes.devices > 1)
    distribute(*module->getBody()->getOps<func::FuncOp>().begin(), changes.devices, !isDissolved);
  if (changes.chunks > 1) // how many bytes is known when there are kernels
    (*module->getBody()->getOps<func::FuncOp>().begin())
        ->setAttr(id::memoryAttr, Builder(&context).getI64IntegerAttr(1));
  PassManager toFlow(&context), toStages(&context);
  passes::buildFlowPipeline(toFlow, target);
  // Half of the programs keep their chains, so that small ones have several kernels, too.
  passes::buildStagePipeline(toStages, target, "throughput", 0, 0, /*dissolve=*/isDissolved);
  toStages.addNestedPass<func::FuncOp>(conversion::createPlaceDevices());
  toStages.addPass(conversion::createCutPasses({target}));
  if (failed(toFlow.run(*module)))
    return message(errors);
  if (changes.flow)
    changes.flow(*module);
  auto planWith = [&](bool isTight) {
    divideIntoChunks(*module->getBody()->getOps<func::FuncOp>().begin(), changes.chunks, isTight);
    OwningOpRef<ModuleOp> tried = module->clone();
    if (failed(toStages.run(*tried)))
      return false;
    module = std::move(tried);
    return true;
  };
  if (changes.chunks > 1 ? !planWith(true) && !planWith(false)
                         : failed(codegen::planInSharedMemory(module, machine, toStages)))
    return message(errors);
  func::FuncOp function = *module->getBody()->getOps<func::FuncOp>().begin();
  if (changes.chunks > 1 && isDissolved) {
    function->setAttr(id::cpuShareAttr, Builder(&context).getDenseI64ArrayAttr({1, 2}));
    PassManager sharing(&context);
    sharing.addPass(conversion::createChunksOnCpu({target}));
    if (failed(sharing.run(*module)))
      return message(errors);
  }
  if (changes.stages)
    changes.stages(*module);
  SmallVector<func::FuncOp> functions = llvm::map_to_vector(id::passesOf(function), id::functionOf);
  if (functions.empty())
    functions.push_back(function);
  std::vector<std::vector<conversion::LoweredKernel>> launches(1);
  result.module = machine.kind == "cpu" ? conversion::lowerToCpu(functions, machine, registerBytes, launches)
                                        : conversion::lowerToGpu(functions, machine, launches);
  if (!result.module || (changes.chunks > 1 && failed(conversion::placeBuffers(function, machine))))
    return message(errors);
  const SmallVector<func::FuncOp> onCpu = id::cpuFunctionsOf(function);
  std::vector<std::vector<conversion::LoweredKernel>> cpuLaunches;
  if (!onCpu.empty()) {
    result.onCpu = conversion::lowerToCpu(onCpu, *passes::findTarget("cpu", function), registerBytes, cpuLaunches);
    if (!result.onCpu)
      return message(errors);
  }
  if (changes.kernels)
    changes.kernels(*result.module);
  if (changes.launches)
    for (std::vector<conversion::LoweredKernel> &own : launches)
      changes.launches(own);
  result.manifest = manifestOf(elaborated, target, launches, cpuLaunches, function);
  return result;
}
