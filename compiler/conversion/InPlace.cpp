#include "compiler/conversion/InPlace.h"

#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/TileBlocks.h"
#include "dialect/digits/BufferView.h"

#include "id/ArrayType.h"
#include "id/Chunks.h"

#include <optional>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

namespace {

/// Threads that read x before any of them writes y, by the fields that number such units; those of the others number
/// what is in one.
struct Unit {
  SmallVector<Field> fields;
  bool byOrder = false;
};

/// What the columns of some fields stand for in a buffer: (distance in bytes, radix). Nothing for columns that are
/// no digit of their own and for what is no whole buffer.
using Distances = SmallVector<std::pair<int64_t, int>>;

std::optional<Distances> distancesOf(id::TileType tile, ArrayRef<Field> fields, const digits::BufferView &view) {
  const digits::Mapping mapping = tile.getMapping();
  Distances distances;
  const int n = static_cast<int>(view.radices.size());
  for (Field field : fields)
    for (const digits::Column &column : mapping[field]) {
      if (column.digits.size() != 1)
        return std::nullopt;
      int digit = column.digits[0];
      int64_t distance = digit <= n ? view.address.weight[digit - 1] : view.problem << (digit - n - 1);
      distances.emplace_back(distance * id::elementBytes(tile.getElement()), column.radix);
    }
  return distances;
}

digits::BufferView wholeBuffer(Value buffer) {
  ArrayRef<int32_t> radices = id::radicesOf(buffer.getType());
  return digits::BufferView::whole({radices.begin(), radices.end()});
}

/// True when an argument and a result are the beginnings of what is loaded and what is stored, as many elements of
/// both.
bool beginAlike(id::LoadOp load, id::StoreOp store) {
  auto whole = load.getBuffer().getDefiningOp<id::ResizeOp>();
  auto array = store.getBuffer().hasOneUse() ? dyn_cast<id::ResizeOp>(*store.getBuffer().user_begin()) : id::ResizeOp();
  auto isOfAll = [](id::ResizeOp resize) {
    return static_cast<int>(resize.getLowest()) == resize.getInput().getType().getNumDigits();
  };
  return whole && array && isa<BlockArgument>(whole.getInput()) &&
         llvm::all_of(array->getUsers(), llvm::IsaPred<id::YieldOp>) && isOfAll(whole) && isOfAll(array) &&
         whole.getType() == array.getInput().getType() && whole.getInput().getType() == array.getType();
}

/// True when both take the same elements for every value of the unit's fields. The elements of all units together are
/// the whole buffer, once each, so that equal distances from unit to unit leave only one way to fill what is between.
bool sameElements(id::LoadOp load, id::StoreOp store, ArrayRef<Field> fields) {
  const bool areWhole =
      isa<BlockArgument>(load.getBuffer()) && llvm::all_of(store.getBuffer().getUsers(), llvm::IsaPred<id::YieldOp>);
  if (!areWhole && !beginAlike(load, store))
    return false; // a part of a buffer, or one of another length
  digits::BufferView from = wholeBuffer(load.getBuffer()), to = wholeBuffer(store.getBuffer());
  const digits::Permutation loaded = load.getMap().getPermutation(), stored = store.getMap().getPermutation();
  if (loaded.size() != static_cast<int>(from.radices.size()))
    return false; // it is repeated
  from.move(loaded);
  to.move(stored.inverse());
  std::optional<Distances> read = distancesOf(load.getResult().getType(), fields, from),
                           written = distancesOf(store.getTile().getType(), fields, to);
  return read && written && *read == *written;
}

/// True when both take whole problems, the same for every value of the unit's fields: these are digits of the batch.
/// Then it does not matter from where a gather takes a problem's elements, or to where a scatter sends them.
bool sameProblems(id::LoadOp load, id::StoreOp store, ArrayRef<Field> fields) {
  auto problemsOf = [&](id::TileType tile) -> std::optional<SmallVector<std::pair<int, int>>> {
    SmallVector<std::pair<int, int>> problems; // (digit of the batch, radix)
    const digits::Mapping mapping = tile.getMapping();
    for (Field field : fields)
      for (const digits::Column &column : mapping[field]) {
        if (column.digits.size() != 1 || column.digits[0] <= tile.getNumDigits())
          return std::nullopt;
        problems.emplace_back(column.digits[0] - tile.getNumDigits(), column.radix);
      }
    return problems;
  };
  const auto read = problemsOf(load.getResult().getType()), written = problemsOf(store.getTile().getType());
  return read && written && *read == *written;
}

/// True for what a kernel yields that is a part of the function's result only.
bool isPart(id::KernelOp kernel, Value yielded) {
  auto values = kernel.getBody().front().getTerminator()->getOperands();
  const Value result = kernel.getResult(static_cast<unsigned>(llvm::find(values, yielded) - values.begin()));
  return id::wholeOf(result) != result;
}

/// The units whose threads meet between a load and a store of a kernel.
SmallVector<Unit> unitsBetween(id::LoadOp load, id::StoreOp store, const passes::Target &target) {
  auto kernel = load->getParentOfType<id::KernelOp>();
  if (target.kind == "cpu") { // one thread, which writes when it has read all of a block, or all of a turn
    if (exchanges(kernel))
      return {{{Field::Block}, true}};
    const bool ofBits = id::areBits(load.getResult().getType().getRadices());
    if (!ofBits && mostThreads(kernel) > 1)
      return {}; // turns may do again what others have done
    return {{{Field::Block, Field::Warp}, true}};
  }
  const bool straight = cutSections(kernel, target.lanes).straight;
  SmallVector<Unit> units;
  // All values that are made of what is loaded, and whether all of it goes through them.
  DenseMap<Value, bool> made{{load.getResult(), true}};
  bool meets = false; // threads meet, or hold problems beyond the batch
  for (Operation &op : kernel.getBody().front()) {
    // A tile of the second pass waits for all of its problem's of the first.
    if (isa<id::RingOp>(op) && load->isBeforeInBlock(&op) && op.isBeforeInBlock(store))
      return {{{}, false}};
    for (Value value : op.getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType()))
        meets |= id::batchDigits(tile) > 0;
    meets |= isThroughMemory(&op);
    if (&op == store)
      break;
    auto from = llvm::find_if(op.getOperands(), [&](Value operand) { return made.contains(operand); });
    if (from == op.getOperands().end())
      continue;
    const bool whole = made[*from] && (*from).hasOneUse() && op.getNumResults() <= 1;
    for (Value result : op.getResults())
      made[result] = whole;
    auto exchange = dyn_cast<id::ExchangeOp>(op);
    if (!exchange || !isThroughMemory(&op))
      continue;
    const Unit block{{Field::Block, Field::Rank, Field::Turn}, !whole};
    switch (meetingOf(exchange, betweenAttr)) {
    case id::Meeting::Words: // a block waits for what it is sent only
      units.push_back({{Field::Block}, true});
      break;
    case id::Meeting::Cluster:
      units.push_back({{Field::Block}, !whole});
      break;
    case id::Meeting::Block:
      units.push_back(block);
      break;
    case id::Meeting::Warp:
      if (straight)
        units.push_back({{Field::Block, Field::Rank, Field::Warp}, !whole});
      break;
    case id::Meeting::None: // a round of a team ends with a barrier
      if (kernel.getLaunch().getTeam() > 1)
        units.push_back(block);
      break;
    case id::Meeting::Started:
      break;
    }
  }
  // Where threads meet, those beyond the batch read what is another thread's.
  if (straight || !meets)
    units.push_back({{Field::Block, Field::Rank, Field::Lane, Field::Warp}, true});
  return units;
}

