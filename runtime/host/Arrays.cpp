//===- Arrays.cpp - operands as NumPy arrays ------------------------------===//

#include "host/Arrays.h"
#include "host/Error.h"
#include "host/HalfFloat.h"

#include <cmath>
#include <cstring>

namespace idc::host {

namespace {

template <typename T> T get(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void checkUniform(const ElementType &type, const std::string &what) {
  if (!type.uniform())
    throw Error(what + " has elements of mixed types, which a .npy file cannot hold");
}

bool isBFloat16(const ElementType &type) { return type.fields[0].kind == ScalarKind::BF16; }

bool isComplex(npy::DType type) { return type == npy::DType::C8 || type == npy::DType::C16; }

/// Long double holds every 64-bit integer exactly on x86 and Arm.
long double scalar(const npy::Array &array, int64_t i) {
  const char *from = array.data.data();
  switch (array.type) {
  case npy::DType::B1:
    return from[i] != 0;
  case npy::DType::I4:
    return get<int32_t>(from + 4 * i);
  case npy::DType::I8:
    return get<int64_t>(from + 8 * i);
  case npy::DType::U4:
    return get<uint32_t>(from + 4 * i);
  case npy::DType::U8:
    return get<uint64_t>(from + 8 * i);
  case npy::DType::F2:
    return fromHalf(get<uint16_t>(from + 2 * i));
  case npy::DType::F4:
  case npy::DType::C8:
    return get<float>(from + 4 * i);
  case npy::DType::F8:
  case npy::DType::C16:
    return get<double>(from + 8 * i);
  }
  return 0;
}

} // namespace

std::vector<char> fromArray(npy::Array array, const ElementType &type, int64_t elements, const std::string &what) {
  checkUniform(type, what);
  if (array.type != type.dtype())
    throw Error(what + " needs element type " + npy::name(type.dtype()) + ", not " + npy::name(array.type));
  if (array.elements() != elements * type.components())
    throw Error(what + " needs " + std::to_string(elements * type.components()) + " numbers, not " +
                std::to_string(array.elements()));
  std::vector<char> data = std::move(array.data);
  if (isBFloat16(type)) {
    std::vector<char> narrow(data.size() / 2);
    for (size_t i = 0; i < data.size() / 4; ++i) {
      uint16_t bits = toBFloat16(get<float>(&data[4 * i]));
      std::memcpy(&narrow[2 * i], &bits, sizeof bits);
    }
    data = std::move(narrow);
  }
  for (const Field &field : type.fields)
    for (int64_t i = 0; field.modulus && i < elements; ++i) {
      const char *from = &data[size_t(i * type.bytes + field.offset)];
      uint64_t value = field.kind == ScalarKind::U32 ? get<uint32_t>(from) : get<uint64_t>(from);
      if (value >= field.modulus)
        throw Error(what + " has the value " + std::to_string(value) + ", which is not below the modulus " +
                    std::to_string(field.modulus));
    }
  return data;
}

npy::Array toArray(std::vector<char> data, const ElementType &type, int64_t batch, int64_t elementsPerProblem,
                   const std::string &what) {
  checkUniform(type, what);
  npy::Array array;
  array.type = type.dtype();
  array.shape = {batch, elementsPerProblem};
  if (type.components() > 1)
    array.shape.push_back(type.components());
  if (isBFloat16(type)) {
    array.data.resize(data.size() * 2);
    for (size_t i = 0; i < data.size() / 2; ++i) {
      float wide = fromBFloat16(get<uint16_t>(&data[2 * i]));
      std::memcpy(&array.data[4 * i], &wide, sizeof wide);
    }
  } else {
    array.data = std::move(data);
  }
  return array;
}

double relativeError(const npy::Array &actual, const npy::Array &expected, const std::string &what) {
  if (isComplex(actual.type) != isComplex(expected.type))
    throw Error(what + " is " + (isComplex(actual.type) ? "complex" : "real") + ", but its reference is not");
  if (actual.elements() != expected.elements())
    throw Error(what + " has " + std::to_string(actual.elements()) + " numbers, but its reference has " +
                std::to_string(expected.elements()));
  long double difference = 0, reference = 0;
  int64_t scalars = actual.elements() * (isComplex(actual.type) ? 2 : 1);
  for (int64_t i = 0; i < scalars; ++i) {
    long double a = scalar(actual, i), e = scalar(expected, i);
    if (std::isnan(e) && std::isnan(a))
      continue; // what is not a number in both agrees
    if (std::isinf(e)) {
      if (a != e)
        return std::nan("");
      continue; // agreeing infinities count as no error
    }
    difference += (a - e) * (a - e);
    reference += e * e;
  }
  return double(reference > 0 ? std::sqrt(difference / reference) : std::sqrt(difference + reference));
}

} // namespace idc::host
