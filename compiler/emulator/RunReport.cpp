// What a run says of itself: faults, traffic, instructions.
#include "compiler/emulator/KernelRun.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::emulator;
using Kind = Instruction::Kind;

KernelReport KernelRun::takeReport() {
  report.finished = ended();
  count();
  return std::move(report);
}

void KernelRun::account(uint32_t memoryOp, const WarpAccesses::Request &request) {
  const Instruction &i = kernel.instructions[kernel.memoryOps[memoryOp]];
  bool load = i.kind == Kind::Load;
  int64_t bytes = int64_t(i.scalars) * i.scalarBytes;
  uint64_t offsets[32];
  // Lanes whose access failed are left out; lanes in different memories are different requests.
  for (uint32_t rest = request.active; rest;) {
    uint32_t region = regionOf(request.addresses[__builtin_ctz(rest)]), active = 0;
    const GlobalMemory::Region *known = memory.find(region);
    Buffer *buffer = known ? known->buffer : nullptr;
    bool shared = region == sharedRegion || region >= clusterRegion;
    int64_t size = shared ? sharedBytes : buffer ? buffer->bytes : 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(rest >> lane & 1) || regionOf(request.addresses[lane]) != region)
        continue;
      rest &= ~(uint32_t(1) << lane);
      int64_t offset = offsetOf(request.addresses[lane]);
      offsets[lane] = static_cast<uint64_t>(offset);
      if (offset >= 0 && offset + bytes <= size && offset % i.alignment == 0)
        active |= uint32_t(1) << lane;
    }
    if (!active)
      continue;
    if (shared)
      countShared(load ? report.sharedLoads : report.sharedStores, offsets, active, bytes);
    else
      countGlobal(!load ? report.stores : buffer->table ? report.tables : report.loads, offsets, active, bytes, size);
  }
}

std::string KernelRun::describe(const Kernel &kernel, uint32_t pc) {
  constexpr size_t longest = 160;
  mlir::Operation *op = kernel.instructions[pc].op;
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, mlir::OpPrintingFlags().skipRegions().useLocalScope());
  if (text.size() > longest)
    text = text.substr(0, longest) + "…";
  if (auto place = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc()))
    text += " (line " + std::to_string(place.getLine()) + ")";
  return text;
}

void KernelRun::faultAt(Fault::Kind kind, int64_t block, uint32_t thread, uint32_t pc,
                        llvm::function_ref<std::string()> detail) {
  auto [entry, inserted] = knownFaults.try_emplace({kind, pc}, report.faults.size());
  if (inserted)
    report.faults.push_back({kind, block, thread, describe(pc), detail(), 1});
  else
    ++report.faults[entry->second].count;
}

void KernelRun::count() {
  for (size_t pc = 0; pc < executed.size(); ++pc) {
    const Instruction &i = kernel.instructions[pc];
    int64_t times = executed[pc];
    switch (i.kind) {
    case Kind::Compute:
      if (i.counted == OpClass::Move)
        continue;
      (i.counted == OpClass::Integer ? report.integer
       : i.counted == OpClass::Fma   ? report.fma
       : i.counted == OpClass::Add   ? report.add
       : i.counted == OpClass::Mul   ? report.mul
                                     : report.otherFloat) += times;
      break;
    case Kind::Barrier:
      report.barriers += times;
      break;
    case Kind::ClusterArrive:
    case Kind::LaunchDependents:
    case Kind::AwaitGrids:
      break; // barriers are counted where they are waited for
    case Kind::ClusterWait:
      report.clusterBarriers += times;
      break;
    case Kind::WarpSync:
      report.warpBarriers += times;
      break;
    case Kind::Shuffle:
      report.shuffles += times;
      break;
    case Kind::Atomic:
    case Kind::LoadAcquire:
    case Kind::StoreRelaxed:
    case Kind::Fence:
    case Kind::Time:
    case Kind::StoreAsync:
    case Kind::PhaseInit:
    case Kind::PhasePublish:
    case Kind::PhaseExpect:
    case Kind::PhaseOver:
    case Kind::Load:
    case Kind::Store:
    case Kind::Jump:
    case Kind::JumpIfNot:
    case Kind::Return:
      break;
    }
    report.instructions += times;
  }
}
