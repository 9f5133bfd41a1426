#include "compiler/codegen/RingPlan.h"

#include "compiler/conversion/LaunchBounds.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/TileBlocks.h"
#include "compiler/passes/Planner.h"
#include "compiler/passes/RingKernels.h"
#include "compiler/passes/Schedule.h"

#include "id/ArrayType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace idc;
using namespace idc::codegen;
using digits::Field;

static constexpr const char scheduleAttr[] = "id.schedule";

namespace {

/// A kernel as a pass would be.
struct Pass {
  int64_t threads, tiles, sharedBytes;
  int64_t registers;             // of a thread's data
  std::vector<int> blockRadices; // of the columns that number its tiles, low first
};

std::optional<Pass> passOf(id::KernelOp kernel) {
  if (conversion::stages(kernel))
    return std::nullopt;
  Pass pass{
      conversion::mostThreads(kernel), id::extentOf(kernel, Field::Block), 0, conversion::dataRegisters(kernel), {}};
  for (Operation &op : kernel.getBody().front()) {
    if (conversion::isThroughMemory(&op))
      pass.sharedBytes = std::max(pass.sharedBytes, conversion::wordsOf(cast<id::ExchangeOp>(op)).totalBytes());
    for (Value value : op.getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType())) {
        const digits::Mapping mapping = tile.getMapping();
        if (mapping.extent(Field::Block) != pass.tiles || !pass.blockRadices.empty())
          continue;
        for (const digits::Column &column : mapping[Field::Block])
          pass.blockRadices.push_back(column.radix);
      }
  }
  return pass;
}

/// True for about as many.
bool isAlike(int64_t count, int64_t other) { return 4 * count <= 5 * other && 4 * other <= 5 * count; }

/// Lets a block have several tiles together, for about as many threads: the lowest columns that number them become the
/// highest of threads. False where there are no such columns.
bool widen(passes::KernelPlan &plan, Pass &pass, int64_t threads) {
  size_t count = 0;
  int64_t times = 1;
  while (!isAlike(pass.threads * times, threads)) {
    if (pass.threads * times > threads || count == pass.blockRadices.size())
      return false;
    times *= pass.blockRadices[count++];
  }
  for (passes::RangePlan &range : plan.ranges) {
    auto &blocks = range.mapping[Field::Block], &warps = range.mapping[Field::Warp];
    if (range.runs || (range.kind == passes::RangePlan::Kind::Join))
      continue;
    if (blocks.size() != pass.blockRadices.size())
      return false;
    warps.insert(warps.end(), blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(count));
    blocks.erase(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(count));
  }
  pass.threads *= times;
  pass.tiles /= times;
  pass.sharedBytes *= times;
  return true;
}

/// A ring that the cache holds beside what streams past it: every tile that the second pass waits for has been made
/// some time ago, and no slot is waited for. Nothing where there is no such.
std::optional<passes::Ring> ringBetween(const Pass &first, const Pass &second, int64_t problemBytes,
                                        const passes::Target &target) {
  constexpr double ahead = 1.25, slack = 0.4; // of the tiles that are worked on at a time
  constexpr int64_t leastSlack = 8;
  const int64_t threads = std::max(first.threads, second.threads), data = std::max(first.registers, second.registers),
                shared = std::max(first.sharedBytes, second.sharedBytes);
  int64_t resident = target.residentBlocks(threads, target.registersBeside(data), shared);
  if (resident == 1 && 2 * threads * (data + data / 2) <= target.registersPerMultiprocessor) // as launch bounds are
    resident = std::min<int64_t>(2, target.residentBlocks(threads, 1, shared));
  if (resident < 2) // a block that waits would leave a multiprocessor idle
    return std::nullopt;
  const double atOnce = static_cast<double>(resident * target.latency.multiprocessors * second.tiles) /
                        static_cast<double>(first.tiles + second.tiles);
  const int64_t tiles = second.tiles, most = target.ringBytes / std::max<int64_t>(1, problemBytes);
  passes::Ring ring = {};
  ring.delay = tiles + static_cast<int64_t>(std::ceil(ahead * atOnce));
  ring.slots = (ring.delay + 2 * tiles + static_cast<int64_t>(slack * atOnce) - 1) / tiles;
  if (ring.slots > most) {
    ring.slots = most;
    ring.delay = (ring.slots - 1) * tiles - std::min(tiles, leastSlack);
  }
  return ring.slots >= 2 && ring.delay >= tiles ? std::optional(ring) : std::nullopt;
}

