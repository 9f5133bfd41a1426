#include "Cuda.h"
#include "DoubleDouble.cuh"
#include "RandomData.h"
#include "Reference.h"
#include "RootsOfUnity.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpucheck {
namespace {

constexpr int fineBits = 13; // roots: exponent = coarse * 2^fineBits + fine
constexpr int blocks = 4096, threads = 256;

using Wide = Complex<DoubleDouble>;

__device__ size_t firstIndex() { return blockIdx.x * size_t(blockDim.x) + threadIdx.x; }
__device__ size_t stride() { return size_t(gridDim.x) * blockDim.x; }

/// roots[j] = exp(-2 pi i j / 2^n) for j < 2^(n-1).
__global__ void makeRoots(const Wide *fine, const Wide *coarse, int n, Wide *roots) {
  for (size_t j = firstIndex(); j < size_t(1) << (n - 1); j += stride())
    roots[j] = coarse[j >> fineBits] * fine[j & ((1 << fineBits) - 1)];
}

/// result[m][i] = input[members[m]][i]
template <class T>
__global__ void gather(const Complex<T> *input, const uint64_t *members, size_t count, int n, Wide *result) {
  for (size_t p = firstIndex(); p < count << n; p += stride()) {
    size_t member = p >> n, i = p & ((size_t(1) << n) - 1);
    Complex<T> x = input[(members[member] << n) + i];
    result[p] = {{double(x.re), 0}, {double(x.im), 0}};
  }
}
template <class T>
__global__ void gather(const T *input, const uint64_t *members, size_t count, int n, DoubleDouble *result) {
  for (size_t p = firstIndex(); p < count << n; p += stride()) {
    size_t member = p >> n, i = p & ((size_t(1) << n) - 1);
    result[p] = {double(input[(members[member] << n) + i]), 0};
  }
}

/// Reverses the bits low .. low + width - 1 of every index.
__global__ void reverseBits(Wide *values, size_t count, int low, int width) {
  const size_t mask = ((size_t(1) << width) - 1) << low;
  for (size_t p = firstIndex(); p < count; p += stride()) {
    size_t other = (p & ~mask) | (__brevll((p & mask) >> low) >> (64 - width) << low);
    if (p < other) {
      Wide x = values[p];
      values[p] = values[other];
      values[other] = x;
    }
  }
}

/// Level `level` of the Fourier transform along the dimension that begins at bit `first`: butterflies between elements
/// 2^(first+level-1) apart. `roots` are of order 2^n.
__global__ void fourierLevel(Wide *values, size_t pairs, int first, int level, int n, bool inverse, const Wide *roots) {
  const int bit = first + level - 1;
  for (size_t p = firstIndex(); p < pairs; p += stride()) {
    size_t half = size_t(1) << bit, below = p & (half - 1), k = below >> first;
    size_t low = ((p >> bit) << (bit + 1)) + below, high = low + half;
    Wide root = roots[k << (n - level)];
    if (inverse)
      root.im = -root.im;
    Wide a = values[low], b = values[high] * root;
    values[low] = a + b;
    values[high] = a - b;
  }
}

template <class T> __global__ void hadamardLevel(T *values, size_t pairs, int level) {
  for (size_t p = firstIndex(); p < pairs; p += stride()) {
    size_t half = size_t(1) << (level - 1);
    size_t low = ((p >> (level - 1)) << level) + (p & (half - 1)), high = low + half;
    T a = values[low], b = values[high];
    values[low] = a + b;
    values[high] = a - b;
  }
}

/// Adds the block's sums of squares to sums[0] (differences) and sums[1] (reference).
__device__ void addSums(double difference, double reference, double *sums) {
  for (int lane = 16; lane; lane /= 2) {
    difference += __shfl_down_sync(~0u, difference, lane);
    reference += __shfl_down_sync(~0u, reference, lane);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(sums, difference);
    atomicAdd(sums + 1, reference);
  }
}

/// `components` real numbers per problem; reference holds the members one after another.
template <class T>
__global__ void squaredErrors(const T *output, const uint64_t *members, const DoubleDouble *reference,
                              size_t components, size_t count, double scale, double *sums) {
  double difference = 0, norm = 0;
  for (size_t p = firstIndex(); p < count * components; p += stride()) {
    size_t member = p / components, i = p % components;
    double y = double(output[members[member] * components + i]) * scale;
    double d = (y - reference[p].hi) - reference[p].lo;
    difference += d * d;
    norm += reference[p].hi * reference[p].hi;
  }
  addSums(difference, norm, sums);
}

/// |difference| / |reference|; a random problem of two numbers may well be zero, and then equal is right.
__device__ double relative(double difference, double norm) {
  if (difference == 0 && norm == 0)
    return 0;
  double ratio = sqrt(difference / norm);
  return ratio >= 0 ? ratio : INFINITY; // NaN compares false
}

/// Non-negative doubles are ordered like their bits.
__device__ void atomicMaxOf(unsigned long long *worst, double value) {
  for (int lane = 16; lane; lane /= 2)
    value = fmax(value, __shfl_down_sync(~0u, value, lane));
  if (threadIdx.x % 32 == 0)
    atomicMax(worst, (unsigned long long)__double_as_longlong(value));
}

/// One thread per problem.
template <class T>
__global__ void worstOfSmall(const T *a, double scaleA, const T *b, size_t components, size_t batch,
                             unsigned long long *worst) {
  double largest = 0;
  for (size_t problem = firstIndex(); problem < batch; problem += stride()) {
    double difference = 0, norm = 0;
    for (size_t i = problem * components; i < (problem + 1) * components; i++) {
      double d = double(a[i]) * scaleA - double(b[i]);
      difference += d * d;
      norm += double(b[i]) * double(b[i]);
    }
    largest = fmax(largest, relative(difference, norm));
  }
  atomicMaxOf(worst, largest);
}

/// One block per piece of a problem, of at most 8192 components. sums has two numbers per problem.
template <class T>
__global__ void sumPieces(const T *a, double scaleA, const T *b, size_t components, size_t piecesOfProblem,
                          size_t pieces, double *sums) {
  for (size_t p = blockIdx.x; p < pieces; p += gridDim.x) {
    double difference = 0, norm = 0;
    const size_t problem = p / piecesOfProblem, begin = p % piecesOfProblem * 8192;
    const size_t end = problem * components + min(begin + 8192, components);
    for (size_t i = problem * components + begin + threadIdx.x; i < end; i += blockDim.x) {
      double d = double(a[i]) * scaleA - double(b[i]);
      difference += d * d;
      norm += double(b[i]) * double(b[i]);
    }
    addSums(difference, norm, sums + 2 * problem);
  }
}

__global__ void worstOfSums(const double *sums, size_t batch, unsigned long long *worst) {
  double largest = 0;
  for (size_t problem = firstIndex(); problem < batch; problem += stride())
    largest = fmax(largest, relative(sums[2 * problem], sums[2 * problem + 1]));
  atomicMaxOf(worst, largest);
}

template <class T>
double worstDifferenceOf(const T *a, double scaleA, const T *b, size_t components, size_t batch, cudaStream_t stream) {
  Buffer worst(sizeof(unsigned long long));
  CHECK_CUDA(cudaMemsetAsync(worst.data(), 0, worst.size(), stream));
  auto *worstBits = worst.as<unsigned long long>();
  std::unique_ptr<Buffer> sums;
  if (components < 256) {
    worstOfSmall<<<blocks, threads, 0, stream>>>(a, scaleA, b, components, batch, worstBits);
  } else {
    sums = std::make_unique<Buffer>(batch * 2 * sizeof(double));
    CHECK_CUDA(cudaMemsetAsync(sums->data(), 0, sums->size(), stream));
    const size_t piecesOfProblem = (components + 8191) / 8192;
    sumPieces<<<blocks, threads, 0, stream>>>(a, scaleA, b, components, piecesOfProblem, batch * piecesOfProblem,
                                              sums->as<double>());
    worstOfSums<<<blocks, threads, 0, stream>>>(sums->as<double>(), batch, worstBits);
  }
  CHECK_CUDA(cudaGetLastError());
  double value = 0;
  CHECK_CUDA(cudaMemcpyAsync(&value, worst.data(), sizeof value, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return value;
}

std::vector<Wide> hostRoots(int n, size_t step, size_t count) {
  std::vector<Wide> table(count);
  for (size_t i = 0; i < count; i++) {
    SplitRoot root = splitRootOfUnity(i * step, n);
    table[i] = {{root.re[0], root.re[1]}, {root.im[0], root.im[1]}};
  }
  return table;
}

template <class T> std::unique_ptr<Buffer> upload(const std::vector<T> &values, cudaStream_t stream) {
  auto buffer = std::make_unique<Buffer>(values.size() * sizeof(T));
  CHECK_CUDA(cudaMemcpyAsync(buffer->data(), values.data(), buffer->size(), cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return buffer;
}

} // namespace

std::string sizeText(const Exponents &exponents) {
  std::string text;
  for (int exponent : exponents)
    text += (text.empty() ? "" : "x") + std::to_string(exponent);
  return text;
}

Reference::Reference(cudaStream_t stream) : stream(stream) {}
Reference::~Reference() = default;

void Reference::prepareRoots(int size) {
  if (rootsFor == size)
    return;
  roots.reset();
  roots = std::make_unique<Buffer>(sizeof(Wide) << (size - 1));
  auto fine = upload(hostRoots(size, 1, size_t(1) << fineBits), stream);
  auto coarse = upload(hostRoots(size, size_t(1) << fineBits, size_t(1) << std::max(0, size - 1 - fineBits)), stream);
  makeRoots<<<blocks, threads, 0, stream>>>(fine->as<Wide>(), coarse->as<Wide>(), size, roots->as<Wide>());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaStreamSynchronize(stream));
  rootsFor = size;
}

void Reference::compute(Transform which, Real type, const Exponents &exponents, const void *input,
                        const std::vector<uint64_t> &chosen) {
  const int size = std::accumulate(exponents.begin(), exponents.end(), 0);
  transform = which;
  real = type;
  n = size;
  count = chosen.size();
  members = upload(chosen, stream);
  result.reset();
  result = std::make_unique<Buffer>(count * componentsOf(which) * sizeof(DoubleDouble) << size);
  const auto *indices = members->as<uint64_t>();
  const size_t pairs = count << (size - 1);
  if (which == Transform::Hadamard) {
    auto *values = result->as<DoubleDouble>();
    if (type == Real::F32)
      gather<<<blocks, threads, 0, stream>>>(static_cast<const float *>(input), indices, count, size, values);
    else
      gather<<<blocks, threads, 0, stream>>>(static_cast<const double *>(input), indices, count, size, values);
    for (int level = 1; level <= size; level++)
      hadamardLevel<<<blocks, threads, 0, stream>>>(values, pairs, level);
  } else {
    prepareRoots(size);
    auto *values = result->as<Wide>();
    if (type == Real::F32)
      gather<<<blocks, threads, 0, stream>>>(static_cast<const Complex<float> *>(input), indices, count, size, values);
    else
      gather<<<blocks, threads, 0, stream>>>(static_cast<const Complex<double> *>(input), indices, count, size, values);
    int first = 0;
    for (auto width = exponents.rbegin(); width != exponents.rend(); first += *width++) {
      reverseBits<<<blocks, threads, 0, stream>>>(values, count << size, first, *width);
      for (int level = 1; level <= *width; level++)
        fourierLevel<<<blocks, threads, 0, stream>>>(values, pairs, first, level, size, which == Transform::Inverse,
                                                     roots->as<Wide>());
    }
  }
  CHECK_CUDA(cudaGetLastError());
}

template <class T> double Reference::errorOf(const T *output, double scale) const {
  Buffer sums(2 * sizeof(double));
  CHECK_CUDA(cudaMemsetAsync(sums.data(), 0, sums.size(), stream));
  squaredErrors<<<blocks, threads, 0, stream>>>(output, members->as<uint64_t>(), result->as<DoubleDouble>(),
                                                componentsOf(transform) << n, count, scale, sums.as<double>());
  CHECK_CUDA(cudaGetLastError());
  double host[2];
  CHECK_CUDA(cudaMemcpyAsync(host, sums.data(), sizeof host, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return std::sqrt(host[0] / host[1]);
}

double Reference::error(const void *output, double scale) const {
  return real == Real::F32 ? errorOf(static_cast<const float *>(output), scale)
                           : errorOf(static_cast<const double *>(output), scale);
}

double Reference::validate() {
  double worst = 0;
  for (Transform which : {Transform::Forward, Transform::Inverse, Transform::Hadamard}) {
    for (const Exponents &exponents :
         {Exponents{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {20}, {3, 5}, {5, 2}, {2, 1, 4}}) {
      const int size = std::accumulate(exponents.begin(), exponents.end(), 0);
      const size_t length = size_t(1) << size, components = componentsOf(which), batch = 2;
      std::vector<double> input(batch * length * components);
      Buffer device(input.size() * sizeof(double));
      fillNormal(device.as<double>(), input.size(), 17 + size, stream);
      CHECK_CUDA(cudaMemcpyAsync(input.data(), device.data(), device.size(), cudaMemcpyDeviceToHost, stream));
      compute(which, Real::F64, exponents, device.data(), {1});
      std::vector<double> output(length * components * 2); // pairs hi, lo
      CHECK_CUDA(cudaMemcpyAsync(output.data(), result->data(), output.size() * sizeof(double), cudaMemcpyDeviceToHost,
                                 stream));
      CHECK_CUDA(cudaStreamSynchronize(stream));
      const int sign = which == Transform::Hadamard ? 0 : which == Transform::Forward ? -1 : 1;
      const std::vector<size_t> picks =
          size <= 9 ? std::vector<size_t>() : std::vector<size_t>{1, length / 3, length - 2};
      worst = std::max(worst, naiveError(sign, exponents, input.data() + length * components, output.data(), picks));
    }
  }
  return worst;
}

void hadamardInPlace(Real real, int n, void *values, size_t components, cudaStream_t stream) {
  for (int level = 1; level <= n; level++) {
    if (real == Real::F32)
      hadamardLevel<<<blocks, threads, 0, stream>>>(static_cast<float *>(values), components / 2, level);
    else
      hadamardLevel<<<blocks, threads, 0, stream>>>(static_cast<double *>(values), components / 2, level);
  }
  CHECK_CUDA(cudaGetLastError());
}

double worstDifference(Real real, const void *a, double scaleA, const void *b, size_t components, size_t batch,
                       cudaStream_t stream) {
  return real == Real::F32 ? worstDifferenceOf(static_cast<const float *>(a), scaleA, static_cast<const float *>(b),
                                               components, batch, stream)
                           : worstDifferenceOf(static_cast<const double *>(a), scaleA, static_cast<const double *>(b),
                                               components, batch, stream);
}

} // namespace gpucheck
