// What the compiled programs were made of: properties of steps by kind of kernel and of the exchanges in it.
//
// Counted from the stage level's ops, types and attributes, without a list of them: what is added to the IR appears.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>
#include <string>

namespace idc::random {

class Coverage {
public:
  /// Adds the kernels of a module of the level "stages".
  void count(mlir::ModuleOp module, const std::string &target);

  /// A table: properties down, "target kind exchange" across, the number of kernels in each cell.
  void print(llvm::raw_ostream &out) const;

  /// The cells of `list` that are empty. A line of it is "property: column, column, …"; # begins a comment.
  std::vector<std::string> missing(llvm::StringRef list) const;

private:
  std::map<std::string, std::map<std::string, uint64_t>> cells;
  std::set<std::string> columns;
};

} // namespace idc::random
