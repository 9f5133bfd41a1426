#include "compiler/conversion/Codelet.h"

#include "compiler/conversion/LinearBody.h"
#include "compiler/conversion/ResiduePowers.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

//===--- reals --------------------------------------------------------------------------------------------------===//

Value Codelet::materialize(const Real &x) {
  if (!x.isConstant())
    return x.negative ? arith::NegFOp::create(b, loc, x.value).getResult() : x.value;
  Type real = x.type ? x.type : realType, type = wide(real);
  TypedAttr attribute = b.getFloatAttr(real, x.number);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(b, loc, attribute);
}

Real Codelet::known(Value v) const {
  FloatAttr number;
  if (!matchPattern(v, m_Constant(&number)))
    return wrap(v);
  return {{}, number.getValueAsDouble(), false, number.getType()};
}

Real Codelet::negate(Real x) const {
  if (x.isConstant())
    x.number = -x.number;
  else
    x.negative = !x.negative;
  return x;
}

/// A constant of the type of `like`: a body may mix types, and a lazy product is made when another one's turn has come.
static Real constantLike(const Real &like, double number) {
  return {{}, number, false, like.isConstant() ? like.type : getElementTypeOrSelf(like.value.getType())};
}

Real Codelet::add(const Real &x, const Real &y) {
  if (x.isConstant() && y.isConstant())
    return constantLike(x, x.number + y.number);
  if (x.is(0))
    return y;
  if (y.is(0))
    return x;
  if (x.isConstant() || y.isConstant() || x.negative == y.negative) {
    if (!x.isConstant() && !y.isConstant() && x.negative)
      return negate(add(negate(x), negate(y)));
    const Real &c = x.isConstant() ? x : y, &v = x.isConstant() ? y : x;
    if (c.isConstant()) {
      if (v.negative) // c - v
        return wrap(arith::SubFOp::create(b, loc, materialize(c), v.value));
      return wrap(arith::AddFOp::create(b, loc, v.value, materialize(c)));
    }
    return wrap(arith::AddFOp::create(b, loc, x.value, y.value));
  }
  const Real &plus = x.negative ? y : x, &minus = x.negative ? x : y;
  return wrap(arith::SubFOp::create(b, loc, plus.value, minus.value));
}

Real Codelet::mul(const Real &x, const Real &y) {
  if (x.isConstant() && y.isConstant())
    return constantLike(x, x.number * y.number);
  const Real &c = x.isConstant() ? x : y, &v = x.isConstant() ? y : x;
  if (c.is(0))
    return constantLike(c, 0);
  if (c.is(1))
    return v;
  if (c.is(-1))
    return negate(v);
  bool negative = !c.isConstant() && c.negative != v.negative;
  Value left = v.value;
  Real factor = c;
  if (c.isConstant()) {
    if (v.negative)
      factor.number = -factor.number;
  } else {
    factor.negative = false;
  }
  Real product = wrap(arith::MulFOp::create(b, loc, left, materialize(factor)));
  return negative ? negate(product) : product;
}

Real Codelet::fma(const Real &x, const Real &y, const Real &z) {
  if ((x.isConstant() && y.isConstant()) || x.is(0) || y.is(0) || x.is(1) || y.is(1) || x.is(-1) || y.is(-1))
    return add(mul(x, y), z);
  if (z.is(0))
    return mul(x, y);
  // The product's sign goes into a constant where there is one, else to a negated operand.
  Real left = x.isConstant() ? x : y, right = x.isConstant() ? y : x;
  bool negative = right.negative != (!left.isConstant() && left.negative);
  right.negative = false;
  if (left.isConstant())
    left.number = negative ? -left.number : left.number;
  else
    left.negative = negative;
  return wrap(math::FmaOp::create(b, loc, materialize(right), materialize(left), materialize(z)));
}

//===--- complex numbers ----------------------------------------------------------------------------------------===//

Complex Codelet::mul(const Complex &x, const Complex &y) {
  return {fma(x.re, y.re, negate(mul(x.im, y.im))), fma(x.re, y.im, mul(x.im, y.re))};
}

Complex Codelet::fma(const Complex &x, const Complex &y, const Complex &z) {
  return {fma(negate(x.im), y.im, fma(x.re, y.re, z.re)), fma(x.im, y.re, fma(x.re, y.im, z.im))};
}

