// A set of transforms of arrays whose elements lie at constant distances, as FFTW's and cuFFT's interfaces describe
// them.
#pragma once

#include <cstdint>
#include <vector>

namespace idc::interfaces {

/// Elements along one direction, and their distances in the input and the result, in elements of either: real numbers,
/// or pairs of them; single numbers where the array is split. Distances are not negative, those of results positive.
struct Axis {
  int64_t size, in, out;
};

/// What numbers are stored as. Those of 16 bits are computed with as `Single`.
enum class Number { Half, BFloat, Single, Double };

enum class Kind { ComplexToComplex, RealToComplex, ComplexToReal, RealToReal };

/// The transforms from real to real values, numbered as in transforms.id.
enum class RealKind {
  Cosine1 = 1,
  Cosine2,
  Cosine3,
  Cosine4,
  Sine1,
  Sine2,
  Sine3,
  Sine4,
  Hartley,
  ToHalfComplex,
  FromHalfComplex
};

/// All transforms are unscaled. Those from real values are forward, those to them backward; of the complex values on
/// that side the last axis has size / 2 + 1.
struct Problem {
  Kind kind = Kind::ComplexToComplex;
  Number number = Number::Single;
  bool forward = true;                    // of complex to complex values
  std::vector<Axis> axes;                 // along which is transformed, the halved one last
  std::vector<RealKind> realKinds;        // of RealToReal, one for each axis
  std::vector<Axis> batch;                // of equal transforms
  bool splitIn = false, splitOut = false; // complex numbers as two arrays
  bool inPlace = false;                   // input and result have the same pointers

  /// Of the result, or else of the input: whether its last axis is halved, and whether its numbers are complex.
  bool isHalved(bool ofResult) const { return kind == (ofResult ? Kind::RealToComplex : Kind::ComplexToReal); }
  bool isComplex(bool ofResult) const { return kind == Kind::ComplexToComplex || isHalved(ofResult); }
};

} // namespace idc::interfaces
