#include "compiler/conversion/addresses/FlatPlace.h"

#include "compiler/conversion/RootOfUnity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- tables ---------------------------------------------------------------------------------------------------===//

/// What the digits of columns add up to, for all of their values, those of the first column running fastest.
static std::vector<int64_t> sumsOf(const std::vector<digits::Column> &columns,
                                   const std::function<int64_t(int)> &weight) {
  std::vector<int64_t> sums{0};
  for (const digits::Column &column : columns) {
    const size_t below = sums.size();
    for (int value = 1; value < column.radix; ++value)
      for (size_t i = 0; i < below; ++i)
        sums.push_back(sums[i] + value * weight(column.digits[0]));
  }
  return sums;
}

FlatPlace::Table FlatPlace::sumOf(const Mapping &mapping, const std::function<int64_t(int)> &weight) const {
  return sumsOf(mapping.threads(), weight);
}

std::vector<std::vector<int64_t>> FlatPlace::placesOf(const Mapping &mapping, const std::function<int64_t(int)> &weight,
                                                      const std::function<int64_t(int64_t)> &at) {
  std::vector<Table> places;
  const Table threads = sumsOf(mapping.threads(), weight);
  for (int64_t ofRegister : sumsOf(mapping[Field::Reg], weight)) {
    places.emplace_back();
    for (int64_t ofThread : threads)
      places.back().push_back(at(ofRegister + ofThread));
  }
  return places;
}

Value FlatPlace::entryOf(DenseElementsAttr numbers) {
  Value base = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), code.tables.data(numbers));
  return pointer(base, numbers.getElementType(), first);
}

Value FlatPlace::loadTable(const Table &table, bool ofAllLanes) {
  Type i32 = b.getI32Type();
  SmallVector<int32_t> numbers(table.begin(), table.end());
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, i32);
  Value entry = entryOf(DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  constexpr unsigned bytes = 4;
  return LLVM::LoadOp::create(b, loc, ofAllLanes ? Type(VectorType::get({lanes}, i32)) : i32, entry, bytes);
}

Value FlatPlace::digit(int digit, const Mapping &mapping) {
  Value digits = loadTable(sumOf(mapping, [&](int d) -> int64_t { return d == digit; }), /*ofAllLanes=*/true);
  return arith::ExtSIOp::create(b, loc, VectorType::get({lanes}, b.getI64Type()), digits);
}

Value FlatPlace::integer(int64_t value) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(VectorType::get({lanes}, b.getI64Type()), value));
}

std::pair<Value, Value> FlatPlace::entry(const std::string &table, const TwiddleFactor &factor, const Mapping &mapping,
                                         Type scalar) {
  auto positionOf = [&](int digit) {
    return static_cast<size_t>(llvm::find(factor.digits, digit) - factor.digits.begin());
  };
  const Table indices = sumOf(mapping, [&](int digit) -> int64_t {
    const size_t position = positionOf(digit);
    return position == factor.digits.size() ? 0 : factor.weight(position);
  });
  auto floats = dyn_cast<FloatType>(scalar);
  if (!floats) { // of the table's pairs
    const Address address{{LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), table)},
                          scalar,
                          2,
                          2,
                          {indices}};
    const SmallVector<Value> parts = loadRegisters(address);
    return {parts[0], parts[1]};
  }
  // Roots of the threads one after another, real parts and imaginary parts.
  SmallVector<Value> parts;
  std::vector<std::complex<double>> roots;
  for (int64_t index : indices) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < factor.digits.size(); ++i)
      values.push_back(index / factor.weight(i) % (factor.weight(i + 1) / factor.weight(i)));
    roots.push_back(rootOfUnity(factor.root, factor.exponent.evaluate(values, factor.root)));
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(roots.size())}, scalar);
  for (const bool imaginary : {false, true}) {
    SmallVector<llvm::APFloat> numbers;
    for (const std::complex<double> &root : roots) {
      bool inexact;
      numbers.emplace_back(imaginary ? root.imag() : root.real());
      numbers.back().convert(floats.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    }
    Value at = entryOf(DenseElementsAttr::get(type, ArrayRef<llvm::APFloat>(numbers)));
    parts.push_back(LLVM::LoadOp::create(b, loc, VectorType::get({lanes}, scalar), at, floats.getWidth() / 8));
  }
  return {parts[0], parts[1]};
}

