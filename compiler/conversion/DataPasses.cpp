// Passes are chosen for the least time on the link, by the shortest way over the places between kernels. Chunks are
// numbered by digits that number the blocks of all kernels of a pass, and that divide alike what one of them makes and
// another one loads; so chunks are independent. Where kernels can have no such digits in common, the pass ends. A
// kernel that has none with room for its chunks works on the host's arrays where these lie, through the link: all that
// it loads and stores passes there and back, whatever is in which place.
#include "compiler/conversion/DataPasses.h"

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/ComputedLoads.h"

#include "id/ArrayType.h"
#include "id/IndexCode.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static constexpr double never = std::numeric_limits<double>::infinity();

void conversion::findEnds(const HostProgram &program, const DataPass &pass, SmallVectorImpl<Value> &loaded,
                          SmallVectorImpl<Value> &left) {
  for (size_t k = pass.first; k < pass.end; ++k)
    for (const Reached &reached : program.kernels[k].all) {
      const Value sequence = reached.sequence;
      if (!reached.isStore && !program.isMadeIn(sequence, pass.first, pass.end) &&
          !llvm::is_contained(loaded, sequence))
        loaded.push_back(sequence);
      const bool isLeft = pass.isReaching || program.lastUse.lookup(sequence) >= pass.end;
      if (reached.isStore && isLeft && !llvm::is_contained(left, sequence))
        left.push_back(sequence);
    }
}

namespace {

class ShortestPasses {
public:
  ShortestPasses(const HostProgram &program, bool mayReach) : program(program), mayReach(mayReach) {}

