// Input: planned kernels. Output: the same; constants lie in memory as the threads that load them count.
//
// A constant that is made when compiling has no order of its own. Where one load takes it, the elements that a thread
// takes together come first, as far as an access goes, then those of the lanes and warps, then a thread's others: a
// warp reads whole lines, in whatever order a transform has left what it is multiplied by.
//
//   id.load %c [2, 1] -> "reg(1) lane(2)"   ->   id.load %c' [1, 2], and the data of %c in the order of digits 2, 1
#include "compiler/passes/Passes.h"
#include "compiler/passes/Target.h"

#include "id/ConstantData.h"
#include "id/IdDialect.h"
#include "id/IndexCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace idc;
using digits::Field;
using digits::Permutation;

namespace idc::passes {
#define GEN_PASS_DEF_ORDERCONSTANTS
#include "compiler/passes/Passes.h.inc"

namespace {

/// The digits of a tile by the addresses that suit its threads, the lowest first; empty where threads hold sums of
/// digits.
std::vector<int> orderForThreads(id::TileType tile, int64_t bytes, int64_t vectorBytes) {
  std::vector<int> together, threads, others;
  const digits::Mapping mapping = tile.getMapping();
  for (Field field : {Field::Reg, Field::Lane, Field::Warp, Field::Rank, Field::Block, Field::Turn})
    for (const digits::Column &column : mapping[field]) {
      if (column.digits.size() != 1)
        return {};
      if (column.digits[0] > tile.getNumDigits()) // of the batch, whose problems have the same constants
        continue;
      const int64_t more = bytes * column.radix;
      const bool joins = field == Field::Reg && more <= vectorBytes && llvm::isPowerOf2_64(static_cast<uint64_t>(more));
      if (joins)
        bytes = more;
      (joins ? together : field == Field::Reg ? others : threads).push_back(column.digits[0]);
    }
  llvm::append_range(together, threads);
  llvm::append_range(together, others);
  return together;
}

struct OrderConstants : impl::OrderConstantsBase<OrderConstants> {
  using OrderConstantsBase::OrderConstantsBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu")
      return;
    func::FuncOp function = getOperation();
    for (BlockArgument constant : function.getArguments())
      if (auto data = function.getArgAttrOfType<DenseElementsAttr>(constant.getArgNumber(), id::dataAttr))
        if (id::LoadOp load = onlyLoad(constant))
          order(function, constant, data, load, machine->vectorBytes);
  }

  /// The load that takes all of a constant's elements, one by one, if nothing else takes any.
  static id::LoadOp onlyLoad(BlockArgument constant) {
    if (!constant.hasOneUse())
      return {};
    auto kernel = dyn_cast<id::KernelOp>(*constant.user_begin());
    if (!kernel)
      return {};
    BlockArgument inside = kernel.getBody().getArgument(constant.use_begin()->getOperandNumber());
    auto load = inside.hasOneUse() ? dyn_cast<id::LoadOp>(*inside.user_begin()) : id::LoadOp();
    return load && !load.getStaged() && !load.isRepeated() ? load : id::LoadOp();
  }

  static void order(func::FuncOp function, BlockArgument constant, DenseElementsAttr data, id::LoadOp load,
                    int64_t vectorBytes) {
    const auto type = cast<id::SeqType>(constant.getType());
    const int64_t bytes = id::elementBytes(type.getElement()), count = id::elementsOf(type.getRadices());
    const Permutation map = load.getMap().getPermutation();
    const std::vector<int> order = orderForThreads(cast<id::TileType>(load.getType()), bytes, vectorBytes);
    if (static_cast<int>(order.size()) != map.size() || !Permutation::isBijection(order) || map.hasComplement() ||
        data.getNumElements() != count * bytes)
      return;
    const Permutation move = map.then(Permutation::fromSources(order));
    if (move.isIdentity())
      return;
    const std::vector<int> radices(type.getRadices().begin(), type.getRadices().end());
    const ArrayRef<char> before = data.getRawData();
    std::vector<char> after(before.size());
    for (int64_t k = 0; k < count; ++k)
      std::copy_n(before.begin() + k * bytes, bytes, after.begin() + move.destinationIndex(radices, k) * bytes);
    const std::vector<int> moved = move.apply(radices);
    const auto to =
        id::SeqType::get(type.getContext(), SmallVector<int32_t>(moved.begin(), moved.end()), type.getElement());
    function.setArgAttr(constant.getArgNumber(), id::dataAttr,
                        DenseElementsAttr::getFromRawBuffer(data.getType(), after));
    constant.setType(to);
    load.getBuffer().setType(to);
    load.setMapAttr(id::PermAttr::get(type.getContext(), move.inverse().then(map)));
    SmallVector<Type> inputs(function.getArgumentTypes());
    inputs[constant.getArgNumber()] = to;
    function.setFunctionType(FunctionType::get(type.getContext(), inputs, function.getResultTypes()));
  }
};

} // namespace
} // namespace idc::passes
