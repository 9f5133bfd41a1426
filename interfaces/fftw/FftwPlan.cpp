#include "interfaces/fftw/FftwPlan.h"

#include "interfaces/compiled/Failure.h"
#include "interfaces/compiled/Target.h"
#include "interfaces/fftw/Wisdom.h"

#include <fftw3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

using namespace idc::interfaces;

static std::atomic<int> threadsOfPlans{1};

void idc::interfaces::setPlannerThreads(int count) { threadsOfPlans = std::max(count, 1); }
int idc::interfaces::plannerThreads() { return threadsOfPlans; }

/// The problem as one word: what plans differ in, and nothing else.
static std::string keyOf(const Problem &problem, const std::string &target) {
  std::string key = target + (problem.number == Number::Double ? ":d" : ":s") + std::to_string(int(problem.kind)) +
                    (problem.forward ? "f" : "b") + (problem.inPlace ? "i" : "o") + (problem.splitIn ? "s" : "p") +
                    (problem.splitOut ? "s" : "p");
  for (RealKind kind : problem.realKinds)
    key += "k" + std::to_string(int(kind));
  for (const std::vector<Axis> *axes : {&problem.axes, &problem.batch}) {
    for (const Axis &axis : *axes)
      key += ":" + std::to_string(axis.size) + "," + std::to_string(axis.in) + "," + std::to_string(axis.out);
    key += ";";
  }
  return key;
}

FftwPlan::FftwPlan(const Problem &problem, Array in, Array out)
    : problem(problem), in(in), out(out), target(targetOf(in.first)) {}

FftwPlan::~FftwPlan() { delete spare.load(); }

std::unique_ptr<FftwPlan> FftwPlan::make(Problem problem, Array in, Array out, unsigned flags) {
  for (const Axis &axis : problem.axes)
    if (axis.size < 1)
      return nullptr;
  for (const Axis &axis : problem.batch)
    if (axis.size < 0)
      return nullptr;
  for (size_t i = 0; i < problem.realKinds.size(); ++i)
    if (problem.realKinds[i] == RealKind::Cosine1 && problem.axes[i].size < 2)
      return nullptr;
  problem.inPlace = in.first == out.first && (problem.splitIn == problem.splitOut ? in.second == out.second : true);
  try {
    std::unique_ptr<FftwPlan> made(new FftwPlan(problem, in, out));
    const std::string key = keyOf(problem, made->target);
    if ((flags & FFTW_WISDOM_ONLY) && !wisdomOf(key))
      return nullptr;
    made->choose(key, flags);
    return made;
  } catch (const std::exception &) { // its callers know null only
    return nullptr;
  }
}

/// Takes what wisdom says, or what is compiled for many problems; unless that is to do, measures both.
void FftwPlan::choose(const std::string &key, unsigned flags) {
  if (std::optional<std::string> wise = wisdomOf(key)) {
    plan = std::make_unique<Plan>(problem, target, *wise);
    return;
  }
  plan = std::make_unique<Plan>(problem, target, "throughput");
  if ((flags & FFTW_ESTIMATE) || timeLimit() == 0 || !in.first || !out.first)
    return;
  if (target == "cpu") { // what there is may be anything, and grows with every transform in place, beyond all numbers
    clear(/*isResult=*/false);
    clear(/*isResult=*/true);
  }
  auto other = std::make_unique<Plan>(problem, target, "latency");
  const bool faster = secondsOf(*other) < secondsOf(*plan);
  learn(key, faster ? "latency" : "throughput");
  if (faster)
    plan = std::move(other);
}

static void clearElements(char *memory, size_t bytes, const Axis *axis, const Axis *end, bool isResult) {
  if (axis == end) {
    std::memset(memory, 0, bytes);
    return;
  }
  const int64_t stride = (isResult ? axis->out : axis->in) * int64_t(bytes);
  for (int64_t i = 0; i < axis->size; ++i)
    clearElements(memory + i * stride, bytes, axis + 1, end, isResult);
}

/// Makes the elements of the input or the result zeros.
void FftwPlan::clear(bool isResult) const {
  std::vector<Axis> axes = problem.batch;
  axes.insert(axes.end(), problem.axes.begin(), problem.axes.end());
  if (problem.isHalved(isResult) && !problem.axes.empty())
    axes.back().size = axes.back().size / 2 + 1;
  const bool isComplex = problem.isComplex(isResult), isSplit = isResult ? problem.splitOut : problem.splitIn;
  const Array &array = isResult ? out : in;
  const size_t bytes = (problem.number == Number::Double ? 8 : 4) * (isComplex && !isSplit ? 2 : 1);
  for (void *memory : {array.first, isComplex && isSplit ? array.second : nullptr})
    if (memory)
      clearElements(static_cast<char *>(memory), bytes, axes.data(), axes.data() + axes.size(), isResult);
}

/// The least time of a run, of some that take a millisecond together.
double FftwPlan::secondsOf(const Plan &candidate) const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double least = INFINITY;
  for (int runs = 0; runs < 3 || Clock::now() - begin < std::chrono::milliseconds(1); ++runs) {
    const auto from = Clock::now();
    run(candidate, in, out);
    least = std::min(least, std::chrono::duration<double>(Clock::now() - from).count());
  }
  return least;
}

void FftwPlan::run(const Plan &candidate, Array from, Array to) const {
  const bool chosen = &candidate == plan.get(); // whose scratch is kept
  std::unique_ptr<Scratch> scratch;
  if (const int64_t bytes = candidate.scratchBytes()) {
    if (chosen)
      scratch.reset(spare.exchange(nullptr));
    if (!scratch)
      scratch = std::make_unique<Scratch>(target, bytes);
  }
  check(idc_cpu_threads(threads));
  candidate.run(from, to, scratch ? scratch->data() : nullptr, nullptr);
  check(idc_cpu_threads(0));
  if (target != "cpu")
    check(idc_stream_synchronize(nullptr));
  if (chosen && scratch)
    scratch.reset(spare.exchange(scratch.release()));
}

void FftwPlan::run(Array from, Array to) const {
  try {
    run(*plan, from, to);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "fftw_execute: %s\n", failure.what());
    std::abort();
  }
}

double FftwPlan::butterflies() const {
  double length = 1, count = 1;
  for (const Axis &axis : problem.axes)
    length *= double(axis.size);
  for (const Axis &axis : problem.batch)
    count *= double(axis.size);
  return count * length * std::log2(length) / (problem.kind == Kind::ComplexToComplex ? 2 : 4);
}
double FftwPlan::additions() const { return 6 * butterflies(); }
double FftwPlan::multiplications() const { return 4 * butterflies(); }
