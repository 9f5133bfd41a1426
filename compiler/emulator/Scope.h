#pragma once

#include <cstdint>

namespace idc::emulator {

/// Whose accesses an atomic access or a fence is ordered with. The system is all devices.
enum class Scope : uint8_t { Thread, Block, Cluster, Device, System };

} // namespace idc::emulator
