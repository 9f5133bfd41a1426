#include "compiler/frontend/ScalarArrays.h"

#include <cstring>

using namespace idc;
using frontend::Scalar;

/// As host::toArray() has them, but for the precision of their types.
static npy::Array toRecords(const std::vector<Scalar> &values, const host::ElementType &type) {
  npy::Array array = npy::recordArray(type.description);
  array.recordBytes = 0;
  for (npy::Field &field : array.fields) {
    const bool complex = field.type == npy::DType::C8 || field.type == npy::DType::C16;
    const bool real = field.type == npy::DType::F2 || field.type == npy::DType::F4 || field.type == npy::DType::F8;
    const bool isUnsigned = field.type == npy::DType::U4 || field.type == npy::DType::U8;
    field.type = complex ? npy::DType::C16 : real ? npy::DType::F8 : isUnsigned ? npy::DType::U8 : npy::DType::I8;
    field.offset = array.recordBytes;
    array.recordBytes += npy::size(field.type);
  }
  auto add = [&](const void *from, size_t bytes) {
    array.data.insert(array.data.end(), static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const host::Field &field = type.fields[i % type.fields.size()];
    const double parts[] = {static_cast<double>(values[i].re), static_cast<double>(values[i].im)};
    if (host::isReal(field.kind))
      add(parts, field.complex ? sizeof parts : sizeof(double));
    else
      add(&values[i].integer, sizeof values[i].integer);
  }
  array.shape = {static_cast<int64_t>(array.data.size()) / array.recordBytes};
  return array;
}

npy::Array frontend::toArray(const std::vector<Scalar> &values, const host::ElementType &type) {
  if (!type.uniform())
    return toRecords(values, type);
  const host::Field &field = type.fields[0];
  npy::Array array;
  bool real = host::isReal(field.kind), isUnsigned = host::isUnsigned(field.kind);
  bool complex = field.complex && host::size(field.kind) >= 4;
  array.shape = {static_cast<int64_t>(values.size()) * (field.complex && !complex ? 2 : 1)};
  array.type = complex ? npy::DType::C16 : real ? npy::DType::F8 : isUnsigned ? npy::DType::U8 : npy::DType::I8;
  array.data.resize(static_cast<size_t>(array.elements() * npy::size(array.type)));
  char *to = array.data.data();
  for (const Scalar &value : values) {
    double parts[] = {static_cast<double>(value.re), static_cast<double>(value.im)};
    size_t bytes = field.complex ? sizeof parts : sizeof(double);
    std::memcpy(to, real ? static_cast<const void *>(parts) : &value.integer, bytes);
    to += bytes;
  }
  return array;
}