//===--- accesses -------------------------------------------------------------------------------------------------===//

Value FlatPlace::pointer(Value base, Type type, Value index) {
  Type result = base.getType();
  if (auto vector = dyn_cast<VectorType>(index.getType()))
    result = VectorType::get(vector.getShape(), base.getType());
  return LLVM::GEPOp::create(b, loc, result, type, base, ArrayRef<LLVM::GEPArg>{index});
}

Value FlatPlace::mask(int64_t count) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(VectorType::get({count}, b.getI1Type()), true));
}

Value FlatPlace::shuffle(Value x, Value y, ArrayRef<int32_t> lanesOfBoth) {
  return LLVM::ShuffleVectorOp::create(b, loc, x, y, lanesOfBoth);
}

bool FlatPlace::followEachOther(const Table &places) const {
  const auto threads = static_cast<int64_t>(places.size());
  for (int64_t begin = 0; begin < threads; begin += lanes) {
    const auto start = static_cast<size_t>(std::min(begin, threads - lanes));
    for (size_t lane = 1; lane < static_cast<size_t>(lanes); ++lane)
      if (places[start + lane] != places[start] + static_cast<int64_t>(lane))
        return false;
  }
  return true;
}

FlatPlace::Lanes FlatPlace::lanesOf(const Table &places) {
  bool counts = true;
  for (size_t i = 0; i < places.size(); ++i)
    counts &= places[i] == places[0] + static_cast<int64_t>(i);
  if (counts)
    return {true, arith::AddIOp::create(b, loc, first, code.constant64(places[0]))};
  if (followEachOther(places))
    return {true, arith::ExtSIOp::create(b, loc, b.getI64Type(), loadTable(places, /*ofAllLanes=*/false))};
  return {false, loadTable(places, /*ofAllLanes=*/true)};
}

/// Every second one of the lanes of two vectors, from the first or the second on.
static SmallVector<int32_t> alternate(int64_t lanes, int from) {
  SmallVector<int32_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane)
    mask.push_back(static_cast<int32_t>(2 * lane) + from);
  return mask;
}

/// The lanes of two vectors in turn: the first or the second half of them.
static SmallVector<int32_t> interleave(int64_t lanes, bool second) {
  SmallVector<int32_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const auto from = static_cast<int32_t>((second ? lanes / 2 : 0) + lane / 2);
    mask.push_back(lane % 2 ? static_cast<int32_t>(lanes) + from : from);
  }
  return mask;
}

/// What the places of a register's threads are beyond those of the first one's, if that is one number.
static std::optional<int64_t> distance(const std::vector<std::vector<int64_t>> &places, size_t r) {
  const int64_t apart = places[r][0] - places[0][0];
  for (size_t i = 0; i < places[r].size(); ++i)
    if (places[r][i] - places[0][i] != apart)
      return std::nullopt;
  return apart;
}

