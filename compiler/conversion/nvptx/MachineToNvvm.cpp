// Input: ops of the machine dialect. Output: what NVIDIA's GPUs have for them, NVVM's ops, and PTX where these have
// none. All PTX that the compiler writes itself stands here.
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/TileCode.h"

#include "machine/MachineDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace idc;

namespace idc::conversion {
#define GEN_PASS_DEF_MACHINETONVVM
#include "compiler/conversion/Passes.h.inc"

namespace {

constexpr char dataLayout[] = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

class Lowering {
public:
  explicit Lowering(Operation *op) : b(op), loc(op->getLoc()) {}

  /// What computes the same as a machine op; its result, or null.
  Value lower(machine::ThreadOp) { return NVVM::ThreadIdXOp::create(b, loc, i32()); }
  Value lower(machine::BlockOp) { return NVVM::BlockIdXOp::create(b, loc, i32()); }
  Value lower(machine::GridBlocksOp) { return NVVM::GridDimXOp::create(b, loc, i32()); }
  Value lower(machine::ThreadHereOp) { return ptx(i32(), {}, "mov.u32 $0, %tid.x;", "=r"); }
  Value lower(machine::BlockHereOp) { return ptx(i32(), {}, "mov.u32 $0, %ctaid.x;", "=r"); }

  Value lower(machine::TimeOp) { return NVVM::GlobalTimerOp::create(b, loc, b.getI64Type()); }

  Value lower(machine::BarrierOp) { return made(NVVM::BarrierOp::create(b, loc)); }
  Value lower(machine::WarpBarrierOp) { return made(NVVM::SyncWarpOp::create(b, loc, constant(-1))); }
  Value lower(machine::ClusterArriveOp op) {
    return op.getOrder() == machine::ArrivalOrder::Relaxed
               ? made(NVVM::ClusterArriveRelaxedOp::create(b, loc, b.getUnitAttr()))
               : made(NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr()));
  }
  Value lower(machine::ClusterWaitOp) { return made(NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr())); }

  Value lower(machine::ShuffleOp op) {
    const bool isXor = op.getKind() == machine::ShuffleKind::Xor;
    return NVVM::ShflOp::create(b, loc, op.getType(), constant(-1), op.getValue(), op.getLane(), constant(31),
                                isXor ? NVVM::ShflKind::bfly : NVVM::ShflKind::idx, UnitAttr());
  }
  Value lower(machine::PeerOp op) { return NVVM::MapaOp::create(b, loc, op.getType(), op.getPointer(), op.getRank()); }
  /// st.async, which has no op.
  Value lower(machine::SendOp op) {
    Type scalar = op.getValues()[0].getType();
    auto [type, letter] = scalar.isF32()                         ? std::pair("f32", "f")
                          : scalar.isF64()                       ? std::pair("f64", "d")
                          : scalar.getIntOrFloatBitWidth() == 64 ? std::pair("b64", "l")
                                                                 : std::pair("b32", "r");
    const bool two = op.getValues().size() == 2;
    SmallVector<Value> operands{op.getPlace()};
    std::string constraints = "l,";
    for (Value value : op.getValues()) {
      operands.push_back(value);
      constraints += std::string(letter) + ",";
    }
    operands.push_back(op.getPhase());
    return ptx({}, operands,
               std::string("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.") + (two ? "v2." : "") + type +
                   " [$0], " + (two ? "{$1, $2}, [$3];" : "$1, [$2];"),
               constraints + "l,~{memory}");
  }

