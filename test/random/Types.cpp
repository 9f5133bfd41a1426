#include "Types.h"

#include <cmath>

using namespace idc::random;
using Kind = Type::Kind;

int Type::bits() const { return kind == Kind::I32 || kind == Kind::U32 || kind == Kind::F32 ? 32 : 64; }

double Type::precision() const {
  switch (kind) {
  case Kind::F32:
  case Kind::ComplexF32:
    return std::ldexp(1, -23);
  case Kind::F64:
  case Kind::ComplexF64:
    return std::ldexp(1, -52);
  default:
    return 0;
  }
}

Type idc::random::pickType(Choices &choices, bool records) {
  static const std::vector<Kind> kinds = {Kind::I32, Kind::F32,        Kind::ComplexF32, Kind::F64, Kind::ComplexF64,
                                          Kind::I64, Kind::U32,        Kind::Mod,        Kind::U64, Kind::Bool,
                                          Kind::F32, Kind::ComplexF32, Kind::ComplexF64, Kind::Mod, Kind::ComplexF32};
  // Small and large, with few and many roots of unity; the last ones need products of more than 64 bits.
  static const std::vector<uint64_t> moduli = {
      17, 97, 257, 998244353, 4294967291, 2013265921, 4179340454199820289, 18446744069414584321u};
  if (records && choices.oneIn(8)) {
    Type record{Kind::Record, 0, {}};
    int fields = choices.between(2, 3);
    bool alike = choices.pick(2); // linear nodes can mix them
    for (int i = 0; i < fields; ++i)
      record.fields.push_back(i > 0 && alike ? record.fields[0] : pickType(choices, false));
    if (choices.oneIn(6))
      record.fields.push_back({Kind::Record, 0, {pickType(choices, false), pickType(choices, false)}});
    return record;
  }
  Type type{choices.pick(kinds), 0, {}};
  if (type.kind == Kind::Mod)
    type.modulus = choices.pick(moduli);
  return type;
}

static std::string fieldName(size_t i) { return std::string(1, static_cast<char>('a' + i)); }

std::vector<LeafOf> idc::random::leavesOf(const Type &type) {
  if (type.kind != Kind::Record)
    return {{"", type}};
  std::vector<LeafOf> leaves;
  for (size_t i = 0; i < type.fields.size(); ++i)
    for (const LeafOf &leaf : leavesOf(type.fields[i]))
      leaves.push_back({"." + fieldName(i) + leaf.suffix, leaf.type});
  return leaves;
}

std::string TypeNames::name(const Type &type) {
  static const char *const names[] = {"i32", "f32", "f64", "complex<f32>", "complex<f64>", "i64", "u32", "u64"};
  if (type.kind == Kind::Bool)
    return "bool";
  if (type.kind == Kind::Mod)
    return "mod<" + std::to_string(type.modulus) + ">";
  if (type.kind != Kind::Record)
    return names[static_cast<int>(type.kind)];
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i] == type)
      return "R" + std::to_string(i);
  std::string fields;
  for (size_t i = 0; i < type.fields.size(); ++i)
    fields += (i ? ", " : "") + fieldName(i) + ": " + name(type.fields[i]);
  records.push_back(type);
  std::string result = "R" + std::to_string(records.size() - 1);
  text += "type " + result + " = { " + fields + " };\n";
  return result;
}
