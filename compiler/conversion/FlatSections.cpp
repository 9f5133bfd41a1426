#include "compiler/conversion/FlatSections.h"

#include "compiler/conversion/Scalars.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

namespace {

/// Shared memory that a block may take before it is worth a barrier to use it twice.
constexpr int64_t roomyBytes = 32768;
constexpr int64_t warpThreads = 32;
constexpr int64_t alignment = 16;

int64_t threadsOf(Type tile) { return cast<id::TileType>(tile).getMapping().numThreads(); }

/// The threads that hold the tiles of an op.
int64_t threadsOf(Operation *op) {
  for (Value value : llvm::concat<Value>(op->getResults(), op->getOperands()))
    if (isa<id::TileType>(value.getType()))
      return threadsOf(value.getType());
  return 1;
}

bool isBetweenBlocks(Operation *op) {
  auto exchange = dyn_cast<id::ExchangeOp>(op);
  return exchange && exchange.getKind() == id::ExchangeKind::Cluster;
}

class Cutter {
public:
  Cutter(id::KernelOp kernel, bool oneProblem) : kernel(kernel), oneProblem(oneProblem) {}

  FailureOr<FlatSections> run() {
    cut();
    findHalves();
    if (failed(check()))
      return failure();
    findKept();
    placeBarriers(/*tight=*/false);
    allocate();
    if (result.sharedBytes > roomyBytes) {
      placeBarriers(/*tight=*/true);
      allocate();
    }
    park();
    return std::move(result);
  }

private:
  id::KernelOp kernel;
  bool oneProblem;
  FlatSections result;
  DenseMap<Operation *, size_t> sectionOf;
  SmallVector<int> readEpoch, writeEpoch; // of every section: block barriers before its reads and before its writes
  SmallVector<int> clusterEpoch;          // the last one before it that was the cluster's

  bool isFull(size_t section) const { return result.sections[section].threads == result.threads; }
  size_t makerOf(Value value) const {
    Operation *maker = value.getDefiningOp();
    return sectionOf.lookup(maker);
  }

  void cut() {
    auto ops = kernel.getBody().front().without_terminator();
    for (Operation &op : ops) {
      if (llvm::all_of(op.getResultTypes(), llvm::IsaPred<id::SeqType>) && !isa<id::StoreOp>(op))
        continue; // between sections, or in one: they are no code
      int64_t threads = threadsOf(&op);
      result.threads = std::max(result.threads, threads);
      bool starts =
          result.sections.empty() || result.sections.back().threads != threads ||
          (isThroughMemory(&op) && (makerOf(op.getOperand(0)) + 1 == result.sections.size() || isPosted(&op)));
      if (starts) {
        FlatSection section;
        section.first = op.getIterator();
        section.threads = threads;
        result.sections.push_back(section);
      }
      result.sections.back().end = std::next(op.getIterator());
      sectionOf[&op] = result.sections.size() - 1;
      if (isThroughMemory(&op))
        result.sections[makerOf(op.getOperand(0))].writes.push_back(cast<id::ExchangeOp>(op));
    }
  }

  bool isCooperative() { return kernel.getLaunch().getTeam() > 1; }

  void findHalves() {
    result.firstHalf = result.sections.size();
    for (auto &[op, section] : sectionOf)
      if (isPosted(op))
        result.firstHalf = std::min(result.firstHalf, section);
    for (auto &[op, section] : sectionOf)
      if (isThroughMemory(op) && !isPosted(op) && section >= result.firstHalf &&
          makerOf(op->getOperand(0)) < result.firstHalf)
        result.parked.insert(op);
  }

  LogicalResult check() {
    if (isCooperative() && result.firstHalf == result.sections.size())
      return kernel.emitError() << "has no exchange between its blocks";
    for (auto &[op, section] : sectionOf) {
      if (isPosted(op) && makerOf(op->getOperand(0)) >= result.firstHalf)
        return op->emitError() << "of a value that is made after blocks have waited for others";
      for (Value operand : op->getOperands())
        if (isCooperative() && isa<id::TileType>(operand.getType()) && !isThroughMemory(op) &&
            section >= result.firstHalf && makerOf(operand) < result.firstHalf)
          return op->emitError() << "uses a tile that was made before blocks waited for others";
    }
    return success();
  }

  /// Finds what leaves branches in registers.
  void findKept() {
    for (Operation &op : kernel.getBody().front().without_terminator())
      for (Value operand : op.getOperands()) {
        if (!isa<id::TileType>(operand.getType()) || isThroughMemory(&op))
          continue;
        FlatSection &maker = result.sections[makerOf(operand)];
        if (makerOf(operand) != sectionOf.lookup(&op) && maker.threads != result.threads &&
            !llvm::is_contained(maker.kept, operand))
          maker.kept.push_back(operand);
      }
  }

  /// True for what needs no barrier before a section reads it: posts are waited for, what is parked was written before
  /// the barrier that ends a round, and one thread knows what it has written.
  bool isThere(Operation *exchange, const FlatSection &section) const {
    return isPosted(exchange) || result.parked.contains(exchange) ||
           (oneProblem && !isBetweenBlocks(exchange) && section.threads == 1 &&
            threadsOf(exchange->getOperand(0).getType()) == 1);
  }

