#include "compiler/passes/RingKernels.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace idc;

std::string passes::whyNoRing(id::KernelOp first, id::KernelOp second) {
  for (id::KernelOp kernel : {first, second}) {
    if (!kernel.getLaunch().getLaunch().isGrid())
      return "a ring lies between two plain grids";
    if (!kernel.getBody().getOps<id::RingOp>().empty())
      return "a ring lies between two kernels, not three";
    for (Operation &op : kernel.getBody().front())
      for (Value result : op.getResults())
        if (auto tile = dyn_cast<id::TileType>(result.getType()); tile && id::batchDigits(tile) > 0)
          return "a ring lies between kernels with tiles of one problem";
  }
  if (!id::canMixTiles(id::extentOf(first, digits::Field::Block), id::extentOf(second, digits::Field::Block)))
    return "a ring lies between kernels of fewer tiles";
  for (Value result : first.getOutputs())
    if (result.use_empty() || llvm::any_of(result.getUsers(), [&](Operation *user) { return user != second; }))
      return "what a ring has is for the next kernel, and for it alone";
  return {};
}

void passes::joinAsPasses(id::KernelOp first, id::KernelOp second, int64_t slots, int64_t delay) {
  Block &before = first.getBody().front(), &after = second.getBody().front();
  SmallVector<Value> stored(before.getTerminator()->getOperands());
  before.getTerminator()->erase();
  Operation *behind = &after.front();
  after.getOperations().splice(behind->getIterator(), before.getOperations());
  OpBuilder b(behind);
  DenseMap<Value, Value> rings; // by what the first kernel gives
  for (auto [result, value] : llvm::zip(first.getOutputs(), stored))
    rings[result] =
        id::RingOp::create(b, first.getLoc(), value, static_cast<uint64_t>(slots), static_cast<uint64_t>(delay));
  // The arguments of the first kernel come first; what both take is one of them.
  SmallVector<Value> inputs;
  DenseMap<Value, Value> arguments; // by what they are
  auto argumentOf = [&](Value input) {
    Value &argument = arguments[input];
    if (!argument) {
      argument = after.addArgument(input.getType(), first.getLoc());
      inputs.push_back(input);
    }
    return argument;
  };
  for (auto [argument, input] : llvm::zip(before.getArguments(), first.getInputs()))
    argument.replaceAllUsesWith(argumentOf(input));
  const auto own = static_cast<unsigned>(second.getInputs().size());
  for (unsigned i = 0; i < own; ++i) {
    Value input = second.getInputs()[i], ring = rings.lookup(input);
    after.getArgument(i).replaceAllUsesWith(ring ? ring : argumentOf(input));
  }
  after.eraseArguments(0, own);
  second->setOperands(inputs);
  second.setName(first.getName());
  second.setLaunchAttr(first.getLaunchAttr());
  first.erase();
}
