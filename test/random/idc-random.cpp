// Random programs of the language through the reference, the CPU target and the emulator (docs/testing.md).
#include "Coverage.h"
#include "Execute.h"
#include "Faults.h"
#include "Shrink.h"
#include "Source.h"

#include "compiler/tools/CommandLine.h"
#include "compiler/tools/Messages.h"
#include "id/IdDialect.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>

using namespace idc::random;
namespace cl = llvm::cl;

static cl::opt<uint64_t> seed("seed", cl::desc("of programs, data and orders of threads"), cl::init(1));
static cl::opt<uint64_t> first("first", cl::desc("number of the first program"), cl::init(0));
static cl::opt<uint64_t> count("count", cl::desc("programs"), cl::init(100));
static cl::opt<double> seconds("seconds", cl::desc("begin no program after so long; 0: run them all"), cl::init(0));
static cl::opt<std::string> file(cl::Positional, cl::desc("[FILE.id]"));
static cl::opt<bool> printOnly("print", cl::desc("print the programs instead of running them"));
static cl::opt<bool> shrinking("shrink", cl::desc("make a failing program smaller before it is printed"),
                               cl::init(true));
static cl::opt<bool> onCpu("cpu", cl::desc("run on the CPU target"), cl::init(true));
static cl::opt<bool> emulated("emulator", cl::desc("run the GPU's kernels in the emulator"), cl::init(true));
static cl::opt<std::string> arch("arch", cl::desc("the GPU that is emulated"), cl::init("sm_90"));
static cl::opt<uint64_t> mostFailures("failures", cl::desc("stop after so many"), cl::init(10));

static cl::opt<bool> printCoverage("coverage", cl::desc("print what the compiled programs were made of"));
static cl::opt<std::string> cover("cover", cl::desc("a file with the cells of that table that must not be empty"));

static cl::opt<std::string> crossing("crossing", cl::desc("what steps say of values between kernels: stored or "
                                                          "recomputed (default: the compiler's choice)"));

static cl::opt<uint64_t> devices("devices",
                                 cl::desc("emulate so many that work on each program together, as far as its "
                                          "digits number them"),
                                 cl::init(1));

static cl::opt<uint64_t> chunks("chunks",
                                cl::desc("emulate data in host memory that pass in so many chunks through a device, "
                                         "as far as its digits number them"),
                                cl::init(1));

static cl::opt<bool> plantFaults("faults", cl::desc("plant faults instead: random programs have to show each, on the "
                                                    "emulator, before --count programs have run"));
static cl::opt<std::string> onlyFault("fault", cl::desc("only those whose name contains this"));

/// What is being run, for a crash that ends the process.
static const Program *current = nullptr;
static uint64_t currentIndex = 0;

/// Gives every step the attribute that decides between storing and recomputing its values.
static void forceCrossing(mlir::ModuleOp module) {
  auto how = mlir::StringAttr::get(module.getContext(), crossing);
  module.walk([&](mlir::Operation *op) {
    if (mlir::isa<idc::id::TwiddleOp, idc::id::PointwiseOp, idc::id::NodeOp>(op))
      op->setAttr("id.crossing", how);
  });
}

/// Runs one program; a crash is an outcome, too.
static Outcome run(const Program &program, Coverage *coverage = nullptr) {
  current = &program;
  Execution execution;
  execution.seed = seed;
  execution.cpu = onCpu;
  execution.emulator = emulated;
  execution.arch = arch;
  execution.gpuChanges.devices = static_cast<int64_t>(devices.getValue());
  execution.gpuChanges.chunks = static_cast<int64_t>(chunks.getValue());
  if (!crossing.empty())
    execution.cpuChanges.flow = execution.gpuChanges.flow = forceCrossing;
  if (coverage) {
    execution.cpuChanges.stages = [&](mlir::ModuleOp module) { coverage->count(module, "cpu"); };
    execution.gpuChanges.stages = [&](mlir::ModuleOp module) { coverage->count(module, "gpu"); };
  }
  Outcome outcome;
  llvm::CrashRecoveryContext context;
  if (!context.RunSafely([&] { outcome = execute(program, execution); }))
    outcome = {Outcome::Kind::Crash, "compiler", "crash"};
  return outcome;
}

static void report(uint64_t index, Program program, Outcome outcome) {
  if (shrinking)
    program = shrink(program, [&](const Program &candidate) {
      Outcome other = run(candidate);
      return other.kind == outcome.kind && other.where == outcome.where;
    });
  outcome = run(program);
  static const char *const kinds[] = {"same", "differs", "is rejected", "crashes"};
  llvm::outs() << "program " << index << " of seed " << seed << " " << kinds[static_cast<int>(outcome.kind)] << " ("
               << outcome.where << "), batch " << program.batch << "\n"
               << outcome.detail << "\n"
               << program.text << "\n";
  llvm::outs().flush();
}

