// Exclusive sums by CUB, and how far other ones are from sums in double.
#pragma once
#include "Cuda.h"

namespace gpucheck {

/// CUB's DeviceScan of `count` values of f32. Its temporary memory belongs to the object.
class CubScan {
public:
  explicit CubScan(size_t count);
  void run(const float *values, float *sums, cudaStream_t stream) const;

private:
  size_t count, bytes = 0;
  Buffer temporary;
};

/// The largest relative error of `sums` as the exclusive sums of `values`, positive ones, in segments of `length`;
/// infinity where one is not finite, or not 0 at the beginning of a segment. Waits for the stream.
double scanError(const float *values, const float *sums, size_t count, size_t length, cudaStream_t stream);

} // namespace gpucheck
