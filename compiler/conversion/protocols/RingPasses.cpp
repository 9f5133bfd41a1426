#include "compiler/conversion/protocols/RingPasses.h"

#include "compiler/conversion/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

Value RingPasses::constant(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

void RingPasses::byFirstThread(llvm::function_ref<void()> body) {
  Value thread = machine::ThreadOp::create(b, loc, b.getI32Type());
  auto branch = scf::IfOp::create(b, loc, TypeRange{},
                                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, constant(0)), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void RingPasses::drawTicket() {
  Value place = LLVM::GEPOp::create(b, loc, memory.getType(), b.getI8Type(), memory,
                                    ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(shape.offset)});
  byFirstThread([&] { LLVM::StoreOp::create(b, loc, drawNumber(b, loc, counters), place, 4); });
  machine::BarrierOp::create(b, loc);
  ticket = LLVM::LoadOp::create(b, loc, b.getI32Type(), place, 4);
}

void RingPasses::pass(int which, llvm::function_ref<void()> body) {
  current = which;
  Value parity = arith::AndIOp::create(b, loc, ticket, constant(1));
  Value mine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, parity, constant(which));
  number = arith::ShRUIOp::create(b, loc, ticket, constant(1));
  if (which == 1) // before the first tile it wraps to a number above all
    number = arith::SubIOp::create(b, loc, number, constant(shape.delay));
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, numbers);
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, arith::AndIOp::create(b, loc, mine, exists).getResult(), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value problem = arith::DivUIOp::create(b, loc, number, constant(shape.tiles));
  slot = arith::RemUIOp::create(b, loc, problem, constant(shape.slots));
  generation = arith::DivUIOp::create(b, loc, problem, constant(shape.slots));
  wideProblem = arith::ExtUIOp::create(b, loc, b.getI64Type(), problem);
  wideSlot = arith::ExtUIOp::create(b, loc, b.getI64Type(), slot);
  inProblem = arith::RemUIOp::create(b, loc, number, constant(shape.tiles));
  inRing = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, slot, constant(shape.tiles)), inProblem);
  body();
}

Value RingPasses::counter(int which) {
  Value index = arith::AddIOp::create(b, loc, arith::ShLIOp::create(b, loc, slot, constant(1)), constant(1 + which));
  return LLVM::GEPOp::create(b, loc, counters.getType(), b.getI32Type(), counters, ArrayRef<LLVM::GEPArg>{index});
}

void RingPasses::wait() {
  byFirstThread([&] {
    // All tiles of the slot's earlier problems read, or of these and this one written.
    Value rounds = current == 0 ? generation : arith::AddIOp::create(b, loc, generation, constant(1)).getResult();
    Value wanted = arith::MulIOp::create(b, loc, rounds, constant(shape.tiles)), place = counter(current == 0 ? 1 : 0);
    auto spin = scf::WhileOp::create(b, loc, TypeRange{}, ValueRange{});
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&spin.getBefore());
    Value missing = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, readFlag(b, loc, place), wanted);
    scf::ConditionOp::create(b, loc, missing, ValueRange{});
    b.createBlock(&spin.getAfter());
    scf::YieldOp::create(b, loc);
  });
}

void RingPasses::signal() {
  byFirstThread([&] { raiseFlag(b, loc, counter(current)); });
}
