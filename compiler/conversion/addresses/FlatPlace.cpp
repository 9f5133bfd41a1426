#include "compiler/conversion/addresses/FlatPlace.h"

#include "compiler/conversion/RootOfUnity.h"
#include "compiler/conversion/addresses/VectorBits.h"
#include "compiler/conversion/addresses/VectorPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/bit.h"

#include <numeric>

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

std::vector<FlatPlace::RunTables> FlatPlace::runsOf(const Table &places) const {
  const auto threads = static_cast<int64_t>(places.size());
  std::vector<RunTables> runs;
  for (int64_t begin = 0; begin < threads; begin += lanes) {
    const auto first = static_cast<size_t>(std::min(begin, threads - lanes));
    size_t count = 0;
    for (size_t lane = 0; lane < static_cast<size_t>(lanes); ++lane) {
      if (lane && places[first + lane] == places[first + lane - 1] + 1)
        continue;
      if (count == runs.size()) // other turns have no such run: what they would read is the run before
        runs.push_back({runs.empty() ? places : runs.back().places, Table(places.size(), lanes)});
      runs[count].places[first] = places[first + lane] - static_cast<int64_t>(lane);
      runs[count++].begins[first] = static_cast<int64_t>(lane);
    }
    for (; count < runs.size(); ++count)
      runs[count].places[first] = runs[count - 1].places[first];
  }
  return runs;
}

size_t FlatPlace::mostRuns(const Address &address) const {
  if (address.perPlace > 2)
    return 1;
  // Elements all around are there to be read.
  std::vector<int64_t> all;
  for (const Table &places : address.places)
    llvm::append_range(all, places);
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.back() - all.front() + 1 != static_cast<int64_t>(all.size()))
    return 1;
  const int64_t low = all.front() - address.beside, high = all.back() + address.beside;
  for (const Table &places : address.places)
    for (const RunTables &run : runsOf(places))
      for (int64_t begin = 0, threads = static_cast<int64_t>(places.size()); begin < threads; begin += lanes) {
        const int64_t start = run.places[static_cast<size_t>(std::min(begin, threads - lanes))];
        if (start < low || start + lanes - 1 > high)
          return 1;
      }
  return static_cast<size_t>(lanes) / 2;
}

