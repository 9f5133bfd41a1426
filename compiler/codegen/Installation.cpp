#include "compiler/codegen/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <optional>

#include <dlfcn.h>
#include <link.h>

using namespace idc;

static int anchor;

std::string codegen::ownFile() {
  Dl_info info;
  void *extra = nullptr;
  if (dladdr1(&anchor, &info, &extra, RTLD_DL_LINKMAP) && extra)
    if (const char *library = static_cast<const link_map *>(extra)->l_name; library && *library)
      return library;
  return llvm::sys::fs::getMainExecutable(nullptr, &anchor); // the program itself has no name there
}

std::string codegen::standardLibrary() {
  llvm::SmallString<256> path;
  llvm::sys::fs::real_path(ownFile(), path); // a link's target, where the installation is
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "share", "idc", "stdlib");
  if (llvm::sys::fs::is_directory(path))
    return path.str().str();
  return IDC_SOURCE_STDLIB;
}

std::string codegen::userTables() {
  if (std::optional<std::string> chosen = llvm::sys::Process::GetEnv("IDC_TUNED"))
    return *chosen;
  llvm::SmallString<256> path;
  if (std::optional<std::string> data = llvm::sys::Process::GetEnv("XDG_DATA_HOME"); data && !data->empty())
    path = *data;
  else if (llvm::sys::path::home_directory(path))
    llvm::sys::path::append(path, ".local", "share");
  else
    return "";
  llvm::sys::path::append(path, "idc", "tuned");
  return path.str().str();
}

std::string codegen::tableIn(const std::string &tuned, const std::string &target, const std::string &program) {
  llvm::SmallString<256> path(tuned);
  llvm::sys::path::append(path, target, llvm::sys::path::filename(program));
  return path.str().str();
}