Complex Codelet::turned(const Complex &x, int64_t quarters) const {
  Complex y = quarters & 2 ? negate(x) : x;
  return quarters & 1 ? Complex{y.im, negate(y.re)} : y;
}

bool Codelet::same(const Complex &x, const Complex &y) const {
  auto equal = [](const Real &a, const Real &c) {
    return a.value == c.value && a.negative == c.negative && (a.value || a.number == c.number);
  };
  return equal(x.re, y.re) && equal(x.im, y.im);
}

Codelet::PowerOfTwo Codelet::powerNear(const Complex &x) {
  auto real = cast<FloatType>(getElementTypeOrSelf(materialize(x.re).getType()));
  const unsigned width = real.getWidth();
  const llvm::fltSemantics &format = real.getFloatSemantics();
  const unsigned fraction = APFloat::semanticsPrecision(format) - 1;
  const int bias = APFloat::semanticsMaxExponent(format);
  const Type bits = wide(b.getIntegerType(width));
  auto exponent = [&](int exponent) -> Value {
    TypedAttr attribute =
        b.getIntegerAttr(b.getIntegerType(width), APInt(width, static_cast<uint64_t>(exponent)).shl(fraction));
    if (auto vector = dyn_cast<VectorType>(bits))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(b, loc, attribute);
  };
  auto exponentOf = [&](const Real &part) -> Value {
    Value integer = arith::BitcastOp::create(b, loc, bits, materialize(part));
    return arith::AndIOp::create(b, loc, integer, exponent(2 * bias + 1));
  };
  auto number = [&](Value value) { return wrap(arith::BitcastOp::create(b, loc, wide(real), value)); };
  auto smaller = [&](Value p, Value q) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, p, q).getResult();
  };
  Value re = exponentOf(x.re), im = exponentOf(x.im), most = exponent(2 * bias - 2);
  Value own = arith::SelectOp::create(b, loc, smaller(re, im), im, re);
  // Both powers are normal numbers: exponents from 0 to 2·bias - 2 become 2·bias - 1 to 1, and 1 to 2·bias - 1.
  own = arith::SelectOp::create(b, loc, smaller(most, own), most, own);
  return {number(arith::SubIOp::create(b, loc, exponent(2 * bias - 1), own)),
          number(arith::AddIOp::create(b, loc, own, exponent(1)))};
}

Complex Codelet::quotient(const Complex &x, const Complex &y) {
  auto divide = [&](const Real &n, const Real &norm) {
    if (n.isConstant() && norm.isConstant())
      return constantLike(n, n.number / norm.number);
    return wrap(arith::DivFOp::create(b, loc, materialize(n), materialize(norm)));
  };
  auto by = [&](const Complex &divisor) {
    Real norm = fma(divisor.re, divisor.re, mul(divisor.im, divisor.im));
    Complex z = mul(x, Complex{divisor.re, negate(divisor.im)});
    return Complex{divide(z.re, norm), divide(z.im, norm)};
  };
  if (y.re.isConstant() && y.im.isConstant())
    return by(y);
  // The squares of y's parts have twice its exponent, which may be none of the type.
  Real power = powerNear(y).there;
  Complex z = by({mul(y.re, power), mul(y.im, power)});
  return {mul(z.re, power), mul(z.im, power)};
}

Real Codelet::modulus(const Complex &x) {
  PowerOfTwo power = powerNear(x);
  Real re = mul(x.re, power.there), im = mul(x.im, power.there);
  Value norm = materialize(fma(re, re, mul(im, im)));
  Type real = getElementTypeOrSelf(norm.getType());
  Value root = inSingle(norm, real, [&](ValueRange y) { return math::SqrtOp::create(b, loc, y[0]).getResult(); });
  return mul(wrap(root), power.back);
}

Leaf Codelet::scale(const Leaf &x, const Complex &w, bool direct) {
  Leaf y = x;
  for (int quarters : {0, 1, 2, 3})
    if (Complex turn = turned({constant(1), constant(0)}, quarters); same(turn, w)) {
      y.number = turned(y.number, quarters);
      return y;
    }
  y.number = resolve(x);
  y.factor = w;
  y.direct = direct;
  return y;
}

