//===- Interface.cpp - idc/compiler.h -------------------------------------===//
#include "idc/compiler.h"

#include "compiler/codegen/Installation.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/frontend/ParsedOnce.h"
#include "compiler/library/Compilation.h"
#include "compiler/library/Description.h"
#include "compiler/library/Explanation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <locale.h>

#include <memory>
#include <new>
#include <optional>

using namespace idc;

struct idc_request {
  std::string file, target = "cpu", entry, plan;
  std::optional<std::string> text;
  std::vector<std::string> folders, settings, layouts;
  bool inPlace = false;
};

struct idc_result {
  std::shared_ptr<const library::Compilation> compilation;
  std::optional<std::string> description, adjoint, explanation;
  idc_origin origin = IDC_ORIGIN_COMPILED;
};

namespace {

/// While it lives this thread reads and writes numbers with a point, whatever locale the application has: LLVM and MLIR
/// do so by functions of C.
class NumbersWithPoint {
public:
  NumbersWithPoint() : before(uselocale(locale())) {}
  ~NumbersWithPoint() { uselocale(before); }
  NumbersWithPoint(const NumbersWithPoint &) = delete;
  NumbersWithPoint &operator=(const NumbersWithPoint &) = delete;

private:
  static locale_t locale() {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return plain;
  }
  locale_t before;
};

} // namespace

/// Calls `body`, which returns an idc_status: no exception crosses the C interface, and no locale. Exceptions of LLVM's
/// and this code's containers are about memory.
template <typename Body> static idc_status guarded(Body body) noexcept {
  const NumbersWithPoint point;
  try {
    return body();
  } catch (...) {
    return IDC_ERROR_OUT_OF_MEMORY;
  }
}

idc_status idc_request_create(idc_request **request) {
  if (!request)
    return IDC_ERROR_INVALID_ARGUMENT;
  *request = new (std::nothrow) idc_request;
  return *request ? IDC_SUCCESS : IDC_ERROR_OUT_OF_MEMORY;
}

void idc_request_destroy(idc_request *request) { delete request; }

/// Gives `text` to `use` when neither is null.
template <typename Use> static idc_status given(idc_request *request, const char *text, Use use) {
  if (!request || !text)
    return IDC_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    use();
    return IDC_SUCCESS;
  });
}

idc_status idc_request_file(idc_request *request, const char *path) {
  return given(request, path, [&] {
    request->file = path;
    request->text.reset();
  });
}

idc_status idc_request_text(idc_request *request, const char *text, size_t bytes, const char *name) {
  if (!name)
    return IDC_ERROR_INVALID_ARGUMENT;
  return given(request, text, [&] {
    request->file = name;
    request->text.emplace(text, bytes);
  });
}

idc_status idc_request_folder(idc_request *request, const char *folder) {
  return given(request, folder, [&] { request->folders.push_back(folder); });
}
idc_status idc_request_entry(idc_request *request, const char *entry) {
  return given(request, entry, [&] { request->entry = entry; });
}
idc_status idc_request_set(idc_request *request, const char *setting) {
  return given(request, setting, [&] { request->settings.push_back(setting); });
}
idc_status idc_request_target(idc_request *request, const char *target) {
  return given(request, target, [&] { request->target = target; });
}
idc_status idc_request_plan(idc_request *request, const char *plan) {
  return given(request, plan, [&] { request->plan = plan; });
}
idc_status idc_request_layout(idc_request *request, const char *layout) {
  return given(request, layout, [&] { request->layouts.push_back(layout); });
}
idc_status idc_request_in_place(idc_request *request, int32_t in_place) {
  if (!request)
    return IDC_ERROR_INVALID_ARGUMENT;
  request->inPlace = in_place != 0;
  return IDC_SUCCESS;
}

/// The compiler's form of a request.
static llvm::Expected<codegen::CompileRequest> translate(const idc_request &request) {
  static const std::string standardLibrary = codegen::standardLibrary();
  codegen::CompileRequest result;
  result.libraries = request.folders;
  result.libraries.push_back(standardLibrary);
  result.text = request.text;
  if (request.text)
    result.file = request.file;
  else
    codegen::setFile(request.file, result);
  result.entry = request.entry;
  result.target = request.target;
  result.processor = codegen::Processor::This;
  result.layouts = request.layouts;
  result.inPlace = request.inPlace;
  if (!request.text && request.file.empty())
    return llvm::createStringError("the request has neither a file nor a text");
  for (const std::string &setting : request.settings)
    if (llvm::Error error = codegen::addSetting(setting, result))
      return error;
  if (!request.plan.empty())
    if (llvm::Error error = codegen::setPlan(request.plan, result))
      return error;
  return result;
}

