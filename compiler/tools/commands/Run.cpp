// `idc run`: its flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/codegen/RequestOptions.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/RunCommand.h"
#include "compiler/tools/commands/Shared.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::runCommand() {
  static cl::SubCommand command("run", "compile an algorithm in memory and run it");
  return command;
}

static cl::opt<std::string> runTarget("target",
                                      cl::desc("gpu, cpu, auto (default: the GPU when there is one), reference: "
                                               "evaluate the program itself, any program; or emulate, "
                                               "emulate:sm_NN: execute the GPU's kernels on the CPU, looking for races "
                                               "and other faults"),
                                      cl::init("auto"), cl::sub(runCommand()), cl::cat(category()));
static cl::opt<int64_t> batch("batch", cl::desc("number of problems (default 1)"), cl::init(1), cl::sub(runCommand()),
                              cl::cat(category()));
static cl::list<std::string> inputs("input", cl::desc("an input as .npy, once for each; random without it"),
                                    cl::value_desc("X.npy"), cl::sub(runCommand()), cl::cat(category()));
static cl::list<std::string> scalars("scalar",
                                     cl::desc("value of a run-time scalar, once for each: lowest=-1e30, on=true; "
                                              "complex: w=0.5,-1; a record's: r.field=1"),
                                     cl::value_desc("NAME=VALUE"), cl::sub(runCommand()), cl::cat(category()));
static cl::list<std::string> outputs("output", cl::desc("where to write an output, once for each"),
                                     cl::value_desc("Y.npy"), cl::sub(runCommand()), cl::cat(category()));
static cl::list<std::string> expected("expect", cl::desc("a reference for an output, once for each"),
                                      cl::value_desc("Y.npy"), cl::sub(runCommand()), cl::cat(category()));
static cl::list<std::string> distributions("random",
                                           cl::desc("how a random input is drawn: x=uniform, b=3+|normal|; ,zero/K "
                                                    "makes every K-th problem zero"),
                                           cl::value_desc("NAME=DISTRIBUTION"), cl::sub(runCommand()),
                                           cl::cat(category()));
static cl::list<std::string> sketches("sketch", cl::desc("where to write a small sketch of an output, once for each"),
                                      cl::value_desc("S.npy"), cl::sub(runCommand()), cl::cat(category()));
static cl::list<std::string> expectedSketches("expect-sketch",
                                              cl::desc("a sketch that an output is compared with, once for each"),
                                              cl::value_desc("S.npy"), cl::sub(runCommand()), cl::cat(category()));
static cl::opt<bool>
    verify("verify",
           cl::desc("compare what the kernels give for a few problems with the reference interpreter of "
                    "the same program: finds mistakes of the compiler; a program that is wrong "
                    "itself passes (see --expect, --print and --trace)"),
           cl::sub(runCommand()), cl::cat(category()));
static cl::opt<bool> printOperands("print",
                                   cl::desc("print the inputs and results of a problem, by the digits of the index"),
                                   cl::sub(runCommand()), cl::cat(category()));
static cl::opt<std::string> traceFile("trace",
                                      cl::desc("print what every step of the source gives, by the reference "
                                               "interpreter; with a file: write it there instead, as JSON"),
                                      cl::ValueOptional, cl::value_desc("FILE.json"), cl::sub(runCommand()),
                                      cl::cat(category()));
static cl::opt<std::string>
    traceAgainst("trace-against",
                 cl::desc("say which step first gives values that the steps of another program do not, for the "
                          "same settings (ENTRY: as --entry), or those that --trace wrote into a file"),
                 cl::value_desc("FILE.id[:ENTRY]|FILE.json"), cl::sub(runCommand()), cl::cat(category()));
static cl::opt<int64_t> shownProblem("problem",
                                     cl::desc("the problem of the batch that is printed and traced (default 0, the "
                                              "first)"),
                                     cl::init(0), cl::value_desc("K"), cl::sub(runCommand()), cl::cat(category()));
