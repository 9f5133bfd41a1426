// Plans for groups: what bounds of threads and blocks make of a program, by the bytes that its kernels move.
//
// 1. Bounds. What a thread, a block and the blocks of a cluster or a team may hold (LevelLimits); each generator adds
//    those of one kind: blocks that share a multiprocessor, blocks that have one alone, clusters, blocks along columns,
//    teams. The groups that are put together within them are a candidate.
// 2. Costs. The bytes that all kernels read and write, those that go from block to block of a cluster, those from phase
//    to phase of a block as far as there are more than memory leaves time for, and what kernels within these bounds
//    wait for their own threads and blocks, and for the kernel before, by the target's `groups`. Up to `hidden` times
//    the least bytes of all candidates cost as much as the least: a kernel finds what the one before has just written
//    in the cache.
// 3. For the latency of a problem that one kernel does: the bytes of its busiest block.
//
// Bounds are tried by what they wait. A program that is one kernel reads and writes as little as can be: what waits as
// much as that costs cannot cost less.
#include "compiler/passes/GroupPlanner.h"

#include "compiler/passes/FormKernels.h"
#include "compiler/passes/Groups.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

/// Doublings from one size to another, 0 where there are none.
double doublings(int64_t from, int64_t to) {
  return to > from ? std::log2(static_cast<double>(to) / static_cast<double>(from)) : 0;
}

//===--- bounds ---------------------------------------------------------------------------------------------------===//

class Bounds {
public:
  Bounds(const FlowProgram &program, const Target &target)
      : program(program), target(target), all(target.maxThreadsPerBlock) {}

  SmallVector<LevelLimits> forLatency() {
    limits = {{words / 2, run, lanes, few, 1, target.maxCluster}};
    for (int64_t threads : {few, many, all})
      limits.push_back({words, run, lanes, threads, 1, target.maxCluster});
    return std::move(limits);
  }

  /// Those that wait least first.
  SmallVector<LevelLimits> forThroughput(bool forTuning) {
    addShared();
    addAlone();
    addColumns();
    addClusters();
    addTeams(lanes, few, 2);
    addFewColumns();
    addPhases();
    if (forTuning)
      addSearched();
    llvm::stable_sort(limits, [&](const LevelLimits &a, const LevelLimits &b) { return waitsOf(a) < waitsOf(b); });
    return std::move(limits);
  }

  /// What a kernel waits within bounds, as a share of the time of the bytes that it moves.
  double waitsOf(const LevelLimits &limits) const {
    const GroupCosts &costs = target.groups;
    const double columns = costs.columns * doublings(limits.fastLanes, lanes / 2);
    if (limits.tile)
      return costs.team + columns;
    const double held = costs.words * doublings(words, limits.words) + costs.runs * doublings(run, limits.runBytes) +
                        (2 * limits.words >= spilledWords ? costs.spilled : 0);
    const double block = limits.resident > 1 ? costs.threads * doublings(few, limits.threads) : costs.alone;
    const double cluster =
        limits.cluster > 1 ? costs.cluster + costs.clusterDoubling * doublings(1, limits.cluster) : 0;
    return held + block + cluster + columns + (limits.strided ? costs.strided : 0) +
           (limits.phases ? costs.phases : 0) + (limits.turns ? costs.alone : 0);
  }

private:
  const FlowProgram &program;
  const Target &target;
  const int64_t words = target.levelWords, run = target.levelRunBytes, lanes = target.lanes;
  const int64_t all, many = all / 2, few = all / 4; // threads of a block
  const int64_t largestCluster = target.clusterBlocks();
  static constexpr int64_t deep = 62; // levels, as many as there are
  /// Registers of a thread that holds two values, as an expansion does, at which some are in memory.
  static constexpr int64_t spilledWords = 256;
  SmallVector<LevelLimits> limits;

  /// Blocks of which a multiprocessor holds two: one goes on loading while the other waits at its barriers.
  void addShared() {
    for (int64_t runs : {1, 2})
      limits.push_back({words, runs * run, lanes, few, 2});
    limits.push_back({2 * words, 2 * run, lanes, few, 2});
    for (int64_t runs : {1, 2, 4})
      limits.push_back({words, runs * run, lanes, many, 2});
  }

