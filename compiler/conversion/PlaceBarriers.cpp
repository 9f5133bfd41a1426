// Input: kernels with planned exchanges. Output: the same, each exchange through memory with the barriers around its
// writes and its place in shared memory (Meetings.h).
//
// In a chain's kernel the exchanges take turns in one place: threads meet before an exchange writes what another one
// reads, and before it is read; those of a warp where the warps keep their data. Other kernels are cut into sections
// (Sections.h), with a barrier before a section that reads what others have written; exchanges that do not live at
// the same time share a place: one lives from the section that writes it to the last barrier after which it is read,
// one that is sent to other blocks of a cluster from the cluster's barrier before, since others may be that far behind,
// one that other blocks read to the cluster's next barrier; where there is none, the blocks meet once more before the
// kernel ends. Where all would take much, one more barrier lets an exchange have the place of what the section has just
// read; one between the blocks of a cluster where a block would not have the memory otherwise, or a multiprocessor no
// room for a second block. Rejected: values that other blocks would need than those that hold them.
#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/TileBlocks.h"

#include <limits>

using namespace mlir;
using namespace idc;
using digits::Field;

namespace idc::conversion {
#define GEN_PASS_DEF_PLACEBARRIERS
#include "compiler/conversion/Passes.h.inc"

namespace {

constexpr int64_t alignment = 16;

//===--- kernels of chains --------------------------------------------------------------------------------------===//

class ChainBarriers {
public:
  explicit ChainBarriers(id::KernelOp kernel) : kernel(kernel) {}

  void run() {
    // A persistent kernel's blocks come to the second round with shared memory that others may still read, unless they
    // arrive at the cluster's barrier when a round ends, where the first exchange is between them.
    const id::LaunchAttr launch = kernel.getLaunch();
    if (launch.getPersistent() && launch.getCluster() > 1)
      for (Operation &op : kernel.getBody().front())
        if (isThroughMemory(&op)) {
          inUse = cast<id::ExchangeOp>(op).getKind() != id::ExchangeKind::Cluster;
          break;
        }
    for (Operation &op : kernel.getBody().front()) {
      if (isa<id::RingOp>(op)) // the second pass begins
        inUse = false;
      if (auto exchange = dyn_cast<id::ExchangeOp>(op); exchange && isThroughMemory(&op))
        place(exchange);
    }
    setNumber(kernel, sharedBytesAttr, sharedBytes);
  }

private:
  id::KernelOp kernel;
  bool inUse = false;   // shared memory may still be read
  bool started = false; // all blocks of the cluster are known to run
  int64_t sharedBytes = 0;

  void place(id::ExchangeOp exchange) {
    const digits::Mapping before = exchange.getInput().getType().getMapping(),
                          after = exchange.getResult().getType().getMapping();
    id::Meeting free = id::Meeting::None, written;
    if (exchange.getKind() == id::ExchangeKind::Cluster) {
      free = started || inUse ? id::Meeting::Cluster : id::Meeting::Started;
      written = kernel.getLaunch().getPersistent() ? id::Meeting::Words : id::Meeting::Cluster;
      started = true;
    } else {
      free = inUse ? id::Meeting::Block : id::Meeting::None;
      written = before[Field::Warp] == after[Field::Warp] ? id::Meeting::Warp : id::Meeting::Block;
    }
    inUse = true;
    setMeeting(exchange, beforeAttr, free);
    setMeeting(exchange, betweenAttr, written);
    setNumber(exchange, sharedOffsetAttr, 0);
    sharedBytes = std::max(sharedBytes, exchange.getLayoutAttr().getLayout().words *
                                            id::exchangeWordBytes(exchange.getInput().getType().getElement()));
  }
};

//===--- other kernels ------------------------------------------------------------------------------------------===//

class SectionBarriers {
public:
  /// `oneTile`: a block has one tile at a time, so that threads that follow each other are a warp.
  SectionBarriers(id::KernelOp kernel, bool oneTile, const passes::Target &target)
      : kernel(kernel), oneTile(oneTile), target(target), cut(cutSections(kernel, target.lanes)) {}