  void placeBarriers(bool tight) {
    readEpoch.clear(), writeEpoch.clear(), clusterEpoch.clear();
    int epoch = 0, ofCluster = 0;
    for (size_t s = 0; s < result.sections.size(); ++s) {
      FlatSection &section = result.sections[s];
      section.barrier = section.warpBarrier = section.clusterBarrier = section.barrierBeforeWrites = false;
      bool inWarp = oneProblem;
      for (Operation &op : llvm::make_range(section.first, section.end))
        if (isThroughMemory(&op) && !isThere(&op, section)) {
          section.barrier = true;
          section.clusterBarrier |= isBetweenBlocks(&op);
          inWarp &= !section.clusterBarrier && threadsOf(op.getOperand(0).getType()) <= warpThreads &&
                    section.threads <= warpThreads;
        }
      section.warpBarrier = section.barrier && inWarp;
      epoch += section.barrier && !section.warpBarrier;
      ofCluster = section.clusterBarrier ? epoch : ofCluster;
      readEpoch.push_back(epoch);
      clusterEpoch.push_back(ofCluster);
      // A branch has no barrier inside.
      section.barrierBeforeWrites = tight && section.barrier && !section.writes.empty() && isFull(s);
      epoch += section.barrierBeforeWrites;
      writeEpoch.push_back(epoch);
    }
  }

  void allocate() {
    struct Slot {
      int64_t offset, end;
      int first, last; // epochs
    };
    SmallVector<Slot> slots;
    result.sharedBytes = 0;
    for (size_t s = 0; s < result.sections.size(); ++s)
      for (id::ExchangeOp exchange : result.sections[s].writes) {
        if (isPosted(exchange) || result.parked.contains(exchange))
          continue;
        const int64_t bytes = wordsOf(exchange).totalBytes(), wordBytes = wordsOf(exchange).bytes;
        int from = isBetweenBlocks(exchange) ? clusterEpoch[s] : writeEpoch[s];
        Slot slot{0, bytes, from, readEpoch[sectionOf.lookup(exchange)]};
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
        result.offset[exchange] = slot.offset;
        result.sharedBytes = std::max<int64_t>(result.sharedBytes, llvm::alignTo(slot.end, alignment));
      }
  }

  /// Gives places to what is parked, above all else, and to totals of turns.
  void park() {
    auto take = [](int64_t &end, int64_t bytes, int64_t wordBytes) {
      int64_t offset = llvm::alignTo(end, wordBytes);
      end = offset + bytes;
      return offset;
    };
    for (const FlatSection &section : result.sections)
      for (Operation &op : llvm::make_range(section.first, section.end))
        if (actsOnTurns(&op) && cast<id::NodeOp>(op).getInputs().size() == 1) {
          constexpr int64_t widestNumber = 8;
          Type element = cast<id::NodeOp>(op).getInputs()[0].getType();
          int64_t numbers = 0;
          for (Type leaf : id::leafTypes(id::elementOf(element)))
            numbers += isa<ComplexType>(leaf) ? 2 : 1;
          result.totals[&op] = take(result.sharedBytes, numbers * widestNumber, widestNumber);
        }
    result.sharedBytes = llvm::alignTo(result.sharedBytes, alignment);
    for (const FlatSection &section : result.sections)
      for (id::ExchangeOp exchange : section.writes)
        if (result.parked.contains(exchange))
          result.offset[exchange] =
              result.sharedBytes + take(result.parkedBytes, wordsOf(exchange).totalBytes(), wordsOf(exchange).bytes);
    result.parkedBytes = llvm::alignTo(result.parkedBytes, alignment);
    result.sharedBytes += 2 * result.parkedBytes;
  }
};

} // namespace

FailureOr<FlatSections> conversion::cutSections(id::KernelOp kernel, bool oneProblem) {
  return Cutter(kernel, oneProblem).run();
}

bool conversion::isThroughMemory(Operation *op) {
  auto exchange = dyn_cast<id::ExchangeOp>(op);
  return exchange && (exchange.getKind() == id::ExchangeKind::Shared || isBetweenBlocks(op) || isPosted(op));
}

bool conversion::isPosted(Operation *op) {
  auto exchange = dyn_cast<id::ExchangeOp>(op);
  return exchange && exchange.getKind() == id::ExchangeKind::Grid;
}

bool conversion::actsOnTurns(Operation *op) {
  auto node = dyn_cast<id::NodeOp>(op);
  if (!node)
    return false;
  for (Value value : llvm::concat<Value>(node.getInputs(), node.getOutputs())) {
    auto tile = cast<id::TileType>(value.getType());
    digits::Place place;
    if (tile.getNumDigits() == node.getNumDigits() && !node.getDigits().empty() &&
        tile.getMapping().find(static_cast<int>(node.getDigits()[0]), place) && place.field == Field::Turn)
      return true;
  }
  return false;
}

ExchangeWords conversion::wordsOf(id::ExchangeOp exchange) {
  Type element = exchange.getInput().getType().getElement();
  ExchangeWords words;
  words.bytes = id::exchangeWordBytes(element);
  words.setBytes = exchange.getLayoutAttr().getLayout().words * words.bytes;
  int count;
  if (id::splitNumbers(element, words.unit, count)) {
    int64_t elementBytes = id::elementBytes(element);
    words.perWord =
        static_cast<int>(std::min(words.bytes, elementBytes & -elementBytes) / id::elementBytes(words.unit));
    Type word = words.perWord == 1 ? words.unit : Type(VectorType::get({words.perWord}, words.unit));
    words.types.append(count / words.perWord, word);
    return words;
  }
  words.unit = {};
  Type half = IntegerType::get(exchange.getContext(), 32);
  for (Type leaf : id::leafTypes(element)) {
    auto complex = dyn_cast<ComplexType>(leaf);
    Type number = storedType(complex ? complex.getElementType() : leaf);
    for (int i = 0; i < (complex ? 2 : 1); ++i)
      words.types.append(id::elementBytes(number) > words.bytes ? 2 : 1,
                         id::elementBytes(number) > words.bytes ? half : number);
  }
  return words;
}
