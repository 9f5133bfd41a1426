#include "compiler/conversion/Codelet.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

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

Leaf Codelet::scale(const Leaf &x, const Complex &w) {
  Leaf y = x;
  for (int quarters : {0, 1, 2, 3})
    if (Complex turn = turned({constant(1), constant(0)}, quarters); same(turn, w)) {
      y.number = turned(y.number, quarters);
      return y;
    }
  y.number = resolve(x);
  y.factor = w;
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

Leaf Codelet::define(Value value, const Leaf &x) {
  // A sum of k products takes k operations to make and one per use, or k per use.
  constexpr int64_t manyUses = 3;
  return x.products.size() > 1 && value.hasNUsesOrMore(manyUses) ? resolved(x) : x;
}

Leaf Codelet::combineReals(Value lhs, Value rhs, const Leaf &x, const Leaf &y, bool subtract, Pairs &pairs) {
  constexpr size_t maxProducts = 2; // those of a complex product; more would hold too many operands
  auto negated = [&](Leaf leaf) {
    leaf.number.re = negate(leaf.number.re);
    for (auto &[factor, other] : leaf.products)
      factor = negate(factor);
    return leaf;
  };
  const Leaf z = subtract ? negated(y) : y;
  if (x.products.empty() && z.products.empty())
    return Leaf::of(add(x.number.re, z.number.re));
  if (!x.products.empty() && !z.products.empty() && x.products.size() + z.products.size() <= maxProducts) {
    Leaf result = x;
    llvm::append_range(result.products, z.products);
    return result;
  }
  const Leaf &fused = z.products.empty() ? x : z, &start = z.products.empty() ? z : x;
  Pair &pair = pairs[{lhs, rhs}];
  if (fused.products.size() > 1 && start.products.empty() && (subtract ? pair.hasSum : pair.hasDifference)) {
    // a - p = 2a - (a + p), p - a = (a + p) - 2a; a + p = 2a - (a - p), p + a = (p - a) + 2a
    const bool right = &fused == &z;
    const Real &whole = right ? x.number.re : y.number.re,
               &other = subtract ? pair.sum.number.re : pair.difference.number.re;
    return Leaf::of(fma(constantLike(other, right || !subtract ? 2 : -2), whole, right ? negate(other) : other));
  }
  Real sum = sumOf(start);
  for (const auto &[factor, operand] : fused.products)
    sum = fma(factor, operand, sum);
  Leaf result = Leaf::of(sum);
  (subtract ? pair.difference : pair.sum) = result;
  (subtract ? pair.hasDifference : pair.hasSum) = true;
  return result;
}

Leaf Codelet::combine(Value lhs, Value rhs, const Leaf &x, const Leaf &y, bool subtract, Pairs &pairs) {
  if (x.kind == Leaf::Kind::Real)
    return combineReals(lhs, rhs, x, y, subtract, pairs);
  Leaf result;
  result.kind = Leaf::Kind::Complex;
  if (x.factor && y.factor && same(*x.factor, *y.factor)) {
    result.number = add(x.number, subtract ? negate(y.number) : y.number);
    result.factor = x.factor;
    return result;
  }
  if (!x.factor && !y.factor) {
    result.number = add(x.number, subtract ? negate(y.number) : y.number);
    return result;
  }
  // a ± w·b, or w·a ± b: the operand without a factor (or resolved) starts the fused chain.
  Pair &pair = pairs[{lhs, rhs}];
  bool fuseRight = y.factor.has_value();
  if (subtract ? pair.hasSum : pair.hasDifference) {
    const Complex two = {constant(2), constant(0)};
    const Complex &other = subtract ? pair.sum.number : pair.difference.number;
    const Leaf &start = fuseRight ? x : y;
    if (!start.factor) {
      if (fuseRight || !subtract) // a - wb = 2a - (a + wb);  wa + b = 2b + (wa - b)
        result.number = {fma(two.re, start.number.re, fuseRight ? negate(other.re) : other.re),
                         fma(two.re, start.number.im, fuseRight ? negate(other.im) : other.im)};
      else // wa - b = (wa + b) - 2b
        result.number = {fma(negate(two.re), start.number.re, other.re),
                         fma(negate(two.re), start.number.im, other.im)};
      return result;
    }
  }
  if (fuseRight) {
    Complex start = resolve(x);
    Complex w = subtract ? negate(*y.factor) : *y.factor;
    result.number = fma(w, y.number, start);
  } else {
    Complex start = subtract ? negate(y.number) : y.number;
    result.number = fma(*x.factor, x.number, start);
  }
  (subtract ? pair.difference : pair.sum) = result;
  (subtract ? pair.hasDifference : pair.hasSum) = true;
  return result;
}

Value Codelet::inSingle(Value x, Type real, function_ref<Value(Value)> compute) {
  if (!isa<Float16Type, BFloat16Type>(real))
    return compute(x);
  Value single = arith::ExtFOp::create(b, loc, wide(b.getF32Type()), x);
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
                                          const std::function<std::optional<Leaf>(Operation *, Value)> &root) {
  Block &block = body.front();
  DenseMap<Value, Leaf> leaves;
  Pairs pairs;
  for (auto [argument, leaf] : llvm::zip(block.getArguments(), arguments))
    leaves[argument] = define(argument, leaf);
  auto real = [](const Real &r) { return Leaf::of(r); };
  auto complex = [](const Complex &c) { return Leaf::of(c); };
  for (Operation &op : block.without_terminator()) {
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
      out = combine(op.getOperand(0), op.getOperand(1), in(0), in(1), isa<complex::SubOp, arith::SubFOp>(op), pairs);
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
    else if (isa<complex::DivOp>(op)) {
      Complex x = cplx(0), y = cplx(1);
      Real norm = fma(y.re, y.re, mul(y.im, y.im));
      Complex z = mul(x, Complex{y.re, negate(y.im)});
      auto divide = [&](const Real &n) {
        if (n.isConstant() && norm.isConstant())
          return constantLike(n, n.number / norm.number);
        return wrap(arith::DivFOp::create(b, loc, materialize(n), materialize(norm)));
      };
      out = complex({divide(z.re), divide(z.im)});
    } else if (isa<complex::AbsOp>(op)) {
      Complex x = cplx(0);
      Value norm = materialize(fma(x.re, x.re, mul(x.im, x.im)));
      out = real(wrap(inSingle(norm, type, [&](Value y) { return math::SqrtOp::create(b, loc, y).getResult(); })));
    } else if (isa<complex::EqualOp, complex::NotEqualOp>(op)) {
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
    } else if (std::optional<uint64_t> modulus = modulusOf(op)) {
      PrimeField field = this->field(*modulus);
      auto x = [&](unsigned i) { return in(i).residue(); };
      auto integer = [](Value value) { return Residue{value}; };
      out = Leaf::of(
          llvm::TypeSwitch<Operation *, Residue>(&op)
              .Case<id::ModAddOp>([&](auto) { return field.add(x(0), x(1)); })
              .Case<id::ModSubOp>([&](auto) { return field.sub(x(0), x(1)); })
              .Case<id::ModMulOp>([&](auto) { return field.mul(x(0), x(1)); })
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
      if (isa<math::SqrtOp, math::RsqrtOp, math::ExpOp, math::LogOp, math::SinOp, math::CosOp>(op))
        value = inSingle(operands[0], type, [&](Value x) {
          state.operands[0] = x;
          state.types[0] = x.getType();
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
    leaves[op.getResult(0)] = define(op.getResult(0), out);
  }
  SmallVector<Leaf> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(leaves.find(value)->second);
  return results;
}
