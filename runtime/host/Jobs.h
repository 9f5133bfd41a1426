//===- Jobs.h - measures many modules in turn -------------------*- C++ -*-===//
//
// The half of tuning that needs the machine: `idc tune` writes candidates and a list of them, this runs and times each.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_HOST_JOBS_H
#define IDC_HOST_JOBS_H

#include "idc/runtime.h"

#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace idc::host {

using JobModule = std::unique_ptr<idc_module, idc_status (*)(idc_module *)>;
/// Makes a module of kernels and their manifest; throws Error where that fails.
using JobLoader = std::function<JobModule(const std::string &kernels, const std::string &manifest)>;
/// That of images for the GPU.
JobModule loadImage(const std::string &kernels, const std::string &manifest);

/// Reads a list of jobs (JSON: `{"jobs": [{"name", "group", "batch", "latency", "kernels", "manifest"}]}`, files beside
/// the list) and writes what each takes to `results` after every job (JSON: `{"results": [{"name", "group",
/// "microseconds", "copyMicroseconds", "kernels"} or {"name", "group", "error"}]}`); those that stand there already are
/// not run again. `latency` jobs are timed as one of many dependent executions in a graph. Others are timed per launch;
/// "copyMicroseconds" is what a copy of as many bytes takes, and "kernels" is a list of what each of several kernels
/// takes alone. All jobs of a group compute the same: results that differ from those of its first job are errors.
/// A line per job goes to `lines`. Throws Error for a list that cannot be read or results that cannot be written.
void measureJobs(const std::string &jobs, const std::string &results, std::ostream &lines,
                 const JobLoader &load = loadImage);

} // namespace idc::host

#endif // IDC_HOST_JOBS_H
