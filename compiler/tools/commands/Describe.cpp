// `idc list` and `idc doc`: their flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/codegen/Installation.h"
#include "compiler/tools/DocCommand.h"
#include "compiler/tools/ListCommand.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/ProgramFiles.h"
#include "compiler/tools/commands/Shared.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::listCommand() {
  static cl::SubCommand command("list", "name the algorithms of programs, or of the standard library, with their "
                                        "parameters and shapes");
  return command;
}

cl::SubCommand &commands::docCommand() {
  static cl::SubCommand command("doc", "write a reference of the algorithms of programs, or of the standard library, "
                                       "in Markdown");
  return command;
}

static cl::list<std::string> listedFiles(cl::Positional, cl::desc("[FILE.id… or folders]"), cl::sub(listCommand()),
                                         cl::sub(docCommand()), cl::cat(category()));

/// `idc list` and `idc doc`: on the files given, or on the standard library.
static int describe(int (*command)(const codegen::CompileRequest &, const std::vector<std::string> &)) {
  codegen::CompileRequest request;
  if (!makeRequest(request) || !chooseArchitecture(givenArchitectures(), request))
    return 1;
  std::vector<std::string> paths(listedFiles);
  if (paths.empty())
    paths = {codegen::standardLibrary()};
  llvm::Expected<std::vector<std::string>> found = tools::programFiles(paths);
  return found ? command(request, *found) : fail(found.takeError());
}

int commands::list() { return describe(listPrograms); }

int commands::doc() { return describe(documentPrograms); }
