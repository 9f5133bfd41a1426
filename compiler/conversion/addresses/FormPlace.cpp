#include "compiler/conversion/addresses/FormPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

void FormPlace::count(const Extents &extents, Value block, Value turn) {
  numbers.clear();
  problems.clear();
  if (thread)
    numbers.count(Field::Lane, thread, extents.threads);
  if (rank)
    numbers.count(Field::Rank, rank, extents.ranks);
  numbers.count(Field::Block, block, extents.blocks);
  if (device)
    numbers.count(Field::Device, device, devices);
  if (turn)
    numbers.count(Field::Turn, turn, extents.turns);
}

std::pair<Value, Value> FormPlace::entry(const std::string &table, const TwiddleFactor &factor,
                                         const digits::Mapping &mapping, Type scalar) {
  Value index = numbers.sum(mapping, [&](int digit) -> int64_t {
    auto found = llvm::find(factor.digits, digit);
    return found == factor.digits.end() ? 0 : factor.weight(static_cast<size_t>(found - factor.digits.begin()));
  });
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), code.tables.getAddressSpace());
  Value base = LLVM::AddressOfOp::create(b, loc, pointer, table);
  Value bytes = arith::MulIOp::create(b, loc, index, code.constant64(2 * id::elementBytes(scalar)));
  return loadEntry(code.byteOffset(base, bytes), scalar);
}

void FormPlace::inside(Block *branch, llvm::function_ref<void()> emit) {
  ThreadDigits::Branch branchDigits(numbers);
  std::map<std::string, Problem> outside = problems;
  ThreadPlace::inside(branch, emit);
  problems = std::move(outside);
}

FormPlace::Problem FormPlace::problemOf(const digits::Mapping &mapping, int n, int64_t inRegisters) {
  if (!batch)
    return {problem, {}};
  auto weightOf = [&](int digit) { return digit > n ? int64_t(1) << (digit - n - 1) : 0; };
  std::string key = std::to_string(inRegisters);
  int64_t weight = 1;
  for (const digits::Column &column : mapping.threads()) {
    if (int64_t problems = weightOf(column.digits[0]))
      key += "," + std::to_string(weight) + ":" + std::to_string(problems);
    weight *= column.radix;
  }
  Problem &found = problems[key];
  if (!found.index) {
    Value index = problem;
    if (inRegisters)
      index = arith::AddIOp::create(b, loc, index, code.constant64(inRegisters));
    if (llvm::any_of(mapping.threads(), [&](const auto &column) { return weightOf(column.digits[0]) > 0; }))
      index = arith::AddIOp::create(b, loc, index, numbers.sum(mapping, weightOf));
    found.inBatch = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, batch);
    found.index = arith::SelectOp::create(b, loc, found.inBatch, index, first);
  }
  return found;
}
