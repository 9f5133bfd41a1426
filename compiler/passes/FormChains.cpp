// Input: digit flow. Output: the same function; every op of a chain has the chain's number (`id.chain`), every other
// step that of its group (`id.group`), which are one numbering in the order in which they begin.
//
// An op joins the chain whose last value it takes, when it is that value's only use and both qualify; of several such
// chains the one with most nodes, the others end. `id.carrier` says which operand that is, where there are several. A
// permutation that ends a chain becomes the chain's; so do a crop and a scatter, and what a chain takes may be padded,
// cropped or gathered: where digits are not all bits, or a block holds all of them. What joins no chain is a group of
// one step; Groups.cpp puts groups together. Chains that are better made otherwise become groups at the end: so do all
// where a block has room for what they make and fewer kernels are left then, such as those whose values others take
// from computed places; but those that take no kernel more stay. A result from computed places of what steps make gets
// a step that does nothing, for a kernel to do with them.
//
// Chains are what the planners of the target take: binary digits of nodes that its registers hold, and digits of other
// radices where a block has room for tiles of them, of `maxMixedBytes`. Without a target nothing is too large.
#include "compiler/passes/GroupPlanner.h"
#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"

#include "id/Devices.h"

#include "llvm/ADT/SmallSet.h"

#include <limits>

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_FORMCHAINS
#include "compiler/passes/Passes.h.inc"

