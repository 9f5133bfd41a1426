// What `idc explain` counts of a kernel is what the emulator counts when it runs.
#include "compiler/explain/Facts.h"
#include "compiler/emulator/EmulatedModule.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace idc;
using namespace idc::explain;

namespace {

struct Program {
  const char *file, *entry;
  frontend::SizeMap sizes;
  frontend::TypeMap types;
  bool sectors = true; // are counted of all accesses
  passes::Plan plan = passes::Plan::Throughput;
};

void PrintTo(const Program &program, std::ostream *os) { *os << program.entry; }

class CountTest : public ::testing::TestWithParam<Program> {
protected:
  static codegen::CompileRequest request() {
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/" + GetParam().file;
    request.entry = GetParam().entry;
    request.sizes = GetParam().sizes;
    request.types = GetParam().types;
    request.plan = GetParam().plan;
    request.libraries = {IDC_STDLIB};
    return request;
  }

  /// What the emulator counts of every kernel on a batch that fills all blocks.
  static std::vector<emulator::KernelReport> run(const Facts &facts, int64_t batch) {
    codegen::Compiler compiler(request());
    llvm::Expected<std::string> kernels = compiler.emit(codegen::Level::Gpu, llvm::errs());
    llvm::Expected<std::string> launches = compiler.launches(llvm::errs());
    if (!kernels || !launches) {
      ADD_FAILURE() << "the program does not compile";
      return {};
    }
    auto module = emulator::EmulatedModule::create(*kernels, *launches, emulator::EmulatorOptions());
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    using Words = std::vector<std::array<uint32_t, 4>>;
    std::vector<Words> memory;
    auto room = [&](int64_t bytes) -> void * {
      memory.emplace_back(static_cast<size_t>(bytes) / 16 + 1, std::array<uint32_t, 4>{});
      return memory.back().data();
    };
    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    for (const Array &array : facts.inputs)
      inputs.push_back(room(batch * array.elements * array.elementBytes));
    for (const Array &array : facts.outputs)
      outputs.push_back(room(batch * array.elements * array.elementBytes));
    int64_t bytes = 0;
    idc_workspace_size(module->get(), batch, &bytes);
    idc_launch(module->get(), batch, inputs.data(), nullptr, outputs.data(), room(bytes), nullptr);
    return (*module)->reports();
  }
};

TEST_P(CountTest, AgreesWithTheEmulator) {
  codegen::Compiler compiler(request());
  llvm::Expected<Facts> facts = gather(compiler, llvm::errs());
  ASSERT_TRUE(static_cast<bool>(facts)) << llvm::toString(facts.takeError());
  int64_t batch = 1;
  for (const Kernel &kernel : facts->kernels)
    batch = std::max(batch, kernel.problems);
  const std::vector<emulator::KernelReport> reports = run(*facts, batch);
  ASSERT_EQ(reports.size(), facts->kernels.size());
  for (size_t i = 0; i < reports.size(); ++i) {
    const emulator::KernelReport &report = reports[i];
    const Kernel &kernel = facts->kernels[i];
    SCOPED_TRACE(kernel.name);
    EXPECT_EQ(report.threads, kernel.threads);
    int64_t conflicts = 0, loaded = 0, stored = 0, loadSectors = 0, storeSectors = 0;
    for (const Event &event : kernel.events) {
      if (const auto *exchange = std::get_if<Exchange>(&event))
        conflicts = std::max<int64_t>(conflicts, exchange->conflicts);
      if (const auto *access = std::get_if<Access>(&event)) {
        (access->isStore ? stored : loaded) += batch * access->bytes;
        EXPECT_EQ(access->count.has_value(), GetParam().sectors);
        if (access->count)
          (access->isStore ? storeSectors : loadSectors) +=
              batch * access->bytes / access->count->usefulBytes * access->count->sectors;
      }
    }
    EXPECT_EQ(std::max(report.sharedLoads.worstConflict, report.sharedStores.worstConflict), conflicts);
    EXPECT_EQ(report.loads.bytes, loaded);
    EXPECT_EQ(report.stores.bytes, stored);
    if (GetParam().sectors) {
      EXPECT_EQ(report.loads.sectors, loadSectors);
      EXPECT_EQ(report.stores.sectors, storeSectors);
    }
  }
}

const frontend::TypeMap single{{"T", "f32"}};

INSTANTIATE_TEST_SUITE_P(
    Programs, CountTest,
    ::testing::Values(Program{"fft.id", "fft", {{"n", 4}}, {}, true}, // several problems in a block
                      Program{"fft.id", "fft", {{"n", 9}}, {}, true},
                      Program{"fft.id", "fft", {{"n", 13}}, {}, true, passes::Plan::Latency}, // several kernels
                      Program{"hadamard.id", "hadamard", {{"n", 15}}, {}, true},              // a cluster
                      Program{"fft.id", "fft_mixed", {{"N", 729}}, {}, false},                // warps of no digits
                      Program{"hadamard.id", "hadamard", {{"n", 9}}, {{"T", "f16"}}, true},
                      Program{"ntt.id", "ntt", {{"n", 11}}, {}, true},
                      Program{"transpose.id", "transpose", {{"m", 5}, {"n", 6}}, single, true},
                      Program{"scan.id", "exclusive_scan", {{"n", 3}}, single, true},
                      Program{"scan.id", "exclusive_scan", {{"n", 9}}, single, true},
                      Program{"scan.id", "exclusive_scan", {{"n", 14}}, single, true},
                      Program{"scan.id", "exclusive_scan", {{"n", 16}}, single, true}, // levels in a cluster
                      Program{"tridiagonal.id", "tridiagonal", {{"n", 9}}, {}, true}),
    [](const auto &info) {
      std::string name = info.param.entry;
      for (const auto &[size, value] : info.param.sizes)
        name += "_" + size + std::to_string(value);
      return name;
    });

} // namespace
