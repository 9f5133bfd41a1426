// Chooses a schedule by resource analysis.
#pragma once

#include "compiler/passes/Candidates.h"
#include "compiler/passes/StepDigits.h"
#include "compiler/passes/Target.h"

#include "llvm/Support/MathExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::passes {

/// The binary logarithm, rounded down; 0 below 1.
inline int floorLog2(int64_t x) { return x < 1 ? 0 : static_cast<int>(llvm::Log2_64(x)); }

/// Binary digits that a thread of a GPU holds at most, unless a planner tries more: code for 2^6 elements spills what
/// it computes, whatever the data take.
constexpr int usualRegisterDigits = 5;

/// Binary digits of elements of so many bytes that a thread of a GPU holds in registers.
int registerDigits(const Target &target, int64_t registerBytes);

/// Binary digits that a node of a chain may act on, where elements of the chain take so many bytes.
int maxNodeDigits(const Target &target, int64_t registerBytes);

/// What a schedule is good at: many problems at once, or one of them alone.
enum class Plan { Throughput, Latency };
/// "throughput", "latency"; and back (nullopt for another word).
const char *planName(Plan plan);
std::optional<Plan> findPlan(llvm::StringRef name);

/// A buffer that a step reads beside the sequence of the step before.
struct PlanOperand {
  int step;                   // whose pointwise steps take it; one more than there are: after the last
  digits::AddressOrder order; // of the digits that it has, lowest address digit first
  int64_t bytes;              // an element
};

/// A value that waits for another one: the last step that makes it, and the one whose pointwise steps take it.
struct PlanJoin {
  int made, taken;
};

/// What the planner needs to know of a program: nothing about what its nodes compute.
struct PlanRequest {
  Plan plan = Plan::Throughput;
  bool forTuning = false;              // also what costs tell apart poorly, or not at all
  int numDigits = 0;                   // of the logical sequence
  int idleDigits = 0;                  // above those, like those of a batch
  int64_t devices = 1;                 // that each do a part of every kernel's blocks
  std::vector<int> radices;            // of its digits, [digit-1]; those beyond are 2
  bool looksUp = false;                // roots of unity by run-time exponents, which take registers beside each element
  bool sums = false;                   // addresses are sums whatever the radices are, as what is accessed are views
  int64_t elementBytes = 8;            // the largest element that a step makes or takes
  int64_t registerBytes = 8;           // the most that an element takes in registers
  int numbers = 2;                     // that it consists of, at most: vectors of a CPU
  int64_t loadBytes = 8;               // an element of the input
  int64_t storeBytes = 8;              // an element of the output
  StepDigits stepDigits;               // those that the node of each step acts on
  std::vector<int64_t> operationsUpTo; // [step]: of steps 1 … step, about, for an element; empty: next to nothing
  digits::AddressOrder loadOrder;      // of the input, lowest address digit first
  digits::AddressOrder storeOrder;     // of the output
  std::vector<PlanOperand> operands;
  std::vector<PlanJoin> joins;
  std::vector<int> begins; // steps, from 2 on, that begin with another value, an operand of theirs
  int values = 1;          // that a thread holds at a time; of several all steps are one kernel of a block

  /// The most digits that a tile of digits of radix 2 has: it leaves devices some that number blocks.
  int mostTileDigits() const {
    return std::min(numDigits, numDigits + idleDigits - static_cast<int>(llvm::Log2_64_Ceil(devices)));
  }
  /// True when some of the digits that a tile leaves to blocks number as many devices.
  bool leavesDevices(const std::vector<int> &tile) const;
  /// Whether a block has shared memory to exchange a tile of so many digits of radix 2: of narrow elements each may
  /// take a word, and padding takes more.
  bool fitsSharedMemory(int digits, const Target &target) const {
    constexpr int64_t wordBytes = 4;
    return std::max(elementBytes, wordBytes) << digits < target.sharedBytesPerBlock;
  }
  /// The most that what a thread holds of one element takes in registers.
  int64_t heldBytes() const { return values * registerBytes; }
  bool isBegin(int step) const;
  /// True when a kernel may have steps `first` … `last`, as far as they are those of several values.
  bool isPossible(int first, int last) const;
};

/// True when all digits are of radix 2, and addresses are put together from them.
bool areBits(const PlanRequest &request);

/// The `count` cheapest schedules (or fewer) for the plan on a machine, best first: by counted bytes for throughput, by
/// the time of one problem for latency; a CPU has one schedule for both. None with `error` set when a single step has
/// more digits than a block can hold.
std::vector<Candidate> planCandidates(const PlanRequest &request, const Target &target, size_t count,
                                      std::string &error);
/// The cheapest of them; false with `error` set when there is none.
bool planSchedule(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error);

/// The length in bytes of the runs in which a set of digits covers an address order: the element size times two to the
/// number of lowest address digits in the set.
int64_t runBytes(const std::vector<int> &digitSet, const digits::AddressOrder &order, int64_t elementBytes);

/// The digits of a tile that one block holds.
std::vector<int> digitsOfBlock(const digits::Mapping &mapping);

/// The digits of steps `first` … `last`, ascending.
std::vector<int> digitsOfSteps(const PlanRequest &request, int first, int last);
/// How many these are.
int countDigits(const PlanRequest &request, int first, int last);

/// The operations that planners put into one kernel: what is made of them is compiled in a few seconds. A single step
/// may have more.
constexpr int64_t maxKernelOperations = 131072;

/// True when one kernel may have all of steps `first` … `last`, by the operations of a thread that holds so many
/// values.
bool isShortEnough(const PlanRequest &request, int first, int last, int64_t values);

/// Steps `first` … `last` in consecutive groups of at most `size` digits each, as long as possible.
std::vector<std::pair<int, int>> groupSteps(const PlanRequest &request, int first, int last, int size);

/// How two passes follow each other through a ring in the cache: as many tiles on their way as one problem has, and one
/// more for each multiprocessor, where there is room for them. Nothing where there is none for a problem's. `tiles`: of
/// a problem, in both passes.
struct Ring {
  int64_t slots, delay; // problems, tiles
  double cost;          // time of the two passes over that of two kernels
};
std::optional<Ring> ringOf(const PlanRequest &request, int64_t tiles, int64_t problemBytes, const Target &target);
/// What a schedule of two kernels is as one of two passes with a ring between them.
void joinByRing(Schedule &schedule, const Ring &ring);

/// An operand that steps `first` … `last` read, or null.
const PlanOperand *operandOf(const PlanRequest &request, int first, int last);

/// The digits of a sequence that are not in `held`, ascending.
std::vector<int> remainingDigits(const PlanRequest &request, const std::vector<int> &held);

} // namespace idc::passes
