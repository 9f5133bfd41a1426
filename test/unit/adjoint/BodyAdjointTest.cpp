#include "compiler/adjoint/BodyAdjoint.h"

#include "compiler/frontend/Value.h"

#include <gtest/gtest.h>

using namespace idc;
using frontend::Body;
using frontend::Op;
using frontend::TypeRef;

namespace {

Body bodyOf(Op op, const TypeRef &type, int params) {
  Body body;
  frontend::Instr instr;
  instr.op = op;
  instr.type = type;
  for (int i = 0; i < params; ++i) {
    body.params.push_back(type);
    instr.operands.push_back(i);
  }
  body.instrs.push_back(instr);
  body.results = {params};
  return body;
}

const TypeRef real = frontend::scalarType("f64"), number = frontend::complexType(real);

TEST(BodyAdjoint, SumsNeedNoValue) {
  for (Op op : {Op::Add, Op::Sub}) {
    const adjoint::BodyAdjoint made = adjoint::differentiate(bodyOf(op, real, 2), {true}, {true, true});
    EXPECT_EQ(adjoint::usedParameters(made.body), (std::vector<bool>{false, false, true}));
    EXPECT_EQ(made.isZero, (std::vector<bool>{false, false}));
  }
}

TEST(BodyAdjoint, ProductsNeedTheOtherFactor) {
  const Body product = bodyOf(Op::Mul, number, 2);
  EXPECT_EQ(adjoint::usedParameters(adjoint::differentiate(product, {true}, {true, false}).body),
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ(adjoint::usedParameters(adjoint::differentiate(product, {true}, {true, true}).body),
            (std::vector<bool>{true, true, true}));
}

TEST(BodyAdjoint, RootsOfUnityAreConjugatedAsSuch) {
  Body body;
  body.params = {number};
  frontend::Instr root;
  root.op = Op::Omega;
  root.type = number;
  root.root = 8;
  root.hasPoly = true;
  root.poly = digits::Polynomial::digit(3);
  body.instrs.push_back(root);
  frontend::Instr product;
  product.op = Op::Mul;
  product.type = number;
  product.operands = {0, 1};
  body.instrs.push_back(product);
  body.results = {2};
  const adjoint::BodyAdjoint made = adjoint::differentiate(body, {true}, {true});
  ASSERT_EQ(made.body.instrs.size(), 2u);
  EXPECT_EQ(made.body.instrs[0].op, Op::Omega);
  EXPECT_EQ(made.body.instrs[0].poly.str(), "7*t3");
}

TEST(BodyAdjoint, StepsAreFlat) {
  for (Op op : {Op::Floor, Op::Ceil, Op::Round})
    EXPECT_EQ(adjoint::differentiate(bodyOf(op, real, 1), {true}, {true}).isZero, std::vector<bool>{true});
}

TEST(BodyAdjoint, WithoutGradientsThereAreNone) {
  const adjoint::BodyAdjoint made = adjoint::differentiate(bodyOf(Op::Mul, real, 2), {false}, {true, true});
  EXPECT_EQ(made.isZero, (std::vector<bool>{true, true}));
  EXPECT_EQ(made.body.params.size(), 2u);
}

} // namespace
