// Memory of several devices: which of it a kernel reaches, and by which pointer a thread does.
//
// A buffer that devices share is divided by some of its digits; the others count the elements that one device has. A
// load or store stays in its own device's memory where these digits are the digits that number the devices of its
// tiles. What each device has all of is stored to every one of them by a kernel of which each does a part; of a kernel
// that every device does as a whole each stores its own part.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/TileCode.h"
#include "compiler/conversion/addresses/ViewLayout.h"
#include "compiler/passes/Target.h"

namespace idc::conversion {

/// Where the elements of a load or store are.
enum class Reach {
  Own,    // on the device that runs the kernel
  Peers,  // on all of them
  Copies, // a store to every device, as each has all
  OwnPart // a store of what is the own device's, of what all of them make
};
/// Of a load or store in a kernel whose devices are placed.
Reach reachOf(mlir::Operation *access);

/// Of the elements of a load or store the part that lies on other devices than their tile, and on those of other hosts,
/// of which each has so many devices with numbers that follow each other; of a store to every device, the number of
/// these.
struct Crossing {
  double devices = 0, hosts = 0;
};
Crossing crossingOf(mlir::Operation *access, int64_t devicesOfHost);
/// Seconds on the links of an access of so many bytes, in runs of `runBytes`; 0: as long as any.
double secondsOnLinks(const Crossing &crossing, double bytes, int64_t runBytes, const passes::DeviceLink &link);

/// Notes at the buffers of a kernel (inputs, then outputs) which of them it reaches on other devices.
void findPeers(id::KernelOp kernel, int64_t devices, llvm::MutableArrayRef<Buffer> buffers);

/// The plane of the device with number `device` (i32 or i64; null: 0) + `constant`; any for a number that is none.
mlir::Value planeOf(TileCode &code, const BufferMemory &memory, size_t plane, mlir::Value device, int64_t constant);

} // namespace idc::conversion
