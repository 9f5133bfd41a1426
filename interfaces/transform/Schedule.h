// How a problem is solved: programs of transforms.id one after another, on arrays of the caller and of the plan.
#pragma once

#include "interfaces/transform/Problem.h"

#include <string>
#include <vector>

namespace idc::interfaces {

/// The caller's arrays, and two of the plan's own.
enum class Place { Input, Output, First, Second };

/// Where a pass finds or leaves its elements.
struct Side {
  Place place = Place::Input;
  std::vector<int64_t> sizes, strides; // of the program's dimensions, most significant first
  int64_t batch = 0;                   // from problem to problem
  bool isComplex = true, isSplit = false;
};

/// One program, run on `problems` problems for each index of the loops.
struct Pass {
  std::string entry;
  std::vector<std::string> settings; // but for the type of numbers
  Side in, out;
  int64_t problems = 1;
  std::vector<Axis> loops;
  bool inPlace = false; // the result takes the place of the input
  bool copies = false;  // and computes nothing
};

struct Schedule {
  std::vector<Pass> passes;                      // none when there are no elements
  int64_t firstElements = 0, secondElements = 0; // of the plan's arrays, counted in single numbers
};

/// Whether programs read and write the caller's arrays where they lie; or leave results in one of the plan's first,
/// when these cannot take the place of the input; or find their input in one, too, when no program of such layouts can
/// be made.
enum class Copies { None, OfResult, OfBoth };

/// Throws Failure for distances that no layout describes.
Schedule makeSchedule(const Problem &problem, Copies copies);

} // namespace idc::interfaces
