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
  int64_t bytes = 0; ///< of its elements, problem by problem without gaps: its dense form

  int64_t offset = 0;      ///< in a set
  int64_t memoryBytes = 0; ///< in a set, from `offset` on: planes and all that lies between elements included
  /// An array of it: what it has of an element, and where it begins in the operand's memory.
  struct Plane {
    int64_t start, from, bytes;
  };
  std::vector<Plane> planes;
  std::vector<int64_t> sizes, strides; ///< as in idc_layout
  int64_t layoutOffset = 0, batchStride = 0;
  bool dense = true;
  bool isOnInput = false; ///< an output that has the memory of an input

  /// The operand's memory with the elements of `data`, its dense form, in their places, and `fill` between them.
  std::vector<char> spread(const std::vector<char> &data, char fill) const;
  /// The dense form of what lies in the operand's memory.
  std::vector<char> gather(const std::vector<char> &memory) const;

private:
  template <typename Move> void forEachElement(const Move &move) const;
};

/// The operands of a module at some batch, laid out in one stretch of memory: a set.
struct Operands {
  /// Throws Error for a batch below 1 and operands that are too large. `inPlace`: each output has the memory of the
  /// first input that it may have and no output before it has, or memory of its own; an Error when all have that.
  Operands(const idc_module *module, int64_t batch, bool inPlace = false);

  /// Enqueues the module on a set; `scalars` holds the bytes of each run-time scalar.
  void launch(const idc_module *module, char *set, const std::vector<std::vector<char>> &scalars, char *workspace,
              void *stream) const;

  int64_t batch;
  std::vector<Operand> inputs, outputs;
  int64_t setBytes = 0;     ///< of a set, padding included
  int64_t operandBytes = 0; ///< of all operands

private:
  void describe(const idc_operand &described, const idc_layout &layout, std::vector<Operand> &side);
};

/// What bytes between elements are set to before a launch.
constexpr char betweenElements = '\xa5';

/// Puts random values into input number `index` of a set: `problems` different problems, which repeat.
void fillInput(Memory &memory, const Operands &operands, size_t index, char *set, int64_t problems, uint64_t seed,
               const Distribution &distribution);

} // namespace idc::host

#endif // IDC_HOST_OPERANDS_H
