#include "compiler/codegen/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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
