#include "TreeCases.h"
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace gpucheck {
namespace {

TreeCase::Checks parseChecks(const std::string &name) {
  if (name == "tridiagonal")
    return TreeCase::Tridiagonal;
  if (name == "sums")
    return TreeCase::Sums;
  throw std::runtime_error("no check is called " + name);
}

} // namespace

std::vector<TreeCase> listTreeCases(const std::string &folder, const Selection &selection) {
  std::ifstream text(folder + "/cases.json");
  const nlohmann::json listed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!listed.is_array())
    throw std::runtime_error(folder + "/cases.json is not a list of cases");
  std::vector<TreeCase> cases;
  for (const nlohmann::json &entry : listed) {
    const std::string path = folder + "/" + entry.at("name").get<std::string>();
    const SystemLayout layout = {entry.at("rows"), entry.at("stride"), entry.at("periodic"), entry.at("shared")};
    TreeCase found{parseChecks(entry.at("checks")),
                   entry.at("program"),
                   entry.at("type"),
                   entry.at("size"),
                   path + ".fatbin",
                   path + ".json",
                   entry.at("batch"),
                   layout};
    if (selection.picks(found.program, found.type, found.size))
      cases.push_back(found);
  }
  return cases;
}

} // namespace gpucheck
