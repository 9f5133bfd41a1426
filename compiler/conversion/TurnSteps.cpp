#include "compiler/conversion/TurnSteps.h"

#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Meetings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static unsigned bytesOf(Type number) { return static_cast<unsigned>(packedBytes(number)); }

//===--- what is kept ---------------------------------------------------------------------------------------------===//

Value TurnSteps::memoryOf(id::NodeOp node) { return code.at(sharedMemory(b, loc), numberOf(node, sharedOffsetAttr)); }

void TurnSteps::clearKept(const Sections &cut) {
  place.where(place.isBelow(1), [&] {
    for (const Section &section : cut.sections)
      for (Operation &op : llvm::make_range(section.first, section.end)) {
        if (!actsOnTurns(&op))
          continue;
        int64_t offset = 0;
        for (Value pair : pairsOf(cast<id::NodeOp>(op)))
          for (Type type : numberTypes(id::elementOf(pair.getType()))) {
            LLVM::StoreOp::create(b, loc, LLVM::ZeroOp::create(b, loc, type),
                                  code.at(memoryOf(cast<id::NodeOp>(op)), offset), bytesOf(type));
            offset += keptNumberBytes;
          }
      }
  });
}

void TurnSteps::storeKept() {
  for (const Kept &value : kept)
    place.where(value.isComplete, [&] {
      for (auto [i, number] : llvm::enumerate(value.numbers))
        LLVM::StoreOp::create(b, loc, number, code.at(value.memory, static_cast<int64_t>(i) * keptNumberBytes),
                              bytesOf(number.getType()));
    });
  kept.clear();
}

//===--- nodes ----------------------------------------------------------------------------------------------------===//

Value TurnSteps::isAt(size_t mask, size_t bits) {
  Value digits = arith::AndIOp::create(b, loc, round.item.turn, code.constant32(static_cast<int64_t>(mask)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digits, code.constant32(static_cast<int64_t>(bits)));
}

SmallVector<Value> TurnSteps::canonical(ArrayRef<Leaf> leaves, Type element) {
  Tile one;
  one.element = element;
  one.registers = {SmallVector<Leaf>(leaves)};
  code.resolve(one);
  code.makeCanonical(one);
  return code.numbersOf(one.registers[0], element);
}

SmallVector<Value> TurnSteps::choose(Value condition, ArrayRef<Value> those, ArrayRef<Value> others) {
  SmallVector<Value> chosen;
  for (auto [one, other] : llvm::zip(those, others))
    chosen.push_back(arith::SelectOp::create(b, loc, condition, one, other));
  return chosen;
}

LogicalResult TurnSteps::emit(id::NodeOp node, llvm::function_ref<const Tile &(Value)> tileOf,
                              llvm::function_ref<void(Value, Tile)> hold) {
  auto hasDigits = [&](Value value) { return node.isArray(value); };
  const bool expands = llvm::any_of(node.getOutputs(), hasDigits);
  Value whole = expands ? *llvm::find_if(node.getOutputs(), hasDigits) : *llvm::find_if(node.getInputs(), hasDigits);
  const Tile one = emptyTile(whole.getType());
  digits::Place digit;
  one.mapping.find(static_cast<int>(node.getDigits()[0]), digit);
  if (one.registers.size() != 1 || one.mapping.numThreads() != 1 || node.getArity() != 2)
    return node.emitError() << "acts on turns with more than one value of a block";
  const size_t weight = size_t(1) << digit.position;
  const Value isSecond = isAt(weight, weight);
  SmallVector<Leaf> arguments;
  Value memory = pairsOf(node).empty() ? Value() : memoryOf(node);
  for (Value input : node.getInputs()) {
    const Tile tile = tileOf(input);
    if (!hasDigits(input)) {
      llvm::append_range(arguments, tile.registers[0]);
      continue;
    }
    Kept own{memory, canonical(tile.registers[0], tile.element), isAt(2 * weight - 1, weight - 1)};
    SmallVector<Value> before;
    for (Value number : own.numbers) {
      Type type = number.getType();
      before.push_back(LLVM::LoadOp::create(b, loc, type, memory, bytesOf(type)));
      memory = code.at(memory, keptNumberBytes);
    }
    const SmallVector<Value> first = expands ? choose(isSecond, before, own.numbers) : before;
    llvm::append_range(arguments, code.leavesOf(first, tile.element));
    llvm::append_range(arguments, code.leavesOf(own.numbers, tile.element));
    kept.push_back(std::move(own));
  }
  FailureOr<SmallVector<Leaf>> results = bodies.run(node.getBody(), arguments, one, 0);
  if (failed(results))
    return failure();
  ArrayRef<Leaf> rest = *results;
  for (Value output : node.getOutputs()) {
    Tile tile = emptyTile(output.getType());
    const size_t count = id::leafTypes(tile.element).size();
    if (hasDigits(output)) {
      SmallVector<Value> first = canonical(rest.take_front(count), tile.element);
      rest = rest.drop_front(count);
      SmallVector<Value> second = canonical(rest.take_front(count), tile.element);
      tile.registers[0] = code.leavesOf(choose(isSecond, second, first), tile.element);
    } else {
      llvm::append_range(tile.registers[0], rest.take_front(count));
    }
    rest = rest.drop_front(count);
    hold(output, std::move(tile));
  }
  return success();
}
