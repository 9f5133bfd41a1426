// Input: a host program and its passes (CutPasses.cpp). Output: the same, and beside passes functions of kernels for
// the CPU of the host, which takes a share of their chunks.
//
// What a pass computes is taken from its kernels and planned again, for the CPU. Its kernels work on the arrays of the
// host as they are, without copies; the digits that number chunks are the highest of their blocks' numbers, so that a
// chunk is a run of blocks, and what goes from kernel to kernel is there for one chunk.
#include "compiler/conversion/BlockDigits.h"
#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/RaiseKernels.h"
#include "compiler/passes/Pipelines.h"
#include "compiler/passes/Target.h"

#include "id/ArrayType.h"
#include "id/Chunks.h"
#include "id/Devices.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

namespace idc::conversion {
#define GEN_PASS_DEF_CHUNKSONCPU
#include "compiler/conversion/Passes.h.inc"
} // namespace idc::conversion

static constexpr char cpu[] = "cpu"; // the target

namespace {

struct ChunksOnCpu : conversion::impl::ChunksOnCpuBase<ChunksOnCpu> {
  using ChunksOnCpuBase::ChunksOnCpuBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ChunksOnCpuBase::getDependentDialects(registry);
    pipeline().getDependentDialects(registry);
  }

  void runOnOperation() override {
    for (func::FuncOp function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (id::memoryOf(function) && function->hasAttr(id::cpuShareAttr) && failed(share(function)))
        return signalPassFailure();
  }

private:
  static OpPassManager pipeline() {
    OpPassManager planning(ModuleOp::getOperationName());
    passes::buildFlowPipeline(planning, cpu);
    passes::buildStagePipeline(planning, cpu);
    return planning;
  }

  LogicalResult share(func::FuncOp host) {
    const std::optional<passes::Target> machine = passes::findTarget(target, host);
    if (!machine)
      return failure();
    double seconds = 0;
    for (func::CallOp call : id::passesOf(host)) {
      func::FuncOp pass = id::functionOf(call);
      if (ModuleOp own = endsInside(host, call) ? ModuleOp() : planned(pass)) {
        divideWork(pass, *own.getOps<func::FuncOp>().begin(), host, machine->hostLink);
        own.erase();
      }
      seconds += id::secondsOf(pass);
    }
    id::setSeconds(host, seconds);
    return success();
  }

  /// Whether a pass works on more elements than an array of the caller's has, which its kernels know nothing of.
  static bool endsInside(func::FuncOp host, func::CallOp call) {
    auto isLonger = [&](Value value) {
      return id::bytesOf(cast<id::SeqType>(value.getType())) > id::bytesOf(id::arrayOf(host, value));
    };
    return llvm::any_of(call.getOperands(), isLonger) || llvm::any_of(call.getResults(), isLonger);
  }

  //===--- planning -----------------------------------------------------------------------------------------------===//

  /// The pass as a function of kernels for the CPU, in a module of its own inside of this one; none where there are
  /// none that leave the chunks' digits to their blocks.
  ModuleOp planned(func::FuncOp pass) {
    if (id::devicesOf(pass) == 1)
      return {};
    ModuleOp own = ModuleOp::create(pass.getLoc());
    getOperation().push_back(own);
    func::FuncOp function = pass.clone();
    own.push_back(function);
    if (succeeded(plan(pass, own, function)))
      return own;
    own.erase();
    return {};
  }

  LogicalResult plan(func::FuncOp pass, ModuleOp own, func::FuncOp function) {
    function.setName((pass.getName() + "_cpu").str());
    if (failed(raiseKernels(function)))
      return failure();
    for (llvm::StringRef name : {id::secondsAttr, inPlaceAttr})
      function->removeAttr(name);
    // Planners leave digits to as many devices as there are chunks.
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (const auto digits = id::argumentDeviceDigits(pass, static_cast<int>(i)); !digits.empty())
        function.setArgAttr(
            i, id::distributionAttr,
            StringAttr::get(&getContext(), llvm::join(llvm::map_range(llvm::reverse(digits),
                                                                      [](int digit) { return std::to_string(digit); }),
                                                      ", ")));
    ScopedDiagnosticHandler quiet(&getContext(), [](mlir::Diagnostic &) { return success(); });
    OpPassManager planning = pipeline();
    if (failed(runPipeline(planning, own)) || failed(divideBlocks(pass, function)))
      return failure();
    function->removeAttr(id::devicesAttr);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (llvm::StringRef name : {id::deviceDigitsAttr, id::distributionAttr})
        function.removeArgAttr(i, name);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.removeResultAttr(i, StringAttr::get(&getContext(), id::deviceDigitsAttr));
    return success();
  }

  /// Lets the digits by which the pass divides arguments and results, and what these make of values between kernels, be
  /// the highest of the blocks.
  LogicalResult divideBlocks(func::FuncOp pass, func::FuncOp function) {
    DenseMap<Value, SmallVector<int>> divisions;
    for (BlockArgument argument : function.getArguments())
      if (auto digits = id::argumentDeviceDigits(pass, static_cast<int>(argument.getArgNumber())); !digits.empty())
        divisions[argument] = SmallVector<int>(digits.begin(), digits.end());
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &result : end->getOpOperands())
      if (auto digits = id::resultDeviceDigits(pass, static_cast<int>(result.getOperandNumber())); !digits.empty())
        divisions[result.get()] = SmallVector<int>(digits.begin(), digits.end());
    for (Operation &op : function.getBody().front().without_terminator()) {
      auto kernel = dyn_cast<id::KernelOp>(op);
      if (!kernel)
        return failure();
      const std::optional<Mapping> blocks = commonBlocks(kernel);
      const SmallVector<Reached> all = reachedBy(kernel);
      const std::optional<SmallVector<int>> set =
          blocks ? setOf((*blocks)[Field::Block], id::devicesOf(pass), all, divisions) : std::nullopt;
      if (!set)
        return failure();
      for (const Reached &reached : all)
        if (reached.isStore) {
          const SmallVector<int> digits = digitsAt(reached, *set);
          if (llvm::is_contained(digits, 0))
            return failure();
          divisions.try_emplace(reached.sequence, digits);
        }
      raiseColumns(kernel, *set);
      SmallVector<Attribute> digits;
      for (Value result : kernel.getOutputs()) {
        const bool isOfChunk = llvm::none_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>);
        digits.push_back(
            id::deviceDigitsAttribute(&getContext(), isOfChunk ? ArrayRef<int>(divisions[result]) : ArrayRef<int>()));
      }
      kernel->setAttr(id::deviceDigitsAttr, ArrayAttr::get(&getContext(), digits));
    }
    return success();
  }

  /// The columns of blocks that are the digits by which all that is divided is divided, lowest first.
  static std::optional<SmallVector<int>> setOf(ArrayRef<digits::Column> columns, int64_t chunks, ArrayRef<Reached> all,
                                               const DenseMap<Value, SmallVector<int>> &divisions) {
    for (const SmallVector<int> &unordered : columnSets(columns, chunks)) {
      std::optional<SmallVector<int>> set;
      bool isAlike = true;
      for (const Reached &reached : all) {
        auto found = divisions.find(reached.sequence);
        if (found == divisions.end())
          continue;
        if (!set) {
          set.emplace();
          for (int digit : found->second)
            for (int column : unordered)
              if (reached.digits[static_cast<size_t>(column)] == digit)
                set->push_back(column);
        }
        isAlike &= digitsAt(reached, *set) == found->second;
      }
      if (set && isAlike && set->size() == unordered.size())
        return set;
    }
    return std::nullopt;
  }

  /// Lets these columns, lowest first, be the highest of the kernel's blocks.
  static void raiseColumns(id::KernelOp kernel, ArrayRef<int> set) {
    changeMappings(kernel, [&](Mapping &mapping) {
      std::vector<digits::Column> columns;
      for (auto [number, column] : llvm::enumerate(mapping[Field::Block]))
        if (!llvm::is_contained(set, static_cast<int>(number)))
          columns.push_back(column);
      for (int column : set)
        columns.push_back(mapping[Field::Block][static_cast<size_t>(column)]);
      mapping[Field::Block] = columns;
    });
  }

  //===--- shares -------------------------------------------------------------------------------------------------===//

  /// Says how many of the pass's chunks the CPU takes, and how long the pass takes then.
  void divideWork(func::FuncOp pass, func::FuncOp function, func::FuncOp host, const passes::HostLink &link) {
    const int64_t chunks = id::devicesOf(pass);
    int64_t bytes = 0;
    for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>())
      for (const Reached &reached : reachedBy(kernel))
        bytes += reached.bytes;
    double copied = 0; // bytes of a chunk
    for (Type type : llvm::concat<const Type>(pass.getArgumentTypes(), pass.getResultTypes()))
      copied += static_cast<double>(id::bytesOf(cast<id::SeqType>(type)) / chunks);
    const double onGpu = id::secondsOf(pass) / static_cast<double>(chunks),
                 moved = static_cast<double>(bytes) / static_cast<double>(chunks),
                 onCpu = moved / link.cpuBytesPerSecond;
    // Copies and kernels share the host's memory.
    auto secondsWith = [&](int64_t share) {
      const auto own = static_cast<double>(share), others = static_cast<double>(chunks - share);
      return std::max(
          {others * onGpu, own * onCpu, share ? (others * copied + own * moved) / link.memoryBytesPerSecond : 0});
    };
    int64_t share = 0;
    if (auto wanted = host->getAttrOfType<DenseI64ArrayAttr>(id::cpuShareAttr); !wanted.empty()) {
      share =
          std::llround(static_cast<double>(chunks) * static_cast<double>(wanted[0]) / static_cast<double>(wanted[1]));
    } else {
      constexpr double worthwhile = 0.97; // of the time without
      for (int64_t more = 1; more < chunks; ++more)
        if (secondsWith(more) < secondsWith(share))
          share = more;
      if (secondsWith(share) > worthwhile * secondsWith(0))
        share = 0;
    }
    if (share == 0)
      return;
    function->remove();
    getOperation().insert(std::next(Block::iterator(pass)), function);
    pass->setAttr(id::onCpuAttr, FlatSymbolRefAttr::get(function));
    pass->setAttr(id::cpuChunksAttr, Builder(&getContext()).getI64IntegerAttr(share));
    id::setSeconds(pass, secondsWith(share));
  }
};

} // namespace
