//===- CopyLane.cpp - copies between host and device, one way -------------===//

#include "CopyLane.h"

#include "Status.h"

#include <algorithm>
#include <cstring>

using namespace idc::runtime;

static constexpr int64_t pieceBytes = 8 << 20;

CopyLane::~CopyLane() {
  if (thread.joinable()) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isStopping = true;
    }
    changed.notify_all();
    thread.join();
  }
  ContextScope scope(driver, context);
  for (Piece &one : piece) {
    if (one.event)
      driver.eventDestroy(one.event);
    if (one.memory)
      driver.memFreeHost(one.memory);
  }
  if (stream)
    driver.streamDestroy(stream);
}

idc_status CopyLane::create() {
  if (idc_status failed = driver.check(driver.streamCreate(&stream, CU_STREAM_NON_BLOCKING), "making a stream"))
    return failed;
  thread = std::thread([this] { serve(); });
  return IDC_SUCCESS;
}

void CopyLane::serve() {
  ContextScope scope(driver, context);
  std::unique_lock<std::mutex> lock(mutex);
  if (scope.status()) {
    status = scope.status();
    message = idc_last_error();
  }
  while (true) {
    changed.wait(lock, [&] { return isStopping || !work.empty(); });
    if (work.empty())
      return;
    const std::function<idc_status(CUstream)> act = std::move(work.front());
    work.pop_front();
    const bool hasFailed = status != IDC_SUCCESS;
    lock.unlock();
    const idc_status result = hasFailed ? IDC_SUCCESS : guarded([&] { return act(stream); });
    lock.lock();
    ++called;
    if (result && !status) {
      status = result;
      message = idc_last_error();
    }
    changed.notify_all();
  }
}

int64_t CopyLane::add(std::function<idc_status(CUstream)> act) {
  int64_t number = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    work.push_back(std::move(act));
    number = ++added;
  }
  changed.notify_all();
  return number;
}

void CopyLane::copy(void *host, void *device, const Rectangle &rectangle) {
  add([=](CUstream) { return copyNow(static_cast<char *>(host), static_cast<char *>(device), rectangle); });
}

idc_status CopyLane::waitFor(int64_t number) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return called >= number; });
  return status ? fail(status, "%s", message.c_str()) : IDC_SUCCESS;
}

idc_status CopyLane::drain() {
  int64_t last = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    last = added;
  }
  return waitFor(last);
}

//===--- on the lane's thread -------------------------------------------------------------------------------------===//

idc_status CopyLane::copyNow(char *host, char *device, const Rectangle &rectangle) {
  unsigned kind = 0;
  const bool isPageLocked = driver.pointerAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                    reinterpret_cast<CUdeviceptr>(host)) == CUDA_SUCCESS;
  const CUresult result = isPageLocked ? copyDirectly(host, device, rectangle) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_ERROR_INVALID_VALUE) // or memory that begins in page-locked pages of others
    return copyStaged(host, device, rectangle);
  return driver.check(result, way == Way::In ? "copying to the device" : "copying from the device");
}