  /// Blocks that have a multiprocessor for themselves.
  void addAlone() {
    constexpr int64_t shallow = 8; // levels: each is a barrier of all
    limits.push_back({words, run, lanes, all, 1, 1, shallow});
    limits.push_back({2 * words, 2 * run, lanes, many});
    limits.push_back({words, 4 * run, lanes, all});
    limits.push_back({4 * words, 4 * run, lanes, many});
  }

  /// Along columns: half the threads with twice the words, of half a warp's columns; or clusters.
  void addColumns() {
    if (largestCluster > 1)
      limits.push_back({words, run, lanes, many, 1, std::min<int64_t>(4, largestCluster), deep, true});
    limits.push_back({2 * words, 2 * run, lanes / 2, many});
    limits.push_back({4 * words, 4 * run, lanes / 2, many});
    for (int64_t blocks = 2; blocks <= largestCluster; blocks *= 2)
      limits.push_back({2 * words, 2 * run, lanes / 2, many, 1, blocks, deep, true});
  }

  void addClusters() {
    for (int64_t runs : {1, 4})
      limits.push_back({words, runs * run, lanes, few, 2, largestCluster});
    for (int64_t blocks = 2; blocks <= largestCluster; blocks *= 2) {
      limits.push_back({words, run, lanes, all, 1, blocks});
      limits.push_back({words, 4 * run, lanes, all, 1, blocks});
      limits.push_back({words, run, lanes / 2, all, 1, blocks});
    }
  }

  /// Blocks that wait for each other: threads load whole accesses, several of them far apart, so that nothing but what
  /// a contraction leaves goes through shared memory. Half as many accesses where more is kept meanwhile, of whole
  /// words: tiles of bytes are too small then.
  void addTeams(int64_t columns, int64_t threads, int64_t resident) {
    constexpr int64_t accessWords = 4, wordBytes = 4, most = 8;
    if (!target.cooperativeBlocks)
      return;
    const int64_t least = leastBytes() < wordBytes ? most : most / 2;
    for (int64_t spread = most; spread >= least; spread /= 2)
      limits.push_back({accessWords, target.vectorBytes, columns, threads, resident, target.cooperativeBlocks, deep,
                        false, few * accessWords * spread, spread});
  }

  /// Steps whose values go through shared memory wherever one thread does not hold them together.
  void addPhases() {
    auto add = [&](int64_t words, int64_t threads, int64_t resident, bool turns = false) {
      limits.push_back({words, run, lanes, threads, resident});
      limits.back().phases = true;
      limits.back().turns = turns;
    };
    add(words, few, 2);
    add(words, many, 1);
    add(words, all, 1);
    add(2 * words, many, 1);
    add(2 * words, all, 1);
    // More barriers, where these save a kernel.
    add(words, many, 1, /*turns=*/true);
    add(words, all, 1, /*turns=*/true);
    // A second block's memory is a block's own in half of all accesses; with more blocks, words of 4 bytes above all,
    // cost more than the kernels that are saved.
    constexpr int64_t blocks = 2, mostPhases = 32; // each is a barrier of all blocks
    auto addInClusters = [&](int64_t threads, bool turns = false) {
      add(words, threads, 1, turns);
      limits.back().cluster = std::min(blocks, largestCluster);
      limits.back().levels = mostPhases;
    };
    addInClusters(many);
    addInClusters(all);
    addInClusters(all, /*turns=*/true);
  }

  /// Fewer columns to a block where a digit was made longer for lanes, as long as they fill a sector: cheaper than
  /// another kernel.
  void addFewColumns() {
    if (int64_t bytes = paddedBytes())
      for (int64_t columns = lanes / 4; columns * bytes >= target.sectorBytes; columns /= 2)
        for (int64_t threads : {many, all}) {
          limits.push_back({words, run, columns, threads});
          addTeams(columns, threads, 1);
        }
  }

