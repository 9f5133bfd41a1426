// `idc check`: its flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/tools/CheckCommand.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/commands/Shared.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::checkCommand() {
  static cl::SubCommand command("check", "report mistakes without compiling");
  return command;
}

static cl::opt<bool> checkJson("json", cl::desc("print the messages as a JSON array to standard output"),
                               cl::sub(checkCommand()), cl::cat(category()));

int commands::check() {
  codegen::CompileRequest request;
  if (!makeRequest(request))
    return 1;
  llvm::Expected<std::vector<std::string>> found = givenFiles();
  if (!found)
    return fail(found.takeError());
  if (found->size() > 1 && (!request.entry.empty() || !givenSettings().empty()))
    return fail("--entry and --set are for one file, not for " + llvm::Twine(found->size()));
  return tools::checkPrograms(request, *found, checkJson);
}
