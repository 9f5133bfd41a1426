// Walks a function in digit flow and groups its ops.
//
// An op joins the chain whose last value it takes, when it is that value's only use and both qualify; a permutation
// that ends a chain becomes the chain's. Permutations elsewhere belong to the loads of whoever uses them.
#include "compiler/passes/Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

SmallVector<int> passes::digitsOf(id::NodeOp node) {
  if (!node)
    return {};
  return SmallVector<int>(node.getDigits().begin(), node.getDigits().end());
}

/// A sequence whose digits a mapping can spread: radix 2, one number per element.
static bool isSpreadable(Type type) {
  auto sequence = cast<id::SeqType>(type);
  Type element = sequence.getElement();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return (element.isF32() || element.isF64() || element.isInteger(32) || element.isInteger(64)) &&
         llvm::all_of(sequence.getRadices(), [](int32_t radix) { return radix == 2; });
}

/// True when the op may be a step of a chain.
static bool isChainStep(Operation *op) {
  if (!isa<id::TwiddleOp, id::PointwiseOp, id::NodeOp>(op) || op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (!isSpreadable(from) || !isSpreadable(to) || id::radicesOf(from) != id::radicesOf(to))
    return false;
  // A root of unity that differs from element to element inside a body is looked up by its exponent.
  WalkResult result = op->walk([](id::OmegaOp omega) {
    bool fixed = !omega.getDynamic() && omega.getExponent().getPolynomial().isConstant();
    return fixed ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

FlowProgram passes::findSegments(func::FuncOp function) {
  FlowProgram program;
  Block &block = function.getBody().front();
  DenseMap<Value, FlowValue> values;
  DenseMap<Value, int> openChains; // by their last value
  auto resolve = [&](Value value) -> FlowValue {
    auto known = values.find(value);
    if (known != values.end())
      return known->second;
    return {value, digits::Permutation::identity(static_cast<int>(id::radicesOf(value.getType()).size()))};
  };
  auto newChain = [&](Value input) -> int {
    FlowSegment segment;
    segment.chain.emplace();
    FlowChain &chain = *segment.chain;
    chain.input = resolve(input);
    chain.type = cast<id::SeqType>(input.getType());
    chain.result = input;
    program.segments.push_back(std::move(segment));
    return static_cast<int>(program.segments.size()) - 1;
  };
  auto chainOf = [&](Value value) {
    auto open = openChains.find(value);
    return open != openChains.end() && value.hasOneUse() ? open->second : -1;
  };
  for (Operation &op : block.without_terminator()) {
    if (auto permute = dyn_cast<id::PermuteOp>(op)) {
      int index = chainOf(permute.getInput());
      if (index >= 0) {
        FlowChain &chain = *program.segments[index].chain;
        chain.permute = permute;
        chain.result = permute.getResult();
        openChains.erase(permute.getInput());
        continue;
      }
      FlowValue from = resolve(permute.getInput());
      values[permute.getResult()] = {from.buffer, from.map.then(permute.getMap().getPermutation())};
      continue;
    }
    if (!isChainStep(&op)) {
      FlowSegment segment;
      segment.step = &op;
      for (Value operand : op.getOperands())
        segment.operands.push_back(resolve(operand));
      program.segments.push_back(std::move(segment));
      continue;
    }
    int index = chainOf(op.getOperand(0));
    if (index < 0)
      index = newChain(op.getOperand(0));
    FlowChain &chain = *program.segments[index].chain;
    openChains.erase(chain.result);
    chain.result = op.getResult(0);
    openChains[chain.result] = index;
    if (auto node = dyn_cast<id::NodeOp>(op)) {
      FlowStep step;
      step.before = std::move(chain.after);
      step.node = node;
      chain.after.clear();
      chain.steps.push_back(std::move(step));
    } else {
      chain.after.push_back(&op);
    }
  }
  for (FlowSegment &segment : program.segments)
    if (segment.chain) {
      segment.chain->firstStep = program.numSteps + 1;
      program.numSteps += static_cast<int>(segment.chain->steps.size());
    }
  // Every result needs a buffer of its own.
  for (Value value : block.getTerminator()->getOperands()) {
    auto makes = [&](const FlowSegment &segment) {
      return segment.chain ? segment.chain->result == value
                           : segment.step && llvm::is_contained(segment.step->getResults(), value);
    };
    auto maker = llvm::find_if(program.segments, makes);
    bool again = llvm::is_contained(block.getTerminator()->getOperands().take_front(program.returned.size()), value);
    if (maker != program.segments.end() && !again) {
      program.returned.push_back(static_cast<int>(maker - program.segments.begin()));
      continue;
    }
    if (isSpreadable(value.getType())) {
      program.returned.push_back(newChain(value));
      FlowChain &chain = *program.segments.back().chain;
      chain.firstStep = program.numSteps + 1;
      continue;
    }
    FlowSegment segment;
    segment.copied = value;
    segment.operands.push_back(resolve(value));
    program.segments.push_back(std::move(segment));
    program.returned.push_back(static_cast<int>(program.segments.size()) - 1);
  }
  return program;
}
