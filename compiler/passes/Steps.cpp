// Walks a function in digit flow and groups its ops.
//
// An op joins the chain whose last value it takes, when it is that value's only use and both qualify; of several such
// chains the one with most nodes, the others end. A permutation that ends a chain becomes the chain's. Permutations
// elsewhere, and repetitions, belong to the loads of whoever uses them. What joins no chain is a group of one step;
// Groups.cpp puts groups together.
#include "compiler/passes/Steps.h"

#include "compiler/passes/Planner.h"

#include "llvm/ADT/SmallSet.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::passes;

int64_t passes::sequenceBytes(Type type) {
  auto sequence = cast<id::SeqType>(type);
  return sequence.getNumElements() * id::elementBytes(sequence.getElement());
}

int passes::fullDigits(Operation *step) {
  size_t n = 0;
  for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults()))
    n = std::max(n, id::radicesOf(value.getType()).size());
  return static_cast<int>(n);
}

SmallVector<int> passes::placesOf(Operation *step, Value value) {
  size_t n = fullDigits(step), own = id::radicesOf(value.getType()).size();
  auto node = dyn_cast<id::NodeOp>(step);
  SmallVector<int> places;
  for (int digit = 1; digit <= static_cast<int>(n) && places.size() < own; ++digit)
    if (!node || own == n || !llvm::is_contained(node.getDigits(), digit))
      places.push_back(digit);
  return places;
}

std::optional<Placement> passes::placementOf(Operation *step) {
  auto node = dyn_cast<id::NodeOp>(step);
  if (!node || node.getDigits().size() != 1 || !llvm::hasSingleElement(node.getBody().front()))
    return std::nullopt;
  size_t arity = static_cast<size_t>(node.getArity());
  Placement placement;
  placement.joins = node.getInputs().size() == arity && node.getOutputs().size() == 1;
  if (!placement.joins && node.getInputs().size() != 1)
    return std::nullopt;
  ValueRange singles = placement.joins ? ValueRange(node.getInputs()) : ValueRange(node.getOutputs());
  Value whole = placement.joins ? node.getOutputs()[0] : node.getInputs()[0];
  Type element = id::elementOf(whole.getType());
  if (!node.isArray(whole) || llvm::any_of(singles, [&](Value value) {
        return node.isArray(value) || id::elementOf(value.getType()) != element;
      }))
    return std::nullopt;
  size_t leaves = id::leafTypes(element).size();
  ValueRange yielded = node.getBody().front().getTerminator()->getOperands();
  for (size_t i = 0; i < yielded.size(); ++i) {
    auto argument = dyn_cast<BlockArgument>(yielded[i]);
    if (!argument || argument.getArgNumber() % leaves != i % leaves)
      return std::nullopt;
    int from = static_cast<int>(argument.getArgNumber() / leaves);
    if (i % leaves == 0)
      placement.order.push_back(from);
    else if (placement.order.back() != from)
      return std::nullopt;
  }
  return placement;
}

SmallVector<int> passes::digitsOf(id::NodeOp node) {
  if (!node)
    return {};
  return SmallVector<int>(node.getDigits().begin(), node.getDigits().end());
}

/// A sequence whose digits a mapping can spread: radix 2 or, where a block has room for tiles of others, small radices;
/// elements of numbers of one size.
static bool isSpreadable(Type type, int64_t maxMixedBytes) {
  constexpr int32_t maxRadix = 31; // larger digits would fill a thread, or leave too many threads
  auto sequence = cast<id::SeqType>(type);
  Type number;
  int count;
  return id::splitNumbers(sequence.getElement(), number, count) &&
         (id::areBits(sequence.getRadices()) ||
          (maxMixedBytes > 0 && llvm::all_of(sequence.getRadices(), [](int32_t radix) { return radix <= maxRadix; })));
}

