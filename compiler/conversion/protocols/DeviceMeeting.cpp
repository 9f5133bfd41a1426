#include "compiler/conversion/protocols/DeviceMeeting.h"

#include "compiler/conversion/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static constexpr int64_t meetingThreads = 32; // at most so many devices

static void emitMeeting(gpu::GPUModuleOp module, StringRef name, int64_t devices) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  const Location loc = module.getLoc();
  const Type i32 = b.getI32Type();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), machine::globalSpace);
  SmallVector<Type> parameters(static_cast<size_t>(devices), pointer);
  parameters.append({i32, b.getI64Type()});
  LLVM::LLVMFuncOp kernel = makeKernel(b, loc, name, parameters);
  setLaunchBounds(kernel, meetingThreads, 1);
  Block *entry = kernel.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto constant = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); };
  auto wordsOf = [&](Value device) {
    Value words = entry->getArgument(0);
    for (int64_t k = 1; k < devices; ++k) {
      Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, device, constant(k));
      words = arith::SelectOp::create(b, loc, is, entry->getArgument(static_cast<unsigned>(k)), words);
    }
    return words;
  };
  auto word = [&](Value words, Value number) -> Value {
    return LLVM::GEPOp::create(b, loc, pointer, i32, words, ArrayRef<LLVM::GEPArg>{number});
  };
  auto where = [&](arith::CmpIPredicate predicate, Value left, Value right, auto body) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, left, right);
    auto branch = scf::IfOp::create(b, loc, TypeRange{}, holds, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  };
  Value device = entry->getArgument(static_cast<unsigned>(devices)), own = wordsOf(device);
  Value thread = machine::ThreadOp::create(b, loc, i32);
  Value meeting = arith::AddIOp::create(b, loc, LLVM::LoadOp::create(b, loc, i32, own, 4), constant(1));
  machine::BarrierOp::create(b, loc);
  where(arith::CmpIPredicate::eq, thread, constant(0), [&] { LLVM::StoreOp::create(b, loc, meeting, own, 4); });
  where(arith::CmpIPredicate::ult, thread, constant(devices), [&] {
    tellDevice(b, loc, meeting, word(wordsOf(thread), arith::AddIOp::create(b, loc, device, constant(1))));
    Value place = word(own, arith::AddIOp::create(b, loc, thread, constant(1)));
    auto spin = scf::WhileOp::create(b, loc, TypeRange{}, ValueRange{});
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&spin.getBefore());
    Value ahead = arith::SubIOp::create(b, loc, hearDevice(b, loc, place), meeting);
    Value missing = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, ahead, constant(0));
    scf::ConditionOp::create(b, loc, missing, ValueRange{});
    b.createBlock(&spin.getAfter());
    scf::YieldOp::create(b, loc);
  });
  LLVM::ReturnOp::create(b, loc, ValueRange{});
}

void conversion::insertMeetings(gpu::GPUModuleOp module, StringRef name, int64_t devices,
                                std::vector<LoweredKernel> &kernels) {
  if (llvm::none_of(kernels, [](const LoweredKernel &kernel) { return kernel.reachesPeers(); }))
    return;
  emitMeeting(module, name, devices);
  LoweredKernel meeting;
  meeting.name = name.str();
  meeting.threads = meetingThreads;
  meeting.residentBlocks = 1;
  meeting.problemsPerBlockGroup = std::numeric_limits<int64_t>::max(); // one block, whatever the batch
  meeting.devices = devices;
  meeting.isMeeting = true;
  std::vector<LoweredKernel> all;
  bool before = false; // the kernel before reaches others
  for (LoweredKernel &kernel : kernels) {
    const bool reaches = kernel.reachesPeers();
    if (before || reaches)
      all.push_back(meeting);
    before = reaches;
    all.push_back(std::move(kernel));
  }
  if (before)
    all.push_back(meeting);
  kernels = std::move(all);
}
