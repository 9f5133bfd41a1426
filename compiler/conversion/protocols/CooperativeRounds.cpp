#include "compiler/conversion/protocols/CooperativeRounds.h"

#include "compiler/conversion/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static constexpr int64_t slots = 4;

int64_t CooperativeRounds::Shape::teams() const {
  constexpr int64_t mostBlocks = 1024;
  return std::max<int64_t>(1, mostBlocks / ranks);
}

int64_t CooperativeRounds::Shape::postBytes() const { return teams() * slots * cells * cellBytes; }

//===--- helpers ------------------------------------------------------------------------------------------------===//

Value CooperativeRounds::constant(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value CooperativeRounds::constant64(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}
Value CooperativeRounds::wide(Value value) { return arith::ExtUIOp::create(b, loc, b.getI64Type(), value); }

Value CooperativeRounds::thread() { return machine::ThreadHereOp::create(b, loc, b.getI32Type()); }
Value CooperativeRounds::firstRank() {
  return arith::RemUIOp::create(b, loc, machine::BlockHereOp::create(b, loc, b.getI32Type()), constant(shape.ranks));
}
Value CooperativeRounds::rank(const Item &item) {
  Value rank = firstRank();
  if (!item.visit)
    return rank;
  // After visits 0 … more, one of each rank, come those of all ranks but the last again: the smaller number, unsigned.
  Value again = arith::SubIOp::create(b, loc, item.visit, arith::AddIOp::create(b, loc, more, constant(1)));
  Value steps = arith::MulIOp::create(b, loc, arith::MinUIOp::create(b, loc, item.visit, again), players);
  return arith::AddIOp::create(b, loc, rank, steps);
}

//===--- rounds -------------------------------------------------------------------------------------------------===//

CooperativeRounds::CooperativeRounds(OpBuilder &b, Location loc, Shape shape, Value memory, Value numbers)
    : b(b), loc(loc), shape(shape), memory(memory) {
  Type i32 = b.getI32Type();
  team = arith::DivUIOp::create(b, loc, machine::BlockOp::create(b, loc, i32), constant(shape.ranks));
  Value blocks = machine::GridBlocksOp::create(b, loc, i32);
  teams = arith::DivUIOp::create(b, loc, blocks, constant(shape.ranks));
  teams = arith::MinUIOp::create(b, loc, teams, constant(shape.teams()));
  if (shape.several) {
    Value isPart = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, blocks, constant(shape.ranks));
    teams = arith::SelectOp::create(b, loc, isPart, constant(1), teams);
    players = arith::MinUIOp::create(b, loc, blocks, constant(shape.ranks));
    Value above = arith::SubIOp::create(b, loc, constant(shape.ranks - 1), firstRank());
    more = arith::DivUIOp::create(b, loc, above, players);
  }
  // Problems team, team + teams, … below `numbers`; blocks beyond the teams have none.
  Value last = arith::SubIOp::create(b, loc, arith::AddIOp::create(b, loc, numbers, teams), constant(1));
  Value problems = arith::DivUIOp::create(b, loc, arith::SubIOp::create(b, loc, last, team), teams);
  Value works = arith::AndIOp::create(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, team, teams),
                                      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, team, numbers));
  count = arith::MulIOp::create(b, loc, problems, constant(shape.turns));
  all = scf::IfOp::create(b, loc, TypeRange{}, works, false);
  b.setInsertionPointToStart(all.thenBlock());
}

CooperativeRounds::Item CooperativeRounds::item(Visit visit) {
  int64_t bits = llvm::Log2_64(shape.turns);
  Value problem = arith::ShRUIOp::create(b, loc, visit.index, constant(bits));
  Value number = arith::AddIOp::create(b, loc, team, arith::MulIOp::create(b, loc, problem, teams));
  return {visit.index, number, arith::AndIOp::create(b, loc, visit.index, constant(shape.turns - 1)), visit.number};
}

Value CooperativeRounds::firstVisit() { return shape.several ? constant(0) : Value(); }
Value CooperativeRounds::lastVisit() { return arith::AddIOp::create(b, loc, more, more); }

CooperativeRounds::Visit CooperativeRounds::after(Visit visit) {
  if (!shape.several)
    return {arith::AddIOp::create(b, loc, visit.index, constant(1)), {}};
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, visit.number, lastVisit());
  Value next = arith::AddIOp::create(b, loc, visit.number, constant(1));
  return {arith::AddIOp::create(b, loc, visit.index, arith::ExtUIOp::create(b, loc, b.getI32Type(), isLast)),
          arith::SelectOp::create(b, loc, isLast, constant(0), next)};
}

CooperativeRounds::Visit CooperativeRounds::before(Visit visit) {
  if (!shape.several)
    return {arith::SubIOp::create(b, loc, visit.index, constant(1)), {}};
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, visit.number, constant(0));
  Value previous = arith::SubIOp::create(b, loc, visit.number, constant(1));
  return {arith::SubIOp::create(b, loc, visit.index, arith::ExtUIOp::create(b, loc, b.getI32Type(), isFirst)),
          arith::SelectOp::create(b, loc, isFirst, lastVisit(), previous)};
}

