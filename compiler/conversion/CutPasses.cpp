// Input: a module with a function of planned kernels whose arrays lie in host memory. Output: that function as the
// program of the host, and a function of kernels for every pass over the data.
//
// A pass is a run of kernels that a chunk of the data goes through while it is on the device. Chunks are numbered by
// digits that number the blocks of all kernels of a pass, and that divide alike what one of them makes and another one
// loads; so chunks are independent. Where kernels can have no such digits in common, the pass ends: its results go back
// to the host. Passes are chosen for the least time on the link, by the shortest way over the places between kernels.
#include "compiler/conversion/BlockDigits.h"
#include "compiler/conversion/InPlace.h"
#include "compiler/conversion/Passes.h"
#include "compiler/passes/Target.h"

#include "id/Chunks.h"
#include "id/ConstantData.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

#include <limits>
#include <vector>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

namespace idc::conversion {
#define GEN_PASS_DEF_CUTPASSES
#include "compiler/conversion/Passes.h.inc"
} // namespace idc::conversion

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// By which digits, lowest first, chunks divide a sequence of the function; none: each chunk has all of it.
using Divisions = DenseMap<Value, SmallVector<int>>;

/// A kernel, what it loads and stores, and which sets of its blocks' columns may number chunks.
struct Candidate {
  id::KernelOp kernel;
  SmallVector<Reached> all;
  SmallVector<int64_t> radices; // of the columns; none where tiles differ in them
  SmallVector<SmallVector<int>> sets;
};

/// Some kernels in a row with the columns that number their chunks; without columns, all that they reach at once.
struct DataPass {
  size_t first = 0, end = 0;
  bool isDivided = false, isDivisible = false; // the latter: if there is room for what that takes
  bool isInPlace = false;                      // every result takes the memory of an argument's chunk
  SmallVector<SmallVector<int>> sets;          // of each kernel; empty: not chosen yet
  Divisions divisions;
  double seconds = never;
};

struct CutPasses : conversion::impl::CutPassesBase<CutPasses> {
  using CutPassesBase::CutPassesBase;