  LogicalResult run() {
    if (failed(checkHalves(kernel, cut)))
      return failure();
    place(Again::Never);
    constexpr int64_t roomyBytes = 32768; // that a block may take before it is worth a barrier to use it twice
    if (sharedBytes > roomyBytes) {
      place(Again::OfAll);
      // A barrier that cuts a branch in two is worth a quarter of the memory.
      const int64_t before = sharedBytes;
      place(Again::OfBranches);
      Again chosen = Again::OfBranches;
      if (4 * sharedBytes > 3 * before && before <= target.sharedBytesPerBlock)
        place(chosen = Again::OfAll);
      // One between blocks is worth a second block on a multiprocessor.
      const bool fits = sharedBytes <= target.sharedBytesPerBlock;
      auto isAlone = [&] { return 2 * sharedBytes > target.sharedBytesPerMultiprocessor; };
      if (!fits || (kernel.getLaunch().getCluster() > 1 && isAlone())) {
        place(Again::OfClusters);
        if (fits && isAlone())
          place(chosen);
      }
    }
    placeKept();
    park();
    setNumber(kernel, sharedBytesAttr, sharedBytes);
    return success();
  }

private:
  id::KernelOp kernel;
  bool oneTile;
  const passes::Target &target;
  Sections cut;
  int64_t sharedBytes = 0;
  SmallVector<int> readEpoch, writeEpoch; // of every section: block barriers before its reads and before its writes
  SmallVector<int> clusterEpoch;          // the last one before it that was the cluster's
  SmallVector<int> clusterEpochs;         // all that were the cluster's
  SmallVector<int> beginEpoch, endEpoch;  // of every section: block barriers before it begins and when it has ended

  static bool isBetweenBlocks(id::ExchangeOp exchange) { return exchange.getKind() == id::ExchangeKind::Cluster; }

  /// True for what needs no barrier before a section reads it: posts are waited for, what is parked was written before
  /// the barrier that ends a round, and one thread knows what it has written.
  bool isThere(id::ExchangeOp exchange, const Section &section) const {
    return isPosted(exchange) || cut.parked.contains(exchange) ||
           (oneTile && !isBetweenBlocks(exchange) && section.threads == 1 &&
            exchange.getInput().getType().getMapping().numThreads() == 1);
  }

  /// Which sections have a barrier between what they read and what they write: those of all threads, or branches, too;
  /// of clusters: the barrier is the cluster's where what they write goes to other blocks.
  enum class Again { Never, OfAll, OfBranches, OfClusters };

  void place(Again where) {
    placeBarriers(where);
    allocate();
  }

  void placeBarriers(Again where) {
    for (auto *epochs : {&readEpoch, &writeEpoch, &clusterEpoch, &clusterEpochs, &beginEpoch, &endEpoch})
      epochs->clear();
    int epoch = 0, ofCluster = 0;
    bool started = false;
    auto meetInCluster = [&] {
      clusterEpochs.push_back(ofCluster = epoch);
      started = true;
    };
    for (const Section &section : cut.sections) {
      if (&section == cut.sections.begin() + cut.secondPass)
        ++epoch; // a block that does it has done nothing before
      beginEpoch.push_back(epoch);
      SmallVector<id::ExchangeOp> reads;
      bool ofClusters = false, inWarp = oneTile && section.stagedLoads.empty();
      for (Operation &op : llvm::make_range(section.first, section.end)) {
        auto exchange = dyn_cast<id::ExchangeOp>(op);
        if (!exchange || !isThroughMemory(&op))
          continue;
        setMeeting(exchange, betweenAttr, id::Meeting::None);
        if (isThere(exchange, section))
          continue;
        reads.push_back(exchange);
        ofClusters |= isBetweenBlocks(exchange);
        inWarp &= !ofClusters && exchange.getInput().getType().getMapping().numThreads() <= target.lanes &&
                  section.threads <= target.lanes;
      }
      // Blocks that draw their numbers wait for words of other blocks, by which nobody has met.
      const bool byWords = ofClusters && kernel.getLaunch().getPersistent();
      const id::Meeting meeting = byWords      ? id::Meeting::Block
                                  : ofClusters ? id::Meeting::Cluster
                                  : inWarp     ? id::Meeting::Warp
                                               : id::Meeting::Block;
      bool meets = !section.stagedLoads.empty();
      for (id::ExchangeOp exchange : reads) {
        const bool words = byWords && isBetweenBlocks(exchange);
        setMeeting(exchange, betweenAttr, words ? id::Meeting::Words : meeting);
        meets |= !words;
      }
      for (id::LoadOp load : section.stagedLoads)
        setMeeting(load, betweenAttr, id::Meeting::Block);
      const bool isRead = !reads.empty() || !section.stagedLoads.empty();
      epoch += meets && meeting != id::Meeting::Warp;
      if (meets && meeting == id::Meeting::Cluster)
        meetInCluster();
      readEpoch.push_back(epoch);
      clusterEpoch.push_back(ofCluster);
      const bool again = isRead && (!section.writes.empty() || !section.stagedStores.empty()) &&
                         (where >= Again::OfBranches || (where == Again::OfAll && section.threads == cut.threads));
      const bool toOthers = llvm::any_of(section.writes, sendsToBlocks), ofOthers = llvm::any_of(reads, readsBlocks);
      const id::Meeting who =
          where == Again::OfClusters && (toOthers || ofOthers) ? id::Meeting::Cluster : id::Meeting::Block;
      for (id::ExchangeOp write : section.writes) {
        const bool first = sendsToBlocks(write) && !started;
        setMeeting(write, beforeAttr, again ? who : first ? id::Meeting::Started : id::Meeting::None);
      }
      for (id::StoreOp store : section.stagedStores) {
        setMeeting(store, beforeAttr, again ? id::Meeting::Block : id::Meeting::None);
        setMeeting(store, betweenAttr, id::Meeting::Block);
      }
      started |= toOthers;
      epoch += again;
      if (again && who == id::Meeting::Cluster) {
        meetInCluster();
        clusterEpoch.back() = ofCluster;
      }
      writeEpoch.push_back(epoch);
      epoch += !section.stagedStores.empty();
      endEpoch.push_back(epoch);
    }
    for (auto [s, section] : llvm::enumerate(cut.sections))
      for (Operation &op : llvm::make_range(section.first, section.end))
        if (readsBlocks(&op))
          setMeeting(&op, afterAttr, lastEpoch(s, &op) == lastOfAll ? id::Meeting::Cluster : id::Meeting::None);
  }