Complex Codelet::resolve(const Leaf &x) { return x.factor ? mul(*x.factor, x.number) : x.number; }

Leaf Codelet::product(const Real &x, const Real &y) {
  auto isTrivial = [](const Real &c) { return c.is(0) || c.is(1) || c.is(-1); };
  if (isTrivial(x) || isTrivial(y) || (x.isConstant() && y.isConstant()))
    return Leaf::of(mul(x, y));
  Leaf leaf = Leaf::of(Real());
  leaf.products.emplace_back(x, y);
  return leaf;
}

Real Codelet::sumOf(const Leaf &x) {
  if (x.products.empty())
    return x.number.re;
  Real sum = mul(x.products.front().first, x.products.front().second);
  for (const auto &[y, z] : llvm::drop_begin(x.products))
    sum = fma(y, z, sum);
  return sum;
}

Leaf Codelet::resolved(const Leaf &x) {
  Leaf y = x;
  if (x.kind == Leaf::Kind::Complex)
    y.number = resolve(x);
  else if (x.kind == Leaf::Kind::Real)
    y.number.re = sumOf(x);
  y.factor.reset();
  y.products.clear();
  return y;
}

bool Codelet::isMade(const Leaf &x, size_t uses) {
  // A sum of k products takes k operations to make and one per use, or k per use.
  return x.products.size() > 1 && uses > 2;
}

// In a pair of x + y and x - y the operand whose products or factor are not made is fused into the other one, `whole`:
// x - p = 2x - (x + p), p - y = (p + y) - 2y, x + p = 2x - (x - p), p + y = (p - y) + 2y.

Leaf Codelet::combineReals(const Leaf &x, const Leaf &y, bool subtract, Pair &pair) {
  constexpr size_t maxProducts = 2; // those of a complex product; more would hold too many operands
  if (x.products.empty() && y.products.empty())
    return Leaf::of(subtract ? sub(x.number.re, y.number.re) : add(x.number.re, y.number.re));
  auto signedFactor = [&](const Real &factor, bool ofRight) { return ofRight && subtract ? negate(factor) : factor; };
  if (!x.products.empty() && !y.products.empty() && x.products.size() + y.products.size() <= maxProducts) {
    Leaf result = x;
    for (const auto &[factor, operand] : y.products)
      result.products.emplace_back(signedFactor(factor, true), operand);
    return result;
  }
  const bool right = !y.products.empty();
  const Leaf &fused = right ? y : x;
  if (!pair.start)
    pair.start = {sumOf(right ? x : y), {}};
  const Real &whole = pair.start->re;
  if (const auto &other = subtract ? pair.sum : pair.difference; other && fused.products.size() > 1)
    return Leaf::of(
        fma(constantLike(other->re, right || !subtract ? 2 : -2), whole, right ? negate(other->re) : other->re));
  Real sum = signedFactor(whole, !right);
  for (const auto &[factor, operand] : fused.products)
    sum = fma(signedFactor(factor, right), operand, sum);
  (subtract ? pair.difference : pair.sum) = {sum, {}};
  return Leaf::of(sum);
}

Leaf Codelet::combine(const Leaf &x, const Leaf &y, bool subtract, Pair &pair) {
  if (x.kind == Leaf::Kind::Real)
    return combineReals(x, y, subtract, pair);
  const bool sameFactor = x.factor && y.factor && same(*x.factor, *y.factor);
  if (sameFactor || (!x.factor && !y.factor)) {
    Leaf result = Leaf::of(add(x.number, subtract ? negate(y.number) : y.number));
    result.factor = x.factor;
    return result;
  }
  const bool right = y.factor.has_value();
  const Leaf &fused = right ? y : x;
  if (!pair.start)
    pair.start = resolve(right ? x : y);
  const Complex &whole = *pair.start;
  if (const auto &other = subtract ? pair.sum : pair.difference; other && !fused.direct) {
    Complex rest = right ? negate(*other) : *other;
    Real two = constant(right || !subtract ? 2 : -2);
    return Leaf::of(Complex{fma(two, whole.re, rest.re), fma(two, whole.im, rest.im)});
  }
  Complex factor = right && subtract ? negate(*fused.factor) : *fused.factor;
  Complex sum = fma(factor, fused.number, !right && subtract ? negate(whole) : whole);
  (subtract ? pair.difference : pair.sum) = sum;
  return Leaf::of(sum);
}

