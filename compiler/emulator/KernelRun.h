// One launch of a kernel, a grid: its blocks, their threads, and the order in which these go on.
#pragma once

#include "compiler/emulator/Emulator.h"
#include "compiler/emulator/Flags.h"
#include "compiler/emulator/GlobalMemory.h"

#include "host/Progress.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <random>

namespace idc::emulator {

/// Where the globals of a program lie.
struct GlobalPlace {
  const Global *global = nullptr;
  Buffer *buffer = nullptr;  // global memory
  int64_t sharedOffset = -1; // shared memory
};

class KernelRun {
public:
  /// `grid`: number among those that share `memory`. `progress` counts blocks.
  KernelRun(const Kernel &kernel, const EmulatorOptions &options, const Launch &launch,
            const std::vector<GlobalPlace> &globals, int64_t sharedBytes, GlobalMemory &memory, uint32_t grid,
            host::Progress &progress);

  /// Some threads can go on.
  bool runnable() const;
  /// They do; runnable() must hold.
  void turn();
  bool ended() const { return next == order.size() && resident.empty(); }
  /// A fault ended the run.
  bool hasStopped() const { return stopped; }
  /// Every block has launched what depends on it, or has ended: the next grid may start.
  bool startsDependents() const { return released == launch.blocks; }
  /// The grid before has ended, and those from `from` on before it; what they know of other devices, this one does.
  void previousHasEnded(uint32_t from, const std::shared_ptr<const Known> &known);
  /// The same before this one starts.
  void startBehind(uint32_t from, const std::shared_ptr<const Known> &known);
  /// When this grid has ended, those from here on have: itself and, if all its threads waited, what they waited for.
  uint32_t endedFrom() const {
    return startsBehind || awaiting == launch.blocks * launch.threads ? previousFrom : grid;
  }
  /// What its threads know of other devices.
  const std::shared_ptr<const Known> &learned() const { return ofThreads; }
  /// The clock goes on: threads that have read it ask again for what they wait for. False when there are none.
  bool wakeByTime();
  /// Nobody can go on: says who waits for whom and stops.
  void deadlock();
  KernelReport takeReport();

private:
  /// What orders a thread's accesses after those of others.
  struct Seen {
    uint32_t waits = 0;                 // cluster barriers waited for
    uint32_t acquired = 0;              // of these, up to the last one that orders memory
    bool awaited = false;               // the grids before
    bool started = false;               // all blocks of the cluster have
    std::vector<uint32_t> phases;       // seen to be over, of each counting barrier of the block
    std::shared_ptr<const Known> known; // null: nothing
  };
  struct Thread : Seen {
    enum class State : uint8_t {
      Ready,
      AtBarrier,
      AtWarpBarrier,
      AtShuffle,
      AtClusterBarrier,
      AtGrids,
      AtPhase,
      AtFlag,
      Done
    };
    State state = State::Ready;
    uint32_t pc = 0;
    int64_t iterations = 0;
    uint32_t arrivals = 0;                // cluster barriers arrived at
    std::shared_ptr<const Known> offered; // by a fence, with atomic writes from then on
    Scope offeredTo = Scope::Thread;      // the fence's
    bool askedBefore = false;             // for a phase, in vain
    bool hasReadClock = false;
    size_t waitsFor = 0; // AtPhase: the barrier
    // Places that it asks for a value which others are to change, with what it last read there; how many of them it
    // has asked again since the first answer that differed.
    struct Asked {
      const char *place;
      uint64_t value;
      uint8_t bytes;
    };
    std::vector<Asked> asked;
    size_t askedAgain = 0;
  };
  struct Block;
  /// A barrier in shared memory that counts arrivals and bytes (PTX: mbarrier).
  struct CountingBarrier {
    int64_t offset = 0;
    uint32_t count = 0, pending = 0; // arrivals of a phase; still to come in this one
    int64_t bytes = 0;               // still to come; negative: came before they were expected
    uint32_t phase = 0;              // phases that are over
    bool published = false;          // to the cluster
  };
  struct Cluster {
    std::vector<Block *> blocks;
    uint32_t arrived = 0;      // threads, at barrier number `relaxed.size()`
    bool relaxedNow = false;   // some of them relaxed
    std::vector<bool> relaxed; // of each barrier that all have arrived at
  };
  struct Block {
    Block(const KernelRun &run, int64_t index, std::shared_ptr<Cluster> cluster);
    uint64_t *slots(uint32_t thread) { return frames.data() + size_t(thread) * frameSlots; }

