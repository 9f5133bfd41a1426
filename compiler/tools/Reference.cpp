#include "compiler/tools/Reference.h"

#include "compiler/frontend/Evaluate.h"

#include <cstring>

using namespace idc;
using frontend::Scalar;
using Kind = frontend::Type::Kind;

template <class T> static T take(const char *&from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

/// The next leaf of an element's bytes.
static Scalar readLeaf(const frontend::Type &type, const char *&from) {
  Scalar s;
  switch (type.kind) {
  case Kind::F32:
    s.re = take<float>(from);
    break;
  case Kind::F64:
    s.re = take<double>(from);
    break;
  case Kind::Complex:
    s.re = readLeaf(*type.element, from).re;
    s.im = readLeaf(*type.element, from).re;
    break;
  case Kind::Bool:
    s.integer = take<char>(from) != 0;
    break;
  case Kind::I32:
    s.integer = take<int32_t>(from);
    break;
  case Kind::U32:
    s.integer = take<uint32_t>(from);
    break;
  case Kind::Mod:
    s.integer = type.modulus <= (uint64_t(1) << 32) ? static_cast<int64_t>(take<uint32_t>(from)) : take<int64_t>(from);
    break;
  case Kind::I64:
  case Kind::U64:
    s.integer = take<int64_t>(from);
    break;
  default:
    throw host::Error("elements of type " + frontend::spell(type) + " cannot be verified");
  }
  return s;
}

static npy::Array toArray(const std::vector<Scalar> &values, const frontend::Type &type) {
  npy::Array array;
  array.shape = {static_cast<int64_t>(values.size())};
  bool complex = type.kind == Kind::Complex, real = complex || type.kind == Kind::F32 || type.kind == Kind::F64;
  array.type = complex ? npy::DType::C16 : real ? npy::DType::F8 : npy::DType::I8;
  auto put = [&](auto value) {
    const char *bytes = reinterpret_cast<const char *>(&value);
    array.data.insert(array.data.end(), bytes, bytes + sizeof value);
  };
  for (const Scalar &value : values) {
    if (!real) {
      put(value.integer);
      continue;
    }
    put(static_cast<double>(value.re));
    if (complex)
      put(static_cast<double>(value.im));
  }
  return array;
}

host::Reference tools::makeReference(const frontend::Program &program) {
  return [&program](const std::vector<std::vector<char>> &inputs) {
    std::vector<std::vector<Scalar>> values, results;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::vector<frontend::TypeRef> leaves = frontend::leaves(program.values[program.inputs[i].value].element);
      std::vector<Scalar> scalars;
      for (const char *from = inputs[i].data(), *end = from + inputs[i].size(); from < end;)
        for (const frontend::TypeRef &leaf : leaves)
          scalars.push_back(readLeaf(*leaf, from));
      values.push_back(std::move(scalars));
    }
    std::string error;
    if (!frontend::evaluate(program, values, {}, results, error))
      throw host::Error("the reference evaluation failed: " + error);
    std::vector<npy::Array> arrays;
    for (size_t i = 0; i < results.size(); ++i)
      arrays.push_back(toArray(results[i], *program.values[program.outputs[i]].element));
    return arrays;
  };
}