/// How a kernel that reads an input and writes an output may do so in the same memory: nothing, or whether it is by
/// order only.
std::optional<bool> inOneKernel(id::KernelOp kernel, const SmallVector<Value> &inputs, Value output,
                                const passes::Target &target) {
  bool byOrder = false;
  bool stored = false;
  while (isa_and_nonnull<id::ScatterOp, id::ResizeOp>(output.getDefiningOp()))
    output = output.getDefiningOp()->getOperand(0);
  for (id::StoreOp store : kernel.getBody().getOps<id::StoreOp>()) {
    if (store.getBuffer() != output)
      continue;
    stored = true;
    for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>()) {
      Value buffer = load.getBuffer();
      bool isGathered = false; // from where other threads may write
      while (isa_and_nonnull<id::PartOp, id::ResizeOp, id::GatherOp, id::PermuteOp>(buffer.getDefiningOp())) {
        isGathered |= isa<id::GatherOp>(buffer.getDefiningOp());
        buffer = buffer.getDefiningOp()->getOperand(0);
      }
      if (!llvm::is_contained(inputs, buffer))
        continue;
      if (!load->isBeforeInBlock(store))
        return std::nullopt;
      SmallVector<Unit> units = unitsBetween(load, store, target);
      llvm::erase_if(units, [&](const Unit &unit) {
        return !sameProblems(load, store, unit.fields) && (isGathered || !sameElements(load, store, unit.fields));
      });
      if (units.empty())
        return std::nullopt;
      byOrder |= llvm::all_of(units, [](const Unit &unit) { return unit.byOrder; });
    }
  }
  return stored ? std::optional(byOrder) : std::nullopt;
}

