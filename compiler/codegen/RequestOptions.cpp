#include "compiler/codegen/RequestOptions.h"

#include "host/Scanner.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace idc;
using namespace idc::codegen;

static llvm::Error wrong(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::optional<std::pair<int64_t, int64_t>> codegen::readRange(llvm::StringRef text, int64_t most) {
  host::Scanner scanner(text);
  const std::optional<int64_t> first = scanner.number<int64_t>();
  const std::optional<int64_t> last = scanner.accept("..") ? scanner.number<int64_t>() : first;
  if (!first || !last || !scanner.atEnd() || *last < *first || uint64_t(*last) - uint64_t(*first) >= uint64_t(most))
    return std::nullopt;
  return std::make_pair(*first, *last);
}

/// Up to the next comma that separates values: those between angle brackets are a function's parameters.
static llvm::StringRef untilComma(host::Scanner &scanner) {
  llvm::StringRef item = scanner.until(",");
  while (item.count('<') > item.count('>') && scanner.accept(",")) {
    const llvm::StringRef more = scanner.until(",");
    item = llvm::StringRef(item.data(), static_cast<size_t>(more.end() - item.begin()));
  }
  return item;
}

llvm::Expected<Setting> codegen::readSetting(llvm::StringRef text) {
  host::Scanner scanner(text);
  Setting setting{std::string(scanner.until("=")), {}, {}};
  const std::string form = "--set needs NAME=VALUE, not '" + text.str() + "'";
  if (setting.name.empty() || !scanner.accept("="))
    return wrong(form);
  do {
    const llvm::StringRef item = untilComma(scanner);
    if (item.empty())
      return wrong(form);
    double real = 0;
    const bool isReal = item.contains('.') && !item.contains("..") && !item.getAsDouble(real);
    if (isReal || (!llvm::isDigit(item[0]) && item[0] != '-')) {
      setting.types.push_back(item.str());
      continue;
    }
    std::optional<std::pair<int64_t, int64_t>> range = readRange(item, mostSizes);
    if (!range)
      return wrong("--set " + text + ": '" + item + "' is no integer of 64 bits, no range A..B of at most " +
                   llvm::Twine(mostSizes) + ", no real number and no type");
    for (int64_t size = range->first; size <= range->second; ++size)
      setting.sizes.push_back(size);
  } while (scanner.accept(","));
  if (!setting.sizes.empty() && !setting.types.empty())
    return wrong("--set " + text + " mixes sizes and types");
  return setting;
}

llvm::Error codegen::addSetting(llvm::StringRef text, CompileRequest &request) {
  llvm::Expected<Setting> setting = readSetting(text);
  if (!setting)
    return setting.takeError();
  if (setting->sizes.size() + setting->types.size() > 1)
    return wrong("--set " + text +
                 ": one value is taken here; several are for a library (idc compile -o) and idc tune");
  const bool fresh = setting->types.empty() ? request.sizes.emplace(setting->name, setting->sizes.front()).second
                                            : request.types.emplace(setting->name, setting->types.front()).second;
  if (!fresh)
    return wrong("--set " + setting->name + " is given twice");
  return llvm::Error::success();
}

llvm::Error codegen::setPlan(llvm::StringRef name, CompileRequest &request) {
  std::optional<passes::Plan> plan = passes::findPlan(name);
  if (!plan)
    return wrong("unknown plan '" + name + "'; known are throughput and latency");
  request.plan = *plan;
  return llvm::Error::success();
}

void codegen::setFile(llvm::StringRef file, CompileRequest &request) {
  request.file = file.str();
  if (request.libraries.empty() || llvm::sys::fs::exists(file))
    return;
  llvm::SmallString<256> inLibrary(request.libraries.back());
  llvm::sys::path::append(inLibrary, file);
  if (llvm::sys::fs::is_regular_file(inLibrary))
    request.file = inLibrary.str().str();
}