  void runOnOperation() override {
    for (func::FuncOp function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (id::memoryOf(function) && failed(cut(function)))
        return signalPassFailure();
  }

private:
  func::FuncOp function;
  int64_t chunks = 1, memory = 0;
  passes::HostLink link;
  std::vector<Candidate> kernels;
  DenseMap<Value, std::pair<size_t, size_t>> made; // the first and the last kernel that stores a value
  DenseMap<Value, size_t> lastUse;                 // the last kernel that loads it; as many as there are: the caller
  DenseSet<Value> constants;                       // arguments that lie in the kernels' module
  DenseSet<Value> movable;                         // what kernels store and load as it is, and the caller never sees
  DenseMap<Value, Value> current;                  // what a pass gives, by what kernels gave before they were moved

  LogicalResult cut(func::FuncOp host) {
    function = host;
    const std::optional<passes::Target> machine = passes::findTarget(target, function);
    if (!machine)
      return failure();
    link = machine->hostLink;
    chunks = id::devicesOf(function);
    memory = id::memoryOf(function);
    look();
    std::optional<std::vector<DataPass>> passes = shortest();
    if (!passes)
      return function.emitError() << "its kernels cannot take " << memory << " bytes of memory, in " << chunks
                                  << " chunks: too few digits number the blocks of kernels that follow each other, or "
                                     "what every chunk needs is too large";
    for (const auto &[value, place] : made)
      if (movable.contains(value))
        moveDigits(value, *passes);
    for (auto [number, pass] : llvm::enumerate(*passes))
      build(pass, number);
    double seconds = 0;
    for (const DataPass &pass : *passes)
      seconds += pass.seconds;
    function->removeAttr(id::devicesAttr);
    function->removeAttr(id::tileBytesAttr);
    function->setAttr(id::secondsAttr, FloatAttr::get(Float64Type::get(&getContext()), seconds));
    return success();
  }

  void look() {
    kernels.clear();
    made.clear();
    lastUse.clear();
    current.clear();
    movable.clear();
    constants.clear();
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), id::dataAttr))
        constants.insert(argument);
    for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
      Candidate candidate{kernel, reachedBy(kernel), {}, {}};
      if (const std::optional<Mapping> blocks = commonBlocks(kernel); blocks && chunks > 1)
        findSets(candidate, (*blocks)[Field::Block]);
      for (const Reached &reached : candidate.all) {
        const size_t number = kernels.size();
        if (!reached.isStore)
          lastUse[reached.sequence] = number;
        else if (auto [place, isNew] = made.try_emplace(reached.sequence, number, number); !isNew)
          place->second.second = number;
      }
      kernels.push_back(std::move(candidate));
    }
    for (Value result : function.getBody().front().getTerminator()->getOperands())
      lastUse[result] = kernels.size();
    for (const auto &[value, place] : made)
      if (isMovable(value))
        movable.insert(value);
  }

  /// The store whose buffer is the value, where that is all that is done with it.
  static id::StoreOp storeOf(Value value) {
    auto kernel = value.getDefiningOp<id::KernelOp>();
    if (!kernel)
      return nullptr;
    Value buffer = kernel.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
    auto store = buffer.getDefiningOp<id::StoreOp>();
    return store && buffer.hasOneUse() ? store : nullptr;
  }

  /// Whether the digits of a value between kernels may have any order: it is stored, and loaded, by index maps alone.
  static bool isMovable(Value value) {
    return storeOf(value) && llvm::all_of(value.getUses(), [](OpOperand &use) {
             auto kernel = dyn_cast<id::KernelOp>(use.getOwner());
             return kernel &&
                    llvm::all_of(kernel.getBody().getArgument(use.getOperandNumber()).getUsers(), [](Operation *user) {
                      auto load = dyn_cast<id::LoadOp>(user);
                      return load && !load.isRepeated();
                    });
           });
  }

  /// Of all sets of columns those whose digits follow each other in a sequence, so that chunks are few rectangles; if
  /// there are none, all, up to a number of them.
  void findSets(Candidate &candidate, ArrayRef<digits::Column> columns) const {
    for (const digits::Column &column : columns)
      candidate.radices.push_back(column.radix);
    for (const Reached &reached : candidate.all)
      for (int first = 1; first <= typeOf(reached.sequence).getNumDigits(); ++first) {
        SmallVector<int> set;
        int64_t numbered = 1;
        for (int digit = first; numbered < chunks; ++digit) {
          auto column = llvm::find(reached.digits, digit);
          if (column == reached.digits.end())
            break;
          set.push_back(static_cast<int>(column - reached.digits.begin()));
          numbered *= candidate.radices[static_cast<size_t>(set.back())];
        }
        if (numbered == chunks && !llvm::is_contained(candidate.sets, set))
          candidate.sets.push_back(set);
      }
    constexpr size_t mostSets = 1000;
    if (candidate.sets.empty())
      candidate.sets = columnSets(columns, chunks);
    if (candidate.sets.size() > mostSets)
      candidate.sets.resize(mostSets);
  }

  //===--- a pass -------------------------------------------------------------------------------------------------===//

  static id::SeqType typeOf(Value sequence) { return cast<id::SeqType>(sequence.getType()); }

  static int64_t bytesOf(Value sequence) {
    return typeOf(sequence).getNumElements() * id::elementBytes(typeOf(sequence).getElement());
  }

  bool isConstant(Value sequence) const { return constants.contains(sequence); }

  bool isMadeIn(Value sequence, size_t first, size_t end) const {
    auto found = made.find(sequence);
    return found != made.end() && found->second.first >= first && found->second.second < end;
  }

  /// Whether some kernels from `first` on store a value, and others that go before or come after them.
  bool isTorn(size_t first, size_t end) const {
    return llvm::any_of(made, [&](const auto &value) {
      const auto [begin, last] = value.second;
      return begin < end && last >= first && (begin < first || last >= end);
    });
  }

  /// The least number of bytes that lie together of one chunk.
  static int64_t runBytes(Value sequence, ArrayRef<int> digits) {
    int64_t elements = typeOf(sequence).getNumElements();
    for (int digit : digits)
      elements = std::min(elements, id::elementsOf(typeOf(sequence).getRadices().take_front(digit - 1)));
    return elements * id::elementBytes(typeOf(sequence).getElement());
  }

  /// Copies of rectangles that take a chunk of the sequence to the device or back.
  static int64_t copiesOf(Value sequence, ArrayRef<int> digits) {
    SmallVector<int> sorted(digits);
    llvm::sort(sorted);
    int64_t copies = 1;
    // The lowest run of digits is a rectangle's pitch; what lies between the others is gone through.
    size_t run = 1;
    while (run < sorted.size() && sorted[run] == sorted[run - 1] + 1)
      ++run;
    for (size_t i = run; i < sorted.size(); ++i) {
      const int above = i + 1 < sorted.size() ? sorted[i + 1] : typeOf(sequence).getNumDigits() + 1;
      copies *= id::elementsOf(typeOf(sequence).getRadices().slice(sorted[i], above - 1 - sorted[i]));
    }
    return copies;
  }

  /// Seconds that a link takes to carry a sequence, chunk by chunk.
  double secondsOf(Value sequence, const Divisions &divisions) const {
    const SmallVector<int> digits = movable.contains(sequence) ? SmallVector<int>() : divisions.lookup(sequence);
    const int64_t parts = digits.empty() ? 1 : chunks;
    return static_cast<double>(bytesOf(sequence)) * passes::costAt(link.runCost, runBytes(sequence, digits)) /
               link.bytesPerSecond +
           static_cast<double>(parts * copiesOf(sequence, digits)) * link.copySeconds;
  }

  /// What a pass loads of what it does not make, constants apart, and what of it others need, each once.
  void ends(const DataPass &pass, SmallVectorImpl<Value> &loaded, SmallVectorImpl<Value> &left) const {
    for (size_t k = pass.first; k < pass.end; ++k)
      for (const Reached &reached : kernels[k].all) {
        const Value sequence = reached.sequence;
        if (!reached.isStore && !isMadeIn(sequence, pass.first, pass.end) && !llvm::is_contained(loaded, sequence))
          loaded.push_back(sequence);
        if (reached.isStore && lastUse.lookup(sequence) >= pass.end && !llvm::is_contained(left, sequence))
          left.push_back(sequence);
      }
  }

  //===--- what a pass takes --------------------------------------------------------------------------------------===//

  static int64_t aligned(int64_t bytes) {
    constexpr int64_t alignment = 256; // of arrays in the device's memory, in bytes
    return (bytes + alignment - 1) / alignment * alignment;
  }

  /// True when every chunk has all of a sequence.
  static bool isWhole(const DataPass &pass, Value sequence) {
    return !pass.isDivided || pass.divisions.lookup(sequence).empty();
  }

  /// Bytes of the device's memory for one chunk of a sequence.
  int64_t chunkBytes(const DataPass &pass, Value sequence) const {
    return aligned(isWhole(pass, sequence) ? bytesOf(sequence) : bytesOf(sequence) / chunks);
  }

  /// Bytes for what kernels hand to each other within the pass, and for their counters and rings.
  int64_t bytesInside(const DataPass &pass, ArrayRef<Value> left) const {
    int64_t most = 0, own = 0;
    for (size_t k = pass.first; k < pass.end; ++k) { // what is there while a kernel runs
      int64_t alive = 0;
      for (auto [sequence, place] : made)
        if (place.first >= pass.first && place.first <= k && lastUse.lookup(sequence) >= k &&
            !llvm::is_contained(left, sequence))
          alive += chunkBytes(pass, sequence);
      most = std::max(most, alive);
      const KernelMemory memory = ownMemoryOf(kernels[k].kernel);
      own += aligned(memory.counterBytes) + aligned(memory.ringBytes);
    }
    return most + own;
  }

  /// Chunks of arguments and results that are in the device's memory at the same time, each twice: one is copied, one
  /// is worked on. Where a result takes the memory of an argument it is three for both.
  int64_t bytesAtEnds(const DataPass &pass, ArrayRef<Value> loaded, ArrayRef<Value> left) const {
    int64_t bytes = 0;
    for (Value sequence : loaded)
      if (!isConstant(sequence))
        bytes += (pass.isDivided && isWhole(pass, sequence) ? 1 : 2) * chunkBytes(pass, sequence);
    for (Value sequence : left)
      bytes += (pass.isInPlace ? 1 : 2) * chunkBytes(pass, sequence);
    return bytes;
  }

  /// Whether every result can take the memory of an argument of its own, which no kernel reads any more when the first
  /// one stores the result.
  bool canBeInPlace(const DataPass &pass, ArrayRef<Value> loaded, ArrayRef<Value> left) const {
    SmallVector<Value> open(loaded);
    return pass.isDivided && llvm::all_of(left, [&](Value result) {
             auto argument = llvm::find_if(open, [&](Value value) {
               return !isConstant(value) && !isWhole(pass, value) && bytesOf(value) == bytesOf(result) &&
                      lastLoad(pass, value) < made.lookup(result).first;
             });
             if (argument == open.end())
               return false;
             open.erase(argument);
             return true;
           });
  }

  /// The last kernel of the pass that loads a value.
  size_t lastLoad(const DataPass &pass, Value value) const {
    size_t last = pass.first;
    for (size_t k = pass.first; k < pass.end; ++k)
      if (llvm::any_of(kernels[k].all,
                       [&](const Reached &reached) { return !reached.isStore && reached.sequence == value; }))
        last = k;
    return last;
  }

  /// Sets the time of a pass; never, if what it needs has no room.
  void estimate(DataPass &pass) const {
    SmallVector<Value> loaded, left;
    ends(pass, loaded, left);
    const int64_t inside = bytesInside(pass, left);
    auto fits = [&] { return bytesAtEnds(pass, loaded, left) + inside <= memory; };
    pass.seconds = never;
    pass.isInPlace = false;
    if (!fits()) {
      pass.isInPlace = canBeInPlace(pass, loaded, left);
      if (!pass.isInPlace || !fits())
        return;
    }
    double in = 0, out = 0;
    for (Value sequence : loaded)
      in += isConstant(sequence) ? 0 : secondsOf(sequence, pass.divisions);
    for (Value sequence : left)
      out += secondsOf(sequence, pass.divisions);
    pass.seconds = in + out;
    if (!pass.isDivided)
      return;
    // The first chunk comes and the last one goes alone.
    const double together =
                     std::max(in, out) + std::min(in, out) * (link.bytesPerSecond / link.bytesPerSecondBothWays - 1),
                 part = 1 / static_cast<double>(chunks);
    pass.seconds = together * (1 - part) + (in + out) * part;
  }

  /// Chooses columns for the kernels of `pass` that have none yet, in all ways; keeps the fastest pass in `best`.
  void extend(DataPass &pass, DataPass &best) const {
    std::optional<size_t> open;
    for (size_t k = pass.first; k < pass.end; ++k) {
      if (!pass.sets[k - pass.first].empty())
        continue;
      // Where it reaches what is divided already, its columns are those of the same digits.
      if (std::optional<SmallVector<int>> given = columnsFor(kernels[k], pass))
        return tryWith(pass, k, *given, best);
      if (!open)
        open = k;
    }
    if (open) {
      for (const SmallVector<int> &set : kernels[*open].sets)
        tryWith(pass, *open, set, best);
      return;
    }
    estimate(pass);
    if (pass.seconds <= best.seconds && pass.seconds < never) // of equals the one with higher digits
      best = pass;
    best.isDivisible = true;
  }

  /// The columns of the kernel by whose digits something that it reaches is divided; not all if it has not all of them.
  static std::optional<SmallVector<int>> columnsFor(const Candidate &candidate, const DataPass &pass) {
    for (const Reached &reached : candidate.all) {
      auto found = pass.divisions.find(reached.sequence);
      if (found == pass.divisions.end() || found->second.empty())
        continue;
      SmallVector<int> set;
      for (int digit : found->second)
        if (auto column = llvm::find(reached.digits, digit); column != reached.digits.end())
          set.push_back(static_cast<int>(column - reached.digits.begin()));
      return set;
    }
    return std::nullopt;
  }

  void tryWith(DataPass &pass, size_t number, ArrayRef<int> set, DataPass &best) const {
    Divisions before = pass.divisions;
    if (divide(pass, number, set)) {
      pass.sets[number - pass.first].assign(set.begin(), set.end());
      extend(pass, best);
      pass.sets[number - pass.first].clear();
    }
    pass.divisions = std::move(before);
  }

  /// Notes how the kernel's chunks, numbered by these columns, divide what it reaches; false if they cannot.
  bool divide(DataPass &pass, size_t number, ArrayRef<int> set) const {
    int64_t numbered = 1;
    for (int column : set)
      numbered *= kernels[number].radices[static_cast<size_t>(column)];
    if (numbered != chunks)
      return false;
    for (const Reached &reached : kernels[number].all) {
      const SmallVector<int> digits = digitsAt(reached, set);
      const bool isDivided = !llvm::is_contained(digits, 0);
      // What is needed as a whole must not be what other chunks make.
      if (!isDivided && (reached.isStore || isMadeIn(reached.sequence, pass.first, pass.end)))
        return false;
      const SmallVector<int> wanted = isDivided && !isConstant(reached.sequence) ? digits : SmallVector<int>();
      auto [found, isNew] = pass.divisions.try_emplace(reached.sequence, wanted);
      if (!isNew && found->second != wanted)
        return false;
    }
    return true;
  }

  /// The fastest pass of these kernels.
  DataPass fastest(size_t first, size_t end) const {
    DataPass pass;
    pass.first = first;
    pass.end = end;
    DataPass best = pass;
    estimate(best);
    pass.isDivided = true;
    pass.sets.resize(end - first);
    // The digits of any of the kernels may be what makes large rectangles.
    for (size_t k = first; k < end && chunks > 1; ++k)
      for (const SmallVector<int> &set : kernels[k].sets)
        tryWith(pass, k, set, best);
    return best;
  }

  /// The passes of all kernels that take the least time.
  std::optional<std::vector<DataPass>> shortest() const {
    const size_t count = kernels.size();
    std::vector<DataPass> last(count + 1); // of the shortest way to before each kernel
    SmallVector<double> seconds(count + 1, never);
    seconds[0] = 0;
    for (size_t first = 0; first < count; ++first)
      for (size_t end = first + 1; end <= count && seconds[first] < never; ++end) {
        if (isTorn(first, end))
          continue;
        DataPass pass = fastest(first, end);
        if (pass.seconds == never && !pass.isDivisible)
          break; // more kernels share no more digits
        if (seconds[first] + pass.seconds < seconds[end]) {
          seconds[end] = seconds[first] + pass.seconds;
          last[end] = std::move(pass);
        }
      }
    if (seconds[count] == never)
      return std::nullopt;
    std::vector<DataPass> passes;
    for (size_t end = count; end > 0; end = passes.back().first)
      passes.push_back(last[end]);
    std::reverse(passes.begin(), passes.end());
    return passes;
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
  void moveDigits(Value value, std::vector<DataPass> &passes) {
    SmallVector<int> highest; // from the top
    for (DataPass &pass : llvm::reverse(passes))
      if (!isMadeIn(value, pass.first, pass.end))
        addDigits(pass, value, highest);
    if (highest.empty())
      return;
    for (DataPass &pass : passes)
      if (isMadeIn(value, pass.first, pass.end))
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

  void build(const DataPass &pass, size_t number) {
    SmallVector<Value> loaded, left;
    ends(pass, loaded, left);
    // Constants come last, so that arguments of the caller have the numbers of the function's.
    std::stable_partition(loaded.begin(), loaded.end(), [&](Value value) { return !isConstant(value); });
    OpBuilder b(function.getContext());
    b.setInsertionPointAfter(function);
    if (number > 0)
      b.setInsertionPointAfter(id::functionOf(id::passesOf(function).back()));
    auto type = b.getFunctionType(ValueRange(loaded).getTypes(), ValueRange(left).getTypes());
    auto own = func::FuncOp::create(b, function.getLoc(), (function.getName() + "_p" + Twine(number)).str(), type);
    if (auto scalars = function->getAttr("id.scalars"))
      own->setAttr("id.scalars", scalars);
    own->setAttr(id::secondsAttr, FloatAttr::get(Float64Type::get(&getContext()), pass.seconds));
    if (pass.isDivided)
      id::setDevices(own, chunks);
    if (pass.isInPlace)
      own->setAttr(inPlaceAttr, UnitAttr::get(&getContext()));
    Block *body = own.addEntryBlock();
    auto divisionOf = [&](Value sequence) {
      return pass.isDivided ? pass.divisions.lookup(sequence) : SmallVector<int>();
    };
    for (auto [i, value] : llvm::enumerate(loaded)) {
      if (isConstant(value))
        own.setArgAttr(static_cast<unsigned>(i), id::dataAttr,
                       function.getArgAttr(cast<BlockArgument>(value).getArgNumber(), id::dataAttr));
      else if (pass.isDivided)
        own.setArgAttr(static_cast<unsigned>(i), id::deviceDigitsAttr,
                       id::deviceDigitsAttribute(&getContext(), divisionOf(value)));
    }
    for (auto [i, value] : llvm::enumerate(left))
      if (pass.isDivided)
        own.setResultAttr(static_cast<unsigned>(i), id::deviceDigitsAttr,
                          id::deviceDigitsAttribute(&getContext(), divisionOf(value)));

    SmallVector<Operation *> moved;
    for (size_t k = pass.first; k < pass.end; ++k) {
      id::KernelOp kernel = kernels[k].kernel;
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
          digits.push_back(id::deviceDigitsAttribute(&getContext(), divisionOf(id::wholeOf(result))));
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
