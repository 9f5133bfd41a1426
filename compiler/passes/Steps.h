// The steps of a program in digit flow, as schedules number them, grouped into what kernels are made of.
#pragma once

#include "compiler/passes/Passes.h"

#include "dialect/digits/BufferView.h"
#include "dialect/digits/Launch.h"
#include "dialect/digits/Mapping.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <vector>

namespace idc::passes {

/// Digits of one monomial of a chain's exponents: tables of roots of unity have so many index bits.
constexpr int maxMonomialDigits = 10;

/// Elements that no block holds.
constexpr int64_t beyondBlock = int64_t(1) << 14;

/// One step: what is done just before a node, and the node.
struct FlowStep {
  llvm::SmallVector<mlir::Operation *> before; // twiddles and pointwise steps
  id::NodeOp node;
};

/// Something that makes one sequence from another without computing: the elements for which a digit has a value, the
/// elements moved, another length, or elements from, or sent to, computed places.
struct FlowView {
  enum class Kind { Part, Move, Resize, Gather, Scatter };
  Kind kind;
  int digit = 0, value = 0;     // Part
  digits::Permutation map = {}; // Move
  id::ResizeOp resize = {};     // Resize
  id::GatherOp gather = {};     // Gather
  id::ScatterOp scatter = {};   // Scatter, of what is stored

  /// The radices that `radices` become.
  llvm::SmallVector<int32_t> apply(llvm::ArrayRef<int32_t> radices) const;
  /// True where the elements of a run of memory are those of another one: digits are where they were.
  bool isNear() const;
  bool operator==(const FlowView &o) const {
    return kind == o.kind && digit == o.digit && value == o.value && map == o.map && resize == o.resize &&
           gather == o.gather && scatter == o.scatter;
  }
};

/// A value of the program as kernels see it: a buffer, its sequence changed by `views`, then moved by `map` and
/// repeated along the digits of the map that it lacks.
struct FlowValue {
  mlir::Value buffer; // a function argument or the value of another segment
  digits::Permutation map;
  llvm::SmallVector<FlowView> views = {};
  /// The radices of the buffer's sequence after the views.
  llvm::SmallVector<int32_t> viewRadices() const;
  bool isRepeated() const { return map.size() > static_cast<int>(viewRadices().size()); }
  bool hasOtherElements() const {
    return llvm::any_of(views, [](const FlowView &view) {
      return view.kind == FlowView::Kind::Resize || view.kind == FlowView::Kind::Gather;
    });
  }
  /// The same, without those that lie where digits say, run by run.
  bool hasScatteredElements() const {
    return llvm::any_of(views, [](const FlowView &view) {
      return view.kind == FlowView::Kind::Resize || (view.kind == FlowView::Kind::Gather && !view.isNear());
    });
  }
  /// True for what a chain without steps can move.
  bool isWhole() const { return !isRepeated() && !hasOtherElements(); }
  /// Where the elements of the value lie in the buffer. Those of a gather may lie anywhere: accesses follow its digits.
  digits::BufferView placed() const;
  /// The same, but that digits above those which a gather counts are where they were.
  digits::BufferView followed() const;
  bool operator==(const FlowValue &o) const { return buffer == o.buffer && map == o.map && views == o.views; }
};

/// The sequence that a permutation makes of one.
id::SeqType movedType(id::SeqType type, const digits::Permutation &map);

/// What a group writes: `value` moved by `map`, then changed by `views`, which is the function's value `made`.
struct FlowStore {
  mlir::Value value;
  digits::Permutation map;
  mlir::Value made;
  llvm::SmallVector<FlowView> views = {};
  /// What stores `from`, which is the value `made`.
  static FlowStore of(const FlowValue &from, mlir::Value made);
  /// What stores `from` instead of a copy that does, if that is possible.
  std::optional<FlowStore> instead(const FlowValue &from) const;
  /// Of the buffer.
  id::SeqType type() const;
  /// Where the elements of the value lie in the buffer of the result, if a store can put them there.
  std::optional<digits::BufferView> placed() const;
};

/// A node that only moves: it makes the elements of one value from several, each of them one value of the digit, or one
/// element of the array of several digits (`joins`), or the other way round.
struct Placement {
  bool joins = false;
  llvm::SmallVector<int> order; // joins: the operand for each element; else the element for each result
};
/// What a node moves; nothing when it does something else.
std::optional<Placement> movedBy(id::NodeOp node);
/// The same of a node of one digit; nothing for others.
std::optional<Placement> placementOf(mlir::Operation *step);

/// What a pointwise step of a chain takes beside the sequence of the step before.
struct FlowOperand {
  mlir::Operation *step;
  unsigned number; // of the operand
  FlowValue from;
};

/// Steps that a planner can spread over tiles: each takes the sequence of the step before and keeps all digits;
/// pointwise steps may take further sequences, which lie in buffers. Elements are numbers of one size.
struct FlowChain {
  /// A chain without steps.
  explicit FlowChain(mlir::Value source);
  /// Adds a step, which takes what the chain makes so far as operand `carrier`; and what moves its result, or stores a
  /// part of it or sends it to computed places.
  void append(mlir::Operation *step, unsigned carrier);
  void end(mlir::Operation *last);

