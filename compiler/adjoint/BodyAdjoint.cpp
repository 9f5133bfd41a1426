#include "compiler/adjoint/BodyAdjoint.h"

#include "compiler/frontend/Value.h"

using namespace idc;
using namespace idc::adjoint;
using frontend::Body;
using frontend::Instr;
using frontend::Op;
using frontend::Type;
using frontend::TypeRef;

bool adjoint::isDifferentiable(const Type &leaf) { return frontend::isReal(leaf) || leaf.kind == Type::Kind::Complex; }

Instr adjoint::constant(const TypeRef &type, long double value) {
  Instr instr;
  instr.op = Op::Constant;
  instr.type = type;
  if (isDifferentiable(*type))
    instr.real = value;
  else
    instr.intValue = static_cast<int64_t>(value);
  return instr;
}

static std::vector<bool> liveValues(const Body &body) {
  const size_t params = body.params.size();
  std::vector<bool> live(params + body.instrs.size(), false);
  for (int id : body.results)
    live[static_cast<size_t>(id)] = true;
  for (size_t id = live.size(); id-- > params;)
    if (live[id])
      for (int operand : body.instrs[id - params].operands)
        live[static_cast<size_t>(operand)] = true;
  return live;
}

std::vector<bool> adjoint::usedParameters(const Body &body) {
  std::vector<bool> live = liveValues(body);
  live.resize(body.params.size());
  return live;
}

Body adjoint::withoutDeadCode(const Body &body) {
  const std::vector<bool> live = liveValues(body);
  const size_t params = body.params.size();
  std::vector<int> renamed(live.size(), -1);
  Body result;
  result.params = body.params;
  for (size_t id = 0; id < live.size(); ++id) {
    if (id >= params && !live[id])
      continue;
    renamed[id] = static_cast<int>(params + result.instrs.size());
    if (id < params) {
      renamed[id] = static_cast<int>(id);
      continue;
    }
    result.instrs.push_back(body.instrs[id - params]);
    for (int &operand : result.instrs.back().operands)
      operand = renamed[static_cast<size_t>(operand)];
  }
  for (int id : body.results)
    result.results.push_back(renamed[static_cast<size_t>(id)]);
  return result;
}

namespace {

/// Runs a body forwards, then backwards. Values of the result are numbered as they are made; a gradient that is 0 is
/// not there (none).
class Tape {
public:
  static constexpr int none = -1;

  Tape(const Body &forward, const std::vector<bool> &given) : forward(forward) {
    made.params = forward.params;
    for (size_t i = 0; i < forward.results.size(); ++i)
      if (given[i])
        made.params.push_back(typeOfForward(forward.results[i]));
    values.resize(forward.params.size() + forward.instrs.size());
    for (size_t id = 0; id < forward.params.size(); ++id)
      values[id] = static_cast<int>(id);
    for (size_t i = 0; i < forward.instrs.size(); ++i) {
      Instr instr = forward.instrs[i];
      for (int &operand : instr.operands)
        operand = values[static_cast<size_t>(operand)];
      values[forward.params.size() + i] = emit(std::move(instr));
    }
    gradients.assign(values.size(), none);
    int next = static_cast<int>(forward.params.size());
    for (size_t i = 0; i < forward.results.size(); ++i)
      if (given[i])
        accumulate(forward.results[i], next++);
  }

  BodyAdjoint run(const std::vector<bool> &wanted) {
    for (size_t i = forward.instrs.size(); i-- > 0;) {
      const int id = static_cast<int>(forward.params.size() + i);
      if (gradients[static_cast<size_t>(id)] != none)
        backwards(forward.instrs[i], id, gradients[static_cast<size_t>(id)]);
    }
    BodyAdjoint result;
    for (size_t id = 0; id < forward.params.size(); ++id)
      if (wanted[id]) {
        const int gradient = gradients[id];
        result.isZero.push_back(gradient == none);
        made.results.push_back(gradient == none ? emit(constant(forward.params[id], 0)) : gradient);
      }
    result.body = withoutDeadCode(made);
    return result;
  }

private:
  const TypeRef &typeOfForward(int id) const {
    const size_t params = forward.params.size(), number = static_cast<size_t>(id);
    return number < params ? forward.params[number] : forward.instrs[number - params].type;
  }
  const TypeRef &typeOf(int id) const {
    const size_t params = made.params.size(), number = static_cast<size_t>(id);
    return number < params ? made.params[number] : made.instrs[number - params].type;
  }
  const Instr *madeBy(int id) const {
    const size_t params = made.params.size(), number = static_cast<size_t>(id);
    return number < params ? nullptr : &made.instrs[number - params];
  }