/// Whether a host program may have a result in the memory of an argument. Passes follow each other.
bool inPasses(func::FuncOp host, int input, int output) {
  bool written = false;
  for (func::CallOp call : id::passesOf(host)) {
    const std::vector<Buffer> places = buffersOf(call);
    SmallVector<unsigned> read, stored;
    for (unsigned i = 0; i < call.getNumOperands(); ++i)
      if (places[i].kind == Buffer::Kind::Input && places[i].index == input)
        read.push_back(i);
    for (unsigned i = 0; i < call.getNumResults(); ++i)
      if (const Buffer &place = places[call.getNumOperands() + i];
          place.kind == Buffer::Kind::Output && place.index == output)
        stored.push_back(i);
    if (written && !read.empty())
      return false;
    for (unsigned result : stored)
      for (unsigned argument : read)
        if (func::FuncOp pass = id::functionOf(call), onCpu = id::onCpuOf(pass);
            !takesSameChunks(pass, argument, result) || (onCpu && !hasPair(inPlacePairs(onCpu), argument, result)))
          return false;
    written |= !stored.empty();
  }
  return written;
}

} // namespace

bool conversion::takesSameChunks(func::FuncOp pass, unsigned argument, unsigned result) {
  auto from = cast<id::SeqType>(pass.getArgumentTypes()[argument]),
       to = cast<id::SeqType>(pass.getResultTypes()[result]);
  const std::vector<int> digits = id::argumentDeviceDigits(pass, static_cast<int>(argument));
  return from.getRadices() == to.getRadices() &&
         id::elementBytes(from.getElement()) == id::elementBytes(to.getElement()) &&
         digits == id::resultDeviceDigits(pass, static_cast<int>(result)) &&
         (id::devicesOf(pass) == 1 || !digits.empty()) && !pass.getArgAttr(argument, id::reachedAttr) &&
         !pass.getResultAttr(result, id::reachedAttr);
}

bool conversion::hasPair(ArrayRef<InPlacePair> pairs, unsigned argument, unsigned result) {
  return llvm::any_of(pairs, [&](const InPlacePair &pair) {
    return pair.input == static_cast<int>(argument) && pair.output == static_cast<int>(result);
  });
}

