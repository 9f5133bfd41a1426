#include "compiler/tools/OutputFiles.h"

#include "runtime/lib/WholeFile.h"

using namespace idc;

llvm::Error tools::writeFiles(const std::vector<std::pair<std::string, std::string>> &files) {
  try {
    std::vector<runtime::FileInProgress> made;
    for (const auto &[path, content] : files) {
      made.emplace_back(path);
      made.back().write(content);
    }
    for (runtime::FileInProgress &file : made)
      file.commit();
  } catch (const runtime::FileError &error) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error.what());
  }
  return llvm::Error::success();
}
