#include "compiler/conversion/Sections.h"

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Scalars.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

namespace {

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

/// Roots of unity that a few tables give: the digits of a monomial index one.
bool isSmall(id::PolyAttr exponent) {
  constexpr size_t tableDigits = 10;
  const digits::Polynomial polynomial = exponent.getPolynomial();
  return llvm::all_of(polynomial.monomials(), [&](const auto &term) { return term.first.size() <= tableDigits; });
}

/// A tile whose addresses are put together from bits: all digits are bits, and all lanes of a warp hold it.
bool isTileOfBits(id::TileType tile, int64_t lanes) {
  Type number;
  int numbers;
  return id::areBits(tile.getRadices()) && tile.getMapping().extent(Field::Lane) == lanes &&
         id::splitNumbers(tile.getElement(), number, numbers);
}

/// True when buffers are taken whole, each step makes one value, and all tiles have the same digits: bits, or whatever
/// `isTaken` says.
bool isStraight(id::KernelOp kernel, llvm::function_ref<bool(id::TileType)> isTaken, bool ofBits = true) {
  auto isPart = [](Value result) { return id::wholeOf(result) != result; };
  if (kernel.getLaunch().getTeam() > 1 || llvm::any_of(kernel.getOutputs(), isPart))
    return false;
  std::vector<int> held;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (!isa<id::LoadOp, id::StoreOp, id::ExchangeOp, id::TwiddleOp, id::PointwiseOp, id::NodeOp, id::RenameOp,
             id::RingOp>(op) ||
        op.getNumResults() != 1 || (isa<id::NodeOp>(op) && op.getNumOperands() != 1) || isStaged(&op))
      return false;
    if (auto exchange = dyn_cast<id::ExchangeOp>(op); exchange && ofBits && !exchange.isOfBits())
      return false;
    if (auto twiddle = dyn_cast<id::TwiddleOp>(op); twiddle && !isSmall(twiddle.getExponent()))
      return false;
    WalkResult roots = op.walk([&](id::OmegaOp omega) {
      const bool hasTable = !omega.getDynamic() && isSmall(omega.getExponent());
      return hasTable || ofBits ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (roots.wasInterrupted())
      return false;
    auto tile = dyn_cast<id::TileType>(op.getResult(0).getType());
    if (!tile)
      continue;
    if (held.empty())
      held = tile.getMapping().digits();
    if (!isTaken(tile) || tile.getMapping().digits() != held)
      return false;
  }
  return !held.empty();
}

class Cutter {
public:
  Cutter(id::KernelOp kernel, int64_t lanes) : kernel(kernel), lanes(lanes) {}

  Sections run() {
    result.straight = isStraight(kernel, [&](id::TileType tile) { return isTileOfBits(tile, lanes); });
    if (result.straight) {
      cutPasses();
      return std::move(result);
    }
    cut();
    findHalves();
    findKept();
    return std::move(result);
  }

private:
  id::KernelOp kernel;
  int64_t lanes;
  Sections result;

  /// A section is a pass, which ends with a ring.
  void cutPasses() {
    auto ops = kernel.getBody().front().without_terminator();
    bool starts = true;
    for (Operation &op : ops) {
      if (isa<id::RingOp>(op)) {
        starts = true;
        continue;
      }
      if (starts) {
        result.secondPass = result.sections.size();
        result.sections.emplace_back();
        result.sections.back().first = op.getIterator();
        result.sections.back().threads = result.threads = threadsOf(&op);
      }
      result.sections.back().end = std::next(op.getIterator());
      result.sectionOf[&op] = result.sections.size() - 1;
      starts = false;
    }
  }

  void cut() {
    auto ops = kernel.getBody().front().without_terminator();
    bool startsPass = false;
    for (Operation &op : ops) {
      startsPass |= isa<id::RingOp>(op);
      if (llvm::all_of(op.getResultTypes(), llvm::IsaPred<id::SeqType>) && !isa<id::StoreOp>(op))
        continue; // between sections, or in one: they are no code
      int64_t threads = threadsOf(&op);
      result.threads = std::max(result.threads, threads);
      bool starts =
          result.sections.empty() || startsPass || result.sections.back().threads != threads ||
          (isThroughMemory(&op) && (result.makerOf(op.getOperand(0)) + 1 == result.sections.size() || isPosted(&op)));
      if (startsPass)
        result.secondPass = result.sections.size();
      startsPass = false;
      if (starts) {
        Section section;
        section.first = op.getIterator();
        section.threads = threads;
        result.sections.push_back(section);
      }
      result.sections.back().end = std::next(op.getIterator());
      result.sectionOf[&op] = result.sections.size() - 1;
      if (isThroughMemory(&op))
        result.sections[result.makerOf(op.getOperand(0))].writes.push_back(cast<id::ExchangeOp>(op));
      if (isStaged(&op)) {
        if (auto load = dyn_cast<id::LoadOp>(op))
          result.sections.back().stagedLoads.push_back(load);
        else
          result.sections.back().stagedStores.push_back(cast<id::StoreOp>(op));
      }
    }
  }

  void findHalves() {
    result.firstHalf = result.sections.size();
    for (auto &[op, section] : result.sectionOf)
      if (isPosted(op))
        result.firstHalf = std::min(result.firstHalf, section);
    for (auto &[op, section] : result.sectionOf)
      if (isThroughMemory(op) && !isPosted(op) && section >= result.firstHalf &&
          result.makerOf(op->getOperand(0)) < result.firstHalf)
        result.parked.insert(op);
  }

  /// Finds what leaves branches in registers.
  void findKept() {
    for (Operation &op : kernel.getBody().front().without_terminator())
      for (Value operand : op.getOperands()) {
        if (!isa<id::TileType>(operand.getType()) || isThroughMemory(&op))
          continue;
        Section &maker = result.sections[result.makerOf(operand)];
        if (result.makerOf(operand) != result.sectionOf.lookup(&op) && maker.threads != result.threads &&
            !llvm::is_contained(maker.kept, operand))
          maker.kept.push_back(operand);
      }
  }
};

} // namespace

Sections conversion::cutSections(id::KernelOp kernel, int64_t lanes) { return Cutter(kernel, lanes).run(); }

std::optional<Sections> conversion::flatSection(id::KernelOp kernel) {
  auto isTaken = [](id::TileType tile) {
    Type number;
    int numbers;
    const digits::Mapping mapping = tile.getMapping();
    return mapping[Field::Block].empty() && mapping.numThreads() > 1 &&
           static_cast<int>(mapping.digits().size()) == static_cast<int>(tile.getRadices().size()) &&
           id::splitNumbers(tile.getElement(), number, numbers);
  };
  auto isComputed = [](Operation &op) {
    auto exchange = dyn_cast<id::ExchangeOp>(op);
    return exchange && exchange.isComputed();
  };
  Block &body = kernel.getBody().front();
  if (llvm::any_of(body, isComputed) || !isStraight(kernel, isTaken, /*ofBits=*/false))
    return std::nullopt;
  Sections result;
  result.straight = true;
  Section &section = result.sections.emplace_back();
  section.first = body.begin();
  section.end = body.getTerminator()->getIterator();
  return result;
}

id::Meeting Section::meeting() const {
  id::Meeting most = id::Meeting::None;
  for (Operation &op : llvm::make_range(first, end))
    if ((isThroughMemory(&op) || (isStaged(&op) && isa<id::LoadOp>(op))) &&
        meetingOf(&op, betweenAttr) != id::Meeting::Words)
      most = std::max(most, meetingOf(&op, betweenAttr));
  return most;
}

SmallVector<id::ExchangeOp> Section::awaited() const {
  SmallVector<id::ExchangeOp> exchanges;
  for (Operation &op : llvm::make_range(first, end))
    if (isThroughMemory(&op) && meetingOf(&op, betweenAttr) == id::Meeting::Words)
      exchanges.push_back(cast<id::ExchangeOp>(op));
  return exchanges;
}

id::Meeting Section::beforeWrites() const {
  id::Meeting most = id::Meeting::None;
  for (id::ExchangeOp exchange : writes)
    most = std::max(most, meetingOf(exchange, beforeAttr));
  for (id::StoreOp store : stagedStores)
    most = std::max(most, meetingOf(store, beforeAttr));
  return most;
}

LogicalResult conversion::checkHalves(id::KernelOp kernel, const Sections &cut) {
  const bool isCooperative = kernel.getLaunch().getTeam() > 1;
  if (isCooperative && cut.firstHalf == cut.sections.size())
    return kernel.emitError() << "has no exchange between its blocks";
  for (auto &[op, section] : cut.sectionOf) {
    if (isPosted(op) && cut.makerOf(op->getOperand(0)) >= cut.firstHalf)
      return op->emitError() << "of a value that is made after blocks have waited for others";
    for (Value operand : op->getOperands())
      if (isCooperative && isa<id::TileType>(operand.getType()) && !isThroughMemory(op) && section >= cut.firstHalf &&
          cut.makerOf(operand) < cut.firstHalf)
        return op->emitError() << "uses a tile that was made before blocks waited for others";
  }
  return success();
}

bool conversion::isThroughMemory(Operation *op) {
  auto exchange = dyn_cast<id::ExchangeOp>(op);
  return exchange && (exchange.getKind() == id::ExchangeKind::Shared || isBetweenBlocks(op) || isPosted(op));
}

bool conversion::sendsToBlocks(Operation *op) { return isBetweenBlocks(op) && !cast<id::ExchangeOp>(op).isComputed(); }

bool conversion::readsBlocks(Operation *op) { return isBetweenBlocks(op) && cast<id::ExchangeOp>(op).isComputed(); }

bool conversion::isStaged(Operation *op) {
  if (auto load = dyn_cast_or_null<id::LoadOp>(op))
    return load.getStaged();
  auto store = dyn_cast_or_null<id::StoreOp>(op);
  return store && store.getStaged();
}

bool conversion::stages(id::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) { return isStaged(&op); });
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
    if (node.isArray(value) && !node.getDigits().empty() &&
        tile.getMapping().find(static_cast<int>(node.getDigits()[0]), place) && place.field == Field::Turn)
      return true;
  }
  return false;
}

SmallVector<Value> conversion::pairsOf(id::NodeOp node) {
  return llvm::to_vector(llvm::make_filter_range(node.getInputs(), [&](Value value) { return node.isArray(value); }));
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
