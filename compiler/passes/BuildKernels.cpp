// Input: digit flow with a schedule. Output: id.kernel ops on tiles.
//
// Every kernel is built from a group (FlowGroup): it loads what the group takes, does its steps on tiles, exchanges
// where a value is needed in another mapping, and stores. The tile of every value is the part of its range's mapping
// that it has digits for. The kernels of chains are groups whose values all threads hold (ChainKernels.h): the last
// permutation becomes the index map of its last store, permutations before it that of the first load; a workspace order
// of the schedule becomes the index maps of the store and the load around it. Steps outside chains are the groups that
// the schedule puts together (FormKernels.h).
//
//   node [2] … node [1] … permute [1, 2]   with   kernel plain { steps 1..2 { reg(2..1) lane(7..3) } }
//   -> id.kernel "k0" plain (%x) { %t = id.load %b [2, 1]  … id.node [2](%t) … id.store %u [1, 2] }
//
// Rejected, with the reason: schedules that skip or repeat steps, put a step's digit elsewhere than in registers,
// change block digits inside a kernel, hold a batch digit but not those below it, or exceed the target's threads or
// shared memory; kernels of steps that cannot share one, or that take what no kernel before them makes.
#include "compiler/passes/ChainKernels.h"
#include "compiler/passes/ComputedPlaces.h"
#include "compiler/passes/FormKernels.h"
#include "compiler/passes/LevelPlanner.h"
#include "compiler/passes/RingKernels.h"
#include "compiler/passes/Schedule.h"
#include "compiler/passes/Target.h"

#include "id/ConstantData.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;
using digits::Field;
using digits::Mapping;

namespace idc::passes {
#define GEN_PASS_DEF_BUILDKERNELS
#include "compiler/passes/Passes.h.inc"

namespace {

class Builder {
public:
  Builder(func::FuncOp function, FlowProgram &program, const Target &target)
      : function(function), program(program), target(target), context(function.getContext()), builder(context) {
    for (const FlowSegment &segment : program.segments)
      joined.insert(segment.group.joined.begin(), segment.group.joined.end());
  }

  /// Builds the kernels of all segments and returns their values; false with `error` set on a schedule that does not
  /// fit.
  bool run(Schedule schedule, std::string &error) {
    Operation *terminator = function.getBody().front().getTerminator();
    builder.setInsertionPoint(terminator);
    SmallVector<Value> shared(program.returned.size()); // results that several kernels store
    for (auto [i, result] : llvm::enumerate(program.returned))
      if (const FlowGroup &group = program.segments[result.segment].group; !group.partsOfOthers().empty())
        shared[i] = group.stores[static_cast<size_t>(result.store)].made;
    size_t next = 0;
    for (size_t i = 0; i < program.segments.size(); ++i) {
      if (FlowGroup &group = program.segments[i].group; !program.segments[i].chain) {
        storeOwnParts(group);
        kernels[&program.segments[i]] = kernel(group);
        ++next;
        continue;
      }
      const size_t first = i, end = kernelsOf(schedule, next, *program.segments[i].chain);
      if (next < end)
        i = lastChainOf(schedule.kernels[end - 1], program, i);
      std::optional<JoinedChains> chains = joinChains(program, first, i);
      if (!chains) {
        error = "schedule: kernel " + std::to_string(end) + ": what steps " +
                std::to_string(program.segments[first].chain->firstStep) + " to " +
                std::to_string(program.segments[first].chain->lastStep()) +
                " make is not for the steps of this kernel alone, or repeated, complemented or in part";
        return false;
      }
      FlowChain &chain = chains->last();
      for (KernelPlan &kernel : MutableArrayRef(schedule.kernels).slice(next, end - next))
        setRadices(kernel, chain);
      error = checkKernels(schedule, next, end, *chains, target);
      if (error.empty() && next == end)
        error = "schedule: steps from " + std::to_string(chain.firstStep) + " are missing";
      if (!error.empty())
        return false;
      for (FlowChain *before : ArrayRef(chains->chains).drop_back())
        if (before->permute)
          program.moved.insert(before->permute.getResult()); // it stays in the kernel
      FlowSegment &segment = program.segments[i];
      std::vector<FlowGroup> groups = groupsOf(*chains, ArrayRef(schedule.kernels).slice(next, end - next));
      for (size_t k = next; k < end; ++k)
        groups[k - next].ofBits &= keepsBits(schedule.kernels, k, next, end, *chains);
      kernels[&segment] = chainKernels(std::move(groups));
      if (chain.result != chain.source) // a copy's source stays where it is
        buffers[chain.result] = kernels[&segment].getResult(0);
      next = end;
    }
    if (next != schedule.kernels.size()) {
      error = "schedule: kernel " + std::to_string(next + 1) + ": the program has " + std::to_string(program.numSteps) +
              " steps";
      return false;
    }
    for (auto [i, result] : llvm::enumerate(program.returned)) {
      const FlowSegment &segment = program.segments[result.segment];
      terminator->setOperand(i, shared[i] ? joinedValue(shared[i])
                                          : kernels[&segment].getResult(segment.chain ? 0 : result.store));
    }
    SmallVector<Operation *> old;
    for (Operation &op : function.getBody().front().without_terminator())
      if (!isa<id::KernelOp>(op) && !llvm::is_contained(joins, &op))
        old.push_back(&op);
    for (Operation *op : llvm::reverse(old))
      op->erase();
    return joinByRings(schedule, error);
  }

private:
  func::FuncOp function;
  FlowProgram &program;
  const Target &target;
  MLIRContext *context;
  OpBuilder builder;
  DenseMap<Value, Value> buffers;                      // a segment's value -> the kernel result that holds it
  DenseMap<const FlowSegment *, id::KernelOp> kernels; // the last one of each
  DenseSet<Operation *> joined;                        // steps of all groups that are no code
  SmallVector<Operation *> joins;                      // of what several kernels store
  size_t numKernels = 0;

