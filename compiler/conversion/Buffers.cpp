#include "compiler/conversion/Buffers.h"

#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/Peers.h"
#include "compiler/conversion/TileBlocks.h"
#include "compiler/conversion/exchanges/PostExchange.h"
#include "compiler/conversion/protocols/CooperativeRounds.h"
#include "compiler/conversion/protocols/RingPasses.h"

#include "id/ArrayType.h"
#include "id/Chunks.h"
#include "id/ConstantData.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

namespace idc::conversion {
#define GEN_PASS_DEF_PLACEBUFFERS
#include "compiler/conversion/Passes.h.inc"
} // namespace idc::conversion

static std::vector<int> deviceDigits(Value value) {
  return id::deviceDigits(value.getParentRegion()->getParentOfType<func::FuncOp>(), value);
}

/// That a device has of a value.
static int64_t elementsOf(Value value) {
  auto type = cast<id::SeqType>(value.getType());
  return type.getNumElements() / heldByDevices(type, deviceDigits(value));
}

static int64_t bytesOf(Value value) {
  return elementsOf(value) * id::elementBytes(cast<id::SeqType>(value.getType()).getElement());
}

static Buffer bufferOf(Buffer::Kind kind, int index, Value value, int64_t offset, digits::ArrayLayout layout) {
  Type element = cast<id::SeqType>(value.getType()).getElement();
  int planes = layout.planar ? static_cast<int>(numberTypes(element).size()) : 1;
  return {kind, index, bytesOf(value), offset, std::move(layout), planes, deviceDigits(value)};
}

static digits::ArrayLayout denseLayout(Value value) { return digits::ArrayLayout::dense(elementsOf(value)); }

/// What follows begins as well aligned as the workspace.
static int64_t wholeLines(int64_t bytes) {
  constexpr int64_t line = 128;
  return (bytes + line - 1) / line * line;
}

/// The places of the values of a chain, from its last kernel backwards: output, workspace, output, … Beside the value
/// of the kernel before, kernels may read inputs. False when the kernels are no chain, or a value is too large for the
/// output. What holds for kernels holds for the passes of a host program.
static bool placeChain(ArrayRef<Operation *> kernels, Operation *terminator, DenseMap<Value, Buffer> &places) {
  if (terminator->getNumOperands() != 1)
    return false;
  Value next = terminator->getOperand(0);
  func::FuncOp function = terminator->getParentOfType<func::FuncOp>();
  // Of what the caller's array is the beginning of, only that has memory.
  const int64_t outputBytes = std::min(bytesOf(next), id::bytesOf(id::resultArray(function, 0)));
  const digits::ArrayLayout layout = resultLayout(function, 0);
  // Of some values there is one chunk at a time, of the output there are all.
  auto isOfChunk = [&](Value value) { return id::devicesOf(function) == 1 && !deviceDigits(value).empty(); };
  // A value of each problem begins where its result does, and what kernels reach there is aligned as vectors are.
  auto isOff = [&](Value value) { return outputBytes % widestAccess != 0 && id::isReached(value); };
  DenseMap<Value, Buffer> chain;
  for (size_t k = kernels.size(); k-- > 0;) {
    Operation *kernel = kernels[k];
    if (kernel->getNumResults() != 1 || kernel->getResult(0) != next || !next.hasOneUse() ||
        kernel->getNumOperands() == 0 ||
        !llvm::all_of(kernel->getOperands().drop_front(), llvm::IsaPred<BlockArgument>))
      return false;
    const bool last = k + 1 == kernels.size(), output = (kernels.size() - 1 - k) % 2 == 0;
    if (output && !last && (bytesOf(next) > outputBytes || !layout.isDense() || isOfChunk(next) || isOff(next)))
      return false;
    chain[next] = bufferOf(output ? Buffer::Kind::Output : Buffer::Kind::Workspace, 0, next, 0,
                           last ? layout : denseLayout(next));
    next = kernel->getOperand(0);
  }
  if (!isa<BlockArgument>(next))
    return false;
  for (const auto &[value, place] : chain)
    places[value] = place;
  return true;
}

