#include "compiler/codegen/RequestOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace idc;
using namespace idc::codegen;

static llvm::Error wrong(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error codegen::addSetting(llvm::StringRef setting, CompileRequest &request) {
  auto [name, value] = setting.split('=');
  if (name.empty() || value.empty())
    return wrong("--set needs NAME=VALUE, not '" + setting + "'");
  int64_t number = 0;
  bool isNumber = !value.getAsInteger(10, number);
  double real = 0;
  const bool isReal = value.contains('.') && !value.getAsDouble(real);
  if (!isNumber && !isReal && (llvm::isDigit(value[0]) || value[0] == '-'))
    return wrong("--set " + setting + ": '" + value + "' is no integer of 64 bits, no real number and no type");
  bool fresh = isNumber ? request.sizes.emplace(name.str(), number).second
                        : request.types.emplace(name.str(), value.str()).second;
  if (!fresh)
    return wrong("--set " + name + " is given twice");
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
  if (llvm::sys::fs::exists(inLibrary))
    request.file = inLibrary.str().str();
}
