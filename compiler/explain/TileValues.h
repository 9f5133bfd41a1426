// The values that the tiles of kernels hold while these run.
#pragma once

#include "compiler/explain/Facts.h"

#include <vector>

namespace idc::explain {

/// Of every kernel, for one problem whose inputs are numberedInputs, with scalars of 1. Every tile comes from the
/// emulator, which runs the kernels as far as the one that makes it, and this one with a store in the place of all that
/// follows. Empty for kernels whose blocks wait for each other or draw numbers, and where anything has more
/// than 4096 elements. The compiler has been asked for the facts already.
std::vector<TileValues> observeTiles(codegen::Compiler &compiler, const Facts &facts);

/// For each input the leaves of its elements, which are 0, 1, 2 … on from input to input, or what the type of a leaf
/// has of that: so the value says which input it is from, and no two inputs are the same.
std::vector<std::vector<frontend::Scalar>> numberedInputs(const Facts &facts);

} // namespace idc::explain
