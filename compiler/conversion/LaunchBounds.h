// What id-set-launch-bounds writes into kernels: how large their blocks are, and how many of them a multiprocessor
// shall have registers for.
#pragma once

#include "id/IdDialect.h"

namespace idc::conversion {

/// On a kernel: the threads of a block.
constexpr const char blockThreadsAttr[] = "id.threads";
/// On a kernel: blocks that a multiprocessor shall have registers for. What shared memory leaves room for is not asked:
/// fewer registers are worth having all the same.
constexpr const char residentAttr[] = "id.resident_blocks";

/// 32-bit registers of data in a thread: of its part of the largest tile.
int64_t dataRegisters(id::KernelOp kernel);
/// 32-bit registers that factors of later passes may take from the load on.
int64_t registersForFactors(id::KernelOp kernel);

} // namespace idc::conversion
