// The parameters of a generated C function, as its header declares and its object reads them.
#pragma once

#include "compiler/codegen/Library.h"

#include "llvm/ADT/StringRef.h"

namespace idc::codegen {

struct CParameter {
  enum class Role { Group, Size, Batch, Input, Scalar, Output, Workspace, Memory, MemoryBytes, Progress, User, Stream };
  Role role;
  std::string type; // ends in '*' for pointers, but to functions
  std::string name; // one that C and C++ can use
  int index = 0;    // of the size, input, scalar or output
  int part = 0;     // of a complex scalar: 0 real, 1 imaginary; the plane of an array
  /// What the program calls it, when C and C++ cannot call it so or another parameter has that name; else empty.
  std::string adaptedFrom = {};
};

/// Why a C and C++ program cannot have a function called `name`, to be put after it; empty when it can.
std::string whyNoCName(llvm::StringRef name);

/// The group in the place of the number of devices, where there is one; other sizes, batch, inputs, scalars, outputs,
/// workspace; where arrays lie in the host's memory, the GPU's memory and who hears of progress; stream.
std::vector<CParameter> signature(const LibraryFunction &function);

} // namespace idc::codegen
