#include "compiler/codegen/ResultCache.h"

#include "compiler/codegen/Installation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

using namespace idc;
using namespace idc::codegen;

std::string codegen::cacheFolder() {
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
  if (folder.empty())
    return;
  auto self = llvm::MemoryBuffer::getFile(ownFile());
  if (!self) {
    folder.clear();
    return;
  }
  tools = std::to_string(llvm::xxh3_64bits((*self)->getBuffer())) + " " LLVM_VERSION_STRING;
  for (const std::string &part :
       {identity(findTool("ptxas")), identity(findTool("fatbinary")), identity(findDeviceLibrary())})
    tools += "\n" + part;
}

/// Each part with its length, so that other parts are other texts.
static void add(std::string &text, llvm::StringRef part) {
  text += std::to_string(part.size()) + ":";
  text += part;
}

/// What decides about the result beside the texts of files.
static std::string settingsText(const CompileRequest &request, const InstanceForm &form) {
  static const std::string processor = thisProcessor();
  std::string text;
  for (const auto &[name, value] : request.sizes)
    add(text, name + "=" + std::to_string(value));
  for (const auto &[name, type] : request.types)
    add(text, name + "=" + type);
  for (const std::string &part :
       {request.entry, request.target, std::string(passes::planName(request.plan)), std::to_string(request.candidate),
        std::string(request.ownSchedules ? "own" : ""), form.prefix, std::string(form.laterGpus ? "later" : ""),
        request.target == "cpu" && request.processor == Processor::This ? processor : ""})
    add(text, part);
  for (const std::string &layout : request.layouts)
    add(text, layout);
  add(text, request.inPlace ? "in place" : "");
  add(text, std::to_string(request.devices));
  add(text, std::to_string(request.memory));
  if (request.cpuShare)
    add(text, std::to_string(request.cpuShare->first) + "/" + std::to_string(request.cpuShare->second));
  add(text, request.hostLinkFile);
  for (const std::string &distribution : request.distributions)
    add(text, distribution);
  return text;
}

std::string codegen::requestText(const CompileRequest &request, const InstanceForm &form) {
  std::string text = settingsText(request, form);
  add(text, request.file);
  add(text, request.text ? "text " + *request.text : "");
  add(text, request.scheduleFile);
  for (const std::string &library : request.libraries)
    add(text, library);
  return text;
}

static std::string hashOf(llvm::ArrayRef<llvm::StringRef> parts) {
  llvm::SHA256 hash;
  for (llvm::StringRef part : parts)
    hash.update(part);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string ResultCache::key(const CompileRequest &request, const std::vector<std::string> &files,
                             const InstanceForm &form) const {
  if (folder.empty())
    return {};
  std::string all;
  add(all, tools);
  for (size_t i = 0; i < files.size(); ++i) {
    add(all, llvm::sys::path::filename(files[i]));
    if (i == 0 && request.text) {
      add(all, *request.text);
      continue;
    }
    auto text = llvm::MemoryBuffer::getFile(files[i]);
    add(all, text ? (*text)->getBuffer() : "");
  }
  return hashOf({all, settingsText(request, form)});
}

std::string ResultCache::filesKey(const CompileRequest &request) const {
  llvm::SmallString<256> current; // paths may be relative to it
  llvm::sys::fs::current_path(current);
  std::string all;
  add(all, "files");
  add(all, tools);
  add(all, current);
  return hashOf({all, requestText(request, {})});
}

static llvm::json::Array toJson(const std::vector<std::string> &strings) {
  llvm::json::Array array;
  for (const std::string &string : strings)
    array.push_back(string);
  return array;
}

/// A line of JSON, then image and object as they are.
static std::string toText(const LibraryInstance &instance) {
  llvm::json::Object object{{"target", instance.target},
                            {"imageBytes", instance.image.size()},
                            {"objectBytes", instance.object.size()},
                            {"kernels", toJson(instance.kernels)},
                            {"manifest", instance.manifest},
                            {"signature", instance.signature},
                            {"workspaceFixedBytes", instance.workspaceFixedBytes},
                            {"workspaceBytesPerProblem", instance.workspaceBytesPerProblem}};
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(object))).str() + instance.image + instance.object;
}

