//===- RandomInput.h - reproducible random operands -------------*- C++ -*-===//

#ifndef IDC_HOST_RANDOMINPUT_H
#define IDC_HOST_RANDOMINPUT_H

#include "host/Distribution.h"
#include "host/ElementType.h"

namespace idc::host {

/// Fills `elements` elements at `data`. Each value depends on the seed, the operand's number and its own position only,
/// so that it is the same on every machine, whatever the number of threads and of elements.
/// Real and complex numbers: as `distribution` says, whose `zeroPeriod` needs problems (below). bool: either value.
/// mod<P>: uniform in [0, P). Integers: uniform in [-1000, 1000], unsigned ones in [0, 2000]. Padding is zero.
void fillRandom(char *data, int64_t elements, const ElementType &type, uint64_t seed, uint64_t operand,
                const Distribution &distribution = {});

/// The same for `problems` problems of `elements` elements each.
void fillRandomProblems(char *data, int64_t problems, int64_t elements, const ElementType &type, uint64_t seed,
                        uint64_t operand, const Distribution &distribution);

} // namespace idc::host

#endif // IDC_HOST_RANDOMINPUT_H