static std::shared_ptr<const library::Compilation> refused(std::vector<frontend::Diagnostics::Message> diagnostics) {
  auto compilation = std::make_shared<library::Compilation>();
  compilation->diagnostics = std::move(diagnostics);
  return compilation;
}

/// Runs `work` on a stack that is as large as a program's own, however small the calling thread's is.
template <typename Work> static void onLargeStack(Work work) {
  bool whole = false;
  llvm::thread worker(std::optional<unsigned>(8u << 20), [&] {
    whole = guarded([&] {
              work();
              return IDC_SUCCESS;
            }) == IDC_SUCCESS;
  });
  worker.join();
  if (!whole)
    throw std::bad_alloc();
}

static void compileInto(const codegen::CompileRequest &request, idc_result &result) {
  result.compilation = library::findCompiled(request);
  result.origin = IDC_ORIGIN_MEMORY;
  if (result.compilation)
    return;
  onLargeStack([&] {
    library::Outcome outcome = library::compile(request);
    result.compilation = std::move(outcome.compilation);
    result.origin = outcome.origin == library::Origin::Disk ? IDC_ORIGIN_DISK : IDC_ORIGIN_COMPILED;
  });
}

static void parseInto(const codegen::CompileRequest &request, idc_result &result) {
  frontend::Diagnostics diagnostics;
  std::shared_ptr<const frontend::Source> source =
      request.text ? frontend::parseTextOnce(*request.text, request.file, request.libraries, diagnostics)
                   : frontend::parseFileOnce(request.file, request.libraries, diagnostics);
  if (source && frontend::check(*source, diagnostics))
    result.description = library::describe(*source);
  result.compilation = refused(diagnostics.messages());
}

static void describeInto(const codegen::CompileRequest &request, idc_result &result) {
  onLargeStack([&] { parseInto(request, result); });
}

static void deriveInto(const codegen::CompileRequest &request, llvm::StringRef withRespectTo, idc_result &result) {
  onLargeStack([&] {
    std::vector<std::string> names;
    for (llvm::StringRef name : llvm::split(withRespectTo, ','))
      if (!name.trim().empty())
        names.push_back(name.trim().str());
    codegen::Compiler compiler(request);
    llvm::Expected<std::string> text = compiler.adjoint(names, llvm::nulls());
    if (text)
      result.adjoint = std::move(*text);
    result.compilation = text ? refused({}) : library::failed(compiler, text.takeError());
  });
}

static void explainInto(codegen::CompileRequest request, idc_result &result) {
  onLargeStack([&] {
    if (request.target == "cpu")
      request.target = "sm_90";
    request.listed = explain::listedCandidates;
    codegen::Compiler compiler(request);
    llvm::Expected<explain::Facts> facts = explain::gather(compiler, llvm::nulls());
    if (facts)
      result.explanation = library::explanation(*facts);
    result.compilation = facts ? refused({}) : library::failed(compiler, facts.takeError());
  });
}

/// What `work` makes of the compiler's form of a request.
template <typename Work> static idc_status answer(const idc_request *request, idc_result **result, Work work) {
  if (!request || !result)
    return IDC_ERROR_INVALID_ARGUMENT;
  *result = nullptr;
  return guarded([&] {
    auto made = std::make_unique<idc_result>();
    llvm::Expected<codegen::CompileRequest> translated = translate(*request);
    if (translated)
      work(*translated, *made);
    else
      made->compilation = refused({library::withoutPlace(translated.takeError())});
    *result = made.release();
    return (*result)->compilation->succeeded() ? IDC_SUCCESS : IDC_ERROR_PROGRAM;
  });
}

idc_status idc_compile(const idc_request *request, idc_result **result) { return answer(request, result, compileInto); }

idc_status idc_describe(const idc_request *request, idc_result **result) {
  return answer(request, result, describeInto);
}

