// All that is known of one program, a file with what it imports, at one moment.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Names.h"
#include "compiler/frontend/Observe.h"
#include "compiler/frontend/Parse.h"

#include "llvm/Support/LSP/Protocol.h"

#include <memory>
#include <optional>

namespace idc::lsp {

/// Messages by the path of the file that they are shown in.
using Messages = std::map<std::string, std::vector<llvm::lsp::Diagnostic>>;

class Analysis {
public:
  /// Parses; everything else is made when it is first asked for.
  Analysis(std::string path, const std::vector<std::string> &folders, const frontend::UnsavedTexts &unsaved);

  const std::string path;
  const std::vector<std::string> folders; // where imports are looked for behind the file's own

  /// What could be parsed; null when the file can be read nowhere.
  const frontend::Source *source() const { return parsed.get(); }
  /// There are no syntax errors, and all imports were found.
  bool isWhole() const { return whole; }
  /// The text of the file; empty when it can be read nowhere.
  llvm::StringRef text() const;

  /// Everything that is wrong without sizes.
  const Messages &messages();

  const std::vector<frontend::NameUse> &names();
  /// The declared name that stands at a byte of the file, or ends there; null when there is none.
  const frontend::NameUse *nameAt(size_t offset);
  /// The function of the file that a byte lies in; null when there is none.
  const frontend::Function *functionAt(size_t offset) const;
  /// What an algorithm of the program does with small sizes.
  const frontend::Observations &observations(const frontend::Function &algorithm);

  // Places of the buffers. A range of another buffer than the file's has its own path.
  const char *address(size_t offset) const { return text().data() + offset; }
  std::string pathOf(llvm::SMLoc place) const;
  size_t offsetOf(llvm::SMLoc place) const; // in its buffer
  llvm::lsp::Range range(llvm::SMRange place) const;
  std::optional<llvm::lsp::Location> location(llvm::SMRange place) const;

private:
  llvm::StringRef bufferOf(llvm::SMLoc place) const;

  frontend::Diagnostics diagnostics;
  std::unique_ptr<frontend::Source> parsed;
  bool whole;
  std::optional<Messages> said;
  std::optional<std::vector<frontend::NameUse>> resolved;
  std::map<const frontend::Function *, frontend::Observations> observed;
};

/// One name for the file that a path leads to.
std::string canonicalPath(llvm::StringRef path);

} // namespace idc::lsp
