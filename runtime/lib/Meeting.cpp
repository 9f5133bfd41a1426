//===- Meeting.cpp - the words by which devices meet ----------------------===//

#include "Meeting.h"

#include "Checksum.h"

using namespace idc::runtime;

uint32_t idc::runtime::launchedNumber(const Manifest &manifest, int64_t batch) {
  const int64_t whole[] = {int64_t(manifest.checksum), batch};
  return uint32_t(checksum(nullptr, 0, whole, sizeof whole) >> 32);
}

std::string Mark::text(const std::string &entry, int64_t milliseconds) const {
  const std::string what = entry.empty() ? "what it launched" : "'" + entry + "'", who = "rank " + std::to_string(by),
                    other = "rank " + std::to_string(whom);
  if (kind == OtherLaunch)
    return who + " met " + other + " in " + what + ", but " + other + " launched another module, or with another batch";
  return who + " waited " + std::to_string(milliseconds) + " ms for " + other + " in " + what + ", and " + other +
         " did not come: it has ended, or launches less or later";
}