SmallVector<Value> FlatPlace::loadRegisters(const Address &address) {
  const unsigned bytes = std::max(1u, address.real.getIntOrFloatBitWidth() / 8);
  auto vector = VectorType::get({lanes}, address.real);
  Type pair = b.getI64Type();
  const Lanes common = lanesOf(address.places[0]);
  SmallVector<Value> parts;
  for (size_t r = 0; r < address.places.size(); ++r) {
    const std::optional<int64_t> apart = distance(address.places, r);
    const Lanes at = apart ? common : lanesOf(address.places[r]);
    for (Value plane : address.bases) {
      Type place = LLVM::LLVMArrayType::get(address.real, address.perPlace);
      Value base = pointer(plane, place, code.constant64(apart.value_or(0)));
      auto number = [&](Value from, int64_t k) { return k ? pointer(from, address.real, code.constant64(k)) : from; };
      if (at.together && address.perPlace <= 2) {
        Value start = pointer(base, place, at.index);
        Value low = LLVM::LoadOp::create(b, loc, vector, start, bytes);
        if (address.perPlace == 1) {
          parts.push_back(low);
          continue;
        }
        Value high = LLVM::LoadOp::create(b, loc, vector, number(start, lanes), bytes);
        for (int c : {0, 1})
          parts.push_back(shuffle(low, high, alternate(lanes, c)));
      } else if (!at.together && address.perPlace == 2 && bytes == 4 && lanes >= 4) { // both numbers at once
        const int64_t half = lanes / 2;
        SmallVector<Value> halves;
        for (int64_t begin : {int64_t(0), half}) {
          SmallVector<int32_t> own;
          for (int64_t lane = 0; lane < half; ++lane)
            own.push_back(static_cast<int32_t>(begin + lane));
          Value pairs = LLVM::masked_gather::create(b, loc, VectorType::get({half}, pair),
                                                    pointer(base, pair, shuffle(at.index, at.index, own)), mask(half),
                                                    ValueRange{}, bytes);
          halves.push_back(LLVM::BitcastOp::create(b, loc, vector, pairs));
        }
        for (int c : {0, 1})
          parts.push_back(shuffle(halves[0], halves[1], alternate(lanes, c)));
      } else {
        for (int c = 0; c < address.perPlace; ++c) {
          Value index = numbersAt(address, at);
          parts.push_back(LLVM::masked_gather::create(b, loc, vector, pointer(number(base, c), address.real, index),
                                                      mask(lanes), ValueRange{}, bytes));
        }
      }
    }
  }
  return parts;
}

void FlatPlace::storeRegisters(const Address &address, ArrayRef<Value> parts) {
  const unsigned bytes = std::max(1u, address.real.getIntOrFloatBitWidth() / 8);
  const Lanes common = lanesOf(address.places[0]);
  for (size_t r = 0; r < address.places.size(); ++r) {
    const std::optional<int64_t> apart = distance(address.places, r);
    const Lanes at = apart ? common : lanesOf(address.places[r]);
    for (Value plane : address.bases) {
      Type place = LLVM::LLVMArrayType::get(address.real, address.perPlace);
      Value base = pointer(plane, place, code.constant64(apart.value_or(0)));
      auto number = [&](Value from, int64_t k) { return k ? pointer(from, address.real, code.constant64(k)) : from; };
      const ArrayRef<Value> own = parts.take_front(static_cast<size_t>(address.perPlace));
      parts = parts.drop_front(own.size());
      if (at.together && address.perPlace <= 2) {
        Value start = pointer(base, place, at.index);
        if (address.perPlace == 1) {
          LLVM::StoreOp::create(b, loc, own[0], start, bytes);
          continue;
        }
        LLVM::StoreOp::create(b, loc, shuffle(own[0], own[1], interleave(lanes, false)), start, bytes);
        LLVM::StoreOp::create(b, loc, shuffle(own[0], own[1], interleave(lanes, true)), number(start, lanes), bytes);
        continue;
      }
      for (auto [c, value] : llvm::enumerate(own))
        LLVM::masked_scatter::create(
            b, loc, value, pointer(number(base, static_cast<int64_t>(c)), address.real, numbersAt(address, at)),
            mask(lanes), bytes);
    }
  }
}

Value FlatPlace::numbersAt(const Address &address, const Lanes &at) {
  auto type = VectorType::get({lanes}, b.getI32Type());
  Value index = at.index;
  if (at.together) { // as places of all lanes
    SmallVector<int32_t> counted;
    for (int64_t lane = 0; lane < lanes; ++lane)
      counted.push_back(static_cast<int32_t>(lane));
    Value start = arith::TruncIOp::create(b, loc, b.getI32Type(), index);
    Value splat =
        LLVM::InsertElementOp::create(b, loc, LLVM::PoisonOp::create(b, loc, type), start, code.constant32(0));
    splat = shuffle(splat, splat, SmallVector<int32_t>(static_cast<size_t>(lanes), 0));
    index = arith::AddIOp::create(
        b, loc, splat, arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(counted))));
  }
  if (address.perPlace == 1)
    return index;
  return arith::MulIOp::create(
      b, loc, index, arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, int32_t(address.perPlace))));
}
