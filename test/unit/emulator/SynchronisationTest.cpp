// Every op of compiled kernels that orders something is taken out, and weakened in every way that its kind has: the
// emulator notices each, whatever the order of blocks and threads.
#include "CompiledFixture.h"

#include "compiler/conversion/Machine.h"

#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;
using namespace idc;
using namespace idc::emulator;

namespace {

struct Weakening {
  std::string name;
  std::function<void(Operation *)> apply;
};

void erase(Operation *op) { op->erase(); }

bool isRelaxedArrival(Operation *op) {
  auto arrival = dyn_cast<machine::ClusterArriveOp>(op);
  return arrival && arrival.getOrder() == machine::ArrivalOrder::Relaxed;
}

/// Takes out an arrival and the wait that comes next.
void eraseClusterBarrier(Operation *arrival) {
  bool behind = false;
  Operation *next = nullptr;
  arrival->getParentOfType<LLVM::LLVMFuncOp>().walk([&](Operation *op) {
    behind |= op == arrival;
    if (behind && !next && isa<machine::ClusterWaitOp>(op))
      next = op;
  });
  arrival->erase();
  if (next)
    next->erase();
}

/// The barrier at the kernel's start: all its relaxed arrivals, and the first wait.
void eraseClusterStart(Operation *function) {
  SmallVector<Operation *> gone;
  bool waits = false;
  function->walk([&](Operation *op) {
    if (isRelaxedArrival(op) || (isa<machine::ClusterWaitOp>(op) && !std::exchange(waits, true)))
      gone.push_back(op);
  });
  llvm::for_each(gone, erase);
}

void waitNever(Operation *loop) {
  auto condition = cast<scf::WhileOp>(loop).getConditionOp();
  OpBuilder b(condition);
  condition.getConditionMutable().assign(
      arith::ConstantOp::create(b, loop->getLoc(), b.getBoolAttr(false)).getResult());
}

template <class Op> Weakening scope(StringRef name) {
  return {("for the " + name).str(), [name = name.str()](Operation *op) { cast<Op>(op).setSyncscope(name); }};
}

template <class Op> Weakening order(StringRef name, LLVM::AtomicOrdering ordering) {
  return {name.str(), [ordering](Operation *op) {
            if (ordering == LLVM::AtomicOrdering::not_atomic)
              op->removeAttr("syncscope");
            cast<Op>(op).setOrdering(ordering);
          }};
}

/// The next narrower scope where an op is ordered for the system.
template <class Op> void addDeviceScope(Op op, std::vector<Weakening> &all) {
  if (op.getSyncscope().value_or("").empty())
    all.push_back(scope<Op>("device"));
}

/// What may happen to an op; nothing when it orders nothing.
std::vector<Weakening> weakenings(Operation *op) {
  using Order = LLVM::AtomicOrdering;
  const Weakening removed{"removed", erase};
  if (isa<machine::BarrierOp>(op))
    return {removed, {"of warps", [](Operation *barrier) {
                        OpBuilder b(barrier);
                        machine::WarpBarrierOp::create(b, barrier->getLoc());
                        barrier->erase();
                      }}};
  if (isa<machine::WarpBarrierOp, machine::ClusterWaitOp, machine::PhaseInitOp, machine::PhasePublishOp,
          machine::PhaseExpectOp, machine::AwaitPreviousOp, machine::SendOp>(op) ||
      isRelaxedArrival(op))
    return {removed};
  if (isa<machine::ClusterArriveOp>(op))
    return {removed,
            {"removed with its wait", eraseClusterBarrier},
            {"relaxed", [](Operation *arrival) {
               cast<machine::ClusterArriveOp>(arrival).setOrder(machine::ArrivalOrder::Relaxed);
             }}};
  auto ordering = [](machine::PhaseOrder order) {
    return [order](Operation *test) { cast<machine::PhaseOverOp>(test).setOrder(order); };
  };
  if (isa<machine::PhaseOverOp>(op))
    return {{"for the block", ordering(machine::PhaseOrder::Block)},
            {"relaxed", ordering(machine::PhaseOrder::Relaxed)}};
  if (isa<LLVM::AtomicRMWOp>(op))
    return {scope<LLVM::AtomicRMWOp>("block"), scope<LLVM::AtomicRMWOp>("cluster")};
  if (auto fence = dyn_cast<LLVM::FenceOp>(op)) {
    std::vector<Weakening> all{removed, scope<LLVM::FenceOp>("block"), scope<LLVM::FenceOp>("cluster"),
                               order<LLVM::FenceOp>("acquiring only", Order::acquire)};
    addDeviceScope(fence, all);
    return all;
  }
  if (auto load = dyn_cast<LLVM::LoadOp>(op); load && load.getOrdering() != Order::not_atomic) {
    std::vector<Weakening> all{scope<LLVM::LoadOp>("block"), scope<LLVM::LoadOp>("cluster"),
                               order<LLVM::LoadOp>("not atomic", Order::not_atomic)};
    if (load.getOrdering() == Order::acquire)
      all.push_back(order<LLVM::LoadOp>("relaxed", Order::monotonic));
    addDeviceScope(load, all);
    return all;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op); store && store.getOrdering() != Order::not_atomic) {
    std::vector<Weakening> all{scope<LLVM::StoreOp>("block"), scope<LLVM::StoreOp>("cluster"),
                               order<LLVM::StoreOp>("not atomic", Order::not_atomic)};
    addDeviceScope(store, all);
    return all;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    bool waits = false;
    for (Operation &inner : loop.getBefore().front()) {
      auto load = dyn_cast<LLVM::LoadOp>(inner);
      waits |= isa<machine::PhaseOverOp>(inner) || (load && load.getOrdering() != Order::not_atomic);
    }
    if (waits)
      return {{"that does not wait", waitNever}};
  }
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    if (llvm::any_of(function.getBody().getOps(), [](Operation &inner) { return isRelaxedArrival(&inner); }))
      return {{"without a barrier at its start", eraseClusterStart}};
  return {};
}

