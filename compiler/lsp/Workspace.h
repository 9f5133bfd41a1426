// What the editor has open, and the programs around it.
#pragma once

#include "compiler/lsp/Analysis.h"

#include <set>

namespace idc::lsp {

class Workspace {
public:
  /// `libraries`: folders that imports are looked up in behind a file's own, the standard library last.
  explicit Workspace(std::vector<std::string> libraries) : libraries(std::move(libraries)) {}

  /// Folders whose programs may use what is open.
  void setRoots(std::vector<std::string> folders) { roots = std::move(folders); }

  /// The editor's text of a file, which stands for the file until it is closed. What was known of any file is dropped.
  void setText(const std::string &path, std::string text, int64_t version);
  void close(const std::string &path);
  bool isOpen(const std::string &path) const { return texts.count(path); }
  const std::map<std::string, int64_t> &open() const { return versions; }
  const frontend::UnsavedTexts &unsaved() const { return texts; }

  /// What is known of the program whose main file this is.
  Analysis &analysis(const std::string &path);

  /// Programs that may use a name declared in the file `path`: it, what is open, and the files of the roots, or of the
  /// file's own folder when there are none, whose text has the word.
  std::vector<std::string> programsWith(llvm::StringRef word, const std::string &path) const;

  const std::vector<std::string> &libraryFolders() const { return libraries; }
  /// Whether a file belongs to the standard library, which is not the user's to change.
  bool isInStandardLibrary(const std::string &path) const;

private:
  std::vector<std::string> libraries, roots;
  frontend::UnsavedTexts texts;
  std::map<std::string, int64_t> versions;
  std::map<std::string, std::unique_ptr<Analysis>> analyses;
};

} // namespace idc::lsp
