//===- Progress.cpp - how far a long command is ---------------------------===//

#include "host/Progress.h"

#include <cstdio>
#include <string>

#include <unistd.h>

namespace idc::host {

/// "17 s" or "4 min".
static std::string durationText(double seconds) {
  char text[32];
  if (seconds < 100)
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  else
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  return text;
}

Progress::Progress(size_t total, Clock::duration quiet)
    : shows(isatty(STDERR_FILENO)), begin(Clock::now()), next(begin + quiet), total(total) {}

Progress::~Progress() { erase(); }

void Progress::finished(std::string_view piece) {
  constexpr auto pause = std::chrono::milliseconds(100); // between two lines
  if (!shows)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  ++done;
  if (done >= total)
    return erase();
  const Clock::time_point now = Clock::now();
  if (now < next)
    return;
  next = now + pause;
  const double rate = double(done) / std::chrono::duration<double>(now - begin).count();
  erase();
  // Between the marks the terminal cuts what is longer than its line, which could not be taken away in two lines.
  std::fprintf(stderr, "\033[?7l[%zu/%zu] %.1f/s, %s left: %.*s\033[?7h", done, total, rate,
               durationText(double(total - done) / rate).c_str(), int(piece.size()), piece.data());
  std::fflush(stderr);
  stands = true;
}

void Progress::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  erase();
}

void Progress::erase() {
  if (!stands)
    return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  stands = false;
}

} // namespace idc::host
