// The adjoint of a gather: every element gets the sum of the gradients of all that were taken from it.
#pragma once

#include "compiler/adjoint/StepMaker.h"

#include <optional>
#include <string>

namespace idc::adjoint {

/// Adds the steps that take `gradient`, of the result of the gather `step`, to that of its sequence, which has
/// `radices`. A one-to-one gather becomes a scatter by the same expression, one by a run-time integer k that adds it
/// modulo the length becomes the gather that subtracts it. In any other each element is gathered from all places that
/// it went to, and these are summed. None with `error` set where no short formula says which these are.
std::optional<int> gatherAdjoint(StepMaker &steps, const frontend::Step &step, const std::vector<int> &radices,
                                 int gradient, std::string &error);

} // namespace idc::adjoint
