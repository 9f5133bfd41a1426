// A program that is compiled for the arrays that it is run on.
#pragma once

#include "idc/compiler.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace idc::interfaces {

/// A function that was compiled and loaded. Throws Failure with the compiler's message.
class Function {
public:
  explicit Function(const idc_request *request);
  Function(const Function &) = delete;
  ~Function();
  const idc_module *module() const { return loaded; }

private:
  idc_result *result = nullptr;
  idc_module *loaded = nullptr;
};

/// What is asked of the compiler (idc/compiler.h).
struct ProgramRequest {
  std::string text; // of the program
  std::string entry, target, plan;
  std::vector<std::string> settings;
  bool inPlace = false;
};

/// An argument or result: its layout as `idc compile --layout` takes it, empty for a dense one, and the bytes that its
/// pointers are multiples of; code for the CPU takes any of a number's.
struct ProgramArray {
  std::string name, layout;
  int64_t elementBytes;
  int planes = 1; // pointers
};

class Program {
public:
  /// The most pointers of arguments, or of results.
  static constexpr int most = 8;

  /// Compiles for pointers that are multiples of 16 bytes. Others' code is made when they come: a GPU's accesses are as
  /// wide as that allows. Throws Failure.
  Program(ProgramRequest request, std::vector<ProgramArray> inputs, std::vector<ProgramArray> outputs);

  /// As idc_launch(), with the pointers of all planes in order. Throws Failure.
  void run(int64_t problems, void *const *inputs, void *const *outputs, void *workspace, void *stream) const;

  int64_t workspaceBytes(int64_t problems) const;
  bool worksInPlace(int input, int output) const;

private:
  std::unique_ptr<Function> make(const std::vector<int> &misalignments) const;

  const ProgramRequest request;
  const std::vector<ProgramArray> inputs, outputs;
  const std::unique_ptr<Function> aligned;
  mutable std::map<std::vector<int>, std::unique_ptr<Function>> others; // by bytes beyond multiples of 16
  mutable std::mutex mutex;                                             // of the map
};

} // namespace idc::interfaces