idc_status idc_adjoint(const idc_request *request, const char *with_respect_to, idc_result **result) {
  return answer(request, result, [&](const codegen::CompileRequest &translated, idc_result &made) {
    deriveInto(translated, with_respect_to ? with_respect_to : "", made);
  });
}

idc_status idc_explain(const idc_request *request, idc_result **result) { return answer(request, result, explainInto); }

void idc_result_destroy(idc_result *result) { delete result; }

idc_origin idc_result_origin(const idc_result *result) { return result ? result->origin : IDC_ORIGIN_COMPILED; }

static const codegen::LibraryInstance *instanceOf(const idc_result *result) {
  return result && !result->compilation->instance.manifest.empty() ? &result->compilation->instance : nullptr;
}

/// PTX is text, which for the driver ends in a zero.
static size_t imageBytes(const std::string &image) {
  const bool text = image.find('\0') == std::string::npos;
  return image.size() + (text ? 1 : 0);
}

const void *idc_result_image(const idc_result *result, size_t *bytes) {
  const codegen::LibraryInstance *instance = instanceOf(result);
  const bool there = instance && !instance->image.empty();
  if (bytes)
    *bytes = there ? imageBytes(instance->image) : 0;
  return there ? instance->image.data() : nullptr;
}

const char *idc_result_manifest(const idc_result *result, size_t *bytes) {
  const codegen::LibraryInstance *instance = instanceOf(result);
  if (bytes)
    *bytes = instance ? instance->manifest.size() : 0;
  return instance ? instance->manifest.c_str() : nullptr;
}

const char *idc_result_signature(const idc_result *result) {
  const codegen::LibraryInstance *instance = instanceOf(result);
  return instance ? instance->signature.c_str() : nullptr;
}

const char *idc_result_description(const idc_result *result) {
  return result && result->description ? result->description->c_str() : nullptr;
}

const char *idc_result_adjoint(const idc_result *result) {
  return result && result->adjoint ? result->adjoint->c_str() : nullptr;
}

const char *idc_result_explanation(const idc_result *result) {
  return result && result->explanation ? result->explanation->c_str() : nullptr;
}

idc_status idc_result_load(const idc_result *result, idc_module **module) {
  if (module)
    *module = nullptr;
  const codegen::LibraryInstance *instance = instanceOf(result);
  if (!instance || !module)
    return IDC_ERROR_INVALID_ARGUMENT;
  const std::string &manifest = instance->manifest;
  if (!result->compilation->code)
    return idc_module_load(instance->image.data(), imageBytes(instance->image), manifest.data(), manifest.size(),
                           module);
  return idc_cpu_module_create(manifest.data(), manifest.size(), codegen::CpuJit::find,
                               const_cast<codegen::CpuJit *>(&*result->compilation->code), module);
}

int32_t idc_result_diagnostic_count(const idc_result *result) {
  return result ? static_cast<int32_t>(result->compilation->diagnostics.size()) : 0;
}

idc_status idc_result_diagnostic(const idc_result *result, int32_t index, idc_diagnostic *diagnostic) {
  if (!diagnostic || index < 0 || index >= idc_result_diagnostic_count(result))
    return IDC_ERROR_INVALID_ARGUMENT;
  const frontend::Diagnostics::Message &message = result->compilation->diagnostics[static_cast<size_t>(index)];
  diagnostic->severity = message.isNote ? IDC_SEVERITY_NOTE : IDC_SEVERITY_ERROR;
  diagnostic->file = message.file.c_str();
  diagnostic->line = static_cast<int32_t>(message.line);
  diagnostic->column = static_cast<int32_t>(message.column);
  diagnostic->text = message.text.c_str();
  diagnostic->rendered = message.rendered.c_str();
  return IDC_SUCCESS;
}

const char *idc_targets(void) {
  static const std::string names = llvm::join(passes::targetNames(), " ");
  return names.c_str();
}

const char *idc_target_for(int32_t major, int32_t minor) {
  static const std::vector<std::string> names = passes::targetNames();
  const auto name = llvm::find(names, passes::newestTargetFor(major, minor));
  return name == names.end() ? nullptr : name->c_str();
}

const char *idc_compiler_version(void) { return IDC_VERSION; }
