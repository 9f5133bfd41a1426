// In which orders the memory of a CPU's block holds the elements of an exchange.
#pragma once

#include "dialect/digits/Mapping.h"
#include "dialect/digits/SharedLayout.h"

namespace idc::passes {

/// A layout for the exchange between two mappings of bits: lanes of one side come lowest, so that its vectors are read
/// or written as they are; of that side for which those of the other are the longer runs. The other digits follow in
/// their order, so that exchanges between the same lanes have the same layout.
digits::SharedLayout vectorLayout(const digits::Mapping &source, const digits::Mapping &target);

/// The same where threads are counted through, and digits have any radices: the elements of threads that write lie one
/// after another, or those that a thread writes, in the order of the threads that read; whichever makes more of these
/// find theirs one after another.
digits::SharedLayout flatLayout(const digits::Mapping &source, const digits::Mapping &target);

} // namespace idc::passes