/// True when the op may be a step of a chain.
static bool isChainStep(Operation *op, int64_t maxMixedBytes) {
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
  // An exponent known at run time only is looked up by its value.
  WalkResult result = op->walk([&](id::OmegaOp omega) {
    bool found = !omega.getDynamic() && hasTables(omega.getExponent().getPolynomial());
    return found ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

SmallVector<int32_t> FlowView::apply(ArrayRef<int32_t> radices) const {
  if (kind == Kind::Resize) {
    id::ResizeOp op = resize;
    return SmallVector<int32_t>(op.getType().getRadices());
  }
  SmallVector<int32_t> result(radices);
  if (kind == Kind::Part)
    result.erase(result.begin() + (digit - 1));
  else
    for (int place = 1; place <= map.size(); ++place)
      result[place - 1] = radices[map.source(place) - 1];
  return result;
}

SmallVector<int32_t> FlowValue::viewRadices() const {
  SmallVector<int32_t> radices(id::radicesOf(buffer.getType()));
  for (const FlowView &view : views)
    radices = view.apply(radices);
  return radices;
}

static std::vector<int> toVector(ArrayRef<int32_t> radices) { return {radices.begin(), radices.end()}; }

/// Changes a view of a buffer as `change` says; false when it has no such view.
static bool apply(const FlowView &change, digits::BufferView &view) {
  if (change.kind == FlowView::Kind::Part) {
    view.part(change.digit, change.value);
  } else if (change.kind == FlowView::Kind::Move) {
    view.move(change.map);
  } else {
    id::ResizeOp resize = change.resize;
    return view.resize(static_cast<int>(resize.getLowest()),
                       toVector(resize.getType().getRadices().take_front(resize.getNewLowest())));
  }
  return true;
}

digits::BufferView FlowValue::placed() const {
  auto view = digits::BufferView::whole(toVector(id::radicesOf(buffer.getType())));
  for (const FlowView &change : views)
    (void)apply(change, view); // resolve() has tried it
  SmallVector<int32_t> own = viewRadices();
  for (int digit = static_cast<int>(own.size()) + 1; digit <= map.size(); ++digit)
    view.repeat(2); // whatever its radix is
  view.move(map);
  return view;
}

FlowStore FlowStore::of(const FlowValue &from, Value made) {
  int n = static_cast<int>(id::radicesOf(from.buffer.getType()).size());
  FlowStore store{from.buffer, digits::Permutation::identity(n), made, from.views};
  if (!from.map.isIdentity())
    store.views.push_back({FlowView::Kind::Move, 0, 0, from.map});
  if (!store.views.empty() && store.views.front().kind == FlowView::Kind::Move) {
    store.map = store.views.front().map;
    store.views.erase(store.views.begin());
  }
  return store;
}

std::optional<digits::BufferView> FlowStore::placed() const {
  auto view = digits::BufferView::whole(toVector(id::radicesOf(made.getType())));
  for (const FlowView &change : llvm::reverse(views)) {
    if (change.kind == FlowView::Kind::Move) {
      view.move(change.map.inverse());
      continue;
    }
    id::ResizeOp resize = change.resize;
    if (change.kind != FlowView::Kind::Resize || resize.pads() ||
        !view.resize(resize.getNewLowest(),
                     toVector(resize.getInput().getType().getRadices().take_front(resize.getLowest()))))
      return std::nullopt;
  }
  view.move(map.inverse());
  return view;
}

digits::Mapping FlowGroup::mappingOf(ArrayRef<int> axes, int level, int64_t lanes) const {
  std::vector<int> digits;
  for (int axis : axes)
    digits.push_back(axis + 1);
  digits::Mapping mapping = levels[static_cast<size_t>(level)].projected(digits, static_cast<int>(radices.size()));
  mapping.splitThreads(lanes);
  return mapping;
}

FlowValue FlowProgram::resolve(Value value) const {
  if (!moved.contains(value) || copied.contains(value))
    return {value, digits::Permutation::identity(static_cast<int>(id::radicesOf(value.getType()).size()))};
  return sourceOf(value);
}

FlowValue FlowProgram::sourceOf(Value value) const {
  if (!moved.contains(value))
    return resolve(value);
  if (auto repeat = value.getDefiningOp<id::RepeatOp>()) {
    FlowValue from = resolve(repeat.getInput());
    from.map = from.map.extended(repeat.getType().getNumDigits());
    return from;
  }
  if (auto resize = value.getDefiningOp<id::ResizeOp>()) {
    FlowValue from = resolve(resize.getInput());
    if (!from.map.isIdentity())
      from.views.push_back({FlowView::Kind::Move, 0, 0, from.map});
    from.views.push_back({FlowView::Kind::Resize, 0, 0, {}, resize});
    from.map = digits::Permutation::identity(resize.getType().getNumDigits());
    return from;
  }
  if (auto node = value.getDefiningOp<id::NodeOp>()) {
    FlowValue from = resolve(node.getInputs()[0]);
    int digit = static_cast<int>(node.getDigits()[0]), place = from.map.source(digit);
    int part = placementOf(node)->order[cast<OpResult>(value).getResultNumber()];
    if (from.map.complemented(digit))
      part = static_cast<int>(node.getArity()) - 1 - part;
    SmallVector<int> sources, complements;
    for (int d = 1; d <= from.map.size(); ++d)
      if (d != digit) {
        int source = from.map.source(d);
        sources.push_back(source - (source > place));
        if (from.map.complemented(d))
          complements.push_back(static_cast<int>(sources.size()));
      }
    from.map = digits::Permutation::fromSources({sources.begin(), sources.end()});
    for (int d : complements)
      from.map = from.map.then(digits::Permutation::complement(from.map.size(), d));
    from.views.push_back({FlowView::Kind::Part, place, part});
    return from;
  }
  auto permute = value.getDefiningOp<id::PermuteOp>();
  FlowValue from = resolve(permute.getInput());
  from.map = from.map.then(permute.getMap().getPermutation());
  return from;
}

/// A sequence of another length is a view where the digits that change count elements at equal distances, and none of
/// them is repeated.
static bool isView(const FlowProgram &program, id::ResizeOp resize) {
  FlowValue from = program.resolve(resize.getInput());
  if (from.isRepeated())
    return false;
  digits::BufferView view = from.placed();
  return apply({FlowView::Kind::Resize, 0, 0, {}, resize}, view);
}

/// Nodes that take a function's argument apart for groups alone are nothing but other loads.
static void takeApart(FlowProgram &program) {
  auto isForGroups = [&](auto &self, Value value) -> bool {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (isa<id::PermuteOp, id::RepeatOp>(user))
        return program.moved.contains(user->getResult(0)) && self(self, user->getResult(0));
      return llvm::any_of(program.segments, [&](const FlowSegment &segment) {
        return !segment.chain && llvm::is_contained(segment.group.steps, user);
      });
    });
  };
  for (FlowSegment &segment : program.segments) {
    auto &steps = segment.group.steps;
    if (segment.chain || steps.size() != 1 || !segment.group.stores.empty())
      continue;
    Operation *step = steps.front();
    std::optional<Placement> placement = placementOf(step);
    if (!placement || placement->joins)
      continue;
    FlowValue from = program.resolve(step->getOperand(0));
    if (isa<BlockArgument>(from.buffer) && !from.isRepeated() &&
        llvm::all_of(step->getResults(), [&](Value result) { return isForGroups(isForGroups, result); })) {
      program.moved.insert(step->result_begin(), step->result_end());
      steps.clear();
    }
  }
  llvm::erase_if(program.segments, [](const FlowSegment &segment) {
    return !segment.chain && segment.group.steps.empty() && segment.group.stores.empty();
  });
}

/// Segments that name their ops one by one.
static FlowSegment groupOf(ArrayRef<Operation *> steps) {
  FlowSegment segment;
  segment.group.steps.assign(steps.begin(), steps.end());
  return segment;
}

/// A segment that does nothing but put a value into a buffer.
static FlowSegment copyOf(Value value) {
  FlowSegment segment;
  auto whole = digits::Permutation::identity(static_cast<int>(id::radicesOf(value.getType()).size()));
  segment.group.stores.push_back({value, whole, value});
  return segment;
}

/// True for what a group makes and only the function's results are made of, by its stores.
static bool isStoredDirectly(const FlowProgram &program, Value value) {
  FlowValue from = program.resolve(value);
  return llvm::any_of(program.segments,
                      [&](const FlowSegment &segment) {
                        return !segment.chain && llvm::is_contained(segment.group.steps, from.buffer.getDefiningOp());
                      }) &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (isa<func::ReturnOp>(user))
             return FlowStore::of(from, value).placed().has_value();
           return isa<id::PermuteOp, id::ResizeOp>(user) && program.moved.contains(user->getResult(0)) &&
                  isStoredDirectly(program, user->getResult(0));
         });
}

