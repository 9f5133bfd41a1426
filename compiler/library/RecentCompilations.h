// What this process has compiled or loaded, found again by an identical request while no file has changed.
#pragma once

#include "compiler/codegen/ResultCache.h"
#include "compiler/library/Compilation.h"

#include <list>
#include <map>
#include <mutex>

namespace idc::library {

/// The state of the files that a compilation was made of.
struct FileStamps {
  std::vector<std::pair<std::string, std::string>> files; // path, and what a change would change
  std::vector<std::string> absent;                        // files that would have been part of it

  void add(const codegen::CompileRequest &request, const std::vector<std::string> &files,
           const std::vector<std::string> &absent);
  /// Whether all are as they were.
  bool hold() const;
};

/// Threads may share it. The oldest go when there are many: each is some hundred kilobytes of code.
class RecentCompilations {
public:
  static std::string keyOf(const codegen::CompileRequest &request, const codegen::InstanceForm &form);

  std::shared_ptr<const Compilation> find(const std::string &key);
  void add(const std::string &key, std::shared_ptr<const Compilation> compilation, FileStamps stamps);

private:
  static constexpr size_t most = 512;
  struct Entry {
    std::string key;
    std::shared_ptr<const Compilation> compilation;
    std::shared_ptr<const FileStamps> stamps;
  };
  std::mutex mutex;
  std::list<Entry> entries; // last used first
  std::map<std::string, std::list<Entry>::iterator> places;
};

} // namespace idc::library
