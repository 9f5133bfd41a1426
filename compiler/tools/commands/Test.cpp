// `idc test`: its flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/tools/Messages.h"
#include "compiler/tools/TestCommand.h"
#include "compiler/tools/commands/Shared.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::testCommand() {
  static cl::SubCommand command("test", "run the examples that programs have in lines beginning with //!");
  return command;
}

static cl::opt<std::string>
    testTarget("target",
               cl::desc("reference (default): evaluate the programs themselves; or run compiled "
                        "kernels: cpu, gpu, auto, emulate, emulate:sm_NN"),
               cl::init("reference"), cl::value_desc("TARGET"), cl::sub(testCommand()), cl::cat(category()));

int commands::test() {
  tools::TestRequest request;
  if (!makeRequest(request.program))
    return 1;
  std::optional<std::string> device = deviceOf(testTarget, request.program);
  llvm::Expected<std::vector<std::string>> found = givenFiles();
  if (!found)
    return fail(found.takeError());
  std::optional<double> tolerance = givenTolerance();
  if (!device || !tolerance)
    return 1;
  request.files = std::move(*found);
  request.device = *device;
  request.tolerance = *tolerance;
  return tools::testPrograms(request);
}
