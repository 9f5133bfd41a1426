// libFuzzer's target for everything that is read but programs: array files, manifests, descriptions of mappings and
// launches, settings and layouts of the command line, an editor's messages. An input's first line names the reader, the
// rest is what it reads. Whatever that is, it is read or refused with a message; what is printed of it reads as the
// same.
#include "compiler/codegen/Compiler.h"
#include "compiler/codegen/Installation.h"
#include "compiler/codegen/RequestOptions.h"
#include "compiler/lsp/Server.h"
#include "dialect/digits/Launch.h"
#include "dialect/digits/Mapping.h"
#include "host/ArrayNumbers.h"
#include "host/ElementText.h"
#include "host/ElementType.h"
#include "host/Error.h"
#include "runtime/lib/Manifest.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace idc;

/// An array file, from memory that has a path; what was read is looked at as a table of values does.
static void readArray(llvm::StringRef bytes) {
  const int file = memfd_create("input.npy", 0);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    llvm::report_fatal_error("no memory for an array file");
  try {
    const npy::Array array = npy::read("/proc/self/fd/" + std::to_string(file));
    host::numbersOf(array);
    if (array.elements() > 0)
      host::elementText(array, array.elements() - 1, 1);
  } catch (const npy::Error &) {
  }
  close(file);
}

static void readElementType(llvm::StringRef text) {
  try {
    const host::ElementType type = host::ElementType::parse(text.str());
    type.leaves();
    if (!type.description.empty())
      npy::recordArray(type.description);
  } catch (const host::Error &) {
  } catch (const npy::Error &) {
  }
}

static void readManifest(llvm::StringRef json) {
  try {
    runtime::parseManifest({json.data(), json.size()});
  } catch (const runtime::ManifestError &) {
  }
}

static void readMapping(llvm::StringRef text) {
  digits::Mapping mapping, again;
  std::string error;
  if (!digits::Mapping::parse(text.str(), {}, mapping, error))
    return;
  mapping.check();
  if (!digits::Mapping::parse(mapping.str(), {}, again, error) || again != mapping)
    llvm::report_fatal_error("a mapping is printed as another one");
}

static void readLaunch(llvm::StringRef text) {
  digits::Launch launch, again;
  std::string error;
  if (!digits::Launch::parse(text.str(), launch, error) || !launch.check().empty())
    return;
  if (!digits::Launch::parse(launch.str(), again, error) || again != launch)
    llvm::report_fatal_error("a launch is printed as another one");
}

/// Lines NAME=VALUE are settings; others are layouts.
static void readRequest(llvm::StringRef lines) {
  codegen::CompileRequest request;
  request.file = "input.id";
  request.text = "algorithm f<T = f32>(x: T[r: 2^m][c: 2^n], s: T) -> T[r: 2^m][c: 2^n] { return x |> transpose; }\n"
                 "algorithm transpose<T>(x: T[r: 2^m][c: 2^n]) -> T[c: 2^n][r: 2^m] { return x |> unshuffle(m+n, n); }";
  request.entry = "f";
  while (!lines.empty()) {
    auto [line, rest] = lines.split('\n');
    lines = rest;
    if (line.contains(':') || line.ends_with("planar"))
      request.layouts.push_back(line.str());
    else
      llvm::consumeError(codegen::addSetting(line, request));
  }
  request.sizes.insert({{"m", 1}, {"n", 2}});
  codegen::Compiler compiler(request);
  llvm::Expected<const frontend::Program *> program = compiler.program(llvm::nulls());
  if (!program)
    return llvm::consumeError(program.takeError());
  for (const auto &[name, size] : (*program)->sizes)
    if (size > 4)
      return; // compiling takes long, and reads nothing more
  llvm::Expected<std::string> flow = compiler.emit(codegen::Level::Id, llvm::nulls());
  if (!flow)
    llvm::consumeError(flow.takeError());
}

/// Every line is a message; the server sees an editor that initializes it first.
static void readMessages(llvm::StringRef lines) {
  std::string stream;
  auto send = [&](llvm::StringRef json) {
    stream += "Content-Length: " + std::to_string(json.size()) + "\r\n\r\n" + json.str();
  };
  send(R"({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}})");
  while (!lines.empty()) {
    auto [line, rest] = lines.split('\n');
    send(line);
    lines = rest;
  }
  std::FILE *input = fmemopen(stream.data(), stream.size(), "r");
  std::string answers;
  llvm::raw_string_ostream output(answers);
  lsp::serve(input, output, {codegen::standardLibrary()}, "0");
  std::fclose(input);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [name, rest] = llvm::StringRef(reinterpret_cast<const char *>(data), size).split('\n');
  auto *reader = llvm::StringSwitch<void (*)(llvm::StringRef)>(name)
                     .Case("array", readArray)
                     .Case("element", readElementType)
                     .Case("manifest", readManifest)
                     .Case("mapping", readMapping)
                     .Case("launch", readLaunch)
                     .Case("request", readRequest)
                     .Case("messages", readMessages)
                     .Default(nullptr);
  if (!reader)
    return -1; // not worth keeping
  reader(rest);
  return 0;
}
