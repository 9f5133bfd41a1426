// A device's queues whose work is done in any order that their events allow.
#pragma once

#include "runtime/lib/Passes.h"

#include <deque>
#include <functional>
#include <random>

namespace idc::emulator {

/// Does nothing before somebody waits for it; then of the queues that may go on one that is drawn does its next work.
class EmulatedQueues final : public runtime::Queues {
public:
  /// Runs the kernels of a pass on a chunk.
  using Launch = std::function<idc_status(size_t pass, int64_t batch, const runtime::Operands &operands)>;

  /// For the passes of `manifest`. Draws depend on `seed`. `forgotten`: the number of a wait that is left out, as a
  /// fault; -1: none.
  EmulatedQueues(const runtime::Manifest &manifest, Launch launch, uint64_t seed, int64_t forgotten = -1)
      : manifest(manifest), launchKernels(std::move(launch)), random(seed), forgotten(forgotten) {}

  idc_status copyIn(void *device, const void *host, const runtime::Rectangle &rectangle) override;
  idc_status copyOut(void *host, const void *device, const runtime::Rectangle &rectangle) override;
  idc_status launch(size_t pass, int64_t batch, const runtime::Operands &operands) override;
  idc_status record(Queue queue, size_t event) override;
  idc_status wait(Queue queue, Queue other, size_t event) override;
  idc_status finish(Queue queue, size_t event) override;
  idc_status finishAll() override;

  /// Waits that queues have been given.
  int64_t waits() const { return waited; }

private:
  struct Work {
    std::function<bool()> mayGoOn;
    std::function<idc_status()> act;
  };
  void add(Queue queue, std::function<idc_status()> act) {
    work[queue].push_back({[] { return true; }, std::move(act)});
  }
  /// Works until `isDone`.
  idc_status workUntil(const std::function<bool()> &isDone);

  const runtime::Manifest &manifest;
  Launch launchKernels;
  std::mt19937_64 random;
  const int64_t forgotten;
  int64_t waited = 0;
  std::deque<Work> work[queues];
  int64_t recorded[queues][runtime::eventsOfQueue] = {}; // how often an event has been given to its queue,
  int64_t reached[queues][runtime::eventsOfQueue] = {};  // and how often the queue has come to it
};

} // namespace idc::emulator