Value CooperativeRounds::isFinished(Value visit) {
  return shape.several ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, visit, more).getResult() : Value();
}

void CooperativeRounds::begin(ValueRange carried) {
  SmallVector<Value> initial{constant(0)};
  if (shape.several)
    initial.push_back(firstVisit());
  llvm::append_range(initial, carried);
  SmallVector<Type> types(ValueRange(initial).getTypes());
  SmallVector<Location> locations(types.size(), loc);
  loop = scf::WhileOp::create(b, loc, types, initial);
  Block *body = b.createBlock(&loop.getBefore(), {}, types, locations);
  Block *again = b.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, loc, again->getArguments());
  b.setInsertionPointToEnd(body);
  round = {body->getArgument(0), shape.several ? body->getArgument(1) : Value()};
  values.assign(body->getArguments().end() - static_cast<std::ptrdiff_t>(carried.size()), body->getArguments().end());
}

SmallVector<Value> CooperativeRounds::next(TypeRange types, llvm::function_ref<SmallVector<Value>(Item)> make) {
  Visit following = after(round);
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, following.index, count);
  auto branch = scf::IfOp::create(b, loc, types, exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, make(item(following)));
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> none;
  for (Type type : types)
    none.push_back(LLVM::PoisonOp::create(b, loc, type));
  scf::YieldOp::create(b, loc, none);
  return branch.getResults();
}

void CooperativeRounds::firstHalf(llvm::function_ref<SmallVector<Value>(Item)> body) {
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, round.index, count);
  SmallVector<Type> types(ValueRange(values).getTypes());
  auto branch = scf::IfOp::create(b, loc, types, exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, body(item(round)));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, values);
  following.assign(branch.getResults().begin(), branch.getResults().end());
}

void CooperativeRounds::secondHalf(llvm::function_ref<void(Item)> body) {
  Value exists = round.index; // 0 where no round was before
  if (shape.several)
    exists = arith::OrIOp::create(b, loc, round.index, round.number);
  exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, exists, constant(0));
  if (shape.several)
    exists = arith::AndIOp::create(b, loc, exists, isFinished(before(round).number));
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, exists, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body(item(before(round)));
}

void CooperativeRounds::end() {
  // What a half has read in shared memory is written in the next round, also where the other half is left out.
  machine::BarrierOp::create(b, loc);
  Visit next = after(round);
  SmallVector<Value> carried{next.index};
  if (shape.several)
    carried.push_back(next.number);
  llvm::append_range(carried, following);
  Value goesOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, round.index, count);
  scf::ConditionOp::create(b, loc, goesOn, carried);
  b.setInsertionPointAfter(all);
}

Value CooperativeRounds::place(const Item &item) {
  // A block visits an item an odd number of times, so that visits that follow each other never have the same place.
  Value counted = item.visit ? arith::AddIOp::create(b, loc, item.index, item.visit).getResult() : item.index;
  return arith::AndIOp::create(b, loc, counted, constant(1));
}

//===--- posts --------------------------------------------------------------------------------------------------===//

Value CooperativeRounds::tag(const Item &item) { return arith::AddIOp::create(b, loc, item.index, constant(1)); }

Value CooperativeRounds::posts(const Item &item) {
  Value slot = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, team, constant(slots)),
                                     arith::AndIOp::create(b, loc, item.index, constant(slots - 1)));
  Value bytes = arith::MulIOp::create(b, loc, wide(slot), constant64(shape.cells * cellBytes));
  return LLVM::GEPOp::create(b, loc, memory.getType(), b.getI8Type(), memory, ArrayRef<LLVM::GEPArg>{bytes});
}

void CooperativeRounds::post(const Item &item, Value cell, Value word) {
  Value tagged =
      arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, wide(tag(item)), constant64(32)), wide(word));
  conversion::post(b, loc, tagged, cell);
}

SmallVector<Value> CooperativeRounds::await(const Item &item, ArrayRef<Value> cells) {
  Value wanted = tag(item);
  SmallVector<Type> types(cells.size(), b.getI64Type());
  auto spin = scf::WhileOp::create(b, loc, types, ValueRange{});
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&spin.getBefore());
    SmallVector<Value> found;
    Value missing;
    for (Value cell : cells)
      found.push_back(readPost(b, loc, cell));
    for (Value value : found) {
      Value own =
          arith::TruncIOp::create(b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, value, constant64(32)));
      Value differs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, wanted);
      missing = missing ? arith::OrIOp::create(b, loc, missing, differs).getResult() : differs;
    }
    scf::ConditionOp::create(b, loc, missing, found);
    b.createBlock(&spin.getAfter(), {}, types, SmallVector<Location>(types.size(), loc));
    scf::YieldOp::create(b, loc);
  }
  SmallVector<Value> words;
  for (Value value : spin.getResults())
    words.push_back(arith::TruncIOp::create(b, loc, b.getI32Type(), value));
  return words;
}
