// Input: kernels with unplanned exchanges. Output: every exchange with its means and, for shared memory, its layout.
//
// Composes the two mappings (digits::planExchange) and takes the cheapest means; no layout is accepted that the
// brute-force bank counter finds in conflict. Rejected: mappings that no means connects.
#include "compiler/passes/ExchangeSides.h"
#include "compiler/passes/Passes.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_PLANEXCHANGES
#include "compiler/passes/Passes.h.inc"

namespace {
id::ExchangeKind kindOf(digits::ExchangeKind kind) {
  switch (kind) {
  case digits::ExchangeKind::None:
    return id::ExchangeKind::None;
  case digits::ExchangeKind::Registers:
    return id::ExchangeKind::Registers;
  case digits::ExchangeKind::Shuffle:
    return id::ExchangeKind::Shuffle;
  case digits::ExchangeKind::Shared:
    return id::ExchangeKind::Shared;
  case digits::ExchangeKind::Cluster:
    return id::ExchangeKind::Cluster;
  }
  llvm_unreachable("all kinds covered");
}

struct PlanExchanges : impl::PlanExchangesBase<PlanExchanges> {
  using PlanExchangesBase::PlanExchangesBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](id::ExchangeOp op) {
      const ExchangeSides sides = sidesOf(op);
      digits::ExchangeOptions options;
      options.maxShuffleSwaps = op.isOfBits() ? static_cast<int>(maxShuffleSwaps) : -1;
      options.wordBytes = sides.wordBytes;
      options.padded = !op.isOfBits();
      digits::ExchangePlan plan;
      std::string error;
      if (op.getKind() == id::ExchangeKind::Shared) {
        // Asked for: values that only some threads hold stay there for a later section of the kernel.
        plan.kind = sides.betweenBlocks ? digits::ExchangeKind::Cluster : digits::ExchangeKind::Shared;
        // Who reads computed places is not known: the layout is that of those who write.
        plan.shared =
            digits::paddedLayout(sides.source, op.isComputed() ? sides.source : sides.target, options.wordBytes);
      } else if (!digits::planExchange(sides.source, sides.target, options, plan, error)) {
        op.emitError() << "cannot plan this exchange: " << error;
        return WalkResult::interrupt();
      }
      auto kernel = op->getParentOfType<id::KernelOp>();
      const bool inGrid = kernel && kernel.getLaunch().getTeam() > 1;
      op.setKind(inGrid && plan.kind == digits::ExchangeKind::Cluster ? id::ExchangeKind::Grid : kindOf(plan.kind));
      if (plan.kind != digits::ExchangeKind::Shared && plan.kind != digits::ExchangeKind::Cluster)
        return WalkResult::advance();
      int conflicts = countConflicts(sides, plan.shared);
      if (!plan.shared.padded && conflicts > 1) {
        op.emitError() << "the shared-memory layout has " << conflicts << "-way bank conflicts";
        return WalkResult::interrupt();
      }
      SmallVector<int64_t> columns;
      for (auto [digit, column] : plan.shared.columns) {
        columns.push_back(digit);
        columns.push_back(column);
      }
      op.setLayoutAttr(id::LayoutAttr::get(&getContext(), plan.shared.padded, plan.shared.words, columns));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace idc::passes
