//===- Passes.h - data in host memory, chunk by chunk -----------*- C++ -*-===//
//
// A host program is a list of passes over arrays of the host (Manifest::passes). In each pass chunks of the arrays are
// copied to the device, its kernels run, and their results are copied back. Three queues do that at the same time, each
// in its order; what they have to wait for is said by events.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_LIB_PASSES_H
#define IDC_RUNTIME_LIB_PASSES_H

#include "CpuChunks.h"
#include "Module.h"
#include "Shares.h"
#include "idc/host_memory.h"

namespace idc::runtime {

/// Tells kernels which chunk they work on. They reach no other.
class ChunkNumber final : public Peers {
public:
  explicit ChunkNumber(int32_t number) : number(number) {}
  void *at(const void *, int32_t) const override { return nullptr; }
  void *meeting(int32_t) const override { return nullptr; }
  int32_t device() const override { return number; }

private:
  int32_t number;
};

/// What passes run on. Work that a queue is given is done later, in order, at the same time as that of others.
class Queues {
public:
  enum Queue { In, Kernels, Out };
  static constexpr int queues = 3;
  virtual ~Queues() = default;

  virtual idc_status copyIn(void *device, const void *host, const Rectangle &rectangle) = 0;
  virtual idc_status copyOut(void *host, const void *device, const Rectangle &rectangle) = 0;
  /// The kernels of a pass on a chunk, whose number the operands' peers tell.
  virtual idc_status launch(size_t pass, int64_t batch, const Operands &operands) = 0;

  /// An event comes to stand for all that its queue has been given so far.
  virtual idc_status record(Queue queue, size_t event) = 0;
  /// The queue goes on when what the event stands for now is done.
  virtual idc_status wait(Queue queue, Queue other, size_t event) = 0;
  /// Returns when what the event stands for is done.
  virtual idc_status finish(Queue queue, size_t event) = 0;
  /// Returns when all queues are empty, also after an error.
  virtual idc_status finishAll() = 0;
};
/// The events of a queue have numbers below this.
constexpr size_t eventsOfQueue = 4;

/// Bytes of device memory that the passes take for one chunk of one problem.
int64_t deviceBytes(const Manifest &manifest);

/// A device that works on chunks: its queues, and memory of deviceBytes() or more.
struct ChunkDevice {
  Queues *queues;
  void *memory;
  int64_t memoryBytes;
};

/// Runs the passes of a manifest; the devices, one or more, take chunks in turn, but for the share of the CPU, which
/// works at the same time (`cpu` is null where it has none). The pointers of `call` are the host's, and have been
/// checked; its memory is not looked at.
idc_status runPasses(const Manifest &manifest, const std::vector<ChunkDevice> &devices, const CpuChunks *cpu,
                     int64_t batch, const idc_host_call &call);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_PASSES_H
