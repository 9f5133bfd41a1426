// Devices that work on one problem meet: what each has stored before, whether in its own memory or in another's, all
// may read behind.
//
// A meeting is a kernel of one block on every device, behind the kernels before it and ahead of those after it by the
// order of the device's stream. Each device has words of 64 bits:
//
//   0                  the number of its meetings so far, in 32 bits
//   1 … devices        of each device: the last meeting that it has come to, and above these 32 bits what it launched
//   devices + 1        its mark: 0, or why devices did not meet
//   devices + 2        how long it waits, in nanoseconds
//
// A thread for each device tells it, then waits for it: a release and an acquire of the system. Numbers only grow, as a
// device may be one meeting ahead of who still reads its word. Who waits for too long, or for one that has come with
// another launch, leaves a mark with every device. A device with a mark comes to no meeting any more and waits at none;
// it says so in a word of the host's memory.
//
// A mark, from the lowest bits: 8 of its kind, 8 with the number of the device that left it, 8 with that of the one it
// waited for, 8 that are 0, and 32 with what it had launched (runtime/lib/Meeting.h reads it).
#pragma once

#include "compiler/conversion/Buffers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace idc::conversion {

/// Where devices have to meet: before and after a kernel that reaches others' memory. Inserts meetings, all launches of
/// one kernel `name` at the end of `kernels`, between the launches of a function; none where nothing is reached.
void insertMeetings(mlir::gpu::GPUModuleOp module, llvm::StringRef name, int64_t devices,
                    std::vector<LoweredKernel> &kernels);

} // namespace idc::conversion