  /// Where a value lies that kernels load.
  Value bufferOf(Value value) {
    if (buffers.contains(value))
      return buffers.lookup(value);
    return value && joined.contains(value.getDefiningOp()) ? joinedValue(value) : value;
  }
  std::string nameOf(size_t number) { return (function.getName() + "_k" + Twine(number)).str(); }

  /// False where the addresses of a chain's kernel are sums as it is a pass beside one of other steps, or of another
  /// shape, or reads more than a ring. The chain has kernels `first` to `end`.
  static bool keepsBits(ArrayRef<KernelPlan> kernels, size_t k, size_t first, size_t end, const JoinedChains &chains) {
    const bool isSecond = k > 0 && kernels[k - 1].ring;
    if (!isSecond && !kernels[k].ring)
      return true;
    const size_t other = isSecond ? k - 1 : k + 1;
    if (other < first || other >= end || chains.chains.size() > 1 || !chains.last().operands.empty())
      return false;
    auto extent = [&](size_t number, Field field) { return kernels[number].ranges.front().mapping.extent(field); };
    return llvm::all_of(ArrayRef{Field::Lane, Field::Warp, Field::Block},
                        [&](Field field) { return extent(k, field) == extent(other, field); });
  }

  /// What is wrong with a ring between two kernels; empty: nothing.
  std::string checkRing(id::KernelOp first, id::KernelOp second, const KernelPlan &plan) {
    if (target.kind == "cpu")
      return "a ring is of a GPU's kernels";
    if (std::string problem = whyNoRing(first, second); !problem.empty())
      return problem;
    const int64_t tiles = id::extentOf(second, digits::Field::Block);
    if (plan.delay < tiles || plan.ring * tiles < plan.delay + tiles)
      return "a ring needs a delay of at least the " + std::to_string(tiles) +
             " tiles that a problem has in the next kernel, and memory for as many more";
    return {};
  }

  /// Kernels with a ring, which are now one for each of the schedule, and those that follow them become one.
  bool joinByRings(const Schedule &schedule, std::string &error) {
    auto built = llvm::to_vector(function.getBody().front().getOps<id::KernelOp>());
    for (size_t k = 0; k < built.size(); ++k) {
      const KernelPlan &plan = schedule.kernels[k];
      if (!plan.ring)
        continue;
      if (k + 1 == built.size())
        error = "a ring is loaded by the next kernel, and there is none";
      else
        error = checkRing(built[k], built[k + 1], plan);
      if (!error.empty()) {
        error = "schedule: kernel " + std::to_string(k + 1) + ": " + error;
        return false;
      }
      joinAsPasses(built[k], built[k + 1], plan.ring, plan.delay);
    }
    for (auto [number, kernel] : llvm::enumerate(function.getBody().front().getOps<id::KernelOp>()))
      kernel.setName(nameOf(number));
    return true;
  }

  /// A step in a kernel: nothing is to be decided any more.
  Operation *cloneOf(Operation *step) {
    Operation *clone = builder.clone(*step);
    for (StringRef decided :
         {StringRef("id.crossing"), StringRef(chainAttr), StringRef(groupAttr), StringRef(carrierAttr)})
      clone->removeAttr(decided);
    return clone;
  }

