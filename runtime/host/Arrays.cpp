//===- Arrays.cpp - operands as NumPy arrays ------------------------------===//

#include "host/Arrays.h"
#include "host/ArrayNumbers.h"
#include "host/Error.h"
#include "host/HalfFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace idc::host {

namespace {

template <typename T> T get(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Copies the numbers of elements between memory and a file's form, where bf16 is wider.
template <typename Copy>
void forEachNumber(const ElementType &type, const std::vector<npy::Field> &numbers, int64_t recordBytes,
                   int64_t elements, Copy copy) {
  const std::vector<Leaf> leaves = type.leaves();
  const int64_t records = int64_t(leaves.size() / numbers.size()); // of an element, which may be an array of them
  for (int64_t i = 0; i < elements; ++i)
    for (size_t k = 0; k < leaves.size(); ++k) {
      const npy::Field &number = numbers[k % numbers.size()];
      const int64_t record = i * records + int64_t(k / numbers.size());
      copy(leaves[k], size_t(i * type.bytes + leaves[k].offset), size_t(record * recordBytes + number.offset));
    }
}

/// Whether the numbers of records are those of an element, or of a part of it that is repeated.
bool fits(const std::vector<npy::Field> &numbers, const std::vector<Leaf> &leaves) {
  if (leaves.size() % numbers.size())
    return false;
  for (size_t k = 0; k < leaves.size(); ++k)
    if (const npy::Field &number = numbers[k % numbers.size()];
        number.type != leaves[k].type || number.name != leaves[k].name)
      return false;
  return true;
}

} // namespace

std::vector<char> fromArray(npy::Array array, const ElementType &type, int64_t elements, const std::string &what) {
  const std::vector<Leaf> leaves = type.leaves();
  std::vector<npy::Field> numbers = numbersOf(array);
  const bool records = !array.fields.empty();
  if (!records && !type.uniform())
    throw Error(what + " needs records " + type.description + ", not " + npy::longName(array.type));
  if (records && !fits(numbers, leaves))
    throw Error(what + " needs " + (type.uniform() ? npy::longName(type.dtype()) : "records " + type.description) +
                ", not " + array.description);
  if (!records && array.type != type.dtype())
    throw Error(what + " needs element type " + npy::longName(type.dtype()) + ", not " + npy::longName(array.type) +
                ": convert it, in NumPy by .astype(\"" + npy::longName(type.dtype()) + "\")");
  const int64_t needed = elements * int64_t(leaves.size() / numbers.size());
  if (array.elements() != needed)
    throw Error(what + " needs " + std::to_string(needed) + (records ? " records" : " numbers") + ", not " +
                std::to_string(array.elements()));
  std::vector<char> data;
  if (!records && type.fields[0].kind != ScalarKind::BF16) {
    data = std::move(array.data);
  } else {
    data.resize(size_t(elements * type.bytes));
    forEachNumber(type, numbers, array.elementBytes(), elements, [&](const Leaf &leaf, size_t to, size_t from) {
      if (leaf.kind == ScalarKind::BF16) {
        const uint16_t bits = toBFloat16(get<float>(&array.data[from]));
        std::memcpy(&data[to], &bits, sizeof bits);
      } else {
        std::memcpy(&data[to], &array.data[from], size_t(npy::size(leaf.type)));
      }
    });
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

npy::Array toArray(std::vector<char> data, const ElementType &type, int64_t batch, int64_t elementsPerProblem) {
  const bool records = !type.uniform();
  npy::Array array;
  if (records)
    array = npy::recordArray(type.description);
  else
    array.type = type.dtype();
  array.shape = {batch, elementsPerProblem};
  if (records)
    array.shape.insert(array.shape.end(), type.shape.begin(), type.shape.end());
  else if (type.components() > 1)
    array.shape.push_back(type.components());
  if (!records && type.fields[0].kind != ScalarKind::BF16) {
    array.data = std::move(data);
    return array;
  }
  array.data.resize(size_t(array.elements() * array.elementBytes()));
  forEachNumber(type, numbersOf(array), array.elementBytes(), batch * elementsPerProblem,
                [&](const Leaf &leaf, size_t from, size_t to) {
                  if (leaf.kind == ScalarKind::BF16) {
                    const float wide = fromBFloat16(get<uint16_t>(&data[from]));
                    std::memcpy(&array.data[to], &wide, sizeof wide);
                  } else {
                    std::memcpy(&array.data[to], &data[from], size_t(npy::size(leaf.type)));
                  }
                });
  return array;
}

double relativeError(const npy::Array &actual, const npy::Array &expected, const std::string &what) {
  const std::vector<npy::Field> ours = numbersOf(actual), theirs = numbersOf(expected);
  if (ours.size() != theirs.size())
    throw Error(what + " has records of " + std::to_string(ours.size()) + " numbers, but its reference of " +
                std::to_string(theirs.size()));
  for (size_t k = 0; k < ours.size(); ++k)
    if (isComplex(ours[k].type) != isComplex(theirs[k].type))
      throw Error(what + " is " + (isComplex(ours[k].type) ? "complex" : "real") + ", but its reference is not");
  if (actual.elements() != expected.elements())
    throw Error(what + " has " + std::to_string(actual.elements()) + " numbers, but its reference has " +
                std::to_string(expected.elements()));
  struct Sums {
    long double difference = 0, reference = 0;
    bool apart = false; // infinities
  };
  std::map<std::string, Sums> fields;
  for (size_t k = 0; k < ours.size(); ++k) {
    Sums &sums = fields[ours[k].name];
    for (int64_t i = 0; i < actual.elements(); ++i)
      for (int part = 0; part < (isComplex(ours[k].type) ? 2 : 1); ++part) {
        const long double a = host::part(actual, ours[k], i, part), e = host::part(expected, theirs[k], i, part);
        if (std::isnan(e) && std::isnan(a))
          continue; // what is not a number in both agrees
        if (std::isinf(e)) {
          sums.apart |= a != e;
          continue; // agreeing infinities count as no error
        }
        sums.difference += (a - e) * (a - e);
        sums.reference += e * e;
      }
  }
  double worst = 0;
  for (const auto &[name, sums] : fields) {
    const double error = double(sums.reference > 0 ? std::sqrt(sums.difference / sums.reference)
                                                   : std::sqrt(sums.difference + sums.reference));
    if (sums.apart || std::isnan(error))
      return std::nan("");
    worst = std::max(worst, error);
  }
  return worst;
}

} // namespace idc::host
