#include "compiler/conversion/addresses/ThreadDigits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

Value ThreadDigits::constant(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }

void ThreadDigits::count(Field field, Value number, int64_t extent) {
  // Divisions of 32 bits cost a third of those of 64.
  if (number.getType().isInteger(64) && extent <= std::numeric_limits<int32_t>::max())
    number = arith::TruncIOp::create(b, loc, b.getI32Type(), number);
  numbers.push_back({field, number, extent});
}

Value ThreadDigits::part(const Number &number, int64_t weight, int64_t range) {
  Value &value = parts[{number.field, weight, range}];
  if (!value) {
    Type type = number.value.getType();
    auto fixed = [&](int64_t v) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v)).getResult(); };
    Value quotient =
        weight == 1 ? number.value : arith::DivUIOp::create(b, loc, number.value, fixed(weight)).getResult();
    value = weight * range < number.extent ? arith::RemUIOp::create(b, loc, quotient, fixed(range)) : quotient;
    if (!type.isInteger(64))
      value = arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  }
  return value;
}

Value ThreadDigits::digit(int digit, const Mapping &mapping) {
  for (const Number &number : numbers) {
    int64_t weight = 1;
    for (const digits::Column &column : number.columnsOf(mapping)) {
      if (llvm::is_contained(column.digits, digit))
        return part(number, weight, column.radix);
      weight *= column.radix;
    }
  }
  return constant(0);
}

IndexSum ThreadDigits::digit(int digit, const Mapping &mapping, ArrayRef<int64_t> inRegister, IndexSums &sums) const {
  digits::Place held;
  if (mapping.find(digit, held) && held.field == Field::Reg)
    return {inRegister[held.position], {}};
  for (const Number &number : numbers) {
    int64_t weight = 1;
    for (const digits::Column &column : number.columnsOf(mapping)) {
      const int64_t range = weight * column.radix;
      if (llvm::is_contained(column.digits, digit)) {
        const IndexSum high = sums.quotient(sums.term(number.value, IndexSums::Bounds{0, number.extent - 1}), weight);
        return range < number.extent ? sums.remainder(high, column.radix) : high;
      }
      weight = range;
    }
  }
  return {};
}

Value ThreadDigits::sum(const Mapping &mapping, llvm::function_ref<int64_t(int)> weightOf, bool narrow) {
  auto fixed = [&](int64_t v) {
    return narrow ? arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(v))).getResult()
                  : constant(v);
  };
  Value sum = fixed(0);
  for (const Number &number : numbers) {
    int64_t weight = 1;
    const std::vector<digits::Column> columns = number.columnsOf(mapping);
    for (size_t i = 0; i < columns.size();) {
      auto stepOf = [&](size_t column) { // nothing, where it is replicated
        return columns[column].digits.empty() ? 0 : weightOf(columns[column].digits[0]);
      };
      int64_t step = stepOf(i), range = columns[i].radix;
      size_t j = i + 1;
      while (j < columns.size() && step > 0 && stepOf(j) == step * range)
        range *= columns[j++].radix;
      if (step) {
        Value value = part(number, weight, range);
        if (narrow)
          value = arith::TruncIOp::create(b, loc, b.getI32Type(), value);
        sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, value, fixed(step)));
      }
      weight *= range;
      i = j;
    }
  }
  return sum;
}

Value ThreadDigits::isFirstHolder(const Mapping &mapping) {
  Value first;
  for (const Number &number : numbers) {
    int64_t weight = 1;
    for (const digits::Column &column : number.columnsOf(mapping)) {
      if (column.digits.empty()) {
        // After the last turn all is known.
        Value holder = constant(number.field == Field::Turn ? column.radix - 1 : 0);
        Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part(number, weight, column.radix), holder);
        first = first ? arith::AndIOp::create(b, loc, first, is).getResult() : is;
      }
      weight *= column.radix;
    }
  }
  return first;
}

void ThreadDigits::forEachColumn(const Mapping &mapping, llvm::function_ref<void(const digits::Column &)> visit) const {
  for (const Number &number : numbers)
    for (const digits::Column &column : number.columnsOf(mapping))
      visit(column);
}