  /// The kernels of a chain, one after the other. Returns the last one.
  id::KernelOp chainKernels(std::vector<FlowGroup> groups) {
    id::KernelOp last;
    for (FlowGroup &group : groups) {
      if (last)
        group.loads.front().from.buffer = last.getResult(0);
      last = kernel(group);
    }
    return last;
  }

  /// The tile of a value of a group at a level.
  id::TileType tileType(const FlowGroup &group, Type element, ArrayRef<int> axes, int level) {
    return tileType(group, element, axes, group.levels[static_cast<size_t>(level)]);
  }
  /// The same where a mapping holds the axes.
  id::TileType tileType(const FlowGroup &group, Type element, ArrayRef<int> axes, const Mapping &mapping) {
    SmallVector<int32_t> radices;
    for (int axis : axes)
      radices.push_back(group.radices[axis]);
    return id::TileType::get(context, radices, group.projected(mapping, axes, target.lanes).str(), element);
  }

  /// True for a sequence that was made when compiling.
  static bool isConstant(Value buffer) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument &&
           cast<func::FuncOp>(argument.getOwner()->getParentOp()).getArgAttr(argument.getArgNumber(), id::dataAttr);
  }

  /// The type in which a tile that all `threads` of a block hold, or of which few hold much or, by `all`, any, and
  /// whose elements lie as `placed` says, is loaded or stored in runs of `runBytes` (memoryMapping; 0: as it is).
  id::TileType inMemory(int64_t threads, id::TileType type, const digits::BufferView &placed, int64_t runBytes,
                        bool all, bool isInOrder = true) {
    Mapping held = type.getMapping();
    if (!runBytes || (!all && held.numThreads() != threads && held.extent(Field::Reg) <= muchOfThread))
      return type;
    Mapping spread =
        memoryMapping(held, placed, id::elementBytes(type.getElement()), runBytes, threads, isInOrder, target);
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
    id::GatherOp gather = view.gather;
    id::ScatterOp scatter = view.scatter;
    Operation *op = resize ? resize.getOperation() : gather ? gather.getOperation() : scatter.getOperation();
    IRMapping map;
    map.map(op->getOperand(0), buffer);
    return builder.clone(*op, map)->getResult(0);
  }

  /// A value that a kernel stores, as a result or a part of one.
  struct PartStore {
    Value value;
    digits::Permutation map;
    digits::BufferView placed;
    bool scattered; // to places that are computed: no run of digits is one of memory
    Value stored = {};
  };

  static PartStore partOf(const FlowStore &store) {
    auto scatters = [](const FlowView &view) { return view.kind == FlowView::Kind::Scatter; };
    return {store.value, store.map, *store.placed(), llvm::any_of(store.views, scatters)};
  }

  /// True for a value that a group makes, or joins of what it makes alone.
  static bool isMadeBy(const FlowGroup &group, Value value) {
    Operation *step = value.getDefiningOp();
    return llvm::is_contained(group.steps, step) &&
           (!group.joined.contains(step) ||
            llvm::all_of(step->getOperands(), [&](Value part) { return isMadeBy(group, part); }));
  }

  /// What a group stores of a value: of one with parts of other groups those that it makes.
  static void addOwnParts(const FlowGroup &group, const FlowStore &store, std::vector<FlowStore> &stores) {
    if (isMadeBy(group, store.value))
      stores.push_back(store);
    else if (Operation *step = store.value.getDefiningOp(); group.joined.contains(step))
      for (Value part : step->getOperands()) {
        auto whole = digits::Permutation::identity(static_cast<int>(id::radicesOf(part.getType()).size()));
        addOwnParts(group, {part, whole, part}, stores);
      }
  }
  static void storeOwnParts(FlowGroup &group) {
    if (group.partsOfOthers().empty())
      return;
    std::vector<FlowStore> stores;
    for (const FlowStore &store : group.stores)
      addOwnParts(group, store, stores);
    group.stores = std::move(stores);
  }

  /// A value that a kernel stores, or that is joined of such values.
  Value joinedValue(Value value) {
    if (Value buffer = buffers.lookup(value))
      return buffer;
    Operation *step = value.getDefiningOp();
    const Placement placement = *placementOf(step);
    SmallVector<Value> parts;
    for (int operand : placement.order)
      parts.push_back(joinedValue(step->getOperand(operand)));
    int64_t digit = cast<id::NodeOp>(step).getDigits()[0];
    joins.push_back(id::JoinOp::create(builder, step->getLoc(), value.getType(), digit, parts));
    return buffers[value] = joins.back()->getResult(0);
  }

