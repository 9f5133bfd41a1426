#include "compiler/conversion/protocols/RingPasses.h"

#include "compiler/conversion/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

RingPasses::RingPasses(OpBuilder &b, Location loc, Shape shape, Value memory, Value counters, Value batch)
    : b(b), loc(loc), shape(shape), memory(memory), counters(counters) {
  for (auto [own, tiles] : llvm::zip(numbers, shape.tiles)) {
    Value count = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(tiles));
    own = arith::TruncIOp::create(b, loc, b.getI32Type(), arith::MulIOp::create(b, loc, batch, count));
  }
}

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

std::pair<Value, Value> RingPasses::ofPass(int which) {
  if (shape.tiles[0] == shape.tiles[1]) { // in turn
    Value parity = arith::AndIOp::create(b, loc, ticket, constant(1));
    return {arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, parity, constant(which)),
            arith::ShRUIOp::create(b, loc, ticket, constant(1))};
  }
  // Of the t tickets ahead of ticket t, ceil(t * first / all) are of the first pass; so is t if there is one more of
  // them ahead of t + 1.
  const int64_t common = std::gcd(shape.tiles[0], shape.tiles[1]), first = shape.tiles[0] / common,
                all = shape.tilesTogether() / common;
  Value round = arith::DivUIOp::create(b, loc, ticket, constant(all)),
        inRound = arith::RemUIOp::create(b, loc, ticket, constant(all));
  auto ofFirst = [&](int64_t more) -> Value {
    Value product = arith::MulIOp::create(b, loc, inRound, constant(first));
    product = arith::AddIOp::create(b, loc, product, constant(all - 1 + more * first));
    return arith::DivUIOp::create(b, loc, product, constant(all));
  };
  Value ahead = ofFirst(0);
  Value before = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, round, constant(first)), ahead);
  const auto moves = which == 0 ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
  Value mine = arith::CmpIOp::create(b, loc, moves, ahead, ofFirst(1));
  return {mine, which == 0 ? before : arith::SubIOp::create(b, loc, ticket, before).getResult()};
}

void RingPasses::pass(int which, llvm::function_ref<void()> body) {
  current = which;
  Value mine;
  std::tie(mine, number) = ofPass(which);
  if (which == 1) // before the first tile it wraps to a number above all
    number = arith::SubIOp::create(b, loc, number, constant(shape.delay));
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, numbers[static_cast<size_t>(which)]);
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, arith::AndIOp::create(b, loc, mine, exists).getResult(), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value problem = arith::DivUIOp::create(b, loc, number, constant(tiles()));
  slot = arith::RemUIOp::create(b, loc, problem, constant(shape.slots));
  generation = arith::DivUIOp::create(b, loc, problem, constant(shape.slots));
  wideProblem = arith::ExtUIOp::create(b, loc, b.getI64Type(), problem);
  wideSlot = arith::ExtUIOp::create(b, loc, b.getI64Type(), slot);
  inProblem = arith::RemUIOp::create(b, loc, number, constant(tiles()));
  inRing = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, slot, constant(tiles())), inProblem);
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
    const int other = 1 - current;
    Value wanted = arith::MulIOp::create(b, loc, rounds, constant(shape.tiles[static_cast<size_t>(other)])),
          place = counter(other);
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
