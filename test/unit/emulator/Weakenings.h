// What may happen to an op that orders something: it is taken out, or weakened in one of the ways that its kind has.
#pragma once

#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>
#include <string>
#include <vector>

namespace idc::emulator {

using namespace mlir;

struct Weakening {
  std::string name;
  std::function<void(Operation *)> apply;
};

inline void erase(Operation *op) { op->erase(); }

inline bool isRelaxedArrival(Operation *op) {
  auto arrival = dyn_cast<machine::ClusterArriveOp>(op);
  return arrival && arrival.getOrder() == machine::ArrivalOrder::Relaxed;
}

/// Takes out an arrival and the wait that comes next.
inline void eraseClusterBarrier(Operation *arrival) {
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
inline void eraseClusterStart(Operation *function) {
  llvm::SmallVector<Operation *> gone;
  bool waits = false;
  function->walk([&](Operation *op) {
    if (isRelaxedArrival(op) || (isa<machine::ClusterWaitOp>(op) && !std::exchange(waits, true)))
      gone.push_back(op);
  });
  llvm::for_each(gone, erase);
}

inline void waitNever(Operation *loop) {
  auto condition = cast<scf::WhileOp>(loop).getConditionOp();
  OpBuilder b(condition);
  condition.getConditionMutable().assign(
      arith::ConstantOp::create(b, loop->getLoc(), b.getBoolAttr(false)).getResult());
}

template <class Op> Weakening scope(llvm::StringRef name) {
  return {("for the " + name).str(), [name = name.str()](Operation *op) { cast<Op>(op).setSyncscope(name); }};
}

template <class Op> Weakening order(llvm::StringRef name, LLVM::AtomicOrdering ordering) {
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
inline std::vector<Weakening> weakenings(Operation *op) {
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

} // namespace idc::emulator
