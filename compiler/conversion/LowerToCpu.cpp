// Input: a function of id.kernel ops planned for the CPU. Output: llvm functions, one loop over blocks each.
//
// Registers are vectors whose elements are the lanes of the mapping, or scalars where it has none. Warps are turns of
// an inner loop, which ends and begins again at exchanges between them.
#include "compiler/conversion/LowerToCpu.h"

#include "compiler/conversion/KernelParts.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/TileBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

/// The lanes of vectors for a kernel whose threads are counted through: as many as all of its mappings have threads, a
/// power of two, at most those of a register.
static int64_t flatLanes(id::KernelOp kernel, int64_t registerBytes) {
  int64_t lanes = registerBytes;
  kernel.getBody().walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType())) {
        Type real;
        int components;
        const bool split = id::splitNumbers(tile.getElement(), real, components);
        lanes = std::min({lanes, tile.getMapping().numThreads(), split ? registerBytes / id::elementBytes(real) : 1});
      }
  });
  return static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(lanes)));
}

// What the turns of a block exchange. Callers' threads may have small stacks.
static constexpr int64_t mostOnStack = 32 << 10, cacheLine = 64;

static ModuleOp moduleAround(OpBuilder &b) { return b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>(); }

/// By the C library.
static Value allocate(OpBuilder &b, Location loc, int64_t bytes) {
  Type i64 = b.getI64Type();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
  LLVM::LLVMFuncOp function = *LLVM::lookupOrCreateAlignedAllocFn(b, moduleAround(b), i64);
  return LLVM::CallOp::create(b, loc, function, ValueRange{constant(cacheLine), constant(bytes)}).getResult();
}
static void release(OpBuilder &b, Location loc, Value memory) {
  LLVM::CallOp::create(b, loc, *LLVM::lookupOrCreateFreeFn(b, moduleAround(b)), memory);
}

