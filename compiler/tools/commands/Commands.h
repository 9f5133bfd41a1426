// The commands of idc: each has its flags beside what it does with them.
#pragma once

#include "llvm/Support/CommandLine.h"

namespace idc::tools::commands {

/// Of idc's own flags.
llvm::cl::OptionCategory &category();

/// The commands. They are functions, as flags of other files name them while globals are made.
llvm::cl::SubCommand &adjointCommand();
llvm::cl::SubCommand &checkCommand();
llvm::cl::SubCommand &compileCommand();
llvm::cl::SubCommand &docCommand();
llvm::cl::SubCommand &doctorCommand();
llvm::cl::SubCommand &explainCommand();
llvm::cl::SubCommand &formatCommand();
llvm::cl::SubCommand &listCommand();
llvm::cl::SubCommand &lspCommand();
llvm::cl::SubCommand &runCommand();
llvm::cl::SubCommand &testCommand();
llvm::cl::SubCommand &tuneCommand();

/// What they do when their flags are parsed. The exit status.
int adjoint();
int check();
int compile();
int doc();
int doctor();
int explain();
int format();
int list();
int lsp();
int run();
int test();
int tune();

} // namespace idc::tools::commands
