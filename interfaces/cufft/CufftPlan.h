// What a plan of cuFFT's interface is here: transforms in both directions, in place and not, chosen by each call.
#pragma once

#include "interfaces/compiled/Scratch.h"
#include "interfaces/transform/Plan.h"

#include <memory>
#include <string>

namespace idc::interfaces {

/// Arrays as cufftMakePlanMany() describes them: element (x, y) of problem b lies at b * distance + (x * embed[1] + y)
/// * stride.
struct ManyLayout {
  std::vector<int64_t> embed; // empty: the sizes of the transform
  int64_t stride = 1, distance = 0;
};

class CufftPlan {
public:
  /// Compiles; the result's size() is then known. Transforms between real and complex values have rows of the basic
  /// layout, in place with two more numbers, when `in` and `out` have no embed. Throws Failure.
  CufftPlan(const std::string &target, Kind kind, Number number, std::vector<int64_t> sizes, const ManyLayout &in,
            const ManyLayout &out, int64_t batch);

  /// Bytes of the work area.
  int64_t size() const;

  /// Enqueues a transform, forward or backward, which of complex values is one of the two. Throws Failure.
  void run(void *in, void *out, bool forward, void *workArea, void *stream) const;

  const Kind kind;
  const Number number;

private:
  /// The transforms of one direction.
  struct Direction {
    std::unique_ptr<Plan> apart, inPlace; // the second one only where the first does not work in place
  };
  Direction makeDirection(const std::string &target, const Problem &apart, const Problem &inPlace) const;

  std::vector<Direction> directions; // forward and backward, of real values the only one
};

} // namespace idc::interfaces
