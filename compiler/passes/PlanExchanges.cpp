// Input: kernels with unplanned exchanges. Output: every exchange with its means and, for shared memory, its layout.
//
// Composes the two mappings (digits::planExchange) and takes the cheapest means; no layout is accepted that the
// brute-force bank counter finds in conflict. Rejected: mappings that no means connects.
//
// What is taken from computed places is read as the first warp reads it: its threads are followed through the numbers.
#include "compiler/passes/ExchangeSides.h"
#include "compiler/passes/Passes.h"
#include "compiler/passes/Target.h"
#include "compiler/passes/VectorOrders.h"

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

/// The digits of a mapping that a block's memory holds, those of threads first.
std::vector<int> digitsInMemory(const digits::Mapping &mapping) {
  std::vector<int> held;
  for (digits::Field field : {digits::Field::Lane, digits::Field::Warp, digits::Field::Reg})
    for (const digits::Column &column : mapping[field])
      held.insert(held.end(), column.digits.begin(), column.digits.end());
  return held;
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
      for (size_t i = 0; i < op.getRuns()->size(); ++i) {
        int64_t number = code->result(i);
        for (int64_t digit : op.getRun(i)) {
          const auto place = static_cast<size_t>(digit) - 1;
          taken[place] = number % input.getRadices()[place];
          number /= input.getRadices()[place];
        }
      }
    }
    return reads;
  }

  /// The mapping of threads that hold what these take: digits that change from lane to lane are lanes, those that
  /// change most often the lowest.
  digits::Mapping mapping(const digits::Mapping &source) const {
    SmallVector<std::pair<int, int>> changes; // and digits
    for (int digit : digitsInMemory(source)) {
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

/// The digits that a block's memory holds in the order in which numbers of computed places consist of them, then those
/// of the batch.
std::vector<int> orderOfNumbers(id::ExchangeOp op, const digits::Mapping &source) {
  const std::vector<int> held = digitsInMemory(source);
  std::vector<int> order;
  for (size_t i = 0; i < op.getRuns()->size(); ++i)
    for (int64_t digit : op.getRun(i))
      if (llvm::is_contained(held, digit))
        order.push_back(static_cast<int>(digit));
  for (int digit : held)
    if (!llvm::is_contained(order, digit))
      order.push_back(digit);
  return order;
}

/// The terms of the numbers of computed places.
int64_t termsOf(id::ExchangeOp op, const digits::SharedLayout &layout) {
  int64_t terms = 0;
  for (size_t i = 0; i < op.getRuns()->size(); ++i) {
    std::vector<int> digits;
    std::vector<int64_t> radices;
    for (int64_t digit : op.getRun(i)) {
      digits.push_back(static_cast<int>(digit));
      radices.push_back(op.getInput().getType().getRadices()[static_cast<size_t>(digit) - 1]);
    }
    terms += static_cast<int64_t>(layout.terms(digits, radices).size());
  }
  return terms;
}

/// The cheapest layout for what is read from computed places: of that for those who write, that for both sides, and
/// that in which a number's digits follow one another. Digits that are the same at all places have no part in it.
digits::SharedLayout layoutOfComputed(id::ExchangeOp op, const ExchangeSides &sides) {
  // Instructions that a multiprocessor starts while words of a warp meet, and those of a term.
  constexpr int64_t perConflict = 8, perTerm = 2;
  digits::Mapping source = sides.source;
  source[digits::Field::Rank].clear(); // each block has its part in its own memory
  if (const std::vector<std::pair<int, int64_t>> fixed = fixedDigits(op); !fixed.empty() && !sides.betweenBlocks) {
    std::vector<int> gone;
    for (const auto &[digit, value] : fixed)
      gone.push_back(digit);
    source = source.without(gone);
    return digits::paddedLayout(source, source, sides.wordBytes);
  }
  const digits::SharedLayout written = digits::paddedLayout(source, source, sides.wordBytes);
  const std::optional<ComputedReads> reads = ComputedReads::of(op);
  if (!reads)
    return written;
  auto cost = [&](const digits::SharedLayout &layout) {
    return perConflict *
               (digits::countConflicts(source, layout, sides.wordBytes) + reads->conflicts(layout, sides.wordBytes)) +
           perTerm * termsOf(op, layout);
  };
  const digits::Mapping taken = reads->mapping(source);
  const digits::SharedLayout layouts[] = {written, digits::paddedLayout(source, taken, sides.wordBytes),
                                          digits::paddedLayout(source, taken, sides.wordBytes, ComputedReads::lanes,
                                                               /*betweenBlocks=*/false, orderOfNumbers(op, source))};
  return *std::min_element(std::begin(layouts), std::end(layouts),
                           [&](const auto &a, const auto &b) { return cost(a) < cost(b); });
}

struct PlanExchanges : impl::PlanExchangesBase<PlanExchanges> {
  using PlanExchangesBase::PlanExchangesBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    const bool ofVectors = machine->kind == "cpu";
    WalkResult result = getOperation().walk([&](id::ExchangeOp op) {
      const ExchangeSides sides = sidesOf(op);
      const bool ofBits = op.isOfBits();
      digits::ExchangeOptions options;
      options.maxShuffleSwaps = !ofBits     ? -1
                                : ofVectors ? static_cast<int>(sides.source[digits::Field::Lane].size())
                                            : static_cast<int>(maxShuffleSwaps);
      options.wordBytes = sides.wordBytes;
      options.padded = !ofBits;
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
      if (op.getKind() == id::ExchangeKind::Grid)
        loadBehind(op);
      if (plan.kind != digits::ExchangeKind::Shared && plan.kind != digits::ExchangeKind::Cluster)
        return WalkResult::advance();
      if (ofVectors) {
        const digits::Mapping source = op.getInput().getType().getMapping(),
                              target = op.getResult().getType().getMapping();
        plan.shared = ofBits ? vectorLayout(source, target) : flatLayout(source, target);
        setLayout(op, plan.shared);
        return WalkResult::advance();
      }
      int conflicts = countConflicts(sides, plan.shared);
      if (!plan.shared.padded && conflicts > 1) {
        op.emitError() << "the shared-memory layout has " << conflicts << "-way bank conflicts";
        return WalkResult::interrupt();
      }
      setLayout(op, plan.shared);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// What is loaded for steps behind a wait for other blocks, and made of nothing else, comes behind it, too: what was
  /// made before is not there any more.
  static void loadBehind(id::ExchangeOp wait) {
    auto isLoaded = [](Value value) { return value.getDefiningOp<id::LoadOp>() != nullptr; };
    for (Operation *before = wait->getPrevNode(); before; before = wait->getPrevNode()) {
      const bool isOfLoads =
          isa<id::LoadOp>(before) || (isa<id::PointwiseOp>(before) && llvm::all_of(before->getOperands(), isLoaded));
      if (!isOfLoads || llvm::is_contained(before->getUsers(), wait))
        return;
      before->moveAfter(wait);
    }
  }

  static void setLayout(id::ExchangeOp op, const digits::SharedLayout &layout) {
    SmallVector<int64_t> columns;
    for (auto [digit, column] : layout.columns) {
      columns.push_back(digit);
      columns.push_back(column);
    }
    op.setLayoutAttr(id::LayoutAttr::get(op.getContext(), layout.padded, layout.words, columns));
  }
};
} // namespace
} // namespace idc::passes
