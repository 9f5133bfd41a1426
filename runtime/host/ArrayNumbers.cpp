//===- ArrayNumbers.cpp - the numbers of a NumPy array --------------------===//

#include "host/ArrayNumbers.h"
#include "host/HalfFloat.h"

#include <cstring>

namespace idc::host {

template <typename T> static T get(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool isComplex(npy::DType type) { return type == npy::DType::C8 || type == npy::DType::C16; }

bool isReal(npy::DType type) { return type == npy::DType::F2 || type == npy::DType::F4 || type == npy::DType::F8; }

std::vector<npy::Field> numbersOf(const npy::Array &array) {
  return array.fields.empty() ? std::vector<npy::Field>{{"", array.type, 0}} : array.fields;
}

long double part(const npy::Array &array, const npy::Field &field, int64_t element, int part) {
  const char *from = &array.data[size_t(element * array.elementBytes() + field.offset)];
  switch (field.type) {
  case npy::DType::B1:
    return *from != 0;
  case npy::DType::I1:
    return get<int8_t>(from);
  case npy::DType::I2:
    return get<int16_t>(from);
  case npy::DType::U1:
    return get<uint8_t>(from);
  case npy::DType::U2:
    return get<uint16_t>(from);
  case npy::DType::I4:
    return get<int32_t>(from);
  case npy::DType::I8:
    return get<int64_t>(from);
  case npy::DType::U4:
    return get<uint32_t>(from);
  case npy::DType::U8:
    return get<uint64_t>(from);
  case npy::DType::F2:
    return fromHalf(get<uint16_t>(from));
  case npy::DType::F4:
  case npy::DType::C8:
    return get<float>(from + 4 * part);
  case npy::DType::F8:
  case npy::DType::C16:
    return get<double>(from + 8 * part);
  }
  return 0;
}

} // namespace idc::host