/// Has a value put into a buffer as soon as what it comes from is there.
static void copyFirst(FlowProgram &program, Value value) {
  Value source = program.sourceOf(value).buffer;
  auto makes = [&](const FlowSegment &segment) {
    if (segment.chain)
      return segment.chain->result == source;
    return llvm::is_contained(segment.group.steps, source.getDefiningOp()) ||
           llvm::any_of(segment.group.stores, [&](const FlowStore &store) { return store.made == source; });
  };
  auto maker = llvm::find_if(program.segments, makes);
  program.segments.insert(maker == program.segments.end() ? program.segments.begin() : std::next(maker), copyOf(value));
  program.copied.insert(value);
}

/// True for what a chain can load.
static bool isWholeBuffer(const FlowValue &value) { return !value.isRepeated() && !value.isResized(); }

static void makeGroup(FlowProgram &program, FlowSegment &segment) {
  FlowChain &chain = *segment.chain;
  if (chain.permute)
    program.moved.insert(chain.permute.getResult());
  SmallVector<Operation *> ops;
  for (FlowStep &step : chain.steps) {
    llvm::append_range(ops, step.before);
    ops.push_back(step.node);
  }
  llvm::append_range(ops, chain.after);
  segment = groupOf(ops);
}

/// True for digits of other radices that one thread's registers, so many words, hold together: a group needs no
/// exchange for them.
static bool fitsThread(const FlowChain &chain, int64_t maxWords) {
  llvm::SmallSet<int, 8> digits;
  for (const FlowStep &step : chain.steps)
    for (int digit : digitsOf(step.node))
      digits.insert(digit);
  int64_t words = id::registerBytes(chain.type.getElement()) / 4;
  for (int digit : digits)
    words = std::min(words * chain.type.getRadices()[digit - 1], 2 * maxWords);
  return words <= maxWords;
}