struct Sample {
  const char *name;
  const char *file, *entry; // of the library, or a file of stages
  const char *schedule;     // or null
  int n;
  int spare = 0; // ops without which others still order all: the barrier before a round's number is stored, after an
                 // exchange
  int devices = 1;
};

class Synchronisation : public CompiledFixture, public ::testing::WithParamInterface<Sample> {
protected:
  void SetUp() override {
    const Sample &sample = GetParam();
    if (!sample.entry)
      return lower(sample.file, size_t(1) << sample.n);
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/" + sample.file;
    request.entry = sample.entry;
    request.types["T"] = "f32";
    const bool isLength = std::string(sample.entry) == "fft_mixed" || std::string(sample.entry) == "fft_any";
    request.sizes[isLength ? "N" : "n"] = sample.n;
    request.devices = sample.devices;
    if (sample.schedule)
      request.scheduleFile = std::string(IDC_TEST_INPUTS "/") + sample.schedule;
    bool isComplex = std::string(sample.entry).rfind("fft", 0) == 0;
    compile(request, (isComplex ? 2 : 1) * (isLength ? size_t(sample.n) : size_t(1) << sample.n));
  }

  /// The orders in which no fault is found and the result is that of the kernels as they are compiled.
  /// `held`: blocks of teams on the device.
  std::string silent(const std::string &kernels, int64_t held = 0) {
    std::string names;
    for (Interleaving interleaving : everyInterleaving) {
      EmulatorOptions options;
      options.interleaving = interleaving;
      options.residentBlocks = 8;
      options.heldBlocks = held;
      options.maxIterations = 1 << 14;
      std::vector<Pair> result;
      bool hasFaults = !faults(kernels, options, /*batch=*/7, &result).empty();
      if (right.empty())
        right = result;
      if (!hasFaults && std::memcmp(right.data(), result.data(), sizeof(Pair) * right.size()) == 0)
        names += " " + std::to_string(static_cast<int>(interleaving));
    }
    return names;
  }