namespace {

//===--- what a chain takes ---------------------------------------------------------------------------------------===//

/// A sequence whose digits a mapping can spread: radix 2 or, where a block has room for tiles of others, small radices;
/// elements of numbers of one size.
bool isSpreadable(Type type, int64_t maxMixedBytes) {
  constexpr int32_t maxRadix = 61; // larger digits would fill a thread, or leave too many threads
  auto sequence = cast<id::SeqType>(type);
  Type number;
  int count;
  return id::splitNumbers(sequence.getElement(), number, count) &&
         (id::areBits(sequence.getRadices()) ||
          (maxMixedBytes > 0 && llvm::all_of(sequence.getRadices(), [](int32_t radix) { return radix <= maxRadix; })));
}

/// True when the op may be a step of a chain. `looksUp`: roots of unity of exponents that are known at run time, or too
/// long for tables of a few digits, are looked up by the exponent's value.
bool isChainStep(Operation *op, int64_t maxMixedBytes, bool looksUp) {
  if (!isa<id::TwiddleOp, id::PointwiseOp, id::NodeOp>(op) || op->getNumResults() != 1 ||
      (op->getNumOperands() != 1 && !isa<id::PointwiseOp>(op)))
    return false;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (!isSpreadable(to, maxMixedBytes) || !llvm::all_of(op->getOperandTypes(), [&](Type type) {
        return isSpreadable(type, maxMixedBytes) && id::radicesOf(type) == id::radicesOf(to);
      }))
    return false;
  // Nodes on records that no thread can hold are left to groups, which take a program's values one by one.
  constexpr int64_t maxNodeBytes = 512;
  if (auto node = dyn_cast<id::NodeOp>(op); node && isa<id::RecordType>(id::elementOf(from)))
    if (node.getArity() * std::max(id::registerBytes(id::elementOf(from)), id::registerBytes(id::elementOf(to))) >
        maxNodeBytes)
      return false;
  auto hasTables = [&](const digits::Polynomial &exponent) {
    return llvm::all_of(exponent.monomials(), [&](const auto &term) {
      int64_t entries = 1;
      for (int digit : term.first)
        entries = std::min(entries * id::radicesOf(from)[digit - 1], int64_t(2) << maxMonomialDigits);
      return entries <= int64_t(1) << maxMonomialDigits;
    });
  };
  if (auto twiddle = dyn_cast<id::TwiddleOp>(op))
    return hasTables(twiddle.getExponent().getPolynomial());
  WalkResult result = op->walk([&](id::OmegaOp omega) {
    bool found = looksUp || (!omega.getDynamic() && hasTables(omega.getExponent().getPolynomial()));
    return found ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// What a thread that does the steps of a chain holds at least.
struct ChainWidth {
  int digits = 0;            // of the widest node
  int64_t registerBytes = 0; // of the widest element
};

/// The width of a chain, or, without one, of what begins with `operand`, once the operand's op is part of it.
ChainWidth widthWith(const ChainWidth *chain, OpOperand &operand) {
  ChainWidth width = chain ? *chain : ChainWidth{0, id::registerBytes(id::elementOf(operand.get().getType()))};
  Operation *op = operand.getOwner();
  if (auto node = dyn_cast<id::NodeOp>(op))
    width.digits = std::max(width.digits, static_cast<int>(node.getDigits().size()));
  width.registerBytes = std::max(width.registerBytes, id::registerBytes(id::elementOf(op->getResult(0).getType())));
  return width;
}

/// The digits that the nodes of a chain act on.
llvm::SmallSet<int, 8> digitsOfNodes(const FlowChain &chain) {
  llvm::SmallSet<int, 8> digits;
  for (const FlowStep &step : chain.steps)
    for (int digit : digitsOf(step.node))
      digits.insert(digit);
  return digits;
}

/// True for digits of other radices that one thread's registers, so many words, hold together: a group needs no
/// exchange for them.
bool fitsThread(const FlowChain &chain, int64_t maxWords) {
  int64_t words = id::registerBytes(chain.type.getElement()) / 4;
  for (int digit : digitsOfNodes(chain))
    words = std::min(words * chain.type.getRadices()[digit - 1], 2 * maxWords);
  return words <= maxWords;
}

/// True where nodes act on all digits of a chain without views.
bool actsOnAll(const FlowChain &chain) {
  return digitsOfNodes(chain).size() == static_cast<size_t>(chain.type.getNumDigits()) && !chain.hasViews();
}

/// True for digits of other radices than 2 that tiles of so many bytes can hold, step by step. What only moves or
/// changes values needs no tiles.
bool hasTiles(const FlowChain &chain, int64_t maxMixedBytes) {
  const int64_t mostElements = maxMixedBytes / id::registerBytes(chain.type.getElement());
  auto fits = [&](const FlowStep &step) {
    int64_t elements = 1;
    for (int digit : digitsOf(step.node)) {
      const int64_t radix = chain.type.getRadices()[digit - 1];
      if (elements > mostElements / radix)
        return false;
      elements *= radix;
    }
    return elements <= mostElements;
  };
  return llvm::all_of(chain.steps, fits) && (!chain.steps.empty() || chain.type.getNumElements() <= mostElements);
}

//===--- the walk -------------------------------------------------------------------------------------------------===//

/// Steps of programs for which groups are tried instead of chains: each is laid out with those before it. In longer
/// ones views of what the program makes are left to groups.
constexpr int mostSteps = 4096;
bool isShort(Block &block) {
  auto ops = block.without_terminator();
  return std::distance(ops.begin(), ops.end()) <= mostSteps;
}

class ChainFinder {
public:
  /// `target`: null for none. `takesLongViews`: of bits, of more elements than two blocks hold, on one device.
  ChainFinder(Block &block, const Target *target, bool takesLongViews = true)
      : block(block), target(target),
        takesLongViews(takesLongViews && id::devicesOf(cast<func::FuncOp>(block.getParentOp())) == 1),
        takesOwnViews(isShort(block)),
        maxMixedBytes(target ? target->maxMixedBytes : std::numeric_limits<int64_t>::max()) {}

  FlowProgram run() {
    for (Operation &op : block.without_terminator())
      add(op);
    // Kernels of groups have values of several such chains together.
    if (takesLongViews && hasSeveralLong())
      return ChainFinder(block, target, false).run();
    dissolveChains();
    return program;
  }

  /// The same with a group for every step, but for those of some chains, which are named by their first op.
  FlowProgram runWithoutChains(const DenseSet<Operation *> &kept) {
    FlowProgram found = run();
    std::vector<FlowSegment> segments;
    for (FlowSegment &segment : found.segments) {
      if (!segment.chain || kept.contains(segment.chain->ops().front())) {
        segments.push_back(std::move(segment));
        continue;
      }
      makeGroup(segment);
      for (Operation *step : segment.group.steps)
        segments.emplace_back().group.steps.push_back(step);
    }
    found.segments = std::move(segments);
    return found;
  }

private:
  Block &block;
  const Target *target;
  const bool takesLongViews;
  const bool takesOwnViews; // of what the program makes
  const int64_t maxMixedBytes;
  FlowProgram program;
  DenseMap<Value, size_t> open;   // chains by their last value
  DenseMap<Value, size_t> ended;  // the same of those that a permutation or a view has ended
  std::vector<ChainWidth> widths; // of the segments that are chains
  // What is made of digits that were made longer for groups is left to them: a chain behind one would be a kernel more.
  DenseSet<Value> padded;

  FlowChain &chain(size_t index) { return *program.segments[index].chain; }
  /// The open chain that a use would go on with.
  std::optional<size_t> chainOf(Value value) const {
    auto found = open.find(value);
    return found != open.end() && value.hasOneUse() ? std::optional(found->second) : std::nullopt;
  }
  /// True when the registers that hold a chain can do the operand's op, too. (Digits of other radices: maxMixedBytes.)
  bool isHeld(std::optional<size_t> chain, OpOperand &operand) const {
    const ChainWidth width = widthWith(chain ? &widths[*chain] : nullptr, operand);
    return !target || !id::areBits(id::radicesOf(operand.get().getType())) ||
           width.digits <= maxNodeDigits(*target, width.registerBytes);
  }

  void add(Operation &op) {
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return padded.contains(operand); }) ||
        op.hasAttr(paddedDigitAttr))
      padded.insert(op.result_begin(), op.result_end());
    if (auto permute = dyn_cast<id::PermuteOp>(op)) {
      if (std::optional<size_t> own = chainOf(permute.getInput()))
        end(*own, permute);
      else
        program.moved.insert(permute.getResult());
    } else if (std::optional<size_t> own = storedBy(op)) {
      end(*own, &op);
    } else if (isa<id::RepeatOp, id::ResizeOp, id::GatherOp>(op)) {
      program.moved.insert(op.getResult(0));
    } else if (isa<id::ScatterOp>(op)) {
      // A segment of its own puts it into a buffer.
    } else if (OpOperand *carrier = carrierOf(op)) {
      append(op, *carrier);
    } else {
      addSegment().group.steps.push_back(&op);
    }
  }

  void end(size_t index, Operation *last) {
    open.erase(last->getOperand(0));
    ended.erase(last->getOperand(0));
    chain(index).end(last);
    ended[last->getResult(0)] = index;
  }

  bool isView(Value value) const { return program.resolve(value).hasScatteredElements(); }
  bool isOfArgument(Value value) const { return isa<BlockArgument>(program.resolve(value).buffer); }
  bool hasViews(const FlowChain &chain) const { return chain.storesScattered() || isView(chain.source); }
  /// True for digits, and places in memory, that are bits.
  bool isOfBits(const FlowChain &chain) const { return id::areBits(chain.type.getRadices()) && !hasViews(chain); }

  /// True for sequences of bits that two blocks do not hold.
  bool isLong(Type sequence) const {
    auto type = cast<id::SeqType>(sequence);
    return target && id::areBits(type.getRadices()) &&
           type.getNumElements() > 2 * target->sharedBytesBesideCache / id::registerBytes(type.getElement());
  }

  /// True for sequences that chains load and store as views, of a GPU, whose addresses may be sums. `moves`: their
  /// elements are not only left out.
  bool takesViews(Type sequence, bool moves) const {
    return target && maxMixedBytes != 0 && target->kind != "cpu" && ((takesLongViews && !moves) || !isLong(sequence));
  }

  /// True for a view through a gather.
  static bool isGathered(Value value) {
    for (Operation *view = value.getDefiningOp();
         isa_and_nonnull<id::PermuteOp, id::RepeatOp, id::ResizeOp, id::GatherOp>(view);
         view = view->getOperand(0).getDefiningOp())
      if (isa<id::GatherOp>(view))
        return true;
    return false;
  }

  /// True where several chains do steps, and one of them has long views.
  bool hasSeveralLong() const {
    size_t chains = 0;
    bool isOne = false;
    for (const FlowSegment &segment : program.segments)
      if (segment.chain && !segment.chain->steps.empty()) {
        ++chains;
        isOne |= hasViews(*segment.chain) && isLong(segment.chain->type);
      }
    return isOne && chains > 1;
  }

  /// True for sequences of other radices than 2 that a block of a CPU holds as a whole, and for all others.
  bool hasTile(Type sequence) const {
    auto type = cast<id::SeqType>(sequence);
    return !target || target->kind != "cpu" || id::areBits(type.getRadices()) ||
           type.getNumElements() <= maxMixedBytes / id::registerBytes(type.getElement());
  }

  /// The chain whose last kernel stores what this makes of its value: a part of it, or the same at computed places.
  std::optional<size_t> storedBy(Operation &op) {
    auto resize = dyn_cast<id::ResizeOp>(op);
    if ((!isa<id::ScatterOp>(op) && (!resize || resize.pads())) || !op.getOperand(0).hasOneUse())
      return std::nullopt;
    auto found = ended.find(op.getOperand(0));
    std::optional<size_t> index = found != ended.end() ? std::optional(found->second) : chainOf(op.getOperand(0));
    if (!index)
      return std::nullopt;
    FlowChain stored = chain(*index);
    stored.end(&op);
    if (stored.storesScattered() && !takesViews(stored.type, isa<id::ScatterOp>(op)))
      return std::nullopt;
    return stored.stored().placed() ? index : std::nullopt;
  }

  FlowSegment &addSegment() {
    widths.emplace_back();
    return program.segments.emplace_back();
  }

  /// The operand that carries a chain on, or starts one: of an open chain, the one with most nodes, or one that is not
  /// repeated. Null when the op is no step of a chain.
  OpOperand *carrierOf(Operation &op) {
    const bool loadable = llvm::none_of(op.getOperands(), [&](Value operand) {
      return padded.contains(operand) || (isView(operand) && !(takesViews(operand.getType(), isGathered(operand)) &&
                                                               (takesOwnViews || isOfArgument(operand))));
    });
    const bool looksUp = target && target->kind != "cpu"; // chains of a CPU have tables alone
    if (!loadable || op.hasAttr(heldAttr) || !isChainStep(&op, maxMixedBytes, looksUp) ||
        !llvm::all_of(llvm::concat<Value>(SmallVector<Value>(op.getOperands()), SmallVector<Value>(op.getResults())),
                      [&](Value value) { return hasTile(value.getType()); }))
      return nullptr;
    OpOperand *carrier = nullptr;
    std::optional<size_t> mostNodes; // of an open chain
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isHeld(std::nullopt, operand))
        continue;
      std::optional<size_t> index = goesOn(operand);
      const size_t nodes = index ? chain(*index).steps.size() : 0;
      const bool better = index && (!mostNodes || nodes >= *mostNodes);
      if (!better && (carrier || program.resolve(operand.get()).isRepeated()))
        continue;
      carrier = &operand;
      mostNodes = index ? std::optional(nodes) : std::nullopt;
    }
    return carrier;
  }

  /// The chain that an operand's op can go on with.
  std::optional<size_t> goesOn(OpOperand &operand) const {
    std::optional<size_t> index = chainOf(operand.get());
    return index && isHeld(index, operand) ? index : std::nullopt;
  }

  void append(Operation &op, OpOperand &carrier) {
    std::optional<size_t> index = goesOn(carrier);
    if (!index) {
      index = program.segments.size();
      addSegment().chain.emplace(carrier.get());
    }
    FlowChain &own = chain(*index);
    const bool begins = own.result == own.source;
    widths[*index] = widthWith(begins ? nullptr : &widths[*index], carrier);
    open.erase(own.result);
    own.append(&op, carrier.getOperandNumber());
    open[own.result] = *index;
  }

  //===--- what becomes a group after all -------------------------------------------------------------------------===//

  void makeGroup(FlowSegment &segment) {
    FlowChain &chain = *segment.chain;
    for (Operation *last : chain.endings)
      if (!isa<id::ScatterOp>(last))
        program.moved.insert(last->getResult(0));
    SmallVector<Operation *> ops = chain.ops();
    segment = FlowSegment();
    segment.group.steps = std::move(ops);
  }

  /// Chains that are better made otherwise become groups: those of other radices that need no exchange, unless their
  /// nodes act on all digits, or have no tiles; next to a group, where they are a few more steps of it, those with
  /// larger nodes, and those without nodes.
  void dissolveChains() {
    constexpr int64_t ownWords = 32, sharedWords = 96;
    auto isFewSteps = [&](const FlowChain &chain) {
      return chain.steps.empty() ? !chain.after.empty() : !isOfBits(chain) && fitsThread(chain, sharedWords);
    };
    for (FlowSegment &segment : program.segments)
      if (segment.chain && !isOfBits(*segment.chain) &&
          ((fitsThread(*segment.chain, ownWords) && !actsOnAll(*segment.chain)) ||
           !hasTiles(*segment.chain, maxMixedBytes)))
        makeGroup(segment);
    bool changed = true;
    while (changed) {
      changed = false;
      DenseMap<Value, bool> madeByGroup; // buffer -> whether a group makes it
      for (FlowSegment &segment : program.segments)
        for (Operation *step : segment.group.steps)
          for (Value result : step->getResults())
            madeByGroup[result] = true;
      DenseSet<Value> takenByGroup;
      for (FlowSegment &segment : program.segments)
        for (Operation *step : segment.group.steps)
          for (Value operand : step->getOperands())
            takenByGroup.insert(program.resolve(operand).buffer);
      for (FlowSegment &segment : program.segments) {
        if (!segment.chain || !isFewSteps(*segment.chain))
          continue;
        FlowChain &chain = *segment.chain;
        bool takesFromGroup = llvm::any_of(chain.after, [&](Operation *step) {
          return llvm::any_of(step->getOperands(),
                              [&](Value value) { return madeByGroup.lookup(program.resolve(value).buffer); });
        });
        if (!takesFromGroup && !takenByGroup.contains(chain.result))
          continue;
        makeGroup(segment);
        changed = true;
      }
    }
  }
};

