// The idc driver: the command-line flags of all commands.
#include "compiler/codegen/Compiler.h"
#include "compiler/codegen/Installation.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/lsp/Server.h"
#include "compiler/tools/AdjointCommand.h"
#include "compiler/tools/Architectures.h"
#include "compiler/tools/CheckCommand.h"
#include "compiler/tools/DocCommand.h"
#include "compiler/tools/DoctorCommand.h"
#include "compiler/tools/ExplainCommand.h"
#include "compiler/tools/FormatCommand.h"
#include "compiler/tools/LibraryCommand.h"
#include "compiler/tools/ListCommand.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/OutputFiles.h"
#include "compiler/tools/ProgramFiles.h"
#include "compiler/tools/RunCommand.h"
#include "compiler/tools/TestCommand.h"
#include "compiler/tools/TuneCommand.h"

#include "idc/runtime.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <iostream>

using namespace idc;
using codegen::Compiler;
using codegen::Level;
using tools::fail;
namespace cl = llvm::cl;

static cl::SubCommand compileCommand("compile", "compile an algorithm and write the levels asked for");
static cl::SubCommand runCommand("run", "compile an algorithm in memory and run it");
static cl::SubCommand testCommand("test", "run the examples that programs have in lines beginning with //!");
static cl::SubCommand listCommand("list", "name the algorithms of programs, or of the standard library, with their "
                                          "parameters and shapes");
static cl::SubCommand docCommand("doc", "write a reference of the algorithms of programs, or of the standard library, "
                                        "in Markdown");
static cl::SubCommand checkCommand("check", "report mistakes without compiling");
static cl::SubCommand explainCommand("explain", "show what became of an algorithm: its circuit, stages, mappings and "
                                                "costs, as text or pictures");
static cl::SubCommand tuneCommand("tune",
                                  "measure candidate schedules on this machine's GPU and keep the best; or write "
                                  "candidates for another machine, and keep the best of those measured there");
static cl::SubCommand adjointCommand("adjoint", "derive the program that computes the gradients of an algorithm's "
                                                "inputs from those of its results");
static cl::SubCommand formatCommand("format", "print programs in the one style");

static cl::SubCommand doctorCommand("doctor", "say what is there of what idc works with, and what to do where it is "
                                              "not");
static cl::SubCommand lspCommand("lsp", "serve an editor, on standard input and output (docs/editors.md)");

static cl::OptionCategory category("idc options");

// All commands on one program.
static cl::opt<std::string> file(cl::Positional, cl::desc("FILE.id"), cl::Required, cl::sub(compileCommand),
                                 cl::sub(runCommand), cl::sub(explainCommand), cl::sub(tuneCommand),
                                 cl::sub(adjointCommand), cl::cat(category));
static cl::opt<std::string> entry("entry", cl::desc("algorithm (default: the file's only one; check: none)"),
                                  cl::value_desc("NAME"), cl::sub(compileCommand), cl::sub(runCommand),
                                  cl::sub(explainCommand), cl::sub(tuneCommand), cl::sub(checkCommand),
                                  cl::sub(adjointCommand), cl::cat(category));
static cl::list<std::string> listedFiles(cl::Positional, cl::desc("[FILE.id… or folders]"), cl::sub(listCommand),
                                         cl::sub(docCommand), cl::cat(category));
static cl::list<std::string> files(cl::Positional, cl::desc("FILE.id… or folders"), cl::OneOrMore,
                                   cl::sub(checkCommand), cl::sub(testCommand), cl::cat(category));
static cl::list<std::string> settings("set",
                                      cl::desc("bind a size or a type variable: n=12, T=f64; for a library also "
                                               "ranges and lists: n=8..24, T=f32,f64"),
                                      cl::value_desc("NAME=VALUE"), cl::sub(compileCommand), cl::sub(runCommand),
                                      cl::sub(explainCommand), cl::sub(tuneCommand), cl::sub(checkCommand),
                                      cl::sub(adjointCommand), cl::cat(category));
