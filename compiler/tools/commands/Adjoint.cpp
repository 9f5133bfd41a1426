// `idc adjoint`: its flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/tools/AdjointCommand.h"
#include "compiler/tools/commands/Shared.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::adjointCommand() {
  static cl::SubCommand command("adjoint", "derive the program that computes the gradients of an algorithm's "
                                           "inputs from those of its results");
  return command;
}

static cl::list<std::string> withRespectTo("with-respect-to", cl::CommaSeparated,
                                           cl::desc("the inputs whose gradients are computed (default: all of reals "
                                                    "and complex numbers)"),
                                           cl::value_desc("X,Y"), cl::sub(adjointCommand()), cl::cat(category()));
static cl::opt<std::string> adjointFile("o", cl::desc("write the program to a file instead of standard output"),
                                        cl::value_desc("FILE.id"), cl::sub(adjointCommand()), cl::cat(category()));

int commands::adjoint() {
  codegen::CompileRequest request;
  if (!makeRequest(request))
    return 1;
  return tools::writeAdjoint(std::move(request), {withRespectTo.begin(), withRespectTo.end()}, adjointFile);
}
