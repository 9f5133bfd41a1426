// The kernel in which devices meet, alone: what becomes of those who wait for one that does not come, comes late, or
// comes with something else.
#include "EmulatorFixture.h"
#include "Weakenings.h"

#include "compiler/conversion/Machine.h"
#include "compiler/conversion/protocols/DeviceMeeting.h"

#include "runtime/lib/Meeting.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"

#include <array>

using namespace idc;
using namespace idc::emulator;

namespace {

constexpr size_t devices = 3;
using Words = std::array<uint64_t, runtime::meetingWords(devices)>;

/// What devices have between launches.
struct Group {
  std::array<Words, devices> words{};
  std::array<uint64_t, devices> reports{};
  Group() {
    for (Words &own : words)
      own[runtime::limitWord(devices)] = 1000000000;
  }
  uint64_t mark(size_t device) const { return words[device][devices + 1]; }
};

/// The meetings of one device: how often, and what it has launched.
struct Comes {
  int64_t meetings;
  uint32_t launched = 7;
};

class Meetings : public EmulatorFixture {
protected:
  void SetUp() override {
    EmulatorFixture::SetUp();
    module = ModuleOp::create(UnknownLoc::get(&context));
    gpu::GPUModuleOp kernels = conversion::makeKernelModule(*module);
    conversion::LoweredKernel reaching;
    reaching.buffers.emplace_back().peers = devices;
    std::vector<conversion::LoweredKernel> list{reaching};
    conversion::insertMeetings(kernels, "meet", devices, list);
    ASSERT_EQ(list.size(), 3u);
    ASSERT_TRUE(succeeded(verify(*module)));
  }

  /// Faults, each named; "stuck" when somebody waits for ever.
  std::string run(ModuleOp meeting, Group &group, const std::array<Comes, devices> &coming,
                  const EmulatorOptions &options) {
    llvm::Expected<Emulator> emulator = Emulator::create(meeting, options);
    if (!emulator)
      return llvm::toString(emulator.takeError());
    std::deque<Buffer> words, reports;
    for (size_t device = 0; device < devices; ++device) {
      words.emplace_back("words", reinterpret_cast<char *>(group.words[device].data()), sizeof(Words), true);
      reports.emplace_back("report", reinterpret_cast<char *>(&group.reports[device]), sizeof(uint64_t), true);
    }
    std::vector<std::vector<Emulator::OnStream>> streams(devices);
    for (size_t device = 0; device < devices; ++device)
      for (int64_t k = 0; k < coming[device].meetings; ++k) {
        Launch launch{1, 32, 0, {}, 1};
        for (Buffer &own : words)
          launch.arguments.push_back({&own, 0});
        launch.arguments.push_back({&reports[device], 0});
        launch.arguments.push_back({nullptr, coming[device].launched});
        launch.arguments.push_back({nullptr, static_cast<int64_t>(device)});
        launch.arguments.push_back({nullptr, 1}); // the batch
        streams[device].push_back({"meet", launch, false});
      }
    llvm::Expected<std::vector<KernelReport>> finished = emulator->runDevices(streams);
    if (!finished)
      return llvm::toString(finished.takeError());
    std::string found;
    for (const KernelReport &report : *finished)
      for (const idc::emulator::Fault &fault : report.faults)
        found += std::string(faultName(fault.kind)) + " ";
    return found;
  }

  template <typename Run> static void inEveryOrder(const Run &run) {
    for (Interleaving interleaving : everyInterleaving)
      for (uint64_t seed = 0; seed < (interleaving == Interleaving::Random ? 20 : 1); ++seed)
        for (uint64_t turnsPerHour : {0, 1, 5, 20}) {
          EmulatorOptions options;
          options.interleaving = interleaving;
          options.seed = seed;
          options.turnsPerHour = turnsPerHour;
          run(options);
        }
  }

