#include "Cuda.h"
#include "test/benchmarks/ChunkedCufft.h"

#include <algorithm>

namespace {

constexpr int lanesAtOnce = 3;
constexpr int64_t elementBytes = 8;

/// Multiplies element (a, b) of a block of columns from `first` on by the root of unity exp(-2 pi i a (first + b) / n).
__global__ void multiplyTwiddles(float2 *data, int64_t rows, int64_t columns, int64_t first, double n) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i >= rows * columns)
    return;
  double s, c;
  sincospi(-2 * double(i / columns) * double(first + i % columns) / n, &s, &c);
  const float2 x = data[i];
  data[i] = {float(x.x * c - x.y * s), float(x.x * s + x.y * c)};
}

constexpr int tile = 32, tileRows = 8;

/// rows x columns to columns x rows; both are multiples of 32.
__global__ void transpose(const float2 *from, float2 *to, int64_t rows, int64_t columns) {
  __shared__ float2 shared[tile][tile + 1];
  const int64_t x = blockIdx.x * int64_t(tile), y = blockIdx.y * int64_t(tile);
  for (int j = threadIdx.y; j < tile; j += tileRows)
    shared[j][threadIdx.x] = from[(y + j) * columns + x + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < tile; j += tileRows)
    to[(x + j) * rows + y + threadIdx.x] = shared[threadIdx.x][j];
}

} // namespace

struct ChunkedCufft::Lane {
  cudaStream_t stream = nullptr;
  cufftHandle ofRows = 0, ofColumns = 0;
  float2 *data = nullptr, *moved = nullptr;
  void *work = nullptr;
};

ChunkedCufft::ChunkedCufft(const std::vector<int64_t> &given, int64_t memoryBytes) : sides(given) {
  const bool isLine = sides.size() == 1;
  int64_t all = 1;
  for (int64_t side : sides)
    all *= side;
  if (isLine) { // as nearly a square as there is
    int64_t root = 1;
    while (root * root < all)
      root *= 2;
    rowCount = all / root;
    columnCount = root;
  } else {
    rowCount = sides[0];
    columnCount = all / sides[0];
  }
  inner = sides.size() == 3 ? sides[2] : columnCount;
  // Of each lane: the chunk, as much work space for cuFFT, and another one to transpose.
  const int64_t chunkBytes = memoryBytes / lanesAtOnce / (isLine ? 3 : 2);
  auto parts = [&](int64_t count) { // a power of two that leaves chunks of at most so many bytes
    int64_t result = 1;
    while (count % (2 * result) == 0 && all * elementBytes / result > chunkBytes)
      result *= 2;
    return result;
  };
  chunkRows = rowCount / parts(rowCount);
  chunkColumns = columnCount / parts(columnCount);
  const int64_t largest = std::max(chunkRows * columnCount, chunkColumns * rowCount);
  for (int i = 0; i < lanesAtOnce; ++i) {
    auto *lane = new Lane;
    lanes.push_back(lane);
    CHECK_CUDA(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaMalloc(&lane->data, size_t(largest * elementBytes)));
    if (isLine)
      CHECK_CUDA(cudaMalloc(&lane->moved, size_t(largest * elementBytes)));
    size_t rowBytes = 0, columnBytes = 0;
    auto make = [&](cufftHandle &plan, std::vector<long long> n, long long stride, long long distance, long long batch,
                    size_t &bytes) {
      CHECK_CUDA(cufftCreate(&plan));
      CHECK_CUDA(cufftSetAutoAllocation(plan, 0));
      CHECK_CUDA(cufftMakePlanMany64(plan, int(n.size()), n.data(), n.data(), stride, distance, n.data(), stride,
                                     distance, CUFFT_C2C, batch, &bytes));
      CHECK_CUDA(cufftSetStream(plan, lane->stream));
    };
    std::vector<long long> row{columnCount};
    if (sides.size() == 3)
      row = {sides[1], sides[2]};
    make(lane->ofRows, row, 1, columnCount, chunkRows, rowBytes);
    make(lane->ofColumns, {rowCount}, chunkColumns, 1, chunkColumns, columnBytes);
    CHECK_CUDA(cudaMalloc(&lane->work, std::max<size_t>({rowBytes, columnBytes, 16})));
    CHECK_CUDA(cufftSetWorkArea(lane->ofRows, lane->work));
    CHECK_CUDA(cufftSetWorkArea(lane->ofColumns, lane->work));
  }
}

