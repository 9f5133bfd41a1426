// What one steps through in a page: the values after every step at a small size, and which elements the registers of
// threads hold in every kernel.
#pragma once

#include "compiler/explain/Facts.h"

#include <string>

namespace idc::explain {

/// The players as HTML, with the script that drives them (player.js): one for the values, where no sequence has more
/// than 64 elements and the program can be evaluated on inputs whose elements are their numbers, and one for each
/// kernel whose threads hold no more than 64 elements each.
std::string players(const Facts &facts);

} // namespace idc::explain