  OwningOpRef<ModuleOp> module;
};

TEST_F(Meetings, LeaveNoMarkWhereAllCome) {
  inEveryOrder([&](EmulatorOptions options) {
    options.turnsPerHour = 0;
    Group group;
    EXPECT_EQ(run(*module, group, {Comes{4}, {4}, {4}}, options), "");
    for (size_t device = 0; device < devices; ++device) {
      EXPECT_EQ(group.reports[device], 0u);
      EXPECT_EQ(group.mark(device), 0u);
    }
  });
}

TEST_F(Meetings, EndWhereOneDoesNotCome) {
  inEveryOrder([&](EmulatorOptions options) {
    Group group;
    EXPECT_EQ(run(*module, group, {Comes{4}, {4}, {0}}, options), "");
    for (size_t device : {0, 1}) {
      const runtime::Mark mark(group.reports[device]);
      EXPECT_EQ(mark.kind, runtime::Mark::Late);
      EXPECT_EQ(mark.launched, 7u);
      EXPECT_TRUE(mark.whom == 2 || options.turnsPerHour); // without a hurry all others come in time
    }
    EXPECT_NE(group.mark(2), 0u);
    // It comes at last, and does not take it that the others had been there.
    EXPECT_EQ(run(*module, group, {Comes{0}, {0}, {1}}, options), "");
    EXPECT_EQ(group.reports[2], group.mark(2));
    EXPECT_NE(group.reports[2], 0u);
  });
}

TEST_F(Meetings, EndWhereOneLaunchesLess) {
  inEveryOrder([&](EmulatorOptions options) {
    Group group;
    EXPECT_EQ(run(*module, group, {Comes{4}, {4}, {2}}, options), "");
    for (size_t device : {0, 1})
      EXPECT_EQ(runtime::Mark(group.reports[device]).kind, runtime::Mark::Late);
    for (size_t device = 0; device < devices; ++device)
      EXPECT_NE(group.mark(device), 0u);
  });
}

TEST_F(Meetings, EndWhereOneLaunchesSomethingElse) {
  inEveryOrder([&](EmulatorOptions options) {
    options.turnsPerHour = 0;
    Group group;
    EXPECT_EQ(run(*module, group, {Comes{2}, {2}, {2, 9}}, options), "");
    for (size_t device = 0; device < devices; ++device) {
      const runtime::Mark mark(group.reports[device]);
      EXPECT_EQ(mark.kind, runtime::Mark::OtherLaunch);
      EXPECT_TRUE(mark.by == 2 || mark.whom == 2);
      EXPECT_EQ(mark.launched, mark.by == 2 ? 9u : 7u);
    }
  });
}

// Devices that are too late by chance: some leave marks, and all end. Who has none has met all.
TEST_F(Meetings, EndInEveryOrderOfTheClock) {
  int marked = 0, unmarked = 0;
  inEveryOrder([&](const EmulatorOptions &options) {
    Group group;
    EXPECT_EQ(run(*module, group, {Comes{3}, {3}, {3}}, options), "");
    bool some = false, all = true;
    for (size_t device = 0; device < devices; ++device) {
      some |= group.reports[device] != 0;
      all &= group.mark(device) != 0;
    }
    EXPECT_EQ(some, all);
    (some ? marked : unmarked) += 1;
  });
  EXPECT_GT(marked, 10);
  EXPECT_GT(unmarked, 10);
}

/// True for loads and stores of marks, which order nothing.
bool isOfMarks(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return load.getOrdering() == LLVM::AtomicOrdering::monotonic;
  auto store = dyn_cast<LLVM::StoreOp>(op);
  return store && store.getOrdering() == LLVM::AtomicOrdering::monotonic &&
         !isa_and_nonnull<LLVM::FenceOp>(op->getPrevNode()) &&
         !isa<BlockArgument>(store.getAddr()); // a report, which other devices do not read
}

TEST_F(Meetings, NeedTheirMarks) {
  auto isShown = [&](ModuleOp changed) {
    bool shown = false;
    inEveryOrder([&](const EmulatorOptions &options) {
      Group late, early;
      shown |= !run(changed, early, {Comes{3}, {3}, {3}}, options).empty();
      shown |= !run(changed, late, {Comes{1}, {1}, {0}}, options).empty();
      shown |= !run(changed, late, {Comes{0}, {0}, {1}}, options).empty();
      shown |= !late.reports[0] || !late.reports[1] || !late.reports[2];
    });
    return shown;
  };
  ASSERT_FALSE(isShown(*module));
  std::vector<size_t> numbers;
  size_t number = 0;
  module->walk([&](Operation *op) {
    if (isOfMarks(op))
      numbers.push_back(number);
    ++number;
  });
  ASSERT_EQ(numbers.size(), 2 + devices);
  auto changed = [&](size_t at, auto change) {
    OwningOpRef<ModuleOp> copy = module->clone();
    size_t here = 0;
    Operation *found = nullptr;
    copy->walk([&](Operation *op) {
      if (here++ == at)
        found = op;
    });
    change(found);
    return copy;
  };
  for (size_t at : numbers) {
    std::vector<std::string> names;
    changed(at, [&](Operation *op) {
      for (const Weakening &weakening : weakenings(op))
        names.push_back(weakening.name);
    });
    ASSERT_GE(names.size(), 4u);
    for (size_t w = 0; w < names.size(); ++w) {
      OwningOpRef<ModuleOp> weaker = changed(at, [&](Operation *op) { weakenings(op)[w].apply(op); });
      EXPECT_TRUE(isShown(*weaker)) << "op " << at << " " << names[w];
    }
  }
  // Who waits without a limit waits for ever.
  OwningOpRef<ModuleOp> patient = module->clone();
  Group group;
  patient->walk([](arith::CmpIOp compare) {
    if (compare.getPredicate() == arith::CmpIPredicate::ugt) {
      OpBuilder b(compare);
      compare.replaceAllUsesWith(arith::ConstantOp::create(b, compare.getLoc(), b.getBoolAttr(false)).getResult());
    }
  });
  EXPECT_NE(run(*patient, group, {Comes{1}, {1}, {0}}, options), "");
}

} // namespace
