// Double-double arithmetic (about 106 bits) and complex numbers over any real type.
//
// Algorithms: Dekker 1971 (two-sum by Knuth, two-product by fused multiply-add) in the variants of Hida, Li and
// Bailey's QD library. The _rn intrinsics keep the compiler from contracting the error terms away.
#pragma once

namespace gpucheck {

struct DoubleDouble {
  double hi, lo; // the value is hi + lo, |lo| <= ulp(hi)/2
};

__device__ inline DoubleDouble quickTwoSum(double a, double b) {
  double s = __dadd_rn(a, b);
  return {s, __dsub_rn(b, __dsub_rn(s, a))};
}

__device__ inline DoubleDouble twoSum(double a, double b) {
  double s = __dadd_rn(a, b);
  double t = __dsub_rn(s, a);
  return {s, __dadd_rn(__dsub_rn(a, __dsub_rn(s, t)), __dsub_rn(b, t))};
}

__device__ inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  DoubleDouble s = twoSum(a.hi, b.hi), t = twoSum(a.lo, b.lo);
  s = quickTwoSum(s.hi, __dadd_rn(s.lo, t.hi));
  return quickTwoSum(s.hi, __dadd_rn(s.lo, t.lo));
}

__device__ inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
__device__ inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

__device__ inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  double p = __dmul_rn(a.hi, b.hi);
  double e = __fma_rn(a.hi, b.hi, -p);
  e = __fma_rn(a.hi, b.lo, __fma_rn(a.lo, b.hi, e));
  return quickTwoSum(p, e);
}

template <class Real> struct Complex { Real re, im; };
template <class Real> __device__ Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class Real> __device__ Complex<Real> operator-(Complex<Real> a, Complex<Real> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class Real> __device__ Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

} // namespace gpucheck
