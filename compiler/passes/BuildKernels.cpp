// Input: digit flow that is one chain, with a schedule. Output: id.kernel ops on tiles.
//
// Every kernel loads its tile in the mapping of its first range, does the ranges' steps on tiles, exchanges where the
// mapping changes, and stores. The program's last permutation becomes the index map of the last store; a workspace
// order of the schedule becomes the index maps of the store and the load around it.
//
//   node [2] … node [1] … permute [1, 2]   with   kernel plain { steps 1..2 { reg(2..1) lane(7..3) } }
//   -> id.kernel "k0" plain (%x) { %t = id.load %b [2, 1]  … id.node [2](%t) … id.store %u [1, 2] }
//
// Rejected, with the reason: schedules that skip or repeat steps, put a step's digit elsewhere than in registers, change
// block digits inside a kernel, hold a batch digit but not those below it, order the last result, or exceed the
// target's threads.
#include "compiler/passes/Schedule.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;
using digits::Field;
using digits::Mapping;

namespace idc::passes {
#define GEN_PASS_DEF_BUILDKERNELS
#include "compiler/passes/Passes.h.inc"

namespace {

/// What is wrong with a schedule for this chain on this machine; empty when nothing is.
std::string checkSchedule(const Schedule &schedule, FlowChain &chain, const Target &target) {
  int n = chain.type.getNumDigits(), next = 1;
  for (size_t k = 0; k < schedule.kernels.size(); ++k) {
    const KernelPlan &kernel = schedule.kernels[k];
    std::string where = "schedule: kernel " + std::to_string(k + 1) + ": ";
    if (kernel.kind != "plain" || kernel.cluster != 1)
      return where + "only plain kernels can be generated so far";
    if (kernel.ranges.empty())
      return where + "needs a range";
    const Mapping &reference = kernel.ranges.front().mapping;
    for (const RangePlan &range : kernel.ranges) {
      std::string problem = range.mapping.check();
      if (!problem.empty())
        return where + problem;
      if (!range.mapping.isDigitForm())
        return where + "a range's mapping must hold plain digits";
      std::vector<int> held = range.mapping.digits();
      for (size_t i = 0; i < held.size(); ++i)
        if (held[i] != static_cast<int>(i) + 1)
          return where + "digit " + std::to_string(i + 1) + " is held by no field";
      if (static_cast<int>(held.size()) < n)
        return where + "digit " + std::to_string(held.size() + 1) + " is held by no field";
      if (held != reference.digits() || range.mapping[Field::Block] != reference[Field::Block])
        return where + "ranges differ in their digits or block digits";
      if (!range.mapping[Field::Rank].empty() || !range.mapping[Field::Turn].empty())
        return where + "rank and turn need another kind of kernel";
      if (range.mapping.extent(Field::Lane) != target.lanes)
        return where + "lane must have " + std::to_string(target.lanes) + " values";
      if (range.mapping.extent(Field::Lane) * range.mapping.extent(Field::Warp) >
          std::max(target.maxThreadsPerBlock, target.lanes))
        return where + "more than " + std::to_string(target.maxThreadsPerBlock) + " threads";
      if (range.kind != RangePlan::Kind::Steps)
        continue;
      if (range.first != next || range.last < range.first)
        return where + "expected steps from " + std::to_string(next);
      if (range.last > static_cast<int>(chain.steps.size()))
        return where + "the program has " + std::to_string(chain.steps.size()) + " steps";
      next = range.last + 1;
      for (int s = range.first; s <= range.last; ++s)
        for (int digit : digitsOf(chain.steps[s - 1].node)) {
          digits::Place place;
          if (!range.mapping.find(digit, place) || place.field != Field::Reg)
            return where + "step " + std::to_string(s) + " acts on digit " + std::to_string(digit) +
                   ", which is not in registers";
        }
    }
    if (kernel.order.empty())
      continue;
    if (k + 1 == schedule.kernels.size())
      return where + "the program decides the order of the last kernel's result";
    if (static_cast<int>(kernel.order.size()) != n || !digits::Permutation::isBijection(kernel.order))
      return where + "order names every digit once";
  }
  if (next != static_cast<int>(chain.steps.size()) + 1)
    return "schedule: steps from " + std::to_string(next) + " are missing";
  return {};
}

class Builder {
public:
  Builder(func::FuncOp function, FlowChain chain) : function(function), chain(std::move(chain)), builder(function) {}