  Value lower(machine::PhaseInitOp op) {
    return made(NVVM::MBarrierInitOp::create(b, loc, op.getPhase(), constant(1), Value()));
  }
  Value lower(machine::PhasePublishOp) { return made(NVVM::FenceMbarrierInitOp::create(b, loc)); }
  Value lower(machine::PhaseExpectOp op) {
    return made(NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), op.getPhase(), op.getBytes(),
                                                       NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value()));
  }
  Value lower(machine::PhaseOverOp op) {
    const machine::PhaseOrder order = op.getOrder();
    auto test = NVVM::MBarrierTryWaitOp::create(b, loc, b.getI1Type(), op.getPhase(), op.getParity(), Value(),
                                                order == machine::PhaseOrder::Block ? NVVM::MemScopeKind::CTA
                                                                                    : NVVM::MemScopeKind::CLUSTER);
    test.setRelaxed(order == machine::PhaseOrder::Relaxed);
    return test.getRes();
  }

  Value lower(machine::StartNextOp) {
    return made(NVVM::GriddepcontrolOp::create(b, loc, NVVM::GridDepActionKind::launch_dependents));
  }
  Value lower(machine::AwaitPreviousOp) {
    return made(NVVM::GriddepcontrolOp::create(b, loc, NVVM::GridDepActionKind::wait));
  }

  Value lower(machine::LoadStreamOp op) {
    Type word = b.getI64Type();
    switch (packedBytes(op.getType())) {
    case 4:
      return bitcast(ptx(b.getI32Type(), {op.getPointer()}, "ld.global.cs.b32 $0, [$1];", "=r,l"), op.getType());
    case 8:
      return bitcast(ptx(word, {op.getPointer()}, "ld.global.cs.b64 $0, [$1];", "=l,l"), op.getType());
    default:
      break;
    }
    Value words = ptx(LLVM::LLVMStructType::getLiteral(b.getContext(), {word, word}), {op.getPointer()},
                      "ld.global.cs.v2.b64 {$0, $1}, [$2];", "=l,=l,l");
    Value vector = LLVM::PoisonOp::create(b, loc, VectorType::get({2}, word));
    for (int i = 0; i < 2; ++i)
      vector =
          LLVM::InsertElementOp::create(b, loc, vector, LLVM::ExtractValueOp::create(b, loc, words, i), constant(i));
    return bitcast(vector, op.getType());
  }
  Value lower(machine::LoadOrderedOp op) {
    const bool wide = op.getType().isInteger(64);
    return ptx(op.getType(), {op.getPointer()},
               wide ? "ld.relaxed.cta.global.b64 $0, [$1];" : "ld.relaxed.cta.global.b32 $0, [$1];",
               wide ? "=l,l" : "=r,l");
  }
  Value lower(machine::StoreStreamOp op) {
    Value stored = op.getValue();
    switch (packedBytes(stored.getType())) {
    case 4:
      return ptx({}, {op.getPointer(), bitcast(stored, b.getI32Type())}, "st.global.cs.b32 [$0], $1;", "l,r");
    case 8:
      return ptx({}, {op.getPointer(), bitcast(stored, b.getI64Type())}, "st.global.cs.b64 [$0], $1;", "l,l");
    default:
      break;
    }
    Value words = bitcast(stored, VectorType::get({2}, b.getI64Type()));
    return ptx({},
               {op.getPointer(), LLVM::ExtractElementOp::create(b, loc, words, constant(0)),
                LLVM::ExtractElementOp::create(b, loc, words, constant(1))},
               "st.global.cs.v2.b64 [$0], {$1, $2};", "l,l,l");
  }

private:
  OpBuilder b;
  Location loc;

  Type i32() { return b.getI32Type(); }
  Value constant(int32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); }
  static Value made(Operation *) { return {}; }
  Value bitcast(Value value, Type type) {
    return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
  }

  /// PTX that is not moved, repeated or left out; its result, if it has a type.
  Value ptx(Type result, ValueRange operands, StringRef code, StringRef constraints) {
    auto op = LLVM::InlineAsmOp::create(b, loc, result ? TypeRange(result) : TypeRange(), operands, code, constraints,
                                        /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                        LLVM::AsmDialectAttr(), ArrayAttr());
    return result ? op->getResult(0) : Value();
  }
};

template <class... Ops> bool lowerOneOf(Operation *op) {
  auto replace = [&](auto known) {
    if (!known)
      return false;
    if (Value result = Lowering(op).lower(known))
      op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return true;
  };
  return (replace(dyn_cast<Ops>(op)) || ...);
}

/// A kernel's frame: what NVVM and the back end call its attributes.
void lowerFrame(LLVM::LLVMFuncOp function) {
  if (!function->removeAttr(kernelAttr))
    return;
  Builder b(function.getContext());
  function->setAttr("gpu.kernel", b.getUnitAttr());
  function->setAttr("nvvm.kernel", b.getUnitAttr());
  if (auto threads = dyn_cast_or_null<IntegerAttr>(function->removeAttr(threadsAttr)))
    function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({static_cast<int32_t>(threads.getInt()), 1, 1}));
  if (Attribute blocks = function->removeAttr(residentBlocksAttr))
    function->setAttr("nvvm.minctasm", blocks);
}

struct MachineToNvvm : impl::MachineToNvvmBase<MachineToNvvm> {
  void runOnOperation() override {
    getOperation()->walk([](gpu::GPUModuleOp module) {
      module->setAttr("llvm.data_layout", StringAttr::get(module.getContext(), dataLayout));
    });
    getOperation()->walk(lowerFrame);
    WalkResult result = getOperation()->walk([](Operation *op) -> WalkResult {
      if (!isa_and_nonnull<machine::MachineDialect>(op->getDialect()) || lowerOneOf<
#define GET_OP_LIST
#include "machine/MachineOps.cpp.inc"
                                                                             >(op))
        return WalkResult::advance();
      return op->emitError() << "has no counterpart on NVIDIA's GPUs";
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace idc::conversion
