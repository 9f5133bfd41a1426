//===- Meeting.h - the words by which devices meet --------------*- C++ -*-===//
//
// What the kernel of a meeting has in memory (compiler/conversion/protocols/DeviceMeeting.h), from the host's side.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_LIB_MEETING_H
#define IDC_RUNTIME_LIB_MEETING_H

#include "Manifest.h"

#include <string>

namespace idc::runtime {

/// Words of 64 bits that each of so many devices has, and which of them has the time in nanoseconds that it waits.
constexpr size_t meetingWords(size_t devices) { return devices + 3; }
constexpr size_t limitWord(size_t devices) { return devices + 2; }

/// What a launch tells the other devices: the same for the same manifest and batch, nearly always another one for
/// others.
uint32_t launchedNumber(const Manifest &manifest, int64_t batch);

/// Why devices did not meet: what a report holds that is not 0.
struct Mark {
  enum Kind { Late = 1, OtherLaunch = 2 };
  explicit Mark(uint64_t bits)
      : kind(Kind(bits & 255)), by(int32_t(bits >> 8 & 255)), whom(int32_t(bits >> 16 & 255)),
        launched(uint32_t(bits >> 32)) {}

  /// `entry`: what was launched, if that is known. `milliseconds`: how long devices wait.
  std::string text(const std::string &entry, int64_t milliseconds) const;

  Kind kind;
  int32_t by, whom; ///< who left it, and whom it had waited for
  uint32_t launched;
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_MEETING_H
