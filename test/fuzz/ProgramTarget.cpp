// libFuzzer's target for programs: whatever the text, the compiler makes code or diagnostics of it. An input is a
// program. Its first line may say what is compiled, as examples in programs do; the largest sizes that are worth the
// time are chosen there:
//
//   //! ENTRY n=3 T=f32 for sm_90
#include "GrammarMutator.h"

#include "compiler/codegen/Compiler.h"
#include "compiler/codegen/Installation.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/frontend/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

/// Larger programs are elaborated, but not compiled: with sanitizers that takes minutes and finds nothing else.
constexpr size_t mostSteps = 64;
constexpr int64_t mostElements = 1024;

static bool isSmall(const frontend::Program &program) {
  return program.steps.size() <= mostSteps && llvm::all_of(program.values, [](const frontend::Sequence &value) {
           int64_t elements = 1;
           for (int radix : value.radices)
             if ((elements *= radix) > mostElements)
               return false;
           return true;
         });
}

/// What the first line asks for. Words that are not understood are left out.
static void readRequestLine(llvm::StringRef text, codegen::CompileRequest &request) {
  auto [line, rest] = text.split('\n');
  if (!line.consume_front("//! "))
    return;
  auto [settings, target] = line.split(" for ");
  if (!target.empty())
    request.target = target.trim().str();
  llvm::SmallVector<llvm::StringRef> words;
  settings.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words)
    if (!word.contains('='))
      request.entry = word.str();
    else
      llvm::consumeError(codegen::addSetting(word, request));
}

static void compile(llvm::StringRef text) {
  codegen::CompileRequest request;
  request.file = "input.id";
  request.text = text.str();
  request.libraries = {codegen::standardLibrary()};
  readRequestLine(text, request);
  codegen::Compiler compiler(request);
  llvm::Expected<const frontend::Program *> program = compiler.program(llvm::nulls());
  if (!program)
    return llvm::consumeError(program.takeError());
  if (!isSmall(**program))
    return;
  llvm::Expected<std::string> code =
      compiler.emit(request.target == "cpu" ? codegen::Level::Llvm : codegen::Level::Ptx, llvm::nulls());
  if (!code)
    llvm::consumeError(code.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  frontend::Diagnostics mistakes;
  if (!frontend::format(text.str(), "input.id", mistakes))
    return 0; // a syntax error, which every command finds first
  frontend::Diagnostics diagnostics;
  auto source = frontend::parseText(text.str(), "input.id", {codegen::standardLibrary()}, diagnostics);
  if (source && frontend::checkBodies(*source, diagnostics))
    compile(text);
  diagnostics.print(llvm::nulls());
  return 0;
}

/// Copies what fits, and returns its length.
static size_t copyTo(uint8_t *data, size_t size, const std::string &text) {
  const size_t length = std::min(size, text.size());
  std::copy_n(text.begin(), length, data);
  return length;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(reinterpret_cast<const char *>(data), size);
  for (unsigned changes = 1 + random() % 3; changes != 0; --changes)
    text = fuzz::mutateProgram(text, random);
  return copyTo(data, maxSize, text);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  return copyTo(out, maxSize,
                fuzz::crossPrograms({reinterpret_cast<const char *>(first), firstSize},
                                    {reinterpret_cast<const char *>(second), secondSize}, random));
}
