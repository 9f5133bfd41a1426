#include "compiler/lsp/Workspace.h"

#include "compiler/frontend/SourceText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace idc;
using namespace idc::lsp;

/// Files of a folder that are looked at; more are no project of programs.
static constexpr size_t maxFiles = 5000;

void Workspace::setText(const std::string &path, std::string text, int64_t version) {
  texts[path] = std::move(text);
  versions[path] = version;
  analyses.clear();
}

void Workspace::close(const std::string &path) {
  texts.erase(path);
  versions.erase(path);
  analyses.clear();
}

Analysis &Workspace::analysis(const std::string &path) {
  std::unique_ptr<Analysis> &known = analyses[path];
  if (!known)
    known = std::make_unique<Analysis>(path, libraries, texts);
  return *known;
}

static bool hasWord(llvm::StringRef text, llvm::StringRef word) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !isPart(text[at - 1])) && (end == text.size() || !isPart(text[end])))
      return true;
  }
  return false;
}

std::vector<std::string> Workspace::programsWith(llvm::StringRef word, const std::string &path) const {
  std::vector<std::string> found = {path};
  std::set<std::string> seen = {path};
  auto add = [&](const std::string &file, llvm::StringRef text) {
    if (hasWord(text, word) && seen.insert(file).second)
      found.push_back(file);
  };
  for (const auto &[file, text] : texts)
    add(file, text);
  size_t files = 0;
  for (const std::string &root : roots.empty() ? std::vector{llvm::sys::path::parent_path(path).str()} : roots) {
    std::error_code error;
    llvm::sys::fs::recursive_directory_iterator entry(root, error, /*follow_symlinks=*/false), end;
    for (; !error && entry != end && files < maxFiles; entry.increment(error)) {
      const llvm::StringRef name = llvm::sys::path::filename(entry->path());
      if (name.starts_with(".") || (roots.empty() && entry.level() > 0))
        entry.no_push();
      else if (++files; name.ends_with(".id") && !texts.count(canonicalPath(entry->path()))) {
        if (auto buffer = frontend::readSource(entry->path()))
          add(canonicalPath(entry->path()), (*buffer)->getBuffer());
        else
          llvm::consumeError(buffer.takeError());
      }
    }
  }
  return found;
}

bool Workspace::isInStandardLibrary(const std::string &path) const {
  return !libraries.empty() && llvm::StringRef(path).starts_with(canonicalPath(libraries.back()) + "/");
}
