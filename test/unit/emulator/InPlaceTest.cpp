// Functions that may work in place without having been compiled for it do so in every order of the threads.
#include "CompiledFixture.h"

using namespace idc;
using namespace idc::emulator;

namespace {

struct Program {
  const char *file, *entry;
  int n;
  const char *type, *target;
  int numbers; // of 4 bytes in an element
  bool expected;
};

class InPlace : public CompiledFixture, public ::testing::WithParamInterface<Program> {};

TEST_P(InPlace, IsRightInEveryOrder) {
  const Program &program = GetParam();
  codegen::CompileRequest request;
  request.file = std::string(IDC_STDLIB) + "/" + program.file;
  request.entry = program.entry;
  request.sizes["n"] = program.n;
  request.types["T"] = program.type;
  request.target = program.target;
  compile(request, size_t(program.numbers) << program.n);
  ASSERT_EQ(manifest.find("inPlace") != std::string::npos, program.expected);
  if (!program.expected)
    return;
  for (int64_t batch : {1, 5}) {
    std::vector<Pair> apart;
    faults(text, {}, batch, &apart);
    inEveryOrder(8, [&](const EmulatorOptions &options) {
      std::vector<Pair> result;
      for (const idc::emulator::Fault &fault : faults(text, options, batch, &result, /*inPlace=*/true))
        ADD_FAILURE() << faultName(fault.kind) << ": " << fault.detail;
      EXPECT_EQ(std::memcmp(apart.data(), result.data(), apart.size() * sizeof(Pair)), 0);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, InPlace,
    ::testing::Values(Program{"fft.id", "fft", 3, "f32", "sm_90", 2, false}, // loads may move behind stores
                      Program{"fft.id", "fft", 8, "f32", "sm_90", 2, true},
                      Program{"fft.id", "fft", 10, "f32", "sm_80", 2, true},
                      Program{"fft.id", "fft", 13, "f32", "sm_90", 2, true},
                      Program{"fft.id", "fft", 14, "f32", "sm_80", 2, true},  // two kernels
                      Program{"fft.id", "fft", 14, "f32", "sm_90", 2, false}, // a cluster that draws numbers
                      Program{"sort.id", "bitonic_sort", 9, "i32", "sm_90", 1, true},
                      Program{"hadamard.id", "hadamard", 11, "f32", "sm_90", 1, true}),
    [](const auto &info) {
      return std::string(info.param.entry) + std::to_string(info.param.n) + "_" + info.param.target;
    });

} // namespace
