// Pictures of a program, each a whole SVG document.
#pragma once

#include "compiler/explain/Facts.h"

#include <optional>
#include <string>

namespace idc::explain {

/// The steps as written, from top to bottom, on the digits of the index: a column for each place, the most significant
/// at the left. Permutations are crossing lines, nodes boxes on their digits; a line that ends or begins in a box is a
/// digit that the node removes or inserts. Values used later than by the next step go along the right side.
std::string digitPicture(const frontend::Program &program);

/// The elements as wires from left to right: permutations cross them, nodes join them. Nothing for programs of more
/// than 64 wires, where the picture would show no more than that of the digits.
std::optional<std::string> circuitPicture(const frontend::Program &program);

/// The mapping vectors of every kernel: for each load, stage, exchange and store, which digit is held by registers,
/// lanes, warps, the rank in a cluster, and blocks.
std::string mappingPicture(const Facts &facts);

} // namespace idc::explain