/// What keeps kernels from being passes of one, but for that the second may start early.
bool canBePasses(id::KernelOp first, id::KernelOp second) {
  for (id::KernelOp kernel : {first, second}) {
    digits::Launch launch = kernel.getLaunch().getLaunch();
    launch.dependent = false;
    kernel.setLaunchAttr(id::LaunchAttr::get(kernel.getContext(), launch));
  }
  return passes::whyNoRing(first, second).empty();
}

int64_t bytesOf(ValueRange sequences) {
  int64_t bytes = 0;
  for (Value sequence : sequences)
    bytes += id::bytesOf(cast<id::SeqType>(sequence.getType()));
  return bytes;
}

/// The schedule with rings in it, of kernels that are built; false where there are none.
bool addRings(func::FuncOp function, passes::Schedule &schedule, const passes::Target &target) {
  auto kernels = llvm::to_vector(function.getOps<id::KernelOp>());
  constexpr int64_t leastShare = 4; // of the bytes that both move, that stay in the cache
  bool added = false;
  for (size_t k = 0; k + 1 < kernels.size(); ++k) {
    if (schedule.kernels[k].ring || (k > 0 && schedule.kernels[k - 1].ring) || !canBePasses(kernels[k], kernels[k + 1]))
      continue;
    std::optional<Pass> first = passOf(kernels[k]), second = passOf(kernels[k + 1]);
    if (!first || !second)
      continue;
    passes::KernelPlan plans[2] = {schedule.kernels[k], schedule.kernels[k + 1]};
    const int64_t threads = std::max(first->threads, second->threads);
    if (2 * threads <= target.flatThreads || !widen(plans[0], *first, threads) || !widen(plans[1], *second, threads) ||
        std::max(first->threads, second->threads) > target.maxThreadsPerBlock || second->tiles < 2)
      continue;
    const int64_t bytes = bytesOf(kernels[k].getOutputs());
    const int64_t all = bytesOf(kernels[k].getInputs()) + bytes + bytesOf(kernels[k + 1].getInputs()) +
                        bytesOf(kernels[k + 1].getOutputs());
    std::optional<passes::Ring> ring = ringBetween(*first, *second, bytes, target);
    if (!ring || leastShare * 2 * bytes < all)
      continue;
    plans[0].ring = ring->slots;
    plans[0].delay = ring->delay;
    for (size_t i : {0, 1}) {
      plans[i].launch.dependent = false;
      schedule.kernels[k + i] = plans[i];
    }
    added = true;
  }
  return added;
}

} // namespace

void codegen::planRings(OwningOpRef<ModuleOp> &module, ModuleOp flow, const passes::Target &target,
                        PassManager &manager) {
  MLIRContext *context = module->getContext();
  OwningOpRef<ModuleOp> built = module->clone();
  auto functions = built->getOps<func::FuncOp>();
  if (target.kind == "cpu" || !target.ringBytes || !llvm::hasSingleElement(functions))
    return;
  func::FuncOp function = *functions.begin();
  passes::Schedule schedule;
  std::string error;
  auto planned = function->getAttrOfType<ArrayAttr>(scheduleAttr);
  if (!planned || !passes::fromAttribute(planned, {}, schedule, error) ||
      static_cast<size_t>(llvm::range_size(function.getOps<id::KernelOp>())) != schedule.kernels.size() ||
      !addRings(function, schedule, target))
    return;
  OwningOpRef<ModuleOp> again = flow.clone();
  (*again->getOps<func::FuncOp>().begin())->setAttr(scheduleAttr, passes::toAttribute(schedule, context));
  ScopedDiagnosticHandler quiet(context, [](mlir::Diagnostic &) { return success(); });
  if (succeeded(manager.run(*again)))
    module = std::move(again);
}