static cl::opt<std::string> arch("arch",
                                 cl::desc("GPU architecture: sm_75 to sm_121, or native, this machine's (run: the "
                                          "default when it has one; else sm_90); for a library also a list"),
                                 cl::init("sm_90"), cl::value_desc("sm_NN"), cl::sub(compileCommand),
                                 cl::sub(runCommand), cl::sub(explainCommand), cl::sub(tuneCommand),
                                 cl::sub(docCommand), cl::cat(category));
static cl::opt<std::string> plan("plan",
                                 cl::desc("throughput (default): many problems at once; latency: one problem "
                                          "at a time, soonest"),
                                 cl::init("throughput"), cl::value_desc("PLAN"), cl::sub(compileCommand),
                                 cl::sub(runCommand), cl::sub(explainCommand), cl::sub(tuneCommand), cl::cat(category));
static cl::list<std::string> libraries("I", cl::desc("folder searched for imports before the standard library"),
                                       cl::value_desc("FOLDER"), cl::Prefix, cl::sub(compileCommand),
                                       cl::sub(runCommand), cl::sub(explainCommand), cl::sub(tuneCommand),
                                       cl::sub(checkCommand), cl::sub(testCommand), cl::sub(listCommand),
                                       cl::sub(docCommand), cl::sub(adjointCommand), cl::sub(lspCommand),
                                       cl::cat(category));
static cl::opt<std::string> scheduleFile("schedule", cl::desc("take the schedule from this .id file"),
                                         cl::value_desc("FILE"), cl::sub(compileCommand), cl::sub(runCommand),
                                         cl::sub(explainCommand), cl::cat(category));
static cl::opt<unsigned> candidate("candidate",
                                   cl::desc("take the planner's choice number N, 0 being the best, and no schedule of "
                                            "the program or a table; idc tune measures them"),
                                   cl::value_desc("N"), cl::sub(compileCommand), cl::sub(runCommand),
                                   cl::sub(explainCommand), cl::cat(category));

static cl::list<std::string>
    layouts("layout",
            cl::desc("how an input or result (y0, y1, …) lies in memory: x=stride:4,offset:1,batch:4096 (elements; "
                     "stride:1040:1 for two dimensions), x=planar (each number of an element in an array of its own)"),
            cl::value_desc("NAME=PROPERTY,…"), cl::sub(compileCommand), cl::sub(runCommand), cl::cat(category));
static cl::opt<bool> inPlace("in-place",
                             cl::desc("every result may have the memory of an input; run: it has that of the first "
                                      "one that it may"),
                             cl::sub(compileCommand), cl::sub(runCommand), cl::sub(explainCommand), cl::cat(category));

// idc compile
static cl::opt<std::string> compileTarget("target", cl::desc("nvptx (default) or cpu; for a library also nvptx,cpu"),
                                          cl::init("nvptx"), cl::sub(compileCommand), cl::cat(category));
static cl::list<std::string>
    emit("emit", cl::CommaSeparated,
         cl::desc("levels to write: ast, id, flow, stages, gpu, llvm, ptx, cubin, fatbin, "
                  "manifest; or library (default with -o): libPREFIX.a, PREFIX.h and PREFIX.json"),
         cl::value_desc("LEVEL,…"), cl::sub(compileCommand), cl::cat(category));
static cl::opt<std::string> outputPrefix("o",
                                         cl::desc("write PREFIX.ptx, PREFIX.json, … (PREFIX.ptx may stand "
                                                  "for PREFIX where it is written); without it one text level "
                                                  "goes to standard output"),
                                         cl::value_desc("PREFIX"), cl::sub(compileCommand), cl::cat(category));
static cl::opt<std::string> depfile("depfile", cl::desc("library: write the files it is made of as a rule of make"),
                                    cl::value_desc("FILE"), cl::sub(compileCommand), cl::cat(category));
static cl::opt<unsigned> jobs("j", cl::desc("library: compile so many sizes at a time (default: one per core)"),
                              cl::init(0), cl::value_desc("N"), cl::Prefix, cl::sub(compileCommand), cl::cat(category));
static cl::opt<bool> printSchedule("print-schedule", cl::desc("print the schedule in force as source text"),
                                   cl::sub(compileCommand), cl::cat(category));