/// Results, and what they are joined of, to their outputs; every other value to the first stretch of the workspace that
/// is free while it lives.
static void placeGraph(ArrayRef<Operation *> kernels, Operation *terminator, DenseMap<Value, Buffer> &places) {
  for (OpOperand &operand : terminator->getOpOperands()) {
    int number = static_cast<int>(operand.getOperandNumber());
    places[operand.get()] = bufferOf(Buffer::Kind::Output, number, operand.get(), 0,
                                     resultLayout(terminator->getParentOfType<func::FuncOp>(), number));
  }
  struct Live {
    int64_t begin, end;
    Operation *lastUse;
  };
  SmallVector<Live> live; // ascending, disjoint
  for (Operation *kernel : kernels) {
    for (Value value : kernel->getResults()) {
      if (places.contains(value))
        continue;
      if (auto whole = places.find(id::wholeOf(value)); whole != places.end()) {
        const Buffer place = whole->second; // before the map grows
        places[value] = place;
        continue;
      }
      int64_t bytes = (bytesOf(value) + 15) / 16 * 16, begin = 0;
      size_t at = 0;
      for (; at < live.size() && live[at].begin < begin + bytes; ++at)
        begin = std::max(begin, live[at].end);
      Operation *lastUse = kernel;
      for (Operation *user : value.getUsers())
        if (lastUse->isBeforeInBlock(user))
          lastUse = user;
      live.insert(live.begin() + at, {begin, begin + bytes, lastUse});
      places[value] = bufferOf(Buffer::Kind::Workspace, 0, value, begin, denseLayout(value));
    }
    llvm::erase_if(live, [&](const Live &range) { return range.lastUse == kernel; });
  }
}

//===--- attributes -----------------------------------------------------------------------------------------------===//

static constexpr const char *kindNames[] = {"input", "output", "workspace", "constant"};

static DictionaryAttr toAttribute(const Buffer &buffer, MLIRContext *context) {
  Builder b(context);
  const bool inWorkspace = buffer.kind == Buffer::Kind::Workspace;
  return b.getDictionaryAttr(b.getNamedAttr(kindNames[static_cast<int>(buffer.kind)],
                                            b.getI64IntegerAttr(inWorkspace ? buffer.offsetPerProblem : buffer.index)));
}

/// What an attribute says of a value.
static Buffer fromAttribute(DictionaryAttr place, Value value, func::FuncOp function) {
  const NamedAttribute entry = *place.begin();
  const int64_t number = cast<IntegerAttr>(entry.getValue()).getInt();
  const auto index = static_cast<int>(number);
  if (entry.getName() == kindNames[static_cast<int>(Buffer::Kind::Workspace)])
    return bufferOf(Buffer::Kind::Workspace, 0, value, number, denseLayout(value));
  for (Buffer::Kind kind : {Buffer::Kind::Input, Buffer::Kind::Constant})
    if (entry.getName() == kindNames[static_cast<int>(kind)])
      return bufferOf(kind, index, value, 0, argumentLayout(function, index));
  const Value whole = id::wholeOf(value);
  const bool isResult = function.getBody().front().getTerminator()->getOperand(index) == whole;
  return bufferOf(Buffer::Kind::Output, index, whole, 0, isResult ? resultLayout(function, index) : denseLayout(whole));
}

/// The operands, then the results.
static SmallVector<Value> valuesOf(Operation *kernel) {
  SmallVector<Value> values(kernel->getOperands());
  llvm::append_range(values, kernel->getResults());
  return values;
}

static void setPlaces(ArrayRef<Operation *> kernels, const DenseMap<Value, Buffer> &places) {
  for (Operation *kernel : kernels) {
    SmallVector<Attribute> attributes;
    for (Value value : valuesOf(kernel))
      attributes.push_back(toAttribute(places.find(value)->second, kernel->getContext()));
    kernel->setAttr(placesAttr, ArrayAttr::get(kernel->getContext(), attributes));
  }
}

