// LLVM's back ends for GPUs and for this computer.
#pragma once

namespace idc::codegen {

/// Registers them, once; programs are compiled by several threads at a time.
void initializeBackEnds();

} // namespace idc::codegen