/// True for digits of other radices than 2 that tiles of so many bytes can hold, step by step. What only moves or
/// changes values needs no tiles.
static bool hasTiles(const FlowChain &chain, int64_t maxMixedBytes) {
  const int64_t bytes = id::registerBytes(chain.type.getElement());
  auto fits = [&](const FlowStep &step) {
    int64_t values = 1;
    for (int digit : digitsOf(step.node))
      values = std::min(values * chain.type.getRadices()[digit - 1], maxMixedBytes + 1);
    return values * bytes <= maxMixedBytes;
  };
  return llvm::all_of(chain.steps, fits) &&
         (!chain.steps.empty() || chain.type.getNumElements() <= maxMixedBytes / bytes);
}

/// Chains that are better made otherwise become groups: those of other radices that need no exchange or have no
/// tiles; next to a group, where they are a few more steps of it, those with larger nodes, and those without nodes.
static void dissolveChains(FlowProgram &program, int64_t maxMixedBytes) {
  constexpr int64_t ownWords = 32, sharedWords = 96;
  auto isFewSteps = [](const FlowChain &chain) {
    return chain.steps.empty() ? !chain.after.empty() : !chain.isOfBits() && fitsThread(chain, sharedWords);
  };
  for (FlowSegment &segment : program.segments)
    if (segment.chain && !segment.chain->isOfBits() &&
        (fitsThread(*segment.chain, ownWords) || !hasTiles(*segment.chain, maxMixedBytes)))
      makeGroup(program, segment);
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
      makeGroup(program, segment);
      changed = true;
    }
  }
}

