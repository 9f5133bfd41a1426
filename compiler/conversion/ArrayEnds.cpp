#include "compiler/conversion/ArrayEnds.h"

#include "compiler/conversion/TileBlocks.h"
#include "compiler/passes/Steps.h"

#include "id/ArrayType.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

static bool isLonger(Value value, id::SeqType array) {
  return id::bytesOf(cast<id::SeqType>(value.getType())) > id::bytesOf(array);
}

/// A kernel whose threads move whole vectors.
static bool hasTurns(Operation *op) {
  auto kernel = dyn_cast_or_null<id::KernelOp>(op);
  return kernel && mostThreads(kernel) > 1;
}

//===--- copies ---------------------------------------------------------------------------------------------------===//

/// What a kernel stores that copies a value, some elements to a block.
static Value copied(OpBuilder &builder, Value value, const Twine &name) {
  constexpr int64_t mostElements = 16; // of a block
  const Location loc = value.getLoc();
  const auto type = cast<id::SeqType>(value.getType());
  digits::Mapping mapping;
  int64_t elements = 1;
  for (auto [i, radix] : llvm::enumerate(type.getRadices())) {
    const bool isInBlock = elements * radix <= mostElements && mapping[Field::Block].empty();
    mapping.push(isInBlock ? Field::Reg : Field::Block, static_cast<int>(i) + 1, radix);
    elements *= isInBlock ? radix : 1;
  }
  auto kernel = id::KernelOp::create(builder, loc, TypeRange{type}, name.str(),
                                     id::LaunchAttr::get(builder.getContext(), digits::Launch()), value);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&kernel.getBody(), {}, {type}, {loc});
  const auto order = id::PermAttr::get(builder.getContext(), digits::Permutation::identity(type.getNumDigits()));
  const auto tile = id::TileType::get(builder.getContext(), type.getRadices(), mapping.str(), type.getElement());
  Value loaded = id::LoadOp::create(builder, loc, tile, body->getArgument(0), order, UnitAttr());
  Value stored = id::StoreOp::create(builder, loc, type, loaded, order, UnitAttr());
  id::YieldOp::create(builder, loc, stored);
  return kernel.getResult(0);
}

void conversion::copyWhereArraysEnd(func::FuncOp function, const CallersArrays &arrays) {
  Block &body = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [argument, array] : llvm::zip(body.getArguments(), arrays.arguments)) {
    if (!isLonger(argument, array) || llvm::none_of(argument.getUsers(), hasTurns))
      continue;
    Value copy = copied(builder, argument, function.getName() + "_in" + Twine(argument.getArgNumber()));
    argument.replaceUsesWithIf(copy, [](OpOperand &use) { return hasTurns(use.getOwner()); });
  }
  builder.setInsertionPoint(body.getTerminator());
  for (auto [result, array] : llvm::zip(body.getTerminator()->getOpOperands(), arrays.results))
    if (isLonger(result.get(), array) && hasTurns(result.get().getDefiningOp()))
      result.set(copied(builder, result.get(), function.getName() + "_out" + Twine(result.getOperandNumber())));
}

//===--- ends -----------------------------------------------------------------------------------------------------===//

/// Gives a value of the function the length of an array, and the kernels that load or store it the length it had.
static LogicalResult endAt(Value value, id::SeqType array) {
  const auto longer = cast<id::SeqType>(value.getType());
  if (array.getElement() != longer.getElement())
    return failure();
  if (auto kernel = value.getDefiningOp<id::KernelOp>()) {
    OpOperand &yielded =
        kernel.getBody().front().getTerminator()->getOpOperand(cast<OpResult>(value).getResultNumber());
    if (!yielded.get().getDefiningOp<id::StoreOp>() || !yielded.get().hasOneUse())
      return failure();
    OpBuilder builder(yielded.getOwner());
    yielded.set(id::ResizeOp::create(builder, kernel.getLoc(), array, yielded.get(), longer.getNumDigits()));
  }
  for (OpOperand &use : value.getUses()) {
    auto kernel = dyn_cast<id::KernelOp>(use.getOwner());
    if (!kernel)
      continue;
    BlockArgument buffer = kernel.getBody().getArgument(use.getOperandNumber());
    if (!llvm::all_of(buffer.getUsers(), llvm::IsaPred<id::LoadOp>))
      return failure();
    buffer.setType(array);
    OpBuilder builder = OpBuilder::atBlockBegin(buffer.getOwner());
    id::ResizeOp whole = passes::resizeByZeros(builder, kernel.getLoc(), longer, buffer, array.getNumDigits());
    buffer.replaceAllUsesExcept(whole.getResult(), whole);
  }
  value.setType(array);
  return success();
}

LogicalResult conversion::endAtArrays(func::FuncOp function, const CallersArrays &arrays) {
  Block &body = function.getBody().front();
  auto fit = [](Value value, id::SeqType array) { return isLonger(value, array) ? endAt(value, array) : success(); };
  for (auto [argument, array] : llvm::zip(body.getArguments(), arrays.arguments))
    if (failed(fit(argument, array)))
      return failure();
  for (auto [result, array] : llvm::zip(body.getTerminator()->getOperands(), arrays.results))
    if (failed(fit(result, array)))
      return failure();
  function.setFunctionType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  return success();
}
