// What an editor can ask about a program. Positions are those of the protocol, in the analysed file.
#pragma once

#include "compiler/lsp/Workspace.h"

#include "llvm/Support/JSON.h"

namespace idc::lsp {

/// The beginning of a declaration up to its body, as it is written, on one line.
std::string signatureOf(llvm::SMRange declaration);
/// The function or record that is declared under the name at this place, as a program has it; null for others.
const frontend::Function *functionDeclaredAt(const frontend::Source &source, llvm::SMLoc name);
const frontend::TypeDecl *recordDeclaredAt(const frontend::Source &source, llvm::SMLoc name);
const frontend::Const *constantDeclaredAt(const frontend::Source &source, llvm::SMLoc name);

/// The declaration of the name there, what its author says of it, and its value, shape and digits in a small run.
std::optional<llvm::lsp::Hover> hover(Analysis &analysis, llvm::lsp::Position position);

/// Where the name there is declared; the file of an import.
std::vector<llvm::lsp::Location> definition(Analysis &analysis, llvm::lsp::Position position);

/// Every use of the name there in all programs of the workspace.
std::vector<llvm::lsp::Location> references(Workspace &workspace, const std::string &path, llvm::lsp::Position position,
                                            bool withDeclaration);

/// The name there, if it can be renamed; the error says why not.
llvm::Expected<llvm::lsp::Range> renamed(Workspace &workspace, const std::string &path, llvm::lsp::Position position);

/// Another name for it in all programs of the workspace. An error, and no edit, when a program would be wrong or a name
/// would mean something else afterwards.
llvm::Expected<llvm::lsp::WorkspaceEdit> rename(Workspace &workspace, const std::string &path,
                                                llvm::lsp::Position position, const std::string &name);

/// Names in scope, what the language and the standard library have, and words of the grammar.
llvm::lsp::CompletionList complete(Workspace &workspace, const std::string &path, llvm::lsp::Position position);

/// Behind every stage of the algorithms in a range: the digits as they lie then, in a small run. The first pass of a
/// loop; all passes are in the tooltip, which LLVM's hints have not.
std::vector<llvm::json::Value> inlayHints(Analysis &analysis, llvm::lsp::Range range);

/// The declarations of the file.
std::vector<llvm::lsp::DocumentSymbol> outline(Analysis &analysis);

} // namespace idc::lsp
