#include "compiler/frontend/ParsedOnce.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <list>
#include <mutex>

using namespace idc::frontend;

namespace {

/// A program and the texts that places in it point into: of its files, in their order.
struct Parsed {
  Diagnostics texts;
  std::unique_ptr<Source> source;
  bool mainIsText;

  llvm::StringRef text(size_t file) const {
    return texts.sources.getMemoryBuffer(static_cast<unsigned>(file) + 1)->getBuffer();
  }

  bool isUpToDate() const {
    for (size_t i = mainIsText ? 1 : 0; i < source->files.size(); ++i) {
      auto now =
          llvm::MemoryBuffer::getFile(source->files[i]->path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
      if (!now || (*now)->getBuffer() != text(i))
        return false;
    }
    return llvm::none_of(source->absent, [](const std::string &path) { return llvm::sys::fs::exists(path); });
  }
};

/// The programs used last. Threads may share it.
class ParsedPrograms {
public:
  /// `parse` parses with the diagnostics that it is given.
  template <typename Parse>
  std::shared_ptr<const Source> find(const std::string &key, bool isText, Diagnostics &diagnostics, Parse parse) {
    std::shared_ptr<const Parsed> parsed = lookUp(key);
    if (!parsed || !parsed->isUpToDate()) {
      auto made = std::make_shared<Parsed>();
      made->mainIsText = isText;
      made->source = parse(made->texts);
      if (!made->source)
        return parse(diagnostics); // once more, for the messages
      parsed = made;
      add(key, parsed);
    }
    for (size_t i = 0; i < parsed->source->files.size(); ++i)
      diagnostics.sources.AddNewSourceBuffer(
          llvm::MemoryBuffer::getMemBuffer(
              parsed->texts.sources.getMemoryBuffer(static_cast<unsigned>(i) + 1)->getMemBufferRef(),
              /*RequiresNullTerminator=*/false),
          llvm::SMLoc());
    diagnostics.keep(parsed);
    return std::shared_ptr<const Source>(parsed, parsed->source.get());
  }

private:
  static constexpr size_t most = 64;
  struct Entry {
    std::string key;
    std::shared_ptr<const Parsed> parsed;
  };

  std::shared_ptr<const Parsed> lookUp(const std::string &key) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto entry = entries.begin(); entry != entries.end(); ++entry)
      if (entry->key == key) {
        entries.splice(entries.begin(), entries, entry);
        return entry->parsed;
      }
    return nullptr;
  }

  void add(const std::string &key, std::shared_ptr<const Parsed> parsed) {
    std::lock_guard<std::mutex> lock(mutex);
    entries.remove_if([&](const Entry &entry) { return entry.key == key; });
    entries.push_front({key, std::move(parsed)});
    if (entries.size() > most)
      entries.pop_back();
  }

  std::mutex mutex;
  std::list<Entry> entries; // last used first
};

} // namespace

static ParsedPrograms &parsedPrograms() {
  static ParsedPrograms &programs = *new ParsedPrograms; // used until the process ends
  return programs;
}

/// The texts, each with its length, and the folder that relative paths are counted from.
static std::string keyOf(std::vector<std::string> texts, const std::vector<std::string> &folders) {
  llvm::SmallString<256> current;
  llvm::sys::fs::current_path(current);
  texts.push_back(current.str().str());
  llvm::append_range(texts, folders);
  std::string key;
  for (const std::string &text : texts)
    key += std::to_string(text.size()) + ":" + text;
  return key;
}

std::shared_ptr<const Source> idc::frontend::parseFileOnce(const std::string &path,
                                                           const std::vector<std::string> &folders,
                                                           Diagnostics &diagnostics) {
  return parsedPrograms().find(keyOf({"file", path}, folders), /*isText=*/false, diagnostics,
                               [&](Diagnostics &messages) { return parseFile(path, folders, messages); });
}

std::shared_ptr<const Source> idc::frontend::parseTextOnce(const std::string &text, const std::string &name,
                                                           const std::vector<std::string> &folders,
                                                           Diagnostics &diagnostics) {
  return parsedPrograms().find(keyOf({"text", name, text}, folders), /*isText=*/true, diagnostics,
                               [&](Diagnostics &messages) { return parseText(text, name, folders, messages); });
}
