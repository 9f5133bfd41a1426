//===- Operands.h - a module's operands in memory ---------------*- C++ -*-===//

#ifndef IDC_HOST_OPERANDS_H
#define IDC_HOST_OPERANDS_H

#include "host/Distribution.h"
#include "host/ElementType.h"
#include "host/Memory.h"

#include "idc/runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace idc::host {

/// An operand of a module at some batch.
struct Operand {
  std::string name;
  ElementType type;
  int64_t elementsPerProblem = 0;
  int64_t elements = 0;
  int64_t bytes = 0;
  int64_t offset = 0; ///< in a set
};

/// The operands of a module at some batch, laid out in one stretch of memory: a set.
struct Operands {
  /// Throws Error for a batch below 1 and operands that are too large. `inPlace`: each output has the memory of the
  /// first input that it may have; an Error when there is none.
  Operands(const idc_module *module, int64_t batch, bool inPlace = false);

  /// Enqueues the module on a set; `scalars` holds the bytes of each run-time scalar.
  void launch(const idc_module *module, char *set, const std::vector<std::vector<char>> &scalars, char *workspace,
              void *stream) const;

  int64_t batch;
  std::vector<Operand> inputs, outputs;
  int64_t setBytes = 0;     ///< of a set, padding included
  int64_t operandBytes = 0; ///< of all operands

private:
  void describe(const idc_operand &described, std::vector<Operand> &side);
};

/// Puts random values into input number `index` of a set: `problems` different problems, which repeat.
void fillInput(Memory &memory, const Operands &operands, size_t index, char *set, int64_t problems, uint64_t seed,
               const Distribution &distribution);

} // namespace idc::host

#endif // IDC_HOST_OPERANDS_H
