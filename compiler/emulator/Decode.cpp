// From MLIR to instructions. Structured control flow becomes jumps; every value gets slots, one per scalar, which are
// given to other values once it is dead; equal constants share a slot.
#include "compiler/emulator/Dialects.h"
#include "compiler/emulator/Program.h"
#include "compiler/emulator/Scalar.h"

#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace idc;
using namespace idc::emulator;
using Kind = Instruction::Kind;

void emulator::loadDialects(MLIRContext &context) {
  context.loadDialect<LLVM::LLVMDialect, machine::MachineDialect, gpu::GPUDialect, scf::SCFDialect, arith::ArithDialect,
                      math::MathDialect>();
}

namespace {

llvm::Error message(const llvm::Twine &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

/// Bits of a scalar type; 0 for others.
unsigned scalarBits(Type type) {
  if (isa<LLVM::LLVMPointerType, IndexType>(type))
    return 64;
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64 ? type.getIntOrFloatBitWidth() : 0;
}

/// The scalars of a value of this type; 0 when it has no slots.
unsigned scalarsOf(Type type, Type &scalar) {
  scalar = type;
  unsigned count = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return 0;
    scalar = vector.getElementType();
    count = static_cast<unsigned>(vector.getNumElements());
  }
  return scalarBits(scalar) ? count : 0;
}

/// Bytes of a type in memory; 0 for one that has no layout here.
int64_t bytesOf(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return static_cast<int64_t>(array.getNumElements()) * bytesOf(array.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return (scalarBits(type) + 7) / 8;
}

std::optional<Number> numberOf(Type type) {
  if (type.isF32())
    return Number::F32;
  if (type.isF64())
    return Number::F64;
  if (type.isF16())
    return Number::F16;
  if (type.isBF16())
    return Number::BF16;
  return std::nullopt;
}

std::optional<Scope> scopeOf(std::optional<StringRef> name) {
  return llvm::StringSwitch<std::optional<Scope>>(name.value_or(""))
      .Case("", Scope::System)
      .Case("device", Scope::Device)
      .Case("cluster", Scope::Cluster)
      .Case("block", Scope::Block)
      .Case("singlethread", Scope::Thread)
      .Default(std::nullopt);
}

/// The bits of every scalar of a constant; false for an attribute that is none.
bool bitsOf(Attribute attribute, SmallVectorImpl<uint64_t> &bits) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    bits.push_back(integer.getValue().getZExtValue());
  } else if (auto number = dyn_cast<FloatAttr>(attribute)) {
    bits.push_back(number.getValue().bitcastToAPInt().getZExtValue());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    if (isa<FloatType>(dense.getElementType()))
      for (const APFloat &value : dense.getValues<APFloat>())
        bits.push_back(value.bitcastToAPInt().getZExtValue());
    else
      for (const APInt &value : dense.getValues<APInt>())
        bits.push_back(value.getZExtValue());
  } else {
    return false;
  }
  return true;
}

class Decoder {
public:
  Decoder(Kernel &kernel) : kernel(kernel) {}

  llvm::Error run(LLVM::LLVMFuncOp function) {
    Region &body = function.getBody();
    if (!llvm::hasSingleElement(body))
      return message("the emulator runs functions of one block; " + function.getName() + " has more");
    for (BlockArgument argument : body.front().getArguments()) {
      Type scalar;
      if (scalarsOf(argument.getType(), scalar) != 1)
        return unsupported(function, "with this parameter");
      kernel.arguments.push_back(slots[argument] = reserve(1));
    }
    function.walk([&](machine::ClusterArriveOp arrival) {
      if (arrival.getOrder() == machine::ArrivalOrder::Relaxed)
        findLateLoads(arrival);
    });
    return block(body.front(), [](Operation *) { return llvm::Error::success(); });
  }

private:
  Kernel &kernel;
  DenseMap<Value, uint32_t> slots;
  std::map<unsigned, std::vector<uint32_t>> freeSlots; // by number of scalars
  std::map<uint64_t, uint32_t> constantSlots;
  DenseSet<Value> owned; // values whose slots are given back when they die
  DenseSet<Operation *> lateLoads;

  llvm::Error unsupported(Operation *op, const llvm::Twine &how = "") {
    std::string text;
    llvm::raw_string_ostream(text) << op->getName();
    return message("the emulator cannot execute " + text + (how.isTriviallyEmpty() ? "" : " ") + how);
  }

