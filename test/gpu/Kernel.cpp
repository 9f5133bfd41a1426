#include "Kernel.h"
#include "Cuda.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gpucheck {
namespace {

const Program programs[] = {
    {"fft", Transform::Forward, false},
    {"fft_ct", Transform::Forward, false},
    {"ifft", Transform::Inverse, true},
    {"hadamard", Transform::Hadamard, false},
};

template <class T> bool picks(const std::vector<T> &list, const T &value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

/// FNV-1a over a file's bytes, continuing from `hash`.
uint64_t hashFile(const std::string &path, uint64_t hash) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  for (std::istreambuf_iterator<char> it(file), end; it != end; ++it)
    hash = (hash ^ static_cast<unsigned char>(*it)) * 0x100000001b3ULL;
  return hash;
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

} // namespace

const Program *findProgram(const std::string &name) {
  for (const Program &program : programs)
    if (name == program.name)
      return &program;
  return nullptr;
}

const char *nameOf(Real real) { return real == Real::F32 ? "f32" : "f64"; }

std::string KernelFile::name() const {
  char text[64];
  std::snprintf(text, sizeof text, "%s-%s-n%02d", program->name, nameOf(real), n);
  return text;
}

std::vector<KernelFile> listKernels(const std::string &folder, const Selection &selection) {
  std::vector<KernelFile> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".fatbin")
      continue;
    const std::string stem = entry.path().stem().string();
    const size_t dash = stem.find('-');
    char type[4];
    int n = 0;
    KernelFile file;
    file.program = dash == std::string::npos ? nullptr : findProgram(stem.substr(0, dash));
    if (!file.program || std::sscanf(stem.c_str() + dash, "-%3[f3264]-n%d", type, &n) != 2 || n < 1 || n > 26)
      throw std::runtime_error("unexpected file " + entry.path().string());
    if (!picks(selection.programs, std::string(file.program->name)) || !picks(selection.types, std::string(type)) ||
        !picks(selection.sizes, n))
      continue;
    file.real = std::string(type) == "f32" ? Real::F32 : Real::F64;
    file.n = n;
    file.image = entry.path().string();
    file.manifest = std::filesystem::path(entry.path()).replace_extension(".json").string();
    const uint64_t hash = hashFile(file.manifest, hashFile(file.image, 0xcbf29ce484222325ULL));
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    file.hash = text;
    files.push_back(file);
  }
  std::sort(files.begin(), files.end(),
            [](const KernelFile &a, const KernelFile &b) { return a.n != b.n ? a.n < b.n : a.name() < b.name(); });
  return files;
}

LoadedKernel::LoadedKernel(const KernelFile &file) {
  requireIdc(idc_module_load_files(file.image.c_str(), file.manifest.c_str(), &module), file.image);
  try {
    if (idc_input_count(module) != 1 || idc_output_count(module) != 1)
      throw CudaError(file.manifest + ": expected one input and one output");
    idc_operand operand;
    requireIdc(idc_input(module, 0, &operand), file.manifest);
    requireOperand(operand, file);
    requireIdc(idc_output(module, 0, &operand), file.manifest);
    requireOperand(operand, file);
  } catch (...) {
    idc_module_unload(module);
    throw;
  }
}

LoadedKernel::~LoadedKernel() { idc_module_unload(module); }

size_t LoadedKernel::workspaceBytes(size_t batch) const {
  int64_t bytes = 0;
  requireIdc(idc_workspace_size(module, int64_t(batch), &bytes), "idc_workspace_size");
  return size_t(bytes);
}

void LoadedKernel::launch(size_t batch, const void *input, void *output, void *workspace, cudaStream_t stream) const {
  requireIdc(idc_launch(module, int64_t(batch), &input, nullptr, &output, workspace, stream), "idc_launch");
}

} // namespace gpucheck