Value Codelet::inSingle(ValueRange operands, Type real, function_ref<Value(ValueRange)> compute) {
  if (!isa<Float16Type, BFloat16Type>(real))
    return compute(operands);
  SmallVector<Value> single;
  for (Value x : operands)
    single.push_back(arith::ExtFOp::create(b, loc, wide(b.getF32Type()), x));
  return arith::TruncFOp::create(b, loc, wide(real), compute(single));
}

//===--- bodies -------------------------------------------------------------------------------------------------===//

/// The modulus of an operation on a prime field; nothing for other operations.
static std::optional<uint64_t> modulusOf(Operation &op) {
  if (!isa<id::ModAddOp, id::ModSubOp, id::ModMulOp, id::ModConstantOp, id::ModEqualOp, id::ModFromOp, id::ModToOp>(op))
    return std::nullopt;
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op.getResultTypes()), SmallVector<Type>(op.getOperandTypes())))
    if (auto mod = dyn_cast<id::ModType>(type))
      return mod.getModulus();
  return std::nullopt;
}

FailureOr<SmallVector<Leaf>> Codelet::run(Region &body, ArrayRef<Leaf> arguments,
                                          const std::function<Value(int)> &digit,
                                          const std::function<Leaf(int64_t)> &parameter,
                                          const std::function<std::optional<Leaf>(Operation *, Value)> &root,
                                          const std::function<Leaf(Operation *, Value)> &table) {
  Block &block = body.front();
  if (const SharedSums *sums = sharedSums(body))
    return runSums(*sums, arguments, block.getTerminator()->getOperandTypes());
  DenseMap<Value, Leaf> leaves;
  DenseMap<std::pair<Value, Value>, Pair> pairs;
  const ResiduePowers powers = findPowers(body);
  auto define = [&](Value value, const Leaf &leaf) {
    auto uses = static_cast<size_t>(std::distance(value.use_begin(), value.use_end()));
    leaves[value] = isMade(leaf, uses) ? resolved(leaf) : leaf;
  };
  for (auto [argument, leaf] : llvm::zip(block.getArguments(), arguments))
    define(argument, leaf);
  auto real = [](const Real &r) { return Leaf::of(r); };
  auto complex = [](const Complex &c) { return Leaf::of(c); };
  for (Operation &op : block.without_terminator()) {
    if (powers.inside.contains(&op))
      continue;
    auto in = [&](unsigned i) -> const Leaf & { return leaves.find(op.getOperand(i))->second; };
    auto cplx = [&](unsigned i) { return resolve(in(i)); };
    auto re = [&](unsigned i) { return sumOf(in(i)); };
    Type type = op.getNumResults() ? op.getResult(0).getType() : Type();
    Leaf out;
    bool isReal = isa_and_nonnull<FloatType>(type);
    if (auto complexType = dyn_cast_or_null<ComplexType>(type))
      setRealType(complexType.getElementType());
    else if (isReal)
      setRealType(type);
    if (isa<complex::AddOp, complex::SubOp, arith::AddFOp, arith::SubFOp>(op))
      out = combine(in(0), in(1), isa<complex::SubOp, arith::SubFOp>(op), pairs[{op.getOperand(0), op.getOperand(1)}]);
    else if (isa<complex::MulOp>(op)) {
      const Leaf &x = in(0), &y = in(1);
      bool constant = y.number.re.isConstant() && y.number.im.isConstant() && !y.factor;
      out = constant ? scale(x, y.number) : scale(y, resolve(x));
    } else if (isa<complex::NegOp>(op)) {
      out = in(0);
      out.number = negate(out.number);
    } else if (isa<complex::ConjOp>(op)) {
      Complex z = cplx(0);
      out = complex({z.re, negate(z.im)});
    } else if (isa<complex::ReOp>(op))
      out = real(cplx(0).re);
    else if (isa<complex::ImOp>(op))
      out = real(cplx(0).im);
    else if (isa<complex::CreateOp>(op))
      out = complex({re(0), re(1)});
    else if (isa<complex::DivOp>(op))
      out = complex(quotient(cplx(0), cplx(1)));
    else if (isa<complex::AbsOp>(op))
      out = real(modulus(cplx(0)));
    else if (isa<complex::EqualOp, complex::NotEqualOp>(op)) {
      Complex x = cplx(0), y = cplx(1);
      bool equal = isa<complex::EqualOp>(op);
      auto predicate = equal ? arith::CmpFPredicate::OEQ : arith::CmpFPredicate::UNE;
      Value c = arith::CmpFOp::create(b, loc, predicate, materialize(x.re), materialize(y.re));
      Value d = arith::CmpFOp::create(b, loc, predicate, materialize(x.im), materialize(y.im));
      out.other =
          equal ? arith::AndIOp::create(b, loc, c, d).getResult() : arith::OrIOp::create(b, loc, c, d).getResult();
    } else if (auto value = dyn_cast<complex::ConstantOp>(op)) {
      out = complex({constant(cast<FloatAttr>(value.getValue()[0]).getValueAsDouble()),
                     constant(cast<FloatAttr>(value.getValue()[1]).getValueAsDouble())});
    } else if (auto value = dyn_cast<arith::ConstantOp>(op); value && isReal)
      out = real(constant(cast<FloatAttr>(value.getValue()).getValueAsDouble()));
    else if (isa<arith::MulFOp>(op))
      out = product(re(0), re(1));
    else if (isa<arith::NegFOp>(op))
      out = real(negate(re(0)));
    else if (isa<math::FmaOp>(op))
      out = real(fma(re(0), re(1), re(2)));
    else if (auto value = dyn_cast<id::DigitOp>(op))
      out.other = digit(static_cast<int>(value.getDigit()));
    else if (auto value = dyn_cast<id::ParameterOp>(op))
      out = parameter(value.getNumber());
    else if (isa<id::OmegaOp>(op)) {
      std::optional<Leaf> w = root(&op, op.getNumOperands() ? in(0).other : Value());
      if (!w)
        return op.emitError() << "this root of unity cannot be generated yet";
      out = *w;
    } else if (isa<id::LookupOp>(op)) {
      out = table(&op, in(0).other);
    } else if (std::optional<uint64_t> modulus = modulusOf(op)) {
      PrimeField field = this->field(*modulus);
      auto x = [&](unsigned i) { return in(i).residue(); };
      auto integer = [](Value value) { return Residue{value}; };
      out = Leaf::of(
          llvm::TypeSwitch<Operation *, Residue>(&op)
              .Case<id::ModAddOp>([&](auto) { return field.add(x(0), x(1)); })
              .Case<id::ModSubOp>([&](auto) { return field.sub(x(0), x(1)); })
              .Case<id::ModMulOp>([&](id::ModMulOp product) {
                auto power = powers.loops.find(&op);
                if (power == powers.loops.end())
                  return field.mul(x(0), x(1));
                auto [base, exponent] = power->second;
                if (auto constant = base.getDefiningOp<id::ModConstantOp>())
                  return field.constant(powerOf(static_cast<uint64_t>(constant.getValue()), exponent, *modulus));
                Value of = field.canonical(leaves.find(base)->second.residue());
                return integer(emitPower(b, product.getLoc(), *modulus, wide, of, exponent));
              })
              .Case<id::ModEqualOp>([&](auto) {
                return integer(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, field.canonical(x(0)),
                                                     field.canonical(x(1))));
              })
              .Case<id::ModFromOp>([&](id::ModFromOp from) { return field.from(in(0).other, from.getIsSigned()); })
              .Case<id::ModToOp>([&](auto) { return integer(field.to(x(0))); })
              .Case<id::ModConstantOp>(
                  [&](id::ModConstantOp c) { return field.constant(static_cast<uint64_t>(c.getValue())); }));
    } else if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<ComplexType>(type)) {
      Complex x = cplx(1), y = cplx(2);
      auto choose = [&](const Real &p, const Real &q) {
        return wrap(arith::SelectOp::create(b, loc, in(0).other, materialize(p), materialize(q)));
      };
      out = complex({choose(x.re, y.re), choose(x.im, y.im)});
    } else if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect())) {
      // Any other scalar op is itself, on the machine's type.
      SmallVector<Value> operands;
      for (unsigned i = 0; i < op.getNumOperands(); ++i)
        operands.push_back(in(i).kind == Leaf::Kind::Real ? materialize(re(i)) : in(i).other);
      Type result = type;
      if (auto mod = dyn_cast<id::ModType>(type)) { // a selection among residues
        result = field(mod.getModulus()).type();
        out.bound = std::max(in(1).bound, in(2).bound);
      }
      OperationState state(op.getLoc(), op.getName(), operands, {wide(result)}, op.getAttrs());
      if (auto value = dyn_cast<arith::ConstantOp>(op))
        if (auto vector = dyn_cast<VectorType>(wide(type)))
          state.attributes.set("value", DenseElementsAttr::get(vector, cast<TypedAttr>(value.getValue())));
      Value value;
      if (isReal && isa_and_nonnull<math::MathDialect>(op.getDialect()) && !isa<math::AbsFOp, math::FmaOp>(op))
        value = inSingle(operands, type, [&](ValueRange single) {
          state.operands.assign(single.begin(), single.end());
          state.types[0] = single[0].getType();
          return b.create(state)->getResult(0);
        });
      else
        value = b.create(state)->getResult(0);
      if (isReal)
        out = real(wrap(value));
      else
        out.other = value;
    } else {
      return op.emitError() << "this operation cannot be generated yet";
    }
    define(op.getResult(0), out);
  }
  SmallVector<Leaf> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(leaves.find(value)->second);
  return results;
}

