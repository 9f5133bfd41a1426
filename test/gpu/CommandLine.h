// Options of gpu-check and gpu-bench.
#pragma once
#include "Kernel.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace gpucheck {

/// `--name value` and `--name` options, and the selection n=3,8 program=fft type=f32 behind --only.
class CommandLine {
public:
  /// Throws std::runtime_error at an option that is in neither list or lacks its value.
  CommandLine(int argc, char **argv, const std::set<std::string> &withValue, const std::set<std::string> &flags);

  bool has(const std::string &name) const { return values.count(name) != 0; }
  std::string value(const std::string &name, const std::string &otherwise) const;
  const Selection &selection() const { return chosen; }

private:
  std::map<std::string, std::string> values;
  Selection chosen;
};

} // namespace gpucheck
