//===- Run.h - runs a module on files ---------------------------*- C++ -*-===//
//
// What `idc run` and `idc-runner` do once they have a module: read or make the inputs, launch, write the outputs,
// compare them with references, and measure. The same for GPU and CPU modules.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_HOST_RUN_H
#define IDC_HOST_RUN_H

#include "host/ElementType.h"
#include "host/Error.h"
#include "idc/runtime.h"

#include "npy/Npy.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace idc::host {

/// The outputs that one problem must have, from the bytes of its inputs and then of the scalars, all in manifest order.
using Reference = std::function<std::vector<npy::Array>(const std::vector<std::vector<char>> &inputs)>;

class GroupModule;

struct RunRequest {
  const idc_module *module = nullptr;
  const GroupModule *group = nullptr; ///< the same module where several devices run it
  int64_t batch = 1;
  /// .npy files, one per input in manifest order, or none: inputs are then random (RandomInput.h).
  std::vector<std::string> inputs;
  /// Instead of files the bytes of each input's elements, problem by problem without gaps.
  std::vector<std::vector<char>> inputData;
  /// How random inputs are drawn as NAME=DISTRIBUTION (Distribution.h); standard normal without it.
  std::vector<std::string> distributions;
  /// The values of the program's run-time scalars as NAME=VALUE (Scalars.h).
  std::vector<std::string> scalars;
  /// Where to write the outputs, in manifest order; fewer than the module has (or none) is allowed. The first
  /// dimension of a written array is the batch.
  std::vector<std::string> outputs;
  /// .npy files that the outputs are compared with, in manifest order; fewer is allowed. Any shape with the right
  /// number of elements; the precision may differ from the output's.
  std::vector<std::string> expected;
  /// Where to write sketches of the outputs (Sketch.h), and sketches they are compared with; as for the files above.
  std::vector<std::string> sketches, expectedSketches;
  /// Of the index of each output of one problem, least significant first: says in messages which digits a wrong element
  /// has. Empty: not known.
  std::vector<std::vector<int>> outputRadices;
  /// Computes what the outputs are compared with for `referenceProblems` problems spread over the batch, or null.
  Reference reference;
  int64_t referenceProblems = 3;
  /// Number of the problem of the batch whose operands the report has.
  std::optional<int64_t> keptProblem;
  /// Largest relative L2 error that passes.
  double tolerance = 1e-5;
  uint64_t seed = 0;
  /// Outputs have the memory of inputs, as far as there are inputs that they may have it of (Operands.h).
  bool inPlace = false;
  /// Launches in all: the results of each further one are compared with those of the first, bit by bit.
  int64_t launches = 1;
  bool time = false;
  /// Measure dependent executions, recorded in one graph.
  bool latency = false;
  /// Measurements of which the median is taken.
  int repeat = 20;
};

/// An output against its reference.
struct Comparison {
  std::string output; ///< name of the output
  std::string file;   ///< what it was compared with
  double error = 0;   ///< |output - reference| / |reference| in the L2 norm; not a number if the output has one;
                      ///< against a sketch an estimate, infinite if what is no finite real number differs
  bool passed = false;
  std::string mismatch = {}; ///< lines that say which elements are wrong (Mismatch.h); empty: passed, or not known
};

struct Timing {
  double seconds = 0;     ///< median time of one launch
  double copySeconds = 0; ///< median time of a copy (device to device, memcpy) that moves as many bytes
  int64_t bytes = 0;      ///< of all inputs and outputs

  double gigabytesPerSecond() const { return double(bytes) / seconds * 1e-9; }
  /// 1 is the speed of a copy; 2 takes twice as long.
  double ratioToCopy() const { return seconds / copySeconds; }
};

/// An input or output of one problem.
struct OperandValues {
  std::string name;
  ElementType type;
  int64_t elements = 0;
  std::vector<char> data; ///< without what may lie between elements
};

/// All operands of one problem, in manifest order.
struct ProblemValues {
  std::vector<OperandValues> inputs, outputs;
  std::vector<std::vector<char>> scalars; ///< the bytes of each
};

struct RunReport {
  std::string symbol;    ///< of the module
  std::string processor; ///< what it ran on
  int64_t batch = 0;
  std::vector<Comparison> comparisons;
  std::optional<ProblemValues> kept; ///< of RunRequest::keptProblem
  std::optional<Timing> timing;
  std::optional<double> latencySeconds; ///< median time of one execution among dependent ones in a graph

  /// True when every comparison passed.
  bool passed() const;
};

/// Carries out `request`. Throws Error.
RunReport run(const RunRequest &request);

/// Writes the report for people: what ran where, a line per comparison, one for the timing.
void print(std::ostream &out, const RunReport &report);

} // namespace idc::host

#endif // IDC_HOST_RUN_H