static cl::opt<bool> timeIt("time", cl::desc("print the median time, GB/s, and the ratio to a copy"),
                            cl::sub(runCommand()), cl::cat(category()));
static cl::opt<int> repeat("repeat", cl::desc("measurements of which the median is taken (default 20)"), cl::init(20),
                           cl::sub(runCommand()), cl::cat(category()));
static cl::opt<uint64_t> seed("seed", cl::desc("seed of random inputs (default 0)"), cl::init(0), cl::sub(runCommand()),
                              cl::cat(category()));
static cl::opt<std::string> interleaving("interleaving",
                                         cl::desc("emulate: order of the threads: round-robin, random (default; takes "
                                                  "--seed), greedy or reverse"),
                                         cl::init("random"), cl::sub(runCommand()), cl::cat(category()));
static cl::opt<int64_t> heldBlocks("held-blocks",
                                   cl::desc("emulate: blocks that wait for each other which the device holds at once "
                                            "(default: two whole teams)"),
                                   cl::init(0), cl::sub(runCommand()), cl::cat(category()));
static cl::opt<std::string> emulatorReport("report",
                                           cl::desc("emulate: print what was counted of every kernel, or write it as "
                                                    "JSON to a file"),
                                           cl::ValueOptional, cl::value_desc("FILE.json"), cl::sub(runCommand()),
                                           cl::cat(category()));

/// FILE.id[:ENTRY] with the settings of a request.
static codegen::CompileRequest otherProgram(llvm::StringRef text, codegen::CompileRequest request) {
  auto [path, name] = text.rsplit(':');
  if (!path.ends_with(".id") || name.ends_with(".id"))
    std::tie(path, name) = std::pair(text, llvm::StringRef());
  codegen::setFile(path, request);
  if (!name.empty())
    request.entry = name.str();
  return request;
}

int commands::run() {
  codegen::CompileRequest request;
  if (!makeRequest(request))
    return 1;
  std::optional<std::string> device = deviceOf(runTarget, request);
  if (!device)
    return 1;
  tools::Emulation emulation;
  emulation.options.seed = seed;
  emulation.reportFile = emulatorReport;
  emulation.printReport = emulatorReport.getNumOccurrences() && emulatorReport.empty();
  std::optional<emulator::Interleaving> order = emulator::findInterleaving(interleaving);
  if (!order)
    return fail("unknown interleaving '" + interleaving + "'; known are round-robin, random, greedy and reverse");
  emulation.options.interleaving = *order;
  emulation.options.heldBlocks = heldBlocks;
  host::RunRequest work;
  work.batch = batch;
  work.inputs.assign(inputs.begin(), inputs.end());
  work.scalars.assign(scalars.begin(), scalars.end());
  work.outputs.assign(outputs.begin(), outputs.end());
  work.expected.assign(expected.begin(), expected.end());
  work.sketches.assign(sketches.begin(), sketches.end());
  work.expectedSketches.assign(expectedSketches.begin(), expectedSketches.end());
  work.distributions.assign(distributions.begin(), distributions.end());
  std::optional<double> tolerance = givenTolerance();
  if (!tolerance)
    return 1;
  work.tolerance = *tolerance;
  work.seed = seed;
  work.inPlace = request.inPlace;
  work.time = timeIt;
  work.repeat = repeat;
  tools::Inspection inspection;
  inspection.problem = shownProblem;
  inspection.operands = printOperands;
  inspection.steps = traceFile.getNumOccurrences() && traceFile.empty();
  inspection.traceFile = traceFile;
  inspection.againstName = traceAgainst;
  if (!traceAgainst.empty() && !llvm::StringRef(traceAgainst).ends_with(".json"))
    inspection.against = otherProgram(traceAgainst, request);
  if (shownProblem.getNumOccurrences() && !inspection.any())
    return fail("--problem is for --print, --trace and --trace-against");
  return tools::runProgram(std::move(request), std::move(work), *device, verify, emulation, inspection);
}
