#include "compiler/tools/Architectures.h"

#include "compiler/passes/Target.h"
#include "compiler/tools/Messages.h"
#include "idc/runtime.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

static llvm::Expected<std::string> nativeArchitecture() {
  int32_t major = 0, minor = 0;
  if (idc_device_capability(&major, &minor) != IDC_SUCCESS)
    return llvm::createStringError("--arch native: there is no GPU whose architecture could be asked for: " +
                                   llvm::Twine(idc_last_error()) + "; name one, as in --arch sm_90");
  std::string name = passes::newestTargetFor(major, minor);
  if (name.empty())
    return llvm::createStringError("--arch native: the GPU has compute capability " + llvm::Twine(major) + "." +
                                   llvm::Twine(minor) + ", and the oldest that idc compiles for is 7.5");
  return name;
}

llvm::Expected<std::vector<std::string>> tools::architecturesOf(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> names;
  list.split(names, ',');
  std::vector<std::string> found;
  for (llvm::StringRef name : names) {
    std::string own = name.str();
    if (name == "native") {
      llvm::Expected<std::string> native = nativeArchitecture();
      if (!native)
        return native.takeError();
      own = *native;
    } else if (name.starts_with("sm_") && (name.ends_with("a") || name.ends_with("f"))) {
      own.pop_back();
    }
    passes::Target target;
    std::string error;
    if (!passes::findTarget(own, target, error))
      return llvm::createStringError(error + ", and native: the GPU of this machine");
    if (!target.like.empty())
      note(own + " is planned by what was measured on " + target.like);
    found.push_back(std::move(own));
  }
  return found;
}