  /// What measurements are to decide: all ways to bound a thread, the columns and threads of a block, and whether
  /// blocks may be a cluster.
  void addSearched() {
    for (int64_t cluster : {int64_t(1), target.maxCluster})
      for (int64_t threads : {few / 2, few, many, all})
        for (int64_t columns : {lanes, lanes / 2, lanes / 4})
          for (int64_t held : {words / 4, words / 2, words, 2 * words})
            for (int64_t runs : {1, 2, 4})
              limits.push_back({held, runs * run, columns, threads, 1, cluster});
  }

  /// The bytes of the narrowest element that a step takes, an access's at most.
  int64_t leastBytes() const {
    int64_t bytes = target.vectorBytes;
    for (const FlowSegment &segment : program.segments)
      for (Operation *step : segment.group.steps)
        for (Value operand : step->getOperands())
          bytes = std::min(bytes, id::elementBytes(id::elementOf(operand.getType())));
    return bytes;
  }

  /// The bytes of the widest element that is loaded from where a digit was made longer for lanes; 0: there is none.
  int64_t paddedBytes() const {
    int64_t bytes = 0;
    auto isPadded = [](const FlowView &view) {
      id::ResizeOp resize = view.resize;
      return resize && resize->hasAttr(paddedDigitAttr);
    };
    for (const FlowSegment &segment : program.segments)
      for (Operation *step : segment.group.steps)
        for (Value operand : step->getOperands())
          if (FlowValue from = program.resolve(operand); llvm::any_of(from.views, isPadded))
            bytes = std::max(bytes, id::elementBytes(id::elementOf(operand.getType())));
    return bytes;
  }
};

//===--- candidates -----------------------------------------------------------------------------------------------===//

/// Groups that were put together within bounds.
struct Grouping {
  FlowProgram program;
  Merged merged = Merged::Within;
  double waits = 0;
  bool inPhases = false; // wherever they fit

  bool isWithinLimits() const { return merged == Merged::Within; }
  bool isOneKernel() const { return isWithinLimits() && program.segments.size() <= 1; }

  /// True when several kernels store parts of one result.
  bool sharesResults() const {
    return llvm::any_of(program.segments,
                        [](const FlowSegment &segment) { return !segment.group.partsOfOthers().empty(); });
  }

  /// The bytes that its kernels read and write.
  int64_t bytes() const {
    int64_t bytes = 0;
    for (const FlowSegment &segment : program.segments) {
      bytes += readsOf(segment.group) + writesOf(segment.group);
      for (Value part : segment.group.partsOfOthers())
        bytes -= sequenceBytes(part.getType());
    }
    return bytes;
  }

  static int64_t readsOf(const FlowGroup &group) {
    int64_t bytes = 0;
    for (const FlowLoad &load : group.loads)
      bytes += passes::bytesOf(load);
    return bytes;
  }
  static int64_t writesOf(const FlowGroup &group) {
    int64_t bytes = 0;
    for (const FlowStore &store : group.stores)
      bytes += sequenceBytes(store.made.getType());
    return bytes;
  }
};

class GroupPlanner {
public:
  GroupPlanner(const FlowProgram &program, const Target &target, size_t wanted)
      : program(program), target(target), wanted(wanted), bounds(program, target) {}

  std::vector<Grouping> groupings; // by the candidates' `origin`

  std::vector<Candidate> run(Plan plan) {
    const bool hasGroups = llvm::any_of(
        program.segments, [](const FlowSegment &segment) { return !segment.chain && !segment.group.steps.empty(); });
    CandidatePool alone(wanted), many(wanted);
    if (plan == Plan::Latency && target.kind != "cpu" && hasGroups)
      proposeForLatency(alone);
    std::vector<Candidate> found = alone.take();
    if (!found.empty() && (found.size() == wanted || wanted == 1))
      return found;
    SmallVector<LevelLimits> limits = bounds.forThroughput(plan == Plan::Throughput && forTuning);
    limits.truncate(target.kind != "cpu" && hasGroups ? std::min(limits.size(), mostLimits()) : 1);
    proposeForThroughput(limits, many);
    llvm::move(many.take(), std::back_inserter(found));
    return found;
  }

