// The values that the tiles of kernels hold while these run.
#pragma once

#include "compiler/explain/Facts.h"

#include <vector>

namespace idc::explain {

/// Of every kernel, for one problem whose inputs have the value k as element k, with scalars of 1. Every tile comes
/// from the emulator, which runs the kernels as far as the one that makes it, and this one with a store in the place of
/// all that follows. Empty for kernels whose blocks wait for each other or draw numbers, and where anything has more
/// than 4096 elements. The compiler has been asked for the facts already.
std::vector<TileValues> observeTiles(codegen::Compiler &compiler, const Facts &facts);

/// The leaves of `elements` elements of which element k is k, or what the type of a leaf has of that.
std::vector<frontend::Scalar> numberedElements(int64_t elements, const frontend::TypeRef &element);

} // namespace idc::explain
