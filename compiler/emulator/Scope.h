#pragma once

#include <cstdint>

namespace idc::emulator {

/// Whose accesses an atomic access or a fence is ordered with. The GPU is all there is: the system is the device.
enum class Scope : uint8_t { Thread, Block, Cluster, Device };

} // namespace idc::emulator
