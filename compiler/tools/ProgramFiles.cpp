#include "compiler/tools/ProgramFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace idc;
namespace fs = llvm::sys::fs;

llvm::Expected<std::vector<std::string>> tools::programFiles(llvm::ArrayRef<std::string> paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    std::error_code error;
    constexpr bool followsLinks = false; // which may lead around
    for (fs::recursive_directory_iterator entry(path, error, followsLinks), end; entry != end && !error;
         entry.increment(error))
      if (llvm::sys::path::extension(entry->path()) == ".id" && !fs::is_directory(entry->path()))
        found.push_back(entry->path());
    if (error)
      return llvm::createStringError(error, "cannot read the folder " + path + ": " + error.message());
    if (found.empty())
      return llvm::createStringError("the folder " + path + " has no .id file");
    llvm::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}