struct FormChains : impl::FormChainsBase<FormChains> {
  using FormChainsBase::FormChainsBase;

  void runOnOperation() override {
    std::optional<Target> machine;
    if (!target.empty() && !(machine = findTarget(target, getOperation())))
      return signalPassFailure();
    const Target *target = machine ? &*machine : nullptr;
    Block &block = getOperation().getBody().front();
    const bool hasBlocks = target && target->kind != "cpu";
    if (hasBlocks)
      (void)addCopies(block, [](Value value) { return isComputed(value) && !isStorable(value); });
    const FlowProgram formed = ChainFinder(block, target).run();
    note(formed);
    if (!hasBlocks || !dissolve || !couldBeFewer())
      return;
    const bool hasChains = llvm::any_of(formed.segments, [](const FlowSegment &segment) { return segment.chain; });
    if (!hasChains && llvm::none_of(block.getTerminator()->getOperands(), isMoved))
      return;
    const std::optional<bool> given = numbersChains();
    if (given.value_or(false))
      return;
    const size_t apart = given ? std::numeric_limits<size_t>::max() : halfKernels(*target);
    if (apart == 2)
      return;
    SmallVector<Operation *> copies;
    if (keepChains(block, *target, copies) + 1 < apart) // a kernel less
      return;
    dropCopies(copies);
    note(ChainFinder(block, target).run());
  }

private:
  /// True for a view of what a step makes, whose elements an exchange can find.
  static bool isComputed(Value value) {
    bool computed = false;
    while (Operation *view = value.getDefiningOp()) {
      if (!isa<id::PermuteOp, id::RepeatOp, id::ResizeOp, id::GatherOp>(view))
        return computed && !isa<id::ScatterOp>(view);
      auto permute = dyn_cast<id::PermuteOp>(view);
      computed |= !permute || permute.getMap().getPermutation().hasComplement();
      value = view->getOperand(0);
    }
    return false;
  }

