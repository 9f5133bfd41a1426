#include "dialect/digits/Launch.h"

#include <sstream>

using namespace idc::digits;

std::string Launch::str() const {
  std::string text;
  auto add = [&](const std::string &word) { text += (text.empty() ? "" : " ") + word; };
  if (cluster > 1)
    add("cluster " + std::to_string(cluster));
  if (team > 1)
    add("team " + std::to_string(team));
  if (persistent)
    add("persistent");
  if (dependent)
    add("dependent");
  if (resident > 0)
    add("resident " + std::to_string(resident));
  return text.empty() ? "grid" : text;
}

bool Launch::parse(const std::string &text, Launch &out, std::string &error) {
  out = {};
  std::istringstream words(text);
  std::string word;
  int64_t *blocks = &out.cluster; // what `blocks` counts
  auto number = [&](int64_t &count) {
    if (words >> count && count >= 1)
      return true;
    error = "'" + word + "' needs a number of blocks, at least one";
    return false;
  };
  while (words >> word) {
    if (word == "grid" || word == "plain")
      continue;
    if (word == "persistent" || word == "tickets") {
      out.persistent = true;
    } else if (word == "dependent" || word == "dependent-launch") {
      out.dependent = true;
    } else if (word == "cooperative") {
      blocks = &out.team;
    } else if (word == "cluster" || word == "team" || word == "resident" || word == "blocks") {
      if (!number(word == "cluster"    ? out.cluster
                  : word == "team"     ? out.team
                  : word == "resident" ? out.resident
                                       : *blocks))
        return false;
    } else {
      error = "unknown word '" + word + "'; expected grid, cluster N, team N, persistent, dependent or resident N";
      return false;
    }
  }
  error = out.check();
  return error.empty();
}

std::string Launch::check() const {
  constexpr int64_t maxResident = 32; // of any GPU so far
  if (cluster < 1 || team < 1)
    return "a cluster or a team has at least one block";
  if (team > 1 && persistent)
    return "blocks of a team work through the problems in turn; they draw no numbers";
  if (team > 1 && cluster > 1)
    return "blocks are tied together as a cluster or as a team";
  if (resident < 0 || resident > maxResident)
    return "a multiprocessor holds 1 to " + std::to_string(maxResident) + " blocks";
  if (team > 1 && resident > 0)
    return "how many blocks of a team a multiprocessor holds follows from the team";
  return {};
}
