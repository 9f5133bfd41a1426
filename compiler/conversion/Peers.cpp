#include "compiler/conversion/Peers.h"

#include "compiler/conversion/BlockDigits.h"
#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/TileBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

/// Whether the elements of a tile, whose device is this form of its digits, are those of the tile's own device.
static bool isOwn(const digits::LinearForm &device, const digits::Mapping &mapping) {
  if (mapping[Field::Device].empty()) // every device has the tile
    return false;
  std::vector<int64_t> wanted(device.weight.size(), 0);
  int64_t weight = 1;
  for (const digits::Column &column : mapping[Field::Device]) {
    if (column.digits.size() != 1 || column.digits[0] > static_cast<int>(wanted.size()))
      return false;
    wanted[static_cast<size_t>(column.digits[0]) - 1] = weight;
    weight *= column.radix;
  }
  return device.constant == 0 && device.weight == wanted;
}

/// The same for what is loaded or stored; what a gather or scatter computes may be anywhere.
static bool isOwn(id::LoadOp load, const DenseMap<Value, BufferMemory> &memory) {
  const ViewLayout layout = layoutOf(load, memory);
  return layout.knowsDevice && isOwn(layout.view.device, load.getResult().getType().getMapping());
}

static bool isOwn(id::StoreOp store, const DenseMap<Value, BufferMemory> &memory) {
  const ViewLayout layout = layoutOf(store, memory);
  return layout.knowsDevice && isOwn(layout.view.device, store.getTile().getType().getMapping());
}

/// What a kernel's buffers, by what its body calls them, hold of the function's sequences.
static DenseMap<Value, BufferMemory> memoryOf(id::KernelOp kernel) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  DenseMap<Value, BufferMemory> memory;
  forEachBuffer(kernel, [&](Value buffer, Value sequence) {
    const std::vector<int> digits = id::deviceDigits(function, sequence);
    auto type = cast<id::SeqType>(id::wholeOf(sequence).getType());
    memory[buffer] = {{}, digits::ArrayLayout::dense(type.getNumElements() / heldByDevices(type, digits)), digits};
  });
  return memory;
}

static Reach reachOf(id::LoadOp load, const DenseMap<Value, BufferMemory> &memory) {
  const Value buffer = layoutOf(load.getBuffer(), memory).buffer;
  return memory.find(buffer)->second.deviceDigits.empty() || isOwn(load, memory) ? Reach::Own : Reach::Peers;
}

static Reach reachOf(id::StoreOp store, const DenseMap<Value, BufferMemory> &memory) {
  const Value buffer = layoutOf(store.getBuffer(), memory).buffer;
  const bool isDivided = id::extentOf(store->getParentOfType<id::KernelOp>(), Field::Device) > 1,
             isForAll = memory.find(buffer)->second.deviceDigits.empty();
  if (!isDivided)
    return isForAll ? Reach::Own : Reach::OwnPart;
  return isForAll ? Reach::Copies : isOwn(store, memory) ? Reach::Own : Reach::Peers;
}

Reach conversion::reachOf(Operation *access) {
  auto kernel = access->getParentOfType<id::KernelOp>();
  if (id::devicesOf(kernel->getParentOfType<func::FuncOp>()) == 1)
    return Reach::Own;
  const DenseMap<Value, BufferMemory> memory = memoryOf(kernel);
  if (auto load = dyn_cast<id::LoadOp>(access))
    return ::reachOf(load, memory);
  return ::reachOf(cast<id::StoreOp>(access), memory);
}

template <typename Access>
static Crossing crossingOf(Access access, const digits::Mapping &mapping, int64_t devices, int64_t devicesOfHost) {
  const DenseMap<Value, BufferMemory> memory = memoryOf(access->template getParentOfType<id::KernelOp>());
  const Reach reach = ::reachOf(access, memory);
  if (reach == Reach::Own || reach == Reach::OwnPart)
    return {};
  if (reach == Reach::Copies || mapping[Field::Device].empty())
    return {double(devices - 1), double(std::max<int64_t>(0, devices - devicesOfHost))};
  // Digits of the two numbers that are not the same digit of an element are independent of each other.
  const ViewLayout layout = layoutOf(access, memory);
  double same = 1, sameHost = 1;
  int64_t weight = 1;
  for (const digits::Column &column : mapping[Field::Device]) {
    const std::vector<int64_t> &held = layout.view.device.weight;
    const size_t digit = column.digits.size() == 1 ? static_cast<size_t>(column.digits[0]) - 1 : held.size();
    if (!layout.knowsDevice || digit >= held.size() || held[digit] != weight) {
      same /= column.radix;
      sameHost /= weight >= devicesOfHost ? column.radix : 1;
    }
    weight *= column.radix;
  }
  return {1 - same, 1 - sameHost};
}

Crossing conversion::crossingOf(Operation *access, int64_t devicesOfHost) {
  const int64_t devices = id::devicesOf(access->getParentOfType<func::FuncOp>());
  if (devices == 1)
    return {};
  if (auto load = dyn_cast<id::LoadOp>(access))
    return ::crossingOf(load, load.getResult().getType().getMapping(), devices, devicesOfHost);
  auto store = cast<id::StoreOp>(access);
  return ::crossingOf(store, store.getTile().getType().getMapping(), devices, devicesOfHost);
}

double conversion::secondsOnLinks(const Crossing &crossing, double bytes, int64_t runBytes,
                                  const passes::DeviceLink &link) {
  const double runs = runBytes ? passes::costAt(link.runCost, runBytes) : 1;
  return bytes * ((crossing.devices - crossing.hosts) * runs / link.bytesPerSecond +
                  crossing.hosts / link.bytesPerSecondBetweenHosts);
}

void conversion::findPeers(id::KernelOp kernel, int64_t devices, MutableArrayRef<Buffer> buffers) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> values(body.getArguments());
  llvm::append_range(values, body.getTerminator()->getOperands());
  DenseMap<Value, Buffer *> bufferOf;
  for (auto [value, buffer] : llvm::zip(values, buffers))
    bufferOf[value] = &buffer;
  const DenseMap<Value, BufferMemory> memory = memoryOf(kernel);
  auto note = [&](auto access) {
    Buffer &buffer = *bufferOf.lookup(layoutOf(access.getBuffer(), memory).buffer);
    const Reach reach = ::reachOf(access, memory);
    if (reach == Reach::Peers || reach == Reach::Copies)
      buffer.peers = devices;
    buffer.isOwnPart |= reach == Reach::OwnPart;
  };
  llvm::for_each(kernel.getBody().getOps<id::LoadOp>(), note);
  llvm::for_each(kernel.getBody().getOps<id::StoreOp>(), note);
}

Value conversion::planeOf(TileCode &code, const BufferMemory &memory, size_t plane, Value device, int64_t constant) {
  if (memory.peers.empty())
    return memory.planes[plane];
  OpBuilder &b = code.b;
  Value pointer; // of what bounds exclude, any
  for (auto [number, planes] : llvm::enumerate(memory.peers)) {
    const int64_t wanted = static_cast<int64_t>(number) - constant;
    if (!pointer || (!device && wanted == 0)) {
      pointer = planes[plane];
    } else if (device) {
      Value here = arith::ConstantOp::create(b, code.loc, b.getIntegerAttr(device.getType(), wanted));
      Value is = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq, device, here);
      pointer = arith::SelectOp::create(b, code.loc, is, planes[plane], pointer);
    }
  }
  return pointer;
}
