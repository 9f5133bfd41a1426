// Parameters of the protocol's requests that LLVM does not have.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

namespace idc::lsp {

/// What the server needs of `initialize`: the folders that are open.
struct InitializeParameters {
  std::vector<std::string> folders;
};
inline bool fromJSON(const llvm::json::Value &value, InitializeParameters &result, llvm::json::Path path) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  auto add = [&](const llvm::json::Object &from, llvm::StringRef name) {
    std::optional<llvm::StringRef> uri = from.getString(name);
    if (!uri)
      return;
    if (llvm::Expected<llvm::lsp::URIForFile> file = llvm::lsp::URIForFile::fromURI(*uri))
      result.folders.push_back(file->file().str());
    else
      llvm::consumeError(file.takeError());
  };
  if (const llvm::json::Array *folders = object->getArray("workspaceFolders"))
    for (const llvm::json::Value &folder : *folders)
      if (const llvm::json::Object *named = folder.getAsObject())
        add(*named, "uri");
  if (result.folders.empty())
    add(*object, "rootUri");
  return true;
}

struct FormattingParameters {
  llvm::lsp::TextDocumentIdentifier textDocument;
};
inline bool fromJSON(const llvm::json::Value &value, FormattingParameters &result, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("textDocument", result.textDocument);
}

struct RenameParameters : llvm::lsp::TextDocumentPositionParams {
  std::string newName;
};
inline bool fromJSON(const llvm::json::Value &value, RenameParameters &result, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return fromJSON(value, static_cast<llvm::lsp::TextDocumentPositionParams &>(result), path) && map &&
         map.map("newName", result.newName);
}

} // namespace idc::lsp