/// Plants every fault into one program after the other until one shows it. False when one stays hidden.
static bool runFaults() {
  int hidden = 0;
  for (const Fault &fault : allFaults()) {
    if (!llvm::StringRef(fault.name).contains(onlyFault))
      continue;
    uint64_t index = first, planted = 0, refused = 0;
    Outcome outcome;
    for (; index < first + count; ++index) {
      Program program = write(draftProgram(seed, index));
      current = &program;
      currentIndex = index;
      int places = 0;
      Execution execution;
      execution.seed = seed;
      execution.cpu = false;
      Execution healthy = execution;
      execution.gpuChanges = plant(fault, places);
      execution.worthEmulating = [&] { return places > 0; };
      llvm::CrashRecoveryContext context;
      if (!context.RunSafely([&] { outcome = execute(program, execution); }))
        outcome = {Outcome::Kind::Crash, "compiler", "crash"};
      if (!places)
        continue;
      ++planted;
      // A compiler that notices is no compiler that does something wrong.
      refused += outcome.failed() && outcome.kind != Outcome::Kind::Different;
      // What the program does without the fault does not count.
      if (outcome.kind == Outcome::Kind::Different && !execute(program, healthy).failed())
        break;
      outcome = {};
    }
    bool shown = outcome.kind == Outcome::Kind::Different;
    hidden += !shown;
    llvm::outs() << (shown ? "shown:  " : "HIDDEN: ") << fault.name << ": " << index - first + shown << " programs, "
                 << planted << " with the fault" << (refused ? ", " + std::to_string(refused) + " refused" : "")
                 << "\n";
  }
  return !hidden;
}

/// Runs the algorithm `f` of a file, whose results must agree exactly.
static int runFile() {
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text)
    return idc::tools::fail("cannot read '" + file + "': " + text.getError().message());
  Program program;
  program.text = (*text)->getBuffer().str();
  program.batch = 3;
  Outcome outcome = run(program);
  llvm::outs() << (outcome.failed() ? outcome.where + ": " + outcome.detail : "agrees") << "\n";
  return outcome.kind == Outcome::Kind::Same ? 0 : 1;
}

int main(int argc, char **argv) {
  if (!idc::tools::parseCommandLine(
          {argv, argv + argc},
          "random programs, or the algorithm f of a file: reference, CPU and emulator must agree\n"))
    return 2;
  llvm::CrashRecoveryContext::Enable();
  llvm::sys::AddSignalHandler(
      [](void *) {
        if (current)
          llvm::errs() << "program " << currentIndex << " of seed " << seed << ":\n" << current->text;
      },
      nullptr);
  if (plantFaults)
    return runFaults() ? 0 : 1;
  if (!file.empty())
    return runFile();
  auto start = std::chrono::steady_clock::now();
  uint64_t done = 0, failures = 0, undivided = 0;
  Coverage coverage;
  for (uint64_t index = first; index < first + count && failures < mostFailures; ++index, ++done) {
    double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > 0 && elapsed > seconds)
      break;
    Program program = write(draftProgram(seed, index));
    if (printOnly) {
      llvm::outs() << "// program " << index << " of seed " << seed << ", batch " << program.batch << "\n"
                   << program.text << "\n";
      continue;
    }
    currentIndex = index;
    Outcome outcome = run(program, &coverage);
    if ((devices > 1 || chunks > 1) && outcome.kind == Outcome::Kind::Rejected && outcome.where == "emulator") {
      ++undivided;
      continue;
    }
    if (outcome.failed()) {
      ++failures;
      report(index, program, outcome);
    }
  }
  if (printOnly)
    return 0;
  llvm::outs() << done << " programs, " << failures << " failed";
  if (undivided)
    llvm::outs() << ", " << undivided << " not for several " << (chunks > 1 ? "chunks" : "devices");
  llvm::outs() << "\n";
  if (printCoverage)
    coverage.print(llvm::outs());
  bool covered = true;
  if (!cover.empty()) {
    auto list = llvm::MemoryBuffer::getFile(cover);
    if (!list)
      return idc::tools::fail("cannot read '" + cover + "': " + list.getError().message());
    for (const std::string &cell : coverage.missing((*list)->getBuffer())) {
      llvm::outs() << "not covered: " << cell << "\n";
      covered = false;
    }
  }
  return failures || !covered ? 1 : 0;
}
