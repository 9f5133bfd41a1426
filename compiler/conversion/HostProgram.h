// What is known of a function of planned kernels whose arrays lie in host memory (id/Chunks.h).
#pragma once

#include "compiler/conversion/BlockDigits.h"
#include "compiler/passes/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace idc::conversion {

/// A kernel, what it loads and stores, and which sets of its blocks' columns may number chunks.
struct PlannedKernel {
  id::KernelOp kernel;
  llvm::SmallVector<Reached> all;
  llvm::SmallVector<int64_t> radices; // of the columns; none where tiles differ in them
  llvm::SmallVector<llvm::SmallVector<int>> sets;
};

class HostProgram {
public:
  HostProgram(mlir::func::FuncOp function, const passes::Target &machine);

  mlir::func::FuncOp function;
  const passes::Target machine;
  const passes::HostLink &link = machine.hostLink;
  const int64_t chunks, memory; // parts of what is divided; bytes of the device's memory
  std::vector<PlannedKernel> kernels;
  llvm::DenseMap<mlir::Value, std::pair<size_t, size_t>> made; // the first and the last kernel that stores a value
  llvm::DenseMap<mlir::Value, size_t> lastUse; // the last kernel that loads it; as many as there are: the caller
  llvm::DenseSet<mlir::Value> constants;       // arguments that lie in the kernels' module
  llvm::DenseSet<mlir::Value> movable;         // what kernels store and load as it is, and the caller never sees

  /// Bytes of a sequence that there are in host memory: of what an array is the beginning of, the array's.
  int64_t copiedBytes(mlir::Value sequence) const;
  /// Whether a value is stored by the kernels `first` … `end - 1`, at first.
  bool isMadeIn(mlir::Value sequence, size_t first, size_t end) const;
  /// Whether some of these kernels store a value, and others that go before or come after them.
  bool isTorn(size_t first, size_t end) const;

private:
  void findSets(PlannedKernel &kernel, llvm::ArrayRef<digits::Column> columns) const;
};

/// The store whose buffer is the value, where that is all that is done with it.
id::StoreOp storeOf(mlir::Value value);

inline id::SeqType typeOf(mlir::Value sequence) { return llvm::cast<id::SeqType>(sequence.getType()); }

} // namespace idc::conversion