ChunkedCufft::~ChunkedCufft() {
  for (Lane *lane : lanes) {
    cufftDestroy(lane->ofRows);
    cufftDestroy(lane->ofColumns);
    cudaFree(lane->data);
    cudaFree(lane->moved);
    cudaFree(lane->work);
    cudaStreamDestroy(lane->stream);
    delete lane;
  }
}

void ChunkedCufft::rows(const char *from, char *to, bool transposed) {
  const int64_t rowBytes = columnCount * elementBytes;
  size_t next = 0;
  for (int64_t row = 0; row < rowCount; row += chunkRows) {
    Lane &lane = *lanes[next++ % lanes.size()];
    CHECK_CUDA(cudaMemcpyAsync(lane.data, from + row * rowBytes, size_t(chunkRows * rowBytes), cudaMemcpyHostToDevice,
                               lane.stream));
    CHECK_CUDA(cufftExecC2C(lane.ofRows, lane.data, lane.data, CUFFT_FORWARD));
    if (!transposed) {
      CHECK_CUDA(cudaMemcpyAsync(to + row * rowBytes, lane.data, size_t(chunkRows * rowBytes), cudaMemcpyDeviceToHost,
                                 lane.stream));
      continue;
    }
    transpose<<<dim3(unsigned(columnCount / tile), unsigned(chunkRows / tile)), dim3(tile, tileRows), 0, lane.stream>>>(
        lane.data, lane.moved, chunkRows, columnCount);
    CHECK_CUDA(cudaMemcpy2DAsync(to + row * elementBytes, size_t(rowCount * elementBytes), lane.moved,
                                 size_t(chunkRows * elementBytes), size_t(chunkRows * elementBytes),
                                 size_t(columnCount), cudaMemcpyDeviceToHost, lane.stream));
  }
  for (Lane *lane : lanes)
    CHECK_CUDA(cudaStreamSynchronize(lane->stream));
}

void ChunkedCufft::columns(const char *from, char *to) {
  const int64_t rowBytes = columnCount * elementBytes, width = chunkColumns * elementBytes;
  size_t next = 0;
  for (int64_t column = 0; column < columnCount; column += chunkColumns) {
    Lane &lane = *lanes[next++ % lanes.size()];
    CHECK_CUDA(cudaMemcpy2DAsync(lane.data, size_t(width), from + column * elementBytes, size_t(rowBytes),
                                 size_t(width), size_t(rowCount), cudaMemcpyHostToDevice, lane.stream));
    CHECK_CUDA(cufftExecC2C(lane.ofColumns, lane.data, lane.data, CUFFT_FORWARD));
    if (sides.size() == 1) {
      constexpr int threads = 256;
      const int64_t elements = rowCount * chunkColumns;
      multiplyTwiddles<<<unsigned((elements + threads - 1) / threads), threads, 0, lane.stream>>>(
          lane.data, rowCount, chunkColumns, column, double(rowCount) * double(columnCount));
    }
    CHECK_CUDA(cudaMemcpy2DAsync(to + column * elementBytes, size_t(rowBytes), lane.data, size_t(width), size_t(width),
                                 size_t(rowCount), cudaMemcpyDeviceToHost, lane.stream));
  }
  for (Lane *lane : lanes)
    CHECK_CUDA(cudaStreamSynchronize(lane->stream));
}

void ChunkedCufft::run(const void *x, void *y, void *between) {
  const char *in = static_cast<const char *>(x);
  char *out = static_cast<char *>(y), *kept = static_cast<char *>(between);
  if (sides.size() == 1) {
    columns(in, kept);
    rows(kept, out, /*transposed=*/true);
  } else {
    rows(in, kept, /*transposed=*/false);
    columns(kept, out);
  }
}