  mlir::Value source; // what the first op takes
  FlowValue input;    // the same as a buffer
  std::vector<FlowStep> steps;
  int firstStep = 1;                                    // number of steps[0] in the program
  llvm::SmallVector<mlir::Operation *> after;           // what follows the last node
  llvm::SmallVector<mlir::Operation *> endings;         // what says how the result is stored, in order
  id::PermuteOp permute;                                // of these the permutation in front, or null
  llvm::SmallVector<FlowView> views;                    // the others: of what the last kernel stores
  id::SeqType type;                                     // of the logical sequence; all steps keep its shape
  mlir::Value result;                                   // the value that the chain makes
  std::vector<FlowOperand> operands;                    // in the order of their steps
  llvm::DenseMap<mlir::Operation *, unsigned> carriers; // of pointwise steps: the operand made by the step before

  /// The steps as ops, in order.
  llvm::SmallVector<mlir::Operation *> ops() const;
  /// The order of digits in which the last kernel stores what its steps make, and how it is stored.
  digits::Permutation storeMap() const;
  FlowStore stored() const;
  /// The number of the operand that a step takes from the step before.
  unsigned carrierOf(mlir::Operation *step) const { return carriers.lookup(step); }
  /// True when a kernel of the chain reads the buffer.
  bool reads(mlir::Value buffer) const {
    return input.buffer == buffer ||
           llvm::any_of(operands, [&](const FlowOperand &operand) { return operand.from.buffer == buffer; });
  }
  /// True when it loads or stores other elements than those of whole buffers.
  bool hasViews() const {
    return !views.empty() || input.hasOtherElements() ||
           llvm::any_of(operands, [](const FlowOperand &operand) { return operand.from.hasOtherElements(); });
  }
  /// The same, of elements that do not lie in runs where digits say.
  bool hasScatteredViews() const {
    return storesScattered() || input.hasScatteredElements() ||
           llvm::any_of(operands, [](const FlowOperand &operand) { return operand.from.hasScatteredElements(); });
  }
  bool storesScattered() const {
    return llvm::any_of(views, [](const FlowView &view) { return !view.isNear(); });
  }
  /// True for addresses that are put together from bits; those of other radices and of views are sums.
  bool isOfBits() const { return id::areBits(type.getRadices()) && !hasViews(); }
  /// The number of its last step in the program; of a chain without steps that of the one before.
  int lastStep() const { return firstStep + static_cast<int>(steps.size()) - 1; }
};

/// What a group reads: a buffer's sequence, its digits named by the group's axes.
struct FlowLoad {
  FlowValue from;
  llvm::SmallVector<int> axes;                 // [digit-1], of the moved sequence
  std::optional<digits::Mapping> mapping = {}; // in a kernel of chains: where the load has its own
  bool staged = false;                         // by the block in one stretch
};

/// Steps that one kernel does: outside chains, or of a chain (ChainKernels.h). Digits of different values that run
/// together are one *axis*; GroupAxes.cpp finds them. What holds them is one mapping for every level (LevelPlanner.h),
/// in which digit a + 1 is axis a, and batch digits are numbered above the axes. The tile of a value is the projection
/// of its level's mapping on the axes that it has.
struct FlowGroup {
  llvm::SmallVector<mlir::Operation *> steps; // none: a value that is only moved
  std::vector<FlowLoad> loads;
  std::vector<FlowStore> stores;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int> loadOf; // step and operand -> load; others are made here
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int>> axes;           // of a value made here, [digit-1]
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int>> arrangement; // of a step's widest value, [digit-1]
  llvm::DenseSet<mlir::Operation *> joined; // steps that are no code: their operands are stored as parts of the result
  llvm::SmallVector<int> radices;           // of every axis
  /// The axes of nodes, and those of which digits are computed to find elements of other steps' values: a thread or a
  /// block holds them. All others, ascending like these.
  llvm::SmallVector<int> nodeAxes, otherAxes;
  bool apart = false; // inserted digits have axes of their own that could have had those of removed ones
  /// Operands from computed places of what other steps make, or on other axes than it has (PhasePlanner.h).
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> fetched;

