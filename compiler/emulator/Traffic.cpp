#include "compiler/emulator/Traffic.h"

#include <algorithm>

using namespace idc::emulator;

void idc::emulator::countShared(SharedTraffic &traffic, const uint64_t *offsets, uint32_t active, int64_t width) {
  constexpr int64_t wordBytes = 4;
  constexpr uint64_t banks = 32;
  int lanesPerPhase = static_cast<int>(std::min<int64_t>(32, 128 / std::max(width, wordBytes)));
  ++traffic.requests;
  std::vector<uint64_t> words;
  for (int first = 0; first < 32; first += lanesPerPhase) {
    words.clear();
    for (int lane = first; lane < first + lanesPerPhase; ++lane)
      if (active >> lane & 1)
        for (uint64_t byte = 0; byte < static_cast<uint64_t>(width); byte += wordBytes)
          words.push_back((offsets[lane] + byte) / wordBytes);
    if (words.empty())
      continue;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    int64_t load[banks] = {}, worst = 0;
    for (uint64_t word : words)
      worst = std::max(worst, ++load[word % banks]);
    ++traffic.phases;
    traffic.wavefronts += worst;
    traffic.worstConflict = std::max(traffic.worstConflict, worst);
  }
}

void idc::emulator::countGlobal(GlobalTraffic &traffic, const uint64_t *offsets, uint32_t active, int64_t width,
                                int64_t bytes) {
  constexpr uint64_t sectorBytes = 32;
  ++traffic.requests;
  uint64_t starts[32];
  int count = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (active >> lane & 1)
      starts[count++] = offsets[lane];
  std::sort(starts, starts + count);
  count = static_cast<int>(std::unique(starts, starts + count) - starts);
  // Accesses are aligned to their width, hence equal or disjoint, and lie in one sector.
  uint64_t last = ~uint64_t(0);
  for (int i = 0; i < count; ++i) {
    uint64_t sector = starts[i] / sectorBytes;
    traffic.bytes += width;
    traffic.unusedBytes -= width;
    if (sector == last)
      continue;
    last = sector;
    ++traffic.sectors;
    traffic.unusedBytes +=
        static_cast<int64_t>(std::min<uint64_t>(sectorBytes, static_cast<uint64_t>(bytes) - sector * sectorBytes));
  }
}

WarpAccesses::WarpAccesses(uint32_t threads, uint32_t memoryOps)
    : threads(threads), memoryOps(memoryOps), executions(size_t(threads) * memoryOps),
      pending(size_t((threads + 31) / 32) * memoryOps) {}

bool WarpAccesses::add(uint32_t thread, uint32_t memoryOp, uint64_t address, Request &complete) {
  uint32_t warp = thread / 32, lane = thread % 32;
  uint32_t lanes = std::min<uint32_t>(32, threads - warp * 32);
  uint32_t all = lanes == 32 ? ~uint32_t(0) : (uint32_t(1) << lanes) - 1;
  uint32_t execution = executions[size_t(thread) * memoryOps + memoryOp]++;
  std::vector<Request> &open = pending[size_t(warp) * memoryOps + memoryOp];
  auto request = std::find_if(open.begin(), open.end(), [&](const Request &r) { return r.execution == execution; });
  if (request == open.end()) {
    request = open.emplace(open.end());
    request->execution = execution;
  }
  request->active |= uint32_t(1) << lane;
  request->addresses[lane] = address;
  if (request->active != all)
    return false;
  complete = *request;
  open.erase(request);
  return true;
}