FlatPlace::Lanes FlatPlace::lanesOf(const Table &places, size_t mostRuns) {
  bool counts = true;
  for (size_t i = 0; i < places.size(); ++i)
    counts &= places[i] == places[0] + static_cast<int64_t>(i);
  Lanes found;
  if (counts) {
    found.runs.push_back({arith::AddIOp::create(b, loc, first, code.constant64(places[0])), {}});
    return found;
  }
  const std::vector<RunTables> runs = runsOf(places);
  if (runs.size() > std::max<size_t>(1, mostRuns)) {
    found.indices = loadTable(places, /*ofAllLanes=*/true);
    return found;
  }
  for (const RunTables &run : runs) {
    Value index = arith::ExtSIOp::create(b, loc, b.getI64Type(), loadTable(run.places, /*ofAllLanes=*/false));
    Value from;
    if (!found.runs.empty())
      from = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, counted(),
                                   VectorPlace::splat(b, loc, loadTable(run.begins, /*ofAllLanes=*/false), lanes));
    found.runs.push_back({index, from});
  }
  return found;
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
  const size_t most = mostRuns(address);
  const Lanes common = lanesOf(address.places[0], most);
  SmallVector<Value> parts;
  for (size_t r = 0; r < address.places.size(); ++r) {
    const std::optional<int64_t> apart = distance(address.places, r);
    const Lanes at = apart ? common : lanesOf(address.places[r], most);
    for (Value plane : address.bases) {
      Type place = LLVM::LLVMArrayType::get(address.real, address.perPlace);
      Value base = pointer(plane, place, code.constant64(apart.value_or(0)));
      auto number = [&](Value from, int64_t k) { return k ? pointer(from, address.real, code.constant64(k)) : from; };
      if (!at.indices && address.perPlace <= 2) {
        SmallVector<Value, 2> blended(static_cast<size_t>(address.perPlace));
        for (const Lanes::Run &run : at.runs) {
          Value start = pointer(base, place, run.index);
          Value low = LLVM::LoadOp::create(b, loc, vector, start, bytes), high;
          if (address.perPlace == 2)
            high = LLVM::LoadOp::create(b, loc, vector, number(start, lanes), bytes);
          for (auto [c, value] : llvm::enumerate(blended)) {
            Value own = high ? shuffle(low, high, alternate(lanes, static_cast<int>(c))) : low;
            value = run.from ? arith::SelectOp::create(b, loc, run.from, own, value).getResult() : own;
          }
        }
        llvm::append_range(parts, blended);
      } else if (at.indices && address.perPlace == 2 && bytes == 4 && lanes >= 4) { // both numbers at once
        const int64_t half = lanes / 2;
        SmallVector<Value> halves;
        for (int64_t begin : {int64_t(0), half}) {
          SmallVector<int32_t> own;
          for (int64_t lane = 0; lane < half; ++lane)
            own.push_back(static_cast<int32_t>(begin + lane));
          Value pairs = LLVM::masked_gather::create(b, loc, VectorType::get({half}, pair),
                                                    pointer(base, pair, shuffle(at.indices, at.indices, own)),
                                                    mask(half), ValueRange{}, bytes);
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

/// The registers by ascending places, if these follow each other in every thread and those of the next thread behind
/// them; else none.
static std::vector<size_t> rowOrder(const std::vector<std::vector<int64_t>> &places) {
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t r, size_t s) { return places[r][0] < places[s][0]; });
  const auto row = static_cast<int64_t>(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    for (size_t thread = 0; thread < places[0].size(); ++thread)
      if (places[order[k]][thread] !=
          places[order[0]][0] + static_cast<int64_t>(thread) * row + static_cast<int64_t>(k))
        return {};
  return order;
}

void FlatPlace::storeRows(const Address &address, ArrayRef<Value> parts, ArrayRef<size_t> order) {
  const unsigned bytes = std::max(1u, address.real.getIntOrFloatBitWidth() / 8);
  const auto row = static_cast<int64_t>(order.size());
  // So many registers are transposed together. Where a row is shorter, what is stored behind it comes before the next
  // row, which lies there; where it is no multiple, the last ones are those before its end.
  const int64_t width = std::min(lanes, static_cast<int64_t>(llvm::bit_ceil(order.size())));
  const int64_t rowsOfVector = width == row ? lanes / width : 1; // else each row is stored for itself
  VectorBits from, to;
  for (int bit = 0; int64_t(1) << bit < width; ++bit) {
    from.vectors.push_back(bit);
    to.lanes.push_back(bit);
  }
  constexpr int ofThread = 32;
  for (int bit = 0; int64_t(1) << bit < lanes; ++bit) {
    from.lanes.push_back(ofThread + bit);
    (width << bit < lanes ? to.lanes : to.vectors).push_back(ofThread + bit);
  }
  Value turn = arith::MulIOp::create(b, loc, first, code.constant64(row));
  for (auto [p, plane] : llvm::enumerate(address.bases)) {
    Value base = pointer(plane, address.real, turn);
    for (int64_t begin = 0; begin < row; begin += width) {
      const int64_t low = std::max<int64_t>(0, std::min(begin, row - width));
      SmallVector<Value> vectors;
      for (int64_t k = low; k < low + width; ++k) // beyond a row: any
        vectors.push_back(parts[order[static_cast<size_t>(std::min(k, row - 1))] * address.bases.size() + p]);
      rearrange(b, loc, vectors, from, to);
      for (int64_t lane = 0; lane < lanes; lane += rowsOfVector) {
        Value stored = vectors[static_cast<size_t>(lane * width / lanes)];
        if (const int64_t count = rowsOfVector * width; count < lanes) {
          SmallVector<int32_t> own;
          for (int64_t k = 0; k < count; ++k)
            own.push_back(static_cast<int32_t>(lane * width % lanes + k));
          stored = shuffle(stored, stored, own);
        }
        const int64_t place = address.places[order[0]][0] + lane * row + low;
        LLVM::StoreOp::create(b, loc, stored, pointer(base, address.real, code.constant64(place)), bytes);
      }
    }
  }
}

void FlatPlace::storeRegisters(const Address &address, ArrayRef<Value> parts) {
  const unsigned bytes = std::max(1u, address.real.getIntOrFloatBitWidth() / 8);
  if (address.perPlace == 1 && address.places.size() > 1 && address.beside >= lanes)
    if (std::vector<size_t> order = rowOrder(address.places); !order.empty())
      return storeRows(address, parts, order);
  const Lanes common = lanesOf(address.places[0], 1);
  for (size_t r = 0; r < address.places.size(); ++r) {
    const std::optional<int64_t> apart = distance(address.places, r);
    const Lanes at = apart ? common : lanesOf(address.places[r], 1);
    for (Value plane : address.bases) {
      Type place = LLVM::LLVMArrayType::get(address.real, address.perPlace);
      Value base = pointer(plane, place, code.constant64(apart.value_or(0)));
      auto number = [&](Value from, int64_t k) { return k ? pointer(from, address.real, code.constant64(k)) : from; };
      const ArrayRef<Value> own = parts.take_front(static_cast<size_t>(address.perPlace));
      parts = parts.drop_front(own.size());
      if (!at.indices && address.perPlace <= 2) {
        Value start = pointer(base, place, at.runs[0].index);
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

Value FlatPlace::counted() {
  SmallVector<int32_t> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(static_cast<int32_t>(lane));
  auto type = VectorType::get({lanes}, b.getI32Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
}

Value FlatPlace::numbersAt(const Address &address, const Lanes &at) {
  Value index = at.indices;
  if (!index) // as places of all lanes
    index = arith::AddIOp::create(
        b, loc, VectorPlace::splat(b, loc, arith::TruncIOp::create(b, loc, b.getI32Type(), at.runs[0].index), lanes),
        counted());
  if (address.perPlace == 1)
    return index;
  return arith::MulIOp::create(
      b, loc, index,
      arith::ConstantOp::create(b, loc,
                                DenseElementsAttr::get(cast<VectorType>(index.getType()), int32_t(address.perPlace))));
}
