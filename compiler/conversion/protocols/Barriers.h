// Where threads and blocks wait for each other, and what protocols do there.
#pragma once

#include "compiler/conversion/TileCode.h"

#include <functional>

namespace idc::conversion {

class Barriers {
public:
  explicit Barriers(TileCode &code) : b(code.b), loc(code.loc) {}

  /// What those who meet have stored before is there afterwards.
  void meet(id::Meeting who);
  /// All threads of the block meet; what is due is done.
  void block();
  /// What is to be done around the next barrier of the block; where none comes before a store, one is made for it.
  void atNextOfBlock(std::function<void()> before, std::function<void()> after);

  /// Says that this block runs; by awaitStart() all of the cluster do. The wait comes once, before the first access to
  /// another block.
  void arriveAtStart();
  void awaitStart();

  /// Says that this block has read what it reads of others; by awaitEnd(), before a block ends, all of the cluster
  /// have.
  void arriveAtEnd();
  void awaitEnd();

  /// The kernel starts before those ahead of it have ended: a dependent launch. The wait for them comes once, ahead of
  /// its first access to a buffer, in every thread; so it reads what they wrote, writes what they no longer read, and
  /// has ended only after them.
  void startEarly() { awaitsPrevious = true; }
  bool isEarly() const { return awaitsPrevious; }
  void awaitPrevious();

  /// The blocks of the cluster have all loaded what they load when any of them stores.
  void arriveBeforeStore();
  /// Stands before every store.
  void beforeStore();

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  bool arrived = false, ending = false, awaitsPrevious = false, meetsBeforeStore = false;
  bool due = false;
  std::function<void()> before, after;
};

} // namespace idc::conversion
