//===- RandomInput.cpp - reproducible random operands ---------------------===//

#include "host/RandomInput.h"
#include "host/HalfFloat.h"

#include <Random123/philox.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>
#include <thread>

namespace idc::host {

namespace {

/// Box-Muller on the two halves of a random word.
double normal(uint64_t random) {
  constexpr double twoPi = 6.283185307179586476925;
  double u = (double(random >> 32) + 0.5) * 0x1p-32, v = (double(random & 0xffffffffu) + 0.5) * 0x1p-32;
  return std::sqrt(-2 * std::log(u)) * std::cos(twoPi * v);
}

/// Uniform in [-1, 1].
double uniform(uint64_t random) { return double(int64_t(random) >> 11) * 0x1p-52; }

double draw(const Distribution &distribution, uint64_t random, bool imaginary) {
  double value = distribution.uniform ? uniform(random) : normal(random);
  if (distribution.magnitude)
    value = std::abs(value);
  return imaginary ? value : value + distribution.offset;
}

template <typename T> void put(char *to, T value) { std::memcpy(to, &value, sizeof value); }

void putScalar(char *to, const Field &field, uint64_t random, const Distribution &distribution, bool imaginary) {
  if (field.modulus) {
    uint64_t value = random % field.modulus;
    field.kind == ScalarKind::U32 ? put(to, uint32_t(value)) : put(to, value);
    return;
  }
  const double value = isReal(field.kind) ? draw(distribution, random, imaginary) : 0;
  switch (field.kind) {
  case ScalarKind::Bool:
    return put(to, char(random >> 63));
  case ScalarKind::I8:
    return put(to, int8_t(int(random % 201) - 100));
  case ScalarKind::U8:
    return put(to, uint8_t(random % 201));
  case ScalarKind::I16:
    return put(to, int16_t(int(random % 2001) - 1000));
  case ScalarKind::U16:
    return put(to, uint16_t(random % 2001));
  case ScalarKind::I32:
    return put(to, int32_t(random % 2001) - 1000);
  case ScalarKind::I64:
    return put(to, int64_t(random % 2001) - 1000);
  case ScalarKind::U32:
    return put(to, uint32_t(random % 2001));
  case ScalarKind::U64:
    return put(to, random % 2001);
  case ScalarKind::F16:
    return put(to, toHalf(float(value)));
  case ScalarKind::BF16:
    return put(to, toBFloat16(float(value)));
  case ScalarKind::F32:
    return put(to, float(value));
  case ScalarKind::F64:
    return put(to, value);
  }
}

} // namespace

void fillRandom(char *data, int64_t elements, const ElementType &type, uint64_t seed, uint64_t operand,
                const Distribution &distribution) {
  // Of a field's number among all there are two words: for a real and an imaginary part.
  r123::Philox2x64 philox;
  const uint64_t fields = type.fields.size();
  auto fill = [&](int64_t begin, int64_t end) {
    std::memset(data + begin * type.bytes, 0, size_t((end - begin) * type.bytes));
    for (int64_t i = begin; i < end; ++i) {
      uint64_t number = uint64_t(i) * fields;
      for (const Field &field : type.fields) {
        char *to = data + i * type.bytes + field.offset;
        const r123::Philox2x64::ctr_type words = philox({{number++, operand}}, {{seed}});
        putScalar(to, field, words[0], distribution, false);
        if (field.complex)
          putScalar(to + size(field.kind), field, words[1], distribution, true);
      }
    }
  };
  constexpr int64_t elementsPerThread = 1 << 16;
  int64_t threads =
      std::clamp<int64_t>(elements / elementsPerThread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> others;
  int64_t part = (elements + threads - 1) / threads;
  for (int64_t begin = part; begin < elements; begin += part) {
    int64_t end = std::min(begin + part, elements);
    try {
      others.emplace_back(fill, begin, end);
    } catch (const std::system_error &) { // no thread to be had
      fill(begin, end);
    }
  }
  fill(0, std::min(part, elements));
  for (std::thread &other : others)
    other.join();
}

void fillRandomProblems(char *data, int64_t problems, int64_t elements, const ElementType &type, uint64_t seed,
                        uint64_t operand, const Distribution &distribution) {
  fillRandom(data, problems * elements, type, seed, operand, distribution);
  const int64_t period = distribution.zeroPeriod;
  for (int64_t i = period - 1; period && i < problems; i += period)
    std::memset(data + i * elements * type.bytes, 0, size_t(elements * type.bytes));
}

} // namespace idc::host
