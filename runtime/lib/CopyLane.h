//===- CopyLane.h - copies between host and device, one way -----*- C++ -*-===//
//
// A thread with a stream of its own, which does what it is given in order. Page-locked memory the device copies itself.
// Other memory goes through page-locked pieces that the host's threads fill or empty.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_LIB_COPYLANE_H
#define IDC_RUNTIME_LIB_COPYLANE_H

#include "Driver.h"
#include "Shares.h"
#include "WorkerPool.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace idc::runtime {

class CopyLane {
public:
  enum class Way { In, Out };

  CopyLane(const Driver &driver, CUcontext context, Way way) : driver(driver), context(context), way(way) {}
  /// Waits for what it was given.
  ~CopyLane();
  CopyLane(const CopyLane &) = delete;
  CopyLane &operator=(const CopyLane &) = delete;

  /// Makes the stream, and starts the thread.
  idc_status create();

  /// Copies later, in order; rows lie apart in the host's memory and one after another in the device's. Of a copy from
  /// the device all that is added behind comes when the host has the bytes.
  void copy(void *host, void *device, const Rectangle &rectangle);
  /// Calls something on the lane's thread later, in order, with the stream on which copies are. Its number, from 1 on.
  int64_t add(std::function<idc_status(CUstream)> work);

  /// Returns when what has this number has been called; the first error that there was. After an error nothing is done
  /// any more.
  idc_status waitFor(int64_t number);
  /// The same for all that was added.
  idc_status drain();
  /// Returns when the device has done all that is on the stream.
  idc_status synchronize() const { return driver.check(driver.streamSynchronize(stream), "copying"); }

private:
  /// Page-locked memory, and what marks the end of the device's copy to or from it.
  struct Piece {
    char *memory = nullptr;
    CUevent event = nullptr;
    bool isUsed = false;
    std::function<void()> unpack = {}; // what has to be done with the bytes when they are there
  };

  void serve();
  idc_status copyNow(char *host, char *device, const Rectangle &rectangle);
  CUresult copyDirectly(char *host, char *device, const Rectangle &rectangle);
  idc_status copyStaged(char *host, char *device, const Rectangle &rectangle);
  idc_status stage(char *host, char *device, const Rectangle &rectangle);
  idc_status makePieces();
  idc_status finish(Piece &piece);
  /// Moves rows between the host's memory, where they are a pitch apart, and a piece.
  void pack(char *host, char *piece, const Rectangle &rectangle);

  const Driver &driver;
  CUcontext context;
  const Way way;
  CUstream stream = nullptr;
  static constexpr size_t pieces = 3;
  Piece piece[pieces];
  size_t next = 0;
  std::unique_ptr<WorkerPool> pool; // half of the host's threads: both ways may pack at the same time
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<idc_status(CUstream)>> work;
  int64_t added = 0, called = 0;
  bool isStopping = false;
  idc_status status = IDC_SUCCESS;
  std::string message; // of the error
  std::thread thread;
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_COPYLANE_H