std::vector<Buffer> conversion::buffersOf(Operation *kernel) {
  std::vector<Buffer> buffers;
  for (auto [value, place] : llvm::zip(valuesOf(kernel), kernel->getAttrOfType<ArrayAttr>(placesAttr)))
    buffers.push_back(fromAttribute(cast<DictionaryAttr>(place), value, kernel->getParentOfType<func::FuncOp>()));
  return buffers;
}

//===--- launches -------------------------------------------------------------------------------------------------===//

std::optional<RingPasses::Shape> conversion::ringOf(id::KernelOp kernel) {
  auto rings = kernel.getBody().getOps<id::RingOp>();
  if (rings.empty())
    return std::nullopt;
  id::RingOp ring = *rings.begin();
  return RingPasses::Shape{passTilesOf(kernel), static_cast<int64_t>(ring.getSlots()),
                           static_cast<int64_t>(ring.getDelay())};
}

int64_t conversion::ringBytes(id::RingOp ring) {
  auto type = cast<id::SeqType>(ring.getResult().getType());
  return wholeLines(static_cast<int64_t>(ring.getSlots()) * id::bytesOf(type));
}

KernelMemory conversion::ownMemoryOf(id::KernelOp kernel) {
  KernelMemory memory;
  const digits::Launch launch = kernel.getLaunch().getLaunch();
  for (id::RingOp ring : kernel.getBody().getOps<id::RingOp>()) {
    memory.counterBytes = RingPasses::counterBytes(static_cast<int64_t>(ring.getSlots()));
    memory.ringBytes += ringBytes(ring);
  }
  if (launch.persistent)
    memory.counterBytes = 4;
  if (launch.team > 1)
    memory.counterBytes = CooperativeRounds::Shape{launch.team, 1, postedCells(kernel)}.postBytes();
  return memory;
}

std::vector<LoweredKernel> conversion::describeLaunches(func::FuncOp function) {
  std::vector<LoweredKernel> lowered;
  int64_t counters = 0; // bytes
  for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
    LoweredKernel entry;
    entry.name = kernel.getName().str();
    entry.launch = kernel.getLaunch().getLaunch();
    entry.buffers = buffersOf(kernel);
    if (const int64_t devices = id::devicesOf(function); devices > 1) {
      findPeers(kernel, devices, entry.buffers);
      if (id::extentOf(kernel, digits::Field::Device) > 1 ||
          llvm::any_of(entry.buffers, [](const Buffer &buffer) { return buffer.isOwnPart; }))
        entry.devices = devices;
    }
    // Devices meet around a kernel that reaches others' memory.
    if (entry.reachesPeers() || (!lowered.empty() && lowered.back().reachesPeers()))
      entry.launch.dependent = false;
    entry.scalars = scalarArguments(kernel);
    for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>()) {
      const id::TileType tile = load.getResult().getType();
      const digits::Mapping mapping = tile.getMapping();
      entry.problemsPerBlockGroup = int64_t(1) << id::batchDigits(tile);
      entry.blocksPerGroup = mapping.extent(digits::Field::Block) * mapping.extent(digits::Field::Rank);
    }
    const KernelMemory own = ownMemoryOf(kernel);
    entry.counterBytes = own.counterBytes;
    entry.ringBytes = own.ringBytes;
    if (const std::optional<RingPasses::Shape> shape = ringOf(kernel)) {
      entry.blocksPerGroup = shape->tilesTogether();
      entry.delay = shape->ticketsBehind();
    }
    if (entry.counterBytes) {
      entry.counterOffset = counters;
      counters += entry.counterBytes;
    }
    lowered.push_back(std::move(entry));
  }
  int64_t end = counterBytes(lowered);
  for (LoweredKernel &entry : lowered)
    if (entry.ringBytes) {
      entry.ringOffset = end;
      end += wholeLines(entry.ringBytes);
    }
  return lowered;
}

