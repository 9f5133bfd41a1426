#include "compiler/conversion/BlockDigits.h"

#include "compiler/conversion/TileBlocks.h"
#include "compiler/conversion/addresses/ViewLayout.h"

#include "id/ArrayType.h"
#include "id/Devices.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- what a kernel reaches
//--------------------------------------------------------------------------------------===//

/// The sequence's digit that a tile's digit is, by its distance in memory; 0: none.
static int digitOf(int64_t weight, int radix, id::SeqType sequence) {
  int64_t distance = 1;
  for (auto [i, own] : llvm::enumerate(sequence.getRadices())) {
    if (distance == weight && own == radix)
      return static_cast<int>(i) + 1;
    distance *= own;
  }
  return 0;
}

static Reached reach(Value sequence, bool isStore, const digits::BufferView &view, const Mapping &mapping) {
  Reached reached{id::wholeOf(sequence), isStore, {}, 0};
  auto type = cast<id::SeqType>(reached.sequence.getType());
  reached.bytes = id::bytesOf(cast<id::SeqType>(sequence.getType()));
  for (const digits::Column &column : mapping[Field::Block]) {
    const int digit = column.digits.empty() ? 0 : column.digits.front();
    const bool isOwn = digit > 0 && digit <= static_cast<int>(view.radices.size());
    reached.digits.push_back(isOwn ? digitOf(view.address.weight[static_cast<size_t>(digit) - 1], column.radix, type)
                                   : 0);
  }
  return reached;
}

void conversion::forEachBuffer(id::KernelOp kernel, llvm::function_ref<void(Value, Value)> visit) {
  Block &body = kernel.getBody().front();
  for (auto [buffer, sequence] : llvm::zip(body.getArguments(), kernel.getInputs()))
    visit(buffer, sequence);
  for (auto [buffer, sequence] : llvm::zip(body.getTerminator()->getOperands(), kernel.getOutputs()))
    visit(buffer, sequence);
}

SmallVector<Reached> conversion::reachedBy(id::KernelOp kernel) {
  DenseMap<Value, BufferMemory> memory;
  DenseMap<Value, Value> sequenceOf;
  forEachBuffer(kernel, [&](Value buffer, Value sequence) {
    auto type = cast<id::SeqType>(id::wholeOf(sequence).getType());
    memory[buffer] = {{}, digits::ArrayLayout::dense(type.getNumElements())};
    sequenceOf[buffer] = sequence;
  });
  for (id::RingOp ring : kernel.getBody().getOps<id::RingOp>())
    for (Value buffer : {ring.getInput(), ring.getResult()})
      memory[buffer] = {{}, digits::ArrayLayout::dense(cast<id::SeqType>(buffer.getType()).getNumElements())};
  SmallVector<Reached> all;
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<id::LoadOp>(op)) {
      const ViewLayout layout = layoutOf(load, memory);
      if (!sequenceOf.contains(layout.buffer))
        continue; // of a ring
      all.push_back(
          reach(sequenceOf.lookup(layout.buffer), false, layout.view, load.getResult().getType().getMapping()));
    } else if (auto store = dyn_cast<id::StoreOp>(op)) {
      const ViewLayout layout = layoutOf(store, memory);
      if (!sequenceOf.contains(layout.buffer))
        continue;
      all.push_back(reach(sequenceOf.lookup(layout.buffer), true, layout.view, store.getTile().getType().getMapping()));
    }
  }
  return all;
}

//===--- columns
//----------------------------------------------------------------------------------------------------===//

std::optional<Mapping> conversion::commonBlocks(id::KernelOp kernel) {
  if (hasRing(kernel))
    return std::nullopt; // a tile of the second pass takes what all of the first have
  std::optional<Mapping> common;
  for (Operation &op : kernel.getBody().front())
    for (Value value : op.getResults()) {
      auto tile = dyn_cast<id::TileType>(value.getType());
      if (!tile)
        continue;
      const Mapping mapping = tile.getMapping();
      if (!mapping[Field::Device].empty())
        return std::nullopt;
      if (!common)
        common = mapping;
      const auto &own = mapping[Field::Block], &first = (*common)[Field::Block];
      if (own.size() != first.size() ||
          !std::equal(own.begin(), own.end(), first.begin(), [](auto &a, auto &b) { return a.radix == b.radix; }))
        return std::nullopt;
    }
  return common;
}

static void findSets(ArrayRef<digits::Column> columns, int64_t missing, SmallVector<int> set,
                     SmallVectorImpl<SmallVector<int>> &sets) {
  if (missing == 1) {
    sets.emplace_back(set.rbegin(), set.rend());
    return;
  }
  for (int column = set.empty() ? static_cast<int>(columns.size()) : set.back(); column-- > 0;)
    if (missing % columns[static_cast<size_t>(column)].radix == 0) {
      set.push_back(column);
      findSets(columns, missing / columns[static_cast<size_t>(column)].radix, set, sets);
      set.pop_back();
    }
}

SmallVector<SmallVector<int>> conversion::columnSets(ArrayRef<digits::Column> columns, int64_t parts) {
  SmallVector<SmallVector<int>> sets;
  findSets(columns, parts, {}, sets);
  return sets;
}

SmallVector<int> conversion::digitsAt(const Reached &reached, ArrayRef<int> set) {
  SmallVector<int> digits;
  for (int column : set)
    digits.push_back(reached.digits[static_cast<size_t>(column)]);
  return digits;
}

void conversion::changeMappings(id::KernelOp kernel, llvm::function_ref<void(Mapping &)> change) {
  for (Operation &op : kernel.getBody().front())
    for (Value value : op.getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType())) {
        Mapping mapping = tile.getMapping();
        change(mapping);
        value.setType(id::TileType::get(kernel.getContext(), tile.getRadices(), mapping.str(), tile.getElement()));
      }
}

void conversion::moveToDevices(id::KernelOp kernel, ArrayRef<int> set) {
  changeMappings(kernel, [&](Mapping &mapping) {
    std::vector<digits::Column> rest;
    for (int column : set)
      mapping[Field::Device].push_back(mapping[Field::Block][static_cast<size_t>(column)]);
    for (auto [number, column] : llvm::enumerate(mapping[Field::Block]))
      if (!llvm::is_contained(set, static_cast<int>(number)))
        rest.push_back(column);
    mapping[Field::Block] = rest;
  });
}