  digits::Launch launch;
  std::vector<digits::Mapping> levels; // of the axes and of batch digits; nodes have theirs in `reg`, or in `turn`
  llvm::DenseMap<mlir::Operation *, int> levelOf; // of every step; 0 where there is one level
  /// Of phases: bytes of a problem that go from one to another, and of those of a cluster from block to block, in whole
  /// sectors; and whether a multiprocessor has registers for few of their threads.
  int64_t betweenPhases = 0, betweenBlocks = 0;
  bool hasFewThreads = false;
  /// Consecutive bytes of a buffer that a thread loads or stores at most: for longer runs neighbouring threads take
  /// neighbouring accesses, and an exchange follows (memoryMapping). 0: it takes what it holds.
  int64_t loadRuns = 0, storeRuns = 0;

  // Of a kernel of chains:
  bool ofChains = false;                       // all threads hold every value
  bool ofBits = false;                         // and its addresses are put together from bits
  std::optional<digits::Mapping> storeMapping; // where the store has its own
  bool storeStaged = false;                    // by the block in one stretch

  int level(mlir::Operation *step) const { return levelOf.lookup(step); }
  /// The axes of an operand or result of a step, [digit-1].
  llvm::SmallVector<int> axesOf(mlir::Operation *step, mlir::Value value) const;
  /// Those that the node of a step acts on; none for other steps.
  llvm::SmallVector<int> axesOfNode(mlir::Operation *step) const;
  /// What steps of this group join and other groups make. Each of these groups stores it where the joined result has
  /// it.
  llvm::SmallVector<mlir::Value> partsOfOthers() const;
  /// The mapping of a value that has these axes, [digit-1], for threads in warps of `lanes`; and that at a level.
  digits::Mapping projected(const digits::Mapping &mapping, llvm::ArrayRef<int> axes, int64_t lanes) const;
  digits::Mapping mappingOf(llvm::ArrayRef<int> axes, int level, int64_t lanes) const {
    return projected(levels[static_cast<size_t>(level)], axes, lanes);
  }
};

/// A piece of the program that becomes kernels of its own.
struct FlowSegment {
  std::optional<FlowChain> chain;
  FlowGroup group; // without a chain
};

/// Where a result of the function is made: a segment, and of a group the store.
struct FlowResult {
  int segment;
  int store;
};

/// The segments of a function in an order in which they can run. A returned value that no segment makes (an argument, a
/// permutation, a value returned before) is moved by a segment of its own.
struct FlowProgram {
  std::vector<FlowSegment> segments;
  llvm::SmallVector<FlowResult> returned;
  /// Results of repetitions, of other lengths, of gathers, of permutations that no chain makes and no scatter stores,
  /// and of nodes that take arguments apart.
  llvm::DenseSet<mlir::Value> moved;
  /// Of `moved`, values that segments of their own put into buffers, since no load could find their elements.
  llvm::DenseSet<mlir::Value> copied;
  int numSteps = 0;                               // nodes inside chains, numbered from 1
  llvm::SmallVector<mlir::Operation *> outside;   // steps outside chains, numbered from numSteps + 1, in program order
  llvm::DenseMap<mlir::Operation *, int> numbers; // of steps outside chains

