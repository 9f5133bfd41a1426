// cuFFT on data that lie in the host's memory: chunk by chunk, as one would write it by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Complex f32 transforms of one to three dimensions, forward, result in natural order. Each chunk is copied in,
/// transformed and copied out on one of several streams. Two passes: over rows or planes, and over columns; of one
/// dimension, a square of rows and columns, with a kernel for the twiddles and one that transposes.
class ChunkedCufft {
public:
  /// Sides, most significant first; bytes of the GPU's memory that chunks may take.
  ChunkedCufft(const std::vector<int64_t> &sides, int64_t memoryBytes);
  ~ChunkedCufft();
  ChunkedCufft(const ChunkedCufft &) = delete;

  /// From x to y, both page-locked; `between` is as large as they are.
  void run(const void *x, void *y, void *between);

private:
  struct Lane;
  void rows(const char *from, char *to, bool transposed);
  void columns(const char *from, char *to);

  std::vector<int64_t> sides;
  int64_t rowCount, columnCount, inner; // a matrix of rows, which are planes of `inner` numbers a row in 3D
  int64_t chunkRows, chunkColumns;
  std::vector<Lane *> lanes;
};
