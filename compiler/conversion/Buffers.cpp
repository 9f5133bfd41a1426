#include "compiler/conversion/Buffers.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static int64_t bytesOf(Value value) {
  auto type = cast<id::SeqType>(value.getType());
  return type.getNumElements() * id::elementBytes(type.getElement());
}

FailureOr<std::vector<LoweredKernel>> conversion::assignBuffers(func::FuncOp function) {
  SmallVector<id::KernelOp> kernels;
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator()) {
    auto kernel = dyn_cast<id::KernelOp>(op);
    if (!kernel)
      return op.emitError() << "only kernels can be lowered; run the stage passes first";
    kernels.push_back(kernel);
  }
  Operation *terminator = block.getTerminator();
  DenseMap<Value, Buffer> places;
  for (BlockArgument argument : block.getArguments())
    places[argument] = {Buffer::Kind::Input, static_cast<int>(argument.getArgNumber()), bytesOf(argument)};
  // From the last kernel backwards: its result is the output, the one before it the workspace, then the output again.
  for (size_t k = kernels.size(); k-- > 0;) {
    if (kernels[k].getOutputs().size() != 1)
      return kernels[k].emitError() << "kernels write one buffer so far";
    Value result = kernels[k].getOutputs()[0];
    size_t distance = kernels.size() - 1 - k;
    bool output = distance % 2 == 0;
    if (distance == 0 && terminator->getOperand(0) != result)
      return kernels[k].emitError() << "the last kernel's buffer must be returned";
    if (output && bytesOf(result) > bytesOf(terminator->getOperand(0)))
      return kernels[k].emitError() << "an intermediate value is larger than the output";
    places[result] = {output ? Buffer::Kind::Output : Buffer::Kind::Workspace, 0, bytesOf(result)};
  }
  std::vector<LoweredKernel> lowered;
  for (id::KernelOp kernel : kernels) {
    LoweredKernel entry;
    entry.name = kernel.getName().str();
    entry.kind = id::stringifyKernelKind(kernel.getKind()).str();
    entry.cluster = kernel.getCluster();
    for (Value value : llvm::concat<Value>(kernel.getInputs(), kernel.getOutputs()))
      entry.buffers.push_back(places.lookup(value));
    for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>()) {
      digits::Mapping mapping = load.getResult().getType().getMapping();
      int n = load.getResult().getType().getNumDigits();
      entry.problemsPerBlockGroup = int64_t(1) << (static_cast<int>(mapping.digits().size()) - n);
      entry.blocksPerGroup = mapping.extent(digits::Field::Block) * mapping.extent(digits::Field::Rank);
    }
    lowered.push_back(std::move(entry));
  }
  return lowered;
}

int64_t conversion::workspaceBytes(const std::vector<LoweredKernel> &kernels) {
  int64_t bytes = 0;
  for (const LoweredKernel &kernel : kernels)
    for (const Buffer &buffer : kernel.buffers)
      if (buffer.kind == Buffer::Kind::Workspace)
        bytes = std::max(bytes, (buffer.bytesPerProblem + 15) / 16 * 16);
  return bytes;
}
