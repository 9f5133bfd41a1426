// `idc tune`: writes candidate schedules to be measured, and keeps the best of what was measured.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <string>
#include <vector>

namespace idc::tools {

/// Compiles `count` schedules of the request's plan for each of `sizes`, best first, each with a kernel that those
/// before do not have, and writes kernels, manifests, schedules and a list of jobs for `idc-runner --jobs` to `folder`.
/// The schedule that the program or its table has so far is one more. Returns the exit status: 0, or 1 after printing
/// what went wrong.
int writeCandidates(codegen::CompileRequest request, const std::vector<frontend::SizeMap> &sizes, unsigned count,
                    const std::string &folder);

/// Reads what `idc-runner --jobs` measured of the candidates beside the file, puts single kernels of them
/// together to schedules that should be faster than all of them, and adds these to the candidates and their list of
/// jobs. Entry, sizes, types and plan are the candidates'. Returns the exit status.
int composeCandidates(codegen::CompileRequest request, const std::string &results);

/// A table that schedules are put into.
struct MeasuredTable {
  std::string file;
  bool goesFirst =
      false; // before the program's other tables, so that it has the planner's choice, too, where that wins
};

/// Reads what `idc-runner --jobs` measured of the candidates beside the file and puts the best schedules into the
/// table, an .id file of schedules, with their times, in place of those for the same entry, target, plan, sizes and
/// types. Sizes at which the planner's own choice is within a hundredth of the best get none in a table that does not
/// go first. Prints, for every size, both. Returns the exit status.
int mergeResults(const std::string &results, const MeasuredTable &table);

/// All of it on this machine, on its CPU or its GPU: candidates in a folder that is removed again, measured, composed,
/// measured and merged. Returns the exit status.
int tuneHere(codegen::CompileRequest request, const std::vector<frontend::SizeMap> &sizes, unsigned count,
             const MeasuredTable &table);

} // namespace idc::tools
