// Input: a function of planned kernels for several devices. Output: the same, its tiles and sequences divided.
//
// A kernel's blocks are independent, so any of the digits that number them may number devices instead. Kernels are gone
// through in launch order. Where the digits of a kernel's devices are those by which what it loads, or what made that,
// is divided, nothing goes from device to device; what is stored goes where it is loaded first. So an exchange of all
// with all stands only between two kernels that can have no device digits in common. A kernel whose blocks cannot be
// divided, as there are too few, runs on every device. Where a schedule names devices, they are taken as they are.
#include "compiler/conversion/BlockDigits.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/TileBlocks.h"

#include "id/Chunks.h"
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

struct PlaceDevices : conversion::impl::PlaceDevicesBase<PlaceDevices> {
  void runOnOperation() override {
    function = getOperation();
    devices = id::devicesOf(function);
    if (devices == 1 || id::memoryOf(function)) // what chunks have CutPasses says
      return;
    if (failed(distributeEnds()))
      return signalPassFailure();
    bool isDivided = false;
    for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
      std::optional<SmallVector<int>> named = takeNamed(kernel);
      if (!named)
        return signalPassFailure();
      isDivided |= divide(kernel, *named);
    }
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

  //===--- choosing -----------------------------------------------------------------------------------------------===//

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

  /// Makes blocks, the last ones, of the devices that the kernel's schedule names; which columns these are, or none
  /// where it names no devices. Nothing, with an error, where it cannot be done.
  std::optional<SmallVector<int>> takeNamed(id::KernelOp kernel) {
    SmallVector<int> named;
    const int64_t extent = id::extentOf(kernel, Field::Device);
    if (extent == 1)
      return named;
    if (extent != devices) {
      kernel.emitError() << "its schedule names " << extent << " devices, and there are " << devices;
      return std::nullopt;
    }
    changeMappings(kernel, [&](Mapping &mapping) {
      named.clear();
      for (const digits::Column &column : std::exchange(mapping[Field::Device], {})) {
        named.push_back(static_cast<int>(mapping[Field::Block].size()));
        mapping[Field::Block].push_back(column);
      }
    });
    if (commonBlocks(kernel))
      return named;
    kernel.emitError() << "its schedule does not name devices alike in all of its mappings";
    return std::nullopt;
  }

  /// False when every device does all of the kernel.
  bool divide(id::KernelOp kernel, const SmallVector<int> &named) {
    const SmallVector<Reached> all = reachedBy(kernel);
    SmallVector<int> set = named;
    if (const std::optional<Mapping> blocks = commonBlocks(kernel); blocks && named.empty()) {
      int64_t least = 0;
      for (const SmallVector<int> &one : columnSets((*blocks)[Field::Block], devices))
        if (const int64_t cost = costOf(all, one); set.empty() || cost < least) {
          set = one;
          least = cost;
        }
    }
    set = inOrder(all, set);
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
      moveToDevices(kernel, set);
    return !set.empty();
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
    changeMappings(kernel, [&](Mapping &mapping) {
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
