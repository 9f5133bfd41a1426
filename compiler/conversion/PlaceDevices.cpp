// Input: a function of planned kernels for several devices. Output: the same, its tiles and sequences divided.
//
// A kernel's blocks are independent, so any of the digits that number them may number devices instead. Kernels are gone
// through in launch order. Where the digits of a kernel's devices are those by which what it loads, or what made that,
// is divided, nothing goes from device to device; what is stored goes where it is loaded first. So an exchange of all
// with all stands only between two kernels that can have no device digits in common. A kernel whose blocks cannot be
// divided, as there are too few, runs on every device.
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/addresses/ViewLayout.h"

#include "id/ConstantData.h"
#include "id/Devices.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

namespace idc::conversion {
#define GEN_PASS_DEF_PLACEDEVICES
#include "compiler/conversion/Passes.h.inc"
} // namespace idc::conversion

namespace {

/// A load or store of a kernel.
struct Reached {
  Value sequence; // of the function, as a whole
  bool isStore;
  SmallVector<int> digits; // for each column of the blocks, lowest first: the digit of the sequence that it is, or 0
  int64_t bytes;
};

struct PlaceDevices : conversion::impl::PlaceDevicesBase<PlaceDevices> {
  void runOnOperation() override {
    function = getOperation();
    devices = id::devicesOf(function);
    if (devices == 1)
      return;
    if (failed(distributeEnds()))
      return signalPassFailure();
    bool isDivided = false;
    for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>())
      isDivided |= divide(kernel);
    if (!isDivided) {
      function.emitError()
          << "no kernel leaves " << devices
          << " devices a part each: its sequences are too short, or have no digits that number so many";
      return signalPassFailure();
    }
    for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>())
      alternatePeers(kernel);
  }

