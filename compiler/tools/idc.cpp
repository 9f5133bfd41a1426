// The idc driver: finds the command that is given (commands/).
#include "compiler/tools/CommandLine.h"
#include "compiler/tools/Messages.h"
#include "compiler/tools/commands/Commands.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <csignal>
#include <iostream>
#include <vector>

using namespace idc;
using tools::fail;
namespace cl = llvm::cl;
namespace commands = idc::tools::commands;

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

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that becomes too large is an error of the write
  const std::pair<cl::SubCommand &, int (*)()> all[] = {
      {commands::adjointCommand(), commands::adjoint}, {commands::checkCommand(), commands::check},
      {commands::compileCommand(), commands::compile}, {commands::docCommand(), commands::doc},
      {commands::doctorCommand(), commands::doctor},   {commands::explainCommand(), commands::explain},
      {commands::formatCommand(), commands::format},   {commands::listCommand(), commands::list},
      {commands::lspCommand(), commands::lsp},         {commands::runCommand(), commands::run},
      {commands::testCommand(), commands::test},       {commands::tuneCommand(), commands::tune},
  };
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    cl::HideUnrelatedOptions({&commands::category()}, *command); // LLVM's
  std::vector<const char *> arguments(argv, argv + argc);
  if (argc > 1 && llvm::StringRef(argv[1]) == "help") { // idc help, idc help run
    arguments.erase(arguments.begin() + 1);
    arguments.resize(std::min<size_t>(arguments.size(), 2));
    arguments.push_back("--help");
    if (argc > 2 && llvm::none_of(all, [&](const auto &known) { return known.first.getName() == argv[2]; }))
      return fail("there is no command '" + llvm::Twine(argv[2]) + "'; idc help lists them");
  }
  if (!tools::parseCommandLine(arguments, "idc: a compiler for index-digit algorithms\n"))
    return 1;
  for (const auto &[command, run] : all)
    if (command) {
      const int status = run();
      return flushOutput() ? status : 1;
    }
  cl::PrintHelpMessage(false, true);
  return flushOutput() ? 2 : 1;
}
