// The language server: what editors are told of programs while they are written, by the Language Server Protocol.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace idc::lsp {

/// Serves one editor until it ends the connection. `libraries`: as of Workspace. Returns the exit status that the
/// protocol asks for: 0 after `shutdown`, else 1.
int serve(std::FILE *input, llvm::raw_ostream &output, std::vector<std::string> libraries, const std::string &version);

} // namespace idc::lsp
