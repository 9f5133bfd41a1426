// Input: digit flow with a schedule. Output: id.kernel ops on tiles.
//
// The kernels of a chain load their tile in the mapping of their first range, do the ranges' steps on tiles, exchange
// where the mapping changes, and store. A chain's last permutation becomes the index map of its last store,
// permutations before it that of the first load; a workspace order of the schedule becomes the index maps of the store
// and the load around it. A step outside chains becomes a flat kernel: its digits in registers, all others in the block
// field.
//
//   node [2] … node [1] … permute [1, 2]   with   kernel plain { steps 1..2 { reg(2..1) lane(7..3) } }
//   -> id.kernel "k0" plain (%x) { %t = id.load %b [2, 1]  … id.node [2](%t) … id.store %u [1, 2] }
//
// Rejected, with the reason: schedules that skip or repeat steps, put a step's digit elsewhere than in registers,
// change block digits inside a kernel, hold a batch digit but not those below it, or exceed the target's threads or
// shared memory.
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

/// What is wrong with kernels `first` … `end - 1` of a schedule for this chain on this machine; empty when nothing is.
std::string checkKernels(const Schedule &schedule, size_t first, size_t end, FlowChain &chain, const Target &target) {
  int n = chain.type.getNumDigits(), next = chain.firstStep;
  int lastStep = chain.firstStep + static_cast<int>(chain.steps.size()) - 1;
  for (size_t k = first; k < end; ++k) {
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
      if (range.last > lastStep)
        return where + "the program has " + std::to_string(lastStep) + " steps";
      next = range.last + 1;
      for (int s = range.first; s <= range.last; ++s)
        for (int digit : digitsOf(chain.steps[s - chain.firstStep].node)) {
          digits::Place place;
          if (!range.mapping.find(digit, place) || place.field != Field::Reg)
            return where + "step " + std::to_string(s) + " acts on digit " + std::to_string(digit) +
                   ", which is not in registers";
        }
    }
    if (kernel.order.empty())
      continue;
    if (k + 1 == end)
      return where + "the program decides the order of the last kernel's result";
    if (static_cast<int>(kernel.order.size()) != n || !digits::Permutation::isBijection(kernel.order))
      return where + "order names every digit once";
  }
  if (next != lastStep + 1)
    return "schedule: steps from " + std::to_string(next) + " are missing";
  return {};
}

/// The end of the kernels from `first` on that a chain takes: up to the one with its last step, one without steps.
size_t kernelsOf(const Schedule &schedule, size_t first, const FlowChain &chain) {
  int lastStep = chain.firstStep + static_cast<int>(chain.steps.size()) - 1;
  for (size_t k = first; k < schedule.kernels.size(); ++k)
    for (const RangePlan &range : schedule.kernels[k].ranges)
      if (chain.steps.empty() || (range.kind == RangePlan::Kind::Steps && range.last >= lastStep))
        return k + 1;
  return schedule.kernels.size();
}

class Builder {
public:
  explicit Builder(func::FuncOp function) : function(function), context(function.getContext()), builder(context) {}

  /// Builds the kernels of all segments and returns their values; false with `error` set on a schedule that does not
  /// fit.
  bool run(FlowProgram &program, const Schedule &schedule, const Target &target, std::string &error) {
    Operation *terminator = function.getBody().front().getTerminator();
    builder.setInsertionPoint(terminator);
    size_t next = 0;
    std::vector<Value> made;
    for (FlowSegment &segment : program.segments) {
      if (!segment.chain) {
        made.push_back(flatKernel(segment));
        continue;
      }
      size_t end = kernelsOf(schedule, next, *segment.chain);
      error = checkKernels(schedule, next, end, *segment.chain, target);
      if (error.empty() && next == end)
        error = "schedule: steps from " + std::to_string(segment.chain->firstStep) + " are missing";
      if (!error.empty())
        return false;
      made.push_back(chainKernels(*segment.chain, schedule, next, end));
      buffers[segment.chain->result] = made.back();
      next = end;
    }
    if (next != schedule.kernels.size()) {
      error = "schedule: kernel " + std::to_string(next + 1) + ": the program has " + std::to_string(program.numSteps) +
              " steps";
      return false;
    }
    for (auto [i, segment] : llvm::enumerate(program.returned)) {
      Value value = made[segment];
      // Of a step with several results, the one that is returned here.
      if (program.segments[segment].step)
        value = buffers.lookup(terminator->getOperand(i));
      terminator->setOperand(i, value);
    }
    SmallVector<Operation *> old;
    for (Operation &op : function.getBody().front().without_terminator())
      if (!isa<id::KernelOp>(op))
        old.push_back(&op);
    for (Operation *op : llvm::reverse(old))
      op->erase();
    return true;
  }

private:
  func::FuncOp function;
  MLIRContext *context;
  OpBuilder builder;
  DenseMap<Value, Value> buffers; // a segment's value -> the kernel result that holds it
  int numKernels = 0;

