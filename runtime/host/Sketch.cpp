//===- Sketch.cpp - a small summary of a large result ---------------------===//

#include "host/Sketch.h"
#include "host/Error.h"
#include "host/HalfFloat.h"

#include <Random123/philox.h>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

namespace idc::host {

namespace {

template <typename T> T get(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double real(ScalarKind kind, const char *from) {
  if (kind == ScalarKind::F16)
    return fromHalf(get<uint16_t>(from));
  if (kind == ScalarKind::BF16)
    return fromBFloat16(get<uint16_t>(from));
  return kind == ScalarKind::F32 ? get<float>(from) : get<double>(from);
}

uint64_t bits(ScalarKind kind, const char *from) {
  if (kind == ScalarKind::Bool)
    return *from != 0;
  uint64_t value = 0;
  std::memcpy(&value, from, size_t(size(kind)));
  return value;
}

/// A random word of two.
uint64_t randomOf(uint64_t a, uint64_t b) { return r123::Philox2x64()({{a, b}}, {{0}})[0]; }

void add(Sketch &sketch, ScalarKind kind, const char *from, uint64_t position) {
  if (!isReal(kind)) {
    sketch.hash += randomOf(position, bits(kind, from));
    return;
  }
  const double value = real(kind, from);
  const uint64_t random = randomOf(position, 0);
  if (std::isfinite(value))
    sketch.sums[random % Sketch::size] += random >> 63 ? -value : value;
  else
    sketch.hash += random;
}

Sketch ofRange(const char *data, int64_t begin, int64_t end, const ElementType &type) {
  Sketch sketch;
  for (int64_t i = begin; i < end; ++i) {
    uint64_t position = uint64_t(i) * 2 * type.fields.size();
    for (const Field &field : type.fields) {
      const char *from = data + i * type.bytes + field.offset;
      add(sketch, field.kind, from, position++);
      if (field.complex)
        add(sketch, field.kind, from + host::size(field.kind), position);
      ++position;
    }
  }
  return sketch;
}

} // namespace

Sketch Sketch::of(const char *data, int64_t elements, const ElementType &type) {
  // The parts are the same on every machine, and so is the order of the sums.
  constexpr int64_t part = 1 << 20;
  std::vector<Sketch> parts(size_t((elements + part - 1) / part));
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < parts.size(); i = next++)
      parts[i] = ofRange(data, int64_t(i) * part, std::min(elements, int64_t(i + 1) * part), type);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min<size_t>(parts.size(), std::thread::hardware_concurrency()); ++i) {
    try {
      others.emplace_back(work);
    } catch (const std::system_error &) { // no thread to be had
      break;
    }
  }
  work();
  for (std::thread &other : others)
    other.join();
  Sketch sketch;
  for (const Sketch &one : parts) {
    sketch.hash += one.hash;
    for (size_t i = 0; i < size; ++i)
      sketch.sums[i] += one.sums[i];
  }
  return sketch;
}

Sketch Sketch::read(const std::string &path) {
  npy::Array array = npy::read(path);
  if (array.type != npy::DType::U8 || array.elements() != int64_t(size) + 1)
    throw Error("'" + path + "' holds no sketch");
  Sketch sketch;
  std::memcpy(&sketch.hash, array.data.data(), sizeof sketch.hash);
  std::memcpy(sketch.sums.data(), array.data.data() + sizeof sketch.hash, sizeof sketch.sums);
  return sketch;
}

void Sketch::write(const std::string &path) const {
  npy::Array array;
  array.type = npy::DType::U8;
  array.shape = {int64_t(size) + 1};
  array.data.resize(sizeof hash + sizeof sums);
  std::memcpy(array.data.data(), &hash, sizeof hash);
  std::memcpy(array.data.data() + sizeof hash, sums.data(), sizeof sums);
  npy::write(path, array);
}

double relativeError(const Sketch &actual, const Sketch &expected) {
  if (actual.hash != expected.hash)
    return std::numeric_limits<double>::infinity();
  double difference = 0, reference = 0;
  for (size_t i = 0; i < Sketch::size; ++i) {
    difference += (actual.sums[i] - expected.sums[i]) * (actual.sums[i] - expected.sums[i]);
    reference += expected.sums[i] * expected.sums[i];
  }
  return std::sqrt(reference > 0 ? difference / reference : difference);
}

} // namespace idc::host