  static constexpr int lastOfAll = std::numeric_limits<int>::max();

  /// Until when what a section reads has its place.
  int lastEpoch(size_t section, Operation *exchange) const {
    const int read = readEpoch[section];
    if (!readsBlocks(exchange))
      return read;
    auto next = llvm::find_if(clusterEpochs, [&](int epoch) { return epoch > read; });
    return next == clusterEpochs.end() ? lastOfAll : *next - 1;
  }

  /// What a tile has of the stretch that its block moves, which begins where a sector does.
  int64_t stagedBytes(id::SeqType buffer) const {
    return llvm::alignTo(id::elementBytes(buffer.getElement()) * buffer.getNumElements() + target.sectorBytes,
                         alignment);
  }

  /// Where a kernel stages, places are equally large, so that two of them serve exchanges that follow each other; 0:
  /// it does not, and each is as large as its exchange.
  int64_t placeBytes() {
    if (!stages(kernel))
      return 0;
    int64_t bytes = 0;
    kernel.getBody().walk([&](Operation *op) {
      if (auto load = dyn_cast<id::LoadOp>(op); load && isStaged(op))
        bytes = std::max(bytes, stagedBytes(load.getBuffer().getType()));
      if (auto store = dyn_cast<id::StoreOp>(op); store && isStaged(op))
        bytes = std::max(bytes, stagedBytes(store.getBuffer().getType()));
      if (isThroughMemory(op))
        bytes = std::max(bytes, wordsOf(cast<id::ExchangeOp>(op)).totalBytes());
    });
    return llvm::alignTo(bytes, alignment);
  }

  void allocate() {
    struct Slot {
      int64_t offset, end;
      int first, last; // epochs
    };
    SmallVector<Slot> slots;
    sharedBytes = 0;
    const int64_t common = placeBytes();
    auto give = [&](Operation *op, int64_t bytes, int64_t wordBytes, int first, int last) {
      Slot slot{0, bytes, first, last};
      for (bool moved = true; moved;) {
        moved = false;
        for (const Slot &other : slots)
          if (other.first <= slot.last && slot.first <= other.last && other.offset < slot.end &&
              slot.offset < other.end) {
            slot.offset = llvm::alignTo(other.end, wordBytes);
            slot.end = slot.offset + bytes;
            moved = true;
          }
      }
      slots.push_back(slot);
      setNumber(op, sharedOffsetAttr, slot.offset);
      sharedBytes = std::max<int64_t>(sharedBytes, llvm::alignTo(slot.end, alignment));
    };
    for (auto [s, section] : llvm::enumerate(cut.sections)) {
      for (id::LoadOp load : section.stagedLoads)
        give(load, common, alignment, beginEpoch[s], readEpoch[s]);
      for (id::ExchangeOp exchange : section.writes) {
        if (isPosted(exchange) || cut.parked.contains(exchange))
          continue;
        const ExchangeWords words = wordsOf(exchange);
        give(exchange, common ? common : words.totalBytes(), words.bytes,
             sendsToBlocks(exchange) ? clusterEpoch[s] : writeEpoch[s],
             lastEpoch(cut.sectionOf.lookup(exchange), exchange));
      }
      for (id::StoreOp store : section.stagedStores)
        give(store, common, alignment, writeEpoch[s], endEpoch[s]);
    }
  }

  static int64_t take(int64_t &end, int64_t bytes, int64_t wordBytes) {
    int64_t offset = llvm::alignTo(end, wordBytes);
    end = offset + bytes;
    return offset;
  }

