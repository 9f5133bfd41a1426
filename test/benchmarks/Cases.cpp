#include "Cases.h"
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace gpucheck {
namespace {

Case fromKernel(const KernelFile &file) {
  Case found{file.program->name, nameOf(file.real),       file.size(), file.image,
             file.manifest,      file.program->transform, {},          file.unscale()};
  for (int exponent : file.exponents)
    found.lengths.push_back(1LL << exponent);
  return found;
}

std::optional<Transform> parseTransform(const std::string &name) {
  if (name == "fourier")
    return Transform::Forward;
  if (name == "real")
    return Transform::RealForward;
  if (name == "real_inverse")
    return Transform::RealInverse;
  if (name == "hadamard")
    return Transform::Hadamard;
  if (name.empty())
    return std::nullopt;
  throw std::runtime_error("unknown transform " + name);
}

} // namespace

std::vector<Case> listCases(const std::string &kernels, const std::string &benchmarks, const Selection &selection) {
  std::vector<Case> cases;
  if (std::filesystem::exists(kernels))
    for (const KernelFile &file : listKernels(kernels, selection))
      cases.push_back(fromKernel(file));
  const std::filesystem::path folder = benchmarks, list = folder / "cases.json";
  if (!std::filesystem::exists(list))
    return cases;
  std::ifstream text(list);
  const nlohmann::json listed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!listed.is_array())
    throw std::runtime_error(list.string() + " is not a list of cases");
  for (const nlohmann::json &entry : listed) {
    const std::string path = (folder / entry.at("name").get<std::string>()).string();
    Case found{entry.at("program"),
               entry.at("type"),
               entry.at("size"),
               path + ".fatbin",
               path + ".json",
               parseTransform(entry.at("transform")),
               {},
               1};
    if (found.transform && isOfReals(*found.transform)) {
      std::istringstream lengths(found.size);
      for (std::string length; std::getline(lengths, length, 'x');)
        found.lengths.push_back(std::stoll(length));
    }
    if (found.transform == Transform::RealInverse)
      for (long long length : found.lengths)
        found.unscale *= static_cast<double>(length);
    if (selection.picks(found.program, found.type, found.size))
      cases.push_back(found);
  }
  return cases;
}

} // namespace gpucheck
