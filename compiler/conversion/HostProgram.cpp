#include "compiler/conversion/HostProgram.h"

#include "id/ArrayType.h"
#include "id/Chunks.h"
#include "id/ConstantData.h"
#include "id/Devices.h"
#include "id/IndexCode.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

id::StoreOp conversion::storeOf(Value value) {
  auto kernel = value.getDefiningOp<id::KernelOp>();
  if (!kernel)
    return nullptr;
  Value buffer = kernel.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
  auto store = buffer.getDefiningOp<id::StoreOp>();
  return store && buffer.hasOneUse() ? store : nullptr;
}

/// Whether the digits of a value between kernels may have any order: it is stored, and loaded, by index maps alone.
static bool isMovable(Value value) {
  return storeOf(value) && llvm::all_of(value.getUses(), [](OpOperand &use) {
           auto kernel = dyn_cast<id::KernelOp>(use.getOwner());
           return kernel &&
                  llvm::all_of(kernel.getBody().getArgument(use.getOperandNumber()).getUsers(), [](Operation *user) {
                    auto load = dyn_cast<id::LoadOp>(user);
                    return load && !load.isRepeated();
                  });
         });
}

HostProgram::HostProgram(func::FuncOp function, const passes::Target &machine)
    : function(function), machine(machine), chunks(id::devicesOf(function)), memory(id::memoryOf(function)) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), id::dataAttr))
      constants.insert(argument);
  for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
    PlannedKernel planned{kernel, reachedBy(kernel), {}, {}};
    if (const std::optional<Mapping> blocks = commonBlocks(kernel); blocks && chunks > 1)
      findSets(planned, (*blocks)[Field::Block]);
    for (const Reached &reached : planned.all) {
      const size_t number = kernels.size();
      if (!reached.isStore)
        lastUse[reached.sequence] = number;
      else if (auto [place, isNew] = made.try_emplace(reached.sequence, number, number); !isNew)
        place->second.second = number;
    }
    kernels.push_back(std::move(planned));
  }
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    lastUse[result] = kernels.size();
  for (const auto &[value, place] : made)
    if (isMovable(value))
      movable.insert(value);
}

/// Of all sets of columns those whose digits follow each other in a sequence, so that chunks are few rectangles; if
/// there are none, all, up to a number of them.
void HostProgram::findSets(PlannedKernel &planned, ArrayRef<digits::Column> columns) const {
  for (const digits::Column &column : columns)
    planned.radices.push_back(column.radix);
  for (const Reached &reached : planned.all)
    for (int first = 1; first <= typeOf(reached.sequence).getNumDigits(); ++first) {
      SmallVector<int> set;
      int64_t numbered = 1;
      for (int digit = first; numbered < chunks; ++digit) {
        auto column = llvm::find(reached.digits, digit);
        if (column == reached.digits.end())
          break;
        set.push_back(static_cast<int>(column - reached.digits.begin()));
        numbered *= planned.radices[static_cast<size_t>(set.back())];
      }
      if (numbered == chunks && !llvm::is_contained(planned.sets, set))
        planned.sets.push_back(set);
    }
  constexpr size_t mostSets = 1000;
  if (planned.sets.empty())
    planned.sets = columnSets(columns, chunks);
  if (planned.sets.size() > mostSets)
    planned.sets.resize(mostSets);
}

int64_t HostProgram::copiedBytes(Value sequence) const { return id::bytesOf(id::arrayOf(function, sequence)); }

bool HostProgram::isMadeIn(Value sequence, size_t first, size_t end) const {
  auto found = made.find(sequence);
  return found != made.end() && found->second.first >= first && found->second.second < end;
}

bool HostProgram::isTorn(size_t first, size_t end) const {
  return llvm::any_of(made, [&](const auto &value) {
    const auto [begin, last] = value.second;
    return begin < end && last >= first && (begin < first || last >= end);
  });
}
