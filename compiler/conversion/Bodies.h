// The body of a step for one register of a tile.
#pragma once

#include "compiler/conversion/RootFactors.h"
#include "compiler/conversion/Scalars.h"
#include "compiler/conversion/addresses/IndexSums.h"

namespace idc::conversion {

class Bodies {
public:
  /// `parameters`: the run-time scalars, in the machine's width.
  Bodies(TileCode &code, ThreadPlace &thread, RootFactors &roots, Parameters parameters)
      : code(code), codelet(code.codelet), thread(thread), roots(roots), parameters(std::move(parameters)) {}

  /// The results of a body for register `r` of a tile.
  mlir::FailureOr<llvm::SmallVector<Leaf>> run(mlir::Region &body, llvm::ArrayRef<Leaf> arguments, const Tile &tile,
                                               size_t r);

  /// The numbers that a body of digits and run-time scalars yields, each below its `length` and not negative.
  mlir::FailureOr<std::vector<IndexSum>> numbers(mlir::Region &body, llvm::function_ref<IndexSum(int)> digit,
                                                 IndexSums &sums, llvm::ArrayRef<int64_t> lengths);

private:
  Leaf table(mlir::Operation *op, mlir::Value index) const;

  TileCode &code;
  Codelet &codelet;
  ThreadPlace &thread;
  RootFactors &roots;
  Parameters parameters;
};

} // namespace idc::conversion
