#include "compiler/tools/NumpyExpression.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace idc;
using llvm::StringRef;

// Arguments: the folder, the expression, the types of the results with commas between them, and the names.
static constexpr StringRef script = R"(
import sys
import numpy as np
folder, expression, types = sys.argv[1:4]
names = {"np": np}
for name in sys.argv[4:]:
    array = np.load(f"{folder}/{name}.npy")
    names[name] = array if array.ndim else array[()]
results = eval(expression, names)
results = results if isinstance(results, tuple) else (results,)
if len(results) != len(types.split(",")):
    sys.exit(f"the expression gives {len(results)} arrays, not {len(types.split(','))}")
for i, (array, dtype) in enumerate(zip(results, types.split(","))):
    np.save(f"{folder}/result {i}.npy", np.ravel(array).astype(dtype))
)";

/// Runs a Python; what it writes to its standard error goes to a file. The exit status.
static int runPython(StringRef python, llvm::ArrayRef<StringRef> arguments, StringRef errorFile) {
  llvm::SmallVector<StringRef> command{python};
  command.append(arguments.begin(), arguments.end());
  return llvm::sys::ExecuteAndWait(python, command, std::nullopt, {"", "", errorFile});
}

/// The first Python that has NumPy, of the one on the PATH and the system's; empty when there is none.
static const std::string &pythonWithNumpy() {
  static const std::string found = [] {
    for (llvm::ErrorOr<std::string> python :
         {llvm::sys::findProgramByName("python3"), llvm::sys::findProgramByName("python3", {"/usr/bin"})})
      if (python && runPython(*python, {"-c", "import numpy"}, "") == 0)
        return *python;
    return std::string();
  }();
  return found;
}

bool tools::hasNumpy() { return !pythonWithNumpy().empty(); }

llvm::Expected<std::vector<npy::Array>>
tools::evaluateNumpy(const std::string &expression, const std::vector<std::pair<std::string, npy::Array>> &names,
                     const std::vector<npy::DType> &types) {
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("idc", folder))
    return llvm::createStringError(error, "cannot make a folder for arrays: " + error.message());
  llvm::scope_exit cleanup([&] { llvm::sys::fs::remove_directories(folder); });
  std::vector<std::string> words{"-c", script.str(), folder.str().str(), expression};
  std::vector<std::string> spelled;
  for (npy::DType type : types)
    spelled.push_back(npy::name(type));
  words.push_back(llvm::join(spelled, ","));
  try {
    for (const auto &[name, array] : names) {
      npy::write((folder + "/" + name + ".npy").str(), array);
      words.push_back(name);
    }
    const std::string errorFile = (folder + "/errors").str();
    if (runPython(pythonWithNumpy(), llvm::SmallVector<StringRef>(words.begin(), words.end()), errorFile) != 0) {
      llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> message = llvm::MemoryBuffer::getFile(errorFile);
      const StringRef text = message ? (*message)->getBuffer().rtrim() : "";
      return llvm::createStringError("NumPy cannot evaluate it: " + text.rsplit('\n').second.str() +
                                     (text.contains('\n') ? "" : text.str()));
    }
    std::vector<npy::Array> results;
    for (size_t i = 0; i < types.size(); ++i)
      results.push_back(npy::read((folder + "/result " + llvm::Twine(i) + ".npy").str()));
    return results;
  } catch (const npy::Error &error) {
    return llvm::createStringError(error.what());
  }
}
