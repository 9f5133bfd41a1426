// A problem's schedule, compiled.
#pragma once

#include "interfaces/compiled/Program.h"
#include "interfaces/transform/Schedule.h"

#include <memory>
#include <string>
#include <vector>

namespace idc::interfaces {

/// An array; the second pointer is that of the imaginary parts where it is split.
struct Array {
  void *first = nullptr, *second = nullptr;
};

class Plan {
public:
  /// `target`: "cpu", "sm_90", ...; `plan` of idc_request_plan(). Throws Failure.
  Plan(const Problem &problem, const std::string &target, const std::string &plan);

  /// Bytes that a run needs beside the arrays, aligned as Scratch is.
  int64_t scratchBytes() const { return bytes; }

  /// Transforms: on the CPU to the end, on a GPU enqueued on `stream`. Runs at the same time need scratch of their own.
  /// The arrays lie on each other as the problem says. Throws Failure.
  void run(Array in, Array out, void *scratch, void *stream) const;

  /// Whether results may also take the place of an input that lies as they do, although the problem does not say so.
  bool worksInPlace() const;

  /// The programs in order: "c2c<sign=1, N=1024> x 16".
  std::string describe() const;

private:
  struct Stage {
    Pass pass;
    std::unique_ptr<Program> program;
  };

  void compile(Copies copies);
  std::unique_ptr<Program> make(const Pass &pass) const;
  int64_t numberBytes() const;
  int64_t elementBytes(const Side &side) const;

  const Problem problem;
  const std::string target, plan;
  std::vector<Stage> stages;
  int64_t secondAt = 0, workspaceAt = 0, bytes = 0; // in the scratch
};

} // namespace idc::interfaces
