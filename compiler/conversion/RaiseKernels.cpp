#include "compiler/conversion/RaiseKernels.h"

#include "id/IdDialect.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;

static id::SeqType sequenceOf(Type type) {
  auto data = cast<id::TileType>(type);
  return id::SeqType::get(type.getContext(), data.getRadices(), data.getElement());
}

/// What is loaded, or stored, by its map.
static Value move(OpBuilder &b, Location loc, Value value, id::PermAttr map, id::SeqType type) {
  auto own = cast<id::SeqType>(value.getType());
  if (own.getNumDigits() < type.getNumDigits()) {
    const auto before = map.getPermutation().inverse().applyTo(std::vector<int32_t>(type.getRadices()));
    value = id::RepeatOp::create(b, loc, id::SeqType::get(b.getContext(), before, own.getElement()), value);
  }
  return id::PermuteOp::create(b, loc, type, value, map);
}

static LogicalResult raise(id::KernelOp kernel) {
  OpBuilder b(kernel);
  IRMapping sequences;
  sequences.map(kernel.getBody().getArguments(), kernel.getInputs());
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    const Location loc = op.getLoc();
    if (auto load = dyn_cast<id::LoadOp>(op)) {
      sequences.map(load.getResult(), move(b, loc, sequences.lookup(load.getBuffer()), load.getMapAttr(),
                                           sequenceOf(load.getResult().getType())));
    } else if (auto store = dyn_cast<id::StoreOp>(op)) {
      sequences.map(store.getResult(), move(b, loc, sequences.lookup(store.getTile()), store.getMapAttr(),
                                            cast<id::SeqType>(store.getResult().getType())));
    } else if (auto rename = dyn_cast<id::RenameOp>(op)) {
      sequences.map(rename.getResult(), move(b, loc, sequences.lookup(rename.getInput()), rename.getMapAttr(),
                                             sequenceOf(rename.getResult().getType())));
    } else if (auto exchange = dyn_cast<id::ExchangeOp>(op); exchange && !exchange.isComputed()) {
      sequences.map(exchange.getResult(), sequences.lookup(exchange.getInput()));
    } else if (isa<id::NodeOp, id::TwiddleOp, id::PointwiseOp, id::PermuteOp, id::ResizeOp, id::GatherOp,
                   id::ScatterOp>(op)) {
      Operation *raised = b.clone(op, sequences);
      for (Value result : raised->getResults())
        if (isa<id::TileType>(result.getType()))
          result.setType(sequenceOf(result.getType()));
    } else {
      return failure();
    }
  }
  for (auto [result, stored] : llvm::zip(kernel.getResults(), kernel.getBody().front().getTerminator()->getOperands()))
    result.replaceAllUsesWith(sequences.lookup(stored));
  kernel.erase();
  return success();
}

LogicalResult conversion::raiseKernels(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front().without_terminator())) {
    auto kernel = dyn_cast<id::KernelOp>(op);
    if (!kernel || failed(raise(kernel)))
      return failure();
  }
  return success();
}
