// The segments of a function in digit flow, read from what id-form-chains (FormChains.cpp) has written to its ops.
//
// Permutations that no chain ends with, and repetitions, belong to the loads of whoever uses them.
#include "compiler/passes/Steps.h"

#include "compiler/passes/ScatteredPlaces.h"

#include "id/ArrayType.h"
#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

#include "llvm/Support/MathExtras.h"

#include <limits>
#include <utility>

using namespace mlir;
using namespace idc;
using namespace idc::passes;

int64_t passes::sequenceBytes(Type type) {
  auto sequence = cast<id::SeqType>(type);
  int64_t bytes = 0;
  const bool isTooLarge = llvm::MulOverflow(sequence.getNumElements(), id::elementBytes(sequence.getElement()), bytes);
  return isTooLarge ? std::numeric_limits<int64_t>::max() : bytes;
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
  return node && node.getDigits().size() == 1 ? movedBy(node) : std::nullopt;
}

std::optional<Placement> passes::movedBy(id::NodeOp node) {
  if (!llvm::hasSingleElement(node.getBody().front()))
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

SmallVector<int32_t> FlowView::apply(ArrayRef<int32_t> radices) const {
  if (kind == Kind::Resize) {
    id::ResizeOp op = resize;
    return SmallVector<int32_t>(op.getType().getRadices());
  }
  if (kind == Kind::Gather) {
    id::GatherOp op = gather;
    return SmallVector<int32_t>(op.getType().getRadices());
  }
  if (kind == Kind::Scatter) {
    id::ScatterOp op = scatter;
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

bool FlowView::isNear() const {
  id::GatherOp from = gather;
  id::ScatterOp to = scatter;
  return kind == Kind::Gather ? from->hasAttr(nearAttr) : kind == Kind::Scatter && to->hasAttr(nearAttr);
}

SmallVector<int32_t> FlowValue::viewRadices() const {
  SmallVector<int32_t> radices(id::radicesOf(buffer.getType()));
  for (const FlowView &view : views)
    radices = view.apply(radices);
  return radices;
}

FlowChain::FlowChain(Value source) : source(source), type(cast<id::SeqType>(source.getType())), result(source) {}

void FlowChain::append(Operation *step, unsigned carrier) {
  if (step->getNumOperands() > 1)
    carriers[step] = carrier;
  for (OpOperand &operand : step->getOpOperands())
    if (operand.getOperandNumber() != carrier)
      operands.push_back({step, operand.getOperandNumber(), {}});
  result = step->getResult(0);
  if (auto node = dyn_cast<id::NodeOp>(step))
    steps.push_back({std::exchange(after, {}), node});
  else
    after.push_back(step);
}

SmallVector<Operation *> FlowChain::ops() const {
  SmallVector<Operation *> ops;
  for (const FlowStep &step : steps) {
    llvm::append_range(ops, step.before);
    ops.push_back(step.node);
  }
  llvm::append_range(ops, after);
  return ops;
}

void FlowChain::end(Operation *last) {
  result = last->getResult(0);
  endings.push_back(last);
  if (auto moved = dyn_cast<id::PermuteOp>(last); moved && views.empty())
    permute = moved;
  else if (moved)
    views.push_back({FlowView::Kind::Move, 0, 0, moved.getMap().getPermutation()});
  else if (auto resize = dyn_cast<id::ResizeOp>(last))
    views.push_back({FlowView::Kind::Resize, 0, 0, {}, resize});
  else
    views.push_back({FlowView::Kind::Scatter, 0, 0, {}, {}, {}, cast<id::ScatterOp>(last)});
}

digits::Permutation FlowChain::storeMap() const {
  id::PermuteOp moved = permute;
  return moved ? moved.getMap().getPermutation() : digits::Permutation::identity(type.getNumDigits());
}

FlowStore FlowChain::stored() const { return {result, storeMap(), result, views}; }

static std::vector<int> toVector(ArrayRef<int32_t> radices) { return {radices.begin(), radices.end()}; }

/// Changes a view of a buffer as `change` says; false when it has no such view. Where the elements of a gather are is
/// not known: its digits are taken to count those of the buffer.
static bool apply(const FlowView &change, digits::BufferView &view) {
  if (change.kind == FlowView::Kind::Part) {
    view.part(change.digit, change.value);
  } else if (change.kind == FlowView::Kind::Move) {
    view.move(change.map);
  } else if (change.kind == FlowView::Kind::Gather) {
    view = digits::BufferView::whole(toVector(change.apply(view.radices)));
  } else {
    id::ResizeOp resize = change.resize;
    return view.resize(static_cast<int>(resize.getLowest()),
                       toVector(resize.getType().getRadices().take_front(resize.getNewLowest())));
  }
  return true;
}

/// The value's digits behind its views.
static digits::BufferView ofDigits(const FlowValue &value, digits::BufferView view) {
  SmallVector<int32_t> own = value.viewRadices();
  for (int digit = static_cast<int>(own.size()) + 1; digit <= value.map.size(); ++digit)
    view.repeat(2); // whatever its radix is
  view.move(value.map);
  return view;
}

digits::BufferView FlowValue::placed() const {
  auto view = digits::BufferView::whole(toVector(id::radicesOf(buffer.getType())));
  for (const FlowView &change : views)
    (void)apply(change, view); // resolve() has tried it
  return ofDigits(*this, std::move(view));
}

digits::BufferView FlowValue::followed() const {
  auto view = digits::BufferView::whole(toVector(id::radicesOf(buffer.getType())));
  for (const FlowView &change : views) {
    id::GatherOp gather = change.gather;
    if (gather && gather.getLowest() > 0)
      view.recount(static_cast<int>(gather.getLowest()),
                   toVector(gather.getType().getRadices().take_front(gather.getNewLowest())));
    else if (!apply(change, view))
      view = digits::BufferView::whole(toVector(change.apply(view.radices)));
  }
  return ofDigits(*this, std::move(view));
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

std::optional<FlowStore> FlowStore::instead(const FlowValue &from) const {
  if (from.isRepeated())
    return std::nullopt;
  FlowValue moved = from;
  moved.map = from.map.then(map);
  FlowStore direct = of(moved, made);
  llvm::append_range(direct.views, views);
  return direct.placed() ? std::optional(std::move(direct)) : std::nullopt;
}

id::SeqType passes::movedType(id::SeqType type, const digits::Permutation &map) {
  std::vector<int> moved = map.apply(toVector(type.getRadices()));
  return id::SeqType::get(type.getContext(), SmallVector<int32_t>(moved.begin(), moved.end()), type.getElement());
}

id::SeqType FlowStore::type() const {
  return views.empty() ? movedType(cast<id::SeqType>(value.getType()), map) : cast<id::SeqType>(made.getType());
}

std::optional<digits::BufferView> FlowStore::placed() const {
  auto view = digits::BufferView::whole(toVector(type().getRadices()));
  for (const FlowView &change : llvm::reverse(views)) {
    if (change.kind == FlowView::Kind::Move) {
      view.move(change.map.inverse());
      continue;
    }
    if (change.kind == FlowView::Kind::Scatter) {
      // Wherever its elements go: accesses follow the digits of what is stored.
      id::ScatterOp scatter = change.scatter;
      view = digits::BufferView::whole(toVector(scatter.getInput().getType().getRadices()));
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

SmallVector<int> FlowGroup::axesOf(Operation *step, Value value) const {
  const SmallVector<int> &all = arrangement.find(step)->second;
  SmallVector<int> own;
  for (int place : placesOf(step, value))
    own.push_back(all[static_cast<size_t>(place) - 1]);
  return own;
}

SmallVector<int> FlowGroup::axesOfNode(Operation *step) const {
  SmallVector<int> acted;
  for (int digit : digitsOf(dyn_cast<id::NodeOp>(step)))
    acted.push_back(arrangement.find(step)->second[static_cast<size_t>(digit) - 1]);
  return acted;
}

SmallVector<Value> FlowGroup::partsOfOthers() const {
  SmallVector<Value> parts;
  for (Operation *step : steps)
    if (joined.contains(step))
      llvm::copy_if(step->getOperands(), std::back_inserter(parts),
                    [&](Value part) { return !llvm::is_contained(steps, part.getDefiningOp()); });
  return parts;
}

digits::Mapping FlowGroup::projected(const digits::Mapping &mapping, ArrayRef<int> axes, int64_t lanes) const {
  std::vector<int> digits;
  for (int axis : axes)
    digits.push_back(axis + 1);
  digits::Mapping own = mapping.projected(digits, static_cast<int>(radices.size()));
  own.splitThreads(lanes);
  return own;
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
  if (auto gather = value.getDefiningOp<id::GatherOp>()) {
    FlowValue from = resolve(gather.getInput());
    if (!from.map.isIdentity())
      from.views.push_back({FlowView::Kind::Move, 0, 0, from.map});
    from.views.push_back({FlowView::Kind::Gather, 0, 0, {}, {}, gather});
    from.map = digits::Permutation::identity(gather.getType().getNumDigits());
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
      // A block that holds all loads it once; in place others' elements are read before any is written, and a device or
      // a chunk has its own.
      if (auto gather = dyn_cast<id::GatherOp>(user);
          gather &&
          (gather->getParentOp()->hasAttr(id::inPlaceAttr) || isInParts(cast<func::FuncOp>(gather->getParentOp())) ||
           gather.getInput().getType().getNumElements() <= beyondBlock))
        return false;
      if (isa<id::PermuteOp, id::RepeatOp, id::GatherOp>(user))
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

/// A segment that does nothing but put a value into a buffer.
static FlowSegment copyOf(Value value) {
  FlowSegment segment;
  auto whole = digits::Permutation::identity(static_cast<int>(id::radicesOf(value.getType()).size()));
  segment.group.stores.push_back({value, whole, value});
  return segment;
}

/// True for what a step of a group makes.
static bool isMadeByGroup(const FlowProgram &program, Value buffer) {
  return llvm::any_of(program.segments, [&](const FlowSegment &segment) {
    return !segment.chain && llvm::is_contained(segment.group.steps, buffer.getDefiningOp());
  });
}

/// True for what a group makes and only the function's results are made of, by its stores.
static bool isStoredDirectly(const FlowProgram &program, Value value) {
  FlowValue from = program.resolve(value);
  return isMadeByGroup(program, from.buffer) && llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (isa<func::ReturnOp>(user))
             return FlowStore::of(from, value).placed().has_value();
           return isa<id::PermuteOp, id::ResizeOp>(user) && program.moved.contains(user->getResult(0)) &&
                  isStoredDirectly(program, user->getResult(0));
         });
}

/// True for a permutation of what a group makes whose store keeps the elements of a sector together.
static bool isStoredInRuns(const FlowProgram &program, Value value) {
  const FlowValue from = program.resolve(value);
  if (from.buffer == value || !isMadeByGroup(program, from.buffer) || !from.views.empty())
    return false;
  constexpr int64_t sectorBytes = 32;
  const auto type = cast<id::SeqType>(value.getType());
  int64_t run = id::elementBytes(type.getElement());
  for (int digit = 1; digit <= type.getNumDigits() && run < sectorBytes; ++digit) {
    if (from.map.source(digit) != digit)
      return false;
    run *= type.getRadices()[static_cast<size_t>(digit) - 1];
  }
  return true;
}

/// Adds a segment that does nothing but store, as soon as what it reads is there.
static void storeFirst(FlowProgram &program, FlowSegment segment) {
  const FlowStore &store = segment.group.stores.front();
  const Value made = store.made, source = program.readFor(store).buffer;
  auto makes = [&](const FlowSegment &segment) {
    if (segment.chain)
      return segment.chain->result == source;
    return llvm::is_contained(segment.group.steps, source.getDefiningOp()) ||
           llvm::any_of(segment.group.stores, [&](const FlowStore &store) { return store.made == source; });
  };
  auto maker = llvm::find_if(program.segments, makes);
  program.segments.insert(maker == program.segments.end() ? program.segments.begin() : std::next(maker),
                          std::move(segment));
  program.copied.insert(made);
}

/// Has a value put into a buffer.
static void copyFirst(FlowProgram &program, Value value) { storeFirst(program, copyOf(value)); }

/// Has a sequence of another length, which no load can view, put into a buffer: as it is by the group that makes it, if
/// that can store it so, else what it is made of.
static void storeAsOther(FlowProgram &program, id::ResizeOp resize) {
  const FlowValue from = program.resolve(resize.getResult());
  if (!resize.pads() && isMadeByGroup(program, from.buffer))
    if (FlowStore store = FlowStore::of(from, resize.getResult()); store.placed()) {
      FlowSegment segment;
      segment.group.stores.push_back(std::move(store));
      return storeFirst(program, std::move(segment));
    }
  copyFirst(program, resize.getInput());
}

/// The scatter whose result, moved or with other lengths, another one takes alone, and what is between them, the last
/// first.
static id::ScatterOp scatterBefore(id::ScatterOp op, SmallVectorImpl<Operation *> &between) {
  for (Value value = op.getInput(); value.hasOneUse();) {
    Operation *view = value.getDefiningOp();
    if (!view || view->hasAttr(chainAttr))
      break;
    if (auto scatter = dyn_cast<id::ScatterOp>(view))
      return scatter;
    auto resize = dyn_cast<id::ResizeOp>(view);
    if (!isa<id::PermuteOp>(view) && !(resize && !resize.pads()))
      break;
    between.push_back(view);
    value = view->getOperand(0);
  }
  return {};
}

/// A segment that sends elements to their places, by scatters that follow each other at once and a permutation.
static FlowSegment scatterOf(id::ScatterOp last) {
  SmallVector<FlowView> views; // the last first
  id::ScatterOp first = last;
  for (id::ScatterOp op = last; op;) {
    FlowView view{FlowView::Kind::Scatter};
    view.scatter = op;
    views.push_back(view);
    first = op;
    SmallVector<Operation *> between;
    if ((op = scatterBefore(op, between)))
      for (Operation *change : between) {
        auto permute = dyn_cast<id::PermuteOp>(change);
        views.push_back(permute ? FlowView{FlowView::Kind::Move, 0, 0, permute.getMap().getPermutation()}
                                : FlowView{FlowView::Kind::Resize, 0, 0, {}, cast<id::ResizeOp>(change)});
      }
  }
  FlowSegment segment;
  auto whole = digits::Permutation::identity(first.getInput().getType().getNumDigits());
  FlowStore store{first.getInput(), whole, last.getResult(), SmallVector<FlowView>(llvm::reverse(views))};
  auto permute = last->hasOneUse() ? dyn_cast<id::PermuteOp>(*last->getUsers().begin()) : id::PermuteOp();
  if (permute) {
    store.views.push_back({FlowView::Kind::Move, 0, 0, permute.getMap().getPermutation()});
    store.made = permute.getResult();
  }
  segment.group.stores.push_back(std::move(store));
  return segment;
}

/// True for a sequence that a chain without steps moves: of bits, its elements numbers of one size.
static bool isMoved(Type type) {
  Type number;
  int count;
  return id::splitNumbers(id::elementOf(type), number, count) && id::areBits(id::radicesOf(type));
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
      Value buffer = program.resolve(value).buffer;
      while (auto scatter = buffer.getDefiningOp<id::ScatterOp>())
        buffer = program.resolve(scatter.getInput()).buffer;
      auto maker = makers.find(buffer);
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

//===--- segments -------------------------------------------------------------------------------------------------===//

/// The steps of a function by the segments that id-form-chains has written to them. Fails, with an error at the op,
/// where one has none.
static LogicalResult readSegments(Block &block, FlowProgram &program) {
  DenseMap<int64_t, size_t> places; // of a segment's number
  auto placeOf = [&](IntegerAttr number) {
    auto [place, fresh] = places.try_emplace(number.getInt(), program.segments.size());
    if (fresh)
      program.segments.emplace_back();
    return place->second;
  };
  for (Operation &op : block.without_terminator()) {
    auto chain = op.getAttrOfType<IntegerAttr>(chainAttr), group = op.getAttrOfType<IntegerAttr>(groupAttr);
    if (!chain && isa<id::PermuteOp, id::RepeatOp, id::ResizeOp, id::GatherOp>(op)) {
      program.moved.insert(op.getResult(0));
    } else if (!chain && isa<id::ScatterOp>(op)) {
      continue;
    } else if (chain) {
      std::optional<FlowChain> &own = program.segments[placeOf(chain)].chain;
      auto number = op.getAttrOfType<IntegerAttr>(carrierAttr);
      const auto carrier = static_cast<unsigned>(number ? number.getInt() : 0);
      if (!own)
        own.emplace(op.getOperand(carrier));
      if (isa<id::PermuteOp, id::ResizeOp, id::ScatterOp>(op))
        own->end(&op);
      else
        own->append(&op, carrier);
    } else if (group) {
      program.segments[placeOf(group)].group.steps.push_back(&op);
    } else {
      return op.emitError() << "belongs to no chain or group; run id-form-chains first";
    }
  }
  return success();
}

Value passes::heldCopy(OpBuilder &builder, Value value) {
  auto copy = id::PointwiseOp::create(builder, value.getLoc(), TypeRange{value.getType()}, ValueRange{value});
  OpBuilder::InsertionGuard guard(builder);
  Block *body = id::createBody(builder, copy);
  id::YieldOp::create(builder, value.getLoc(), body->getArguments());
  return copy->getResult(0);
}

Value passes::zero(OpBuilder &builder, Location loc, Type leaf) {
  if (auto complex = dyn_cast<ComplexType>(leaf)) {
    Attribute part = builder.getZeroAttr(complex.getElementType());
    return complex::ConstantOp::create(builder, loc, complex, builder.getArrayAttr({part, part}));
  }
  if (isa<id::ModType>(leaf))
    return id::ModConstantOp::create(builder, loc, leaf, 0);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(leaf));
}

id::ResizeOp passes::resizeByZeros(OpBuilder &builder, Location loc, id::SeqType type, Value value, int64_t lowest) {
  auto resize = id::ResizeOp::create(builder, loc, type, value, lowest);
  if (resize.pads()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&resize.getBody());
    SmallVector<Value> zeros;
    for (Type leaf : id::leafTypes(type.getElement()))
      zeros.push_back(zero(builder, loc, leaf));
    id::YieldOp::create(builder, loc, zeros);
  }
  return resize;
}

void passes::forgetSegments(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    for (StringRef name : {chainAttr, groupAttr, carrierAttr})
      op.removeAttr(name);
}

FailureOr<FlowProgram> passes::segmentsOf(func::FuncOp function) {
  FlowProgram program;
  Block &block = function.getBody().front();
  if (failed(readSegments(block, program)))
    return failure();
  orderSegments(program);
  takeApart(program);
  DenseSet<Operation *> doneByLater;
  for (auto scatter : block.getOps<id::ScatterOp>()) {
    SmallVector<Operation *> between;
    if (id::ScatterOp before = scatterBefore(scatter, between); before && !scatter->hasAttr(chainAttr))
      doneByLater.insert(before);
  }
  for (Operation &op : block) {
    if (op.hasAttr(chainAttr) || doneByLater.contains(&op))
      continue;
    if (auto gather = dyn_cast<id::GatherOp>(op); gather && program.resolve(gather.getInput()).isRepeated())
      copyFirst(program, gather.getInput());
    else if (auto scatter = dyn_cast<id::ScatterOp>(op)) {
      FlowSegment segment = scatterOf(scatter);
      program.moved.erase(segment.group.stores.front().made); // it is the buffer
      storeFirst(program, std::move(segment));
    } else if (auto resize = dyn_cast<id::ResizeOp>(op);
               resize && !isView(program, resize) && !isStoredDirectly(program, resize.getResult()))
      storeAsOther(program, resize);
  }
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
      if (!segment.chain && segment.group.steps.empty() && !segment.group.stores.empty())
        return segment.group.stores.front().made == value;
      return segment.chain ? segment.chain->result == value
                           : llvm::is_contained(segment.group.steps, value.getDefiningOp());
    };
    auto maker = llvm::find_if(program.segments, makes);
    bool again = llvm::is_contained(results.take_front(i), value);
    if (maker != program.segments.end() && !again) {
      int index = static_cast<int>(maker - program.segments.begin());
      if (maker->chain)
        program.returned.push_back({index, -1});
      else if (maker->group.steps.empty())
        program.returned.push_back({index, 0});
      else
        store(index, value, program.resolve(value).map, value);
      continue;
    }
    int index = static_cast<int>(program.segments.size());
    if (isMoved(value.getType()) && program.resolve(value).isWhole() && (again || !isStoredInRuns(program, value))) {
      program.segments.emplace_back().chain.emplace(value).firstStep = program.numSteps + 1;
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

bool passes::keepsDigits(Operation *op, Value from, Value to) {
  return isa<id::TwiddleOp, id::PointwiseOp, id::NodeOp>(op) &&
         id::radicesOf(from.getType()) == id::radicesOf(to.getType());
}

ActedOn passes::actedOn(Value value, int lowest, bool next) {
  constexpr int counted = 0; // the lowest digits; others have numbers of their own
  int fresh = counted;
  std::vector<int> digits;
  for (int digit = 1; digit <= cast<id::SeqType>(value.getType()).getNumDigits(); ++digit)
    digits.push_back(digit <= lowest ? counted : ++fresh);
  ActedOn result;
  DenseSet<int> acted;
  auto replace = [&](int64_t before, int64_t now) {
    const bool any = llvm::is_contained(llvm::make_range(digits.begin(), digits.begin() + before), counted);
    digits.erase(digits.begin(), digits.begin() + before);
    for (; now > 0; --now)
      digits.insert(digits.begin(), any ? counted : ++fresh);
  };
  while (value.hasOneUse()) {
    Operation *op = next ? *value.getUsers().begin() : value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || op->getNumOperands() == 0)
      break;
    const Value other = next ? op->getResult(0) : op->getOperand(0);
    auto count = [&](auto view) {
      const int64_t lowest = view.getLowest(), newLowest = view.getNewLowest();
      replace(next ? lowest : newLowest, next ? newLowest : lowest);
    };
    if (auto permute = dyn_cast<id::PermuteOp>(op)) {
      const digits::Permutation map = permute.getMap().getPermutation();
      digits = (next ? map : map.inverse()).apply(digits);
    } else if (auto resize = dyn_cast<id::ResizeOp>(op)) {
      count(resize);
    } else if (auto scatter = dyn_cast<id::ScatterOp>(op)) {
      count(scatter);
    } else if (!keepsDigits(op, value, other)) {
      break;
    }
    for (int digit : digitsOf(dyn_cast<id::NodeOp>(op))) {
      const int own = digits[static_cast<size_t>(digit) - 1];
      if (own == counted)
        result.lowest = true;
      else if (acted.insert(own).second)
        result.others *= id::radicesOf(value.getType())[static_cast<size_t>(digit) - 1];
    }
    value = other;
  }
  return result;
}
