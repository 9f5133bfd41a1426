#include "compiler/conversion/ResiduePowers.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

__extension__ typedef unsigned __int128 Wide;

ResiduePowers conversion::findPowers(Region &body) {
  constexpr size_t few = 8; // products
  ResiduePowers result;
  Block &block = body.front();
  DenseMap<Value, ResiduePowers::Power> powers; // of products of powers of one value; others are their own
  auto powerOf = [&](Value value) {
    auto known = powers.find(value);
    return known != powers.end() ? known->second : ResiduePowers::Power{value, 1};
  };
  for (auto product : block.getOps<id::ModMulOp>()) {
    ResiduePowers::Power left = powerOf(product.getLhs()), right = powerOf(product.getRhs());
    if (left.base == right.base && left.exponent <= UINT64_MAX - right.exponent)
      powers[product.getResult()] = {left.base, left.exponent + right.exponent};
  }
  // Going back, so that what needs a product is known before the product.
  DenseSet<Value> needed;
  for (Operation &op : llvm::reverse(block)) {
    auto product = dyn_cast<id::ModMulOp>(op);
    auto power = product ? powers.find(product.getResult()) : powers.end();
    if (power == powers.end()) {
      needed.insert(op.operand_begin(), op.operand_end());
      continue;
    }
    if (!needed.contains(product.getResult()))
      continue; // of a loop alone, or of nothing
    // The products from the base to this one that nothing else has needed so far.
    SmallVector<Operation *> products{&op};
    DenseSet<Value> seen;
    for (size_t i = 0; i < products.size(); ++i)
      for (Value operand : products[i]->getOperands())
        if (powers.contains(operand) && !needed.contains(operand) && seen.insert(operand).second)
          products.push_back(operand.getDefiningOp());
    if (products.size() > few) {
      result.loops[&op] = power->second;
      result.inside.insert(products.begin() + 1, products.end());
      needed.insert(power->second.base);
    } else {
      needed.insert(op.operand_begin(), op.operand_end());
    }
  }
  for (Value value : needed)
    if (Operation *op = value.getDefiningOp())
      result.inside.erase(op);
  return result;
}

uint64_t conversion::powerOf(uint64_t x, uint64_t exponent, uint64_t modulus) {
  uint64_t result = 1 % modulus;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = static_cast<uint64_t>(Wide(result) * x % modulus);
    x = static_cast<uint64_t>(Wide(x) * x % modulus);
  }
  return result;
}

/// x^exponent by squaring, from the exponent's highest bit down.
static Value emitLoop(OpBuilder &b, Location loc, PrimeField field, Value x, uint64_t exponent) {
  auto number = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(static_cast<int64_t>(value)));
  };
  auto product = [&](Value y, Value z) { return field.canonical(field.mul({y}, {z})); };
  const unsigned highest = llvm::Log2_64(exponent);
  Value bits = number(exponent), one = number(1), end = number(highest);
  auto loop = scf::ForOp::create(b, loc, number(0), end, one, x);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value square = product(loop.getRegionIterArg(0), loop.getRegionIterArg(0));
  Value left = arith::SubIOp::create(b, loc, end, loop.getInductionVar());
  Value bit = arith::ShRUIOp::create(b, loc, bits, arith::SubIOp::create(b, loc, left, one));
  Value isSet = arith::TruncIOp::create(b, loc, b.getI1Type(), bit);
  auto branch = scf::IfOp::create(b, loc, TypeRange{square.getType()}, isSet, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, product(square, x));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, square);
  }
  scf::YieldOp::create(b, loc, branch.getResult(0));
  return loop.getResult(0);
}

Value conversion::emitPower(OpBuilder &b, Location loc, uint64_t modulus, const std::function<Type(Type)> &wide,
                            Value x, uint64_t exponent) {
  Operation *around = b.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<LLVM::LLVMFuncOp>(around);
  if (!kernel)
    kernel = around->getParentOfType<LLVM::LLVMFuncOp>();
  auto module = dyn_cast_if_present<ModuleOp>(kernel ? kernel->getParentOp() : nullptr);
  if (!module) // of a GPU, where a call would put what is in registers into memory
    return emitLoop(b, loc, PrimeField(b, loc, modulus, wide), x, exponent);
  auto vector = dyn_cast<VectorType>(x.getType());
  std::string name = "power_" + std::to_string(exponent) + "_of_" + std::to_string(modulus) + "_lanes_" +
                     std::to_string(vector ? vector.getNumElements() : 1);
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(x.getType(), {x.getType()});
    function = LLVM::LLVMFuncOp::create(b, loc, name, type, LLVM::Linkage::Internal);
    function.setNoInline(true);
    Block *body = function.addEntryBlock(b);
    b.setInsertionPointToStart(body);
    Value result = emitLoop(b, loc, PrimeField(b, loc, modulus, wide), body->getArgument(0), exponent);
    LLVM::ReturnOp::create(b, loc, result);
  }
  return LLVM::CallOp::create(b, loc, function, ValueRange{x}).getResult();
}
