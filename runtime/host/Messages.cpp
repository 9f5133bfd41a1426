//===- Messages.cpp - what tools say beside their output ------------------===//

#include "host/Messages.h"

#include <cstdlib>
#include <iostream>

#include <unistd.h>

namespace idc::host {

std::string message(Severity severity, std::string_view text, bool coloured) {
  const bool isError = severity == Severity::Error;
  std::string line;
  if (coloured)
    line += isError ? "\033[0;1;31m" : "\033[0;1;36m"; // bold red, bold cyan
  line += isError ? "error: " : "note: ";
  if (coloured)
    line += "\033[0m";
  return line.append(text) + "\n";
}

bool refusesColours() {
  const char *refused = std::getenv("NO_COLOR");
  return refused && *refused;
}

void printError(std::string_view text) {
  const char *terminal = std::getenv("TERM");
  const bool shows = isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb";
  std::cerr << message(Severity::Error, text, shows && !refusesColours());
}

} // namespace idc::host