  /// True for a result that is a permutation of what is no scatter.
  static bool isMoved(Value value) {
    auto permute = value.getDefiningOp<id::PermuteOp>();
    return permute && !permute.getInput().getDefiningOp<id::ScatterOp>();
  }

  /// True where chains end since groups, or several steps, take their values, or one from computed places.
  bool couldBeFewer() {
    Block &block = getOperation().getBody().front();
    auto ops = block.without_terminator();
    return isShort(block) && llvm::any_of(ops, [](Operation &op) {
             if (!isa<id::TwiddleOp, id::PointwiseOp, id::NodeOp>(op))
               return false;
             return op.hasAttr(groupAttr) || llvm::any_of(op.getOperands(), isComputed) ||
                    llvm::any_of(op.getResults(),
                                 [](Value result) { return !result.use_empty() && !result.hasOneUse(); });
           });
  }

  /// Puts steps that do nothing behind some of the results.
  static SmallVector<Operation *> addCopies(Block &block, llvm::function_ref<bool(Value)> isWanted) {
    Operation *end = block.getTerminator();
    OpBuilder b(end);
    SmallVector<Operation *> copies;
    for (OpOperand &result : end->getOpOperands()) {
      Value value = result.get();
      if (!isWanted(value))
        continue;
      result.set(heldCopy(b, value));
      copies.push_back(result.get().getDefiningOp());
    }
    return copies;
  }
  /// True for a view that a store can make: elements are left out at most.
  static bool isStorable(Value value) {
    Operation *view = value.getDefiningOp();
    if (!isa_and_nonnull<id::PermuteOp, id::RepeatOp, id::ResizeOp, id::GatherOp>(view))
      return true;
    auto resize = dyn_cast<id::ResizeOp>(view);
    return !isa<id::GatherOp, id::RepeatOp>(view) && !(resize && resize.pads()) && isStorable(view->getOperand(0));
  }

