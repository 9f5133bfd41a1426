#include "compiler/codegen/BlockParts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <vector>

using namespace llvm;

namespace {

constexpr size_t longPart = 256, manyValues = 512;

/// Where values wait on the stack between parts.
class Frame {
public:
  explicit Frame(const DataLayout &layout) : layout(layout) {}

  uint64_t take(Type *type) {
    const uint64_t size = sizeOf(type);
    std::vector<uint64_t> &places = free[size];
    if (!places.empty()) {
      const uint64_t place = places.back();
      places.pop_back();
      return place;
    }
    bytes = alignTo(bytes, size);
    const uint64_t place = bytes;
    bytes += size;
    return place;
  }
  void give(Type *type, uint64_t place) { free[sizeOf(type)].push_back(place); }
  uint64_t size() const { return bytes; }

  static constexpr uint64_t alignment = 64;

private:
  /// A power of two, so that a value's place is aligned as its type wants.
  uint64_t sizeOf(Type *type) const { return PowerOf2Ceil(layout.getTypeAllocSize(type).getFixedValue()); }

  const DataLayout &layout;
  std::map<uint64_t, std::vector<uint64_t>> free;
  uint64_t bytes = 0;
};

class LongBlock {
public:
  explicit LongBlock(BasicBlock &block) : block(block) {
    for (Instruction &instruction : block)
      if (!isa<PHINode, AllocaInst>(instruction) && !instruction.isTerminator()) {
        parts[&instruction] = instructions.size() / longPart;
        instructions.push_back(&instruction);
      }
  }

  /// From the last instruction to the first.
  bool hasManyValues() const {
    SmallPtrSet<const Value *, 32> alive;
    size_t most = 0;
    for (Instruction *instruction : reverse(instructions)) {
      alive.erase(instruction);
      for (const Value *operand : instruction->operands())
        if (isa<Instruction>(operand))
          alive.insert(operand);
      most = std::max<size_t>(most, alive.size());
    }
    return most > manyValues;
  }

  void split() {
    Function &function = *block.getParent();
    IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
    // Its size is known at the end.
    memory = entry.CreateAlloca(entry.getInt8Ty());
    memory->setAlignment(Align(Frame::alignment));
    findLives();
    const size_t count = parts.lookup(instructions.back()) + 1;
    IRBuilder<> here(instructions.front());
    for (Value *value : fromOutside)
      store(here, value, memory);
    for (size_t part = 0; part < count; ++part)
      move(part);
    here.SetInsertPoint(block.getTerminator());
    for (Instruction *instruction : toOutside) {
      Value *value = load(here, instruction, memory);
      instruction->replaceUsesWithIf(value, [&](Use &use) {
        auto *user = cast<Instruction>(use.getUser());
        return user->getFunction() == &function && user != value;
      });
    }
    memory->setOperand(0, here.getInt32(static_cast<uint32_t>(frame.size())));
  }

private:
  /// What one part makes, or what is made outside, and another one takes.
  void findLives() {
    for (auto [number, instruction] : enumerate(instructions)) {
      const size_t own = number / longPart;
      for (Value *operand : instruction->operands())
        if (auto found = dyn_cast<Instruction>(operand); isa<Argument>(operand) || (found && !parts.contains(found)))
          fromOutside.insert(operand);
      size_t last = own;
      for (User *user : instruction->users()) {
        auto part = parts.find(cast<Instruction>(user));
        if (part == parts.end())
          toOutside.insert(instruction);
        else
          last = std::max(last, part->second);
      }
      if (last > own && !toOutside.contains(instruction))
        lastPart[instruction] = last;
    }
  }

  bool isStored(Instruction *instruction) const {
    return lastPart.contains(instruction) || toOutside.contains(instruction);
  }

  Value *address(IRBuilder<> &builder, Value *value, Value *base) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, places.lookup(value));
  }
  void store(IRBuilder<> &builder, Value *value, Value *base) {
    places[value] = frame.take(value->getType());
    builder.CreateStore(value, address(builder, value, base));
  }
  Value *load(IRBuilder<> &builder, Value *value, Value *base) {
    return builder.CreateLoad(value->getType(), address(builder, value, base));
  }

  /// Moves a part to a function of its own, which the block calls instead.
  void move(size_t part) {
    Function &function = *block.getParent();
    LLVMContext &context = function.getContext();
    auto *type = FunctionType::get(Type::getVoidTy(context), {memory->getType()}, false);
    Function *own =
        Function::Create(type, GlobalValue::InternalLinkage, function.getName() + "_part", *function.getParent());
    own->addFnAttrs(AttrBuilder(context, function.getAttributes().getFnAttrs()));
    AttributeMask ofKernels;
    ofKernels.addAttribute(Attribute::Memory);
    for (Attribute attribute : function.getAttributes().getFnAttrs())
      if (attribute.isStringAttribute() && attribute.getKindAsString().starts_with("nvvm."))
        ofKernels.addAttribute(attribute.getKindAsString());
    own->removeFnAttrs(ofKernels);
    own->addFnAttr(Attribute::NoInline);
    own->addFnAttr(Attribute::Convergent); // it may have barriers
    Argument *base = own->getArg(0);
    base->addAttr(Attribute::NoAlias);

    const auto all = ArrayRef(instructions);
    const auto moved = all.slice(part * longPart, std::min(longPart, all.size() - part * longPart));
    IRBuilder<> here(moved.front()), inside(BasicBlock::Create(context, "", own));
    CallInst *call = here.CreateCall(own, {memory});
    call->addFnAttr(Attribute::Convergent);
    DenseMap<Value *, Value *> loaded;
    for (Instruction *instruction : moved) {
      for (Use &operand : instruction->operands()) {
        Value *value = operand.get();
        auto *found = dyn_cast<Instruction>(value);
        if (!fromOutside.contains(value) && (!found || parts.lookup(found) == part))
          continue;
        Value *&known = loaded[value];
        if (!known)
          known = load(inside, value, base);
        operand.set(known);
      }
      instruction->removeFromParent();
      instruction->setDebugLoc({});
      inside.Insert(instruction);
      if (isStored(instruction))
        store(inside, instruction, base);
    }
    inside.CreateRetVoid();
    // Nothing in later parts takes these.
    for (auto [instruction, last] : lastPart)
      if (last == part)
        frame.give(instruction->getType(), places.lookup(instruction));
  }

  BasicBlock &block;
  std::vector<Instruction *> instructions;
  DenseMap<Instruction *, size_t> parts;
  SetVector<Value *> fromOutside;
  SetVector<Instruction *> toOutside;
  MapVector<Instruction *, size_t> lastPart; // of those that another part takes, and nothing outside
  AllocaInst *memory = nullptr;
  Frame frame{block.getModule()->getDataLayout()};
  DenseMap<Value *, uint64_t> places;
};

} // namespace

void idc::codegen::splitIntoParts(Module &module, size_t longest) {
  std::vector<BasicBlock *> blocks;
  for (Function &function : module)
    for (BasicBlock &block : function)
      if (block.size() > longest)
        blocks.push_back(&block);
  for (BasicBlock *block : blocks)
    if (LongBlock found(*block); found.hasManyValues())
      found.split();
}