  int emit(Instr instr) {
    instr.loc = place;
    made.instrs.push_back(std::move(instr));
    return static_cast<int>(made.params.size() + made.instrs.size()) - 1;
  }
  int emit(Op op, const TypeRef &type, std::vector<int> operands) {
    Instr instr;
    instr.op = op;
    instr.type = type;
    instr.operands = std::move(operands);
    return emit(std::move(instr));
  }
  int number(const TypeRef &type, long double value) { return emit(constant(type, value)); }
  int add(int a, int b) { return emit(Op::Add, typeOf(a), {a, b}); }
  int sub(int a, int b) { return emit(Op::Sub, typeOf(a), {a, b}); }
  int mul(int a, int b) { return emit(Op::Mul, typeOf(a), {a, b}); }
  int div(int a, int b) { return emit(Op::Div, typeOf(a), {a, b}); }
  int neg(int a) { return emit(Op::Neg, typeOf(a), {a}); }
  int call(Op op, int a) { return emit(op, typeOf(a), {a}); }
  int times(long double factor, int a) { return mul(number(typeOf(a), factor), a); }
  int compare(Op op, int a, int b) { return emit(op, frontend::boolType(), {a, b}); }
  int select(int condition, int yes, int no) { return emit(Op::Select, typeOf(yes), {condition, yes, no}); }
  int zeroLike(int a) { return number(typeOf(a), 0); }

  /// The conjugate; of a real number itself. A root of unity stays one, so that the compiler knows it.
  int conj(int a) {
    if (typeOf(a)->kind != Type::Kind::Complex)
      return a;
    if (const Instr *instr = madeBy(a)) {
      Instr other = *instr;
      if (instr->op == Op::Conj)
        return instr->operands[0];
      if (instr->op == Op::Constant) {
        other.imag = -other.imag;
        return emit(std::move(other));
      }
      if (instr->op == Op::Omega && instr->hasPoly) {
        other.poly = (digits::Polynomial() - other.poly).reduced(other.root);
        return emit(std::move(other));
      }
      if (instr->op == Op::MakeComplex)
        if (const Instr *imaginary = madeBy(instr->operands[1]);
            imaginary && imaginary->op == Op::Constant && imaginary->real == 0)
          return a;
    }
    return call(Op::Conj, a);
  }

  void accumulate(int id, int gradient) {
    if (!isDifferentiable(*typeOfForward(id)))
      return;
    int &known = gradients[static_cast<size_t>(id)];
    known = known == none ? gradient : total(gradient, known);
  }
  /// a + b; what is negated is subtracted.
  int total(int a, int b) {
    if (const Instr *instr = madeBy(b); instr && instr->op == Op::Neg)
      return sub(a, instr->operands[0]);
    if (const Instr *instr = madeBy(a); instr && instr->op == Op::Neg)
      return sub(b, instr->operands[0]);
    return add(a, b);
  }