  /// Whether a schedule that the function has was written for chains, whose steps come first: no kernel mixes them with
  /// others, and none has more steps than there are. Nothing without a schedule.
  std::optional<bool> numbersChains() {
    auto attribute = getOperation()->getAttrOfType<ArrayAttr>("id.schedule");
    Schedule schedule;
    std::string error;
    if (!attribute || !fromAttribute(attribute, {}, schedule, error))
      return std::nullopt;
    FailureOr<FlowProgram> program = segmentsOf(getOperation());
    if (failed(program))
      return std::nullopt;
    const int last = program->numSteps + static_cast<int>(program->outside.size());
    return llvm::all_of(schedule.kernels, [&](const KernelPlan &kernel) {
      const bool mixes = kernel.firstStep() <= program->numSteps && kernel.lastStep() > program->numSteps;
      return !kernel.hasSteps() || (kernel.lastStep() <= last && !mixes);
    });
  }

  /// The kernels that a chain takes at least: a block holds so much of what nodes act on, and where these digits are
  /// not those of the lowest addresses its cluster holds further columns instead: of digits other than bits a sector.
  static size_t kernelsOf(const FlowChain &chain, const Target &target) {
    DenseSet<int> acted;
    for (const FlowStep &step : chain.steps)
      for (int digit : digitsOf(step.node))
        acted.insert(digit);
    auto radix = [&](int digit) { return int64_t(chain.type.getRadices()[static_cast<size_t>(digit) - 1]); };
    int64_t values = 1;
    for (int digit : acted)
      values *= radix(digit);
    const std::vector<int> order = chain.input.followed().addressOrder();
    if (order.empty() || acted.contains(order.front()))
      return 1;
    const int64_t bytes = id::registerBytes(chain.type.getElement());
    const bool bits = id::areBits(chain.type.getRadices());
    int64_t columns = 1;
    for (int digit : order)
      if (!bits && !acted.contains(digit) && columns * bytes < target.sectorBytes)
        columns *= radix(digit);
    const int64_t held = (bits ? target.tileBytes : target.maxMixedBytes) / bytes;
    size_t kernels = 1;
    for (; values * columns > held; values = llvm::divideCeil(values * columns, held))
      ++kernels;
    return kernels;
  }

