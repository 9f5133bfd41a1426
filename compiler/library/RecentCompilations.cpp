#include "compiler/library/RecentCompilations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace idc;
using namespace idc::library;

/// Which file it is, its size and its dates; empty when it is not there.
static std::string stampOf(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return {};
  std::string stamp;
  for (uint64_t number : {status.getUniqueID().getDevice(), status.getUniqueID().getFile(), status.getSize(),
                          uint64_t(status.getLastModificationTime().time_since_epoch().count())})
    stamp += std::to_string(number) + " ";
  return stamp;
}

void FileStamps::add(const codegen::CompileRequest &request, const std::vector<std::string> &more,
                     const std::vector<std::string> &moreAbsent) {
  for (size_t i = request.text ? 1 : 0; i < more.size(); ++i) // a text comes first
    files.emplace_back(more[i], stampOf(more[i]));
  llvm::append_range(absent, moreAbsent);
}

bool FileStamps::hold() const {
  return llvm::all_of(files, [](const auto &file) { return stampOf(file.first) == file.second; }) &&
         llvm::none_of(absent, [](const std::string &path) { return llvm::sys::fs::exists(path); });
}

std::string RecentCompilations::keyOf(const codegen::CompileRequest &request, const codegen::InstanceForm &form) {
  std::string key = codegen::requestText(request, form);
  llvm::SmallString<256> current; // paths may be relative to it
  llvm::sys::fs::current_path(current);
  key += current;
  return key;
}

std::shared_ptr<const Compilation> RecentCompilations::find(const std::string &key) {
  std::shared_ptr<const Compilation> compilation;
  std::shared_ptr<const FileStamps> stamps;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto place = places.find(key);
    if (place == places.end())
      return nullptr;
    entries.splice(entries.begin(), entries, place->second);
    compilation = place->second->compilation;
    stamps = place->second->stamps;
  }
  return stamps->hold() ? compilation : nullptr;
}

void RecentCompilations::add(const std::string &key, std::shared_ptr<const Compilation> compilation,
                             FileStamps stamps) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto place = places.find(key); place != places.end()) {
    entries.erase(place->second);
    places.erase(place);
  }
  entries.push_front({key, std::move(compilation), std::make_shared<const FileStamps>(std::move(stamps))});
  places[key] = entries.begin();
  if (entries.size() > most) {
    places.erase(entries.back().key);
    entries.pop_back();
  }
}