  void run(const Schedule &schedule) {
    builder.setInsertionPoint(function.getBody().front().getTerminator());
    Value value = chain.input;
    digits::Permutation loadMap = digits::Permutation::identity(chain.type.getNumDigits());
    for (size_t k = 0; k < schedule.kernels.size(); ++k) {
      const KernelPlan &plan = schedule.kernels[k];
      bool last = k + 1 == schedule.kernels.size();
      digits::Permutation storeMap = digits::Permutation::identity(chain.type.getNumDigits());
      if (last && chain.permute)
        storeMap = chain.permute.getMap().getPermutation();
      else if (!plan.order.empty())
        storeMap = digits::Permutation::fromSources(plan.order);
      std::string name = (function.getName() + "_k" + Twine(k)).str();
      value = kernel(plan, name, value, loadMap, storeMap, last);
      loadMap = storeMap.inverse();
    }
    Operation *terminator = function.getBody().front().getTerminator();
    terminator->setOperand(0, value);
    SmallVector<Operation *> old;
    for (Operation &op : function.getBody().front().without_terminator())
      if (!isa<id::KernelOp>(op))
        old.push_back(&op);
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

private:
  func::FuncOp function;
  FlowChain chain;
  OpBuilder builder;

  Value kernel(const KernelPlan &plan, StringRef name, Value input, const digits::Permutation &loadMap,
               const digits::Permutation &storeMap, bool last) {
    MLIRContext *context = builder.getContext();
    auto inputType = cast<id::SeqType>(input.getType());
    // The element type may change in the kernel: take it from the last op that runs here.
    Type element = inputType.getElement();
    for (const RangePlan &range : plan.ranges)
      if (range.kind == RangePlan::Kind::Steps && range.last > 0)
        element = id::elementOf(chain.steps[range.last - 1].node.getOutputs()[0].getType());
    if (last && !chain.after.empty())
      element = id::elementOf(chain.after.back()->getResult(0).getType());
    std::vector<int> radices(chain.type.getRadices().begin(), chain.type.getRadices().end());
    std::vector<int> moved = storeMap.apply(radices);
    auto outputType = id::SeqType::get(context, SmallVector<int32_t>(moved.begin(), moved.end()), element);
    Location loc = function.getLoc();
    auto op = id::KernelOp::create(builder, loc, TypeRange{outputType}, name, id::KernelKind::Plain, 1, input);
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&op.getBody(), {}, TypeRange{inputType}, {loc});
    const Mapping &first = plan.ranges.front().mapping;
    Value tile = id::LoadOp::create(builder, loc, tileType(first, inputType.getElement()), block->getArgument(0),
                                    id::PermAttr::get(context, loadMap));
    Mapping current = first;
    auto moveTo = [&](const Mapping &mapping) {
      if (mapping == current)
        return;
      tile = id::ExchangeOp::create(builder, loc, tileType(mapping, id::elementOf(tile.getType())), tile,
                                    id::ExchangeKind::Unplanned, id::LayoutAttr());
      current = mapping;
    };
    for (const RangePlan &range : plan.ranges) {
      moveTo(range.mapping);
      if (range.kind != RangePlan::Kind::Steps)
        continue;
      for (int s = range.first; s <= range.last; ++s) {
        for (Operation *before : chain.steps[s - 1].before)
          tile = onTile(before, tile, current);
        tile = onTile(chain.steps[s - 1].node, tile, current);
      }
      if (last && range.last == static_cast<int>(chain.steps.size()))
        for (Operation *after : chain.after)
          tile = onTile(after, tile, current);
    }
    if (last && chain.steps.empty())
      for (Operation *after : chain.after)
        tile = onTile(after, tile, current);
    Value stored = id::StoreOp::create(builder, loc, outputType, tile, id::PermAttr::get(context, storeMap));
    id::YieldOp::create(builder, loc, stored);
    return op.getResult(0);
  }

  Type tileType(const Mapping &mapping, Type element) {
    return id::TileType::get(builder.getContext(), chain.type.getRadices(), mapping.str(), element);
  }

  /// The flow op `op` on a tile.
  Value onTile(Operation *op, Value tile, const Mapping &mapping) {
    IRMapping map;
    map.map(op->getOperand(0), tile);
    Operation *clone = builder.clone(*op, map);
    Value result = clone->getResult(0);
    result.setType(tileType(mapping, id::elementOf(result.getType())));
    return result;
  }
};

struct BuildKernels : impl::BuildKernelsBase<BuildKernels> {
  using BuildKernelsBase::BuildKernelsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FailureOr<FlowChain> chain = findChain(function);
    if (failed(chain))
      return signalPassFailure();
    auto attribute = function->getAttrOfType<ArrayAttr>("id.schedule");
    if (!attribute) {
      function.emitError() << "has no schedule";
      return signalPassFailure();
    }
    auto place = function->getAttrOfType<LocationAttr>("id.schedule_location"); // of a schedule written by hand
    Schedule schedule;
    Target machine;
    std::string error;
    std::vector<int> radices(chain->type.getRadices().begin(), chain->type.getRadices().end());
    if (!findTarget(target, machine, error) || !fromAttribute(attribute, radices, schedule, error) ||
        !(error = checkSchedule(schedule, *chain, machine)).empty()) {
      emitError(place ? Location(place) : function.getLoc()) << error;
      return signalPassFailure();
    }
    function->removeAttr("id.schedule_location");
    Builder(function, *chain).run(schedule);
  }
};

} // namespace
} // namespace idc::passes
