#include "compiler/emulator/EmulatedQueues.h"

#include "runtime/lib/Status.h"

#include <cstring>
#include <vector>

using namespace idc;
using namespace idc::emulator;

/// Rows of so many bytes, each side's a distance apart.
static void copyRows(void *to, int64_t toPitch, const void *from, int64_t fromPitch, const runtime::Rectangle &rows) {
  for (int64_t row = 0; row < rows.rows; ++row)
    std::memcpy(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch,
                static_cast<size_t>(rows.width));
}

idc_status EmulatedQueues::copyIn(void *device, const void *host, const runtime::Rectangle &rectangle) {
  add(In, [=] {
    copyRows(device, rectangle.width, host, rectangle.pitch, rectangle);
    return IDC_SUCCESS;
  });
  return IDC_SUCCESS;
}

idc_status EmulatedQueues::copyOut(void *host, const void *device, const runtime::Rectangle &rectangle) {
  add(Out, [=] {
    copyRows(host, rectangle.pitch, device, rectangle.width, rectangle);
    return IDC_SUCCESS;
  });
  return IDC_SUCCESS;
}

idc_status EmulatedQueues::launch(size_t pass, int64_t batch, const runtime::Operands &operands) {
  // What the operands' pointers point to lives only until this returns, but scalars.
  const runtime::Manifest &kernels = manifest.passes[pass].kernels;
  std::vector<const void *> inputs(operands.inputs, operands.inputs + kernels.inputs.size());
  std::vector<void *> outputs(operands.outputs, operands.outputs + kernels.outputs.size());
  add(Kernels, [this, pass, batch, inputs, outputs, scalars = operands.scalars, workspace = operands.workspace,
                number = runtime::ChunkNumber(operands.peers->device())] {
    return launchKernels(pass, batch, {inputs.data(), scalars, outputs.data(), workspace, &number});
  });
  return IDC_SUCCESS;
}

idc_status EmulatedQueues::record(Queue queue, size_t event) {
  const int64_t time = ++recorded[queue][event];
  add(queue, [this, queue, event, time] {
    reached[queue][event] = time;
    return IDC_SUCCESS;
  });
  return IDC_SUCCESS;
}

idc_status EmulatedQueues::wait(Queue queue, Queue other, size_t event) {
  if (waited++ == forgotten)
    return IDC_SUCCESS;
  const int64_t time = recorded[other][event];
  work[queue].push_back(
      {[this, other, event, time] { return reached[other][event] >= time; }, [] { return IDC_SUCCESS; }});
  return IDC_SUCCESS;
}

idc_status EmulatedQueues::finish(Queue queue, size_t event) {
  const int64_t time = recorded[queue][event];
  return workUntil([&] { return reached[queue][event] >= time; });
}

idc_status EmulatedQueues::finishAll() {
  return workUntil([&] { return work[In].empty() && work[Kernels].empty() && work[Out].empty(); });
}

idc_status EmulatedQueues::workUntil(const std::function<bool()> &isDone) {
  while (!isDone()) {
    std::vector<std::deque<Work> *> ready;
    for (std::deque<Work> &queue : work)
      if (!queue.empty() && queue.front().mayGoOn())
        ready.push_back(&queue);
    if (ready.empty())
      return runtime::fail(IDC_ERROR_DRIVER, "the queues wait for each other");
    std::deque<Work> &queue = *ready[random() % ready.size()];
    const std::function<idc_status()> act = std::move(queue.front().act);
    queue.pop_front();
    if (idc_status status = act()) {
      for (std::deque<Work> &other : work)
        other.clear();
      return status;
    }
  }
  return IDC_SUCCESS;
}