std::vector<InPlacePair> conversion::findInPlace(func::FuncOp function, const std::vector<LoweredKernel> &kernels,
                                                 const passes::Target &target) {
  // Devices read what others have; chunks (id/Chunks.h) do not.
  const bool isDivided = id::devicesOf(function) > 1;
  if (isDivided && !function->hasAttr(inPlaceAttr))
    return {};
  Block &body = function.getBody().front();
  auto findPair = [&](int input, int output) -> std::optional<InPlacePair> {
    auto from = cast<id::SeqType>(body.getArgument(input).getType()),
         to = cast<id::SeqType>(body.getTerminator()->getOperand(output).getType());
    const digits::ArrayLayout layout = argumentLayout(function, input), ofResult = resultLayout(function, output);
    // Pairs of elements may be those of one side (id::arrayAttr), where both are dense.
    const id::SeqType passed = id::argumentArray(function, static_cast<unsigned>(input)),
                      returned = id::resultArray(function, static_cast<unsigned>(output));
    if (passed.getNumElements() != returned.getNumElements() ||
        id::elementBytes(passed.getElement()) != id::elementBytes(returned.getElement()) ||
        !(layout == ofResult || (layout.isDense() && ofResult.isDense())) ||
        (layout.planar && numberTypes(from.getElement()) != numberTypes(to.getElement())))
      return std::nullopt;
    const std::vector<int> divided = id::argumentDeviceDigits(function, input),
                           dividedResult = id::resultDeviceDigits(function, output);
    if (divided.empty() != dividedResult.empty() || (isDivided && divided.empty()))
      return std::nullopt;
    InPlacePair pair{input, output, false};
    if (!id::passesOf(function).empty())
      return inPasses(function, input, output) ? std::optional(pair) : std::nullopt;
    bool written = false;
    for (auto [kernel, lowered] : llvm::zip(body.getOps<id::KernelOp>(), kernels)) {
      Block &inner = kernel.getBody().front();
      const size_t numInputs = kernel.getInputs().size();
      SmallVector<Value> read, stored;
      for (auto [i, buffer] : llvm::enumerate(lowered.buffers)) {
        if (i < numInputs && buffer.kind == Buffer::Kind::Input && buffer.index == input)
          read.push_back(inner.getArgument(i));
        if (i >= numInputs && buffer.kind == Buffer::Kind::Output && buffer.index == output)
          stored.push_back(inner.getTerminator()->getOperand(i - numInputs));
      }
      if (written && !read.empty())
        return std::nullopt;
      written |= !stored.empty();
      for (Value value : stored) {
        if (read.empty())
          continue;
        // Where chunks have other digits, equal places in the whole are different ones in a part.
        if (isPart(kernel, value) || divided != dividedResult)
          return std::nullopt;
        std::optional<bool> byOrder = inOneKernel(kernel, read, value, target);
        if (!byOrder)
          return std::nullopt;
        pair.byOrder |= *byOrder;
      }
    }
    return pair;
  };
  std::vector<InPlacePair> pairs;
  for (int output = 0; output < static_cast<int>(function.getNumResults()); ++output)
    for (int input = 0; input < static_cast<int>(function.getNumArguments()); ++input)
      if (std::optional<InPlacePair> pair = findPair(input, output);
          pair && (target.kind == "cpu" || !pair->byOrder || function->hasAttr(inPlaceAttr)))
        pairs.push_back(*pair);
  return pairs;
}

static constexpr const char pairsAttr[] = "id.in_place_pairs";

std::vector<InPlacePair> conversion::inPlacePairs(func::FuncOp function) {
  std::vector<InPlacePair> pairs;
  if (auto attribute = function->getAttrOfType<ArrayAttr>(pairsAttr))
    for (auto pair : attribute.getAsRange<DenseI64ArrayAttr>())
      pairs.push_back({static_cast<int>(pair[0]), static_cast<int>(pair[1]), pair[2] != 0});
  return pairs;
}

void conversion::setInPlacePairs(func::FuncOp function, const std::vector<InPlacePair> &pairs) {
  Builder b(function.getContext());
  SmallVector<Attribute> attributes;
  for (const InPlacePair &pair : pairs)
    attributes.push_back(b.getDenseI64ArrayAttr({pair.input, pair.output, pair.byOrder}));
  function->setAttr(pairsAttr, b.getArrayAttr(attributes));
}
