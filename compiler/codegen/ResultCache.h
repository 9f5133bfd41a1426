// Results of compilations kept on disk, found by a hash of all that they are made of.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::codegen {

/// Lies in the folder $IDC_CACHE, which may be empty for no cache, else in idc of the user's cache folder. Entries that
/// were not used for a week go. Each begins with a hash of its key and content: a damaged one is as good as none, and
/// is replaced. What cannot be read or written is not cached; that is no error. Threads and processes may share it:
/// entries appear whole or not at all.
class ResultCache {
public:
  ResultCache();

  /// The key of an instance: the request, the text of `files`, the form, this computer's processor where code is for
  /// it, and which compiler and CUDA tools these are.
  std::string key(const CompileRequest &request, const std::vector<std::string> &files, const InstanceForm &form) const;

  /// The instance with that key, or nothing.
  std::optional<LibraryInstance> find(const std::string &key) const;
  void store(const std::string &key, const LibraryInstance &instance) const;

  /// The instance with that key: a stored one, else what `make` makes, which is stored.
  llvm::Expected<LibraryInstance> get(const std::string &key,
                                      llvm::function_ref<llvm::Expected<LibraryInstance>()> make) const;

  /// What Compiler::files() and absentFiles() said when such a request was compiled last, so that its key is known
  /// before anything is parsed; nothing when it was not, or when one of the absent files is there now. A list that has
  /// become wrong since, as a file has other imports, gives a key that no instance has, for that file's text is in it.
  std::optional<std::vector<std::string>> files(const CompileRequest &request, std::vector<std::string> &absent) const;
  void storeFiles(const CompileRequest &request, const std::vector<std::string> &files,
                  const std::vector<std::string> &absent) const;

private:
  std::optional<std::string> read(const std::string &key) const;
  void write(const std::string &key, llvm::StringRef content) const;
  std::string filesKey(const CompileRequest &request) const;

  std::string folder; // empty: no cache
  std::string tools;  // what tells these tools from others
};

/// The folder of the cache, as said above, which need not be there yet; empty: none.
std::string cacheFolder();

/// All of a request but the contents of files, and the form, as text: equal for what is compiled alike in one folder.
std::string requestText(const CompileRequest &request, const InstanceForm &form);

} // namespace idc::codegen
