// `idc doctor`.
#include "compiler/tools/commands/Commands.h"

#include "compiler/tools/DoctorCommand.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::doctorCommand() {
  static cl::SubCommand command("doctor", "say what is there of what idc works with, and what to do where it is "
                                          "not");
  return command;
}

int commands::doctor() { return examine(IDC_VERSION); }
