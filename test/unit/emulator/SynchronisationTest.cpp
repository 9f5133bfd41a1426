// Every op of compiled kernels that orders something is taken out, and weakened in every way that its kind has: the
// emulator notices each, whatever the order of blocks and threads.
#include "CompiledFixture.h"
#include "Weakenings.h"

#include "compiler/conversion/Machine.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::emulator;

namespace {

struct Sample {
  const char *name;
  const char *file, *entry; // of the library, or a file of stages
  const char *schedule;     // or null
  int n;
  int spare = 0; // ops without which others still order all: the barrier before a round's number is stored, after an
                 // exchange
  int devices = 1;
};

class Synchronisation : public CompiledFixture, public ::testing::WithParamInterface<Sample> {
protected:
  void SetUp() override {
    const Sample &sample = GetParam();
    if (!sample.entry)
      return lower(sample.file, size_t(1) << sample.n);
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/" + sample.file;
    request.entry = sample.entry;
    request.types["T"] = "f32";
    const bool isLength = std::string(sample.entry) == "fft_mixed" || std::string(sample.entry) == "fft_any";
    request.sizes[isLength ? "N" : "n"] = sample.n;
    request.devices = sample.devices;
    if (sample.schedule)
      request.scheduleFile = std::string(IDC_TEST_INPUTS "/") + sample.schedule;
    bool isComplex = std::string(sample.entry).rfind("fft", 0) == 0;
    compile(request, (isComplex ? 2 : 1) * (isLength ? size_t(sample.n) : size_t(1) << sample.n));
  }

  /// The orders in which no fault is found and the result is that of the kernels as they are compiled.
  /// `held`: blocks of teams on the device.
  std::string silent(const std::string &kernels, int64_t held = 0) {
    std::string names;
    for (Interleaving interleaving : everyInterleaving) {
      EmulatorOptions options;
      options.interleaving = interleaving;
      options.residentBlocks = 8;
      options.heldBlocks = held;
      options.maxIterations = 1 << 14;
      std::vector<Pair> result;
      bool hasFaults = !faults(kernels, options, /*batch=*/7, &result).empty();
      if (right.empty())
        right = result;
      if (!hasFaults && std::memcmp(right.data(), result.data(), sizeof(Pair) * right.size()) == 0)
        names += " " + std::to_string(static_cast<int>(interleaving));
    }
    return names;
  }

  std::vector<Pair> right;
};

/// The kernel that an op is of, or is.
LLVM::LLVMFuncOp kernelOf(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function ? function : op->getParentOfType<LLVM::LLVMFuncOp>();
}

/// True for ops of a team's kernel for any grid.
bool isInSecondForm(Operation *op) {
  LLVM::LLVMFuncOp function = kernelOf(op);
  return function && function.getName().ends_with("_any");
}

/// Marks of meetings matter only where devices do not meet (MeetingTest).
bool isOfMarks(Operation *op) {
  if (!kernelOf(op).getName().ends_with("_meet"))
    return false;
  auto load = dyn_cast<LLVM::LoadOp>(op);
  auto store = dyn_cast<LLVM::StoreOp>(op);
  return (load && load.getOrdering() == LLVM::AtomicOrdering::monotonic) ||
         (store && store.getOrdering() == LLVM::AtomicOrdering::monotonic &&
          !isa_and_nonnull<LLVM::FenceOp>(op->getPrevNode()));
}

bool isOfOneWarp(Operation *op) {
  auto threads = op->getParentOfType<LLVM::LLVMFuncOp>()->getAttrOfType<IntegerAttr>(conversion::threadsAttr);
  return threads && threads.getInt() == 32;
}

TEST_P(Synchronisation, IsAllNeeded) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  ASSERT_EQ(silent(text), " 0 1 2 3");
  ASSERT_EQ(silent(text, 3), " 0 1 2 3");
  SmallVector<Operation *> all;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  int tried = 0, spare = 0;
  for (size_t number = 0; number < all.size(); ++number)
    for (size_t w = 0; w < weakenings(all[number]).size(); ++w) {
      OwningOpRef<ModuleOp> changed = module->clone();
      Operation *op = nullptr;
      size_t at = 0;
      changed->walk<WalkOrder::PreOrder>([&](Operation *other) {
        if (at++ == number)
          op = other;
      });
      std::string place;
      llvm::raw_string_ostream(place) << op->getName() << ", line " << cast<FileLineColLoc>(op->getLoc()).getLine();
      Weakening weakening = weakenings(op)[w];
      if ((weakening.name == "of warps" && isOfOneWarp(op)) || isOfMarks(op))
        continue;
      weakening.apply(op);
      std::string damaged;
      llvm::raw_string_ostream stream(damaged);
      changed->print(stream);
      std::string orders = silent(damaged, isInSecondForm(all[number]) ? 3 : 0);
      if (isa<machine::BarrierOp>(all[number]) && orders == " 0 1 2 3" && spare < GetParam().spare)
        ++spare;
      else
        EXPECT_EQ(orders, "") << place << " " << weakening.name;
      ++tried;
    }
  EXPECT_GT(tried, 1);
  EXPECT_EQ(spare, GetParam().spare);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Synchronisation,
    ::testing::Values(Sample{"block", "fft.id", "fft", nullptr, 9},
                      Sample{"cluster", "fft.id", "fft", "cluster.id", 10},
                      Sample{"tickets", "fft.id", "fft", "tickets.id", 10},
                      Sample{"tickets_late", "fft.id", "fft", "tickets_late.id", 10},
                      Sample{"tickets_blocks", "fft.id", "fft", "tickets_blocks.id", 10, 1},
                      Sample{"ring", "fft.id", "fft", "ring.id", 10},
                      Sample{"dependent", "fft.id", "fft", "dependent.id", 9},
                      Sample{"branches", "fft.id", "fft_mixed", "branches.id", 4320},
                      Sample{"radix_cluster_late", "fft.id", "fft_any", "radix_cluster_late.id", 36000},
                      Sample{"radix_tickets", "fft.id", "fft_mixed", "radix_tickets.id", 1260},
                      Sample{"radix_tickets_late", "fft.id", "fft_mixed", "radix_tickets_late.id", 288},
                      Sample{"radix_ring", "fft.id", "fft_mixed", "radix_ring.id", 1152},
                      Sample{"uneven_ring", "uneven_ring.mlir", nullptr, nullptr, 9},
                      Sample{"cluster_places", "cluster_places.mlir", nullptr, nullptr, 10},
                      Sample{"devices", "fft.id", "fft", "dependent.id", 9, 0, 2},
                      Sample{"levels", "scan.id", "exclusive_scan", nullptr, 10},
                      Sample{"cooperative", "cooperative.mlir", nullptr, nullptr, 10},
                      Sample{"cooperative_turns", "cooperative_turns.mlir", nullptr, nullptr, 12}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
