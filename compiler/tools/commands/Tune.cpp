// `idc tune`: its flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/codegen/Installation.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/TuneCommand.h"
#include "compiler/tools/commands/Shared.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::tuneCommand() {
  static cl::SubCommand command("tune",
                                "measure candidate schedules on this machine's GPU or CPU and keep the best; or write "
                                "candidates for another machine, and keep the best of those measured there");
  return command;
}

static cl::opt<unsigned> candidates("candidates", cl::desc("schedules to try for each size (default 16)"), cl::init(16),
                                    cl::value_desc("K"), cl::sub(tuneCommand()), cl::cat(category()));
static cl::opt<std::string> tuneTarget("target", cl::desc("nvptx (default), a GPU's plans, or cpu, this computer's"),
                                       cl::init("nvptx"), cl::value_desc("TARGET"), cl::sub(tuneCommand()),
                                       cl::cat(category()));
static cl::opt<std::string> candidateFolder("o", cl::desc("where to write the candidates and the list of jobs"),
                                            cl::value_desc("FOLDER"), cl::sub(tuneCommand()), cl::cat(category()));
static cl::opt<std::string> results("results", cl::desc("merge what idc-runner --jobs measured into the table instead"),
                                    cl::value_desc("RESULTS.json"), cl::sub(tuneCommand()), cl::cat(category()));
static cl::opt<bool> composeThem("compose",
                                 cl::desc("instead of merging, add schedules that single measured kernels make up "
                                          "to the candidates"),
                                 cl::sub(tuneCommand()), cl::cat(category()));
static cl::opt<std::string> table("table",
                                  cl::desc("table of schedules (default: the user's, ARCH/FILE.id in $IDC_TUNED or "
                                           "~/.local/share/idc/tuned)"),
                                  cl::value_desc("TABLE.id"), cl::sub(tuneCommand()), cl::cat(category()));

/// The sizes that are tuned: those of the setting that has several, each with the other settings. Nothing with a
/// message printed on a malformed setting.
static std::optional<std::vector<frontend::SizeMap>> sizesOf(codegen::CompileRequest &request) {
  std::vector<std::string> others;
  codegen::Setting several;
  for (const std::string &text : givenSettings()) {
    llvm::Expected<codegen::Setting> setting = codegen::readSetting(text);
    if (!setting) {
      fail(setting.takeError());
      return std::nullopt;
    }
    if (setting->sizes.size() <= 1) {
      others.push_back(text);
    } else if (several.name.empty()) {
      several = std::move(*setting);
    } else {
      fail("--set " + text + ": tune takes several sizes of one name only");
      return std::nullopt;
    }
  }
  if (!makeRequest(request, others))
    return std::nullopt;
  if (several.name.empty())
    return std::vector<frontend::SizeMap>{request.sizes};
  if (!request.sizes.emplace(several.name, several.sizes.front()).second) {
    fail("--set " + several.name + " is given twice");
    return std::nullopt;
  }
  std::vector<frontend::SizeMap> sizes;
  for (int64_t size : several.sizes) {
    sizes.push_back(request.sizes);
    sizes.back()[several.name] = size;
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

int commands::tune() {
  codegen::CompileRequest request;
  std::optional<std::vector<frontend::SizeMap>> sizes = sizesOf(request);
  const bool measuresHere = candidateFolder.empty() && results.empty();
  if (!sizes)
    return 1;
  if (tuneTarget == "cpu") {
    if (!measuresHere)
      return fail("a CPU's plans are measured by idc on that CPU: --target cpu takes no -o and no --results");
    request.target = "cpu";
    request.processor = codegen::Processor::This;
    return tools::tuneHere(request, *sizes, candidates, tableOf(request));
  }
  if (tuneTarget != "nvptx")
    return fail("unknown target '" + tuneTarget + "'; known are nvptx and cpu");
  if (!(measuresHere ? chooseGpu(request) : chooseArchitecture(givenArchitectures(), request)))
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
