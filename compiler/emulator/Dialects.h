// The dialects that kernels are made of.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace idc::emulator {

/// Loads them, so that the text of a module can be parsed in `context`.
void loadDialects(mlir::MLIRContext &context);

} // namespace idc::emulator
