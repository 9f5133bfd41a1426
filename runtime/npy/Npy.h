//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// Reads and writes NumPy's .npy format, versions 1 and 2: an array in C order of one of the types below. The format is
// described in NumPy's documentation, "numpy.lib.format".
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
enum class DType { B1, I4, I8, U4, U8, F2, F4, F8, C8, C16 };

/// Bytes of one element.
int64_t size(DType type);

/// NumPy's one-letter-and-bytes spelling, e.g. "f4", "c8".
const char *name(DType type);

/// A file that cannot be read or written; the message names the file and the cause.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An array in C order. `data` has elements() * size(type) bytes, little-endian.
struct Array {
  DType type = DType::F4;
  std::vector<int64_t> shape;
  std::vector<char> data;

  /// Product of the shape; 1 for a scalar (the empty shape).
  int64_t elements() const;
};

/// Reads a file. Throws Error for a file that cannot be opened, is no .npy file, is truncated, has an unknown version
/// or element type, is big-endian, or is in Fortran order.
Array read(const std::string &path);

/// Writes `array` as version 1 (version 2 when the header needs it). Throws Error when the file cannot be written.
/// std::invalid_argument when `data` does not fit type and shape.
void write(const std::string &path, const Array &array);

} // namespace idc::npy

#endif // IDC_NPY_NPY_H
