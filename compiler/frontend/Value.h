// Values during elaboration: what an expression of a program means before and while it becomes a step's body.
#pragma once

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Elaborated.h"
#include "compiler/frontend/Int.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace idc::frontend {

/// Compile-time integers have at most so many bits: more are a mistake, and take long.
constexpr unsigned maxBits = 1 << 16;
inline bool isInRange(const Int &value) { return value.bits() <= maxBits; }

struct Untyped;
using UntypedRef = std::shared_ptr<const Untyped>;

/// Straight-line code under construction.
class BodyBuilder {
public:
  Body body;
  std::vector<int> radices;           // of the arrangement whose digits the body may use; least significant first
  std::map<UntypedRef, int> integers; // operands of integers: what several take is emitted once

  int param(TypeRef type);
  int emit(Instr instr);
  int emit(Op op, TypeRef type, std::vector<int> operands, llvm::SMLoc loc);
  TypeRef typeOf(int id) const;
  /// The instruction if it is a constant, else null.
  const Instr *constant(int id) const;
  /// The value `id` of another builder, copied with all it needs. Both are `this` for a value of this builder.
  int import(const BodyBuilder &from, int id);

private:
  std::map<std::pair<const BodyBuilder *, int>, int> imported;
};

/// An expression that has no type yet: integers and reals that take the number type they meet, and what contains a root
/// of unity, which meets a complex or mod type only.
struct Untyped {
  enum class Class { Integer, Real, Root };
  Class cls = Class::Integer;
  Op op = Op::Constant;
  llvm::SMLoc loc;
  std::vector<UntypedRef> operands;
  int depth = 1;

  Int value = 0;                              // Integer constant
  long double real = 0;                       // Real constant
  int digit = 0;                              // Digit: number in the arrangement of the body
  int64_t root = 0;                           // Omega
  const BodyBuilder *scalarBuilder = nullptr; // Select: a Bool of the body; Convert: an integer; Lookup: an I64
  int scalar = 0;

  Int low = 0, high = 0; // Integer: bounds of the value
  bool affine = false;   // Integer: value = constant + Σ coefficient · digit
  Int constant = 0;
  std::map<int, std::pair<Int, int>> terms; // digit → (coefficient, radix)
  bool inexact = false;                     // contains an integer division with a remainder
  bool complexLiteral = false;              // Root: made of complex(re, im) alone, so that a real beside it is promoted

  bool isConstant() const { return op == Op::Constant; }
};

/// A sequence as an algorithm sees it. tags[p-1] says what digit p of the program value is: the algorithm's own digit
/// number (positive), or a batch digit (negative, one number per batch digit wherever it appears).
struct SequenceView {
  int value = 0; // in Program::values
  std::vector<int> tags;
  int anchor = 1;                                 // the place where a first own digit would go, when there is none
  std::vector<std::pair<std::string, int>> split; // dimensions: name and number of digits, most significant first

  int digits() const;         // own digits
  int place(int digit) const; // of an own digit, from 1; 0 when absent
};

/// An expression of digits that has a name, with what the names in it mean: Elaborator.h.
struct NamedDigits;

struct Value {
  enum class Kind { None, Untyped, Bool, Scalar, Record, Array, Tuple, Sequence, Digits };
  Kind kind = Kind::None;
  UntypedRef untyped;
  bool flag = false;                    // Bool: known at compile time
  TypeRef type;                         // Scalar: its leaf; Record: null while its type arguments are open
  const BodyBuilder *builder = nullptr; // Scalar
  int id = 0;                           // Scalar
  const TypeDecl *record = nullptr;     // Record: a literal whose type arguments are open
  std::vector<Value> members;           // Record, Array, Tuple
  std::shared_ptr<const SequenceView> sequence;
  std::shared_ptr<const NamedDigits> digits;

  static Value integer(Int value, llvm::SMLoc loc);
  static Value boolean(bool flag);
  static Value scalar(const BodyBuilder &builder, int id);
  static Value of(UntypedRef untyped);
  static Value of(SequenceView view);
  static Value group(Kind kind, std::vector<Value> members, TypeRef type = nullptr);

  bool isConstantInteger() const {
    return kind == Kind::Untyped && untyped->cls == Untyped::Class::Integer && untyped->isConstant();
  }
};

/// Scalar types by name ("f32"); null when there is none.
TypeRef scalarType(const std::string &name);
TypeRef boolType();
TypeRef i64Type();
TypeRef complexType(TypeRef real);
TypeRef modType(uint64_t modulus);
TypeRef arrayType(TypeRef element, int64_t length);
bool isInteger(const Type &type);
bool isSigned(const Type &type);
bool isReal(const Type &type);
int bitWidth(const Type &type); // integers and reals
/// The largest finite value of a real type.
long double largestFinite(const Type &type);
/// The least and the largest value of an integer type.
void integerBounds(const Type &type, Int &low, Int &high);
/// Whether the operation takes reals only and gives one.
bool isRealOperation(Op op);

/// The type of a value as far as it has one: null for untyped values and for groups of nothing but those.
TypeRef typeOf(const Value &value);
/// What a message calls the value: "complex<f32>", "an integer", "a tuple", "a sequence".
std::string describe(const Value &value);

/// An operation on untyped integers and reals; the result is folded when all operands are constant. Null with `error`
/// set when there is no result (division by zero, overflow).
UntypedRef makeUntyped(Op op, std::vector<UntypedRef> operands, llvm::SMLoc loc, std::string &error);
/// The quotient of two untyped integers rounded down (Div), or what is left then (Rem), which is 0 or has the sign of
/// the divisor.
UntypedRef makeFloored(Op op, const UntypedRef &left, const UntypedRef &right, llvm::SMLoc loc, std::string &error);
/// base^exponent mod modulus >= 1, of an exponent made of digits.
/// base^exponent mod modulus, from 0 to modulus - 1; exponent >= 0, modulus from 1 to 2^63.
Int powerMod(Int base, Int exponent, Int modulus);
UntypedRef makePowerMod(Int base, const UntypedRef &exponent, Int modulus, llvm::SMLoc loc, std::string &error);
/// An integer scalar of a body as an exact number; null when it may not fit in 64 bits.
UntypedRef scalarInteger(const BodyBuilder &builder, int id, llvm::SMLoc loc,
                         const std::vector<ScalarParameter> &scalars);
/// The least and the greatest value of an integer or bool that calls may give.
std::pair<Int, Int> boundsOf(const ScalarParameter &scalar);
UntypedRef integerConstant(Int value, llvm::SMLoc loc);
UntypedRef realConstant(long double value, llvm::SMLoc loc);
UntypedRef digitValue(int digit, int radix, llvm::SMLoc loc);

/// An untyped integer as a polynomial in digits with coefficients mod `modulus`; none when it is none or has too many
/// terms to be of use.
std::optional<digits::Polynomial> toPolynomial(const Untyped &integer, int64_t modulus,
                                               const std::vector<int> &radices);

} // namespace idc::frontend
