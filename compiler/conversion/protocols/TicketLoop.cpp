#include "compiler/conversion/protocols/TicketLoop.h"

#include "compiler/conversion/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

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

Value TicketLoop::thread() {
  Value thread = machine::ThreadHereOp::create(b, loc, b.getI32Type());
  return block ? inRound(thread) : thread;
}
Value TicketLoop::rank() {
  if (shape.cluster == 1)
    return {};
  Value own = machine::BlockHereOp::create(b, loc, b.getI32Type());
  if (block)
    own = inRound(own);
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(shape.cluster)))
    return arith::RemUIOp::create(b, loc, own, constant(shape.cluster));
  return arith::AndIOp::create(b, loc, own, constant(shape.cluster - 1));
}

Value TicketLoop::inRound(Value value) {
  // A block number has 31 bits, but only the reader knows.
  return arith::OrIOp::create(b, loc, value, arith::ShRUIOp::create(b, loc, block, constant(31)));
}

//===--- rounds -------------------------------------------------------------------------------------------------===//

void TicketLoop::initialise() {
  only(isFirstThread(), [&] {
    for (size_t i = 0; i < shape.exchangedBytes.size(); ++i)
      machine::PhaseInitOp::create(b, loc, barrier(memory, i));
    machine::PhasePublishOp::create(b, loc);
    for (size_t i = 0; i < shape.exchangedBytes.size(); ++i)
      expect(i);
  });
}

void TicketLoop::begin(Value cluster, Value counter, Value numbers) {
  this->numbers = numbers;
  Value blocks = machine::GridBlocksOp::create(b, loc, b.getI32Type());
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
  Value ticket = drawNumber(b, loc, counter);
  scf::YieldOp::create(b, loc, arith::AddIOp::create(b, loc, ticket, clusters).getResult());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, constant(0));
  drawn = branch.getResult(0);
}

Value TicketLoop::endRound() {
  if (!hasExchanges()) {
    machine::BarrierOp::create(b, loc);
    only(isFirstThread(), [&] { LLVM::StoreOp::create(b, loc, drawn, at(memory, numberOffset()), numberBytes); });
    machine::BarrierOp::create(b, loc);
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
  machine::PhaseExpectOp::create(b, loc, barrier(memory, i), constant(bytes));
}

void TicketLoop::send(Value word, Value pointer, Value barrier) {
  auto vector = dyn_cast<VectorType>(word.getType());
  if (vector && vector.getElementTypeBitWidth() < 32) { // two numbers of 16 bits
    word = LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
    vector = {};
  }
  SmallVector<Value> scalars{word};
  if (vector) {
    scalars.clear();
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      scalars.push_back(LLVM::ExtractElementOp::create(b, loc, word, constant(i)));
  }
  machine::SendOp::create(b, loc, scalars, pointer, barrier);
}

void TicketLoop::sendNumber() {
  auto sendTo = [&](Value number, Value peer) {
    Value theirs = peerMemory(b, loc, memory, peer);
    send(number, at(theirs, numberOffset()), barrier(theirs, 0));
  };
  if (!shape.fullWarps) { // no lane for each block
    Value draws = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank(), constant(0));
    only(arith::AndIOp::create(b, loc, draws, isFirstThread()), [&] {
      for (int64_t peer = 0; peer < shape.cluster; ++peer)
        sendTo(drawn, constant(peer));
    });
    return;
  }
  Value number = machine::ShuffleOp::create(b, loc, drawn.getType(), machine::ShuffleKind::From, drawn, constant(0));
  Value peer = thread();
  Value sends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, peer, constant(shape.cluster));
  sends = arith::AndIOp::create(b, loc, sends,
                                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank(), constant(0)));
  only(sends, [&] { sendTo(number, peer); });
}

void TicketLoop::wait(size_t i) {
  auto spin = scf::WhileOp::create(b, loc, TypeRange{}, ValueRange{});
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&spin.getBefore());
    Value done =
        machine::PhaseOverOp::create(b, loc, b.getI1Type(), barrier(memory, i), parity, machine::PhaseOrder::Cluster);
    Value notYet = arith::XOrIOp::create(b, loc, done, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
    scf::ConditionOp::create(b, loc, notYet, ValueRange{});
    b.createBlock(&spin.getAfter());
    scf::YieldOp::create(b, loc);
  }
  only(isFirstThread(), [&] { expect(i); }); // for the next round
}
