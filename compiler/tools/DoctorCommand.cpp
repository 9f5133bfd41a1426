#include "compiler/tools/DoctorCommand.h"

#include "compiler/codegen/Installation.h"
#include "compiler/codegen/ResultCache.h"
#include "compiler/codegen/Toolkit.h"
#include "compiler/passes/Target.h"
#include "idc/runtime.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

namespace {

/// What was found out. `Lacking`: something that idc can do does not work here; `Broken`: idc cannot compile.
enum class State { There, Lacking, Broken };

void print(State state, const char *what, const llvm::Twine &found, const llvm::Twine &advice = "") {
  const char *mark = state == State::There ? "ok" : state == State::Lacking ? "missing" : "broken";
  const auto colour = state == State::There     ? llvm::raw_ostream::GREEN
                      : state == State::Lacking ? llvm::raw_ostream::YELLOW
                                                : llvm::raw_ostream::RED;
  llvm::WithColor(llvm::outs(), colour).get() << llvm::formatv("{0,-8} ", mark);
  llvm::outs() << llvm::formatv("{0,-18} {1}\n", what, found.str());
  if (std::string text = advice.str(); !text.empty())
    llvm::outs() << llvm::formatv("{0,-27} {1}\n", "", text);
}

std::string messageOf(llvm::Error error) { return llvm::toString(std::move(error)); }

/// Why no file can be made in a folder, or in the nearest one above that is there; empty when one can.
std::string whyNotWritable(llvm::StringRef folder) {
  llvm::SmallString<256> path(folder);
  while (!path.empty() && !llvm::sys::fs::exists(path))
    llvm::sys::path::remove_filename(path);
  if (!llvm::sys::fs::is_directory(path))
    return (path + " is no folder").str();
  llvm::SmallString<256> file;
  int descriptor = -1;
  llvm::sys::path::append(path, "idc-%%%%%%.tmp");
  if (std::error_code error = llvm::sys::fs::createUniqueFile(path, descriptor, file))
    return error.message();
  llvm::sys::fs::file_t handle = llvm::sys::fs::convertFDToNativeFile(descriptor);
  llvm::sys::fs::closeFile(handle);
  llvm::sys::fs::remove(file);
  return "";
}

bool examineStandardLibrary() {
  const std::string folder = codegen::standardLibrary();
  size_t programs = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    programs += llvm::StringRef(entry->path()).ends_with(".id");
  if (programs)
    print(State::There, "standard library", folder + ", " + llvm::Twine(programs) + " programs");
  else
    print(State::Broken, "standard library", folder + " has no programs" + (error ? ": " + error.message() : ""),
          "install idc again: share/idc/stdlib belongs beside bin");
  return programs > 0;
}

void examineGpu() {
  if (idc_device_available() != IDC_SUCCESS) {
    print(State::Lacking, "GPU", idc_last_error(),
          "install NVIDIA's driver (docs/gpus.md says which); --target cpu and emulate work without it");
    return;
  }
  char name[256] = "";
  int32_t major = 0, minor = 0;
  if (idc_device_name(name, sizeof name) != IDC_SUCCESS || idc_device_capability(&major, &minor) != IDC_SUCCESS) {
    print(State::Lacking, "GPU", idc_last_error(), "nvidia-smi shows whether the driver works");
    return;
  }
  const std::string target = passes::newestTargetFor(major, minor);
  const std::string found = llvm::formatv("{0}, compute capability {1}.{2}", name, major, minor);
  passes::Target machine;
  std::string error;
  if (!passes::findTarget(target, machine, error))
    print(State::Lacking, "GPU", found, "the oldest GPU that idc compiles for has 7.5 (docs/gpus.md)");
  else
    print(State::There, "GPU", found + ", --arch " + target,
          machine.like.empty() ? "" : "planned by what was measured on " + machine.like + "; idc tune measures here");
}

void examineTool(llvm::StringRef name, const char *what, const char *without) {
  llvm::Expected<std::string> path = codegen::findTool(name);
  if (path)
    print(State::There, what, *path);
  else
    print(State::Lacking, what, messageOf(path.takeError()), without);
}

void examineDeviceLibrary() {
  llvm::Expected<std::string> path = codegen::findDeviceLibrary();
  if (path)
    print(State::There, "libdevice", *path);
  else
    print(State::Lacking, "libdevice", messageOf(path.takeError()),
          "programs with sin, exp and the like need it for GPUs; CUDA's toolkit has it");
}

void examineCache() {
  const std::string folder = codegen::cacheFolder();
  if (folder.empty()) {
    print(State::There, "cache", "switched off, as IDC_CACHE is empty or there is no home folder");
    return;
  }
  uint64_t bytes = 0, entries = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (llvm::ErrorOr<llvm::sys::fs::basic_file_status> status = entry->status()) {
      bytes += status->getSize();
      ++entries;
    }
  const std::string why = whyNotWritable(folder);
  const std::string found = llvm::formatv("{0}, {1} entries, {2:f1} MiB", folder, entries, double(bytes) / (1 << 20));
  if (why.empty())
    print(State::There, "cache", found);
  else
    print(State::Lacking, "cache", folder + " cannot be written to: " + why,
          "libraries are compiled anew every time; IDC_CACHE names another folder");
}

/// A library beside this program: ../lib, or the build tree's.
void examineLibrary(const char *name, const char *what, const char *without) {
  llvm::SmallString<256> path;
  llvm::sys::fs::real_path(codegen::ownFile(), path);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "lib", name);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  if (llvm::sys::fs::exists(path))
    print(State::There, what, path);
  else
    print(State::Lacking, what, path + " is not there", without);
}

