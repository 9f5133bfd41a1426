// Steps are taken in order, in sections: a new one begins with another level and with another number of threads. A
// value lives from the section that makes it to the last one that takes it. Where they take turns, what a section reads
// makes room for what it writes, and what is loaded or stored has the same place.
#include "compiler/passes/GroupMemory.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;
using digits::Field;

namespace {

class Lives {
public:
  Lives(const FlowGroup &group, Sharing sharing) : group(group), sharing(sharing) {}

  int64_t most() {
    for (Operation *step : group.steps)
      if (!group.joined.contains(step))
        for (Value result : step->getResults())
          allThreads = std::max(allThreads, threadsOf(step, result));
    for (Operation *step : group.steps)
      if (!group.joined.contains(step))
        add(step);
    // Of every section what it reads, then what it writes: bytes more than before.
    std::vector<int64_t> more(2 * static_cast<size_t>(section) + 3);
    for (const auto &[key, life] : lives) {
      const bool turns = sharing == Sharing::Turns;
      more[2 * static_cast<size_t>(life.first) + turns] += life.bytes;
      more[2 * static_cast<size_t>(life.last) + (turns ? 1 : 2)] -= life.bytes;
    }
    int64_t most = 0, bytes = 0;
    for (auto [time, change] : llvm::enumerate(more)) {
      bytes += change;
      most = std::max(most, bytes + (time % 2 == 0 ? moved.lookup(static_cast<int>(time / 2)) : 0));
    }
    return most;
  }

private:
  struct Life {
    int first, last; // sections
    int64_t bytes;
  };

  const FlowGroup &group;
  const Sharing sharing;
  DenseMap<std::pair<Value, int>, Life> lives; // by the level that a value is taken at; -1: where it is held
  DenseMap<int, int64_t> moved;                // bytes at a time, by the section
  DenseMap<Operation *, int> sections;
  int section = -1, level = -1;
  int64_t threads = 0;    // of the last step
  int64_t allThreads = 0; // of the widest value

  /// The values of these axes, and of the batch digits, that are in some fields at a step's level.
  int64_t extent(Operation *step, ArrayRef<int> axes, std::initializer_list<Field> fields) const {
    int64_t count = 1;
    const int numAxes = static_cast<int>(group.radices.size());
    for (Field field : fields)
      for (const digits::Column &column : group.levels[static_cast<size_t>(group.level(step))][field])
        if (!column.digits.empty() &&
            (column.digits.front() > numAxes || llvm::is_contained(axes, column.digits.front() - 1)))
          count *= column.radix;
    return count;
  }
  int64_t threadsOf(Operation *step, Value value) const {
    return extent(step, group.axesOf(step, value), {Field::Lane, Field::Warp});
  }
  int64_t bytesOf(Operation *step, Value value) const {
    const Type element = id::elementOf(value.getType());
    return extent(step, group.axesOf(step, value), {Field::Reg, Field::Lane, Field::Warp}) *
           static_cast<int64_t>(llvm::alignTo(id::elementBytes(element), id::exchangeWordBytes(element)));
  }

  void live(Value value, int at, int first, int64_t bytes) {
    auto [life, fresh] = lives.try_emplace({value, at}, Life{first, section, bytes});
    life->second.last = section;
  }

  void move(Operation *step, Value value) {
    const int64_t bytes = bytesOf(step, value), others = moved.lookup(section);
    if (sharing != Sharing::Values)
      moved[section] = sharing == Sharing::Turns ? std::max(others, bytes) : others + bytes;
  }

  void add(Operation *step) {
    const int64_t own = threadsOf(step, step->getResult(0));
    section += section < 0 || group.level(step) != level || own != threads;
    sections[step] = section;
    level = group.level(step);
    threads = own;
    for (OpOperand &operand : step->getOpOperands()) {
      if (group.loadOf.contains({step, operand.getOperandNumber()})) {
        move(step, operand.get());
        continue;
      }
      Value value = operand.get();
      while (!sections.contains(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      Operation *maker = value.getDefiningOp();
      const int from = sections.lookup(maker);
      const bool isFetched = group.fetched.contains({step, operand.getOperandNumber()});
      if (isFetched || group.level(maker) != level)
        live(operand.get(), level, from, bytesOf(maker, value));
      else if (from != section && threadsOf(maker, value) != allThreads)
        live(value, -1, from, bytesOf(maker, value));
    }
    for (const FlowStore &store : group.stores)
      if (store.value.getDefiningOp() == step)
        move(step, store.value);
  }
};

} // namespace

int64_t passes::sharedBytesOf(const FlowGroup &group, Sharing sharing) { return Lives(group, sharing).most(); }
