#include "CommandLine.h"
#include <sstream>
#include <stdexcept>

namespace gpucheck {
namespace {

std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');)
    parts.push_back(part);
  return parts;
}

/// Adds n=.., program=.. or type=.. to the selection; false for anything else.
bool select(const std::string &text, Selection &selection) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos)
    return false;
  const std::string key = text.substr(0, equals);
  const std::vector<std::string> parts = split(text.substr(equals + 1));
  if (parts.empty())
    return false;
  if (key == "program") {
    selection.programs = parts;
  } else if (key == "type") {
    selection.types = parts;
  } else if (key == "n") {
    selection.sizes = parts;
  } else {
    return false;
  }
  return true;
}

} // namespace

CommandLine::CommandLine(int argc, char **argv, const std::set<std::string> &withValue,
                         const std::set<std::string> &flags) {
  for (int i = 1; i < argc; i++) {
    const std::string option = argv[i];
    if (option == "--only") {
      const int first = i + 1;
      while (i + 1 < argc && select(argv[i + 1], chosen))
        i++;
      if (i + 1 == first)
        throw std::runtime_error("--only needs n=.., program=.. or type=..");
    } else if (withValue.count(option)) {
      if (i + 1 == argc)
        throw std::runtime_error(option + " needs a value");
      values[option] = argv[++i];
    } else if (flags.count(option)) {
      values[option] = "";
    } else {
      throw std::runtime_error("unknown option " + option);
    }
  }
}

std::string CommandLine::value(const std::string &name, const std::string &otherwise) const {
  auto found = values.find(name);
  return found == values.end() ? otherwise : found->second;
}

} // namespace gpucheck
