#include "compiler/tools/ScheduleText.h"

#include "llvm/ADT/StringExtras.h"

using namespace idc;
using llvm::StringRef;

std::map<std::string, std::string> tools::schedulesOf(StringRef text) {
  std::map<std::string, std::string> schedules;
  std::string *current = nullptr;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (line.starts_with("schedule "))
      current = &schedules[line.str()];
    if (current)
      *current += line.str() + "\n";
    if (line == "}")
      current = nullptr;
    text = rest;
  }
  return schedules;
}

std::string tools::headerOf(StringRef schedule) {
  auto [first, rest] = schedule.split('\n');
  std::string header = first.str() + "\n";
  if (rest.starts_with("  with "))
    header += rest.split('\n').first.str() + "\n";
  return header;
}

std::string tools::withResidentBlocks(StringRef kernels, int64_t blocks) {
  std::string text;
  for (StringRef line : llvm::split(kernels.drop_back(kernels.ends_with("\n")), '\n')) {
    if (line.starts_with("  kernel ")) {
      StringRef words = line.take_until([](char c) { return c == '{'; }).rtrim();
      text += words.split(" resident ").first.str() + " resident " + std::to_string(blocks) + " {\n";
    } else {
      text += line.str() + "\n";
    }
  }
  return text;
}

std::vector<tools::LaunchText> tools::launchesOf(StringRef schedule) {
  std::vector<LaunchText> launches;
  std::string order; // of the last kernel's result
  bool joined = false;
  for (StringRef line : llvm::split(schedule, '\n')) {
    if (!line.starts_with("  ") || line.starts_with("  measured ") || line.starts_with("  with "))
      continue; // of the schedule as a whole
    if (line.starts_with("  kernel ") && !joined) {
      launches.emplace_back();
      launches.back().in = order;
    }
    if (line.starts_with("  kernel ")) {
      order.clear();
      joined = false;
    }
    LaunchText &launch = launches.back();
    launch.kernels += line.str() + "\n";
    StringRef words = line.ltrim();
    if (words.consume_front("steps ")) {
      int first = 0;
      words.consumeInteger(10, first);
      words.consume_front("..");
      words.consumeInteger(10, launch.last);
      launch.first = launch.first ? launch.first : first;
    }
    if (words.consume_front("order "))
      order = words.str();
    joined |= words.starts_with("ring ");
    launch.out = order;
  }
  return launches;
}
