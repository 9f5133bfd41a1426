//===- ProgressTest.cpp - how far a long command is, on a terminal --------===//

#include "host/Progress.h"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <pty.h>
#include <string>
#include <unistd.h>

using idc::host::Progress;
using namespace std::chrono_literals;

namespace {

/// What is written to standard error while `work` runs, standard error being a terminal or a pipe.
std::string shown(bool terminal, const std::function<void()> &work) {
  int ends[2];
  EXPECT_EQ(terminal ? openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) : pipe(ends), 0);
  const int kept = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  work();
  std::fputs("end", stderr);
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  std::string text;
  char part[256];
  while (text.find("end") == text.npos)
    text.append(part, size_t(read(ends[0], part, sizeof part)));
  for (int descriptor : {kept, ends[0], ends[1]})
    close(descriptor);
  return text;
}

void threePieces(Progress::Clock::duration quiet) {
  Progress progress(3, quiet);
  for (const char *piece : {"n = 3", "n = 4", "n = 5"}) {
    usleep(110000);
    progress.finished(piece);
  }
}

TEST(Progress, CountsOnATerminalAndLeavesNothing) {
  const std::string text = shown(true, [] { threePieces(0s); });
  EXPECT_NE(text.find("\033[?7l[1/3] "), text.npos) << text; // from here it is cut, not wrapped
  EXPECT_NE(text.find("/s, 0 s left: n = 4\033[?7h\r\033[K"), text.npos) << text;
  EXPECT_EQ(text.substr(text.size() - 7), "\r\033[Kend") << text;
}

TEST(Progress, SaysNothingOfShortWork) {
  EXPECT_EQ(shown(true, [] { threePieces(10s); }), "end");
}

TEST(Progress, SaysNothingElsewhere) {
  EXPECT_EQ(shown(false, [] { threePieces(0s); }), "end");
}

TEST(Progress, LeavesTheLineToOthers) {
  const std::string text = shown(true, [] {
    Progress progress(2, 0s);
    usleep(1000);
    progress.finished("first");
    progress.clear();
    std::fputs("result", stderr);
    std::fflush(stderr);
  });
  EXPECT_NE(text.find("left: first\033[?7h\r\033[Kresultend"), text.npos) << text;
}

} // namespace
