#include "compiler/tools/commands/Shared.h"

#include "compiler/codegen/Installation.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/tools/Architectures.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/ProgramFiles.h"
#include "compiler/tools/commands/Commands.h"

#include "host/Scanner.h"
#include "idc/runtime.h"
#include "llvm/Support/CommandLine.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::OptionCategory &commands::category() {
  static cl::OptionCategory category("idc options");
  return category;
}

static cl::opt<std::string> file(cl::Positional, cl::desc("FILE.id"), cl::Required, cl::sub(compileCommand()),
                                 cl::sub(runCommand()), cl::sub(explainCommand()), cl::sub(tuneCommand()),
                                 cl::sub(adjointCommand()), cl::cat(category()));
static cl::opt<std::string> entry("entry", cl::desc("algorithm (default: the file's only one; check: none)"),
                                  cl::value_desc("NAME"), cl::sub(compileCommand()), cl::sub(runCommand()),
                                  cl::sub(explainCommand()), cl::sub(tuneCommand()), cl::sub(checkCommand()),
                                  cl::sub(adjointCommand()), cl::cat(category()));
static cl::list<std::string> files(cl::Positional, cl::desc("FILE.id… or folders"), cl::OneOrMore,
                                   cl::sub(checkCommand()), cl::sub(testCommand()), cl::cat(category()));
static cl::list<std::string> settings("set",
                                      cl::desc("bind a size or a type variable: n=12, T=f64; for a library also "
                                               "ranges and lists: n=8..24, T=f32,f64"),
                                      cl::value_desc("NAME=VALUE"), cl::sub(compileCommand()), cl::sub(runCommand()),
                                      cl::sub(explainCommand()), cl::sub(tuneCommand()), cl::sub(checkCommand()),
                                      cl::sub(adjointCommand()), cl::cat(category()));
static cl::opt<std::string> arch("arch",
                                 cl::desc("GPU architecture: sm_75 to sm_121, or native, this machine's (run: the "
                                          "default when it has one; else sm_90); for a library also a list"),
                                 cl::init("sm_90"), cl::value_desc("sm_NN"), cl::sub(compileCommand()),
                                 cl::sub(runCommand()), cl::sub(explainCommand()), cl::sub(tuneCommand()),
                                 cl::sub(docCommand()), cl::cat(category()));
static cl::opt<std::string> plan("plan",
                                 cl::desc("throughput (default): many problems at once; latency: one problem "
                                          "at a time, soonest"),
                                 cl::init("throughput"), cl::value_desc("PLAN"), cl::sub(compileCommand()),
                                 cl::sub(runCommand()), cl::sub(explainCommand()), cl::sub(tuneCommand()),
                                 cl::cat(category()));
static cl::list<std::string> libraries("I", cl::desc("folder searched for imports before the standard library"),
                                       cl::value_desc("FOLDER"), cl::Prefix, cl::sub(compileCommand()),
                                       cl::sub(runCommand()), cl::sub(explainCommand()), cl::sub(tuneCommand()),
                                       cl::sub(checkCommand()), cl::sub(testCommand()), cl::sub(listCommand()),
                                       cl::sub(docCommand()), cl::sub(adjointCommand()), cl::sub(lspCommand()),
                                       cl::cat(category()));
static cl::opt<std::string> scheduleFile("schedule", cl::desc("take the schedule from this .id file"),
                                         cl::value_desc("FILE"), cl::sub(compileCommand()), cl::sub(runCommand()),
                                         cl::sub(explainCommand()), cl::cat(category()));
static cl::opt<unsigned> candidate("candidate",
                                   cl::desc("take the planner's choice number N, 0 being the best, and no schedule of "
                                            "the program or a table; idc tune measures them"),
                                   cl::value_desc("N"), cl::sub(compileCommand()), cl::sub(runCommand()),
                                   cl::sub(explainCommand()), cl::cat(category()));
static cl::opt<bool>
    rings("rings",
          cl::desc("let kernels of the planner's choice be passes of one launch where they can, what is "
                   "between them in rings; idc tune measures such, too"),
          cl::sub(compileCommand()), cl::sub(runCommand()), cl::sub(explainCommand()), cl::cat(category()));
static cl::list<std::string>
    layouts("layout",
            cl::desc("how an input or result (y0, y1, …) lies in memory: x=stride:4,offset:1,batch:4096 (elements; "
                     "stride:1040:1 for two dimensions), x=planar (each number of an element in an array of its own)"),
            cl::value_desc("NAME=PROPERTY,…"), cl::sub(compileCommand()), cl::sub(runCommand()), cl::cat(category()));
static cl::opt<std::string>
    memory("memory",
           cl::desc("arrays lie in the host's memory, and pass in chunks through so much of the GPU's: 8GiB, 512MiB, a "
                    "number of bytes"),
           cl::value_desc("BYTES"), cl::sub(compileCommand()), cl::sub(runCommand()), cl::sub(explainCommand()),
           cl::cat(category()));
static cl::opt<std::string>
    cpuShare("cpu-share",
             cl::desc("of these chunks the CPU of the host takes K of M, or as many as are counted to pay"),
             cl::value_desc("auto|K/M"), cl::sub(compileCommand()), cl::sub(runCommand()), cl::sub(explainCommand()),
             cl::cat(category()));
static cl::opt<std::string>
    hostLink("host-link",
             cl::desc("take what the link to the host's memory and its CPU do from this file, which gpu-link "
                      "has written; the machine's file has an H200's"),
             cl::value_desc("FILE"), cl::sub(compileCommand()), cl::sub(runCommand()), cl::sub(explainCommand()),
             cl::cat(category()));
