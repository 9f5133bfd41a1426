#include "compiler/codegen/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

bool isNarrow(Type type) { return isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type)); }

/// The type with its scalar replaced.
Type with(Type type, Type scalar) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(scalar)) : scalar;
}

struct WidenNarrowFloats : PassWrapper<WidenNarrowFloats, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WidenNarrowFloats)

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      OpBuilder b(op);
      if (auto fma = dyn_cast<math::FmaOp>(op); fma && isNarrow(fma.getType()))
        replace(op, narrowed(b, op->getLoc(), wideFma(b, fma), fma.getType()));
      else if (auto trunc = dyn_cast<arith::TruncFOp>(op);
               trunc && isNarrow(trunc.getType()) && getElementTypeOrSelf(trunc.getIn()).isF64())
        replace(op, narrowed(b, op->getLoc(), trunc.getIn(), trunc.getType()));
      else if (auto extend = dyn_cast<arith::ExtFOp>(op);
               extend && isNarrow(extend.getIn().getType()) && getElementTypeOrSelf(extend.getType()).isF64()) {
        Value single = arith::ExtFOp::create(b, op->getLoc(), with(extend.getType(), b.getF32Type()), extend.getIn());
        replace(op, arith::ExtFOp::create(b, op->getLoc(), extend.getType(), single));
      }
    });
  }

  static void replace(Operation *op, Value value) {
    op->replaceAllUsesWith(ValueRange{value});
    op->erase();
  }

  /// In f64, where the product is exact.
  static Value wideFma(OpBuilder &b, math::FmaOp fma) {
    SmallVector<Value> operands;
    for (Value operand : fma->getOperands()) {
      Value single = arith::ExtFOp::create(b, fma.getLoc(), with(operand.getType(), b.getF32Type()), operand);
      operands.push_back(arith::ExtFOp::create(b, fma.getLoc(), with(operand.getType(), b.getF64Type()), single));
    }
    return math::FmaOp::create(b, fma.getLoc(), operands[0], operands[1], operands[2]);
  }

  /// f64 to 16 bits by way of f32, rounded to odd there (the neighbour with an odd last bit; Boldo and Melquiond 2008),
  /// so that the second rounding gives what a single one would have given.
  static Value narrowed(OpBuilder &b, Location loc, Value x, Type type) {
    Type f32 = with(type, b.getF32Type()), f64 = with(type, b.getF64Type()), i32 = with(type, b.getI32Type());
    auto constant = [&](int32_t value) -> Value {
      TypedAttr attribute = b.getI32IntegerAttr(value);
      if (auto vector = dyn_cast<VectorType>(i32))
        attribute = DenseElementsAttr::get(vector, Attribute(attribute));
      return arith::ConstantOp::create(b, loc, attribute);
    };
    Value nearest = arith::TruncFOp::create(b, loc, f32, x);
    Value size = math::AbsFOp::create(b, loc, x);
    Value rounded = math::AbsFOp::create(b, loc, arith::ExtFOp::create(b, loc, f64, nearest));
    Value bits = arith::BitcastOp::create(b, loc, i32, nearest);
    Value isOdd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        arith::AndIOp::create(b, loc, bits, constant(1)), constant(0));
    auto moved = [&](arith::CmpFPredicate predicate, Value otherwise, int32_t step) -> Value {
      Value wrong = arith::CmpFOp::create(b, loc, predicate, rounded, size);
      return arith::SelectOp::create(b, loc, wrong, arith::AddIOp::create(b, loc, bits, constant(step)), otherwise);
    };
    Value neighbour = moved(arith::CmpFPredicate::OLT, moved(arith::CmpFPredicate::OGT, bits, -1), 1);
    Value odd = arith::SelectOp::create(b, loc, isOdd, bits, neighbour);
    return arith::TruncFOp::create(b, loc, type, arith::BitcastOp::create(b, loc, f32, odd));
  }
};

/// What is left of bf16 once operations are others is loads, stores and shuffles: of integers of 16 bits, as processors
/// without bf16 take bf16 vectors apart and round their elements again, by a function of a run-time library.
struct MoveAsIntegers : PassWrapper<MoveAsIntegers, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MoveAsIntegers)

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto abs = dyn_cast<math::AbsFOp>(op); abs && isBrain(abs.getType()))
        clearSign(abs);
    });
    getOperation().walk([](Operation *op) {
      for (Value result : op->getResults())
        makeInteger(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), makeInteger);
      if (Attribute value = op->getAttr("value")) // of constants
        op->setAttr("value", integerOf(value));
    });
    getOperation().walk([](arith::BitcastOp cast) {
      if (cast.getIn().getType() == cast.getType()) {
        cast.replaceAllUsesWith(cast.getIn());
        cast.erase();
      }
    });
  }

  static bool isBrain(Type type) { return isa<BFloat16Type>(getElementTypeOrSelf(type)); }

  static void makeInteger(Value value) {
    if (isBrain(value.getType()))
      value.setType(with(value.getType(), IntegerType::get(value.getContext(), 16)));
  }

  static Attribute integerOf(Attribute value) {
    auto number = dyn_cast<FloatAttr>(value);
    if (number && isBrain(number.getType()))
      return IntegerAttr::get(IntegerType::get(value.getContext(), 16), number.getValue().bitcastToAPInt());
    auto numbers = dyn_cast<DenseElementsAttr>(value);
    if (numbers && isBrain(numbers.getType()))
      return numbers.bitcast(IntegerType::get(value.getContext(), 16));
    return value;
  }

  static void clearSign(math::AbsFOp abs) {
    OpBuilder b(abs);
    const Location loc = abs.getLoc();
    Type words = with(abs.getType(), b.getI16Type());
    TypedAttr mask = b.getI16IntegerAttr(0x7fff);
    if (auto vector = dyn_cast<VectorType>(words))
      mask = DenseElementsAttr::get(vector, Attribute(mask));
    Value bits = arith::BitcastOp::create(b, loc, words, abs.getOperand());
    Value positive = arith::AndIOp::create(b, loc, bits, arith::ConstantOp::create(b, loc, mask));
    abs.replaceAllUsesWith(arith::BitcastOp::create(b, loc, abs.getType(), positive).getResult());
    abs.erase();
  }
};

/// What emulates operations of bf16 may take conversions back and forth for nothing; here they are how each rounds.
struct KeepRounding : PassWrapper<KeepRounding, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepRounding)

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto extend = dyn_cast<arith::ExtFOp>(op))
        extend.setFastmath(arith::FastMathFlags::none);
      else if (auto trunc = dyn_cast<arith::TruncFOp>(op))
        trunc.setFastmath(arith::FastMathFlags::none);
    });
  }
};

} // namespace

void idc::codegen::addNarrowFloatPasses(PassManager &manager) {
  manager.addPass(std::make_unique<WidenNarrowFloats>());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  manager.addPass(std::make_unique<KeepRounding>());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));
  manager.addPass(std::make_unique<MoveAsIntegers>());
}