/// Puts every segment behind those that make what it takes, otherwise in the order in which they begin.
static void orderSegments(FlowProgram &program) {
  DenseMap<Value, size_t> makers;
  for (auto [i, segment] : llvm::enumerate(program.segments)) {
    if (segment.chain)
      makers[segment.chain->result] = i;
    for (Operation *step : segment.group.steps)
      for (Value result : step->getResults())
        makers[result] = i;
  }
  std::vector<FlowSegment> ordered;
  std::vector<bool> seen(program.segments.size());
  auto visit = [&](auto &self, size_t index) -> void {
    if (seen[index])
      return;
    seen[index] = true;
    FlowSegment &segment = program.segments[index];
    auto need = [&](Value value) {
      auto maker = makers.find(program.resolve(value).buffer);
      if (maker != makers.end())
        self(self, maker->second);
    };
    if (segment.chain) {
      need(segment.chain->source);
      for (const FlowOperand &operand : segment.chain->operands)
        need(operand.step->getOperand(operand.number));
    }
    for (Operation *step : segment.group.steps)
      llvm::for_each(step->getOperands(), need);
    ordered.push_back(std::move(segment));
  };
  for (size_t i = 0; i < program.segments.size(); ++i)
    visit(visit, i);
  program.segments = std::move(ordered);
}

/// The width of a chain, or, without one, of what begins with `operand`, once the operand's op is part of it.
static ChainWidth widthWith(const FlowChain *chain, OpOperand &operand) {
  ChainWidth width = chain ? chain->width : ChainWidth{0, id::registerBytes(id::elementOf(operand.get().getType()))};
  Operation *op = operand.getOwner();
  if (auto node = dyn_cast<id::NodeOp>(op))
    width.digits = std::max(width.digits, static_cast<int>(node.getDigits().size()));
  width.registerBytes = std::max(width.registerBytes, id::registerBytes(id::elementOf(op->getResult(0).getType())));
  return width;
}