const SharedSums *Codelet::sharedSums(Region &body) {
  // The search takes more than the cube of a node's elements: so many arguments times results are 64 elements.
  constexpr size_t most = 4096;
  Block &block = body.front();
  auto [known, fresh] = linearBodies.try_emplace(&body);
  if (fresh && size_t(block.getNumArguments()) * block.getTerminator()->getNumOperands() <= most)
    if (std::optional<LinearBody> linear = linearBodyOf(body))
      if (SharedSums sums = shareSums(linear->rows); sums.operations() < linear->operations)
        known->second = std::move(sums);
  return known->second ? &*known->second : nullptr;
}

SmallVector<Leaf> Codelet::runSums(const SharedSums &sums, ArrayRef<Leaf> arguments, TypeRange results) {
  if (!results.empty()) {
    auto complex = dyn_cast<ComplexType>(results[0]);
    setRealType(complex ? complex.getElementType() : results[0]);
  }
  std::vector<Leaf> values;
  for (const Leaf &leaf : arguments) {
    if (leaf.kind == Leaf::Kind::Real) {
      values.push_back(leaf);
      continue;
    }
    const Complex &z = leaf.number;
    for (bool imaginary : {false, true}) {
      if (!leaf.factor) {
        values.push_back(Leaf::of(imaginary ? z.im : z.re));
        continue;
      }
      const Complex &w = *leaf.factor;
      Pair pair;
      values.push_back(combineReals(product(w.re, imaginary ? z.im : z.re), product(w.im, imaginary ? z.re : z.im),
                                    /*subtract=*/!imaginary, pair));
    }
  }
  std::vector<size_t> uses(values.size() + sums.sums.size());
  for (const SharedSums::Sum &sum : sums.sums) {
    ++uses[sum.left];
    ++uses[sum.right];
  }
  for (size_t i = 0; i < values.size(); ++i)
    if (isMade(values[i], uses[i]))
      values[i] = resolved(values[i]);
  std::map<std::tuple<int, int, double>, Pair> pairs; // of the same operands: what a factor multiplies is another one
  auto times = [&](double factor, const Leaf &leaf) {
    if (factor == 1)
      return leaf;
    return product(constant(factor), sumOf(leaf));
  };
  for (const SharedSums::Sum &sum : sums.sums) {
    bool subtract = sum.factor == -1;
    Leaf right = times(subtract ? 1 : sum.factor, values[sum.right]);
    values.push_back(
        combineReals(values[sum.left], right, subtract, pairs[{sum.left, sum.right, std::fabs(sum.factor)}]));
  }
  SmallVector<Leaf> leaves;
  const SharedSums::Result *next = sums.results.data();
  auto result = [&] {
    auto [value, factor] = *next++;
    return value < 0 ? Leaf::of(constant(0)) : times(factor, values[value]);
  };
  for (Type type : results) {
    Leaf first = result();
    leaves.push_back(isa<ComplexType>(type) ? Leaf::of(Complex{sumOf(first), sumOf(result())}) : first);
  }
  return leaves;
}
