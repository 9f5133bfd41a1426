// A direct interpreter of elaborated programs: the oracle of the tests.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include <functional>
#include <string>
#include <vector>

namespace idc::frontend {

/// Gets the number of a step that has been run, and what it gave: one buffer for each of Step::outputs.
using StepObserver = std::function<void(size_t step, const std::vector<const std::vector<Scalar> *> &results)>;

/// Runs `program` on one problem. `inputs` has one flat buffer per Program::inputs: element after element in index
/// order, the leaves of each in layout order. `scalars` has one value per Program::scalars. `outputs` receives the same
/// form for Program::outputs. `observe` is called after every step. False with `error` set when a buffer has the wrong
/// length or an integer is divided by zero.
bool evaluate(const Program &program, const std::vector<std::vector<Scalar>> &inputs,
              const std::vector<Scalar> &scalars, std::vector<std::vector<Scalar>> &outputs, std::string &error,
              const StepObserver &observe = {});

/// Runs a body that depends neither on digits nor on scalars. `results` has a number for each of Body::results. False
/// with `error` set when an integer is divided by zero.
bool evaluate(const Body &body, const std::vector<Scalar> &parameters, std::vector<Scalar> &results,
              std::string &error);

/// Calls `visit` with what a body of one I64 gives for the digits of every index of a sequence, in order, until it
/// returns false. False with `error` set when an integer is divided by zero.
bool forEachIndex(const Body &body, const std::vector<int> &radices, const std::vector<Scalar> &scalars,
                  const std::function<bool(int64_t)> &visit, std::string &error);

/// The message of the first requirement that values of a program's scalars break, behind the scalar's name; empty where
/// they break none. Programs are evaluated with such values only.
std::string brokenRequirement(const Program &program, const std::vector<Scalar> &scalars);

/// Values of a program's scalars that are `wanted`, or next to it where calls may not give that.
std::vector<Scalar> scalarsNear(const Program &program, int64_t wanted);

/// exp(-2πi·exponent/order), by reduction to the first octant: exact at multiples of a quarter turn.
Scalar rootOfUnity(int64_t order, int64_t exponent);

} // namespace idc::frontend