FlowProgram passes::findSegments(func::FuncOp function, const Target *target) {
  const int64_t maxMixedBytes = target ? target->maxMixedBytes : std::numeric_limits<int64_t>::max();
  FlowProgram program;
  Block &block = function.getBody().front();
  DenseMap<Value, int> openChains; // by their last value
  // A chain takes no view, and one behind a group for it alone would be a kernel more: what is made of digits that were
  // made longer for groups is left to them.
  DenseSet<Value> padded;
  auto newChain = [&](Value source) -> int {
    FlowSegment segment;
    segment.chain.emplace();
    segment.chain->source = source;
    segment.chain->type = cast<id::SeqType>(source.getType());
    segment.chain->result = source;
    program.segments.push_back(std::move(segment));
    return static_cast<int>(program.segments.size()) - 1;
  };
  auto chainOf = [&](Value value) {
    auto open = openChains.find(value);
    return open != openChains.end() && value.hasOneUse() ? open->second : -1;
  };
  for (Operation &op : block.without_terminator()) {
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return padded.contains(operand); }) ||
        op.hasAttr(paddedDigitAttr))
      padded.insert(op.result_begin(), op.result_end());
    if (auto permute = dyn_cast<id::PermuteOp>(op)) {
      int index = chainOf(permute.getInput());
      if (index < 0) {
        program.moved.insert(permute.getResult());
        continue;
      }
      FlowChain &chain = *program.segments[index].chain;
      chain.permute = permute;
      chain.result = permute.getResult();
      openChains.erase(permute.getInput());
      continue;
    }
    if (isa<id::RepeatOp, id::ResizeOp>(op)) {
      program.moved.insert(op.getResult(0));
      continue;
    }
    // The operand that carries the chain on, or starts one: of an open chain, the one with most nodes, or one that is
    // not repeated.
    int index = -1, carrier = -1;
    size_t mostNodes = 0;
    bool loadable = llvm::none_of(op.getOperands(), [&](Value operand) {
      return program.resolve(operand).isResized() || padded.contains(operand);
    });
    auto isHeld = [&](const FlowChain *chain, OpOperand &operand) { // digits of other radices: maxMixedBytes
      const ChainWidth width = widthWith(chain, operand);
      return !target || !id::areBits(id::radicesOf(operand.get().getType())) ||
             width.digits <= maxNodeDigits(*target, width.registerBytes);
    };
    if (loadable && isChainStep(&op, maxMixedBytes))
      for (OpOperand &operand : op.getOpOperands()) {
        if (!isHeld(nullptr, operand))
          continue;
        int open = chainOf(operand.get());
        if (open >= 0 && !isHeld(&*program.segments[open].chain, operand))
          open = -1;
        size_t nodes = open < 0 ? 0 : program.segments[open].chain->steps.size();
        bool better = index < 0 ? open >= 0 : open >= 0 && nodes >= mostNodes;
        if (!better && (carrier >= 0 || !isWholeBuffer(program.resolve(operand.get()))))
          continue;
        index = open;
        carrier = static_cast<int>(operand.getOperandNumber());
        mostNodes = nodes;
      }
    if (carrier < 0) {
      program.segments.push_back(groupOf({&op}));
      continue;
    }
    if (index < 0)
      index = newChain(op.getOperand(carrier));
    FlowChain &chain = *program.segments[index].chain;
    chain.width = widthWith(chain.result == chain.source ? nullptr : &chain, op.getOpOperand(carrier));
    if (op.getNumOperands() > 1)
      chain.carriers[&op] = static_cast<unsigned>(carrier);
    for (OpOperand &operand : op.getOpOperands())
      if (static_cast<int>(operand.getOperandNumber()) != carrier)
        chain.operands.push_back({&op, operand.getOperandNumber(), {}});
    openChains.erase(chain.result);
    chain.result = op.getResult(0);
    openChains[chain.result] = index;
    if (auto node = dyn_cast<id::NodeOp>(op)) {
      FlowStep step;
      step.before = std::move(chain.after);
      step.node = node;
      chain.after.clear();
      chain.steps.push_back(std::move(step));
    } else {
      chain.after.push_back(&op);
    }
  }
  dissolveChains(program, maxMixedBytes);
  orderSegments(program);
  takeApart(program);
  for (auto resize : block.getOps<id::ResizeOp>())
    if (!isView(program, resize) && !isStoredDirectly(program, resize.getResult()))
      copyFirst(program, resize.getInput());
  for (FlowSegment &segment : program.segments)
    if (segment.chain) {
      segment.chain->firstStep = program.numSteps + 1;
      program.numSteps += static_cast<int>(segment.chain->steps.size());
    }
  DenseSet<Operation *> inGroups;
  for (FlowSegment &segment : program.segments)
    inGroups.insert(segment.group.steps.begin(), segment.group.steps.end());
  for (Operation &op : block)
    if (inGroups.contains(&op)) {
      program.outside.push_back(&op);
      program.numbers[&op] = program.numSteps + static_cast<int>(program.outside.size());
    }
  // Every result needs a buffer of its own.
  auto store = [&](int segment, Value value, const digits::Permutation &map, Value made) {
    auto &stores = program.segments[segment].group.stores;
    stores.push_back({value, map, made});
    program.returned.push_back({segment, static_cast<int>(stores.size()) - 1});
  };
  ValueRange results = block.getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(results)) {
    auto makes = [&, value = value](const FlowSegment &segment) {
      return segment.chain ? segment.chain->result == value
                           : llvm::is_contained(segment.group.steps, value.getDefiningOp());
    };
    auto maker = llvm::find_if(program.segments, makes);
    bool again = llvm::is_contained(results.take_front(i), value);
    if (maker != program.segments.end() && !again) {
      int index = static_cast<int>(maker - program.segments.begin());
      if (maker->chain)
        program.returned.push_back({index, -1});
      else
        store(index, value, program.resolve(value).map, value);
      continue;
    }
    int index = static_cast<int>(program.segments.size());
    if (isSpreadable(value.getType(), 0) && isWholeBuffer(program.resolve(value))) {
      newChain(value);
      program.segments.back().chain->firstStep = program.numSteps + 1;
      program.returned.push_back({index, -1});
      continue;
    }
    program.segments.push_back(copyOf(value));
    program.returned.push_back({index, 0});
  }
  for (FlowSegment &segment : program.segments)
    if (segment.chain) {
      segment.chain->input = program.resolve(segment.chain->source);
      for (FlowOperand &operand : segment.chain->operands)
        operand.from = program.resolve(operand.step->getOperand(operand.number));
    }
  return program;
}
