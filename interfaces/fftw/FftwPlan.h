// What a plan of FFTW's interface is here, in both precisions.
#pragma once

#include "interfaces/compiled/Scratch.h"
#include "interfaces/transform/Plan.h"

#include <atomic>
#include <memory>
#include <string>

namespace idc::interfaces {

/// How many threads share the runs of plans that are made from now on; 1 at first.
void setPlannerThreads(int count);
int plannerThreads();

class FftwPlan {
public:
  /// A plan for these arrays, or null where there is none: for sizes that are not positive, distances that no layout
  /// describes, with FFTW_WISDOM_ONLY without wisdom. `flags` as in fftw3.h. The arrays are overwritten when it
  /// measures.
  static std::unique_ptr<FftwPlan> make(Problem problem, Array in, Array out, unsigned flags);
  ~FftwPlan();

  /// Transforms the arrays that it was made for, or others that lie in the same way. What fails ends the process, with
  /// a message: there is nobody to tell.
  void run() const { run(in, out); }
  void run(Array in, Array out) const;

  std::string describe() const { return plan->describe(); }
  /// Additions and multiplications of a radix-2 transform of as many elements, as cost is counted.
  double additions() const;
  double multiplications() const;

private:
  FftwPlan(const Problem &problem, Array in, Array out);
  double butterflies() const;
  void choose(const std::string &key, unsigned flags);
  double secondsOf(const Plan &candidate) const;
  void clear(bool isResult) const;
  void run(const Plan &plan, Array in, Array out) const;

  const Problem problem;
  const Array in, out;
  const int threads = plannerThreads();
  std::string target;
  std::unique_ptr<Plan> plan;
  mutable std::atomic<Scratch *> spare{nullptr}; // of a run that has ended, for the next one
};

} // namespace idc::interfaces