    int64_t index;
    std::shared_ptr<Cluster> cluster;
    bool released = false; // launched what depends on the grid
    uint32_t frameSlots;
    std::vector<uint64_t> frames; // [thread][slot]
    std::vector<Thread> threads;
    std::vector<uint32_t> ready, readyAt; // threads in State::Ready in no order; where each stands there
    uint32_t done = 0, atBarrier = 0;
    uint32_t epoch = 0;               // barriers passed
    std::vector<uint32_t> warpEpochs; // of each warp
    std::vector<char> shared;
    RaceDetector sharedWatch;
    std::vector<CountingBarrier> barriers; // in shared memory
    std::vector<Access> visits;            // by other blocks: of each of their threads, and of each barrier, the last
    FlagsSeen flagsSeen;
    WarpAccesses accesses;

    void setReady(uint32_t thread);
    void setWaiting(uint32_t thread, Thread::State state);
    bool finished() const { return done == threads.size(); }
  };
  /// An asynchronous store that has not landed.
  struct Flight {
    std::shared_ptr<Cluster> cluster;
    int64_t offset;
    std::vector<char> bytes;
    Access access;
    Seen seen; // when it set out
  };

  const Kernel &kernel;
  const EmulatorOptions &options;
  const Launch &launch;
  int64_t sharedBytes;
  GlobalMemory &memory;
  host::Progress &progress;
  const uint32_t grid, device;
  std::vector<uint64_t> frame;   // what every thread starts with
  std::vector<int64_t> executed; // of each instruction
  std::mt19937_64 random;
  std::map<std::pair<Fault::Kind, uint32_t>, size_t> knownFaults;
  KernelReport report;
  std::vector<Flight> flights;
  std::vector<std::pair<Block *, uint32_t>> flagWaiters;
  bool stopped = false;
  std::vector<int64_t> order; // of the clusters
  size_t next = 0;            // of them to start
  std::vector<std::unique_ptr<Block>> resident;
  size_t turns = 0;
  int64_t released = 0;                               // blocks
  int64_t awaiting = 0;                               // threads that waited for the grids before
  bool previousEnded = true;                          // the grid before this one
  uint32_t previousFrom = 0;                          // the first of those that then had ended
  bool startsBehind = false;                          // when it did
  std::shared_ptr<const Known> ofPrevious, ofThreads; // of other devices