  std::vector<Pair> right;
};

/// True for ops of a team's kernel for any grid.
bool isInSecondForm(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  if (!function)
    function = op->getParentOfType<LLVM::LLVMFuncOp>();
  return function && function.getName().ends_with("_any");
}

bool isOfOneWarp(Operation *op) {
  auto threads = op->getParentOfType<LLVM::LLVMFuncOp>()->getAttrOfType<IntegerAttr>(conversion::threadsAttr);
  return threads && threads.getInt() == 32;
}

TEST_P(Synchronisation, IsAllNeeded) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  ASSERT_EQ(silent(text), " 0 1 2 3");
  ASSERT_EQ(silent(text, 3), " 0 1 2 3");
  SmallVector<Operation *> all;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  int tried = 0, spare = 0;
  for (size_t number = 0; number < all.size(); ++number)
    for (size_t w = 0; w < weakenings(all[number]).size(); ++w) {
      OwningOpRef<ModuleOp> changed = module->clone();
      Operation *op = nullptr;
      size_t at = 0;
      changed->walk<WalkOrder::PreOrder>([&](Operation *other) {
        if (at++ == number)
          op = other;
      });
      std::string place;
      llvm::raw_string_ostream(place) << op->getName() << ", line " << cast<FileLineColLoc>(op->getLoc()).getLine();
      Weakening weakening = weakenings(op)[w];
      if (weakening.name == "of warps" && isOfOneWarp(op))
        continue;
      weakening.apply(op);
      std::string damaged;
      llvm::raw_string_ostream stream(damaged);
      changed->print(stream);
      std::string orders = silent(damaged, isInSecondForm(all[number]) ? 3 : 0);
      if (isa<machine::BarrierOp>(all[number]) && orders == " 0 1 2 3" && spare < GetParam().spare)
        ++spare;
      else
        EXPECT_EQ(orders, "") << place << " " << weakening.name;
      ++tried;
    }
  EXPECT_GT(tried, 1);
  EXPECT_EQ(spare, GetParam().spare);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Synchronisation,
    ::testing::Values(Sample{"block", "fft.id", "fft", nullptr, 9},
                      Sample{"cluster", "fft.id", "fft", "cluster.id", 10},
                      Sample{"tickets", "fft.id", "fft", "tickets.id", 10},
                      Sample{"tickets_late", "fft.id", "fft", "tickets_late.id", 10},
                      Sample{"tickets_blocks", "fft.id", "fft", "tickets_blocks.id", 10, 1},
                      Sample{"ring", "fft.id", "fft", "ring.id", 10},
                      Sample{"dependent", "fft.id", "fft", "dependent.id", 9},
                      Sample{"branches", "fft.id", "fft_mixed", "branches.id", 4320},
                      Sample{"radix_cluster_late", "fft.id", "fft_any", "radix_cluster_late.id", 36000},
                      Sample{"radix_tickets", "fft.id", "fft_mixed", "radix_tickets.id", 1260},
                      Sample{"radix_tickets_late", "fft.id", "fft_mixed", "radix_tickets_late.id", 288},
                      Sample{"radix_ring", "fft.id", "fft_mixed", "radix_ring.id", 1152},
                      Sample{"cluster_places", "cluster_places.mlir", nullptr, nullptr, 10},
                      Sample{"devices", "fft.id", "fft", "dependent.id", 9, 0, 2},
                      Sample{"levels", "scan.id", "exclusive_scan", nullptr, 10},
                      Sample{"cooperative", "cooperative.mlir", nullptr, nullptr, 10},
                      Sample{"cooperative_turns", "cooperative_turns.mlir", nullptr, nullptr, 12}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
