#include "compiler/frontend/ScalarMemory.h"

#include "host/HalfFloat.h"

#include <cstring>

using namespace idc;
using frontend::Scalar;
using host::ScalarKind;

template <class T> static T load(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T, class From> static void store(char *to, From from) {
  T value = static_cast<T>(from);
  std::memcpy(to, &value, sizeof value);
}

static long double loadReal(ScalarKind kind, const char *from) {
  if (kind == ScalarKind::F16)
    return host::fromHalf(load<uint16_t>(from));
  if (kind == ScalarKind::BF16)
    return host::fromBFloat16(load<uint16_t>(from));
  return kind == ScalarKind::F32 ? load<float>(from) : load<double>(from);
}

static void storeReal(ScalarKind kind, long double value, char *to) {
  if (kind == ScalarKind::F16)
    store<uint16_t>(to, host::toHalf(static_cast<float>(value)));
  else if (kind == ScalarKind::BF16)
    store<uint16_t>(to, host::toBFloat16(static_cast<float>(value)));
  else if (kind == ScalarKind::F32)
    store<float>(to, value);
  else
    store<double>(to, value);
}

static int64_t loadInteger(ScalarKind kind, const char *from) {
  switch (kind) {
  case ScalarKind::I8:
    return load<int8_t>(from);
  case ScalarKind::U8:
    return load<uint8_t>(from);
  case ScalarKind::I16:
    return load<int16_t>(from);
  case ScalarKind::U16:
    return load<uint16_t>(from);
  case ScalarKind::I32:
    return load<int32_t>(from);
  case ScalarKind::U32:
    return load<uint32_t>(from);
  default:
    return load<int64_t>(from);
  }
}

/// The leaf of an element at `from`.
static Scalar loadLeaf(const host::Field &field, const char *from) {
  Scalar s;
  from += field.offset;
  if (host::isReal(field.kind)) {
    s.re = loadReal(field.kind, from);
    if (field.complex)
      s.im = loadReal(field.kind, from + host::size(field.kind));
  } else if (field.kind == ScalarKind::Bool) {
    s.integer = *from != 0;
  } else {
    s.integer = loadInteger(field.kind, from);
  }
  return s;
}

static void storeLeaf(const host::Field &field, const Scalar &value, char *to) {
  to += field.offset;
  if (host::isReal(field.kind)) {
    storeReal(field.kind, value.re, to);
    if (field.complex)
      storeReal(field.kind, value.im, to + host::size(field.kind));
  } else if (field.kind == ScalarKind::Bool) {
    store<char>(to, value.integer != 0);
  } else {
    std::memcpy(to, &value.integer, static_cast<size_t>(host::size(field.kind))); // the low bytes
  }
}

std::vector<Scalar> frontend::loadScalars(const char *from, const host::ElementType &type, int64_t elements) {
  std::vector<Scalar> leaves;
  leaves.reserve(static_cast<size_t>(elements) * type.fields.size());
  for (int64_t i = 0; i < elements; ++i, from += type.bytes)
    for (const host::Field &field : type.fields)
      leaves.push_back(loadLeaf(field, from));
  return leaves;
}

void frontend::storeScalars(const std::vector<Scalar> &leaves, const host::ElementType &type, char *to) {
  for (auto leaf = leaves.begin(); leaf != leaves.end(); to += type.bytes)
    for (const host::Field &field : type.fields)
      storeLeaf(field, *leaf++, to);
}