  /// Loads whose values nothing has needed when a relaxed arrival comes: no store, and no decision.
  void findLateLoads(Operation *arrival) {
    DenseSet<Value> needed;
    for (Operation *at = arrival; !isa<LLVM::LLVMFuncOp>(at); at = at->getParentOp()) {
      needed.insert(at->operand_begin(), at->operand_end());
      for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
        if (isa<LLVM::LoadOp>(op) && !needed.contains(op->getResult(0)))
          lateLoads.insert(op);
        bool pure = op->getNumRegions() == 0 && op->getNumResults() > 0;
        if (!pure || llvm::any_of(op->getResults(), [&](Value result) { return needed.contains(result); }))
          op->walk([&](Operation *inner) { needed.insert(inner->operand_begin(), inner->operand_end()); });
      }
    }
  }

  //===--- slots ------------------------------------------------------------------------------------------------===//

  uint32_t reserve(unsigned count) {
    uint32_t first = kernel.slots;
    kernel.slots += count;
    return first;
  }
  uint32_t acquire(unsigned count) {
    std::vector<uint32_t> &available = freeSlots[count];
    if (available.empty())
      return reserve(count);
    uint32_t first = available.back();
    available.pop_back();
    return first;
  }
  uint32_t constant(uint64_t bits) {
    if (bits == poisonBits)
      return poisonSlot;
    auto [entry, inserted] = constantSlots.try_emplace(bits, 0);
    if (inserted) {
      entry->second = reserve(1);
      kernel.constants.emplace_back(entry->second, bits);
    }
    return entry->second;
  }
  unsigned count(Value value) {
    Type scalar;
    return scalarsOf(value.getType(), scalar);
  }
  /// Slots for a result.
  llvm::Error define(Value value) {
    unsigned scalars = count(value);
    if (scalars == 0)
      return message("the emulator holds no values of type " + spelled(value.getType()));
    slots[value] = acquire(scalars);
    owned.insert(value);
    return llvm::Error::success();
  }
  static std::string spelled(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }
  void release(Value value) {
    if (owned.erase(value))
      freeSlots[count(value)].push_back(slots[value]);
  }
  uint32_t slot(Value value) { return slots.find(value)->second; }
  /// A value that lies in slots of its own forever.
  void alias(Value value, uint32_t at) { slots[value] = at; }

  /// The last op of the value's block that uses it, or null.
  static Operation *lastUse(Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
    return last;
  }

  //===--- instructions -----------------------------------------------------------------------------------------===//

  Instruction &emit(Kind kind, Operation *op) {
    Instruction &instruction = kernel.instructions.emplace_back();
    instruction.kind = kind;
    instruction.op = op;
    return instruction;
  }
  Instruction &compute(Operation *op, Handler handler, uint32_t result, uint32_t a = 0) {
    Instruction &instruction = emit(Kind::Compute, op);
    instruction.handler = handler;
    instruction.result = result;
    instruction.a = a;
    return instruction;
  }
  void copy(Operation *op, uint32_t to, uint32_t from, unsigned scalars) {
    for (unsigned k = 0; k < scalars; ++k)
      compute(op, move, to + k, from + k);
  }
  uint32_t here() const { return static_cast<uint32_t>(kernel.instructions.size()); }

  //===--- ops --------------------------------------------------------------------------------------------------===//

  /// Ops of a block; `terminate` decodes its last one.
  llvm::Error block(Block &body, llvm::function_ref<llvm::Error(Operation *)> terminate) {
    DenseMap<Operation *, SmallVector<Value>> dying;
    for (Operation &op : body)
      for (Value result : op.getResults()) {
        Operation *last = lastUse(result);
        dying[last ? last : &op].push_back(result);
      }
    for (Operation &op : body) {
      if (&op == &body.back() && op.hasTrait<OpTrait::IsTerminator>() && !isa<LLVM::ReturnOp>(op)) {
        if (llvm::Error error = terminate(&op))
          return error;
      } else if (llvm::Error error = decode(&op)) {
        return error;
      }
      auto found = dying.find(&op);
      if (found != dying.end())
        for (Value value : found->second)
          release(value);
    }
    return llvm::Error::success();
  }

  llvm::Error decode(Operation *op) {
    if (isa<LLVM::ReturnOp>(op)) {
      if (op->getNumOperands())
        return unsupported(op, "with a value");
      emit(Kind::Return, op);
      return llvm::Error::success();
    }
    if (isa<arith::ConstantOp, LLVM::ConstantOp, LLVM::ZeroOp>(op))
      return constantOp(op);
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
      uint32_t at = reserve(1);
      kernel.addresses.emplace_back(at, address.getGlobalName().str());
      alias(address, at);
      return llvm::Error::success();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return ifOp(branch);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return forOp(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return whileOp(loop);
    if (isa<machine::MachineDialect>(op->getDialect()))
      return machineOp(op);
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      bool relaxed = load.getOrdering() == LLVM::AtomicOrdering::monotonic;
      bool atomic = relaxed || load.getOrdering() == LLVM::AtomicOrdering::acquire;
      if (!atomic && load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
        return unsupported(op, "of this order");
      if (llvm::Error error = define(load.getResult()))
        return error;
      if (atomic) {
        std::optional<Scope> scope = scopeOf(load.getSyncscope());
        if (!load.getType().isInteger() || !scope)
          return unsupported(op, "that is atomic, but of an integer");
        Instruction &instruction = atomicAt(Kind::LoadAcquire, op, load.getAddr(), load.getType());
        instruction.result = slot(load.getResult());
        instruction.scope = *scope;
        instruction.relaxed = relaxed;
        return llvm::Error::success();
      }
      access(Kind::Load, op, slot(load.getAddr()), slot(load.getResult()), load.getType(), load.getAlignment());
      return llvm::Error::success();
    }
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      if (store.getOrdering() != LLVM::AtomicOrdering::not_atomic) {
        std::optional<Scope> scope = scopeOf(store.getSyncscope());
        if (store.getOrdering() != LLVM::AtomicOrdering::monotonic || !scope || !store.getValue().getType().isInteger())
          return unsupported(op, "that is atomic, but a relaxed one of an integer");
        Instruction &instruction = atomicAt(Kind::StoreRelaxed, op, store.getAddr(), store.getValue().getType());
        instruction.b = slot(store.getValue());
        instruction.scope = *scope;
        return llvm::Error::success();
      }
      access(Kind::Store, op, slot(store.getAddr()), slot(store.getValue()), store.getValue().getType(),
             store.getAlignment());
      return llvm::Error::success();
    }
    if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
      return atomicOp(atomic);
    if (auto fence = dyn_cast<LLVM::FenceOp>(op)) {
      std::optional<Scope> scope = scopeOf(fence.getSyncscope());
      if (!scope)
        return unsupported(op, "of this scope");
      Instruction &instruction = emit(Kind::Fence, op);
      instruction.scope = *scope;
      instruction.relaxed = fence.getOrdering() == LLVM::AtomicOrdering::acquire;
      return llvm::Error::success();
    }
    if (auto multiply = dyn_cast<arith::MulUIExtendedOp>(op))
      return multiplyOp(multiply);
    if (op->getNumResults() != 1 || op->getNumRegions())
      return unsupported(op);
    if (auto insert = dyn_cast<LLVM::InsertElementOp>(op))
      return insertOp(insert);
    if (llvm::Error error = define(op->getResult(0)))
      return error;
    uint32_t result = slot(op->getResult(0));
    if (isa<LLVM::PoisonOp, LLVM::UndefOp>(op)) {
      for (unsigned k = 0; k < count(op->getResult(0)); ++k)
        compute(op, move, result + k, poisonSlot);
      return llvm::Error::success();
    }
    if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
      std::optional<int64_t> position = element(extract.getPosition(), count(extract.getVector()));
      if (!position)
        return unsupported(op, "at a computed position");
      compute(op, move, result, slot(extract.getVector()) + static_cast<uint32_t>(*position));
      return llvm::Error::success();
    }
    if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      return gepOp(gep, result);
    if (auto cast = dyn_cast<LLVM::BitcastOp>(op); cast && count(cast.getArg()) != count(cast.getResult()))
      return regroup(cast, result);
    return elementwise(op, result);
  }

  //===--- the machine ------------------------------------------------------------------------------------------===//

  llvm::Error machineOp(Operation *op) {
    if (std::optional<uint32_t> number = numberSlot(op)) {
      alias(op->getResult(0), *number);
      return llvm::Error::success();
    }
    if (op->getNumResults())
      if (llvm::Error error = define(op->getResult(0)))
        return error;
    const uint32_t result = op->getNumResults() ? slot(op->getResult(0)) : 0;
    if (isa<machine::BarrierOp>(op)) {
      emit(Kind::Barrier, op);
    } else if (isa<machine::WarpBarrierOp>(op)) {
      emit(Kind::WarpSync, op);
    } else if (auto arrive = dyn_cast<machine::ClusterArriveOp>(op)) {
      emit(Kind::ClusterArrive, op).relaxed = arrive.getOrder() == machine::ArrivalOrder::Relaxed;
    } else if (isa<machine::ClusterWaitOp>(op)) {
      emit(Kind::ClusterWait, op);
    } else if (auto shuffle = dyn_cast<machine::ShuffleOp>(op)) {
      Instruction &instruction = emit(Kind::Shuffle, op);
      instruction.result = result;
      instruction.a = slot(shuffle.getValue());
      instruction.b = slot(shuffle.getLane());
      instruction.isXor = shuffle.getKind() == machine::ShuffleKind::Xor;
    } else if (auto peer = dyn_cast<machine::PeerOp>(op)) {
      compute(op, mapToRank, result, slot(peer.getPointer())).b = slot(peer.getRank());
    } else if (auto send = dyn_cast<machine::SendOp>(op)) {
      return sendOp(send);
    } else if (auto init = dyn_cast<machine::PhaseInitOp>(op)) {
      phaseAt(Kind::PhaseInit, op, init.getPhase());
    } else if (isa<machine::PhasePublishOp>(op)) {
      emit(Kind::PhasePublish, op);
    } else if (auto expect = dyn_cast<machine::PhaseExpectOp>(op)) {
      phaseAt(Kind::PhaseExpect, op, expect.getPhase()).b = slot(expect.getBytes());
    } else if (auto over = dyn_cast<machine::PhaseOverOp>(op)) {
      Instruction &instruction = phaseAt(Kind::PhaseOver, op, over.getPhase());
      instruction.b = slot(over.getParity());
      instruction.result = result;
      instruction.relaxed = over.getOrder() != machine::PhaseOrder::Cluster;
    } else if (isa<machine::TimeOp>(op)) {
      emit(Kind::Time, op).result = result;
    } else if (isa<machine::StartNextOp>(op)) {
      emit(Kind::LaunchDependents, op);
    } else if (isa<machine::AwaitPreviousOp>(op)) {
      emit(Kind::AwaitGrids, op);
    } else if (auto load = dyn_cast<machine::LoadStreamOp>(op)) {
      access(Kind::Load, op, slot(load.getPointer()), result, load.getType(), /*alignment=*/16);
    } else if (auto load = dyn_cast<machine::LoadOrderedOp>(op)) {
      access(Kind::Load, op, slot(load.getPointer()), result, load.getType(),
             load.getType().getIntOrFloatBitWidth() / 8);
    } else if (auto store = dyn_cast<machine::StoreStreamOp>(op)) {
      access(Kind::Store, op, slot(store.getPointer()), slot(store.getValue()), store.getValue().getType(),
             /*alignment=*/16);
    } else {
      return unsupported(op);
    }
    return llvm::Error::success();
  }

  /// The slot of a number that a thread has from its start.
  static std::optional<uint32_t> numberSlot(Operation *op) {
    if (isa<machine::ThreadOp, machine::ThreadHereOp>(op))
      return threadSlot;
    if (isa<machine::BlockOp, machine::BlockHereOp>(op))
      return blockSlot;
    return isa<machine::GridBlocksOp>(op) ? std::optional<uint32_t>(gridSizeSlot) : std::nullopt;
  }

  /// One or two scalars that arrive side by side.
  llvm::Error sendOp(machine::SendOp op) {
    const size_t scalars = op.getValues().size();
    const int64_t bytes = bytesOf(op.getValues()[0].getType());
    if (scalars > 2)
      return unsupported(op, "of more than two scalars");
    kernel.granule = std::min(kernel.granule, bytes);
    uint32_t first = slot(op.getValues()[0]);
    if (scalars > 1) {
      first = acquire(2);
      copy(op, first, slot(op.getValues()[0]), 1);
      copy(op, first + 1, slot(op.getValues()[1]), 1);
      freeSlots[2].push_back(first);
    }
    Instruction &instruction = emit(Kind::StoreAsync, op);
    instruction.a = slot(op.getPlace());
    instruction.b = first;
    instruction.c = slot(op.getPhase());
    instruction.scalars = static_cast<uint8_t>(scalars);
    instruction.scalarBytes = static_cast<uint8_t>(bytes);
    instruction.alignment = static_cast<uint8_t>(bytes * static_cast<int64_t>(scalars));
    countAccess(instruction);
    return llvm::Error::success();
  }

  /// An instruction on a counter of bytes in shared memory.
  Instruction &phaseAt(Kind kind, Operation *op, Value address) {
    constexpr uint8_t bytes = 8;
    kernel.granule = std::min<int64_t>(kernel.granule, bytes);
    Instruction &instruction = emit(kind, op);
    instruction.a = slot(address);
    instruction.scalarBytes = instruction.alignment = bytes;
    return instruction;
  }

  //===--- constants, vectors, accesses -------------------------------------------------------------------------===//

  /// A constant position in a vector.
  static std::optional<int64_t> element(Value position, unsigned scalars) {
    IntegerAttr attribute;
    if (!matchPattern(position, m_Constant(&attribute)))
      return std::nullopt;
    int64_t value = attribute.getInt();
    return value >= 0 && value < static_cast<int64_t>(scalars) ? std::optional<int64_t>(value) : std::nullopt;
  }

  llvm::Error constantOp(Operation *op) {
    Value result = op->getResult(0);
    SmallVector<uint64_t> bits;
    unsigned scalars = count(result);
    if (isa<LLVM::ZeroOp>(op))
      bits.assign(scalars, 0);
    else if (!bitsOf(op->getAttr("value"), bits) || bits.size() != scalars)
      return unsupported(op);
    if (scalars == 1) {
      alias(result, constant(bits[0]));
      return llvm::Error::success();
    }
    if (llvm::Error error = define(result))
      return error;
    for (unsigned k = 0; k < scalars; ++k)
      compute(op, move, slot(result) + k, constant(bits[k]));
    return llvm::Error::success();
  }

  /// A vector with one scalar replaced: in place when the old vector dies here.
  llvm::Error insertOp(LLVM::InsertElementOp op) {
    Value vector = op.getVector();
    std::optional<int64_t> position = element(op.getPosition(), count(vector));
    if (!position)
      return unsupported(op, "at a computed position");
    if (owned.count(vector) && vector.getParentBlock() == op->getBlock() && lastUse(vector) == op) {
      owned.erase(vector);
      slots[op.getResult()] = slot(vector);
      owned.insert(op.getResult());
    } else {
      if (llvm::Error error = define(op.getResult()))
        return error;
      copy(op, slot(op.getResult()), slot(vector), count(vector));
    }
    compute(op, move, slot(op.getResult()) + static_cast<uint32_t>(*position), slot(op.getValue()));
    return llvm::Error::success();
  }

  /// A load or store, in accesses that the hardware has: at most 16 bytes, at most the alignment that is known.
  void access(Kind kind, Operation *op, uint32_t address, uint32_t value, Type type,
              std::optional<uint64_t> alignment) {
    Type scalar;
    unsigned scalars = scalarsOf(type, scalar);
    int64_t scalarBytes = bytesOf(scalar), bytes = scalars * scalarBytes;
    int64_t width = std::min<int64_t>({bytes & -bytes, 16, static_cast<int64_t>(alignment.value_or(16))});
    width = std::max(width, scalarBytes);
    kernel.granule = std::min(kernel.granule, width);
    auto step = static_cast<unsigned>(width / scalarBytes);
    for (unsigned k = 0; k < scalars; k += step) {
      Instruction &instruction = emit(kind, op);
      instruction.a = address;
      instruction.immediate = k * static_cast<uint64_t>(scalarBytes);
      (kind == Kind::Load ? instruction.result : instruction.b) = value + k;
      instruction.scalars = static_cast<uint8_t>(std::min(step, scalars - k));
      instruction.scalarBytes = static_cast<uint8_t>(scalarBytes);
      instruction.bits = static_cast<uint8_t>(scalarBits(scalar));
      instruction.alignment = static_cast<uint8_t>(width);
      instruction.late = lateLoads.contains(op);
      countAccess(instruction);
    }
  }
  void countAccess(Instruction &instruction) {
    instruction.memoryOp = static_cast<uint32_t>(kernel.memoryOps.size());
    kernel.memoryOps.push_back(here() - 1);
  }

  Instruction &atomicAt(Kind kind, Operation *op, Value address, Type type) {
    int64_t bytes = bytesOf(type);
    kernel.granule = std::min(kernel.granule, bytes);
    Instruction &instruction = emit(kind, op);
    instruction.a = slot(address);
    instruction.bits = static_cast<uint8_t>(scalarBits(type));
    instruction.scalarBytes = instruction.alignment = static_cast<uint8_t>(bytes);
    return instruction;
  }

  llvm::Error atomicOp(LLVM::AtomicRMWOp op) {
    if (op.getBinOp() != LLVM::AtomicBinOp::add || !op.getType().isInteger() ||
        op.getOrdering() != LLVM::AtomicOrdering::monotonic)
      return unsupported(op, "but relaxed additions of integers");
    std::optional<Scope> scope = scopeOf(op.getSyncscope());
    if (!scope)
      return unsupported(op, "of this scope");
    if (llvm::Error error = define(op.getRes()))
      return error;
    Instruction &instruction = atomicAt(Kind::Atomic, op, op.getPtr(), op.getType());
    instruction.result = slot(op.getRes());
    instruction.b = slot(op.getVal());
    instruction.scope = *scope;
    return llvm::Error::success();
  }

  /// The same bits as more or fewer scalars.
  llvm::Error regroup(LLVM::BitcastOp op, uint32_t result) {
    Type from, to;
    unsigned sources = scalarsOf(op.getArg().getType(), from), results = scalarsOf(op.getResult().getType(), to);
    if (std::min(sources, results) != 1)
      return unsupported(op, "between vectors");
    for (unsigned k = 0; k < results; ++k) {
      bool splits = results > 1;
      Instruction &instruction = compute(op, splits ? extractBits : joinBits, result + k, slot(op.getArg()));
      instruction.bits = static_cast<uint8_t>(scalarBits(to));
      instruction.immediate = splits ? k * scalarBits(to) : scalarBits(from);
      instruction.scalars = static_cast<uint8_t>(sources);
    }
    return llvm::Error::success();
  }

  llvm::Error gepOp(LLVM::GEPOp op, uint32_t result) {
    uint32_t base = slot(op.getBase());
    Type type = op.getElemType();
    uint64_t fixed = 0;
    unsigned dynamic = 0;
    bool first = true;
    for (int32_t index : op.getRawConstantIndices()) {
      if (!first) {
        if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
          type = array.getElementType();
        else if (auto vector = dyn_cast<VectorType>(type))
          type = vector.getElementType();
        else
          return unsupported(op, "into a " + spelled(type));
      }
      first = false;
      auto stride = static_cast<uint64_t>(bytesOf(type));
      if (!stride)
        return unsupported(op, "over elements of type " + spelled(type));
      if (index != LLVM::GEPOp::kDynamicIndex) {
        fixed += static_cast<uint64_t>(int64_t(index)) * stride;
        continue;
      }
      Value value = op.getDynamicIndices()[dynamic++];
      Instruction &instruction = compute(op, addScaled, result, base);
      instruction.b = slot(value);
      instruction.bits = static_cast<uint8_t>(scalarBits(value.getType()));
      instruction.immediate = stride;
      instruction.counted = OpClass::Integer;
      base = result;
    }
    if (fixed || base != result) {
      Instruction &instruction = compute(op, addImmediate, result, base);
      instruction.immediate = fixed;
      instruction.counted = OpClass::Integer;
    }
    return llvm::Error::success();
  }

  llvm::Error multiplyOp(arith::MulUIExtendedOp op) {
    SmallVector<uint32_t> halves;
    if (llvm::Error error = defineAll(op.getResults(), halves))
      return error;
    Type scalar;
    unsigned scalars = scalarsOf(op.getLhs().getType(), scalar);
    for (unsigned k = 0; k < scalars; ++k) {
      Instruction &instruction = compute(op, multiplyExtended().handler, halves[0] + k, slot(op.getLhs()) + k);
      instruction.b = slot(op.getRhs()) + k;
      instruction.d = halves[1] + k;
      instruction.bits = static_cast<uint8_t>(scalarBits(scalar));
      instruction.counted = multiplyExtended().counted;
    }
    return llvm::Error::success();
  }

  /// Scalar ops, on vectors scalar by scalar.
  llvm::Error elementwise(Operation *op, uint32_t result) {
    Type to, from;
    unsigned scalars = scalarsOf(op->getResult(0).getType(), to);
    if (op->getNumOperands() == 0 || op->getNumOperands() > 3 ||
        scalarsOf(op->getOperand(op->getNumOperands() - 1).getType(), from) != scalars)
      return unsupported(op);
    StringRef name = op->getName().getStringRef();
    std::optional<Number> toNumber = numberOf(to), fromNumber = numberOf(from);
    ScalarOp scalar;
    uint64_t immediate = 0;
    unsigned bits = scalarBits(to);
    auto predicate = [&] { return cast<IntegerAttr>(op->getAttr("predicate")).getValue().getZExtValue(); };
    if (name == "arith.cmpf" && fromNumber) {
      scalar = compareFloats(*fromNumber);
      immediate = floatRelations(predicate());
    } else if (name == "arith.cmpi") {
      scalar = compareIntegers();
      immediate = integerRelations(predicate());
      bits = scalarBits(from);
    } else if (name == "arith.select") {
      scalar = {select, OpClass::Integer};
    } else if (name == "arith.extui" || name == "arith.trunci" || name == "arith.index_castui" ||
               name == "llvm.inttoptr" || name == "llvm.ptrtoint") {
      scalar = {move, OpClass::Integer};
    } else if ((name == "arith.bitcast" || name == "llvm.bitcast" || name == "llvm.addrspacecast") &&
               bits == scalarBits(from)) {
      scalar = {move, OpClass::Move};
    } else if (name == "arith.extsi" || name == "arith.index_cast") {
      scalar = {extendSigned, OpClass::Integer};
      immediate = std::min(scalarBits(from), 64u);
    } else if ((name == "arith.sitofp" || name == "arith.uitofp") && toNumber) {
      scalar = integerToFloat(*toNumber, name == "arith.sitofp");
      bits = scalarBits(from);
    } else if ((name == "arith.fptosi" || name == "arith.fptoui") && fromNumber) {
      scalar = floatToInteger(*fromNumber, name == "arith.fptosi");
    } else if ((name == "arith.extf" || name == "arith.truncf") && fromNumber && toNumber) {
      scalar = convertFloat(*fromNumber, *toNumber);
    } else if (toNumber && toNumber == fromNumber) {
      scalar = floatOp(name, *toNumber);
    } else if (!toNumber && !fromNumber) {
      scalar = integerOp(name);
    }
    if (!scalar.handler)
      return unsupported(op, "on " + spelled(from));
    for (unsigned k = 0; k < scalars; ++k) {
      Instruction &instruction = compute(op, scalar.handler, result + k);
      instruction.counted = scalar.counted;
      instruction.bits = static_cast<uint8_t>(bits);
      instruction.immediate = immediate;
      uint32_t *operands[] = {&instruction.a, &instruction.b, &instruction.c};
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        *operands[i] = slot(operand) + (count(operand) == 1 ? 0 : k);
    }
    return llvm::Error::success();
  }

  //===--- control flow -----------------------------------------------------------------------------------------===//

  /// Copies all values at once: no target is read after it is written.
  void copyAll(Operation *op, ValueRange from, ArrayRef<uint32_t> to, bool mayOverlap) {
    SmallVector<uint32_t> sources;
    for (Value value : from) {
      sources.push_back(slot(value));
      if (mayOverlap && from.size() > 1) {
        uint32_t temporary = acquire(count(value));
        copy(op, temporary, sources.back(), count(value));
        sources.back() = temporary;
      }
    }
    for (auto [value, source, target] : llvm::zip(from, sources, to)) {
      copy(op, target, source, count(value));
      if (mayOverlap && from.size() > 1)
        freeSlots[count(value)].push_back(source);
    }
  }

  llvm::Error defineAll(ValueRange values, SmallVectorImpl<uint32_t> &at) {
    for (Value value : values) {
      if (llvm::Error error = define(value))
        return error;
      at.push_back(slot(value));
    }
    return llvm::Error::success();
  }

  llvm::Error ifOp(scf::IfOp op) {
    SmallVector<uint32_t> results;
    if (llvm::Error error = defineAll(op.getResults(), results))
      return error;
    auto yield = [&](Operation *terminator) {
      copyAll(terminator, terminator->getOperands(), results, false);
      return llvm::Error::success();
    };
    uint32_t branch = here();
    emit(Kind::JumpIfNot, op).a = slot(op.getCondition());
    if (llvm::Error error = block(*op.thenBlock(), yield))
      return error;
    if (op.elseBlock()) {
      uint32_t end = here();
      emit(Kind::Jump, op);
      kernel.instructions[branch].target = here();
      if (llvm::Error error = block(*op.elseBlock(), yield))
        return error;
      kernel.instructions[end].target = here();
    } else {
      kernel.instructions[branch].target = here();
    }
    return llvm::Error::success();
  }

  llvm::Error forOp(scf::ForOp op) {
    SmallVector<uint32_t> results;
    if (llvm::Error error = defineAll(op.getResults(), results))
      return error;
    // The carried values live in the results' slots.
    for (auto [argument, at] : llvm::zip(op.getRegionIterArgs(), results))
      alias(argument, at);
    copyAll(op, op.getInitArgs(), results, false);
    if (llvm::Error error = define(op.getInductionVar()))
      return error;
    uint32_t counter = slot(op.getInductionVar()), inside = acquire(1);
    auto bits = static_cast<uint8_t>(scalarBits(op.getInductionVar().getType()));
    compute(op, move, counter, slot(op.getLowerBound()));
    uint32_t head = here();
    Instruction &test = compute(op, compareIntegers().handler, inside, counter);
    test.b = slot(op.getUpperBound());
    test.bits = bits;
    test.immediate = integerRelations(static_cast<uint64_t>(arith::CmpIPredicate::slt));
    uint32_t branch = here();
    emit(Kind::JumpIfNot, op).a = inside;
    llvm::Error error = block(*op.getBody(), [&](Operation *terminator) {
      copyAll(terminator, terminator->getOperands(), results, true);
      return llvm::Error::success();
    });
    if (error)
      return error;
    Instruction &next = compute(op, integerOp("arith.addi").handler, counter, counter);
    next.b = slot(op.getStep());
    next.bits = bits;
    emit(Kind::Jump, op).target = head;
    kernel.instructions[branch].target = here();
    release(op.getInductionVar());
    freeSlots[1].push_back(inside);
    return llvm::Error::success();
  }

  llvm::Error whileOp(scf::WhileOp op) {
    SmallVector<uint32_t> before, after;
    if (llvm::Error error = defineAll(op.getBeforeArguments(), before))
      return error;
    if (llvm::Error error = defineAll(op.getResults(), after))
      return error;
    for (auto [argument, at] : llvm::zip(op.getAfterArguments(), after))
      alias(argument, at);
    copyAll(op, op.getInits(), before, false);
    uint32_t head = here(), branch = 0;
    llvm::Error error = block(*op.getBeforeBody(), [&](Operation *terminator) {
      auto condition = cast<scf::ConditionOp>(terminator);
      copyAll(terminator, condition.getArgs(), after, true);
      branch = here();
      emit(Kind::JumpIfNot, op).a = slot(condition.getCondition());
      return llvm::Error::success();
    });
    if (error)
      return error;
    error = block(*op.getAfterBody(), [&](Operation *terminator) {
      copyAll(terminator, terminator->getOperands(), before, true);
      return llvm::Error::success();
    });
    if (error)
      return error;
    emit(Kind::Jump, op).target = head;
    kernel.instructions[branch].target = here();
    for (Value argument : op.getBeforeArguments())
      release(argument);
    return llvm::Error::success();
  }
};

