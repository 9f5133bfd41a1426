// Expressions of NumPy, evaluated by the Python that is installed.
#pragma once

#include "npy/Npy.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace idc::tools {

/// Whether there is a python3, on the PATH or in /usr/bin, that has NumPy.
bool hasNumpy();

/// What `expression` gives, in which NumPy is `np` and `names` are arrays, those of no dimensions numbers: as many
/// arrays of one dimension as there are `types`, of these types. The error has Python's message.
llvm::Expected<std::vector<npy::Array>> evaluateNumpy(const std::string &expression,
                                                      const std::vector<std::pair<std::string, npy::Array>> &names,
                                                      const std::vector<npy::DType> &types);

} // namespace idc::tools