/// Nothing when the text is no instance.
static std::optional<LibraryInstance> fromText(llvm::StringRef text) {
  auto [line, bytes] = text.split('\n');
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  LibraryInstance instance;
  uint64_t image = 0, object = 0;
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(*value, root);
  bool whole = map && map.map("target", instance.target) && map.map("imageBytes", image) &&
               map.map("objectBytes", object) && map.map("kernels", instance.kernels) &&
               map.map("manifest", instance.manifest) && map.map("signature", instance.signature) &&
               map.map("workspaceFixedBytes", instance.workspaceFixedBytes) &&
               map.map("workspaceBytesPerProblem", instance.workspaceBytesPerProblem);
  if (!whole || image > bytes.size() || object != bytes.size() - image)
    return std::nullopt;
  instance.image = bytes.take_front(image).str();
  instance.object = bytes.drop_front(image).str();
  return instance;
}

/// The first line of an entry. It tells accidents; nobody needs the right to write into the cache of another.
static std::string checksum(llvm::StringRef key, llvm::StringRef text) {
  return "idc-cache-entry " + hashOf({key, text}) + "\n";
}

static std::string pathOf(llvm::StringRef folder, llvm::StringRef key) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, "llvmcache-" + key); // what pruneCache() looks for
  return path.str().str();
}

/// What an entry's file holds; nothing when there is none, or its checksum is wrong.
std::optional<std::string> ResultCache::read(const std::string &key) const {
  if (folder.empty())
    return std::nullopt;
  const std::string path = pathOf(folder, key);
  // The date of the last access says what is pruned.
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path, llvm::sys::fs::OF_UpdateAtime);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  // Read, not mapped: a file that shrinks meanwhile is no fault.
  auto buffer = llvm::MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
                                                /*IsVolatile=*/true);
  llvm::sys::fs::closeFile(*file);
  if (!buffer)
    return std::nullopt;
  auto [first, text] = (*buffer)->getBuffer().split('\n');
  return (first + "\n").str() == checksum(key, text) ? std::optional(text.str()) : std::nullopt;
}

/// Under another name first, which is one for pruneCache(), too, should the process be killed.
void ResultCache::write(const std::string &key, llvm::StringRef content) const {
  if (folder.empty() || llvm::sys::fs::create_directories(folder))
    return;
  int descriptor = -1;
  llvm::SmallString<256> beside;
  if (llvm::sys::fs::createUniqueFile(pathOf(folder, "unfinished-%%%%%%%%%%%%"), descriptor, beside))
    return;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << checksum(key, content) << content;
  stream.close();
  const bool whole = !stream.has_error(); // else the disk is full
  stream.clear_error();
  if (!whole || llvm::sys::fs::rename(beside, pathOf(folder, key)))
    llvm::sys::fs::remove(beside);
  llvm::pruneCache(folder, llvm::CachePruningPolicy());
}

std::optional<LibraryInstance> ResultCache::find(const std::string &key) const {
  std::optional<std::string> text = read(key);
  return text ? fromText(*text) : std::nullopt;
}

void ResultCache::store(const std::string &key, const LibraryInstance &instance) const {
  if (!folder.empty())
    write(key, toText(instance));
}

llvm::Expected<LibraryInstance> ResultCache::get(const std::string &key,
                                                 llvm::function_ref<llvm::Expected<LibraryInstance>()> make) const {
  if (std::optional<LibraryInstance> found = find(key))
    return std::move(*found);
  llvm::Expected<LibraryInstance> made = make();
  if (made)
    store(key, *made);
  return made;
}

std::optional<std::vector<std::string>> ResultCache::files(const CompileRequest &request,
                                                           std::vector<std::string> &absent) const {
  std::optional<std::string> text = read(filesKey(request));
  if (!text)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  std::vector<std::string> files;
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(*value, root);
  if (!map || !map.map("files", files) || !map.map("absent", absent) ||
      llvm::any_of(absent, [](const std::string &path) { return llvm::sys::fs::exists(path); }))
    return std::nullopt;
  return files;
}

void ResultCache::storeFiles(const CompileRequest &request, const std::vector<std::string> &files,
                             const std::vector<std::string> &absent) const {
  if (folder.empty())
    return;
  llvm::json::Object object{{"files", toJson(files)}, {"absent", toJson(absent)}};
  write(filesKey(request), llvm::formatv("{0}", llvm::json::Value(std::move(object))).str());
}