  static void addParts(const FlowGroup &group, const FlowStore &store, SmallVectorImpl<PartStore> &parts) {
    Operation *step = store.value.getDefiningOp();
    if (!step || !group.joined.contains(step)) {
      parts.push_back(partOf(store));
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
  Value joinedOf(const FlowGroup &group, Value value, bool whole, ArrayRef<PartStore> &parts, Location loc) {
    Operation *step = value.getDefiningOp();
    if (whole || !step || !group.joined.contains(step)) {
      Value stored = parts.front().stored;
      parts = parts.drop_front();
      return stored;
    }
    SmallVector<Value> operands;
    const Placement placement = *placementOf(step);
    for (int operand : placement.order)
      operands.push_back(joinedOf(group, step->getOperand(operand), whole, parts, loc));
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

  /// The kernel of a group. Its results hold what that stores.
  id::KernelOp kernel(FlowGroup &group) {
    Location loc = group.steps.empty() ? function.getLoc() : group.steps.front()->getLoc();
    SmallVector<Value> inputs;
    for (const FlowLoad &load : group.loads)
      if (Value buffer = bufferOf(load.from.buffer); buffer && !llvm::is_contained(inputs, buffer))
        inputs.push_back(buffer);
    SmallVector<Type> outputs;
    for (const FlowStore &store : group.stores)
      outputs.push_back(store.type());
    auto launch = id::LaunchAttr::get(context, group.launch);
    auto op = id::KernelOp::create(builder, loc, outputs, nameOf(numKernels++), launch, inputs);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> inputTypes(ValueRange(inputs).getTypes());
    Block *block = builder.createBlock(&op.getBody(), {}, inputTypes, SmallVector<Location>(inputs.size(), loc));
    auto argumentOf = [&](Value buffer) -> Value {
      auto input = llvm::find(inputs, bufferOf(buffer));
      return input == inputs.end() ? buffer : block->getArgument(static_cast<unsigned>(input - inputs.begin()));
    };
    id::YieldOp::create(builder, loc, body(group, argumentOf));
    for (auto [store, result] : llvm::zip(group.stores, op.getResults()))
      if (!group.ofChains && (!group.steps.empty() || program.copied.contains(store.made))) // else it stays where it is
        buffers[store.made] = result;
    return op;
  }

  /// Loads, steps and stores of a group, at the end of a kernel that is being built; what it stores. `argumentOf`: the
  /// buffer of a load.
  SmallVector<Value> body(FlowGroup &group, function_ref<Value(Value)> argumentOf) {
    Location loc = group.steps.empty() ? function.getLoc() : group.steps.front()->getLoc();
    // What not all threads hold goes through memory, and so do bits where addresses are sums; how one value that all
    // threads hold is to move else is planned later.
    auto exchanged = [&](Type type, Value tile) -> Value {
      auto mappingOf = [](Type tile) { return cast<id::TileType>(tile).getMapping(); };
      const Mapping before = mappingOf(tile.getType()), after = mappingOf(type);
      const bool inThread = before.threads() == after.threads() && before[Field::Rank] == after[Field::Rank];
      const bool isPlanned = group.ofBits || !id::areBits(cast<id::TileType>(type).getRadices()) || inThread;
      const auto kind = group.ofChains && isPlanned ? id::ExchangeKind::Unplanned : id::ExchangeKind::Shared;
      return id::ExchangeOp::create(builder, loc, type, tile, kind, id::LayoutAttr(), ArrayAttr());
    };
    int64_t threads = threadsOf(group);
    // Where threads hold all of it, what is joined is a tile.
    bool joinsTiles = group.loadRuns && holdsAll(group) && group.partsOfOthers().empty();
    SmallVector<PartStore> parts;
    for (const FlowStore &store : group.stores) {
      if (joinsTiles)
        parts.push_back(partOf(store));
      else
        addParts(group, store, parts);
    }
    auto store = [&](Value made, Value tile) {
      for (PartStore &store : parts) {
        if (!group.steps.empty() && store.value != made)
          continue;
        auto type = cast<id::TileType>(tile.getType());
        const Mapping &held = type.getMapping();
        const bool isMuch = held.numThreads() * held.extent(Field::Reg) * id::elementBytes(type.getElement()) >=
                            threads * target.vectorBytes; // an access of each thread, at least
        id::TileType spread =
            group.storeMapping ? tileType(group, type.getElement(), group.loads.front().axes, *group.storeMapping)
                               : inMemory(threads, type, store.placed, store.scattered ? 0 : group.storeRuns, isMuch);
        Value moved = spread == type ? tile : exchanged(spread, tile);
        auto sequence = id::SeqType::get(context, type.getRadices(), type.getElement());
        store.stored = id::StoreOp::create(builder, loc, movedType(sequence, store.map), moved,
                                           id::PermAttr::get(context, store.map), group.storeStaged);
      }
    };
    std::vector<std::pair<const FlowLoad *, Value>> spreads; // tiles that all threads took in runs
    auto load = [&](int number, int level) -> Value {
      const FlowLoad &from = group.loads[number];
      Value buffer = argumentOf(from.from.buffer);
      for (const FlowView &view : from.from.views)
        buffer = viewed(buffer, view, loc);
      id::TileType type = tileType(group, id::elementOf(buffer.getType()), from.axes, level), spread = type;
      if (from.mapping)
        spread = tileType(group, type.getElement(), from.axes, *from.mapping);
      else if (!from.from.isRepeated()) { // else what is alike in several lanes is fetched once for all of them
        // Of a level the threads may be fewer than the block's. Constants lie as those who take them count.
        const Mapping &ofLevel = group.levels[static_cast<size_t>(level)];
        const bool isOrdered = isConstant(from.from.buffer);
        spread = inMemory(threads, type, from.from.followed(), group.loadRuns,
                          type.getMapping().numThreads() == ofLevel.numThreads() && !isOrdered,
                          !from.from.hasScatteredElements() && !isOrdered);
      }
      for (const auto &[other, before] : spreads)
        if (other->from == from.from && before.getType() == spread && group.launch.team == 1)
          return spread == type ? before : exchanged(type, before);
      Value tile =
          id::LoadOp::create(builder, loc, spread, buffer, id::PermAttr::get(context, from.from.map), from.staged);
      if (spread != type && spread.getMapping().numThreads() == threads)
        spreads.emplace_back(&from, tile);
      return spread == type ? tile : exchanged(type, tile);
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
    auto loadHere = [&](int number) {
      auto known = loaded.find(number);
      if (known == loaded.end() || !isHere(known->second)) {
        // What is needed again when others have been waited for stays in the block meanwhile.
        bool kept = known != loaded.end() && known->second.level == level && known->second.afterwards != afterwards;
        Value tile = kept ? exchanged(known->second.tile.getType(), known->second.tile) : load(number, level);
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
        Value tile = exchanged(type, held.tile);
        known = moved.insert_or_assign({value, level}, Held{tile, level, section, afterwards}).first;
      }
      return known->second.tile;
    };
    // From computed places.
    std::vector<std::pair<FlowValue, Held>> fetched;
    auto fetchedHere = [&](const FlowValue &from, ArrayRef<int> axes) {
      id::TileType type = tileType(group, id::elementOf(from.buffer.getType()), axes, level);
      for (const auto &[value, held] : fetched)
        if (value == from && held.tile.getType() == type && isHere(held))
          return held.tile;
      Value tile = fetch(builder, loc, from, made.lookup(from.buffer).tile, type);
      fetched.emplace_back(from, Held{tile, level, section, afterwards});
      return tile;
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
      auto operandHere = [&](OpOperand &operand) -> Value {
        auto number = group.loadOf.find({step, operand.getOperandNumber()});
        if (number != group.loadOf.end())
          return loadHere(number->second);
        FlowValue from = program.resolve(operand.get());
        if (group.fetched.contains({step, operand.getOperandNumber()}))
          return fetchedHere(from, group.axesOf(step, operand.get()));
        return renamed(valueHere(from.buffer), from.map, group.axes[from.buffer]);
      };
      // What chains make is exchanged where its level begins, ahead of what else is loaded.
      for (OpOperand &operand : step->getOpOperands()) {
        auto number = group.loadOf.find({step, operand.getOperandNumber()});
        if (group.ofChains && (number == group.loadOf.end() || number->second == 0))
          (void)operandHere(operand);
      }
      SmallVector<Value> operands;
      for (OpOperand &operand : step->getOpOperands())
        operands.push_back(operandHere(operand));
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
      stored.push_back(joinedOf(group, store.value, joinsTiles, rest, loc));
      for (const FlowView &view : store.views)
        stored.back() = viewed(stored.back(), view, loc);
    }
    return stored;
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
