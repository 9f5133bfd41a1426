// Several devices: what each does is right in every order of all of them, and a meeting that is missing shows.
#include "CompiledFixture.h"

#include "llvm/Support/JSON.h"

using namespace idc;
using namespace idc::emulator;

namespace {

class Devices : public CompiledFixture {
protected:
  void compileFor(int64_t devices, const std::string &file, const std::string &entry, int n,
                  const std::string &schedule = "") {
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/" + file;
    request.entry = entry;
    request.types["T"] = "f32";
    request.sizes["n"] = n;
    request.devices = devices;
    if (!schedule.empty())
      request.scheduleFile = IDC_TEST_INPUTS "/" + schedule;
    compile(request, (entry == "fft" ? size_t(2) : size_t(1)) << n);
  }

  /// The numbers of the kernels that are meetings.
  std::vector<size_t> meetings() const {
    std::vector<size_t> found;
    const llvm::json::Value document = llvm::cantFail(llvm::json::parse(manifest));
    for (const auto &[number, kernel] : llvm::enumerate(*document.getAsObject()->getArray("kernels")))
      if (kernel.getAsObject()->getString("name")->ends_with("_meet"))
        found.push_back(number);
    return found;
  }

  void removeKernel(size_t number) {
    llvm::json::Value document = llvm::cantFail(llvm::json::parse(manifest));
    llvm::json::Array &kernels = *document.getAsObject()->getArray("kernels");
    kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(number));
    manifest.clear();
    llvm::raw_string_ostream(manifest) << document;
  }
};

TEST_F(Devices, AreRightInEveryOrder) {
  compileFor(2, "fft.id", "fft", 9, "dependent.id");
  expectRightInEveryOrder({1, 3}, {2, 8});
}

TEST_F(Devices, ShareWhatBlocksLeaveToFewer) {
  compileFor(2, "scan.id", "exclusive_scan", 16);
  expectRightInEveryOrder({1}, {4});
}

TEST_F(Devices, GiveTheBitsOfOne) {
  std::vector<Pair> one, several;
  compileFor(1, "fft.id", "fft", 9, "dependent.id");
  EXPECT_TRUE(faults(text, {}, 3, &one).empty());
  compileFor(2, "fft.id", "fft", 9, "dependent.id");
  EXPECT_TRUE(faults(text, {}, 3, &several).empty());
  EXPECT_EQ(std::memcmp(one.data(), several.data(), one.size() * sizeof(Pair)), 0);
}

// Of two launches, one behind the other, without a meeting.
TEST_F(Devices, MeetWhereTheyMust) {
  compileFor(2, "fft.id", "fft", 9, "dependent.id");
  const std::string complete = manifest;
  const std::vector<size_t> all = meetings();
  ASSERT_EQ(all.size(), 4u);
  auto orders = [&] {
    int shown = 0, tried = 0;
    inEveryOrder(8, [&](EmulatorOptions options) {
      options.launches = 2;
      shown += !faults(text, options, 1).empty();
      ++tried;
    });
    return std::pair(shown, tried);
  };
  EXPECT_EQ(orders().first, 0);
  for (size_t number : all) {
    manifest = complete;
    removeKernel(number);
    auto [shown, tried] = orders();
    // The meetings at the end of a launch and at the beginning of the next one follow each other: one is enough.
    if (number == all.front() || number == all.back())
      EXPECT_EQ(shown, 0) << "without kernel " << number;
    else
      EXPECT_EQ(shown, tried) << "without kernel " << number;
  }
  manifest = complete;
  removeKernel(all.back());
  removeKernel(all.front());
  auto [shown, tried] = orders();
  EXPECT_EQ(shown, tried);
}

} // namespace
