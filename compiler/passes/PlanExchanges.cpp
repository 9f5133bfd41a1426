// Input: kernels with unplanned exchanges. Output: every exchange with its means and, for shared memory, its layout.
//
// Composes the two mappings (digits::planExchange) and takes the cheapest means; no layout is accepted that the
// brute-force bank counter finds in conflict. Rejected: mappings that no means connects.
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

/// Digits that both mappings hold in a field.
std::vector<int> commonDigits(const digits::Mapping &a, const digits::Mapping &b, digits::Field field) {
  std::vector<int> common;
  for (const digits::Column &column : a[field])
    if (digits::Place place; column.digits.size() == 1 && b.find(column.digits[0], place) && place.field == field)
      common.push_back(column.digits[0]);
  return common;
}

/// Lets the threads of a block hold what the blocks of a cluster do; returns whether they held anything.
bool inThreads(digits::Mapping &mapping) {
  bool held = false;
  for (const digits::Column &column : mapping[digits::Field::Rank])
    if (column.digits.size() == 1) {
      mapping.push(digits::Field::Warp, column.digits[0], column.radix);
      held = true;
    }
  mapping[digits::Field::Rank].clear();
  return held;
}

struct PlanExchanges : impl::PlanExchangesBase<PlanExchanges> {
  using PlanExchangesBase::PlanExchangesBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](id::ExchangeOp op) {
      const std::vector<int> together = id::exchangeWordDigits(op);
      digits::Mapping source = op.getInput().getType().getMapping().without(together),
                      target = op.getResult().getType().getMapping().without(together);
      digits::ExchangeOptions options;
      // Threads of a flat kernel are numbered without regard to warps.
      auto kernel = op->getParentOfType<id::KernelOp>();
      bool flat = kernel && kernel.getKind() == id::KernelKind::Flat;
      options.maxShuffleSwaps = flat ? -1 : static_cast<int>(maxShuffleSwaps);
      options.wordBytes = id::exchangeWordBytes(op.getInput().getType().getElement());
      options.padded = flat;
      options.lanes = flat ? 32 : static_cast<int>(source.extent(digits::Field::Lane));
      digits::ExchangePlan plan;
      std::string error;
      if (op.getKind() == id::ExchangeKind::Shared) {
        // Asked for: values that only some threads hold stay there for a later section of the kernel. What the blocks
        // of a cluster hold and give away goes to all of them; what all hold, each takes its part of.
        const std::vector<int> stay = commonDigits(source, target, digits::Field::Rank);
        source = source.without(stay), target = target.without(stay);
        plan.kind = inThreads(source) ? digits::ExchangeKind::Cluster : digits::ExchangeKind::Shared;
        inThreads(target);
        plan.shared = digits::paddedLayout(source, target, options.wordBytes, options.lanes);
      } else if (!digits::planExchange(source, target, options, plan, error)) {
        op.emitError() << "cannot plan this exchange: " << error;
        return WalkResult::interrupt();
      }
      op.setKind(kindOf(plan.kind));
      if (plan.kind != digits::ExchangeKind::Shared && plan.kind != digits::ExchangeKind::Cluster)
        return WalkResult::advance();
      int conflicts = std::max(digits::countConflicts(source, plan.shared, options.wordBytes, options.lanes),
                               digits::countConflicts(target, plan.shared, options.wordBytes, options.lanes));
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