  /// What a kernel of a group waits, as a share of the time of its bytes.
  static double waitedShare(const KernelCost &kernel) {
    double bytes = 0;
    for (const auto &[name, count] : kernel.counted)
      bytes += name == "reads" || name == "writes" ? count : 0;
    return bytes > 0 ? kernel.cost / bytes - 1 : 0;
  }

  /// The kernels that the best plan makes of what note() has written, those of a chain at least, in halves.
  size_t halfKernels(const Target &target) {
    FailureOr<FlowProgram> program = segmentsOf(getOperation());
    if (failed(program))
      return std::numeric_limits<size_t>::max();
    std::vector<Candidate> best;
    (void)planGroups(*program, target, Plan::Throughput, 0, 1, best);
    size_t kernels = 0;
    for (const FlowSegment &segment : program->segments)
      kernels += segment.chain ? kernelsOf(*segment.chain, target) : 1;
    kernels *= 2;
    // One that waits as long as others would take counts as much.
    if (!best.empty())
      for (const KernelCost &kernel : best.front().cost.kernels)
        kernels += static_cast<size_t>(2 * waitedShare(kernel));
    return kernels;
  }

  /// Makes groups of all chains but those that take no kernel more. `copies`: of results that groups make and move, to
  /// do that there. Returns the number of kernels, in halves.
  size_t keepChains(Block &block, const Target &target, SmallVectorImpl<Operation *> &copies) {
    SmallVector<std::pair<Operation *, Value>> chains; // with nodes: the first op, and what the last one makes
    for (const FlowSegment &segment : ChainFinder(block, &target).run().segments)
      if (segment.chain && !segment.chain->steps.empty()) {
        const SmallVector<Operation *> ops = segment.chain->ops();
        chains.emplace_back(ops.front(), ops.back()->getResult(0));
      }
    DenseSet<Operation *> kept;
    DenseSet<Value> made; // by these
    auto write = [&] {
      dropCopies(copies);
      copies = addCopies(
          block, [&](Value value) { return isMoved(value) && !made.contains(value.getDefiningOp()->getOperand(0)); });
      note(ChainFinder(block, &target).runWithoutChains(kept));
    };
    write();
    size_t kernels = halfKernels(target);
    constexpr size_t mostTried = 16; // each is a plan of all groups
    if (kernels == 2 || chains.size() > mostTried)
      return kernels;
    for (auto [first, last] : chains) {
      kept.insert(first);
      made.insert(last);
      write();
      if (const size_t with = halfKernels(target); with <= kernels) {
        kernels = with;
        continue;
      }
      kept.erase(first);
      made.erase(last);
    }
    write();
    return kernels;
  }

  static void dropCopies(SmallVectorImpl<Operation *> &copies) {
    for (Operation *copy : copies) {
      copy->replaceAllUsesWith(copy->getOperands());
      copy->erase();
    }
    copies.clear();
  }

  /// Writes the segments to the ops.
  void note(const FlowProgram &program) {
    forgetSegments(getOperation());
    Builder b(&getContext());
    for (auto [number, segment] : llvm::enumerate(program.segments)) {
      const IntegerAttr own = b.getI64IntegerAttr(static_cast<int64_t>(number));
      for (Operation *step : segment.group.steps)
        step->setAttr(groupAttr, own);
      if (!segment.chain)
        continue;
      for (Operation *step : segment.chain->ops())
        step->setAttr(chainAttr, own);
      for (auto [step, carrier] : segment.chain->carriers)
        step->setAttr(carrierAttr, b.getI64IntegerAttr(carrier));
      for (Operation *last : segment.chain->endings)
        last->setAttr(chainAttr, own);
    }
  }
};

} // namespace
} // namespace idc::passes