  bool forTuning = false; // also what costs tell apart poorly

private:
  const FlowProgram &program;
  const Target &target;
  const size_t wanted;
  Bounds bounds;

  /// Of long programs, which are many kernels in any case, fewer bounds are tried: together they put so many segments
  /// together.
  size_t mostLimits() const {
    constexpr size_t segments = 8192;
    return std::max<size_t>(1, segments / std::max<size_t>(1, program.segments.size()));
  }

  Grouping &group(const LevelLimits &limits) {
    Grouping &made = groupings.emplace_back(Grouping{program, Merged::Within, bounds.waitsOf(limits), limits.phases});
    made.merged = mergeGroups(made.program, target, limits);
    for (FlowSegment &segment : made.program.segments)
      if (!segment.chain)
        spreadOverThreads(segment.group, target);
    return made;
  }

  void proposeForThroughput(ArrayRef<LevelLimits> limits, CandidatePool &pool) {
    const size_t first = groupings.size();
    double enough = std::numeric_limits<double>::max(); // what one kernel waits for everything
    for (const LevelLimits &tried : limits) {
      // Fewer blocks on a multiprocessor would not be faster.
      if (enough < std::numeric_limits<double>::max() && (bounds.waitsOf(tried) >= enough || tried.resident == 1))
        break;
      Grouping &made = group(tried);
      // Bounds for columns where there are none are those of one thread.
      if (tried.strided &&
          llvm::none_of(made.program.segments, [](const FlowSegment &segment) { return segment.group.loadRuns > 0; }))
        groupings.pop_back();
      else if (wanted == 1 && made.isOneKernel())
        enough = std::min(enough, costOf(made, made.bytes()) / static_cast<double>(made.bytes()) - 1);
    }
    // Phases are there to save kernels.
    size_t fewest = std::numeric_limits<size_t>::max();
    for (size_t i = first; i < groupings.size(); ++i)
      if (!groupings[i].inPhases && groupings[i].isWithinLimits())
        fewest = std::min(fewest, groupings[i].program.segments.size());
    auto saves = [&](const Grouping &made) { return !made.inPhases || made.program.segments.size() < fewest; };
    // Beyond bounds is better than twice the kernels.
    size_t within = std::numeric_limits<size_t>::max();
    for (const Grouping &made : groupings)
      if (made.isWithinLimits() && saves(made))
        within = std::min(within, made.program.segments.size());
    const bool noneWithin = within == std::numeric_limits<size_t>::max();
    auto counts = [&](const Grouping &made) {
      return saves(made) && (made.isWithinLimits() || noneWithin ||
                             (made.merged == Merged::Beyond && made.program.segments.size() <= within / 2));
    };
    int64_t least = std::numeric_limits<int64_t>::max();
    for (size_t i = first; i < groupings.size(); ++i)
      if (counts(groupings[i]))
        least = std::min(least, groupings[i].bytes());
    for (size_t i = first; i < groupings.size(); ++i)
      if (counts(groupings[i]))
        pool.add(candidateOf(i, costOf(groupings[i], least), "bytes", [&](const FlowGroup &group) {
          return bytesOf(group) * (1 + groupings[i].waits) + betweenBlocks(group);
        }));
  }

  /// Bytes, and what is waited meanwhile. Groups beyond their bounds take registers that they do not have, and parts of
  /// a result are written by sectors of their own.
  double costOf(const Grouping &grouping, int64_t least) const {
    const GroupCosts &costs = target.groups;
    const double bytes = std::max(static_cast<double>(grouping.bytes()) / costs.hidden, static_cast<double>(least));
    double between = betweenPhases(grouping);
    for (const FlowSegment &segment : grouping.program.segments)
      between += betweenBlocks(segment.group);
    const auto behind = static_cast<double>(grouping.program.segments.size() - 1); // kernels
    return bytes * (1 + grouping.waits + costs.kernel * behind + (grouping.isWithinLimits() ? 0 : costs.beyond) +
                    (grouping.sharesResults() ? costs.parts : 0)) +
           between;
  }

  /// What the bytes that blocks of a cluster exchange between phases cost.
  double betweenBlocks(const FlowGroup &group) const {
    return target.groups.betweenBlocks * static_cast<double>(group.betweenBlocks);
  }