llvm::Expected<Global> decodeGlobal(LLVM::GlobalOp op) {
  Global global;
  global.name = op.getSymName().str();
  global.shared = op.getAddrSpace() == 3;
  global.constant = op.getConstant();
  global.bytes = bytesOf(op.getGlobalType());
  global.alignment = static_cast<int64_t>(op.getAlignment().value_or(16));
  if (std::optional<Attribute> value = op.getValue()) {
    SmallVector<uint64_t> bits;
    if (!bitsOf(*value, bits) || bits.empty() || global.bytes % static_cast<int64_t>(bits.size()))
      return message("the emulator cannot read the initial value of " + global.name);
    size_t width = static_cast<size_t>(global.bytes) / bits.size();
    for (uint64_t scalar : bits)
      global.data.insert(global.data.end(), reinterpret_cast<char *>(&scalar),
                         reinterpret_cast<char *>(&scalar) + width);
  }
  return global;
}

} // namespace

llvm::Expected<Program> emulator::decode(ModuleOp module) {
  Program program;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    for (auto op : gpuModule.getOps<LLVM::GlobalOp>()) {
      llvm::Expected<Global> global = decodeGlobal(op);
      if (!global)
        return global.takeError();
      program.globals.push_back(std::move(*global));
    }
    for (auto function : gpuModule.getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      Kernel &kernel = program.kernels[function.getName().str()];
      kernel.name = function.getName().str();
      if (llvm::Error error = Decoder(kernel).run(function))
        return error;
    }
  }
  return program;
}
