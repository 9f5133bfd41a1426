// `idc lsp`.
#include "compiler/tools/commands/Commands.h"

#include "compiler/lsp/Server.h"
#include "compiler/tools/commands/Shared.h"

#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::lspCommand() {
  static cl::SubCommand command("lsp", "serve an editor, on standard input and output (docs/editors.md)");
  return command;
}

int commands::lsp() { return lsp::serve(stdin, llvm::outs(), libraryFolders(), IDC_VERSION); }
