#include "compiler/codegen/Toolkit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::codegen;

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<std::string> codegen::findTool(llvm::StringRef name) {
  llvm::SmallVector<std::string> folders;
  if (std::optional<std::string> home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    folders.push_back(*home + "/bin");
  for (const std::string &folder : folders)
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name, {folder}))
      return *path;
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
    return *path;
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name, {"/usr/local/cuda/bin"}))
    return *path;
  return error("CUDA's '" + name + "' was not found in $CUDA_HOME/bin, on PATH or in /usr/local/cuda/bin; " +
               "PTX and the CPU target work without it");
}

llvm::Expected<std::string> codegen::findDeviceLibrary() {
  llvm::SmallVector<std::string> folders{"/usr/local/cuda/nvvm/libdevice", "/usr/lib/nvidia-cuda-toolkit/libdevice"};
  if (std::optional<std::string> home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    folders = {*home + "/nvvm/libdevice"};
  for (const std::string &folder : folders)
    if (std::string path = folder + "/libdevice.10.bc"; llvm::sys::fs::exists(path))
      return path;
  return error("libdevice.10.bc was not found in " + llvm::join(folders, " or ") +
               "; the CPU target and the emulator work without it");
}

namespace {
/// A temporary file that vanishes with its object.
struct TemporaryFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
  llvm::Error create(llvm::StringRef suffix, llvm::StringRef content) {
    int fd = -1;
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("idc", suffix, fd, path))
      return error("cannot make a temporary file: " + code.message());
    remover.setFile(path);
    llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
    stream << content;
    stream.flush();
    if (!stream.has_error())
      return llvm::Error::success();
    std::string why = stream.error().message();
    stream.clear_error();
    return error("cannot write the temporary file " + path + ": " + why);
  }
  llvm::Expected<std::string> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      return error("cannot read " + path + ": " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }
};
} // namespace

/// Runs a tool, its output to `log`; the error holds the log.
static llvm::Error runTool(llvm::StringRef program, llvm::ArrayRef<std::string> arguments, std::string &log) {
  TemporaryFile output;
  if (llvm::Error e = output.create("log", ""))
    return e;
  llvm::SmallVector<llvm::StringRef> all{program};
  all.append(arguments.begin(), arguments.end());
  llvm::StringRef path = output.path;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), path, path};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects, 0, 0, &message);
  llvm::Expected<std::string> text = output.read();
  if (!text)
    return text.takeError();
  log = *text;
  if (status != 0)
    return error(program + " failed: " + message + "\n" + log);
  return llvm::Error::success();
}

/// Reads `Compiling entry function 'k'`, `Function properties for k`, `N bytes stack frame, N bytes spill stores, N
/// bytes spill loads` and `Used N registers`. Parts of kernels that are functions have properties, too.
static void readReport(llvm::StringRef log, std::map<std::string, KernelResources> &resources) {
  llvm::Regex entry("Compiling entry function '([^']+)'"), function("Function properties for ([^ ]+)"),
      used("Used ([0-9]+) registers"),
      frame("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  std::string kernel;
  bool isOfKernel = false;
  llvm::SmallVector<llvm::StringRef> lines, match;
  log.split(lines, '\n');
  auto number = [&](size_t i) {
    int64_t value = 0;
    match[i].getAsInteger(10, value);
    return value;
  };
  for (llvm::StringRef line : lines) {
    if (entry.match(line, &match))
      kernel = match[1].str();
    else if (function.match(line, &match))
      isOfKernel = match[1] == kernel;
    else if (isOfKernel && frame.match(line, &match)) {
      resources[kernel].localBytes = number(1);
      resources[kernel].spillBytes = number(2) + number(3);
    } else if (used.match(line, &match))
      resources[kernel].registers = number(1);
  }
}

llvm::Expected<std::string> codegen::assemble(llvm::StringRef ptx, llvm::StringRef chip,
                                              std::map<std::string, KernelResources> &resources) {
  llvm::Expected<std::string> ptxas = findTool("ptxas");
  if (!ptxas)
    return ptxas.takeError();
  TemporaryFile source, result;
  if (llvm::Error e = source.create("ptx", ptx))
    return e;
  if (llvm::Error e = result.create("cubin", ""))
    return e;
  std::string log;
  std::vector<std::string> options = {"-arch=" + chip.str(), "-v"};
  // Kernels have functions where a block was too long. Level 3 would put their code together again.
  options.push_back(ptx.contains("\n.func ") ? "--Ofast-compile=mid" : "-O3");
  options.insert(options.end(), {source.path.str().str(), "-o", result.path.str().str()});
  if (llvm::Error e = runTool(*ptxas, options, log))
    return e;
  readReport(log, resources);
  return result.read();
}

llvm::Expected<std::string> codegen::makeFatbin(llvm::StringRef cubin, llvm::StringRef ptx, llvm::StringRef chip) {
  llvm::Expected<std::string> fatbinary = findTool("fatbinary");
  if (!fatbinary)
    return fatbinary.takeError();
  TemporaryFile binary, text, result;
  if (llvm::Error e = binary.create("cubin", cubin))
    return e;
  if (llvm::Error e = text.create("ptx", ptx))
    return e;
  if (llvm::Error e = result.create("fatbin", ""))
    return e;
  std::string number = chip.drop_front(chip.find('_') + 1).str(), log;
  if (llvm::Error e = runTool(*fatbinary,
                              {"--create=" + result.path.str().str(), "-64", "--compress-all",
                               "--image3=kind=elf,sm=" + number + ",file=" + binary.path.str().str(),
                               "--image3=kind=ptx,sm=" + number + ",file=" + text.path.str().str()},
                              log))
    return e;
  return result.read();
}
