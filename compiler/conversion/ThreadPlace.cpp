#include "compiler/conversion/ThreadPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

void ThreadPlace::inside(Block *branch, llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch);
  emit();
}

void ThreadPlace::where(Value condition, llvm::function_ref<void()> emit) {
  inside(scf::IfOp::create(b, loc, TypeRange{}, condition, false).thenBlock(), emit);
}

Value ThreadPlace::isBelow(int64_t threads) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, code.constant32(threads));
}

std::pair<Value, Value> ThreadPlace::loadEntry(Value pointer, Type scalar) {
  Type pair = VectorType::get({2}, scalar);
  Value w = LLVM::LoadOp::create(b, loc, pair, pointer, static_cast<unsigned>(packedBytes(pair)), /*isVolatile=*/false,
                                 /*isNonTemporal=*/false, /*isInvariant=*/true);
  SmallVector<Value> parts;
  code.unpack(w, parts);
  return {parts[0], parts[1]};
}

void conversion::yieldPoison(TileCode &code, ArrayRef<Type> types) {
  SmallVector<Value> values;
  for (Type type : types)
    values.push_back(LLVM::PoisonOp::create(code.b, code.loc, type));
  scf::YieldOp::create(code.b, code.loc, values);
}
