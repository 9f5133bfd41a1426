// For which machine an array's transforms are compiled.
#pragma once

#include <string>

namespace idc::interfaces {

/// The newest architecture that the compiler knows and the current context's GPU runs. Throws Failure without a GPU.
std::string targetOfDevice();

/// What tells apart contexts: code that was loaded in one runs in no other. Null without a GPU.
void *currentContext();

/// The target where the pointer lies in: a GPU's memory, or "cpu".
std::string targetOf(const void *pointer);

} // namespace idc::interfaces