  bool mayStart() const;
  bool allWait() const;
  void startCluster(int64_t number);
  void release(Block &block);
  void passGrids(Thread &thread);
  /// A turn of a block: some of its ready threads go on.
  void advance(Block &block);
  /// A thread goes on, at most to its next access to memory unless `far`.
  void step(Block &block, uint32_t thread, bool far);
  void access(Block &block, uint32_t thread, uint32_t pc);
  /// Where an access goes; a fault and false when nowhere.
  struct Place {
    Block *block = nullptr;   // shared memory
    Buffer *buffer = nullptr; // global memory
    char *data = nullptr;
    RaceDetector *watch = nullptr;
    int64_t offset = 0;
  };
  bool place(Block &block, uint32_t thread, uint32_t pc, uint64_t address, int64_t bytes, bool writes, Place &at);
  Access accessNow(const Block &block, uint32_t thread, uint32_t pc) const;
  /// Notes an access for the detection of races. `seen` by the thread when it began.
  void watch(const Place &at, int64_t bytes, bool writes, const Access &now, const Seen &seen);
  void watch(const Block &block, const Place &at, int64_t bytes, bool writes, const Access &now) {
    watch(at, bytes, writes, now, block.threads[now.thread]);
  }
  bool ordered(const Access &earlier, const Access &later, const Seen &seen) const;
  bool happensBefore(const Access &earlier, const Access &later, const Seen &seen) const;
  /// Whether what an access of one block does with this scope concerns another block.
  bool reaches(Scope scope, uint32_t from, uint32_t to) const;
  /// Notes an access to the shared memory of another block, which must not end before.
  void visit(const Block &block, const Place &at, const Access &now);
  void visit(Block &visited, const Access &now);
  /// A block that ends: all visits have to come before.
  void endVisits(const Block &block);
  static void learn(std::shared_ptr<const Known> &known, const std::shared_ptr<const Known> &more);
  void atomic(Block &block, uint32_t thread, uint32_t pc);
  void fence(Block &block, uint32_t thread, const Instruction &i);
  /// An atomic write takes place; `keeps`: together with what was offered before.
  void post(Block &block, uint32_t thread, const Place &at, const Instruction &i, const Access &now, uint64_t value,
            bool keeps);
  /// False when the thread has to wait until one of the values that it asks for changes.
  bool loadAcquire(Block &block, uint32_t thread, uint32_t pc);
  Access atomicNow(const Block &block, uint32_t thread, uint32_t pc) const;
  Flag &flagAt(const Place &at, const Instruction &i);
  /// The number of the value that a thread gets.
  uint32_t valueRead(Block &block, uint32_t thread, const Place &at, const Flag &flag, const Access &now);
  bool isKnown(const Access &writer, const Access &now, const Seen &seen) const;
  static void isRefused(Thread &thread, const char *place, uint64_t value, uint8_t bytes);
  static bool asksInVain(Thread &thread, const char *place, uint64_t value, uint8_t bytes);
  void storeRelaxed(Block &block, uint32_t thread, uint32_t pc);
  /// Those of this grid who wait for a change at a place go on.
  void wake(const char *place);
  template <typename Condition> bool wakeThose(Condition isWoken);

  void barrierInit(Block &block, uint32_t thread, uint32_t pc);
  /// Barriers that the thread has made are published by its next arrival at a cluster barrier.
  static void barrierFence(Block &block);
  /// The counting barrier at an address, in the block `at.block`; a fault and null when there is none.
  CountingBarrier *barrierAt(Block &block, uint32_t thread, uint32_t pc, uint64_t address, Place &at);
  void barrierArrive(Block &block, uint32_t thread, uint32_t pc);
  /// False when the thread has to wait.
  bool barrierTest(Block &block, uint32_t thread, uint32_t pc);
  /// Ends the phase of a barrier when nothing is missing any more.
  void endPhase(Block &block, size_t barrier);
  void storeAsync(Block &block, uint32_t thread, uint32_t pc);
  /// Stores that set out arrive: as many as the order of the run asks for, or one when nothing else can go on.
  void land(bool nothingElse);
  void landOne(size_t flight);
  /// Threads that have met: the phases that one has seen to be over are over for all.
  static void shareSeen(Block &block, uint32_t first, uint32_t end);
  void barrier(Block &block, uint32_t thread);
  void warpBarrier(Block &block, uint32_t thread);
  void clusterArrive(Block &block, uint32_t thread, bool relaxed);
  /// False when the thread has to wait.
  bool clusterWait(Block &block, uint32_t thread);
  static void passClusterBarrier(const Cluster &cluster, Thread &thread);
  void shuffle(Block &block, uint32_t thread);
  /// The lanes of the warp of `thread`: fewer than 32 in a block's last one.
  static uint32_t lanesOf(const Block &block, uint32_t thread);
  /// Whether all of them wait at its instruction.
  static bool gathered(const Block &block, uint32_t thread);
  void account(uint32_t memoryOp, const WarpAccesses::Request &request);
  /// Notes a fault; `detail` is made for the first of its kind at an instruction.
  void fault(Fault::Kind kind, const Block &block, uint32_t thread, uint32_t pc,
             llvm::function_ref<std::string()> detail) {
    faultAt(kind, block.index, thread, pc, detail);
  }
  void faultAt(Fault::Kind kind, int64_t block, uint32_t thread, uint32_t pc, llvm::function_ref<std::string()> detail);
  static std::string describe(const Kernel &kernel, uint32_t pc);
  std::string describe(uint32_t pc) const { return describe(kernel, pc); }
  void count();
};

} // namespace idc::emulator
