// Devices that work on one problem meet: what each has stored before, whether in its own memory or in another's, all
// may read behind.
//
// A meeting is a kernel of one warp on every device, behind the kernels before it and ahead of those after it by the
// order of the device's stream. Each device has words of 32 bits: the number of its meetings so far, then one for each
// device, the last meeting that this one has come to. A thread for each device tells it, then waits for it: a release
// and an acquire of the system. Numbers only grow, as a device may be one meeting ahead of who still reads its word.
#pragma once

#include "compiler/conversion/Buffers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace idc::conversion {

/// Where devices have to meet: before and after a kernel that reaches others' memory. Inserts meetings, all launches of
/// one kernel `name` at the end of `kernels`, between the launches of a function; none where nothing is reached.
void insertMeetings(mlir::gpu::GPUModuleOp module, llvm::StringRef name, int64_t devices,
                    std::vector<LoweredKernel> &kernels);

} // namespace idc::conversion