  /// The passes of all kernels that take the least time.
  std::optional<std::vector<DataPass>> find() const {
    const size_t count = program.kernels.size();
    std::vector<DataPass> last(count + 1); // of the shortest way to before each kernel
    SmallVector<double> seconds(count + 1, never);
    seconds[0] = 0;
    for (size_t first = 0; first < count; ++first)
      for (size_t end = first + 1, shortest = 0; end <= count && seconds[first] < never; ++end) {
        if (program.isTorn(first, end))
          continue;
        shortest = shortest ? shortest : end;
        DataPass pass = fastest(first, end);
        if (mayReach && pass.seconds == never && end == shortest)
          estimateReaching(pass);
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

private:
  const HostProgram &program;
  const bool mayReach; // kernels may reach what has no room

  static int64_t bytesOf(Value sequence) { return id::bytesOf(typeOf(sequence)); }

  bool isConstant(Value sequence) const { return program.constants.contains(sequence); }

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
    const SmallVector<int> digits =
        program.movable.contains(sequence) ? SmallVector<int>() : divisions.lookup(sequence);
    const int64_t parts = digits.empty() ? 1 : program.chunks;
    return static_cast<double>(program.copiedBytes(sequence)) *
               passes::costAt(program.link.runCost, runBytes(sequence, digits)) / program.link.bytesPerSecond +
           static_cast<double>(parts * copiesOf(sequence, digits)) * program.link.copySeconds;
  }

  //===--- what a pass takes --------------------------------------------------------------------------------------===//

  static int64_t aligned(int64_t bytes) {
    constexpr int64_t alignment = 256; // of arrays in the device's memory, in bytes
    return (bytes + alignment - 1) / alignment * alignment;
  }

  /// True when every chunk has all of a sequence.
  static bool isWhole(const DataPass &pass, Value sequence) { return pass.divisionOf(sequence).empty(); }

  /// Bytes of the device's memory for one chunk of a sequence.
  int64_t chunkBytes(const DataPass &pass, Value sequence) const {
    return aligned(isWhole(pass, sequence) ? bytesOf(sequence) : bytesOf(sequence) / program.chunks);
  }

  /// Bytes for what kernels hand to each other within the pass, and for their counters and rings.
  int64_t bytesInside(const DataPass &pass, ArrayRef<Value> left) const {
    int64_t most = 0, own = 0;
    for (size_t k = pass.first; k < pass.end; ++k) { // what is there while a kernel runs
      int64_t alive = 0;
      for (auto [sequence, place] : program.made)
        if (place.first >= pass.first && place.first <= k && program.lastUse.lookup(sequence) >= k &&
            !llvm::is_contained(left, sequence))
          alive += chunkBytes(pass, sequence);
      most = std::max(most, alive);
      const KernelMemory memory = ownMemoryOf(program.kernels[k].kernel);
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
                      lastLoad(pass, value) < program.made.lookup(result).first;
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
      if (llvm::any_of(program.kernels[k].all,
                       [&](const Reached &reached) { return !reached.isStore && reached.sequence == value; }))
        last = k;
    return last;
  }

  /// Sets the time of a pass; never, if what it needs has no room.
  void estimate(DataPass &pass) const {
    SmallVector<Value> loaded, left;
    findEnds(program, pass, loaded, left);
    const int64_t inside = bytesInside(pass, left);
    auto fits = [&] { return bytesAtEnds(pass, loaded, left) + inside <= program.memory; };
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
    const double part = 1 / static_cast<double>(program.chunks);
    pass.seconds = bothWays(in, out, program.link.bytesPerSecond / program.link.bytesPerSecondBothWays) * (1 - part) +
                   pass.seconds * part;
  }

  /// Seconds of what passes at the same time, that each way takes alone; both ways at once take `slower` times as long.
  static double bothWays(double in, double out, double slower) {
    return std::max(in, out) + std::min(in, out) * (slower - 1);
  }

  /// What a byte takes that kernels reach, of full lines 1.
  double reachedCost(const Reached &reached) const {
    const int64_t run = runBytes(reached.sequence, SmallVector<int>(reached.digits));
    // Of less, neighbouring numbers of blocks are one block's (TileBlocks).
    return run < program.machine.sectorBytes ? 1 : passes::costAt(program.link.reachedRunCost, run);
  }

  /// Seconds one way alone of all that the kernels of a pass load from the host's memory, or store there. What lies in
  /// computed places is taken to lie together.
  double secondsReached(const DataPass &pass, bool areStores) const {
    double bytes = 0;
    for (size_t k = pass.first; k < pass.end; ++k) {
      const PlannedKernel &kernel = program.kernels[k];
      auto isComputed = [](const Reached &reached) { return llvm::is_contained(reached.digits, 0); };
      llvm::SmallSetVector<Value, 4> searched; // of which loads compute places
      for (const Reached &reached : kernel.all)
        if (!reached.isStore && isComputed(reached))
          searched.insert(reached.sequence);
      for (const Reached &reached : kernel.all)
        if (reached.isStore == areStores && pass.reached.contains(reached.sequence) &&
            (areStores || !searched.contains(reached.sequence)))
          bytes += static_cast<double>(reached.bytes) * (isComputed(reached) ? 1 : reachedCost(reached));
      for (Value sequence : searched)
        if (!areStores && pass.reached.contains(sequence))
          bytes += static_cast<double>(bytesOf(sequence)) * timesLoaded(kernel.kernel, sequence, program.machine);
    }
    return bytes / (program.link.bytesPerSecond * program.link.reachedShare);
  }

  /// Sets the time of a pass whose kernels reach the host's arrays where these lie, but for the smallest ones, which
  /// are copied as long as there is room; never, if there is none for what cannot be reached.
  void estimateReaching(DataPass &pass) const {
    pass.isReaching = true;
    pass.isDivided = false;
    SmallVector<Value> loaded, left;
    findEnds(program, pass, loaded, left);
    llvm::erase_if(loaded, [&](Value sequence) { return isConstant(sequence); });
    // An array that a sequence is the beginning of has no memory behind its end.
    auto canReach = [&](Value sequence) { return program.copiedBytes(sequence) == bytesOf(sequence); };
    SmallVector<Value> all(loaded);
    all.append(left);
    llvm::stable_sort(
        all, [&](Value a, Value b) { return std::pair(canReach(a), bytesOf(a)) < std::pair(canReach(b), bytesOf(b)); });
    int64_t room = program.memory - bytesInside(pass, left);
    if (room < 0)
      return;
    for (Value sequence : all) {
      room -= bytesAtEnds(pass, sequence, {});
      if (room >= 0)
        continue;
      if (!canReach(sequence))
        return;
      pass.reached.insert(sequence);
    }
    pass.seconds = 0;
    for (Value sequence : all)
      pass.seconds += pass.reached.contains(sequence) ? 0 : secondsOf(sequence, Divisions());
    pass.seconds += bothWays(secondsReached(pass, /*areStores=*/false), secondsReached(pass, /*areStores=*/true),
                             program.link.bytesPerSecond * program.link.reachedShare /
                                 (program.link.bytesPerSecondBothWays * program.link.reachedShareBothWays));
  }

  /// Chooses columns for the kernels of `pass` that have none yet, in all ways; keeps the fastest pass in `best`.
  void extend(DataPass &pass, DataPass &best) const {
    std::optional<size_t> open;
    for (size_t k = pass.first; k < pass.end; ++k) {
      if (!pass.sets[k - pass.first].empty())
        continue;
      // Where it reaches what is divided already, its columns are those of the same digits.
      if (std::optional<SmallVector<int>> given = columnsFor(program.kernels[k], pass))
        return tryWith(pass, k, *given, best);
      if (!open)
        open = k;
    }
    if (open) {
      for (const SmallVector<int> &set : program.kernels[*open].sets)
        tryWith(pass, *open, set, best);
      return;
    }
    estimate(pass);
    if (pass.seconds <= best.seconds && pass.seconds < never) // of equals the one with higher digits
      best = pass;
    best.isDivisible = true;
  }

  /// The columns of the kernel by whose digits something that it reaches is divided; not all if it has not all of them.
  static std::optional<SmallVector<int>> columnsFor(const PlannedKernel &candidate, const DataPass &pass) {
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
      numbered *= program.kernels[number].radices[static_cast<size_t>(column)];
    if (numbered != program.chunks)
      return false;
    for (const Reached &reached : program.kernels[number].all) {
      const SmallVector<int> digits = digitsAt(reached, set);
      const bool isDivided = !llvm::is_contained(digits, 0);
      // What is needed as a whole must not be what other chunks make.
      if (!isDivided && (reached.isStore || program.isMadeIn(reached.sequence, pass.first, pass.end)))
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
    for (size_t k = first; k < end && program.chunks > 1; ++k)
      for (const SmallVector<int> &set : program.kernels[k].sets)
        tryWith(pass, k, set, best);
    return best;
  }
};

} // namespace

std::optional<std::vector<DataPass>> conversion::shortestPasses(const HostProgram &program) {
  std::optional<std::vector<DataPass>> passes = ShortestPasses(program, /*mayReach=*/false).find();
  return passes ? passes : ShortestPasses(program, /*mayReach=*/true).find();
}
