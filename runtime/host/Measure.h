//===- Measure.h - how long enqueued work takes -----------------*- C++ -*-===//

#ifndef IDC_HOST_MEASURE_H
#define IDC_HOST_MEASURE_H

#include "host/Memory.h"

namespace idc::host {

/// The median of `repeat` times of what `work` enqueues, after a warm-up.
double medianSeconds(Memory &memory, const std::function<void()> &work, int repeat);

/// Executions in the graph that dependentSeconds() measures.
constexpr int graphExecutions = 64;

/// The median time of one of graphExecutions executions of `work`, recorded in one graph. They overwrite the same
/// outputs, so that each can begin only after the one before.
double dependentSeconds(Memory &memory, const std::function<void()> &work, int repeat);

} // namespace idc::host

#endif // IDC_HOST_MEASURE_H
