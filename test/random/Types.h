// Element types of random programs, and how exact their values are.
#pragma once

#include "Draft.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace idc::random {

struct Type {
  enum class Kind { I32, F32, F64, ComplexF32, ComplexF64, I64, U32, U64, Mod, Bool, Record };
  Kind kind = Kind::I32;
  uint64_t modulus = 0;     // Mod
  std::vector<Type> fields; // Record

  bool operator==(const Type &o) const { return kind == o.kind && modulus == o.modulus && fields == o.fields; }
  bool operator!=(const Type &o) const { return !(*this == o); }
  bool isInteger() const { return kind == Kind::I32 || kind == Kind::I64 || kind == Kind::U32 || kind == Kind::U64; }
  bool isSigned() const { return kind == Kind::I32 || kind == Kind::I64; }
  bool isReal() const { return kind == Kind::F32 || kind == Kind::F64; }
  bool isComplex() const { return kind == Kind::ComplexF32 || kind == Kind::ComplexF64; }
  bool isField() const { return isComplex() || kind == Kind::Mod; } // has roots of unity
  bool isNumber() const { return kind != Kind::Bool && kind != Kind::Record; }
  /// Has sums and multiples: a number, or a record of such.
  bool isVector() const {
    return kind == Kind::Record ? std::all_of(fields.begin(), fields.end(), [](const Type &f) { return f.isVector(); })
                                : isNumber();
  }
  /// Of a complex number.
  Type part() const { return {kind == Kind::ComplexF32 ? Kind::F32 : Kind::F64, 0, {}}; }
  int bits() const;
  /// Half a unit in the last place of 1, doubled; 0 for exact types.
  double precision() const;
};

/// A type, records included if allowed; small numbers give common types.
Type pickType(Choices &choices, bool records);

/// What is known of a leaf's values: the largest modulus, and the largest error that rounding can have caused.
struct Bound {
  double magnitude = 1, error = 0;
};

/// The leaves of a type in layout order: the suffix that selects each (".a.b", "" for a scalar) and its type.
struct LeafOf {
  std::string suffix;
  Type type;
};
std::vector<LeafOf> leavesOf(const Type &type);

/// Names for types, and the declarations of the records among them.
class TypeNames {
public:
  std::string name(const Type &type);
  const std::string &declarations() const { return text; }

private:
  std::vector<Type> records;
  std::string text;
};

} // namespace idc::random