void examinePython() {
  constexpr unsigned seconds = 60;
  llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName("python3");
  if (!python) {
    print(State::Lacking, "Python", "there is no python3 on the PATH", "only import idc needs it");
    return;
  }
  llvm::SmallString<128> log;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("idc", "log", log)) {
    print(State::Lacking, "Python", "cannot be tried: " + error.message());
    return;
  }
  llvm::FileRemover remover(log);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log.str(), log.str()};
  const int status = llvm::sys::ExecuteAndWait(*python, {*python, "-c", "import idc; print(idc.__file__)"},
                                               std::nullopt, redirects, seconds);
  auto said = llvm::MemoryBuffer::getFile(log);
  const llvm::StringRef text = said ? (*said)->getBuffer().rtrim() : "";
  if (status == 0)
    print(State::There, "Python", *python + ", " + text);
  else
    print(State::Lacking, "Python", *python + ": " + text.rsplit('\n').second,
          "PYTHONPATH names the folder of the package, IDC_LIBRARY the file of libidc (docs/python.md)");
}

bool examineFolder(llvm::StringRef folder, const char *what, State without) {
  const std::string why = whyNotWritable(folder);
  if (why.empty())
    print(State::There, what, folder + " can be written to");
  else
    print(without, what, folder + " cannot be written to: " + why, "go to another folder, or set TMPDIR");
  return why.empty();
}

} // namespace

int tools::examine(const std::string &version) {
  print(State::There, "idc", version + ", " + codegen::ownFile());
  bool good = examineStandardLibrary();
  examineGpu();
  examineTool("ptxas", "ptxas", "install CUDA's toolkit, or set CUDA_HOME");
  examineTool("fatbinary", "fatbinary", "install CUDA's toolkit, or set CUDA_HOME");
  examineDeviceLibrary();
  examineCache();
  examineLibrary("libidc_runtime.a", "runtime", "applications link it: install idc again, with its development files");
  examineLibrary("libidc.so.0", "libidc", "Python and applications that compile while they run need it");
  examinePython();
  llvm::SmallString<256> temporary, current;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  good &= examineFolder(temporary, "temporary folder", State::Broken);
  if (!llvm::sys::fs::current_path(current))
    examineFolder(current, "this folder", State::Lacking);
  return good ? 0 : 1;
}
