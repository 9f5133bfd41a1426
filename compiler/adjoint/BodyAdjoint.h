// The vector-Jacobian product of a body: reverse differentiation of a straight-line scalar function.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include <vector>

namespace idc::adjoint {

/// Whether a leaf has derivatives: reals and complex numbers.
bool isDifferentiable(const frontend::Type &leaf);

/// A zero, or another constant, of a leaf's type.
frontend::Instr constant(const frontend::TypeRef &type, long double value);

/// The vector-Jacobian product of `body`: a body whose parameters are those of `body`, then one for each of its results
/// with `given`, the gradient there. The results are the gradients of the parameters with `wanted`, in turn; `isZero`
/// says of each of them whether it is 0 whatever the parameters are.
///
/// The gradient of a real function L at a complex number z is dL/d(re z) + i·dL/d(im z), PyTorch's convention, so that
/// a linear map is transposed and conjugated. min, max, select and abs are differentiated along the branch taken, abs
/// and the modulus have the derivative 0 at 0, and so has what is constant in steps (floor, ceil, round, conversions to
/// integers). Only instructions that the results need are left, and products that are linear in a parameter need no
/// other value of the forward run than the factor.
struct BodyAdjoint {
  frontend::Body body;
  std::vector<bool> isZero;
};
BodyAdjoint differentiate(const frontend::Body &body, const std::vector<bool> &given, const std::vector<bool> &wanted);

/// Which parameters the results of a body depend on.
std::vector<bool> usedParameters(const frontend::Body &body);

/// The body without the instructions that its results do not need.
frontend::Body withoutDeadCode(const frontend::Body &body);

} // namespace idc::adjoint
