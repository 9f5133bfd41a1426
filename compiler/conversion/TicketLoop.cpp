#include "compiler/conversion/TicketLoop.h"

#include "compiler/conversion/SpecialRegister.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace idc::conversion;

static constexpr unsigned clusterSpace = 7;
static constexpr int64_t numberBytes = 4;

//===--- helpers ------------------------------------------------------------------------------------------------===//

Value TicketLoop::constant(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value TicketLoop::at(Value base, int64_t offset) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

void TicketLoop::only(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, condition, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value TicketLoop::isFirstThread() {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread(), constant(0));
}

Value TicketLoop::specialRegister(StringRef name) {
  Value value = readSpecialRegister(b, loc, name);
  return block ? inRound(value) : value;
}
Value TicketLoop::thread() { return specialRegister("tid.x"); }
Value TicketLoop::rank() {
  if (shape.cluster == 1)
    return {};
  return arith::AndIOp::create(b, loc, specialRegister("ctaid.x"), constant(shape.cluster - 1));
}

Value TicketLoop::inRound(Value value) {
  // A block number has 31 bits, but only the reader knows.
  return arith::OrIOp::create(b, loc, value, arith::ShRUIOp::create(b, loc, block, constant(31)));
}

//===--- rounds -------------------------------------------------------------------------------------------------===//

void TicketLoop::initialise() {
  only(isFirstThread(), [&] {
    for (size_t i = 0; i < shape.exchangedBytes.size(); ++i)
      NVVM::MBarrierInitOp::create(b, loc, barrier(memory, i), constant(1), Value());
    NVVM::FenceMbarrierInitOp::create(b, loc);
    for (size_t i = 0; i < shape.exchangedBytes.size(); ++i)
      expect(i);
  });
}

void TicketLoop::begin(Value cluster, Value counter, Value numbers) {
  this->numbers = numbers;
  Value blocks = NVVM::GridDimXOp::create(b, loc, b.getI32Type());
  SmallVector<Type> types(2, b.getI32Type());
  SmallVector<Location> locations(2, loc);
  loop = scf::WhileOp::create(b, loc, types, ValueRange{cluster, constant(0)});
  Block *body = b.createBlock(&loop.getBefore(), {}, types, locations);
  Block *again = b.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, loc, again->getArguments());
  b.setInsertionPointToEnd(body);
  block = body->getArgument(0);
  parity = body->getArgument(1);

  Value clusters = arith::DivUIOp::create(b, loc, inRound(blocks), constant(shape.cluster));
  Value draws = isFirstThread();
  if (Value own = rank())
    draws =
        arith::AndIOp::create(b, loc, draws, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own, constant(0)));
  auto branch = scf::IfOp::create(b, loc, TypeRange{b.getI32Type()}, draws, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value ticket = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, counter, constant(1),
                                           LLVM::AtomicOrdering::monotonic, "device");
  scf::YieldOp::create(b, loc, arith::AddIOp::create(b, loc, ticket, clusters).getResult());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, constant(0));
  drawn = branch.getResult(0);
}

Value TicketLoop::endRound() {
  if (!hasExchanges()) {
    NVVM::BarrierOp::create(b, loc);
    only(isFirstThread(), [&] { LLVM::StoreOp::create(b, loc, drawn, at(memory, numberOffset()), numberBytes); });
    NVVM::BarrierOp::create(b, loc);
  }
  next = LLVM::LoadOp::create(b, loc, b.getI32Type(), at(memory, numberOffset()), numberBytes);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, next, numbers);
}

void TicketLoop::close(Value goesOn) {
  Value flipped = arith::XOrIOp::create(b, loc, parity, constant(1));
  scf::ConditionOp::create(b, loc, goesOn, ValueRange{next, flipped});
  b.setInsertionPointAfter(loop);
}

//===--- exchanges between blocks -------------------------------------------------------------------------------===//

Value TicketLoop::barrier(Value memory, size_t i) { return at(memory, shape.offset + 8 * static_cast<int64_t>(i)); }

void TicketLoop::expect(size_t i) {
  int64_t bytes = shape.exchangedBytes[i] + (i == 0 ? numberBytes : 0);
  NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), barrier(memory, i), constant(bytes), NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}

void TicketLoop::send(Value word, Value pointer, Value barrier) {
  auto vector = dyn_cast<VectorType>(word.getType());
  if (vector && vector.getElementTypeBitWidth() < 32) { // two numbers of 16 bits
    word = LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
    vector = {};
  }
  Type scalar = vector ? vector.getElementType() : word.getType();
  int64_t count = vector ? vector.getNumElements() : 1;
  SmallVector<Value> operands{pointer};
  for (int64_t i = 0; i < count; ++i)
    operands.push_back(vector ? LLVM::ExtractElementOp::create(b, loc, word, constant(i)).getResult() : word);
  operands.push_back(barrier);
  auto [type, letter] = scalar.isF32()                         ? std::pair("f32", "f")
                        : scalar.isF64()                       ? std::pair("f64", "d")
                        : scalar.getIntOrFloatBitWidth() == 64 ? std::pair("b64", "l")
                                                               : std::pair("b32", "r");
  std::string code = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.", constraints = "l,", value = "$1";
  if (count == 2) {
    code += "v2.";
    value = "{$1, $2}";
  }
  for (int64_t i = 0; i < count; ++i)
    constraints += std::string(letter) + ",";
  code += std::string(type) + " [$0], " + value + ", [$" + std::to_string(count + 1) + "];";
  LLVM::InlineAsmOp::create(b, loc, TypeRange{}, operands, code, constraints + "l,~{memory}",
                            /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

void TicketLoop::sendNumber() {
  Value number = NVVM::ShflOp::create(b, loc, b.getI32Type(), constant(-1), drawn, constant(0), constant(31),
                                      NVVM::ShflKind::idx, UnitAttr());
  Value peer = thread();
  Value sends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, peer, constant(shape.cluster));
  sends = arith::AndIOp::create(b, loc, sends,
                                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank(), constant(0)));
  only(sends, [&] {
    Value theirs = NVVM::MapaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), clusterSpace), memory, peer);
    send(number, at(theirs, numberOffset()), barrier(theirs, 0));
  });
}

void TicketLoop::wait(size_t i) {
  auto spin = scf::WhileOp::create(b, loc, TypeRange{}, ValueRange{});
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&spin.getBefore());
    Value done = NVVM::MBarrierTryWaitOp::create(b, loc, b.getI1Type(), barrier(memory, i), parity, Value(),
                                                 NVVM::MemScopeKind::CLUSTER);
    Value notYet = arith::XOrIOp::create(b, loc, done, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
    scf::ConditionOp::create(b, loc, notYet, ValueRange{});
    b.createBlock(&spin.getAfter());
    scf::YieldOp::create(b, loc);
  }
  only(isFirstThread(), [&] { expect(i); }); // for the next round
}