/// Emits an error unless every result may lie on an argument.
static LogicalResult checkInPlace(func::FuncOp function, const std::vector<LoweredKernel> &kernels,
                                  const passes::Target &target) {
  std::vector<InPlacePair> pairs = findInPlace(function, kernels, target);
  for (int output = 0; output < static_cast<int>(function.getNumResults()); ++output)
    if (llvm::none_of(pairs, [&](const InPlacePair &pair) { return pair.output == output; }))
      return function.emitError() << "cannot work in place: y" << output
                                  << " has the memory of no argument, as none has as many and as large elements, or "
                                     "elements are still read when others are written";
  return success();
}

LogicalResult conversion::placeBuffers(func::FuncOp function, const passes::Target &target) {
  SmallVector<Operation *> kernels;
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator()) {
    if (isa<id::JoinOp>(op))
      continue;
    if (!isa<id::KernelOp, func::CallOp>(op))
      return op.emitError() << "only kernels can be lowered; run the stage passes first";
    kernels.push_back(&op);
  }
  DenseMap<Value, Buffer> arguments;
  for (BlockArgument argument : block.getArguments()) {
    const auto number = static_cast<int>(argument.getArgNumber());
    const bool isConstant = function.getArgAttr(argument.getArgNumber(), id::dataAttr) != nullptr;
    arguments[argument] = bufferOf(isConstant ? Buffer::Kind::Constant : Buffer::Kind::Input, number, argument, 0,
                                   argumentLayout(function, number));
  }
  DenseMap<Value, Buffer> places = arguments;
  const bool inPlace = function->hasAttr(inPlaceAttr);
  if (placeChain(kernels, block.getTerminator(), places)) {
    setPlaces(kernels, places);
    if (!inPlace || !findInPlace(function, describeLaunches(function), target).empty())
      return success();
    places = arguments;
  }
  placeGraph(kernels, block.getTerminator(), places);
  setPlaces(kernels, places);
  return inPlace ? checkInPlace(function, describeLaunches(function), target) : success();
}

namespace {

struct PlaceBuffers : conversion::impl::PlaceBuffersBase<PlaceBuffers> {
  using PlaceBuffersBase::PlaceBuffersBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const std::optional<passes::Target> machine = passes::findTarget(target, function);
    if (!machine)
      return signalPassFailure();
    if (failed(placeBuffers(function, *machine)))
      return signalPassFailure();
    setInPlacePairs(function, findInPlace(function, describeLaunches(function), *machine));
  }
};

} // namespace

void conversion::dropConstants(LoweredKernel &kernel) {
  llvm::erase_if(kernel.buffers, [](const Buffer &buffer) { return buffer.kind == Buffer::Kind::Constant; });
}

size_t LoweredKernel::pointerCount() const {
  size_t count = 0;
  for (const Buffer &buffer : buffers)
    count += buffer.kind == Buffer::Kind::Constant ? 0 : static_cast<size_t>(buffer.pointers());
  return count;
}

bool LoweredKernel::reachesPeers() const {
  return llvm::any_of(buffers, [](const Buffer &buffer) { return buffer.peers > 0; });
}

int64_t conversion::counterBytes(const std::vector<LoweredKernel> &kernels) {
  int64_t bytes = 0;
  for (const LoweredKernel &kernel : kernels)
    bytes = std::max(bytes, kernel.hasCounter() ? kernel.counterOffset + kernel.counterBytes : 0);
  return wholeLines(bytes);
}

int64_t conversion::fixedBytes(const std::vector<LoweredKernel> &kernels) {
  int64_t bytes = counterBytes(kernels);
  for (const LoweredKernel &kernel : kernels)
    bytes = std::max(bytes, kernel.hasRing() ? kernel.ringOffset + wholeLines(kernel.ringBytes) : 0);
  return bytes;
}

int64_t conversion::workspaceBytes(const std::vector<LoweredKernel> &kernels) {
  int64_t bytes = 0;
  for (const LoweredKernel &kernel : kernels)
    for (const Buffer &buffer : kernel.buffers)
      if (buffer.kind == Buffer::Kind::Workspace)
        bytes = std::max(bytes, buffer.offsetPerProblem + (buffer.bytesPerProblem + 15) / 16 * 16);
  return bytes;
}
