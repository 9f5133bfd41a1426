// Input: a module with a function of planned kernels whose arrays lie in host memory. Output: that function as the
// program of the host, and a function of kernels for every pass over the data.
//
// A pass is a run of kernels that a chunk of the data goes through while it is on the device (DataPasses.h); its
// results go back to the host. Or its kernels reach arrays of the host where these lie (id.reached).
#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/DataPasses.h"
#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Passes.h"
#include "compiler/passes/Target.h"

#include "id/Chunks.h"
#include "id/ConstantData.h"
#include "id/Devices.h"

#include <vector>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

namespace idc::conversion {
#define GEN_PASS_DEF_CUTPASSES
#include "compiler/conversion/Passes.h.inc"
} // namespace idc::conversion

namespace {

struct CutPasses : conversion::impl::CutPassesBase<CutPasses> {
  using CutPassesBase::CutPassesBase;

  void runOnOperation() override {
    for (func::FuncOp function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (id::memoryOf(function) && failed(cut(function)))
        return signalPassFailure();
  }

private:
  DenseMap<Value, Value> current; // what a pass gives, by what kernels gave before they were moved

  LogicalResult cut(func::FuncOp function) {
    const std::optional<passes::Target> machine = passes::findTarget(target, function);
    if (!machine)
      return failure();
    current.clear();
    const HostProgram program(function, *machine);
    std::optional<std::vector<DataPass>> passes = shortestPasses(program);
    if (!passes)
      return function.emitError()
             << "its kernels take more than " << program.memory
             << " bytes of memory beside what they reach in the host's: counters, rings, or arrays "
                "that are the beginnings of longer sequences";
    for (const auto &[value, place] : program.made)
      if (program.movable.contains(value))
        moveDigits(program, value, *passes);
    for (auto [number, pass] : llvm::enumerate(*passes))
      build(program, pass, number);
    double seconds = 0;
    for (const DataPass &pass : *passes)
      seconds += pass.seconds;
    function->removeAttr(id::devicesAttr);
    function->removeAttr(id::tileBytesAttr);
    id::setSeconds(function, seconds);
    return success();
  }

  /// The values of the host program that are, or have become, those that kernels load.
  SmallVector<Value> currentOf(ArrayRef<Value> values) const {
    return llvm::map_to_vector(values, [&](Value value) {
      auto found = current.find(value);
      return found == current.end() ? value : found->second;
    });
  }

  //===--- values between passes ----------------------------------------------------------------------------------===//

  /// Lets the digits that number chunks be the highest of a value that goes from one pass to others, so that its chunks
  /// are few rectangles with long rows.
  void moveDigits(const HostProgram &program, Value value, std::vector<DataPass> &passes) {
    SmallVector<int> highest; // from the top
    for (DataPass &pass : llvm::reverse(passes))
      if (!program.isMadeIn(value, pass.first, pass.end))
        addDigits(pass, value, highest);
    if (highest.empty())
      return;
    for (DataPass &pass : passes)
      if (program.isMadeIn(value, pass.first, pass.end))
        addDigits(pass, value, highest);
    const id::SeqType type = typeOf(value);
    std::vector<int> order; // of places, lowest first
    for (int digit = 1; digit <= type.getNumDigits(); ++digit)
      if (!llvm::is_contained(highest, digit))
        order.push_back(digit);
    order.insert(order.end(), highest.rbegin(), highest.rend());
    const auto move = digits::Permutation::fromSources(order);
    const auto moved =
        id::SeqType::get(&getContext(), move.applyTo(std::vector<int32_t>(type.getRadices())), type.getElement());
    id::StoreOp store = storeOf(value);
    store.setMapAttr(id::PermAttr::get(&getContext(), store.getMap().getPermutation().then(move)));
    store.getResult().setType(moved);
    value.setType(moved);
    for (OpOperand &use : value.getUses()) {
      BlockArgument buffer = cast<id::KernelOp>(use.getOwner()).getBody().getArgument(use.getOperandNumber());
      buffer.setType(moved);
      for (Operation *user : buffer.getUsers()) {
        auto load = cast<id::LoadOp>(user);
        load.setMapAttr(id::PermAttr::get(&getContext(), move.inverse().then(load.getMap().getPermutation())));
      }
    }
    for (DataPass &pass : passes)
      if (auto found = pass.divisions.find(value); found != pass.divisions.end())
        for (int &digit : found->second)
          digit = move.destination(digit);
  }

  static void addDigits(const DataPass &pass, Value value, SmallVectorImpl<int> &highest) {
    SmallVector<int> digits = pass.divisions.lookup(value);
    for (int digit : llvm::reverse(digits))
      if (!llvm::is_contained(highest, digit))
        highest.push_back(digit);
  }

  //===--- functions ----------------------------------------------------------------------------------------------===//

  void build(const HostProgram &program, const DataPass &pass, size_t number) {
    func::FuncOp function = program.function;
    SmallVector<Value> loaded, left;
    findEnds(program, pass, loaded, left);
    // Constants come last, so that arguments of the caller have the numbers of the function's.
    std::stable_partition(loaded.begin(), loaded.end(),
                          [&](Value value) { return !program.constants.contains(value); });
    OpBuilder b(function.getContext());
    b.setInsertionPointAfter(function);
    if (number > 0)
      b.setInsertionPointAfter(id::functionOf(id::passesOf(function).back()));
    auto type = b.getFunctionType(ValueRange(loaded).getTypes(), ValueRange(left).getTypes());
    auto own = func::FuncOp::create(b, function.getLoc(), (function.getName() + "_p" + Twine(number)).str(), type);
    if (auto scalars = function->getAttr("id.scalars"))
      own->setAttr("id.scalars", scalars);
    id::setSeconds(own, pass.seconds);
    if (pass.isDivided)
      id::setDevices(own, program.chunks);
    if (pass.isInPlace)
      own->setAttr(inPlaceAttr, UnitAttr::get(&getContext()));
    Block *body = own.addEntryBlock();
    for (auto [i, value] : llvm::enumerate(loaded)) {
      if (program.constants.contains(value))
        own.setArgAttr(static_cast<unsigned>(i), id::dataAttr,
                       function.getArgAttr(cast<BlockArgument>(value).getArgNumber(), id::dataAttr));
      else if (pass.isDivided)
        own.setArgAttr(static_cast<unsigned>(i), id::deviceDigitsAttr,
                       id::deviceDigitsAttribute(&getContext(), pass.divisionOf(value)));
      else if (pass.reached.contains(value))
        own.setArgAttr(static_cast<unsigned>(i), id::reachedAttr, UnitAttr::get(&getContext()));
    }
    for (auto [i, value] : llvm::enumerate(left))
      if (pass.isDivided)
        own.setResultAttr(static_cast<unsigned>(i), id::deviceDigitsAttr,
                          id::deviceDigitsAttribute(&getContext(), pass.divisionOf(value)));
      else if (pass.reached.contains(value))
        own.setResultAttr(static_cast<unsigned>(i), id::reachedAttr, UnitAttr::get(&getContext()));

    SmallVector<Operation *> moved;
    for (size_t k = pass.first; k < pass.end; ++k) {
      id::KernelOp kernel = program.kernels[k].kernel;
      moved.push_back(kernel);
      for (Value result : kernel.getOutputs())
        for (Value whole = result; whole.hasOneUse() && isa<id::JoinOp>(*whole.user_begin());) {
          Operation *join = *whole.user_begin();
          if (llvm::is_contained(moved, join))
            break;
          moved.push_back(join);
          whole = join->getResult(0);
        }
      if (pass.isDivided) {
        SmallVector<Attribute> digits;
        for (Value result : kernel.getOutputs())
          digits.push_back(id::deviceDigitsAttribute(&getContext(), pass.divisionOf(id::wholeOf(result))));
        kernel->setAttr(id::deviceDigitsAttr, ArrayAttr::get(&getContext(), digits));
        moveToDevices(kernel, pass.sets[k - pass.first]);
        kernel->setAttr(streamsAttr, UnitAttr::get(&getContext()));
      }
    }
    // A join comes behind the last of what it joins.
    llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    b.setInsertionPointAfter(moved.back());
    auto call = func::CallOp::create(b, function.getLoc(), own, currentOf(loaded));
    for (Operation *op : moved)
      op->moveBefore(body, body->end());
    auto isInside = [&](OpOperand &use) { return use.getOwner()->getBlock() == body; };
    for (auto [argument, value] : llvm::zip(body->getArguments(), currentOf(loaded)))
      value.replaceUsesWithIf(argument, isInside);
    for (auto [result, value] : llvm::zip(call.getResults(), left)) {
      value.replaceUsesWithIf(result, [&](OpOperand &use) { return !isInside(use); });
      current[value] = result;
    }
    b.setInsertionPointToEnd(body);
    func::ReturnOp::create(b, function.getLoc(), left);
    waitForOthers(cast<id::KernelOp>(body->front()));
  }

  /// The first kernel of a pass comes behind a copy.
  void waitForOthers(id::KernelOp kernel) {
    digits::Launch launch = kernel.getLaunch().getLaunch();
    launch.dependent = false;
    kernel.setLaunchAttr(id::LaunchAttr::get(&getContext(), launch));
  }
};

} // namespace
