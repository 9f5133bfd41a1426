//===- ElementType.h - element types of a module's operands -----*- C++ -*-===//
//
// Understands the type names that manifests carry: bool, i32, i64, u32, u64, f16, bf16, f32, f64, complex<T>, mod<P>,
// arrays T[4] and records {a: f32, b: f32}, laid out as a C compiler would.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_HOST_ELEMENTTYPE_H
#define IDC_HOST_ELEMENTTYPE_H

#include "npy/Npy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace idc::host {

enum class ScalarKind { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64 };

/// Bytes of one scalar.
int64_t size(ScalarKind kind);

/// Whether it is a floating-point number.
bool isReal(ScalarKind kind);
bool isUnsigned(ScalarKind kind); // of integers

/// A scalar inside an element. A complex number is one field of two consecutive scalars.
struct Field {
  ScalarKind kind = ScalarKind::F32;
  bool complex = false;
  uint64_t modulus = 0;  ///< mod<P>: P; 0 for every other type
  int64_t offset = 0;    ///< bytes from the start of the element
  std::string name = {}; ///< with those of the records around it: "a.b"; an array's elements share one
};

/// A number of an element as files have it.
struct Leaf {
  std::string name; ///< of the field
  npy::DType type = npy::DType::F4;
  ScalarKind kind = ScalarKind::F32;
  int64_t offset = 0; ///< bytes from the start of the element
};

struct ElementType {
  std::vector<Field> fields;
  int64_t bytes = 0; ///< of an element, padding included

  /// The type called `name`, laid out as in C. Throws Error (Error.h) when the name is unknown.
  static ElementType parse(const std::string &name);
  /// The type of a manifest operand. Throws Error (Error.h) when the name is unknown or does not fill `bytes`.
  static ElementType parse(const std::string &name, int64_t bytes);

  /// What NumPy calls it: '<f4', or for records [('v', '<f4'), ('i', '<u4', (2,))], of elements of arrays `shape`.
  /// Records have no padding there, however they lie in memory.
  std::string description;
  std::vector<int64_t> shape;

  /// The numbers, in order. bf16 travels as f4, a complex number whose parts are not f32 or f64 as two numbers.
  std::vector<Leaf> leaves() const;

  /// True when all fields are of one kind and there is no padding: files have numbers instead of records then.
  bool uniform() const;

  /// NumPy type of one component and how many of them make an element. bf16 travels as f4, and a complex type whose
  /// parts are not f32 or f64 as two components. Requires uniform().
  npy::DType dtype() const;
  int64_t components() const;
};

} // namespace idc::host

#endif // IDC_HOST_ELEMENTTYPE_H