static cl::list<unsigned>
    devices("devices", cl::CommaSeparated,
            cl::desc("GPUs that work on each problem together: 2, 4, … (default 1); for a library several numbers, of "
                     "which a call takes that of its group"),
            cl::value_desc("N"), cl::sub(compileCommand()), cl::sub(runCommand()), cl::sub(explainCommand()),
            cl::cat(category()));
static cl::list<std::string>
    distributions("distribute",
                  cl::desc("which of several devices has what of an input or result (y0, y1, …): x=top (default), "
                           "by its highest digits; x=low, by its lowest; x=12,11, by these; x=all, each has all"),
                  cl::value_desc("NAME=DIGITS"), cl::sub(compileCommand()), cl::sub(runCommand()),
                  cl::sub(explainCommand()), cl::cat(category()));
static cl::opt<bool> inPlace("in-place",
                             cl::desc("every result may have the memory of an input; run: it has that of the first "
                                      "one that it may and no result before it has, else its own"),
                             cl::sub(compileCommand()), cl::sub(runCommand()), cl::sub(explainCommand()),
                             cl::cat(category()));
static cl::opt<double> tolerance("tolerance", cl::desc("largest relative L2 error that passes (default 1e-5)"),
                                 cl::init(1e-5), cl::sub(runCommand()), cl::sub(testCommand()), cl::cat(category()));

std::vector<std::string> commands::givenSettings() { return settings; }

llvm::Expected<std::vector<std::string>> commands::givenFiles() {
  return programFiles(std::vector<std::string>(files));
}

std::vector<int64_t> commands::givenDevices() { return {devices.begin(), devices.end()}; }

std::optional<double> commands::givenTolerance() {
  if (tolerance >= 0)
    return tolerance;
  fail("--tolerance needs a number that is not negative");
  return std::nullopt;
}

std::string commands::givenArchitectures() { return arch; }

bool commands::chooseArchitecture(llvm::StringRef named, codegen::CompileRequest &request) {
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

bool commands::chooseGpu(codegen::CompileRequest &request) {
  const bool isThere = idc_device_available() == IDC_SUCCESS;
  return chooseArchitecture(arch.getNumOccurrences() || !isThere ? arch : llvm::StringRef("native"), request);
}

std::vector<std::string> commands::libraryFolders() {
  std::vector<std::string> folders(libraries.begin(), libraries.end());
  folders.push_back(codegen::standardLibrary());
  return folders;
}

/// Bytes: a number, with KiB, MiB, GiB or TiB behind it or without; 0 for what is none.
static int64_t bytesIn(llvm::StringRef text) {
  host::Scanner scanner(text);
  const int64_t count = scanner.number<int64_t>().value_or(0);
  const llvm::StringRef units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  const auto *const named = llvm::find(units, llvm::StringRef(scanner.name()));
  if (named == std::end(units) || !scanner.atEnd() || count < 0)
    return 0;
  const int64_t unit = int64_t(1) << 10 * (named - units);
  return count > INT64_MAX / unit ? 0 : count * unit;
}

/// K/M, at least 0 and at most 1; {0, 0} for `auto`.
static std::optional<std::pair<int64_t, int64_t>> shareIn(llvm::StringRef text) {
  if (text == "auto")
    return std::pair<int64_t, int64_t>();
  host::Scanner scanner(text);
  const int64_t part = scanner.number<int64_t>().value_or(-1);
  const int64_t parts = scanner.accept("/") ? scanner.number<int64_t>().value_or(0) : 0;
  if (!scanner.atEnd() || part < 0 || parts < 1 || part > parts)
    return std::nullopt;
  return std::pair(part, parts);
}

bool commands::makeRequestWithoutSettings(codegen::CompileRequest &request) {
  request.entry = entry;
  request.scheduleFile = scheduleFile;
  request.candidate = candidate;
  request.rings = rings;
  request.ownSchedules = candidate.getNumOccurrences() == 0 && !rings;
  request.inPlace = inPlace;
  request.devices = devices.empty() ? 1 : devices.front();
  if (memory.getNumOccurrences() && !(request.memory = bytesIn(memory))) {
    fail("--memory takes bytes of memory as in 8GiB, 512MiB or 65536, not '" + memory + "'");
    return false;
  }
  if (rings && (request.memory || request.devices > 1 || !scheduleFile.empty())) {
    fail("--rings is for what the planner chooses for one device: not with --schedule, --devices or --memory");
    return false;
  }
  if (cpuShare.getNumOccurrences() && !(request.cpuShare = shareIn(cpuShare))) {
    fail("--cpu-share is auto, or a part of the chunks as in 3/16, not '" + cpuShare + "'");
    return false;
  }
  request.hostLinkFile = hostLink;
  request.distributions.assign(distributions.begin(), distributions.end());
  request.layouts.assign(layouts.begin(), layouts.end());
  if (llvm::Error error = codegen::setPlan(plan, request)) {
    fail(std::move(error));
    return false;
  }
  request.libraries = libraryFolders();
  codegen::setFile(file, request);
  return true;
}

bool commands::makeRequest(codegen::CompileRequest &request, const std::vector<std::string> &settings) {
  if (!makeRequestWithoutSettings(request))
    return false;
  if (devices.size() > 1) {
    fail("--devices is one number; only a library is for several");
    return false;
  }
  for (llvm::StringRef setting : settings)
    if (llvm::Error error = codegen::addSetting(setting, request)) {
      fail(std::move(error));
      return false;
    }
  return true;
}

bool commands::makeRequest(codegen::CompileRequest &request) { return makeRequest(request, settings); }

std::optional<std::string> commands::deviceOf(llvm::StringRef target, codegen::CompileRequest &request) {
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
