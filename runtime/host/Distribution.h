//===- Distribution.h - how random numbers are drawn ------------*- C++ -*-===//

#ifndef IDC_HOST_DISTRIBUTION_H
#define IDC_HOST_DISTRIBUTION_H

#include <cstdint>
#include <string>

namespace idc::host {

/// The distribution of a random operand's real and complex numbers: programs that divide, or multiply many numbers,
/// need inputs that keep them well conditioned. Integers, bool and mod<P> are not affected, but by `zeroPeriod`.
struct Distribution {
  bool uniform = false;   ///< in [-1, 1] instead of standard normal
  bool magnitude = false; ///< absolute values, of complex numbers those of both parts
  double offset = 0;      ///< added afterwards, to the real part
  int64_t zeroPeriod = 0; ///< the last of every so many problems has zeros only; 0: none has

  /// Reads `[OFFSET+]normal` or `[OFFSET+]uniform`, either between bars (`3+|uniform|`), then optionally
  /// `,zero/PERIOD`. Throws Error (Error.h) for another text.
  static Distribution parse(const std::string &text);
};

} // namespace idc::host

#endif // IDC_HOST_DISTRIBUTION_H
