// Kernels of the compiler that blocks talk to each other in: batches, orders of blocks, and what comes out.
#pragma once

#include "CompiledFixture.h"

#include <regex>

namespace idc::emulator {

class CompiledKernels : public CompiledFixture {
protected:
  struct alignas(16) Pair {
    float number[4];
  };

  /// Faults when the kernels run on a batch in one order, and what they compute.
  int64_t faultsOn(int64_t batch, EmulatorOptions options, std::vector<Pair> *result) {
    llvm::Expected<std::unique_ptr<EmulatedModule>> module = EmulatedModule::create(text, manifest, options);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return -1;
    }
    std::vector<Pair> x(static_cast<size_t>(batch) * size / 2), y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = {{float(i % 7), float(i % 11), float(i % 13), float(i % 17)}};
    int64_t bytes = 0;
    idc_workspace_size(module->get(), batch, &bytes);
    std::vector<Pair> workspace(static_cast<size_t>(bytes) / sizeof(Pair) + 1, Pair{{NAN, NAN, NAN, NAN}});
    const void *inputs[] = {x.data()};
    void *outputs[] = {y.data()};
    idc_launch(module->get(), batch, inputs, nullptr, outputs, workspace.data(), nullptr);
    int64_t count = 0;
    for (const KernelReport &report : (*module)->reports())
      for (const idc::emulator::Fault &fault : report.faults) {
        count += fault.count;
        last = faultName(fault.kind) + (": " + fault.detail);
      }
    *result = y;
    return count;
  }

  /// No fault and the same results in every order, random ones with several seeds.
  void expectRightInEveryOrder(const std::vector<int64_t> &batches, const std::vector<int64_t> &residentBlocks) {
    for (int64_t batch : batches) {
      std::vector<Pair> first, result;
      for (int64_t resident : residentBlocks)
        for (Interleaving interleaving : everyInterleaving)
          for (uint64_t seed = 0; seed < (interleaving == Interleaving::Random ? 5 : 1); ++seed) {
            EmulatorOptions options;
            options.interleaving = interleaving;
            options.seed = seed;
            options.residentBlocks = resident;
            EXPECT_EQ(faultsOn(batch, options, &result), 0) << last;
            if (first.empty())
              first = result;
            EXPECT_EQ(std::memcmp(first.data(), result.data(), first.size() * sizeof(Pair)), 0);
          }
    }
  }

  /// `text` with every match of a regular expression replaced, of which there must be `count`.
  std::string withEvery(const std::string &pattern, const std::string &to, int count) {
    std::regex expression(pattern);
    EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()), count)
        << pattern;
    return std::regex_replace(text, expression, to);
  }

  std::string last; // fault
};

} // namespace idc::emulator