/// Emits a kernel's function: (addresses of its arguments, batch, first block, end of the blocks).
static LogicalResult emitFunction(OpBuilder &b, TwiddleTables &tables, id::KernelOp kernel, LLVM::LLVMFuncOp function,
                                  LoweredKernel &lowered, const passes::Target &target, int64_t registerBytes) {
  const Location loc = kernel.getLoc();
  const int64_t blocks = id::extentOf(kernel, digits::Field::Block);
  const bool ofBits = llvm::all_of(kernel.getBody().getOps<id::LoadOp>(), [](id::LoadOp load) {
    return id::areBits(load.getResult().getType().getRadices());
  });
  std::optional<Sections> flat = ofBits ? std::nullopt : flatSection(kernel);
  const int64_t lanes = flat     ? flatLanes(kernel, registerBytes)
                        : ofBits ? id::extentOf(kernel, digits::Field::Lane)
                                 : 1,
                turns = id::extentOf(kernel, digits::Field::Warp);
  const bool vectors = lanes > 1; // else element by element
  auto wide = [&](Type type) { return vectors ? Type(VectorType::get({lanes}, type)) : type; };
  TileCode code(b, loc, tables, wide, TileCode::Alignment::Number);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto argument = [&](size_t i) -> Value {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    return LLVM::LoadOp::create(b, loc, pointer, slot);
  };
  DenseMap<Value, BufferMemory> buffers;
  size_t count = 0, operand = 0;
  Block &body = kernel.getBody().front();
  for (Value buffer : llvm::concat<Value>(SmallVector<Value>(body.getArguments()),
                                          SmallVector<Value>(body.getTerminator()->getOperands()))) {
    const Buffer &place = lowered.buffers[operand++];
    buffers[buffer].layout = place.layout;
    buffers[buffer].deviceDigits = place.deviceDigits;
    if (buffer.getDefiningOp<id::StoreOp>())
      buffers[buffer].isLarge = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::sge, entry->getArgument(1),
          code.constant64(llvm::divideCeil(target.pastCacheBytes, std::max<int64_t>(1, place.bytesPerProblem))));
    if (place.kind == Buffer::Kind::Constant)
      buffers[buffer].planes.push_back(code.constantMemory(kernel, place.index));
    else
      for (int plane = 0; plane < place.planes; ++plane)
        buffers[buffer].planes.push_back(argument(count++));
  }
  SmallVector<Value> scalars;
  for (const ScalarArgument &scalar : lowered.scalars) // a caller's bytes need no alignment
    scalars.push_back(LLVM::LoadOp::create(b, loc, scalar.type, argument(count++), 1));
  const Parameters parameters = parametersOf(
      b, loc, kernel, scalars, [&](Value value) { return vectors ? VectorPlace::splat(b, loc, value, lanes) : value; });
  const int64_t bytes =
      llvm::alignTo(flat ? FlatExchange::bytesOf(kernel) : ScratchExchange::bytesOf(kernel), cacheLine);
  Value scratch;
  if (bytes > mostOnStack)
    scratch = allocate(b, loc, bytes);
  else if (bytes)
    scratch = LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), code.constant64(bytes), cacheLine);
  Value one = code.constant64(1);
  bool storesPast = false;
  auto loop = scf::ForOp::create(b, loc, entry->getArgument(2), entry->getArgument(3), one);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    const Sections cut = flat ? *flat : cutSections(kernel, lanes);
    Value block = loop.getInductionVar();
    if (flat && vectors) {
      FlatParts parts(code, buffers, parameters, cut, lanes);
      parts.place.problem = block;
      parts.memory.memory = scratch;
      auto first = *kernel.getBody().getOps<id::LoadOp>().begin();
      parts.beginTurns(first.getResult().getType().getMapping());
      if (failed(parts.emitter.emit()))
        return failure();
    } else if (vectors) {
      VectorParts parts(code, buffers, parameters, cut, lanes, turns);
      parts.place.batch = entry->getArgument(1);
      parts.place.block = block;
      parts.memory.memory = scratch;
      parts.beginTurns();
      if (failed(parts.emitter.emit()))
        return failure();
      storesPast = parts.accesses.storesPast;
    } else if (mostThreads(kernel) > 1) {
      return kernel.emitError() << "turns without vectors cannot be generated";
    } else {
      lowered.problemsPerBlockGroup = 1;
      lowered.blocksPerGroup = blocks;
      FormParts parts(code, buffers, parameters, cut, RootFactors::Means::Powers);
      Value extent = code.constant64(blocks);
      parts.place.problem = arith::DivUIOp::create(b, loc, block, extent);
      parts.place.count({1, 1, blocks}, arith::RemUIOp::create(b, loc, block, extent));
      if (failed(parts.emitter.emit()))
        return failure();
    }
  }
  if (storesPast) { // such stores are seen by others in no order
    Value isLarge;
    for (Value stored : body.getTerminator()->getOperands())
      if (Value own = buffers[stored].isLarge)
        isLarge = isLarge ? arith::OrIOp::create(b, loc, isLarge, own).getResult() : own;
    auto any = scf::IfOp::create(b, loc, TypeRange{}, isLarge, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(any.thenBlock());
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
  }
  if (bytes > mostOnStack)
    release(b, loc, scratch);
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  return success();
}

OwningOpRef<ModuleOp> conversion::lowerToCpu(ArrayRef<func::FuncOp> functions, const passes::Target &target,
                                             int64_t registerBytes, std::vector<std::vector<LoweredKernel>> &launches) {
  func::FuncOp first = functions.front();
  MLIRContext *context = first.getContext();
  context->loadDialect<LLVM::LLVMDialect, scf::SCFDialect, arith::ArithDialect, math::MathDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(first.getLoc());
  OpBuilder b(context);
  TwiddleTables tables(*module, 0);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, i64, i64, i64});
  launches.clear();
  for (func::FuncOp function : functions) {
    PassManager passes(context, func::FuncOp::getOperationName());
    passes.addPass(createPlaceBuffers({target.name}));
    if (failed(passes.run(function)))
      return {};
    std::vector<LoweredKernel> &kernels = launches.emplace_back(describeLaunches(function));
    size_t index = 0;
    for (id::KernelOp kernel : function.getBody().front().getOps<id::KernelOp>()) {
      LoweredKernel &entry = kernels[index++];
      b.setInsertionPointToEnd(module->getBody());
      auto func = LLVM::LLVMFuncOp::create(b, function.getLoc(), entry.name, type);
      if (failed(emitFunction(b, tables, kernel, func, entry, target, registerBytes)))
        return {};
      dropConstants(entry);
    }
  }
  return module;
}
