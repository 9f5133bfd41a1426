// Input: digit flow with a schedule. Output: id.kernel ops on tiles.
//
// The kernels of a chain load their tile in the mapping of their first range, do the ranges' steps on tiles, exchange
// where the mapping changes, and store. A chain's last permutation becomes the index map of its last store,
// permutations before it that of the first load; a workspace order of the schedule becomes the index maps of the store
// and the load around it. Steps outside chains are the kernels that the schedule puts together (FormKernels.h): the
// tile of every value is the part of its range's mapping that it has digits for, and values go through shared memory
// from range to range.
//
//   node [2] … node [1] … permute [1, 2]   with   kernel plain { steps 1..2 { reg(2..1) lane(7..3) } }
//   -> id.kernel "k0" plain (%x) { %t = id.load %b [2, 1]  … id.node [2](%t) … id.store %u [1, 2] }
//
// Rejected, with the reason: schedules that skip or repeat steps, put a step's digit elsewhere than in registers,
// change block digits inside a kernel, hold a batch digit but not those below it, or exceed the target's threads or
// shared memory; kernels of steps that cannot share one, or that take what no kernel before them makes.
#include "compiler/passes/FormKernels.h"
#include "compiler/passes/LevelPlanner.h"
#include "compiler/passes/Schedule.h"
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
    const digits::Launch &launch = kernel.launch;
    if (launch.team > 1 || (launch.persistent && target.kind == "cpu"))
      return where + "launches by " + launch.str() + " cannot be generated for " + target.name + " so far";
    if (launch.dependent && !target.dependentLaunch)
      return where + target.name + " has no dependent launch";
    if (launch.dependent && k == 0)
      return where + "the first kernel has none before it whose end it could wait for";
    if (launch.cluster > target.maxCluster)
      return where + "a cluster of " + target.name + " has at most " + std::to_string(target.maxCluster) + " blocks";
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
      if (range.mapping.extent(Field::Rank) != launch.cluster)
        return where + "rank must have as many values as the cluster has blocks, " + std::to_string(launch.cluster);
      if (!range.mapping[Field::Turn].empty())
        return where + "turn is for blocks of a team";
      const int64_t threads = range.mapping.numThreads();
      if (!chain.isOfBits()) {
        if (launch.persistent)
          return where + "numbers are drawn for digits of radix 2 only";
        if (static_cast<int>(held.size()) > n)
          return where + "digits of the batch are of radix 2, beside others they are held by no field";
      } else if (range.mapping.extent(Field::Lane) != target.lanes) {
        return where + "lane must have " + std::to_string(target.lanes) + " values";
      }
      if (threads > std::max(target.maxThreadsPerBlock, target.lanes))
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
    if (kernel.ring && !chain.operands.empty())
      return where + "a ring lies between steps that read no further buffers";
    if (kernel.ring || (k > first && schedule.kernels[k - 1].ring)) {
      const KernelPlan *other =
          kernel.ring ? k + 1 < end ? &schedule.kernels[k + 1] : nullptr : &schedule.kernels[k - 1];
      if (!other)
        return where + "a ring is loaded by the next kernel, and there is none";
      int64_t tiles = reference.extent(Field::Block), slots = std::max(kernel.ring, other->ring),
              delay = std::max(kernel.delay, other->delay);
      if (!chain.isOfBits())
        return where + "a ring lies between tiles of radix 2";
      if (target.kind == "cpu" || launch != digits::Launch() || (kernel.ring && other->ring) ||
          static_cast<int>(reference.digits().size()) != n)
        return where + "a ring lies between two plain grids of a GPU, with tiles of one problem";
      auto threads = [](const Mapping &mapping) { return mapping.extent(Field::Lane) * mapping.extent(Field::Warp); };
      if (other->ranges.empty() || other->ranges.front().mapping.extent(Field::Block) != tiles ||
          threads(other->ranges.front().mapping) != threads(reference))
        return where + "the two kernels of a ring have tiles of the same size and as many threads";
      if (delay < tiles || slots * tiles < delay + tiles)
        return where + "a ring needs a delay of at least a problem's " + std::to_string(tiles) +
               " tiles, and memory for as many more";
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

/// Gives the columns of a kernel's mappings the radices of a chain's digits; the text of a schedule has none.
void setRadices(KernelPlan &kernel, const FlowChain &chain) {
  ArrayRef<int32_t> radices = chain.type.getRadices();
  for (RangePlan &range : kernel.ranges)
    for (std::vector<digits::Column> &columns : range.mapping.columns)
      for (digits::Column &column : columns)
        if (column.digits.size() == 1 && column.digits[0] <= static_cast<int>(radices.size()))
          column.radix = radices[column.digits[0] - 1];
}

class Builder {
public:
  Builder(func::FuncOp function, FlowProgram &program, const Target &target)
      : function(function), program(program), target(target), context(function.getContext()), builder(context) {}

  /// Builds the kernels of all segments and returns their values; false with `error` set on a schedule that does not
  /// fit.
  bool run(Schedule schedule, std::string &error) {
    Operation *terminator = function.getBody().front().getTerminator();
    builder.setInsertionPoint(terminator);
    size_t next = 0;
    for (FlowSegment &segment : program.segments) {
      if (!segment.chain) {
        flatKernel(segment.group);
        ++next;
        continue;
      }
      size_t end = kernelsOf(schedule, next, *segment.chain);
      for (KernelPlan &kernel : MutableArrayRef(schedule.kernels).slice(next, end - next))
        setRadices(kernel, *segment.chain);
      error = checkKernels(schedule, next, end, *segment.chain, target);
      if (error.empty() && next == end)
        error = "schedule: steps from " + std::to_string(segment.chain->firstStep) + " are missing";
      if (!error.empty())
        return false;
      Value value = chainKernels(*segment.chain, schedule, next, end);
      chainResults[&*segment.chain] = value;
      if (segment.chain->result != segment.chain->source) // a copy's source stays where it is
        buffers[segment.chain->result] = value;
      next = end;
    }
    if (next != schedule.kernels.size()) {
      error = "schedule: kernel " + std::to_string(next + 1) + ": the program has " + std::to_string(program.numSteps) +
              " steps";
      return false;
    }
    for (auto [i, result] : llvm::enumerate(program.returned)) {
      FlowSegment &segment = program.segments[result.segment];
      terminator->setOperand(i, segment.chain ? chainResults[&*segment.chain]
                                              : kernels[&segment.group].getResult(result.store));
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
  FlowProgram &program;
  const Target &target;
  MLIRContext *context;
  OpBuilder builder;
  DenseMap<Value, Value> buffers; // a segment's value -> the kernel result that holds it
  DenseMap<const FlowChain *, Value> chainResults;
  DenseMap<const FlowGroup *, id::KernelOp> kernels;
  int numKernels = 0;

  Value bufferOf(Value value) { return buffers.contains(value) ? buffers.lookup(value) : value; }
  std::string nextName() { return (function.getName() + "_k" + Twine(numKernels++)).str(); }

  /// A step in a kernel: nothing is to be decided any more.
  Operation *cloneOf(Operation *step) {
    Operation *clone = builder.clone(*step);
    for (StringRef decided :
         {StringRef("id.crossing"), StringRef(chainAttr), StringRef(groupAttr), StringRef(carrierAttr)})
      clone->removeAttr(decided);
    return clone;
  }

  static id::SeqType movedType(id::SeqType type, Type element, const digits::Permutation &map) {
    std::vector<int> moved = map.apply(std::vector<int>(type.getRadices().begin(), type.getRadices().end()));
    return id::SeqType::get(type.getContext(), SmallVector<int32_t>(moved.begin(), moved.end()), element);
  }

  //===--- chains -----------------------------------------------------------------------------------------------===//

  Value chainKernels(FlowChain &chain, const Schedule &schedule, size_t first, size_t end) {
    Value value = bufferOf(chain.input.buffer);
    digits::Permutation loadMap = chain.input.map;
    for (size_t k = first; k < end;) {
      ArrayRef<KernelPlan> passes = ArrayRef(schedule.kernels).slice(k, schedule.kernels[k].ring ? 2 : 1);
      k += passes.size();
      value = chainKernel(chain, passes, value, loadMap, k == end);
    }
    return value;
  }

  /// The address order of a pass's result as an index map; `last`: the chain's last pass.
  static digits::Permutation storeMapOf(FlowChain &chain, const KernelPlan &plan, bool last) {
    if (last && chain.permute)
      return chain.permute.getMap().getPermutation();
    if (!last && !plan.order.empty())
      return digits::Permutation::fromSources(plan.order);
    return digits::Permutation::identity(chain.type.getNumDigits());
  }

  /// The type of a pass's result: the element type may change in the kernel.
  static id::SeqType resultType(FlowChain &chain, const KernelPlan &plan, Type element, bool last) {
    for (const RangePlan &range : plan.ranges)
      if (range.kind == RangePlan::Kind::Steps && range.last >= range.first)
        element = id::elementOf(chain.steps[range.last - chain.firstStep].node.getOutputs()[0].getType());
    if (last && !chain.after.empty())
      element = id::elementOf(chain.after.back()->getResult(0).getType());
    return movedType(chain.type, element, storeMapOf(chain, plan, last));
  }

  /// What a range does, or a whole kernel; `last`: of the chain.
  static SmallVector<Operation *> stepsOf(const FlowChain &chain, const RangePlan &range, bool last) {
    SmallVector<Operation *> steps;
    if (range.kind != RangePlan::Kind::Steps)
      return steps;
    const int end = chain.firstStep + static_cast<int>(chain.steps.size()) - 1;
    for (int s = range.first; s <= range.last; ++s) {
      const FlowStep &step = chain.steps[s - chain.firstStep];
      llvm::append_range(steps, step.before);
      steps.push_back(step.node);
    }
    if (last && range.last == end)
      llvm::append_range(steps, chain.after);
    return steps;
  }
  static SmallVector<Operation *> stepsOf(const FlowChain &chain, const KernelPlan &kernel, bool last) {
    SmallVector<Operation *> steps;
    for (const RangePlan &range : kernel.ranges)
      llvm::append_range(steps, stepsOf(chain, range, last));
    if (last && chain.steps.empty())
      steps.assign(chain.after.begin(), chain.after.end());
    return steps;
  }

  /// A kernel of one pass, or of two with a ring between them. `loadMap` is that of its input, then of its result.
  Value chainKernel(FlowChain &chain, ArrayRef<KernelPlan> passes, Value input, digits::Permutation &loadMap,
                    bool last) {
    SmallVector<id::SeqType> types{cast<id::SeqType>(input.getType())};
    for (const KernelPlan &plan : passes)
      types.push_back(resultType(chain, plan, types.back().getElement(), last && &plan == &passes.back()));
    Location loc = function.getLoc();
    SmallVector<Value> inputs{input};
    for (const KernelPlan &plan : passes)
      for (Operation *step : stepsOf(chain, plan, last))
        for (const FlowOperand &operand : chain.operands)
          if (Value buffer = bufferOf(operand.from.buffer); operand.step == step && !llvm::is_contained(inputs, buffer))
            inputs.push_back(buffer);
    auto op = id::KernelOp::create(builder, loc, TypeRange{types.back()}, nextName(),
                                   id::LaunchAttr::get(context, passes[0].launch), inputs);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> inputTypes(ValueRange(inputs).getTypes());
    Block *block = builder.createBlock(&op.getBody(), {}, inputTypes, SmallVector<Location>(inputs.size(), loc));
    Value value = block->getArgument(0);
    auto argumentOf = [&](Value buffer) {
      return block->getArgument(static_cast<unsigned>(llvm::find(inputs, bufferOf(buffer)) - inputs.begin()));
    };
    for (auto [i, plan] : llvm::enumerate(passes)) {
      digits::Permutation storeMap = storeMapOf(chain, plan, last && i + 1 == passes.size());
      value = chainPass(chain, plan, value, i > 0 ? passes[i - 1].delay : 0, loadMap, storeMap, types[i + 1],
                        last && i + 1 == passes.size(), argumentOf);
      loadMap = storeMap.inverse();
    }
    id::YieldOp::create(builder, loc, value);
    return op.getResult(0);
  }

  /// Load, steps, store, at the end of a kernel that is being built.
  Value chainPass(FlowChain &chain, const KernelPlan &plan, Value input, int64_t delay,
                  const digits::Permutation &loadMap, const digits::Permutation &storeMap, id::SeqType outputType,
                  bool last, function_ref<Value(Value buffer)> argumentOf) {
    Location loc = function.getLoc();
    auto optional = [&](int64_t number) { return number ? builder.getI64IntegerAttr(number) : IntegerAttr(); };
    auto tileType = [&](const Mapping &mapping, Type type) {
      auto tile = id::TileType::get(context, chain.type.getRadices(), mapping.str(), type);
      Mapping divided = tile.getMapping(); // with the digits' radices, whichever way a schedule divides its threads
      divided.splitThreads(target.lanes);
      return id::TileType::get(context, chain.type.getRadices(), divided.str(), type);
    };
    Mapping current = plan.ranges.front().mapping;
    Value tile = id::LoadOp::create(builder, loc, tileType(current, id::elementOf(input.getType())), input,
                                    id::PermAttr::get(context, loadMap), optional(delay));
    auto onTile = [&](Operation *step) {
      SmallVector<Value> operands(step->getNumOperands(), tile);
      for (const FlowOperand &operand : chain.operands)
        if (operand.step == step) {
          Value buffer = argumentOf(operand.from.buffer);
          operands[operand.number] =
              id::LoadOp::create(builder, step->getLoc(), tileType(current, id::elementOf(buffer.getType())), buffer,
                                 id::PermAttr::get(context, operand.from.map), IntegerAttr());
        }
      Operation *clone = cloneOf(step);
      clone->setOperands(operands);
      tile = clone->getResult(0);
      tile.setType(tileType(current, id::elementOf(tile.getType())));
    };
    for (const RangePlan &range : plan.ranges) {
      if (range.mapping != current)
        tile = id::ExchangeOp::create(builder, loc, tileType(range.mapping, id::elementOf(tile.getType())), tile,
                                      id::ExchangeKind::Unplanned, id::LayoutAttr());
      current = range.mapping;
      llvm::for_each(stepsOf(chain, range, last), onTile);
    }
    if (last && chain.steps.empty())
      llvm::for_each(chain.after, onTile);
    return id::StoreOp::create(builder, loc, outputType, tile, id::PermAttr::get(context, storeMap),
                               optional(plan.ring));
  }

  //===--- groups -----------------------------------------------------------------------------------------------===//

  /// The tile of a value of a group at a level.
  id::TileType tileType(const FlowGroup &group, Type element, ArrayRef<int> axes, int level) {
    SmallVector<int32_t> radices;
    for (int axis : axes)
      radices.push_back(group.radices[axis]);
    return id::TileType::get(context, radices, group.mappingOf(axes, level, target.lanes).str(), element);
  }

  /// The type in which a tile that all `threads` of a block hold, and whose elements lie as `placed` says, is loaded or
  /// stored in runs of `runBytes` (memoryMapping; 0: as it is).
  id::TileType inMemory(int64_t threads, id::TileType type, const digits::BufferView &placed, int64_t runBytes) {
    Mapping held = type.getMapping();
    if (!runBytes || held.numThreads() != threads)
      return type;
    Mapping spread = memoryMapping(held, placed, id::elementBytes(type.getElement()), runBytes, target);
    return id::TileType::get(context, type.getRadices(), spread.str(), type.getElement());
  }

  /// A tile of a value, where it is.
  struct Held {
    Value tile;
    int level, section;
    bool afterwards; // of a cooperative kernel: after blocks have waited for others
  };

  /// The tile that a node makes which only puts tiles of one level together.
  Value joinedTile(Operation *step, const DenseMap<Value, Held> &made) {
    int digit = static_cast<int>(cast<id::NodeOp>(step).getDigits()[0]);
    const Placement placement = *placementOf(step);
    SmallVector<Value> parts;
    for (int operand : placement.order)
      parts.push_back(made.lookup(step->getOperand(operand)).tile);
    auto part = cast<id::TileType>(parts[0].getType());
    SmallVector<int32_t> radices(part.getRadices());
    radices.insert(radices.begin() + (digit - 1), static_cast<int32_t>(parts.size()));
    Mapping mapping = part.getMapping();
    for (auto &columns : mapping.columns)
      for (digits::Column &column : columns)
        for (int &held : column.digits)
          held += held >= digit;
    mapping.push(Field::Reg, digit, static_cast<int>(parts.size()));
    auto type = id::TileType::get(context, radices, mapping.str(), part.getElement());
    return id::JoinOp::create(builder, step->getLoc(), type, digit, parts);
  }

  /// The view of a buffer, or of what is stored.
  Value viewed(Value buffer, const FlowView &view, Location loc) {
    auto from = cast<id::SeqType>(buffer.getType());
    auto type = id::SeqType::get(context, view.apply(from.getRadices()), from.getElement());
    if (view.kind == FlowView::Kind::Part)
      return id::PartOp::create(builder, loc, type, buffer, view.digit, view.value);
    if (view.kind == FlowView::Kind::Move)
      return id::PermuteOp::create(builder, loc, type, buffer, id::PermAttr::get(context, view.map));
    id::ResizeOp resize = view.resize;
    IRMapping map;
    map.map(resize.getInput(), buffer);
    return builder.clone(*resize, map)->getResult(0);
  }

  /// A value that a kernel stores, as a result or a part of one.
  struct PartStore {
    Value value;
    digits::Permutation map;
    digits::BufferView placed;
    Value stored = {};
  };

  static void addParts(const FlowGroup &group, const FlowStore &store, SmallVectorImpl<PartStore> &parts) {
    Operation *step = store.value.getDefiningOp();
    if (!step || !group.joined.contains(step)) {
      parts.push_back({store.value, store.map, *store.placed()});
      return;
    }
    const Placement placement = *placementOf(step);
    for (int operand : placement.order) {
      Value part = step->getOperand(operand);
      auto whole = digits::Permutation::identity(static_cast<int>(id::radicesOf(part.getType()).size()));
      addParts(group, {part, whole, part}, parts);
    }
  }

  /// The buffer of a stored value, put together from its parts, the first ones of `parts`.
  Value joined(const FlowGroup &group, Value value, bool whole, ArrayRef<PartStore> &parts, Location loc) {
    Operation *step = value.getDefiningOp();
    if (whole || !step || !group.joined.contains(step)) {
      Value stored = parts.front().stored;
      parts = parts.drop_front();
      return stored;
    }
    SmallVector<Value> operands;
    const Placement placement = *placementOf(step);
    for (int operand : placement.order)
      operands.push_back(joined(group, step->getOperand(operand), whole, parts, loc));
    int64_t digit = cast<id::NodeOp>(step).getDigits()[0];
    return id::JoinOp::create(builder, loc, value.getType(), digit, operands);
  }

  /// Threads of a block that holds a group.
  int64_t threadsOf(const FlowGroup &group) {
    int64_t threads = 1;
    for (auto &[value, axes] : group.axes) {
      int level = group.level(value.getDefiningOp());
      threads = std::max(threads, group.mappingOf(axes, level, target.lanes).numThreads());
    }
    return threads;
  }

  /// True when a thread holds all of a problem.
  static bool holdsAll(const FlowGroup &group) {
    const Mapping &mapping = group.levels.front();
    return group.levels.size() == 1 &&
           llvm::all_of(llvm::seq<int>(1, static_cast<int>(group.radices.size()) + 1), [&](int digit) {
             digits::Place place;
             return mapping.find(digit, place) && place.field == Field::Reg;
           });
  }

  /// The kernel of a group; its results hold the stores.
  void flatKernel(FlowGroup &group) {
    Location loc = group.steps.empty() ? function.getLoc() : group.steps.front()->getLoc();
    SmallVector<Value> inputs;
    SmallVector<int> inputOf; // load -> input
    for (const FlowLoad &load : group.loads) {
      Value buffer = bufferOf(load.from.buffer);
      inputOf.push_back(static_cast<int>(llvm::find(inputs, buffer) - inputs.begin()));
      if (inputOf.back() == static_cast<int>(inputs.size()))
        inputs.push_back(buffer);
    }
    SmallVector<Type> outputs;
    for (const FlowStore &store : group.stores)
      outputs.push_back(store.made.getType());
    auto launch = id::LaunchAttr::get(context, group.launch);
    auto op = id::KernelOp::create(builder, loc, outputs, nextName(), launch, inputs);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> inputTypes(ValueRange(inputs).getTypes());
    Block *block = builder.createBlock(&op.getBody(), {}, inputTypes, SmallVector<Location>(inputs.size(), loc));
    int64_t threads = threadsOf(group);
    // Where threads hold all of it, what is joined is a tile.
    bool joinsTiles = group.loadRuns && holdsAll(group);
    SmallVector<PartStore> parts;
    for (const FlowStore &store : group.stores) {
      if (joinsTiles)
        parts.push_back({store.value, store.map, *store.placed()});
      else
        addParts(group, store, parts);
    }
    auto store = [&](Value made, Value tile) {
      for (PartStore &store : parts) {
        if (!group.steps.empty() && store.value != made)
          continue;
        auto type = cast<id::TileType>(tile.getType());
        Value moved = tile;
        if (id::TileType spread = inMemory(threads, type, store.placed, group.storeRuns); spread != type)
          moved = id::ExchangeOp::create(builder, loc, spread, tile, id::ExchangeKind::Shared, id::LayoutAttr());
        auto sequence = id::SeqType::get(context, type.getRadices(), type.getElement());
        store.stored = id::StoreOp::create(builder, loc, movedType(sequence, type.getElement(), store.map), moved,
                                           id::PermAttr::get(context, store.map), IntegerAttr());
      }
    };
    auto load = [&](int number, int level) -> Value {
      const FlowLoad &from = group.loads[number];
      Value buffer = block->getArgument(inputOf[number]);
      for (const FlowView &view : from.from.views)
        buffer = viewed(buffer, view, loc);
      id::TileType type = tileType(group, id::elementOf(buffer.getType()), from.axes, level);
      // What is alike in several lanes is fetched once for all of them.
      id::TileType spread = from.from.isRepeated() ? type : inMemory(threads, type, from.from.placed(), group.loadRuns);
      Value tile =
          id::LoadOp::create(builder, loc, spread, buffer, id::PermAttr::get(context, from.from.map), IntegerAttr());
      if (spread == type)
        return tile;
      return id::ExchangeOp::create(builder, loc, type, tile, id::ExchangeKind::Shared, id::LayoutAttr());
    };
    if (group.steps.empty())
      store({}, load(0, 0));
    // Steps of one level that follow each other are a section of the kernel. Tiles that all threads hold are there in
    // every section of their level, those that some hold only in their own.
    DenseMap<Value, Held> made;
    DenseMap<int, Held> loaded;
    DenseMap<std::pair<Value, int>, Held> moved; // to a level
    int section = 0, level = -1;
    bool afterwards = false;
    auto isHere = [&](const Held &held) {
      bool inAllThreads = cast<id::TileType>(held.tile.getType()).getMapping().numThreads() == threads;
      return held.level == level && held.afterwards == afterwards && (held.section == section || inAllThreads);
    };
    auto throughMemory = [&](Type type, Value tile) -> Value {
      return id::ExchangeOp::create(builder, loc, type, tile, id::ExchangeKind::Shared, id::LayoutAttr());
    };
    auto loadHere = [&](int number) {
      auto known = loaded.find(number);
      if (known == loaded.end() || !isHere(known->second)) {
        // What is needed again when others have been waited for stays in the block meanwhile.
        bool kept = known != loaded.end() && known->second.level == level && known->second.afterwards != afterwards;
        Value tile = kept ? throughMemory(known->second.tile.getType(), known->second.tile) : load(number, level);
        known = loaded.insert_or_assign(number, Held{tile, level, section, afterwards}).first;
      }
      return known->second.tile;
    };
    auto valueHere = [&](Value value) {
      Held held = made.lookup(value);
      if (isHere(held))
        return held.tile;
      auto known = moved.find({value, level});
      if (known == moved.end() || !isHere(known->second)) {
        Type type = tileType(group, id::elementOf(value.getType()), group.axes[value], level);
        Value tile = throughMemory(type, held.tile);
        known = moved.insert_or_assign({value, level}, Held{tile, level, section, afterwards}).first;
      }
      return known->second.tile;
    };
    auto renamed = [&](Value tile, const digits::Permutation &map, ArrayRef<int> axes) -> Value {
      if (map.isIdentity())
        return tile;
      SmallVector<int> after;
      for (int place = 1; place <= map.size(); ++place)
        after.push_back(axes[map.source(place) - 1]);
      return id::RenameOp::create(builder, loc, tileType(group, id::elementOf(tile.getType()), after, level), tile,
                                  id::PermAttr::get(context, map));
    };
    for (Operation *step : group.steps) {
      if (group.joined.contains(step)) {
        if (joinsTiles) {
          made[step->getResult(0)] = {joinedTile(step, made), level, section, afterwards};
          store(step->getResult(0), made[step->getResult(0)].tile);
        }
        continue;
      }
      int own = group.level(step);
      section += own != level;
      level = own;
      afterwards |=
          group.launch.team > 1 && group.levels[static_cast<size_t>(level)][Field::Rank].front().digits.empty();
      SmallVector<Value> operands;
      for (OpOperand &operand : step->getOpOperands()) {
        auto number = group.loadOf.find({step, operand.getOperandNumber()});
        if (number != group.loadOf.end()) {
          operands.push_back(loadHere(number->second));
          continue;
        }
        FlowValue from = program.resolve(operand.get());
        operands.push_back(renamed(valueHere(from.buffer), from.map, group.axes[from.buffer]));
      }
      Operation *clone = cloneOf(step);
      clone->setOperands(operands);
      for (auto [result, old] : llvm::zip(clone->getResults(), step->getResults())) {
        result.setType(tileType(group, id::elementOf(old.getType()), group.axes[old], level));
        made[old] = {result, level, section, afterwards};
        store(old, result);
      }
    }
    SmallVector<Value> stored;
    ArrayRef<PartStore> rest = parts; // in the order in which the results were taken apart
    for (const FlowStore &store : group.stores) {
      stored.push_back(joined(group, store.value, joinsTiles, rest, loc));
      for (const FlowView &view : store.views)
        stored.back() = viewed(stored.back(), view, loc);
    }
    id::YieldOp::create(builder, loc, stored);
    for (auto [store, result] : llvm::zip(group.stores, op.getResults()))
      if (!group.steps.empty() || program.copied.contains(store.made)) // else a copy's source stays where it is
        buffers[store.made] = result;
    kernels[&group] = op;
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
    const std::optional<Target> machine = findTarget(target, function);
    if (!machine)
      return signalPassFailure();
    Schedule schedule;
    std::string error;
    // The radices of mappings' digits are those of chains and of axes.
    FailureOr<FlowProgram> program = segmentsOf(function);
    if (failed(program))
      return signalPassFailure();
    if (!fromAttribute(attribute, {}, schedule, error) || !formGroups(*program, schedule, *machine, error) ||
        !Builder(function, *program, *machine).run(schedule, error)) {
      auto place = function->getAttrOfType<LocationAttr>("id.schedule_location"); // of a schedule written by hand
      emitError(place ? Location(place) : function.getLoc()) << error;
      return signalPassFailure();
    }
    function->removeAttr("id.schedule_location");
  }
};

} // namespace
} // namespace idc::passes
