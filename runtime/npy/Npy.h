//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// Reads and writes NumPy's .npy format, versions 1 and 2: an array in C order of one of the types below, or of records
// (structured types) of them. The format is described in NumPy's documentation, "numpy.lib.format".
//
//===----------------------------------------------------------------------===//

#ifndef IDC_NPY_NPY_H
#define IDC_NPY_NPY_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace idc::npy {

/// NumPy's names: kind and bytes of an element.
enum class DType { B1, I1, I2, I4, I8, U1, U2, U4, U8, F2, F4, F8, C8, C16 };

/// Bytes of one element.
int64_t size(DType type);

/// NumPy's one-letter-and-bytes spelling, e.g. "f4", "c8".
const char *name(DType type);
/// NumPy's long names: "int32", "complex64", "bool". `name` spells an int64 like the language spells 8 bits.
std::string longName(DType type);

/// A file that cannot be read or written; the message names the file and the cause.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A number in a record.
struct Field {
  std::string name; ///< with those of the records around it: "a.b"; an array's numbers share one
  DType type = DType::F4;
  int64_t offset = 0; ///< bytes from the start of the record
};

/// An array in C order. `data` has elements() * elementBytes() bytes, little-endian.
struct Array {
  DType type = DType::F4; ///< of an element that is no record
  std::vector<int64_t> shape;
  std::vector<char> data;
  std::vector<Field> fields = {}; ///< of a record, in order, without what pads it; empty: elements are no records
  int64_t recordBytes = 0;
  std::string description = {}; ///< of a record, as NumPy writes it: [('v', '<f4'), ('i', '<u4', (2,))]

  /// Product of the shape; 1 for a scalar (the empty shape).
  int64_t elements() const;
  int64_t elementBytes() const;
};

/// An array without elements of records that NumPy describes so. Throws Error for other texts.
Array recordArray(const std::string &description);

/// Reads a regular file. Throws Error for a file that cannot be opened, is no .npy file, is truncated, has an unknown
/// version or element type, is big-endian, or is in Fortran order.
Array read(const std::string &path);

/// Writes `array` as version 1 (version 2 when the header needs it). Throws Error when the file cannot be written; what
/// had the name before is then unchanged.
/// std::invalid_argument when `data` does not fit type and shape.
void write(const std::string &path, const Array &array);

} // namespace idc::npy

#endif // IDC_NPY_NPY_H