  /// The number of a step outside chains; 0 for other ops.
  int numberOf(mlir::Operation *step) const { return numbers.lookup(step); }

  /// `value` as a buffer and what lies between them.
  FlowValue resolve(mlir::Value value) const;
  /// The same of what a copy of `value` reads.
  FlowValue sourceOf(mlir::Value value) const;
  /// What a segment without steps reads to store this.
  FlowValue readFor(const FlowStore &store) const {
    return store.value == store.made ? sourceOf(store.value) : resolve(store.value);
  }
};

/// What id-form-chains writes to every step: the number of its chain, or of its group; and of a step of a chain that
/// has several operands the one that it takes from the step before. A permutation that ends a chain has the chain's
/// number.
constexpr llvm::StringLiteral chainAttr = "id.chain", groupAttr = "id.group", carrierAttr = "id.carrier";

/// A step that does nothing with a value: its result, which a kernel holds.
mlir::Value heldCopy(mlir::OpBuilder &builder, mlir::Value value);

/// Zero as a constant, of a type that a leaf of an element has.
mlir::Value zero(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type leaf);

/// Another length of a value's `lowest` lowest digits; new elements are zeros.
id::ResizeOp resizeByZeros(mlir::OpBuilder &builder, mlir::Location loc, id::SeqType type, mlir::Value value,
                           int64_t lowest);

/// Takes these attributes away.
void forgetSegments(mlir::func::FuncOp function);

/// The segments of a function as these attributes say; of groups only steps and stores are filled in. Fails, with an
/// error at the op, where a step has none.
mlir::FailureOr<FlowProgram> segmentsOf(mlir::func::FuncOp function);

/// On id.resize: nodes act on none of the digits that change. Longer ones can be spread over lanes.
constexpr llvm::StringLiteral paddedDigitAttr = "id.padded_digit";

/// On a step that does nothing: what makes its operand brings the elements to where the step has them.
constexpr llvm::StringLiteral heldAttr = "id.held";

/// On id.gather and id.scatter of bits: each bit of a number is that of the element, and a sum of higher ones.
constexpr llvm::StringLiteral nearAttr = "id.near";

/// On id.gather: so many bytes that follow each other in its result are one block's, which finds most of them in
/// sectors that it has read already.
constexpr llvm::StringLiteral tiledAttr = "id.tiled";
constexpr int64_t tiledBytes = 32 * 1024;

/// The bytes of one problem of a sequence.
int64_t sequenceBytes(mlir::Type type);

/// The number of digits of a step's widest arrangement.
int fullDigits(mlir::Operation *step);

/// The digits of a step's widest arrangement that the digits of `value`, an operand or result, are (both from 1).
llvm::SmallVector<int> placesOf(mlir::Operation *step, mlir::Value value);

/// True for a step that makes one value, of the same digits, of another.
bool keepsDigits(mlir::Operation *op, mlir::Value from, mlir::Value to);

/// What nodes act on that take a value one after the other, or, without `next`, that make it.
struct ActedOn {
  bool lowest = false; // some of the `lowest` digits
  int64_t others = 1;  // elements of the others
};
ActedOn actedOn(mlir::Value value, int lowest, bool next);

/// The digits of the node, or none.
llvm::SmallVector<int> digitsOf(id::NodeOp node);

} // namespace idc::passes
