//===- Measure.cpp - how long enqueued work takes -------------------------===//

#include "host/Measure.h"

#include <algorithm>
#include <vector>

namespace idc::host {

double medianSeconds(Memory &memory, const std::function<void()> &work, int repeat) {
  memory.measure(work); // warms up
  std::vector<double> seconds;
  for (int i = 0; i < repeat; ++i)
    seconds.push_back(memory.measure(work));
  std::nth_element(seconds.begin(), seconds.begin() + repeat / 2, seconds.end());
  return seconds[size_t(repeat / 2)];
}

double dependentSeconds(Memory &memory, const std::function<void()> &work, int repeat) {
  const std::function<void()> executions = [&] {
    for (int i = 0; i < graphExecutions; ++i)
      work();
  };
  return medianSeconds(memory, memory.record(executions), repeat) / graphExecutions;
}

} // namespace idc::host
