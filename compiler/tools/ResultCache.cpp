#include "compiler/tools/ResultCache.h"

#include "runtime/lib/WholeFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

using namespace idc;
using namespace idc::codegen;
using namespace idc::tools;

static std::string cacheFolder() {
  if (std::optional<std::string> chosen = llvm::sys::Process::GetEnv("IDC_CACHE"))
    return *chosen;
  llvm::SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return {};
  llvm::sys::path::append(path, "idc");
  return path.str().str();
}

/// Path, size and date of a program or library that is there.
static std::string identity(llvm::Expected<std::string> path) {
  llvm::sys::fs::file_status status;
  if (!path) {
    llvm::consumeError(path.takeError());
    return "none";
  }
  if (llvm::sys::fs::status(*path, status))
    return *path;
  return *path + " " + std::to_string(status.getSize()) + " " +
         std::to_string(status.getLastModificationTime().time_since_epoch().count());
}

ResultCache::ResultCache() : folder(cacheFolder()) {
  static int anchor;
  auto self = llvm::MemoryBuffer::getFile(llvm::sys::fs::getMainExecutable(nullptr, &anchor));
  if (!self) {
    folder.clear();
    return;
  }
  tools = std::to_string(llvm::xxh3_64bits((*self)->getBuffer())) + " " LLVM_VERSION_STRING;
  for (const std::string &part :
       {identity(findTool("ptxas")), identity(findTool("fatbinary")), identity(findDeviceLibrary())})
    tools += "\n" + part;
}

ResultCache::~ResultCache() {
  if (!folder.empty())
    llvm::pruneCache(folder, llvm::CachePruningPolicy());
}

std::string ResultCache::key(const CompileRequest &request, const std::vector<std::string> &files,
                             const std::string &prefix, bool laterGpus) const {
  llvm::SHA256 hash;
  auto add = [&](llvm::StringRef text) {
    hash.update(std::to_string(text.size()) + ":");
    hash.update(text);
  };
  add(tools);
  for (const std::string &file : files) {
    auto text = llvm::MemoryBuffer::getFile(file);
    add(llvm::sys::path::filename(file));
    add(text ? (*text)->getBuffer() : "");
  }
  for (const auto &[name, value] : request.sizes)
    add(name + "=" + std::to_string(value));
  for (const auto &[name, type] : request.types)
    add(name + "=" + type);
  for (const std::string &text : {request.entry, request.target, std::string(passes::planName(request.plan)), prefix})
    add(text);
  add(laterGpus ? "later" : "");
  for (const std::string &layout : request.layouts)
    add(layout);
  add(request.inPlace ? "in place" : "");
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

static std::string toText(const LibraryInstance &instance) {
  llvm::json::Array kernels;
  for (const std::string &kernel : instance.kernels)
    kernels.push_back(kernel);
  llvm::json::Object object{{"target", instance.target},
                            {"image", llvm::encodeBase64(instance.image)},
                            {"object", llvm::encodeBase64(instance.object)},
                            {"kernels", std::move(kernels)},
                            {"manifest", instance.manifest},
                            {"workspaceFixedBytes", instance.workspaceFixedBytes},
                            {"workspaceBytesPerProblem", instance.workspaceBytesPerProblem}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

/// Nothing when the text is no instance.
static std::optional<LibraryInstance> fromText(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  LibraryInstance instance;
  std::string image, object;
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(*value, root);
  bool whole = map && map.map("target", instance.target) && map.map("image", image) && map.map("object", object) &&
               map.map("kernels", instance.kernels) && map.map("manifest", instance.manifest) &&
               map.map("workspaceFixedBytes", instance.workspaceFixedBytes) &&
               map.map("workspaceBytesPerProblem", instance.workspaceBytesPerProblem);
  for (auto [encoded, bytes] : {std::pair(&image, &instance.image), std::pair(&object, &instance.object)}) {
    std::vector<char> decoded;
    if (llvm::Error error = llvm::decodeBase64(*encoded, decoded)) {
      llvm::consumeError(std::move(error));
      whole = false;
    }
    bytes->assign(decoded.begin(), decoded.end());
  }
  return whole ? std::optional(std::move(instance)) : std::nullopt;
}

/// The first line of an entry. It tells accidents; nobody needs the right to write into the cache of another.
static std::string checksum(llvm::StringRef key, llvm::StringRef text) {
  llvm::SHA256 hash;
  hash.update(key);
  hash.update(text);
  return "idc-cache-entry " + llvm::toHex(hash.final(), /*LowerCase=*/true) + "\n";
}

/// What an entry's file holds; nothing when there is none, or its checksum is wrong.
static std::optional<LibraryInstance> load(llvm::StringRef path, llvm::StringRef key) {
  // The date of the last access says what is pruned.
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path, llvm::sys::fs::OF_UpdateAtime);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  auto buffer = llvm::MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  llvm::sys::fs::closeFile(*file);
  if (!buffer)
    return std::nullopt;
  auto [first, text] = (*buffer)->getBuffer().split('\n');
  return (first + "\n").str() == checksum(key, text) ? fromText(text) : std::nullopt;
}

llvm::Expected<LibraryInstance> ResultCache::get(const std::string &key,
                                                 llvm::function_ref<llvm::Expected<LibraryInstance>()> make) {
  if (folder.empty())
    return make();
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, "llvmcache-" + key); // what pruneCache() looks for
  if (std::optional<LibraryInstance> found = load(path, key))
    return std::move(*found);
  llvm::Expected<LibraryInstance> made = make();
  if (!made || llvm::sys::fs::create_directories(folder))
    return made;
  try {
    std::string text = toText(*made);
    runtime::writeFile(path.str().str(), checksum(key, text) + text);
  } catch (const runtime::FileError &) { // the disk is full, or the folder is another's
  }
  return made;
}