  /// What turns keep for later ones, above all else.
  void placeKept() {
    for (const Section &section : cut.sections)
      for (Operation &op : llvm::make_range(section.first, section.end))
        if (actsOnTurns(&op)) {
          int64_t numbers = 0;
          for (Value pair : pairsOf(cast<id::NodeOp>(op)))
            numbers += static_cast<int64_t>(numberTypes(id::elementOf(pair.getType())).size());
          setNumber(&op, sharedOffsetAttr, take(sharedBytes, numbers * keptNumberBytes, keptNumberBytes));
        }
    sharedBytes = llvm::alignTo(sharedBytes, alignment);
  }

  /// What goes from one half to the other, twice, above that.
  void park() {
    int64_t parkedBytes = 0;
    for (const Section &section : cut.sections)
      for (id::ExchangeOp exchange : section.writes)
        if (cut.parked.contains(exchange)) {
          exchange->setAttr(parkedAttr, UnitAttr::get(exchange.getContext()));
          setNumber(exchange, sharedOffsetAttr,
                    sharedBytes + take(parkedBytes, wordsOf(exchange).totalBytes(), wordsOf(exchange).bytes));
        }
    parkedBytes = llvm::alignTo(parkedBytes, alignment);
    if (parkedBytes)
      setNumber(kernel, parkedBytesAttr, parkedBytes);
    sharedBytes += 2 * parkedBytes;
  }
};

//===--- what is staged -----------------------------------------------------------------------------------------===//

/// True where the problems of a block are one stretch of memory, and longer than a sector each: the array is dense and
/// no part of another.
bool isStretch(id::KernelOp kernel, Operation *op, int64_t sectorBytes) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  auto isLong = [&](id::SeqType buffer) {
    return buffer.getNumElements() * id::elementBytes(buffer.getElement()) > sectorBytes;
  };
  if (auto load = dyn_cast<id::LoadOp>(op)) {
    Value from = kernel.getInputs()[cast<BlockArgument>(load.getBuffer()).getArgNumber()];
    auto argument = dyn_cast<BlockArgument>(from);
    return isLong(load.getBuffer().getType()) &&
           (!argument || argumentLayout(function, static_cast<int>(argument.getArgNumber())).isDense());
  }
  auto store = cast<id::StoreOp>(op);
  OpOperand &yielded = *store.getBuffer().use_begin();
  Value result = kernel.getResult(yielded.getOperandNumber());
  if (!store.getBuffer().hasOneUse() || id::wholeOf(result) != result)
    return false;
  for (OpOperand &use : result.getUses())
    if (isa<func::ReturnOp>(use.getOwner()) &&
        !resultLayout(function, static_cast<int>(use.getOperandNumber())).isDense())
      return false;
  return isLong(store.getBuffer().getType());
}

/// What is staged but lies otherwise is accessed as it lies: layouts are not known where schedules are.
void unstage(id::KernelOp kernel, int64_t sectorBytes) {
  for (Operation &op : kernel.getBody().front())
    if (isStaged(&op) && !isStretch(kernel, &op, sectorBytes)) {
      if (auto load = dyn_cast<id::LoadOp>(op))
        load.setStaged(false);
      else
        cast<id::StoreOp>(op).setStaged(false);
    }
}

struct PlaceBarriers : impl::PlaceBarriersBase<PlaceBarriers> {
  using PlaceBarriersBase::PlaceBarriersBase;

  void runOnOperation() override {
    const std::optional<passes::Target> machine = passes::findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    for (id::KernelOp kernel : getOperation().getOps<id::KernelOp>()) {
      WalkResult planned = kernel.walk([&](id::ExchangeOp exchange) -> WalkResult {
        if (exchange.getKind() == id::ExchangeKind::Unplanned)
          return exchange.emitError() << "exchange without a plan; run id-plan-exchanges first";
        if (kernel.getLaunch().getPersistent() && readsBlocks(exchange))
          return exchange.emitError() << "reads other blocks of a persistent kernel, which do not meet";
        return WalkResult::advance();
      });
      if (planned.wasInterrupted())
        return signalPassFailure();
      unstage(kernel, machine->sectorBytes);
      const bool straight = cutSections(kernel, machine->lanes).straight;
      WalkResult fits = kernel.walk([&](id::ExchangeOp exchange) -> WalkResult {
        if (!straight && exchange.getLayoutAttr() && exchange.isOfBits())
          return exchange.emitError() << "has a layout of bits, in a kernel whose addresses are sums";
        return WalkResult::advance();
      });
      if (fits.wasInterrupted())
        return signalPassFailure();
      if (straight)
        ChainBarriers(kernel).run();
      else if (failed(SectionBarriers(kernel, tileBlocksOf(kernel, *machine).oneTile, *machine).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace idc::conversion