// idc run
static cl::opt<std::string> runTarget("target",
                                      cl::desc("gpu, cpu, auto (default: the GPU when there is one), reference: "
                                               "evaluate the program itself, any program; or emulate, "
                                               "emulate:sm_NN: execute the GPU's kernels on the CPU, looking for races "
                                               "and other faults"),
                                      cl::init("auto"), cl::sub(runCommand), cl::cat(category));
static cl::opt<int64_t> batch("batch", cl::desc("number of problems (default 1)"), cl::init(1), cl::sub(runCommand),
                              cl::cat(category));
static cl::list<std::string> inputs("input", cl::desc("an input as .npy, once for each; random without it"),
                                    cl::value_desc("X.npy"), cl::sub(runCommand), cl::cat(category));
static cl::list<std::string> scalars("scalar",
                                     cl::desc("value of a run-time scalar, once for each: lowest=-1e30, on=true; "
                                              "complex: w=0.5,-1; a record's: r.field=1"),
                                     cl::value_desc("NAME=VALUE"), cl::sub(runCommand), cl::cat(category));
static cl::list<std::string> outputs("output", cl::desc("where to write an output, once for each"),
                                     cl::value_desc("Y.npy"), cl::sub(runCommand), cl::cat(category));
static cl::list<std::string> expected("expect", cl::desc("a reference for an output, once for each"),
                                      cl::value_desc("Y.npy"), cl::sub(runCommand), cl::cat(category));
static cl::list<std::string> distributions("random",
                                           cl::desc("how a random input is drawn: x=uniform, b=3+|normal|; ,zero/K "
                                                    "makes every K-th problem zero"),
                                           cl::value_desc("NAME=DISTRIBUTION"), cl::sub(runCommand), cl::cat(category));
static cl::list<std::string> sketches("sketch", cl::desc("where to write a small sketch of an output, once for each"),
                                      cl::value_desc("S.npy"), cl::sub(runCommand), cl::cat(category));
static cl::list<std::string> expectedSketches("expect-sketch",
                                              cl::desc("a sketch that an output is compared with, once for each"),
                                              cl::value_desc("S.npy"), cl::sub(runCommand), cl::cat(category));
static cl::opt<bool>
    verify("verify",
           cl::desc("compare what the kernels give for a few problems with the reference interpreter of "
                    "the same program: finds mistakes of the compiler; a program that is wrong "
                    "itself passes (see --expect, --print and --trace)"),
           cl::sub(runCommand), cl::cat(category));
