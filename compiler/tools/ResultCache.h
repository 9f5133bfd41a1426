// Results of compilations kept on disk, found by a hash of all that they are made of.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::tools {

/// Lies in the folder $IDC_CACHE, which may be empty for no cache, else in idc of the user's cache folder. Entries that
/// were not used for a week go. Each begins with a hash of its key and content: a damaged one is as good as none, and
/// is replaced. What cannot be read or written is not cached; that is no error. Threads and processes may share it:
/// entries appear whole or not at all.
class ResultCache {
public:
  ResultCache();
  ~ResultCache();

  /// The key of an instance: the request, the text of `files`, the other arguments of Compiler::instance(), and which
  /// compiler and CUDA tools these are.
  std::string key(const codegen::CompileRequest &request, const std::vector<std::string> &files,
                  const std::string &prefix, bool laterGpus) const;

  /// The instance with that key: a stored one, else what `make` makes, which is stored.
  llvm::Expected<codegen::LibraryInstance> get(const std::string &key,
                                               llvm::function_ref<llvm::Expected<codegen::LibraryInstance>()> make);

private:
  std::string folder; // empty: no cache
  std::string tools;  // what tells these tools from others
};

} // namespace idc::tools
