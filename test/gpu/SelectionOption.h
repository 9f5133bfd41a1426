// The option --only of the programs that check and measure.
#pragma once
#include "Kernel.h"
#include <CLI/CLI.hpp>

namespace gpucheck {

/// Adds --only with the parts of a selection behind it: n=3,8 program=fft,ifft type=f32.
void addSelection(CLI::App &tool, Selection &selection);

} // namespace gpucheck
