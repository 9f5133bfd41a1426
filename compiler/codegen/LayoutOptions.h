// How arguments and results lie in memory, as given beside a program:
//   x=stride:4,offset:1,batch:4096   element i of problem b of x at 1 + 4 i + 4096 b
//   x=stride:1040:1                  rows of 1040 elements, as the first of two dimensions says; problems follow each
//   other y0=planar                        every number of an element in an array of its own
// Values are compile-time integers of the program's sizes: batch:3*2^n.
#pragma once

#include "compiler/frontend/Elaborate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace idc::codegen {

/// Gives the arguments and results of an elaborated program's function their layouts. The error says which option is
/// wrong; mistakes in expressions are reported to `diagnostics`, with an error without a message.
llvm::Error applyLayouts(const std::vector<std::string> &options, const frontend::Source &source,
                         const frontend::Function &declaration, const frontend::Program &program,
                         frontend::Diagnostics &diagnostics, mlir::func::FuncOp function);

} // namespace idc::codegen
