#include "Check.h"
#include "Cuda.h"
#include "CufftPlan.h"
#include "RandomData.h"
#include <algorithm>
#include <cmath>

namespace gpucheck {
namespace {

constexpr size_t guardBytes = 256 * 1024;
constexpr double realFactor = 1.5;   // error of a transform of reals over cuFFT's on complex numbers
constexpr double worstFactor = 10.0; // of one member over the typical error; both sides of the difference have errors

/// Members compared with the reference: all of a small batch, else evenly spread with the first and the last.
std::vector<uint64_t> chooseMembers(size_t batch, int n) {
  const size_t count = std::min(batch, std::max<size_t>(3, (size_t(1) << 22) >> n));
  std::vector<uint64_t> members(count);
  for (size_t i = 0; i < count; i++)
    members[i] = count == batch ? i : i * (batch - 1) / (count - 1);
  return members;
}

/// An L2 error measured over few numbers scatters about its expectation; this factor covers the scatter.
double scatter(size_t numbers) { return 1 + 4 / std::sqrt(double(numbers)); }

void fill(Real real, void *data, size_t count, uint64_t seed, cudaStream_t stream) {
  if (real == Real::F32)
    fillNormal(static_cast<float *>(data), count, seed, stream);
  else
    fillNormal(static_cast<double *>(data), count, seed, stream);
}

} // namespace

bool CaseResult::passed() const { return complaint().empty(); }

std::string CaseResult::complaint() const {
  if (!failure.empty())
    return failure;
  std::string text;
  auto require = [&](bool good, const char *name) {
    if (!good)
      text += (text.empty() ? "" : " ") + std::string(name);
  };
  require(error <= errorBound, "error"); // NaN compares false
  require(worstBound == 0 || worst <= worstBound, "worst-member");
  require(inputKept, "input-changed");
  require(guardsIntact, "out-of-bounds-write");
  require(repeatable, "not-repeatable");
  require(batchInvariant, "depends-on-batch");
  return text;
}

Checker::Checker(bool quick, uint64_t seed) : quick(quick), seed(seed) {
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_CUDA(cudaStreamCreateWithFlags(&cudaStream, cudaStreamNonBlocking));
  yardstick = std::make_unique<Reference>(cudaStream);
}

Checker::~Checker() {
  yardstick.reset();
  cudaStreamDestroy(cudaStream);
}

std::vector<size_t> Checker::batches(const KernelFile &file) const {
  if (quick)
    return {3};
  std::vector<size_t> list;
  for (size_t batch : {size_t(1), size_t(3), size_t(1000)})
    if (batch * file.bytesPerProblem() <= 8 * GiB)
      list.push_back(batch);
  list.push_back(std::max<size_t>(1, GiB / file.bytesPerProblem()));
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<CaseResult> Checker::run(const KernelFile &file) {
  std::vector<CaseResult> results;
  firstMemberKnown = false;
  try {
    LoadedKernel kernel(file);
    for (size_t batch : batches(file)) {
      results.emplace_back();
      results.back().batch = batch;
      runBatch(file, kernel, results.back());
    }
  } catch (const CudaError &error) {
    if (results.empty())
      results.emplace_back();
    results.back().failure = error.what();
    // A refused load or launch leaves the context usable; an error of execution does not.
    cudaGetLastError();
    contextLost = cudaDeviceSynchronize() != cudaSuccess;
  }
  return results;
}

void Checker::runBatch(const KernelFile &file, const LoadedKernel &kernel, CaseResult &result) {
  const size_t bytes = result.batch * file.bytesPerProblem(), guard = quick ? 0 : guardBytes;
  Buffer input(bytes), output(bytes, guard), workspace(kernel.workspaceBytes(result.batch), guard);
  fill(file.real, input.data(), result.batch * file.components(), seed + uint64_t(file.n), cudaStream);
  const uint64_t inputSum = checksum(input.data(), bytes, cudaStream);
  workspace.poison(cudaStream);

  auto launch = [&] {
    output.poison(cudaStream);
    kernel.launch(result.batch, {input.data()}, {output.data()}, workspace, cudaStream);
    CHECK_CUDA(cudaStreamSynchronize(cudaStream));
    return checksum(output.data(), bytes, cudaStream);
  };
  const uint64_t outputSum = launch();
  // The second launch finds the workspace as the first one left it.
  result.repeatable = quick || launch() == outputSum;
  result.guardsIntact = output.guardsIntact(cudaStream) && workspace.guardsIntact(cudaStream);
  result.inputKept = checksum(input.data(), bytes, cudaStream) == inputSum;

  const uint64_t member = checksum(output.data(), file.bytesPerProblem(), cudaStream);
  if (!firstMemberKnown) {
    firstMember = member;
    firstMemberKnown = true;
  }
  result.batchInvariant = member == firstMember;

  judge(file, result, input.data(), output.data());
}

/// cuFFT's error over at least 2^16 numbers, measured once for every type and size.
double Checker::typicalCufftError(const KernelFile &file) {
  const Real real = file.real;
  const int n = file.n;
  if (auto known = typicalErrors.find({real, file.exponents}); known != typicalErrors.end())
    return known->second;
  const size_t batch = std::max<size_t>(1, (size_t(1) << 16) >> n), components = batch << (n + 1);
  Buffer input(components * bytesOf(real)), output(components * bytesOf(real));
  fill(real, input.data(), components, seed, cudaStream);
  std::vector<uint64_t> members = chooseMembers(batch, n);
  yardstick->compute(Transform::Forward, real, file.exponents, input.data(), members);
  CufftPlan(real, file.exponents, batch, cudaStream).execute(Transform::Forward, input.data(), output.data());
  return typicalErrors[{real, file.exponents}] = yardstick->error(output.data(), 1);
}

void Checker::judge(const KernelFile &file, CaseResult &result, const void *input, const void *output) {
  const Transform transform = file.program->transform;
  const size_t numbers = result.batch * file.components();
  if (quick) {
    const double roundoff = file.real == Real::F32 ? 0x1p-24 : 0x1p-53;
    yardstick->compute(transform, file.real, file.exponents, input, chooseMembers(result.batch, file.n));
    result.error = yardstick->error(output, file.unscale());
    result.errorBound = 4 * roundoff * std::sqrt(double(file.n)); // an FFT's error grows like sqrt(n)
    return;
  }
  const double typical = typicalCufftError(file);
  const std::vector<uint64_t> members = chooseMembers(result.batch, file.n);
  yardstick->compute(transform, file.real, file.exponents, input, members);
  result.error = yardstick->error(output, file.unscale());

  Buffer other(numbers * bytesOf(file.real));
  if (transform == Transform::Hadamard) {
    CHECK_CUDA(cudaMemcpyAsync(other.data(), input, other.size(), cudaMemcpyDeviceToDevice, cudaStream));
    hadamardInPlace(file.real, file.n, other.data(), numbers, cudaStream);
    result.cufftError = typical;
  } else {
    other.poison(cudaStream);
    CufftPlan(file.real, file.exponents, result.batch, cudaStream)
        .execute(transform, const_cast<void *>(input), other.data()); // out of place: cuFFT does not write its input
    result.cufftError = yardstick->error(other.data(), 1);
  }
  const double expected = std::max(typical, result.cufftError);
  const double factor = transform == Transform::Hadamard ? realFactor : 1;
  result.errorBound = factor * expected * scatter(members.size() * file.components());
  result.worstBound = worstFactor * expected * scatter(file.components());
  result.worst =
      worstDifference(file.real, output, file.unscale(), other.data(), file.components(), result.batch, cudaStream);
}

} // namespace gpucheck