  /// What those cost that the phases of a block exchange in a program of one kernel, as far as memory leaves no time
  /// for them: too little to be worth a kernel more. Among several kernels the bytes of memory decide, in clusters
  /// those that go from block to block.
  double betweenPhases(const Grouping &grouping) const {
    if (!grouping.isOneKernel())
      return 0;
    const GroupCosts &costs = target.groups;
    double cost = 0;
    for (const FlowSegment &segment : grouping.program.segments) {
      if (segment.group.launch.cluster > 1)
        continue;
      const double moved = bytesOf(segment.group), most = costs.fewThreads * moved;
      const double seen = static_cast<double>(segment.group.betweenPhases) - costs.besideMemory * moved;
      cost += segment.group.hasFewThreads ? most : std::clamp(costs.betweenPhases * seen, 0.0, most);
    }
    return cost;
  }

  /// One kernel, of as many blocks as possible.
  void proposeForLatency(CandidatePool &pool) {
    for (const LevelLimits &limits : bounds.forLatency()) {
      const Grouping &made = group(limits);
      if (!made.isOneKernel())
        continue;
      double bytes = 0;
      for (const FlowSegment &segment : made.program.segments)
        bytes += bytesOfBlock(segment.group);
      pool.add(candidateOf(groupings.size() - 1, bytes, "bytes of a block", bytesOfBlock));
    }
  }

  static double bytesOf(const FlowGroup &group) {
    return static_cast<double>(Grouping::readsOf(group) + Grouping::writesOf(group));
  }
  static double bytesOfBlock(const FlowGroup &group) {
    const int64_t blocks =
        group.launch.blocksTogether() * (group.levels.empty() ? 1 : group.levels.front().extent(digits::Field::Block));
    return bytesOf(group) / static_cast<double>(blocks);
  }

  /// The kernels of the groups, with what they read, write and wait.
  Candidate candidateOf(size_t origin, double cost, const char *unit,
                        llvm::function_ref<double(const FlowGroup &)> costOfKernel) const {
    const Grouping &grouping = groupings[origin];
    Candidate candidate{{}, {cost, unit, {}}, origin};
    for (const FlowSegment &segment : grouping.program.segments) {
      if (segment.chain)
        continue;
      const FlowGroup &own = segment.group;
      candidate.schedule.kernels.push_back(kernelOf(grouping.program, own, target));
      const auto reads = static_cast<double>(Grouping::readsOf(own)),
                 writes = static_cast<double>(Grouping::writesOf(own));
      candidate.cost.kernels.push_back({costOfKernel(own),
                                        {{"reads", reads},
                                         {"writes", writes},
                                         {"waits", (reads + writes) * grouping.waits + betweenBlocks(own)},
                                         {"exchanges", static_cast<double>(exchangesOf(own))},
                                         {"blocks together", static_cast<double>(own.launch.blocksTogether())}}});
      if (const double cost = betweenPhases(grouping))
        candidate.cost.kernels.back().counted.push_back({"for exchanges", cost});
    }
    return candidate;
  }

  /// How often a kernel goes on at another level.
  static int exchangesOf(const FlowGroup &group) {
    int exchanges = 0;
    std::optional<int> level;
    for (Operation *step : group.steps)
      if (!group.joined.contains(step)) {
        exchanges += level && *level != group.level(step);
        level = group.level(step);
      }
    return exchanges;
  }
};

} // namespace

bool passes::planGroups(FlowProgram &program, const Target &target, Plan plan, size_t number, size_t listed,
                        std::vector<Candidate> &best) {
  GroupPlanner planner(program, target, number + std::max<size_t>(1, listed));
  planner.forTuning = number > 0;
  std::vector<Candidate> candidates = planner.run(plan);
  const bool exists = number < candidates.size();
  program = std::move(planner.groupings[candidates[exists ? number : 0].origin].program);
  for (size_t i = number; i < candidates.size() && best.size() < listed; ++i)
    if (!candidates[i].schedule.kernels.empty())
      best.push_back(std::move(candidates[i]));
  return exists;
}
