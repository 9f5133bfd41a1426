#include "compiler/conversion/protocols/DeviceMeeting.h"

#include "compiler/conversion/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

/// Whole warps, with a thread for each device.
static int64_t meetingThreads(int64_t devices) { return llvm::alignTo(devices, 32); }

namespace {

enum MarkKind : int64_t { isLate = 1, hasOtherLaunch = 2 };

/// The kernel `(words of device 0, …, report, launched, own device, batch)`.
class MeetingKernel {
public:
  MeetingKernel(gpu::GPUModuleOp module, StringRef name, int64_t devices)
      : b(OpBuilder::atBlockEnd(module.getBody())), loc(module.getLoc()), devices(devices), i32(b.getI32Type()),
        i64(b.getI64Type()), pointer(LLVM::LLVMPointerType::get(b.getContext(), machine::globalSpace)) {
    SmallVector<Type> parameters(static_cast<size_t>(devices) + 1, pointer);
    parameters.append({i32, i32, i64});
    LLVM::LLVMFuncOp kernel = makeKernel(b, loc, name, parameters);
    setLaunchBounds(kernel, meetingThreads(devices), 1);
    entry = kernel.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
  }

  void emit() {
    own = wordsOf(device());
    thread = machine::ThreadOp::create(b, loc, i32);
    Value mark = readMark(b, loc, word(own, markWord())); // with the others: they are all under way together
    Value count = LLVM::LoadOp::create(b, loc, i32, own, 4);
    limit = LLVM::LoadOp::create(b, loc, i64, word(own, limitWord()), 8);
    meeting = arith::AddIOp::create(b, loc, count, constant(1));
    machine::BarrierOp::create(b, loc);
    where(is(arith::CmpIPredicate::eq, thread, constant(0)), [&] { LLVM::StoreOp::create(b, loc, meeting, own, 4); });
    where(is(arith::CmpIPredicate::ult, thread, constant(devices)), [&] {
      Value isMarked = is(arith::CmpIPredicate::ne, mark, wide(0));
      where(isMarked, [&] { report(mark); });
      where(arith::XOrIOp::create(b, loc, isMarked, constant(true, b.getI1Type())), [&] { meet(); });
    });
    LLVM::ReturnOp::create(b, loc, ValueRange{});
  }

private:
  OpBuilder b;
  const Location loc;
  const int64_t devices;
  const Type i32, i64, pointer;
  Block *entry = nullptr;
  Value own, thread, limit, meeting; // the own words; i32, i64, i32

  Value argument(int64_t number) const { return entry->getArgument(static_cast<unsigned>(number)); }
  Value launched() const { return argument(devices + 1); }
  Value device() const { return argument(devices + 2); }
  Value constant(int64_t value, Type type) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)); }
  Value constant(int64_t value) { return constant(value, i32); }
  Value wide(int64_t value) { return constant(value, i64); }
  Value markWord() { return constant(devices + 1); }
  Value limitWord() { return constant(devices + 2); }

  Value wordsOf(Value device) {
    Value words = argument(0);
    for (int64_t k = 1; k < devices; ++k)
      words = arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::eq, device, constant(k)), argument(k), words);
    return words;
  }
  Value word(Value words, Value number) {
    return LLVM::GEPOp::create(b, loc, pointer, i64, words, ArrayRef<LLVM::GEPArg>{number});
  }
  Value is(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, loc, predicate, left, right);
  }
  template <typename Body> void where(Value holds, Body body) {
    auto branch = scf::IfOp::create(b, loc, TypeRange{}, holds, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }
  /// 64 bits of two halves.
  Value join(Value low, Value high) {
    Value shifted = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, high), wide(32));
    return arith::OrIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, low), shifted);
  }
  Value after(Value number) { return arith::AddIOp::create(b, loc, number, constant(1)); }

  void report(Value mark) { markDevice(b, loc, mark, argument(devices)); }

  /// This thread's device: tells it, and waits for it.
  void meet() {
    Value start = machine::TimeOp::create(b, loc, i64);
    tellDevice(b, loc, join(meeting, launched()), word(wordsOf(thread), after(device())));
    Value place = word(own, after(thread)), ownMark = word(own, markWord());
    // The mark and the kind of another one that this thread leaves itself; 0: none.
    auto wait = scf::WhileOp::create(b, loc, TypeRange{i64, i64}, ValueRange{});
    {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&wait.getBefore());
      // The mark is asked for first: an acquire holds up what comes behind.
      Value mark = readMark(b, loc, ownMark), heard = hearDevice(b, loc, place);
      Value passed = arith::SubIOp::create(b, loc, machine::TimeOp::create(b, loc, i64), start);
      Value ahead = arith::SubIOp::create(b, loc, arith::TruncIOp::create(b, loc, i32, heard), meeting);
      Value isMissing = is(arith::CmpIPredicate::slt, ahead, constant(0));
      Value isTooLong = is(arith::CmpIPredicate::ugt, passed, limit);
      Value differs = is(arith::CmpIPredicate::ne, heard, join(meeting, launched()));
      differs = arith::AndIOp::create(b, loc, differs, is(arith::CmpIPredicate::eq, ahead, constant(0)));
      Value isMarked = is(arith::CmpIPredicate::ne, mark, wide(0));
      Value ends = arith::OrIOp::create(b, loc, isMarked, isTooLong);
      Value goesOn =
          arith::AndIOp::create(b, loc, isMissing, arith::XOrIOp::create(b, loc, ends, constant(true, b.getI1Type())));
      Value kind = arith::SelectOp::create(b, loc, differs, wide(hasOtherLaunch), wide(0));
      Value leaves = arith::SelectOp::create(b, loc, isMarked, wide(0), wide(isLate));
      kind = arith::SelectOp::create(b, loc, isMissing, leaves, kind);
      Value seen = arith::SelectOp::create(b, loc, isMissing, mark, wide(0));
      scf::ConditionOp::create(b, loc, goesOn, ValueRange{seen, kind});
      b.createBlock(&wait.getAfter(), {}, {i64, i64}, {loc, loc});
      scf::YieldOp::create(b, loc);
    }
    Value seen = wait.getResult(0), kind = wait.getResult(1);
    where(is(arith::CmpIPredicate::ne, seen, wide(0)), [&] { report(seen); });
    where(is(arith::CmpIPredicate::ne, kind, wide(0)), [&] {
      auto at = [&](Value number, int64_t bit) -> Value {
        return arith::ShLIOp::create(b, loc, number, constant(bit));
      };
      Value cause = arith::OrIOp::create(b, loc, at(device(), 8), at(thread, 16));
      cause = arith::OrIOp::create(b, loc, cause, arith::TruncIOp::create(b, loc, i32, kind));
      Value mark = join(cause, launched());
      for (int64_t other = 0; other < devices; ++other)
        markDevice(b, loc, mark, word(argument(other), markWord()));
      report(mark);
    });
  }
};

} // namespace

void conversion::insertMeetings(gpu::GPUModuleOp module, StringRef name, int64_t devices,
                                std::vector<LoweredKernel> &kernels) {
  if (llvm::none_of(kernels, [](const LoweredKernel &kernel) { return kernel.reachesPeers(); }))
    return;
  MeetingKernel(module, name, devices).emit();
  LoweredKernel meeting;
  meeting.name = name.str();
  meeting.threads = meetingThreads(devices);
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
