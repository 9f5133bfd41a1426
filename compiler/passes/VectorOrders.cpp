#include "compiler/passes/VectorOrders.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace idc;
using digits::Field;
using digits::Mapping;

static std::vector<int> digitsIn(const Mapping &mapping, std::initializer_list<Field> fields) {
  std::vector<int> digits;
  for (Field field : fields)
    for (const digits::Column &column : mapping[field])
      digits.push_back(column.digits[0]);
  return digits;
}

/// How many of the lowest digits a turn of the other side holds, in lanes or registers.
static long runOf(const std::vector<int> &lowest, const Mapping &other) {
  const std::vector<int> held = digitsIn(other, {Field::Lane, Field::Reg});
  auto end = std::find_if(lowest.begin(), lowest.end(), [&](int digit) { return !llvm::is_contained(held, digit); });
  return end - lowest.begin();
}

digits::SharedLayout passes::vectorLayout(const Mapping &source, const Mapping &target) {
  std::vector<int> ofSource = digitsIn(source, {Field::Lane}), ofTarget = digitsIn(target, {Field::Lane});
  std::vector<int> order = runOf(ofSource, target) >= runOf(ofTarget, source) ? ofSource : ofTarget;
  std::vector<int> all = digitsIn(source, {Field::Lane, Field::Reg, Field::Warp});
  llvm::sort(all);
  for (int digit : all)
    if (!llvm::is_contained(order, digit))
      order.push_back(digit);
  digits::SharedLayout layout;
  layout.words = int64_t(1) << order.size();
  for (int digit : all)
    layout.columns.emplace_back(digit, uint32_t(1) << (llvm::find(order, digit) - order.begin()));
  return layout;
}

/// Elements in the order of these columns, the first one's digit running fastest.
static digits::SharedLayout layoutOf(const std::vector<digits::Column> &columns) {
  digits::SharedLayout layout;
  layout.padded = true;
  layout.words = 1;
  for (const digits::Column &column : columns) {
    layout.columns.emplace_back(column.digits[0], static_cast<uint32_t>(layout.words));
    layout.words *= column.radix;
  }
  llvm::sort(layout.columns);
  return layout;
}

/// How many threads find their elements behind those of the thread before, as a share of all.
static double followersIn(const std::vector<digits::Column> &threads, const digits::SharedLayout &layout) {
  double followers = 0, counted = 1; // of `counted` threads
  int64_t last = 0;                  // the last one's word, the first one's being 0
  for (const digits::Column &column : threads) {
    const int64_t word = layout.column(column.digits[0]);
    const double steps = column.radix - 1;
    followers = followers * (steps + 1) + (word == last + 1 ? steps : 0);
    counted *= steps + 1;
    last += (column.radix - 1) * word;
  }
  return followers / counted;
}

digits::SharedLayout passes::flatLayout(const Mapping &source, const Mapping &target) {
  const std::vector<digits::Column> threads = source.threads(), reading = target.threads();
  std::vector<digits::Column> registers;
  for (const std::vector<digits::Column> &columns : {reading, source[Field::Reg]})
    for (const digits::Column &column : columns)
      if (llvm::is_contained(source[Field::Reg], column) && !llvm::is_contained(registers, column))
        registers.push_back(column);
  auto joined = [](std::vector<digits::Column> low, const std::vector<digits::Column> &high) {
    low.insert(low.end(), high.begin(), high.end());
    return layoutOf(low);
  };
  const digits::SharedLayout byThreads = joined(threads, registers), byRegisters = joined(registers, threads);
  return followersIn(reading, byRegisters) > followersIn(reading, byThreads) ? byRegisters : byThreads;
}
