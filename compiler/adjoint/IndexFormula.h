// A short formula for a list of numbers: where the elements of a sequence come from, as an expression of its digits.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace idc::adjoint {

/// A body without parameters of one I64 that gives `numbers[index]` at the digits of each index of a sequence with
/// `radices` (least significant first; their product is the length of the list). It is, in this order, a sum of
/// multiples of digits; a few pieces, for each remainder of the index by a small number, in which it grows evenly, or
/// as a few runs do that come again with a period, numbers below 0 apart from others; or tables. None when 2^15 numbers
/// or more follow no such rule.
std::optional<frontend::Body> findFormula(const std::vector<int64_t> &numbers, const std::vector<int> &radices);

/// Emits arithmetic on 64-bit integers at the end of a body.
class IntegerCode {
public:
  explicit IntegerCode(frontend::Body &body) : body(body) {}
  int constant(int64_t value);
  int digit(int number);
  int emit(frontend::Op op, int a, int b);    // Add, Sub, Mul, Div, Rem, Max
  int less(int a, int b);                     // a bool
  int atLeast(int a, int b);                  // as !less(); of '<' a statement may have few
  int select(int condition, int yes, int no); // of I64
  int index(const std::vector<int> &radices); // of digits 1 … with these radices
  int append(const frontend::Body &other);    // its instructions; the number of its first result

private:
  int push(frontend::Instr instr);
  frontend::Body &body;
};

} // namespace idc::adjoint