  Value bufferOf(Value value) { return buffers.contains(value) ? buffers.lookup(value) : value; }
  std::string nextName() { return (function.getName() + "_k" + Twine(numKernels++)).str(); }

  static id::SeqType movedType(id::SeqType type, Type element, const digits::Permutation &map) {
    std::vector<int> moved = map.apply(std::vector<int>(type.getRadices().begin(), type.getRadices().end()));
    return id::SeqType::get(type.getContext(), SmallVector<int32_t>(moved.begin(), moved.end()), element);
  }

  //===--- chains -----------------------------------------------------------------------------------------------===//

  Value chainKernels(FlowChain &chain, const Schedule &schedule, size_t first, size_t end) {
    Value value = bufferOf(chain.input.buffer);
    digits::Permutation loadMap = chain.input.map;
    for (size_t k = first; k < end; ++k) {
      const KernelPlan &plan = schedule.kernels[k];
      bool last = k + 1 == end;
      digits::Permutation storeMap = digits::Permutation::identity(chain.type.getNumDigits());
      if (last && chain.permute)
        storeMap = chain.permute.getMap().getPermutation();
      else if (!last && !plan.order.empty())
        storeMap = digits::Permutation::fromSources(plan.order);
      value = chainKernel(chain, plan, value, loadMap, storeMap, last);
      loadMap = storeMap.inverse();
    }
    return value;
  }

