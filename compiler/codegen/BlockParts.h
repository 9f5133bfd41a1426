// Blocks of more straight-line code than compilers take.
#pragma once

#include <cstddef>

namespace llvm {
class Module;
} // namespace llvm

namespace idc::codegen {

/// Makes functions of the parts of blocks of thousands of instructions that have more values alive at once than any
/// machine has registers; values go from part to part in memory on the stack, where they would be anyway. LLVM and
/// ptxas take time that grows with the square of the length of a block (minutes for the twelve stages of a transform of
/// 4096 elements in one node), and this way with the length. Blocks of fewer than `longest` instructions stay.
void splitIntoParts(llvm::Module &module, size_t longest);

} // namespace idc::codegen