CUresult CopyLane::copyDirectly(char *host, char *device, const Rectangle &rectangle) {
  constexpr int64_t mostPitch = (int64_t(1) << 31) - 1; // that the driver takes
  const auto address = reinterpret_cast<CUdeviceptr>(device);
  if (rectangle.rows > 1 && rectangle.pitch <= mostPitch) {
    const CUmemcpy2D::Side hostSide{0, 0, CU_MEMORYTYPE_HOST, host, 0, nullptr, size_t(rectangle.pitch)};
    const CUmemcpy2D::Side deviceSide{0, 0, CU_MEMORYTYPE_DEVICE, nullptr, address, nullptr, size_t(rectangle.width)};
    const bool isIn = way == Way::In;
    const CUmemcpy2D all{isIn ? hostSide : deviceSide, isIn ? deviceSide : hostSide, size_t(rectangle.width),
                         size_t(rectangle.rows)};
    return driver.copyRectangle(&all, stream);
  }
  for (int64_t row = 0; row < rectangle.rows; ++row) {
    char *const at = host + row * rectangle.pitch;
    const CUdeviceptr place = address + uint64_t(row * rectangle.width);
    const CUresult result = way == Way::In ? driver.copyToDevice(place, at, size_t(rectangle.width), stream)
                                           : driver.copyToHost(at, place, size_t(rectangle.width), stream);
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

idc_status CopyLane::copyStaged(char *host, char *device, const Rectangle &rectangle) {
  if (idc_status failed = makePieces())
    return failed;
  const auto &[width, rows, pitch] = rectangle;
  // As many rows as a piece holds, or parts of one.
  const int64_t together = std::max<int64_t>(1, pieceBytes / width);
  for (int64_t row = 0; row < rows; row += together)
    for (int64_t from = 0; from < width; from += pieceBytes)
      if (idc_status failed = stage(host + row * pitch + from, device + row * width + from,
                                    {std::min(width - from, pieceBytes), std::min(together, rows - row), pitch}))
        return failed;
  // What was copied to the device is enqueued; what comes from it has to be in its place.
  for (size_t i = 0; i < pieces && way == Way::Out; ++i)
    if (idc_status failed = finish(piece[(next + i) % pieces]))
      return failed;
  return IDC_SUCCESS;
}

idc_status CopyLane::stage(char *host, char *device, const Rectangle &rectangle) {
  Piece &own = piece[next++ % pieces];
  if (idc_status failed = finish(own))
    return failed;
  const auto address = reinterpret_cast<CUdeviceptr>(device);
  const auto bytes = size_t(rectangle.width * rectangle.rows);
  CUresult result = CUDA_SUCCESS;
  if (way == Way::In) {
    pack(host, own.memory, rectangle);
    result = driver.copyToDevice(address, own.memory, bytes, stream);
  } else {
    result = driver.copyToHost(own.memory, address, bytes, stream);
    own.unpack = [this, host, &own, rectangle] { pack(host, own.memory, rectangle); };
  }
  if (idc_status failed = driver.check(result, "copying a piece"))
    return failed;
  own.isUsed = true;
  return driver.check(driver.eventRecord(own.event, stream), "recording an event");
}

idc_status CopyLane::finish(Piece &own) {
  if (!own.isUsed)
    return IDC_SUCCESS;
  if (idc_status failed = driver.check(driver.eventSynchronize(own.event), "copying a piece"))
    return failed;
  own.isUsed = false;
  if (own.unpack)
    own.unpack();
  own.unpack = nullptr;
  return IDC_SUCCESS;
}

idc_status CopyLane::makePieces() {
  if (pool)
    return IDC_SUCCESS;
  for (Piece &one : piece) {
    void *memory = nullptr;
    if (idc_status failed = driver.check(driver.memAllocHost(&memory, size_t(pieceBytes)), "allocating a piece"))
      return failed;
    one.memory = static_cast<char *>(memory);
    if (idc_status failed = driver.check(driver.eventCreate(&one.event, CU_EVENT_DISABLE_TIMING), "making an event"))
      return failed;
  }
  pool = std::make_unique<WorkerPool>(std::max(2u, std::thread::hardware_concurrency()) / 2 - 1);
  return IDC_SUCCESS;
}

void CopyLane::pack(char *host, char *packed, const Rectangle &rectangle) {
  constexpr int64_t shareBytes = 256 << 10; // of a thread at a time
  const int64_t width = rectangle.width, rows = rectangle.rows, pitch = rectangle.pitch;
  const bool isIn = way == Way::In;
  auto move = [&](int64_t at, int64_t place, int64_t bytes) {
    std::memcpy(isIn ? packed + place : host + at, isIn ? host + at : packed + place, size_t(bytes));
  };
  if (width >= shareBytes) {
    const int64_t shares = (width + shareBytes - 1) / shareBytes;
    pool->forEach(rows * shares, pool->threads(), [&](int64_t i, unsigned) {
      const int64_t row = i / shares, from = i % shares * shareBytes;
      move(row * pitch + from, row * width + from, std::min(shareBytes, width - from));
    });
    return;
  }
  const int64_t together = std::max<int64_t>(1, shareBytes / width);
  pool->forEach((rows + together - 1) / together, pool->threads(), [&](int64_t i, unsigned) {
    for (int64_t row = i * together; row < std::min(rows, (i + 1) * together); ++row)
      move(row * pitch, row * width, width);
  });
}
