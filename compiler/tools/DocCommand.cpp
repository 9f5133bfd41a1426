#include "compiler/tools/DocCommand.h"

#include "compiler/codegen/RequestOptions.h"
#include "compiler/explain/Facts.h"
#include "compiler/explain/Text.h"
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/SourceText.h"
#include "compiler/tools/AlgorithmText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using llvm::StringRef;

namespace {

/// An algorithm of the page.
struct Entry {
  const frontend::Function *function = nullptr;
  unsigned line = 0;
  std::optional<codegen::CompileRequest> request; // at the size that is shown; none where nothing is tried or right
  std::string cost;
};

struct File {
  std::string path, comment;
  frontend::Diagnostics diagnostics; // owns the text
  std::unique_ptr<frontend::Source> source;
  std::vector<Entry> entries;
};

/// The comment that a file begins with, without its slashes.
std::string firstComment(StringRef text) {
  std::string comment;
  while (text.starts_with("//") && !text.starts_with("///")) {
    auto [line, rest] = text.split('\n');
    comment += line.drop_front(2).trim().str() + "\n";
    text = rest;
  }
  return comment;
}

/// Text of comments as Markdown has it: what is no code has no marks.
std::string escaped(StringRef text) {
  std::string result;
  bool isCode = false;
  for (char c : text) {
    isCode ^= c == '`';
    if (!isCode && StringRef("\\_*[]<>#").contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

int64_t elementsOf(const frontend::Program &program) {
  int64_t sum = 0;
  auto add = [&](int value) {
    int64_t elements = 1;
    for (int radix : program.values[static_cast<size_t>(value)].radices)
      elements *= radix;
    sum += elements;
  };
  for (const frontend::Parameter &input : program.inputs)
    add(input.value);
  for (int output : program.outputs)
    add(output);
  return sum;
}

/// The largest size up to a few thousand elements, and the first type, that the algorithm takes when all its sizes are
/// one number and all its types without a default are one.
std::optional<codegen::CompileRequest> chooseSize(const codegen::CompileRequest &request,
                                                  const frontend::Function &function, const frontend::Source &source) {
  constexpr int64_t mostElements = 2048;
  for (const char *type : {"f32", "complex<f32>", "i32", "u32", "mod<998244353>", "bool"}) {
    codegen::CompileRequest tried = request;
    tried.entry = function.name.text;
    for (const frontend::Generic &generic : function.generics)
      if (generic.kind == frontend::Generic::Kind::Type && !generic.hasDefault())
        tried.types[generic.name.text] = type;
      else if (!generic.hasDefault())
        return std::nullopt;
    std::optional<codegen::CompileRequest> largest;
    for (int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 27, 32, 64, 100, 256, 1000, 1024}) {
      for (const frontend::Expr *named : frontend::sizesOf(function))
        tried.sizes[named->name] = size;
      frontend::Diagnostics unseen;
      auto program = frontend::elaborate(source, tried.entry, tried.sizes, tried.types, unseen);
      if (program && elementsOf(*program) > mostElements)
        break; // larger sizes take long to elaborate
      if (program)
        largest = tried;
    }
    if (largest)
      return largest;
  }
  return std::nullopt;
}

std::string costOf(const codegen::CompileRequest &request) {
  codegen::Compiler compiler(request);
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  llvm::Expected<explain::Facts> facts = explain::gather(compiler, stream, explain::Assembler::Unused);
  if (!facts) {
    llvm::consumeError(facts.takeError());
    return "no kernels exist for it yet";
  }
  return llvm::formatv("{0} kernel{1}, {2} bytes, {3:f2} times its inputs and results", facts->kernels.size(),
                       facts->kernels.size() == 1 ? "" : "s", facts->movedBytes,
                       static_cast<double>(facts->movedBytes) / static_cast<double>(facts->leastBytes))
      .str();
}

std::string settingsOf(const codegen::CompileRequest &request) {
  std::vector<std::string> settings;
  for (const auto &[name, size] : request.sizes)
    settings.push_back(name + " = " + std::to_string(size));
  for (const auto &[name, type] : request.types)
    settings.push_back(name + " = " + type);
  return llvm::join(settings, ", ");
}

/// Parses a file, checks what algorithms it has and chooses sizes; false after printing what is wrong.
bool read(const codegen::CompileRequest &request, const std::string &path, File &file) {
  codegen::CompileRequest one = request;
  codegen::setFile(path, one);
  file.path = one.file;
  file.source = frontend::parseFile(one.file, one.libraries, file.diagnostics);
  std::vector<const frontend::Function *> algorithms;
  if (file.source)
    algorithms = tools::usedAlgorithms(*file.source);
  const bool isRight = file.source && (algorithms.empty() || frontend::check(*file.source, file.diagnostics));
  file.diagnostics.print(llvm::errs());
  if (!isRight)
    return false;
  for (const frontend::Function *function : algorithms) {
    const unsigned line = file.diagnostics.sources.FindLineNumber(function->name.range.Start);
    file.entries.push_back({function, line, chooseSize(one, *function, *file.source), {}});
  }
  if (auto text = frontend::readSource(file.path))
    file.comment = firstComment((*text)->getBuffer());
  else
    llvm::consumeError(text.takeError());
  return true;
}

void print(const File &file, const std::string &target) {
  llvm::raw_ostream &os = llvm::outs();
  os << "## " << llvm::sys::path::filename(file.path) << "\n\n";
  if (!file.comment.empty())
    os << escaped(file.comment) << "\n";
  for (const Entry &entry : file.entries) {
    os << "### " << escaped(entry.function->name.text) << "\n\n    " << tools::signatureOf(*entry.function) << "\n\n";
    if (!entry.function->doc.empty())
      os << escaped(StringRef(entry.function->doc).trim()) << "\n\n";
    os << "[" << llvm::sys::path::filename(file.path) << ":" << entry.line << "](" << file.path << "#L" << entry.line
       << ")";
    if (entry.request)
      os << ".\nOn " << target << " with " << settingsOf(*entry.request) << ": " << entry.cost;
    os << ".\n\n";
  }
}

} // namespace

int tools::documentPrograms(const codegen::CompileRequest &request, const std::vector<std::string> &paths) {
  bool good = true, empty = true;
  std::vector<std::unique_ptr<File>> files;
  for (const std::string &path : paths) {
    files.push_back(std::make_unique<File>());
    good &= read(request, path, *files.back());
    empty &= files.back()->entries.empty();
  }
  if (!good || empty)
    return good ? 0 : 1;
  llvm::DefaultThreadPool pool;
  for (const std::unique_ptr<File> &file : files)
    for (Entry &entry : file->entries)
      if (entry.request)
        pool.async([&entry] { entry.cost = costOf(*entry.request); });
  pool.wait();
  llvm::outs() << "# Algorithms\n\nWritten by `idc doc` from the sources. Costs are of one size: how many kernels "
                  "there are for a batch of problems,\nhow many bytes of a problem they read and write, and how many "
                  "times its inputs and results that is.\n\n";
  for (const std::unique_ptr<File> &file : files)
    if (!file->entries.empty())
      print(*file, request.target);
  return 0;
}
