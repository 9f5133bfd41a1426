#include "compiler/frontend/Colours.h"

#include "host/Messages.h"
#include "llvm/Support/WithColor.h"

bool idc::frontend::showsColours(const llvm::raw_ostream &stream) {
  return stream.is_displayed() && !host::refusesColours() && llvm::WithColor::defaultAutoDetectFunction()(stream);
}