  /// Gives the operands of `instr`, whose value is `id`, their part of its gradient `g`.
  void backwards(const Instr &instr, int id, int g) {
    place = instr.loc;
    const int y = values[static_cast<size_t>(id)];
    auto operand = [&](size_t i) { return values[static_cast<size_t>(instr.operands[i])]; };
    auto give = [&](size_t i, int gradient) { accumulate(instr.operands[i], gradient); };
    /// Whether somebody may ask for the gradient of the operand: constants have none.
    auto counts = [&](size_t i) {
      const Instr *source = madeBy(operand(i));
      return isDifferentiable(*typeOf(operand(i))) &&
             (!source || (source->op != Op::Constant && source->op != Op::Omega && source->op != Op::ScalarParam));
    };
    auto giveProduct = [&](size_t i, size_t factor) {
      if (counts(i))
        give(i, mul(g, conj(operand(factor))));
    };
    const TypeRef from = instr.operands.empty() ? nullptr : typeOf(operand(0));
    switch (instr.op) {
    case Op::Add:
      give(0, g);
      give(1, g);
      return;
    case Op::Sub:
      give(0, g);
      if (counts(1))
        give(1, neg(g));
      return;
    case Op::Mul:
      giveProduct(0, 1);
      giveProduct(1, 0);
      return;
    case Op::Fma:
      giveProduct(0, 1);
      giveProduct(1, 0);
      give(2, g);
      return;
    case Op::Div: { // y = a / b: dy = (da - y db) / b
      const int share = div(g, conj(operand(1)));
      give(0, share);
      if (counts(1))
        give(1, neg(mul(share, conj(y))));
      return;
    }
    case Op::Neg:
      return give(0, neg(g));
    case Op::Select:
      if (counts(1))
        give(1, select(operand(0), g, zeroLike(g)));
      if (counts(2))
        give(2, select(operand(0), zeroLike(g), g));
      return;
    case Op::Min:   // b if b < a, else a
    case Op::Max: { // a if b < a, else b
      const int less = compare(Op::Lt, operand(1), operand(0));
      const size_t whenLess = instr.op == Op::Min ? 1 : 0;
      if (counts(whenLess))
        give(whenLess, select(less, g, zeroLike(g)));
      if (counts(1 - whenLess))
        give(1 - whenLess, select(less, zeroLike(g), g));
      return;
    }
    case Op::Abs: {
      if (from->kind != Type::Kind::Complex) {
        const int zero = zeroLike(operand(0));
        const int positive = select(compare(Op::Gt, operand(0), zero), g, zero);
        return give(0, select(compare(Op::Lt, operand(0), zero), neg(g), positive));
      }
      const int zero = zeroLike(y), share = select(compare(Op::Eq, y, zero), zero, div(g, y));
      return give(0, emit(Op::MakeComplex, from,
                          {mul(share, emit(Op::Re, from->element, {operand(0)})),
                           mul(share, emit(Op::Im, from->element, {operand(0)}))}));
    }
    case Op::Sqrt:
      return give(0, div(times(0.5L, g), y));
    case Op::Rsqrt: // -y^3 / 2
      return give(0, times(-0.5L, mul(g, mul(y, mul(y, y)))));
    case Op::Exp:
      return give(0, mul(g, y));
    case Op::Log:
      return give(0, div(g, operand(0)));
    case Op::Sin:
      return give(0, mul(g, call(Op::Cos, operand(0))));
    case Op::Cos:
      return give(0, neg(mul(g, call(Op::Sin, operand(0)))));
    case Op::Tanh:
      return give(0, mul(g, sub(number(typeOf(y), 1), mul(y, y))));
    case Op::Erf: // 2 / sqrt(pi) · exp(-a²)
      return give(
          0, mul(times(1.128379167095512573896158903121545172L, g), call(Op::Exp, neg(mul(operand(0), operand(0))))));
    case Op::Pow: {
      const int a = operand(0), b = operand(1), zero = zeroLike(a);
      if (counts(0)) { // b · a^(b-1), which is 0 for b = 0 also at a = 0
        const int slope = mul(b, emit(Op::Pow, typeOf(a), {a, sub(b, number(typeOf(a), 1))}));
        give(0, mul(g, select(compare(Op::Eq, b, zero), zero, slope)));
      }
      if (counts(1)) // y · log(a), which is 0 at a = 0
        give(1, mul(g, select(compare(Op::Eq, a, zero), zero, mul(y, call(Op::Log, a)))));
      return;
    }
    case Op::Atan2: { // atan2(a, b): (b da - a db) / (a² + b²)
      const int a = operand(0), b = operand(1), share = div(g, add(mul(a, a), mul(b, b)));
      if (counts(0))
        give(0, mul(share, b));
      if (counts(1))
        give(1, neg(mul(share, a)));
      return;
    }
    case Op::Conj:
      return give(0, conj(g));
    case Op::Re:
      return give(0, emit(Op::MakeComplex, from, {g, zeroLike(g)}));
    case Op::Im:
      return give(0, emit(Op::MakeComplex, from, {zeroLike(g), g}));
    case Op::MakeComplex:
      if (counts(0))
        give(0, emit(Op::Re, from, {g}));
      if (counts(1))
        give(1, emit(Op::Im, from, {g}));
      return;
    case Op::Convert: {
      if (!isDifferentiable(*from))
        return;
      const bool narrows = typeOf(g)->kind == Type::Kind::Complex && from->kind != Type::Kind::Complex;
      const int part = narrows ? emit(Op::Re, typeOf(g)->element, {g}) : g;
      return give(0, frontend::equal(*typeOf(part), *from) ? part : emit(Op::Convert, from, {part}));
    }
    default: // constants, and what is constant in steps
      return;
    }
  }

  const Body &forward;
  Body made;
  std::vector<int> values;    // of the forward run
  std::vector<int> gradients; // by forward value
  llvm::SMLoc place;
};

} // namespace

BodyAdjoint adjoint::differentiate(const Body &body, const std::vector<bool> &given, const std::vector<bool> &wanted) {
  return Tape(body, given).run(wanted);
}
