#include "compiler/conversion/addresses/BitPlace.h"

#include "compiler/conversion/addresses/Index.h"

#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- digits ---------------------------------------------------------------------------------------------------===//

std::vector<uint64_t> BitPlace::threadTargets(const Mapping &mapping, const Target &target) const {
  std::vector<uint64_t> bits = columnTargets(mapping[Field::Lane], target);
  llvm::append_range(bits, columnTargets(mapping[Field::Warp], target));
  return bits;
}

Value BitPlace::threadBits(const Mapping &mapping, const Target &target) {
  return scatterBits(b, loc, thread, threadTargets(mapping, target));
}

Value BitPlace::rankBits(const Mapping &mapping, const Target &target) {
  return rank ? scatterBits(b, loc, rank, columnTargets(mapping[Field::Rank], target)) : Value();
}

Value BitPlace::deviceBits(const Mapping &mapping, const Target &target) {
  return device ? scatterBits(b, loc, device, columnTargets(mapping[Field::Device], target)) : Value();
}

Value BitPlace::positionBits(const Mapping &mapping, const Target &target, Type type) {
  Value sum;
  for (Value part :
       {threadBits(mapping, target), rankBits(mapping, target),
        scatterBits(b, loc, block, columnTargets(mapping[Field::Block], target)), deviceBits(mapping, target)}) {
    if (!part)
      continue;
    if (type.isInteger(64))
      part = arith::ExtUIOp::create(b, loc, type, part);
    sum = sum ? arith::OrIOp::create(b, loc, sum, part).getResult() : part;
  }
  return sum;
}

Value BitPlace::digit(int digit, const Mapping &mapping) {
  Value bits = positionBits(
      mapping, [&](int d) -> uint64_t { return d == digit; }, b.getI64Type());
  return bits ? bits : integer(0);
}

std::pair<Value, Value> BitPlace::entry(const std::string &table, const TwiddleFactor &factor, const Mapping &mapping,
                                        Type scalar) {
  auto target = [&](int digit) -> uint64_t {
    auto at = std::find(factor.digits.begin(), factor.digits.end(), digit);
    return at == factor.digits.end() ? 0 : uint64_t(1) << (at - factor.digits.begin());
  };
  Value index = positionBits(mapping, target, b.getI32Type());
  Value base =
      LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), machine::globalSpace), table);
  Type pair = VectorType::get({2}, scalar);
  Value at =
      index ? LLVM::GEPOp::create(b, loc, base.getType(), pair, base, ArrayRef<LLVM::GEPArg>{index}).getResult() : base;
  return loadEntry(at, scalar);
}

//===--- the batch ------------------------------------------------------------------------------------------------===//

Value BitPlace::blockPart(const Mapping &mapping, const Target &target, int restBit) {
  std::vector<uint64_t> bits = columnTargets(mapping[Field::Block], target);
  for (size_t i = bits.size(), rest = restBit; i < 31; ++i, ++rest)
    bits.push_back(uint64_t(1) << rest);
  return scatterBits(b, loc, arith::ExtUIOp::create(b, loc, b.getI64Type(), block), bits);
}

Value BitPlace::blockIsFull(const Access &access, const Mapping &mapping) {
  auto none = [](int) -> uint64_t { return 0; };
  Value first = blockPart(mapping, none, access.batchDigits);
  Value last = arith::OrIOp::create(b, loc, first, code.constant64((int64_t(1) << access.batchDigits) - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last, batch);
}

Value BitPlace::inBatch(const Access &access, const Mapping &mapping, size_t r) {
  auto target = [&](int digit) { return access.batchTarget(digit); };
  Value problem = blockPart(mapping, target, access.batchDigits);
  for (Value part : {threadBits(mapping, target), rankBits(mapping, target)})
    if (part)
      problem = arith::OrIOp::create(b, loc, problem, arith::ExtUIOp::create(b, loc, b.getI64Type(), part));
  uint64_t fixed = contributionOf(columnTargets(mapping[Field::Reg], target), r);
  problem = arith::OrIOp::create(b, loc, problem, code.constant64(static_cast<int64_t>(fixed)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, problem, batch);
}
