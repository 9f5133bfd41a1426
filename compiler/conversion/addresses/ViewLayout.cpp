#include "compiler/conversion/addresses/ViewLayout.h"

#include "compiler/conversion/Layouts.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static std::vector<int> lowest(id::SeqType type, int64_t count) {
  ArrayRef<int32_t> radices = type.getRadices().take_front(count);
  return {radices.begin(), radices.end()};
}

/// True for what a store writes, or is made of that.
static bool isStored(Value buffer) { return !id::isLoadable(id::rootOf(buffer)); }

/// The result of a kernel that yields the buffer; otherwise the buffer.
static Value resultOf(Value buffer) {
  for (OpOperand &use : buffer.getUses())
    if (isa<id::YieldOp>(use.getOwner()))
      return cast<id::KernelOp>(use.getOwner()->getParentOp()).getResult(use.getOperandNumber());
  return buffer;
}

/// A buffer that is laid out, or the part of one that kernels store together.
static digits::BufferView viewOf(Value value, const BufferMemory &memory) {
  if (auto join = value.hasOneUse() ? dyn_cast<id::JoinOp>(*value.user_begin()) : id::JoinOp()) {
    digits::BufferView view = viewOf(join.getResult(), memory);
    view.part(static_cast<int>(join.getDigit()), value.use_begin()->getOperandNumber());
    return view;
  }
  const std::vector<int> radices = lowest(cast<id::SeqType>(value.getType()), 62);
  return memory.deviceDigits.empty() ? digits::BufferView::whole(radices, memory.layout)
                                     : digits::BufferView::divided(radices, memory.deviceDigits);
}

/// Other digits in the place of the lowest, by which elements are found somewhere.
static void compute(ViewLayout &layout, int64_t lowest, const std::vector<int> &now) {
  for (int64_t digit = 0; digit < lowest; ++digit)
    layout.knowsDevice &= layout.view.device.weight[static_cast<size_t>(digit)] == 0;
  layout.view.forget(static_cast<int>(lowest), now);
}

ViewLayout conversion::layoutOf(Value buffer, const DenseMap<Value, BufferMemory> &buffers) {
  if (auto part = buffer.getDefiningOp<id::PartOp>()) {
    ViewLayout layout = layoutOf(part.getBuffer(), buffers);
    layout.view.part(static_cast<int>(part.getDigit()), part.getValue());
    return layout;
  }
  if (auto permute = buffer.getDefiningOp<id::PermuteOp>(); permute && !isStored(buffer)) {
    ViewLayout layout = layoutOf(permute.getInput(), buffers);
    layout.view.move(permute.getMap().getPermutation());
    return layout;
  }
  if (auto resize = buffer.getDefiningOp<id::ResizeOp>(); resize && !isStored(buffer)) {
    ViewLayout layout = layoutOf(resize.getInput(), buffers);
    layout.inRow &=
        layout.view.resize(static_cast<int>(resize.getLowest()), lowest(resize.getType(), resize.getNewLowest()));
    if (resize.pads())
      layout.fills.push_back(resize);
    return layout;
  }
  if (auto gather = buffer.getDefiningOp<id::GatherOp>()) {
    ViewLayout layout = layoutOf(gather.getInput(), buffers);
    compute(layout, gather.getLowest(), lowest(gather.getType(), gather.getNewLowest()));
    return layout;
  }
  // What is stored lies in what is made of it.
  if (buffer.hasOneUse() && isStored(buffer)) {
    Operation *user = *buffer.user_begin();
    if (auto join = dyn_cast<id::JoinOp>(user)) {
      ViewLayout layout = layoutOf(join.getResult(), buffers);
      layout.view.part(static_cast<int>(join.getDigit()), buffer.use_begin()->getOperandNumber());
      return layout;
    }
    if (auto permute = dyn_cast<id::PermuteOp>(user)) {
      ViewLayout layout = layoutOf(permute.getResult(), buffers);
      layout.view.move(permute.getMap().getPermutation().inverse());
      return layout;
    }
    if (auto resize = dyn_cast<id::ResizeOp>(user)) {
      ViewLayout layout = layoutOf(resize.getResult(), buffers);
      layout.inRow &=
          layout.view.resize(resize.getNewLowest(), lowest(resize.getInput().getType(), resize.getLowest()));
      return layout;
    }
    if (auto scatter = dyn_cast<id::ScatterOp>(user)) {
      ViewLayout layout = layoutOf(scatter.getResult(), buffers);
      compute(layout, scatter.getNewLowest(), lowest(scatter.getInput().getType(), scatter.getLowest()));
      return layout;
    }
  }
  ViewLayout layout;
  layout.buffer = buffer;
  auto type = cast<id::SeqType>(buffer.getType());
  const BufferMemory &memory = buffers.find(buffer)->second;
  layout.view = viewOf(resultOf(buffer), memory);
  layout.knowsDevice = true;
  layout.alignment = widestAccess;
  for (size_t plane = 0; plane < memory.planes.size(); ++plane) {
    layout.bytes.push_back(planeBytes(type.getElement(), memory.layout, static_cast<int>(plane)));
    layout.alignment = std::min(layout.alignment, memory.layout.pointerAlignment(layout.bytes.back()));
  }
  return layout;
}

ViewLayout conversion::layoutOf(id::LoadOp load, const DenseMap<Value, BufferMemory> &buffers) {
  ViewLayout layout = layoutOf(load.getBuffer(), buffers);
  const digits::Permutation map = load.getMap().getPermutation();
  const ArrayRef<int32_t> radices = load.getResult().getType().getRadices();
  for (int digit = static_cast<int>(layout.view.radices.size()) + 1; digit <= map.size(); ++digit)
    layout.view.repeat(radices[static_cast<size_t>(map.destination(digit)) - 1]);
  layout.view.move(map);
  return layout;
}

ViewLayout conversion::layoutOf(id::StoreOp store, const DenseMap<Value, BufferMemory> &buffers) {
  ViewLayout layout = layoutOf(store.getBuffer(), buffers);
  // Place p of the buffer holds digit source(p) of the tile.
  layout.view.move(store.getMap().getPermutation().inverse());
  return layout;
}

int64_t conversion::reachOf(const digits::LinearForm &form, ArrayRef<int> radices) {
  int64_t reach = 0;
  for (auto [weight, radix] : llvm::zip(form.weight, radices))
    reach += std::abs(weight) * (radix - 1);
  return reach;
}
