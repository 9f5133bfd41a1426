// `idc compile`: its flags, and the levels of one program.
#include "compiler/tools/commands/Commands.h"

#include "compiler/tools/Architectures.h"
#include "compiler/tools/ExplainCommand.h"
#include "compiler/tools/LibraryCommand.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/OutputFiles.h"
#include "compiler/tools/commands/Shared.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace idc;
using codegen::Compiler;
using codegen::Level;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::compileCommand() {
  static cl::SubCommand command("compile", "compile an algorithm and write the levels asked for");
  return command;
}

static cl::opt<std::string> compileTarget("target", cl::desc("nvptx (default) or cpu; for a library also nvptx,cpu"),
                                          cl::init("nvptx"), cl::sub(compileCommand()), cl::cat(category()));
static cl::list<std::string>
    emit("emit", cl::CommaSeparated,
         cl::desc("levels to write: ast, id, flow, stages, gpu, llvm, ptx, cubin, fatbin, "
                  "manifest; or library (default with -o): libPREFIX.a, PREFIX.h and PREFIX.json"),
         cl::value_desc("LEVEL,…"), cl::sub(compileCommand()), cl::cat(category()));
static cl::opt<std::string> outputPrefix("o",
                                         cl::desc("write PREFIX.ptx, PREFIX.json, … (PREFIX.ptx may stand "
                                                  "for PREFIX where it is written); without it one text level "
                                                  "goes to standard output"),
                                         cl::value_desc("PREFIX"), cl::sub(compileCommand()), cl::cat(category()));
static cl::opt<std::string> depfile("depfile", cl::desc("library: write the files it is made of as a rule of make"),
                                    cl::value_desc("FILE"), cl::sub(compileCommand()), cl::cat(category()));
static cl::opt<unsigned> jobs("j", cl::desc("library: compile so many sizes at a time (default: one per core)"),
                              cl::init(0), cl::value_desc("N"), cl::Prefix, cl::sub(compileCommand()),
                              cl::cat(category()));
static cl::opt<bool> printSchedule("print-schedule", cl::desc("print the schedule in force as source text"),
                                   cl::sub(compileCommand()), cl::cat(category()));

/// `idc compile` of a library.
static int makeLibrary() {
  tools::LibraryRequest request;
  if (!makeRequestWithoutSettings(request.program))
    return 1;
  request.settings = givenSettings();
  request.devices = givenDevices();
  request.targets = compileTarget;
  if (llvm::StringRef(compileTarget).contains("nvptx")) {
    llvm::Expected<std::vector<std::string>> found = architecturesOf(givenArchitectures());
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
  for (int level = 0; level <= static_cast<int>(Level::Object); ++level)
    names.push_back(codegen::levelName(static_cast<Level>(level)));
  return llvm::join(names, ", ") + " and library";
}

int commands::compile() {
  bool otherOutput = printSchedule || outputPrefix.empty() || outputPrefix == "-";
  if (emit.empty() ? !otherOutput : llvm::is_contained(emit, "library")) {
    if (emit.size() > 1)
      return fail("--emit=library stands alone: a library has its own manifest");
    if (otherOutput)
      return fail("a library needs -o PREFIX, and no --print-schedule");
    return makeLibrary();
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
  else if (!chooseArchitecture(givenArchitectures(), request))
    return 1;
  std::vector<Level> wanted;
  for (const std::string &name : emit) {
    std::optional<Level> level = codegen::findLevel(name);
    if (!level)
      return fail("--emit: unknown level '" + name + "'; known are " + levelNames());
    wanted.push_back(*level);
  }
  if (wanted.empty() && !printSchedule)
    return fail("compile needs -o PREFIX, for a C library, or --emit=LEVEL, for a level as in --emit=ptx");
  std::sort(wanted.begin(), wanted.end()); // each level consumes the one above it
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  bool toFiles = !outputPrefix.empty() && outputPrefix != "-";
  if (!toFiles && wanted.size() > 1)
    return fail("several levels need -o PREFIX, which says where they go");
  if (!toFiles && wanted.size() == 1 &&
      (wanted[0] == Level::Cubin || wanted[0] == Level::Fatbin || wanted[0] == Level::Object))
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
  if (compiler.devices() > 1 && !wanted.empty() && wanted.back() >= Level::Gpu) {
    llvm::Expected<explain::Facts> facts = explain::gather(compiler, llvm::errs(), explain::Assembler::Unused);
    if (!facts)
      return fail(facts.takeError());
    auto several = explain::predictDevices(request, *facts, compiler.target(), llvm::errs());
    if (!several)
      return fail(several.takeError());
    tools::noteSlower(*several);
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
