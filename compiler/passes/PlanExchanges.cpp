// Input: kernels with unplanned exchanges. Output: every exchange with its means and, for shared memory, its layout.
//
// Composes the two mappings (digits::planExchange) and takes the cheapest means; no layout is accepted that the
// brute-force bank counter finds in conflict. Rejected: mappings that no means connects.
//
// What is taken from computed places is read as the first warp reads it: its threads are followed through the numbers.
#include "compiler/passes/ExchangeSides.h"
#include "compiler/passes/Passes.h"

#include "id/IndexCode.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

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

/// The threads of a warp that take elements from computed places, with the digits of the elements that they take first.
class ComputedReads {
public:
  static constexpr int lanes = 32;
  using Digits = std::vector<int64_t>;

  /// Nothing where run-time scalars, or more than one way, decide what is taken.
  static std::optional<ComputedReads> of(id::ExchangeOp op) {
    std::optional<id::IndexCode> code = id::IndexCode::of(op.getPlaces());
    auto input = cast<id::TileType>(op.getInput().getType()), result = cast<id::TileType>(op.getType());
    if (!code || code->numResults() != op.getRuns()->size())
      return std::nullopt;
    ComputedReads reads;
    const digits::Mapping mapping = result.getMapping();
    const int64_t inLane = mapping.extent(digits::Field::Lane);
    for (int64_t thread = 0; thread < std::min<int64_t>(lanes, mapping.numThreads()); ++thread) {
      Digits own(result.getRadices().size(), 0);
      mapping.contribute(digits::Field::Lane, thread % inLane, own);
      mapping.contribute(digits::Field::Warp, thread / inLane, own);
      own.resize(result.getRadices().size());
      if (!code->evaluate(own))
        return std::nullopt;
      Digits &taken = reads.taken.emplace_back(input.getRadices().size(), 0);
      MutableArrayRef<int64_t> rest(taken);
      ArrayRef<int32_t> radices = input.getRadices();
      for (auto [number, run] : llvm::enumerate(*op.getRuns())) {
        const auto count = static_cast<size_t>(run);
        id::countTo(code->result(number), rest.take_front(count), radices.take_front(count));
        rest = rest.drop_front(count);
        radices = radices.drop_front(count);
      }
    }
    return reads;
  }

  /// The mapping of threads that hold what these take: digits that change from lane to lane are lanes, those that
  /// change most often the lowest.
  digits::Mapping mapping(const digits::Mapping &source) const {
    SmallVector<std::pair<int, int>> changes; // and digits
    for (int digit : source.digits()) {
      const auto place = static_cast<size_t>(digit) - 1;
      int count = 0;
      for (size_t lane = 1; place < taken.front().size() && lane < taken.size(); ++lane)
        count += taken[lane][place] != taken[lane - 1][place];
      changes.emplace_back(count, digit);
    }
    llvm::stable_sort(changes, [](const auto &a, const auto &b) { return a.first > b.first; });
    digits::Mapping made;
    for (auto [count, digit] : changes)
      made.push(count ? digits::Field::Lane : digits::Field::Reg, digit, source.radix(digit));
    return made;
  }

  /// The highest number of different words that meet in a bank.
  int conflicts(const digits::SharedLayout &layout, int64_t wordBytes) const {
    constexpr int64_t bankBytes = 4;
    const int64_t banks = lanes * bankBytes / wordBytes, perPhase = std::min<int64_t>(lanes, banks);
    size_t worst = 1;
    for (size_t first = 0; first < taken.size(); first += static_cast<size_t>(perPhase)) {
      std::array<SmallVector<int64_t>, lanes> words;
      for (size_t lane = first; lane < std::min(taken.size(), first + static_cast<size_t>(perPhase)); ++lane) {
        const int64_t word = layout.word(taken[lane]);
        SmallVector<int64_t> &bank = words[static_cast<size_t>(word % banks)];
        if (!llvm::is_contained(bank, word))
          bank.push_back(word);
        worst = std::max(worst, bank.size());
      }
    }
    return static_cast<int>(worst);
  }

private:
  std::vector<Digits> taken; // of the input, by lanes
};

/// The layout for what is read from computed places: of that for those who write and that for both sides the one in
/// which fewer words meet.
digits::SharedLayout layoutOfComputed(id::ExchangeOp op, const ExchangeSides &sides) {
  digits::SharedLayout written = digits::paddedLayout(sides.source, sides.source, sides.wordBytes);
  const std::optional<ComputedReads> reads = ComputedReads::of(op);
  if (!reads || reads->conflicts(written, sides.wordBytes) == 1)
    return written;
  digits::SharedLayout both = digits::paddedLayout(sides.source, reads->mapping(sides.source), sides.wordBytes);
  auto cost = [&](const digits::SharedLayout &layout) {
    return digits::countConflicts(sides.source, layout, sides.wordBytes) + reads->conflicts(layout, sides.wordBytes);
  };
  return cost(both) < cost(written) ? both : written;
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
        plan.shared = op.isComputed() ? layoutOfComputed(op, sides)
                                      : digits::paddedLayout(sides.source, sides.target, options.wordBytes);
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