  Value chainKernel(FlowChain &chain, const KernelPlan &plan, Value input, const digits::Permutation &loadMap,
                    const digits::Permutation &storeMap, bool last) {
    auto inputType = cast<id::SeqType>(input.getType());
    int offset = chain.firstStep;
    // The element type may change in the kernel: take it from the last op that runs here.
    Type element = inputType.getElement();
    for (const RangePlan &range : plan.ranges)
      if (range.kind == RangePlan::Kind::Steps && range.last >= range.first)
        element = id::elementOf(chain.steps[range.last - offset].node.getOutputs()[0].getType());
    if (last && !chain.after.empty())
      element = id::elementOf(chain.after.back()->getResult(0).getType());
    id::SeqType outputType = movedType(chain.type, element, storeMap);
    Location loc = function.getLoc();
    auto op = id::KernelOp::create(builder, loc, TypeRange{outputType}, nextName(), id::KernelKind::Plain, 1, input);
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&op.getBody(), {}, TypeRange{inputType}, {loc});
    auto tileType = [&](const Mapping &mapping, Type type) {
      return id::TileType::get(context, chain.type.getRadices(), mapping.str(), type);
    };
    Mapping current = plan.ranges.front().mapping;
    Value tile = id::LoadOp::create(builder, loc, tileType(current, inputType.getElement()), block->getArgument(0),
                                    id::PermAttr::get(context, loadMap));
    auto onTile = [&](Operation *step) {
      IRMapping map;
      map.map(step->getOperand(0), tile);
      Value result = builder.clone(*step, map)->getResult(0);
      result.setType(tileType(current, id::elementOf(result.getType())));
      tile = result;
    };
    for (const RangePlan &range : plan.ranges) {
      if (range.mapping != current)
        tile = id::ExchangeOp::create(builder, loc, tileType(range.mapping, id::elementOf(tile.getType())), tile,
                                      id::ExchangeKind::Unplanned, id::LayoutAttr());
      current = range.mapping;
      if (range.kind != RangePlan::Kind::Steps)
        continue;
      for (int s = range.first; s <= range.last; ++s) {
        for (Operation *before : chain.steps[s - offset].before)
          onTile(before);
        onTile(chain.steps[s - offset].node);
      }
      if (last && range.last == offset + static_cast<int>(chain.steps.size()) - 1)
        for (Operation *after : chain.after)
          onTile(after);
    }
    if (last && chain.steps.empty())
      for (Operation *after : chain.after)
        onTile(after);
    Value stored = id::StoreOp::create(builder, loc, outputType, tile, id::PermAttr::get(context, storeMap));
    id::YieldOp::create(builder, loc, stored);
    return op.getResult(0);
  }

  //===--- single steps -----------------------------------------------------------------------------------------===//

  /// The type of a value's tile in a flat kernel: the given digits in registers, all others in the block field.
  Type flatType(Type sequence, ArrayRef<int64_t> inRegisters) {
    ArrayRef<int32_t> radices = id::radicesOf(sequence);
    Mapping mapping;
    for (size_t i = 0; i < radices.size(); ++i) {
      int digit = static_cast<int>(i) + 1;
      mapping.push(llvm::is_contained(inRegisters, digit) ? Field::Reg : Field::Block, digit, radices[i]);
    }
    return id::TileType::get(context, radices, mapping.str(), id::elementOf(sequence));
  }

  /// One step, or a copy, as a kernel of its own. Returns the first result.
  Value flatKernel(FlowSegment &segment) {
    Operation *step = segment.step;
    Location loc = step ? step->getLoc() : function.getLoc();
    SmallVector<Value> inputs;
    for (const FlowValue &operand : segment.operands)
      inputs.push_back(bufferOf(operand.buffer));
    SmallVector<Type> outputs;
    if (step)
      llvm::append_range(outputs, step->getResultTypes());
    else
      outputs.push_back(segment.copied.getType());
    auto op = id::KernelOp::create(builder, loc, outputs, nextName(), id::KernelKind::Flat, 1, inputs);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> inputTypes(ValueRange(inputs).getTypes());
    Block *block = builder.createBlock(&op.getBody(), {}, inputTypes, SmallVector<Location>(inputs.size(), loc));
    auto node = dyn_cast_or_null<id::NodeOp>(step);
    auto tileTypeOf = [&](Type sequence) {
      bool hasDigits = node && static_cast<int>(id::radicesOf(sequence).size()) == node.getNumDigits();
      return flatType(sequence, hasDigits ? node.getDigits() : ArrayRef<int64_t>());
    };
    SmallVector<Value> tiles;
    for (auto [i, operand] : llvm::enumerate(segment.operands)) {
      auto buffer = cast<id::SeqType>(inputTypes[i]);
      Type type = tileTypeOf(movedType(buffer, buffer.getElement(), operand.map));
      tiles.push_back(
          id::LoadOp::create(builder, loc, type, block->getArgument(i), id::PermAttr::get(context, operand.map)));
    }
    SmallVector<Value> results = tiles;
    if (step) {
      Operation *clone = builder.clone(*step);
      clone->setOperands(tiles);
      for (Value result : clone->getResults())
        result.setType(tileTypeOf(result.getType()));
      results.assign(clone->result_begin(), clone->result_end());
    }
    SmallVector<Value> stored;
    for (auto [result, type] : llvm::zip(results, outputs)) {
      int n = static_cast<int>(id::radicesOf(type).size());
      stored.push_back(id::StoreOp::create(builder, loc, type, result,
                                           id::PermAttr::get(context, digits::Permutation::identity(n))));
    }
    id::YieldOp::create(builder, loc, stored);
    if (step)
      for (auto [value, result] : llvm::zip(step->getResults(), op.getResults()))
        buffers[value] = result;
    return op.getResult(0);
  }
};

struct BuildKernels : impl::BuildKernelsBase<BuildKernels> {
  using BuildKernelsBase::BuildKernelsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto attribute = function->getAttrOfType<ArrayAttr>("id.schedule");
    if (!attribute) {
      function.emitError() << "has no schedule";
      return signalPassFailure();
    }
    Schedule schedule;
    Target machine;
    std::string error;
    // Only chains have schedules, and their digits are of radix 2.
    FlowProgram program = findSegments(function);
    if (!findTarget(target, machine, error) || !fromAttribute(attribute, {}, schedule, error) ||
        !Builder(function).run(program, schedule, machine, error)) {
      auto place = function->getAttrOfType<LocationAttr>("id.schedule_location"); // of a schedule written by hand
      emitError(place ? Location(place) : function.getLoc()) << error;
      return signalPassFailure();
    }
    function->removeAttr("id.schedule_location");
  }
};

} // namespace
} // namespace idc::passes
