// Programs of the standard library, compiled in this process and run on this computer's CPU or in the emulator.
#pragma once

#include "compiler/frontend/Evaluate.h"
#include "compiler/tools/Modules.h"

#include "host/ElementType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace idc::test {

enum class Device { Cpu, Emulator };
inline const Device devices[] = {Device::Cpu, Device::Emulator};
const char *name(Device device);

using Buffer = std::vector<frontend::Scalar>;

/// What idc makes of one program at one size.
class Executable {
public:
  /// Throws host::Error, with the compiler's messages.
  Executable(Device device, const std::string &file, const std::string &entry, const frontend::SizeMap &sizes,
             const frontend::TypeMap &types);

  struct Operand {
    std::string name;
    host::ElementType type;
    int64_t elements; // of a problem
    int64_t bytes() const { return elements * type.bytes; }
  };
  const std::vector<Operand> &inputs() const { return inputOperands; }
  const std::vector<Operand> &scalars() const { return scalarOperands; }
  const std::vector<Operand> &outputs() const { return outputOperands; }

  /// The bytes of the outputs of `batch` problems, from those of inputs and scalars. Throws host::Error when the launch
  /// fails, when the emulator finds a fault, and when an input is not as it was before.
  std::vector<std::vector<char>> run(const std::vector<std::vector<char>> &inputs, int64_t batch,
                                     const std::vector<std::vector<char>> &scalars = {}) const;

  /// The same for values: inputs are rounded to their types. The batch follows from the first input's length.
  std::vector<Buffer> run(const std::vector<Buffer> &inputs) const;

private:
  codegen::Compiler compiler;
  tools::Module module;
  emulator::EmulatedModule *emulated = nullptr;
  std::vector<Operand> inputOperands, scalarOperands, outputOperands;
};

} // namespace idc::test
