#include "Kernel.h"
#include "Cuda.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>

#define XXH_INLINE_ALL // no library at run time
#include <xxhash.h>

namespace gpucheck {
namespace {

const Program programs[] = {
    {"fft", Transform::Forward, false, 1},   {"fft_ct", Transform::Forward, false, 1},
    {"ifft", Transform::Inverse, true, 1},   {"hadamard", Transform::Hadamard, false, 1},
    {"fft2d", Transform::Forward, false, 2}, {"fft3d", Transform::Forward, false, 3},
};

bool isIn(const std::vector<std::string> &list, const std::string &value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

/// The exponents in "04x04"; none when the text is not of that form.
Exponents parseExponents(const std::string &text) {
  Exponents exponents;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, 'x');) {
    if (part.empty() || part.size() > 2 || part.find_first_not_of("0123456789") != std::string::npos)
      return {};
    exponents.push_back(std::stoi(part));
    if (exponents.back() == 0)
      return {};
  }
  return exponents;
}

std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void requireIdc(idc_status status, const std::string &what) {
  if (status != IDC_SUCCESS)
    throw CudaError(what + ": " + idc_error_message(status) + ": " + idc_last_error());
}

void requireOperand(const idc_operand &operand, const KernelFile &file) {
  const int64_t elementBytes = int64_t(componentsOf(file.program->transform) * bytesOf(file.real));
  if (operand.elements != int64_t(1) << file.n || operand.element_bytes != elementBytes)
    throw CudaError(file.manifest + ": '" + operand.name + "' is not one problem of 2^" + std::to_string(file.n) +
                    " elements of " + std::to_string(elementBytes) + " bytes");
}

idc_operand only(const std::vector<idc_operand> &operands, const char *kind) {
  if (operands.size() != 1)
    throw CudaError(std::string("expected one ") + kind + ", not " + std::to_string(operands.size()));
  return operands.front();
}

} // namespace

const Program *findProgram(const std::string &name) {
  for (const Program &program : programs)
    if (name == program.name)
      return &program;
  return nullptr;
}

const char *nameOf(Real real) { return real == Real::F32 ? "f32" : "f64"; }

bool Selection::picks(const std::string &program, const std::string &type, const std::string &size) const {
  return isIn(programs, program) && isIn(types, type) && isIn(sizes, size);
}

std::string KernelFile::name() const { return std::filesystem::path(image).stem().string(); }

std::vector<KernelFile> listKernels(const std::string &folder, const Selection &selection) {
  std::vector<KernelFile> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".fatbin")
      continue;
    const std::string stem = entry.path().stem().string();
    std::istringstream parts(stem);
    std::string program, type, sizes;
    std::getline(std::getline(std::getline(parts, program, '-'), type, '-'), sizes);
    KernelFile file;
    file.program = findProgram(program);
    if (!sizes.empty() && sizes[0] == 'n')
      file.exponents = parseExponents(sizes.substr(1));
    file.n = std::accumulate(file.exponents.begin(), file.exponents.end(), 0);
    if (!file.program || (type != "f32" && type != "f64") || file.n < 1 || file.n > largestExponent ||
        int(file.exponents.size()) != file.program->dimensions)
      throw std::runtime_error("unexpected file " + entry.path().string());
    if (!selection.picks(program, type, file.size()))
      continue;
    file.real = type == "f32" ? Real::F32 : Real::F64;
    file.image = entry.path().string();
    file.manifest = std::filesystem::path(entry.path()).replace_extension(".json").string();
    const std::string contents = contentsOf(file.image) + contentsOf(file.manifest);
    const XXH64_hash_t hash = XXH3_64bits(contents.data(), contents.size());
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    file.hash = text;
    files.push_back(file);
  }
  std::sort(files.begin(), files.end(),
            [](const KernelFile &a, const KernelFile &b) { return a.n != b.n ? a.n < b.n : a.name() < b.name(); });
  return files;
}

LoadedKernel::LoadedKernel(const std::string &image, const std::string &manifest) {
  requireIdc(idc_module_load_files(image.c_str(), manifest.c_str(), &module), image);
}

LoadedKernel::LoadedKernel(const KernelFile &file) : LoadedKernel(file.image, file.manifest) {
  requireOperand(input(), file);
  requireOperand(output(), file);
}

LoadedKernel::~LoadedKernel() { idc_module_unload(module); }

std::vector<idc_operand> LoadedKernel::inputs() const {
  std::vector<idc_operand> operands(size_t(idc_input_count(module)));
  for (size_t i = 0; i < operands.size(); i++)
    requireIdc(idc_input(module, int32_t(i), &operands[i]), "idc_input");
  return operands;
}

std::vector<idc_operand> LoadedKernel::outputs() const {
  std::vector<idc_operand> operands(size_t(idc_output_count(module)));
  for (size_t i = 0; i < operands.size(); i++)
    requireIdc(idc_output(module, int32_t(i), &operands[i]), "idc_output");
  return operands;
}

idc_operand LoadedKernel::input() const { return only(inputs(), "input"); }
idc_operand LoadedKernel::output() const { return only(outputs(), "output"); }

size_t LoadedKernel::workspaceBytes(size_t batch) const {
  int64_t bytes = 0;
  requireIdc(idc_workspace_size(module, int64_t(batch), &bytes), "idc_workspace_size");
  return size_t(bytes);
}

void LoadedKernel::launch(size_t batch, const std::vector<const void *> &inputs, const std::vector<void *> &outputs,
                          const Buffer &workspace, cudaStream_t stream) const {
  requireIdc(idc_launch(module, int64_t(batch), inputs.data(), nullptr, outputs.data(), workspace.data(), stream),
             "idc_launch");
}

} // namespace gpucheck
