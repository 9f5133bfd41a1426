// Pictures of a program, each a whole SVG document.
#pragma once

#include "compiler/explain/Facts.h"

#include <optional>
#include <string>

namespace idc::explain {

/// Where the steps of a picture lead to: nowhere, or to the lines of their sources in the page that it is part of,
/// which have the name lineAnchor().
enum class Links { None, Lines };
/// "mine.id:13" of the place "folder/mine.id:13".
std::string lineAnchor(const StepSource &source);

/// The steps as written, from top to bottom, on the digits of the index: a column for each place, the most significant
/// at the left. Permutations are crossing lines, nodes boxes on their digits; a line that ends or begins in a box is a
/// digit that the node removes or inserts. Values used later than by the next step go along the right side.
std::string digitPicture(const Facts &facts, Links links = Links::None);

/// The elements as wires from left to right: permutations cross them, nodes join them, and where elements are
/// multiplied by a root of unity each has its exponent. Nothing for programs of more than 64 wires, where the picture
/// would show no more than that of the digits.
std::optional<std::string> circuitPicture(const Facts &facts, Links links = Links::None);

/// The mapping vectors of every kernel: for each load, stage, exchange and store, which digit is held by registers,
/// lanes, warps, the rank in a cluster, and blocks.
std::string mappingPicture(const Facts &facts);

} // namespace idc::explain