private:
  func::FuncOp function;
  int64_t devices = 1;
  DenseMap<Value, std::vector<int>> placed;  // the digits by which sequences are divided, once that is known
  DenseMap<Value, SmallVector<int>> madeFor; // the digits of a sequence that number the devices which store it

  //===--- arguments and results ----------------------------------------------------------------------------------===//

  LogicalResult distributeEnds() {
    std::string error;
    auto digitsOf = [&](Type type, Attribute wanted) {
      return id::distributedDigits(cast<id::SeqType>(type), id::distributionOf(wanted), devices, error);
    };
    for (BlockArgument argument : function.getArguments()) {
      const unsigned number = argument.getArgNumber();
      if (function.getArgAttr(number, id::dataAttr)) {
        placed[argument] = {};
        continue;
      }
      auto digits = digitsOf(argument.getType(), function.getArgAttr(number, id::distributionAttr));
      if (!digits)
        return function.emitError() << "argument " << number + 1 << " cannot be distributed: " << error;
      function.setArgAttr(number, id::deviceDigitsAttr, id::deviceDigitsAttribute(&getContext(), *digits));
      placed[argument] = *digits;
    }
    for (OpOperand &result : function.getBody().front().getTerminator()->getOpOperands()) {
      const unsigned number = result.getOperandNumber();
      auto digits = digitsOf(result.get().getType(), function.getResultAttr(number, id::distributionAttr));
      if (!digits)
        return function.emitError() << "result " << number + 1 << " cannot be distributed: " << error;
      function.setResultAttr(number, id::deviceDigitsAttr, id::deviceDigitsAttribute(&getContext(), *digits));
      placed[result.get()] = *digits;
    }
    return success();
  }

  //===--- what a kernel reaches ----------------------------------------------------------------------------------===//

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

  Reached reach(Value sequence, bool isStore, const digits::BufferView &view, const Mapping &mapping) {
    Reached reached{id::wholeOf(sequence), isStore, {}, 0};
    auto type = cast<id::SeqType>(reached.sequence.getType());
    reached.bytes = cast<id::SeqType>(sequence.getType()).getNumElements() * id::elementBytes(type.getElement());
    for (const digits::Column &column : mapping[Field::Block]) {
      const int digit = column.digits.empty() ? 0 : column.digits.front();
      const bool isOwn = digit > 0 && digit <= static_cast<int>(view.radices.size());
      reached.digits.push_back(isOwn ? digitOf(view.address.weight[static_cast<size_t>(digit) - 1], column.radix, type)
                                     : 0);
    }
    return reached;
  }

  SmallVector<Reached> reachedBy(id::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    DenseMap<Value, BufferMemory> memory;
    DenseMap<Value, Value> sequenceOf;
    auto add = [&](Value buffer, Value sequence) {
      auto type = cast<id::SeqType>(id::wholeOf(sequence).getType());
      memory[buffer] = {{}, digits::ArrayLayout::dense(type.getNumElements())};
      sequenceOf[buffer] = sequence;
    };
    for (auto [buffer, sequence] : llvm::zip(body.getArguments(), kernel.getInputs()))
      add(buffer, sequence);
    for (auto [buffer, sequence] : llvm::zip(body.getTerminator()->getOperands(), kernel.getOutputs()))
      add(buffer, sequence);
    SmallVector<Reached> all;
    for (Operation &op : body) {
      if (auto load = dyn_cast<id::LoadOp>(op)) {
        const ViewLayout layout = layoutOf(load, memory);
        all.push_back(
            reach(sequenceOf.lookup(layout.buffer), false, layout.view, load.getResult().getType().getMapping()));
      } else if (auto store = dyn_cast<id::StoreOp>(op)) {
        const ViewLayout layout = layoutOf(store, memory);
        all.push_back(
            reach(sequenceOf.lookup(layout.buffer), true, layout.view, store.getTile().getType().getMapping()));
      }
    }
    return all;
  }

  //===--- choosing -----------------------------------------------------------------------------------------------===//

  /// Sets of columns of the blocks that number as many devices, those of high columns first.
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

  static SmallVector<int> digitsAt(const Reached &reached, ArrayRef<int> set) {
    SmallVector<int> digits;
    for (int column : set)
      digits.push_back(reached.digits[static_cast<size_t>(column)]);
    return digits;
  }

  static bool isSame(ArrayRef<int> set, ArrayRef<int> other) {
    return set.size() == other.size() && llvm::all_of(set, [&](int digit) { return llvm::is_contained(other, digit); });
  }

  /// The bytes that go from device to device.
  int64_t costOf(ArrayRef<Reached> all, ArrayRef<int> set) {
    int64_t bytes = 0;
    for (const Reached &reached : all) {
      const SmallVector<int> digits = digitsAt(reached, set);
      if (auto found = placed.find(reached.sequence); found != placed.end()) {
        const std::vector<int> &held = found->second;
        if (held.empty())
          bytes += reached.isStore ? (devices - 1) * reached.bytes : 0;
        else
          bytes += isSame(digits, held) ? 0 : reached.bytes;
      } else if (!reached.isStore) {
        bytes += isSame(digits, madeFor.lookup(reached.sequence)) ? 0 : reached.bytes;
      }
    }
    return bytes;
  }

  /// The set in the order in which the digits of what is in the own memory number devices.
  SmallVector<int> inOrder(ArrayRef<Reached> all, SmallVector<int> set) {
    for (const Reached &reached : all) {
      const SmallVector<int> digits = digitsAt(reached, set);
      auto found = placed.find(reached.sequence);
      SmallVector<int> wanted = found != placed.end() ? SmallVector<int>(found->second.begin(), found->second.end())
                                                      : madeFor.lookup(reached.sequence);
      if (wanted.empty() || !isSame(digits, wanted))
        continue;
      SmallVector<int> ordered;
      for (int digit : wanted)
        ordered.push_back(set[static_cast<size_t>(llvm::find(digits, digit) - digits.begin())]);
      return ordered;
    }
    return set;
  }

  /// False when every device does all of the kernel.
  bool divide(id::KernelOp kernel) {
    const SmallVector<Reached> all = reachedBy(kernel);
    SmallVector<int> set;
    if (const std::optional<Mapping> blocks = commonBlocks(kernel)) {
      SmallVector<SmallVector<int>> sets;
      findSets((*blocks)[Field::Block], devices, {}, sets);
      int64_t least = 0;
      for (const SmallVector<int> &one : sets)
        if (const int64_t cost = costOf(all, one); set.empty() || cost < least) {
          set = one;
          least = cost;
        }
      set = inOrder(all, set);
    }
    for (const Reached &reached : all) {
      const SmallVector<int> digits = digitsAt(reached, set);
      if (!reached.isStore) {
        const bool isDivided = !set.empty() && !llvm::is_contained(digits, 0);
        placed.try_emplace(reached.sequence,
                           isDivided ? std::vector<int>(digits.begin(), digits.end()) : std::vector<int>());
      } else if (set.empty()) {
        placed.try_emplace(reached.sequence);
      } else {
        madeFor.try_emplace(reached.sequence, digits);
      }
    }
    if (!set.empty())
      moveColumns(kernel, [&](Mapping &mapping) {
        std::vector<digits::Column> rest;
        for (int column : set)
          mapping[Field::Device].push_back(mapping[Field::Block][static_cast<size_t>(column)]);
        for (auto [number, column] : llvm::enumerate(mapping[Field::Block]))
          if (!llvm::is_contained(set, static_cast<int>(number)))
            rest.push_back(column);
        mapping[Field::Block] = rest;
      });
    return !set.empty();
  }

  //===--- kernels ------------------------------------------------------------------------------------------------===//

  /// The mapping of one of a kernel's tiles, where all have as many columns of the same radices that number blocks.
  static std::optional<Mapping> commonBlocks(id::KernelOp kernel) {
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

  void moveColumns(id::KernelOp kernel, llvm::function_ref<void(Mapping &)> change) {
    for (Operation &op : kernel.getBody().front())
      for (Value value : op.getResults())
        if (auto tile = dyn_cast<id::TileType>(value.getType())) {
          Mapping mapping = tile.getMapping();
          change(mapping);
          value.setType(id::TileType::get(&getContext(), tile.getRadices(), mapping.str(), tile.getElement()));
        }
  }

  /// Writes down where a kernel's results are. Blocks that follow each other store to different devices.
  void alternatePeers(id::KernelOp kernel) {
    SmallVector<Attribute> digits;
    for (Value result : kernel.getOutputs()) {
      const std::vector<int> &held = placed[id::wholeOf(result)];
      digits.push_back(id::deviceDigitsAttribute(&getContext(), held));
    }
    kernel->setAttr(id::deviceDigitsAttr, ArrayAttr::get(&getContext(), digits));
    SmallVector<int> peers; // columns of the blocks
    for (const Reached &reached : reachedBy(kernel))
      for (auto [column, digit] : llvm::enumerate(reached.digits))
        if (digit && llvm::is_contained(placed[reached.sequence], digit) &&
            !llvm::is_contained(peers, static_cast<int>(column)))
          peers.push_back(static_cast<int>(column));
    if (peers.empty())
      return;
    moveColumns(kernel, [&](Mapping &mapping) {
      std::vector<digits::Column> blocks;
      for (int column : peers)
        blocks.push_back(mapping[Field::Block][static_cast<size_t>(column)]);
      for (auto [number, column] : llvm::enumerate(mapping[Field::Block]))
        if (!llvm::is_contained(peers, static_cast<int>(number)))
          blocks.push_back(column);
      mapping[Field::Block] = blocks;
    });
  }
};

} // namespace
