#include "compiler/library/Compilation.h"

#include "compiler/codegen/ResultCache.h"
#include "compiler/library/RecentCompilations.h"

#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::library;

static const codegen::InstanceForm form{"", /*laterGpus=*/true};

frontend::Diagnostics::Message library::withoutPlace(llvm::Error error) {
  frontend::Diagnostics::Message message;
  message.text = llvm::StringRef(llvm::toString(std::move(error))).rtrim().str();
  message.rendered = "error: " + message.text + "\n";
  return message;
}

std::shared_ptr<Compilation> library::failed(const codegen::Compiler &compiler, llvm::Error error) {
  auto compilation = std::make_shared<Compilation>();
  compilation->diagnostics = compiler.messages();
  // Messages with places come without one of their own.
  frontend::Diagnostics::Message other = withoutPlace(std::move(error));
  if (!other.text.empty() || compilation->diagnostics.empty())
    compilation->diagnostics.push_back(std::move(other));
  return compilation;
}

/// What is in memory already is code: a cached object that cannot be loaded is as good as none.
static std::shared_ptr<Compilation> loaded(codegen::LibraryInstance instance, llvm::Error &error) {
  llvm::ErrorAsOutParameter checked(error);
  auto compilation = std::make_shared<Compilation>();
  compilation->instance = std::move(instance);
  if (compilation->instance.object.empty())
    return compilation;
  llvm::Expected<codegen::CpuJit> code = codegen::CpuJit::load(compilation->instance.object);
  if (!code) {
    error = code.takeError();
    return nullptr;
  }
  compilation->code.emplace(std::move(*code));
  for (const std::string &kernel : compilation->instance.kernels)
    if (!compilation->code->lookup(kernel)) {
      error = llvm::createStringError("the kernel '" + kernel + "' cannot be linked");
      return nullptr;
    }
  compilation->instance.object.clear(); // loaded: nobody asks for it again
  return compilation;
}

static std::shared_ptr<Compilation> compileNow(const codegen::CompileRequest &request,
                                               const codegen::ResultCache &cache, FileStamps &stamps) {
  codegen::Compiler compiler(request);
  auto failed = [&](llvm::Error error) { return library::failed(compiler, std::move(error)); };
  llvm::Expected<const frontend::Program *> program = compiler.program(llvm::nulls());
  if (!program)
    return failed(program.takeError());
  // At once when they are read: what changes while this compiles is another program.
  const std::vector<std::string> files = compiler.files(), absent = compiler.absentFiles();
  const std::string key = cache.key(request, files, form);
  stamps.add(request, files, absent);
  llvm::Expected<codegen::LibraryInstance> instance = compiler.instance(form, llvm::nulls());
  if (!instance)
    return failed(instance.takeError());
  llvm::Error error = llvm::Error::success();
  codegen::LibraryInstance kept = *instance;
  std::shared_ptr<Compilation> compilation = loaded(std::move(*instance), error);
  if (error)
    return failed(std::move(error));
  cache.store(key, kept);
  cache.storeFiles(request, files, absent);
  return compilation;
}

static RecentCompilations &recentCompilations() {
  static RecentCompilations &recent = *new RecentCompilations; // used until the process ends
  return recent;
}

std::shared_ptr<const Compilation> library::findCompiled(const codegen::CompileRequest &request) {
  return recentCompilations().find(RecentCompilations::keyOf(request, form));
}

Outcome library::compile(const codegen::CompileRequest &request) {
  const std::string text = RecentCompilations::keyOf(request, form);
  RecentCompilations &recent = recentCompilations();
  static const codegen::ResultCache cache;
  FileStamps stamps;
  if (std::optional<std::vector<std::string>> files = cache.files(request, stamps.absent)) {
    stamps.add(request, *files, {});
    if (std::optional<codegen::LibraryInstance> instance = cache.find(cache.key(request, *files, form))) {
      llvm::Error error = llvm::Error::success();
      std::shared_ptr<Compilation> compilation = loaded(std::move(*instance), error);
      if (!error) {
        recent.add(text, compilation, std::move(stamps));
        return {std::move(compilation), Origin::Disk};
      }
      llvm::consumeError(std::move(error));
    }
  }
  stamps = {};
  std::shared_ptr<Compilation> compilation = compileNow(request, cache, stamps);
  if (compilation->succeeded())
    recent.add(text, compilation, std::move(stamps));
  return {std::move(compilation), Origin::Compiled};
}