static cl::opt<bool> printOperands("print",
                                   cl::desc("print the inputs and results of a problem, by the digits of the index"),
                                   cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string> traceFile("trace",
                                      cl::desc("print what every step of the source gives, by the reference "
                                               "interpreter; with a file: write it there instead, as JSON"),
                                      cl::ValueOptional, cl::value_desc("FILE.json"), cl::sub(runCommand),
                                      cl::cat(category));
static cl::opt<std::string>
    traceAgainst("trace-against",
                 cl::desc("say which step first gives values that the steps of another program do not, for the "
                          "same settings (ENTRY: as --entry), or those that --trace wrote into a file"),
                 cl::value_desc("FILE.id[:ENTRY]|FILE.json"), cl::sub(runCommand), cl::cat(category));
static cl::opt<int64_t> shownProblem("problem",
                                     cl::desc("the problem of the batch that is printed and traced (default 0, the "
                                              "first)"),
                                     cl::init(0), cl::value_desc("K"), cl::sub(runCommand), cl::cat(category));
static cl::opt<double> tolerance("tolerance", cl::desc("largest relative L2 error that passes (default 1e-5)"),
                                 cl::init(1e-5), cl::sub(runCommand), cl::sub(testCommand), cl::cat(category));
static cl::opt<bool> timeIt("time", cl::desc("print the median time, GB/s, and the ratio to a copy"),
                            cl::sub(runCommand), cl::cat(category));
static cl::opt<int> repeat("repeat", cl::desc("measurements of which the median is taken (default 20)"), cl::init(20),
                           cl::sub(runCommand), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("seed of random inputs (default 0)"), cl::init(0), cl::sub(runCommand),
                              cl::cat(category));

static cl::opt<std::string> interleaving("interleaving",
                                         cl::desc("emulate: order of the threads: round-robin, random (default; takes "
                                                  "--seed), greedy or reverse"),
                                         cl::init("random"), cl::sub(runCommand), cl::cat(category));
static cl::opt<int64_t> heldBlocks("held-blocks",
                                   cl::desc("emulate: blocks that wait for each other which the device holds at once "
                                            "(default: two whole teams)"),
                                   cl::init(0), cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string> emulatorReport("report",
                                           cl::desc("emulate: print what was counted of every kernel, or write it as "
                                                    "JSON to a file"),
                                           cl::ValueOptional, cl::value_desc("FILE.json"), cl::sub(runCommand),
                                           cl::cat(category));

// idc explain
static cl::opt<bool> explainText("text", cl::desc("print (the default)"), cl::sub(explainCommand), cl::cat(category));
static cl::opt<std::string> svgFolder("svg",
                                      cl::desc("write digits.svg, kernels.svg and, for up to 64 wires, circuit.svg"),
                                      cl::value_desc("FOLDER"), cl::sub(explainCommand), cl::cat(category));
static cl::opt<std::string> htmlFile("html",
                                     cl::desc("write one page with text and pictures, which needs nothing else"),
                                     cl::value_desc("PAGE.html"), cl::sub(explainCommand), cl::cat(category));

// idc tune
static cl::opt<unsigned> candidates("candidates", cl::desc("schedules to try for each size (default 16)"), cl::init(16),
                                    cl::value_desc("K"), cl::sub(tuneCommand), cl::cat(category));
static cl::opt<std::string> candidateFolder("o", cl::desc("where to write the candidates and the list of jobs"),
                                            cl::value_desc("FOLDER"), cl::sub(tuneCommand), cl::cat(category));
static cl::opt<std::string> results("results", cl::desc("merge what idc-runner --jobs measured into the table instead"),
                                    cl::value_desc("RESULTS.json"), cl::sub(tuneCommand), cl::cat(category));
static cl::opt<bool> composeThem("compose",
                                 cl::desc("instead of merging, add schedules that single measured kernels make up "
                                          "to the candidates"),
                                 cl::sub(tuneCommand), cl::cat(category));
static cl::opt<std::string> table("table",
                                  cl::desc("table of schedules (default: the user's, ARCH/FILE.id in $IDC_TUNED or "
                                           "~/.local/share/idc/tuned)"),
                                  cl::value_desc("TABLE.id"), cl::sub(tuneCommand), cl::cat(category));

// idc adjoint
static cl::list<std::string> withRespectTo("with-respect-to", cl::CommaSeparated,
                                           cl::desc("the inputs whose gradients are computed (default: all of reals "
                                                    "and complex numbers)"),
                                           cl::value_desc("X,Y"), cl::sub(adjointCommand), cl::cat(category));
static cl::opt<std::string> adjointFile("o", cl::desc("write the program to a file instead of standard output"),
                                        cl::value_desc("FILE.id"), cl::sub(adjointCommand), cl::cat(category));

// idc check
static cl::opt<bool> checkJson("json", cl::desc("print the messages as a JSON array to standard output"),
                               cl::sub(checkCommand), cl::cat(category));

// idc test
static cl::opt<std::string>
    testTarget("target",
               cl::desc("reference (default): evaluate the programs themselves; or run compiled "
                        "kernels: cpu, gpu, auto, emulate, emulate:sm_NN"),
               cl::init("reference"), cl::value_desc("TARGET"), cl::sub(testCommand), cl::cat(category));

// idc format
static cl::list<std::string> formatFiles(cl::Positional, cl::desc("FILE.id… (-: standard input)"), cl::OneOrMore,
                                         cl::sub(formatCommand), cl::cat(category));
static cl::opt<bool> formatInPlace("i", cl::desc("write the files instead of standard output"), cl::sub(formatCommand),
                                   cl::cat(category));
static cl::opt<bool> formatCheck("check",
                                 cl::desc("write nothing; name the files that are not in the style, exit "
                                          "status 1 if there is one"),
                                 cl::sub(formatCommand), cl::cat(category));

/// Options take one value, and LLVM keeps the last of several.
static bool checkGivenOnce() {
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (*command)
      for (const auto &[name, option] : cl::getRegisteredOptions(*command))
        if (option->getNumOccurrencesFlag() == cl::Optional && option->getNumOccurrences() > 1 &&
            option->getValueExpectedFlag() == cl::ValueRequired) {
          fail((name.size() > 1 ? "--" : "-") + llvm::Twine(name) + " is given twice");
          return false;
        }
  return true;
}

/// Sets the target of a request by the name of a GPU; false with a message printed when there is none.
static bool chooseArchitecture(llvm::StringRef named, codegen::CompileRequest &request) {
  llvm::Expected<std::vector<std::string>> found = tools::architecturesOf(named);
  if (!found)
    fail(found.takeError());
  else if (found->size() > 1)
    fail("--arch names one GPU; only a library takes several");
  else
    request.target = found->front();
  return found && found->size() == 1;
}

/// `emulate` and `emulate:sm_NN`: sets the architecture; false with a message printed when there is no such GPU or
/// --arch names another.
static bool chooseEmulated(llvm::StringRef target, codegen::CompileRequest &request) {
  std::string named = arch;
  if (target.contains(':')) {
    named = target.split(':').second.str();
    if (arch.getNumOccurrences() && named != arch.getValue()) {
      fail("--target " + target + " and --arch " + arch + " name different architectures");
      return false;
    }
  }
  if (!chooseArchitecture(named, request))
    return false;
  if (request.target != "cpu")
    return true;
  fail("there is no cpu to emulate, only GPUs; --target cpu runs on this computer");
  return false;
}

/// The same for a run on a GPU, which is this machine's unless another one is named.
static bool chooseGpu(codegen::CompileRequest &request) {
  const bool isThere = idc_device_available() == IDC_SUCCESS;
  return chooseArchitecture(arch.getNumOccurrences() || !isThere ? arch : llvm::StringRef("native"), request);
}

/// Folders that imports are looked up in behind a file's own, the standard library last.
static std::vector<std::string> libraryFolders() {
  std::vector<std::string> folders(libraries.begin(), libraries.end());
  folders.push_back(codegen::standardLibrary());
  return folders;
}

/// Fills the request from the common flags but for --set; false with a message printed on a malformed one.
static bool makeRequestWithoutSettings(codegen::CompileRequest &request) {
  request.entry = entry;
  request.scheduleFile = scheduleFile;
  request.candidate = candidate;
  request.ownSchedules = candidate.getNumOccurrences() == 0;
  request.inPlace = inPlace;
  request.layouts.assign(layouts.begin(), layouts.end());
  if (llvm::Error error = codegen::setPlan(plan, request)) {
    fail(std::move(error));
    return false;
  }
  request.libraries = libraryFolders();
  codegen::setFile(file, request);
  return true;
}

/// Fills the request from the common flags; false with a message printed on a malformed one.
static bool makeRequest(codegen::CompileRequest &request) {
  if (!makeRequestWithoutSettings(request))
    return false;
  for (llvm::StringRef setting : settings)
    if (llvm::Error error = codegen::addSetting(setting, request)) {
      fail(std::move(error));
      return false;
    }
  return true;
}

/// `idc compile` of a library.
static int compileLibrary() {
  tools::LibraryRequest request;
  if (!makeRequestWithoutSettings(request.program))
    return 1;
  request.settings.assign(settings.begin(), settings.end());
  request.targets = compileTarget;
  if (llvm::StringRef(compileTarget).contains("nvptx")) {
    llvm::Expected<std::vector<std::string>> found = tools::architecturesOf(arch);
    if (!found)
      return fail(found.takeError());
    request.architectures = std::move(*found);
  }
  request.prefix = outputPrefix;
  request.depfile = depfile;
  request.jobs = jobs;
  return tools::compileLibrary(request);
}

/// PREFIX of PREFIX.ptx when the levels asked for have such a file, so that -o may name one of them.
static std::string withoutExtension(llvm::StringRef path, llvm::ArrayRef<Level> levels) {
  for (Level level : levels)
    if (std::string extension = std::string(".") + codegen::levelExtension(level);
        path.ends_with(extension) && !llvm::sys::path::filename(path.drop_back(extension.size())).empty())
      return path.drop_back(extension.size()).str();
  return path.str();
}

static std::string levelNames() {
  std::vector<std::string> names;
  for (int level = 0; level <= static_cast<int>(Level::Manifest); ++level)
    names.push_back(codegen::levelName(static_cast<Level>(level)));
  return llvm::join(names, ", ") + " and library";
}

static int compile() {
  bool otherOutput = printSchedule || outputPrefix.empty() || outputPrefix == "-";
  if (emit.empty() ? !otherOutput : llvm::is_contained(emit, "library")) {
    if (emit.size() > 1)
      return fail("--emit=library stands alone: a library has its own manifest");
    if (otherOutput)
      return fail("a library needs -o PREFIX, and no --print-schedule");
    return compileLibrary();
  }
  if (!depfile.empty())
    return fail("--depfile is for libraries");
  codegen::CompileRequest request;
  if (!makeRequest(request))
    return 1;
  if (compileTarget == "cpu")
    request.target = "cpu";
  else if (compileTarget != "nvptx")
    return fail("unknown target '" + compileTarget + "'; known are nvptx and cpu");
  else if (!chooseArchitecture(arch, request))
    return 1;
  std::vector<Level> wanted;
  for (const std::string &name : emit) {
    std::optional<Level> level = codegen::findLevel(name);
    if (!level)
      return fail("--emit: unknown level '" + name + "'; known are " + levelNames());
    wanted.push_back(*level);
  }
  if (wanted.empty() && !printSchedule) {
    std::string missing = request.target == "cpu" ? "" : Compiler::whyNoFatbin();
    if (!missing.empty())
      tools::note(missing);
    wanted = {request.target == "cpu" ? Level::Llvm : missing.empty() ? Level::Fatbin : Level::Ptx, Level::Manifest};
  }
  std::sort(wanted.begin(), wanted.end()); // each level consumes the one above it
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  bool toFiles = !outputPrefix.empty() && outputPrefix != "-";
  if (!toFiles && wanted.size() > 1)
    return fail("several levels need -o PREFIX");
  if (!toFiles && wanted.size() == 1 && (wanted[0] == Level::Cubin || wanted[0] == Level::Fatbin))
    return fail(llvm::Twine(codegen::levelName(wanted[0])) + " is binary and needs -o PREFIX");

  Compiler compiler(request);
  std::vector<std::string> results;
  for (Level level : wanted) {
    llvm::Expected<std::string> result = compiler.emit(level, llvm::errs());
    if (!result)
      return fail(result.takeError());
    results.push_back(std::move(*result));
  }
  std::string schedule;
  if (printSchedule) {
    llvm::Expected<std::string> result = compiler.schedule(llvm::errs());
    if (!result)
      return fail(result.takeError());
    schedule = *result;
  }
  // Everything is made: only now is anything written.
  std::vector<std::pair<std::string, std::string>> files;
  const std::string prefix = withoutExtension(outputPrefix, wanted);
  for (auto [level, text] : llvm::zip(wanted, results)) {
    if (toFiles)
      files.emplace_back(prefix + "." + codegen::levelExtension(level), std::move(text));
    else
      llvm::outs() << text;
  }
  if (llvm::Error error = tools::writeFiles(files))
    return fail(std::move(error));
  llvm::outs() << schedule;
  return 0;
}

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

/// The device that a --target of `run` and `test` names, and the architecture of an emulated one; nothing with a
/// message printed when there is no such device.
static std::optional<std::string> deviceOf(llvm::StringRef target, codegen::CompileRequest &request) {
  const llvm::StringRef device = target.split(':').first;
  const bool emulated = device == "emulate";
  if (device != "gpu" && device != "cpu" && device != "auto" && device != "reference" && !emulated) {
    fail("unknown target '" + target + "'; known are gpu, cpu, auto, reference and emulate");
    return std::nullopt;
  }
  if (!emulated && device != target) {
    fail("only emulate takes an architecture: '" + target + "'");
    return std::nullopt;
  }
  if (emulated ? !chooseEmulated(target, request) : device != "cpu" && device != "reference" && !chooseGpu(request))
    return std::nullopt;
  return device.str();
}

static int run() {
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
  for (llvm::StringRef given : distributions) {
    auto [name, text] = given.split('=');
    if (name.empty() || text.empty() || !work.distributions.emplace(name.str(), text.str()).second)
      return fail("--random needs NAME=DISTRIBUTION once for an input, not '" + given + "'");
  }
  work.tolerance = tolerance;
  work.seed = seed;
  work.inPlace = inPlace;
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

/// The last setting of the form NAME=A..B is a range of sizes; each size with the other settings. Nothing with a
/// message printed on a malformed range.
static std::optional<std::vector<frontend::SizeMap>> sizesOf(codegen::CompileRequest &request) {
  std::string name;
  int64_t first = 0, last = 0;
  for (std::string &setting : settings) {
    auto [left, range] = llvm::StringRef(setting).split('=');
    auto [low, high] = range.split("..");
    if (!range.contains(".."))
      continue;
    if (!name.empty() || low.getAsInteger(10, first) || high.getAsInteger(10, last) || last < first) {
      fail("--set " + setting + ": tune takes one range A..B of sizes");
      return std::nullopt;
    }
    name = left.str();
    setting = name + "=" + low.str();
  }
  if (!makeRequest(request))
    return std::nullopt;
  std::vector<frontend::SizeMap> sizes{request.sizes};
  for (int64_t size = first + 1; !name.empty() && size <= last; ++size) {
    sizes.push_back(request.sizes);
    sizes.back()[name] = size;
  }
  return sizes;
}

/// The table that --table names; else the user's for a program of the standard library, and for another one that beside
/// it.
static tools::MeasuredTable tableOf(const codegen::CompileRequest &request) {
  if (!table.empty())
    return {table, false};
  const llvm::StringRef folder = llvm::sys::path::parent_path(request.file);
  const bool isStandard = llvm::sys::fs::equivalent(folder.empty() ? "." : folder, codegen::standardLibrary());
  if (std::string own = codegen::userTables(); isStandard && !own.empty())
    return {codegen::tableIn(own, request.target, request.file), true};
  return {codegen::tableIn((folder.empty() ? "." : folder.str()) + "/tuned", request.target, request.file), false};
}

static int tune() {
  codegen::CompileRequest request;
  std::optional<std::vector<frontend::SizeMap>> sizes = sizesOf(request);
  const bool measuresHere = candidateFolder.empty() && results.empty();
  if (!sizes || !(measuresHere ? chooseGpu(request) : chooseArchitecture(arch, request)))
    return 1;
  if (!results.empty() && !candidateFolder.empty())
    return fail("-o FOLDER writes candidates, --results RESULTS.json merges them: give one of them, or none to do all "
                "of it here");
  if (composeThem && results.empty())
    return fail("--compose needs --results RESULTS.json");
  if (measuresHere)
    return tools::tuneHere(request, *sizes, candidates, tableOf(request));
  if (results.empty())
    return tools::writeCandidates(std::move(request), *sizes, candidates, candidateFolder);
  if (composeThem)
    return tools::composeCandidates(std::move(request), results);
  return tools::mergeResults(results, tableOf(request));
}

static int explain() {
  codegen::CompileRequest request;
  if (!makeRequest(request) || !chooseArchitecture(arch, request))
    return 1;
  tools::ExplainOutput output;
  output.text = explainText || (svgFolder.empty() && htmlFile.empty());
  output.svgFolder = svgFolder;
  output.htmlFile = htmlFile;
  return tools::explainProgram(std::move(request), output);
}

static int adjoint() {
  codegen::CompileRequest request;
  if (!makeRequest(request))
    return 1;
  return tools::writeAdjoint(std::move(request), {withRespectTo.begin(), withRespectTo.end()}, adjointFile);
}

static int check() {
  codegen::CompileRequest request;
  if (!makeRequest(request))
    return 1;
  llvm::Expected<std::vector<std::string>> found = tools::programFiles(std::vector<std::string>(files));
  if (!found)
    return fail(found.takeError());
  if (found->size() > 1 && (!request.entry.empty() || !settings.empty()))
    return fail("--entry and --set are for one file, not for " + llvm::Twine(found->size()));
  return tools::checkPrograms(request, *found, checkJson);
}

static int test() {
  tools::TestRequest request;
  if (!makeRequest(request.program))
    return 1;
  std::optional<std::string> device = deviceOf(testTarget, request.program);
  llvm::Expected<std::vector<std::string>> found = tools::programFiles(std::vector<std::string>(files));
  if (!found)
    return fail(found.takeError());
  if (!device)
    return 1;
  request.files = std::move(*found);
  request.device = *device;
  request.tolerance = tolerance;
  return tools::testPrograms(request);
}

/// `idc list` and `idc doc`: on the files given, or on the standard library.
static int describe(int (*command)(const codegen::CompileRequest &, const std::vector<std::string> &)) {
  codegen::CompileRequest request;
  if (!makeRequest(request))
    return 1;
  std::vector<std::string> paths(listedFiles);
  if (paths.empty())
    paths = {codegen::standardLibrary()};
  llvm::Expected<std::vector<std::string>> found = tools::programFiles(paths);
  return found ? command(request, *found) : fail(found.takeError());
}

static int format() {
  if (formatInPlace && formatCheck)
    return fail("-i writes and --check does not: give one of them");
  if (formatInPlace && llvm::is_contained(formatFiles, "-"))
    return fail("-i needs files; standard input has no place to write to");
  tools::FormatMode mode = formatInPlace ? tools::FormatMode::InPlace
                           : formatCheck ? tools::FormatMode::Check
                                         : tools::FormatMode::Print;
  return tools::formatFiles({formatFiles.begin(), formatFiles.end()}, mode);
}

/// What was printed has arrived; false with a message printed when it has not.
static bool flushOutput() {
  llvm::outs().flush();
  std::cout.flush();
  const bool arrived = !llvm::outs().has_error() && std::cout;
  if (!arrived)
    fail("cannot write to standard output" +
         (llvm::outs().has_error() ? ": " + llvm::outs().error().message() : std::string()));
  llvm::outs().clear_error();
  return arrived;
}

static int runCommandGiven() {
  if (compileCommand)
    return compile();
  if (runCommand)
    return run();
  if (explainCommand)
    return explain();
  if (tuneCommand)
    return tune();
  if (adjointCommand)
    return adjoint();
  if (testCommand)
    return test();
  if (checkCommand)
    return check();
  if (listCommand)
    return describe(tools::listPrograms);
  if (docCommand)
    return describe(tools::documentPrograms);
  if (formatCommand)
    return format();
  if (doctorCommand)
    return tools::examine(IDC_VERSION);
  if (lspCommand)
    return lsp::serve(stdin, llvm::outs(), libraryFolders(), IDC_VERSION);
  cl::PrintHelpMessage(false, true);
  return 2;
}

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN);         // a file that becomes too large is an error of the write
  cl::HideUnrelatedOptions({&category}); // LLVM's, without a command
  cl::HideUnrelatedOptions({&category}, compileCommand);
  cl::HideUnrelatedOptions({&category}, runCommand);
  cl::HideUnrelatedOptions({&category}, adjointCommand);
  cl::HideUnrelatedOptions({&category}, checkCommand);
  cl::HideUnrelatedOptions({&category}, testCommand);
  cl::HideUnrelatedOptions({&category}, listCommand);
  cl::HideUnrelatedOptions({&category}, docCommand);
  cl::HideUnrelatedOptions({&category}, explainCommand);
  cl::HideUnrelatedOptions({&category}, tuneCommand);
  cl::HideUnrelatedOptions({&category}, formatCommand);
  cl::HideUnrelatedOptions({&category}, lspCommand);
  cl::HideUnrelatedOptions({&category}, doctorCommand);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "idc " IDC_VERSION "\n"; });
  std::vector<const char *> arguments(argv, argv + argc);
  if (argc > 1 && llvm::StringRef(argv[1]) == "help") { // idc help, idc help run
    arguments.erase(arguments.begin() + 1);
    arguments.resize(std::min<size_t>(arguments.size(), 2));
    arguments.push_back("--help");
  }
  cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data(),
                              "idc: a compiler for index-digit algorithms\n");
  if (!checkGivenOnce())
    return 1;
  const int status = runCommandGiven();
  return flushOutput() ? status : 1;
}
