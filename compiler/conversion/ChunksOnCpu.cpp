// Input: a host program and its passes (CutPasses.cpp). Output: the same, and beside passes functions of kernels for
// the CPU of the host, which takes a share of their chunks.
//
// What a pass computes is taken from its kernels and planned again, for the CPU. Its kernels work on the arrays of the
// host as they are, without copies; the digits that number chunks are the highest of their blocks' numbers, so that a
// chunk is a run of blocks, and what goes from kernel to kernel is there for one chunk. Where a pass works on a longer
// sequence than an array is (id.array), they load and store that as far as it goes (ArrayEnds.h). Where the host
// program is to work in place, so do they.
#include "compiler/conversion/ArrayEnds.h"
#include "compiler/conversion/BlockDigits.h"
#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/RaiseKernels.h"
#include "compiler/passes/Pipelines.h"
#include "compiler/passes/Target.h"

#include "id/ArrayType.h"
#include "id/Chunks.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

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
      if (ModuleOp own = planned(host, call)) {
        divideWork(call, *own.getOps<func::FuncOp>().begin(), host, machine->hostLink);
        own.erase();
      }
      seconds += id::secondsOf(pass);
    }
    id::setSeconds(host, seconds);
    return success();
  }

  //===--- planning -----------------------------------------------------------------------------------------------===//

  /// The pass as a function of kernels for the CPU, in a module of its own inside of this one; none where there are
  /// none that leave the chunks' digits to their blocks, or none that work in place where they have to.
  ModuleOp planned(func::FuncOp host, func::CallOp call) {
    func::FuncOp pass = id::functionOf(call);
    if (id::devicesOf(pass) == 1)
      return {};
    ModuleOp own = ModuleOp::create(pass.getLoc());
    getOperation().push_back(own);
    func::FuncOp function = pass.clone();
    own.push_back(function);
    const CallersArrays arrays = arraysOf(host, call);
    if (succeeded(plan(pass, own, function, arrays)) && succeeded(endAtArrays(function, arrays)) &&
        (!host->hasAttr(inPlaceAttr) || canWorkInPlace(function, pass)))
      return own;
    own.erase();
    return {};
  }

  LogicalResult plan(func::FuncOp pass, ModuleOp own, func::FuncOp function, const CallersArrays &arrays) {
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
    if (failed(runPipeline(planning, own)))
      return failure();
    copyWhereArraysEnd(function, arrays);
    if (failed(divideBlocks(pass, function)))
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

  //===--- the arrays of the host ---------------------------------------------------------------------------------===//

  /// What the caller has of the sequences that a pass takes and gives.
  static CallersArrays arraysOf(func::FuncOp host, func::CallOp call) {
    auto arrayOf = [&](Value value) { return id::arrayOf(host, value); };
    return {llvm::map_to_vector(call.getOperands(), arrayOf), llvm::map_to_vector(call.getResults(), arrayOf)};
  }

  /// Whether the CPU's results may lie on all arguments whose memory the pass's own may have, chunk by chunk.
  static bool canWorkInPlace(func::FuncOp function, func::FuncOp pass) {
    const std::optional<passes::Target> machine = passes::findTarget(cpu, function);
    if (!machine || failed(placeBuffers(function, *machine)))
      return false;
    const std::vector<InPlacePair> pairs = findInPlace(function, describeLaunches(function), *machine);
    for (unsigned result = 0; result < pass.getNumResults(); ++result)
      for (unsigned argument = 0; argument < pass.getNumArguments(); ++argument)
        if (takesSameChunks(pass, argument, result) && !hasPair(pairs, argument, result))
          return false;
    return true;
  }

  //===--- shares -------------------------------------------------------------------------------------------------===//

  /// The part of a chunk's elements that lie before the end of the array, where chunks divide a longer sequence.
  static double partBefore(id::SeqType array, id::SeqType sequence, ArrayRef<int> digits, int64_t chunk) {
    const int64_t all = sequence.getNumElements(), end = id::bytesOf(array) / id::elementBytes(sequence.getElement());
    int64_t first = 0, together = all, period = 1; // runs of elements, which come again
    for (int digit : digits) {
      const ArrayRef<int32_t> upTo = sequence.getRadices().take_front(static_cast<size_t>(digit));
      const int64_t below = id::elementsOf(upTo.drop_back());
      first += chunk % upTo.back() * below;
      chunk /= upTo.back();
      together = std::min(together, below);
      period = std::max(period, below * upTo.back());
    }
    if (digits.empty())
      return std::min(1.0, static_cast<double>(end) / static_cast<double>(all));
    const double last = static_cast<double>(end % period - first) / static_cast<double>(together);
    return (static_cast<double>(end / period) + std::clamp(last, 0.0, 1.0)) * static_cast<double>(period) /
           static_cast<double>(all);
  }

  /// The bytes that are copied of all chunks: element k has those of the last k.
  static std::vector<double> copiedBytes(func::FuncOp pass, const CallersArrays &arrays) {
    const auto chunks = static_cast<size_t>(id::devicesOf(pass));
    std::vector<double> bytes(chunks + 1);
    auto add = [&](id::SeqType array, Type type, ArrayRef<int> digits) {
      const auto sequence = cast<id::SeqType>(type);
      const double ofChunk = static_cast<double>(id::bytesOf(sequence)) / static_cast<double>(chunks);
      for (size_t k = 1; k <= chunks; ++k)
        bytes[k] += ofChunk * partBefore(array, sequence, digits, static_cast<int64_t>(chunks - k));
    };
    for (unsigned i = 0; i < pass.getNumArguments(); ++i)
      add(arrays.arguments[i], pass.getArgumentTypes()[i], id::argumentDeviceDigits(pass, static_cast<int>(i)));
    for (unsigned i = 0; i < pass.getNumResults(); ++i)
      add(arrays.results[i], pass.getResultTypes()[i], id::resultDeviceDigits(pass, static_cast<int>(i)));
    std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
    return bytes;
  }

  /// Says how many of the pass's chunks the CPU takes, and how long the pass takes then.
  void divideWork(func::CallOp call, func::FuncOp function, func::FuncOp host, const passes::HostLink &link) {
    func::FuncOp pass = id::functionOf(call);
    const int64_t chunks = id::devicesOf(pass);
    double moved = 0; // by the CPU, if it does all
    for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>())
      for (const Reached &reached : reachedBy(kernel))
        moved += static_cast<double>(reached.bytes);
    const std::vector<double> last = copiedBytes(pass, arraysOf(host, call));
    const double copied = last.back(), onGpu = id::secondsOf(pass), onCpu = moved / link.cpuBytesPerSecond;
    // The work of the last chunks, as a part of that of all. Copies and kernels share the host's memory.
    auto secondsWith = [&](int64_t share) {
      const double own = last[static_cast<size_t>(share)] / copied, others = 1 - own;
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
