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

digits::SharedLayout passes::flatLayout(const Mapping &source) {
  digits::SharedLayout layout;
  layout.padded = true;
  layout.words = 1;
  std::vector<digits::Column> columns = source.threads();
  columns.insert(columns.end(), source[Field::Reg].begin(), source[Field::Reg].end());
  for (const digits::Column &column : columns) {
    layout.columns.emplace_back(column.digits[0], static_cast<uint32_t>(layout.words));
    layout.words *= column.radix;
  }
  llvm::sort(layout.columns);
  return layout;
}
