#include "compiler/conversion/protocols/Barriers.h"

#include "machine/MachineDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

void Barriers::meet(id::Meeting who) {
  if (who == id::Meeting::Warp)
    machine::WarpBarrierOp::create(b, loc);
  if (who == id::Meeting::Block)
    block();
  if (who == id::Meeting::Cluster) {
    awaitStart();
    machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
    machine::ClusterWaitOp::create(b, loc);
  }
}

void Barriers::block() {
  if (before)
    before();
  machine::BarrierOp::create(b, loc);
  if (after)
    after();
  due = false;
  before = after = {};
}

void Barriers::atNextOfBlock(std::function<void()> doBefore, std::function<void()> doAfter) {
  due = true;
  before = std::move(doBefore);
  after = std::move(doAfter);
}

void Barriers::arriveAtStart() {
  machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Relaxed);
  arrived = true;
}

void Barriers::awaitStart() {
  if (arrived)
    machine::ClusterWaitOp::create(b, loc);
  arrived = false;
}

void Barriers::arriveAtEnd() {
  machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
  ending = true;
}

void Barriers::awaitEnd() {
  if (ending)
    machine::ClusterWaitOp::create(b, loc);
  ending = false;
}

void Barriers::awaitPrevious() {
  if (awaitsPrevious)
    machine::AwaitPreviousOp::create(b, loc);
  awaitsPrevious = false;
}

void Barriers::arriveBeforeStore() {
  machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
  meetsBeforeStore = true;
}

void Barriers::beforeStore() {
  if (due)
    block();
  if (meetsBeforeStore)
    machine::ClusterWaitOp::create(b, loc);
  meetsBeforeStore = false;
}
