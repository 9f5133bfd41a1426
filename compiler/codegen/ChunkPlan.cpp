#include "compiler/codegen/ChunkPlan.h"

#include "id/Chunks.h"
#include "id/Devices.h"
#include "id/IdDialect.h"
#include "id/IndexCode.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>
#include <set>

using namespace mlir;
using namespace idc;
using namespace idc::codegen;

static constexpr uint64_t maxChunks = uint64_t(1) << 30;
static constexpr int64_t leastTileBytes = 4096;

/// The numbers of parts that digits of a sequence can number: those up to the first from `parts` on for each set of
/// digits.
static std::set<int64_t> numberedBy(id::SeqType type, int64_t parts) {
  std::set<int64_t> numbered{1};
  for (int64_t radix : type.getRadices())
    for (int64_t number : std::vector<int64_t>(numbered.begin(), numbered.end()))
      if (number < parts)
        numbered.insert(number * radix);
  return numbered;
}

namespace {

/// What arguments and results are together.
struct Data {
  explicit Data(func::FuncOp function) {
    auto add = [&](mlir::Type type) {
      auto sequence = cast<id::SeqType>(type);
      bytes =
          llvm::SaturatingMultiplyAdd<uint64_t>(static_cast<uint64_t>(sequence.getNumElements()),
                                                static_cast<uint64_t>(id::elementBytes(sequence.getElement())), bytes);
      if (!largest || largest.getNumElements() < sequence.getNumElements())
        largest = sequence;
      types.insert(sequence);
    };
    llvm::for_each(function.getArgumentTypes(), add);
    llvm::for_each(function.getResultTypes(), add);
  }

  uint64_t bytes = 0; // or as many as there can be
  id::SeqType largest;
  llvm::SetVector<id::SeqType> types;

  /// How many chunks there have to be where so many of each argument and result have room at a time.
  int64_t chunks(int64_t memory, int64_t together) const {
    const auto share = static_cast<uint64_t>(std::max<int64_t>(1, memory / together));
    return static_cast<int64_t>(std::min(bytes / share + (bytes % share != 0), maxChunks));
  }

  /// The least number of chunks, at least `parts`, that digits of every sequence can number which is at least half as
  /// long as the longest one; where there is none, that digits of the longest one can. 0: there is none, or none that
  /// is not many times as large.
  int64_t parts(int64_t parts) const {
    constexpr int64_t manyTimes = 8;
    const std::set<int64_t> ofLargest = numberedBy(largest, parts);
    std::set<int64_t> ofAll = ofLargest;
    for (id::SeqType type : types)
      if (type.getNumElements() >= largest.getNumElements() / 2) {
        const std::set<int64_t> own = numberedBy(type, parts);
        llvm::set_intersect(ofAll, own);
      }
    for (const std::set<int64_t> &numbered : {ofAll, ofLargest})
      if (auto found = numbered.lower_bound(parts); found != numbered.end() && *found / manyTimes < parts)
        return *found;
    return 0;
  }
};

} // namespace

// Of each argument and result one chunk is copied while one is worked on, and kernels may keep as much as a third; or
// three for an argument and its result together, and the fourth is kept.
static constexpr int64_t leastTogether = 2, mostTogether = 3;

LogicalResult codegen::planChunks(OwningOpRef<ModuleOp> &module, const passes::Target &target, PassManager &manager,
                                  llvm::function_ref<OwningOpRef<ModuleOp>()> asGiven) {
  struct Try {
    OwningOpRef<ModuleOp> module;
    Attribute schedule = {};
    bool reaches = true;                                      // arrays of the host
    double seconds = std::numeric_limits<double>::infinity(); // of the link
  };
  auto functionOf = [](OwningOpRef<ModuleOp> &of) { return *of->getOps<func::FuncOp>().begin(); };
  auto plan = [&](int64_t chunks, int64_t tileBytes) {
    ScopedDiagnosticHandler quiet(module->getContext(), [](mlir::Diagnostic &) { return success(); });
    Try tried{module->clone()};
    func::FuncOp host = functionOf(tried.module);
    id::setDevices(host, chunks);
    host->setAttr(id::tileBytesAttr, Builder(module->getContext()).getI64IntegerAttr(tileBytes));
    if (succeeded(manager.run(*tried.module))) {
      tried.reaches = id::reachesHost(host);
      tried.seconds = id::secondsOf(host);
    }
    tried.schedule = host->getAttr("id.schedule");
    return tried;
  };
  // Of nearly equal ones that with the larger tiles, and with fewer chunks.
  constexpr double worthwhile = 0.99;
  Try best;
  auto consider = [&](Try tried) {
    if (!best.module || std::pair(tried.reaches, tried.seconds) < std::pair(best.reaches, worthwhile * best.seconds))
      best = std::move(tried);
  };
  const Data data(functionOf(module));
  std::set<int64_t> counts; // of chunks
  for (int64_t together : {leastTogether, mostTogether})
    counts.insert(data.parts(data.chunks(id::memoryOf(functionOf(module)), together)));
  counts.erase(0);
  if (counts.empty())
    counts.insert(1); // kernels reach what has no room
  for (int64_t chunks : counts) {
    Try largest = plan(chunks, target.maxTileBytes), smallest = plan(chunks, leastTileBytes);
    const bool areSame = largest.schedule == smallest.schedule; // tiles are smaller anyway
    consider(std::move(largest));
    for (int64_t bytes = target.maxTileBytes / 2; bytes > leastTileBytes && !areSame; bytes /= 2)
      consider(plan(chunks, bytes));
    if (!areSame)
      consider(std::move(smallest));
  }
  if (std::isinf(best.seconds) && counts.insert(1).second)
    consider(plan(1, target.maxTileBytes));
  if (!std::isinf(best.seconds)) {
    module = std::move(best.module);
    return success();
  }
  if (asGiven) {
    module = asGiven();
    return module ? planChunks(module, target, manager, nullptr) : failure();
  }
  id::setDevices(functionOf(module), 1);
  return manager.run(*module); // says why
}
