// Straight-line code on registers: scalar arithmetic that folds constants, signs and roots of unity.
//
// Complex values are pairs of reals. A real is a run-time value or a constant, with a sign that is carried along and
// melts into the next add, subtract or fused multiply-add. Products wait for the sum they are part of: a real number
// may be one or two products not yet made, a complex one may carry a factor not yet multiplied in. A sum a + p with
// such a p is fused multiply-adds, and a difference a - p of the same operands is 2a - (a + p): six operations for a ±
// w·b of complex numbers, however they are written. Multiplication by ±1 and ±i only swaps and negates.
// A difference made so carries the sum's rounding error, too: where w is ±1 or ±i for many threads, it is made of a
// and b.
#pragma once

#include "compiler/conversion/PrimeField.h"
#include "compiler/conversion/SharedSums.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <complex>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace idc::conversion {

struct Real {
  mlir::Value value; // null: the constant `number`
  double number = 0;
  bool negative = false; // of `value`
  mlir::Type type;       // of a constant
  bool isConstant() const { return !value; }
  bool is(double x) const { return isConstant() && number == x; }
};

struct Complex {
  Real re, im;
};

/// A leaf of an element held by one register: complex, real, or another scalar (integers, bool and residues, `other`).
struct Leaf {
  enum class Kind { Complex, Real, Other } kind = Kind::Other;
  Complex number;                // Real: .re
  std::optional<Complex> factor; // Complex only: not yet multiplied in
  bool direct = false;           // sum and difference with the factor are each made from their operands
  mlir::Value other;
  std::vector<std::pair<Real, Real>> products = {}; // Real only: not yet made, and .number nothing
  int64_t bound = 1;                                // of a residue, like its quotient
  mlir::Value quotient = {};                        // or null

  static Leaf of(const Residue &x) { return {Kind::Other, {}, {}, false, x.value, {}, x.bound, x.quotient}; }
  static Leaf of(const Real &x) { return {Kind::Real, {x, {}}, {}, false, {}}; }
  static Leaf of(const Complex &x) { return {Kind::Complex, x, {}, false, {}}; }
  Residue residue() const { return {other, bound, quotient}; }
};

class Codelet {
public:
  /// `wide` gives the type in which a scalar type is computed: itself on a GPU, a vector of it on a CPU.
  Codelet(mlir::OpBuilder &builder, mlir::Location loc, std::function<mlir::Type(mlir::Type)> wide)
      : b(builder), loc(loc), wide(std::move(wide)) {}

  /// Type of the reals that constants are made in.
  void setRealType(mlir::Type type) { realType = type; }

  Real wrap(mlir::Value v) const { return Real{v, 0, false, {}}; }
  /// The same, a constant where `v` is one: what a program pads with is known, and so is what is made of it.
  Real known(mlir::Value v) const;
  Real constant(double x) const { return Real{{}, x, false, realType}; }
  mlir::Value materialize(const Real &x);

  Real negate(Real x) const;
  Real add(const Real &x, const Real &y);
  Real sub(const Real &x, const Real &y) { return add(x, negate(y)); }
  Real mul(const Real &x, const Real &y);
  /// x·y + z
  Real fma(const Real &x, const Real &y, const Real &z);

  Complex add(const Complex &x, const Complex &y) { return {add(x.re, y.re), add(x.im, y.im)}; }
  Complex negate(const Complex &x) const { return {negate(x.re), negate(x.im)}; }
  Complex mul(const Complex &x, const Complex &y);
  /// z + x·y
  Complex fma(const Complex &x, const Complex &y, const Complex &z);

  /// x·(-i)^quarters
  Complex turned(const Complex &x, int64_t quarters) const;

  /// The leaf times w, multiplied lazily. `direct`: a difference is not made from the sum of the same two.
  Leaf scale(const Leaf &x, const Complex &w, bool direct = false);
  /// x·y, made when its sum is.
  Leaf product(const Real &x, const Real &y);
  /// A complex leaf with its factor multiplied in.
  Complex resolve(const Leaf &x);
  /// A real leaf with its products made.
  Real sumOf(const Leaf &x);
  Leaf resolved(const Leaf &x);

  /// Arithmetic of a prime field in the machine's types.
  PrimeField field(uint64_t modulus) { return PrimeField(b, loc, modulus, wide); }

  /// Runs a body of scalar ops on leaves; `digit` gives the value of id.digit, `parameter` that of id.parameter, `root`
  /// that of id.omega (with its run-time exponent, if any), `table` that of id.lookup with its index. Ops that cannot
  /// be generated are reported through emitError and fail.
  mlir::FailureOr<llvm::SmallVector<Leaf>>
  run(mlir::Region &body, llvm::ArrayRef<Leaf> arguments, const std::function<mlir::Value(int)> &digit,
      const std::function<Leaf(int64_t)> &parameter,
      const std::function<std::optional<Leaf>(mlir::Operation *, mlir::Value)> &root,
      const std::function<Leaf(mlir::Operation *, mlir::Value)> &table);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  std::function<mlir::Type(mlir::Type)> wide;
  mlir::Type realType;
  std::map<mlir::Region *, std::optional<SharedSums>> linearBodies;

  /// What is made of the sum and the difference of two operands; of real ones the real parts.
  struct Pair {
    std::optional<Complex> sum, difference, start; // start: the operand that products are added to
  };
  /// The sum or difference of two leaves, both complex or both real.
  Leaf combine(const Leaf &x, const Leaf &y, bool subtract, Pair &pair);
  Leaf combineReals(const Leaf &x, const Leaf &y, bool subtract, Pair &pair);
  /// A power of two that brings the larger part of a number near 1, and the one that takes it back.
  struct PowerOfTwo {
    Real there, back;
  };
  PowerOfTwo powerNear(const Complex &x);
  /// Of every number of the type: no square of a part overflows or vanishes on the way.
  Complex quotient(const Complex &x, const Complex &y);
  Real modulus(const Complex &x);
  /// Whether a leaf with so many uses is made for all of them together.
  static bool isMade(const Leaf &x, size_t uses);
  /// The sums that a linear body comes to, where they are fewer than its own; else null.
  const SharedSums *sharedSums(mlir::Region &body);
  llvm::SmallVector<Leaf> runSums(const SharedSums &sums, llvm::ArrayRef<Leaf> arguments, mlir::TypeRange results);
  /// compute(x) for a number of type `real`; of a 16-bit one in single precision, rounded once afterwards.
  mlir::Value inSingle(mlir::ValueRange operands, mlir::Type real,
                       llvm::function_ref<mlir::Value(mlir::ValueRange)> compute);
  bool same(const Complex &x, const Complex &y) const;
};

} // namespace idc::conversion
