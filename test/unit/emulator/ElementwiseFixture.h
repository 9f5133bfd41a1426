// One computation on three values per thread, on many values at once.
#pragma once

#include "EmulatorFixture.h"

#include <array>
#include <cstring>

namespace idc::emulator {

class ElementwiseFixture : public EmulatorFixture {
protected:
  struct Scalar {
    std::string type;
    size_t bytes;
  };
  using Operands = std::array<uint64_t, 3>;

  /// A kernel that loads %x, %y and %z of type `from`, does `body` and stores its %r of type `to`.
  static std::string elementwise(const Scalar &from, const Scalar &to, const std::string &body) {
    std::string load;
    for (const char *name : {"x", "y", "z"}) {
      std::string n(name);
      load += "    %p" + n + " = llvm.getelementptr %in[%i" + n + "] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, " +
              from.type + "\n    %" + n + " = llvm.load %p" + n + " : !llvm.ptr<1> -> " + from.type + "\n";
    }
    return kernel("%in: !llvm.ptr<1>, %out: !llvm.ptr<1>",
                  "    %c1 = arith.constant 1 : i32\n    %c3 = arith.constant 3 : i32\n"
                  "    %ix = arith.muli %t, %c3 : i32\n    %iy = arith.addi %ix, %c1 : i32\n"
                  "    %iz = arith.addi %iy, %c1 : i32\n" +
                      load + body + "    %po = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, " +
                      to.type + "\n    llvm.store %r, %po : " + to.type + ", !llvm.ptr<1>\n");
  }

  /// The bits of %r for every triple of operands; `edit` may change the module before it runs.
  std::vector<uint64_t> results(
      const Scalar &from, const Scalar &to, const std::string &body, const std::vector<Operands> &operands,
      llvm::function_ref<void(mlir::ModuleOp)> edit = [](mlir::ModuleOp) {}) {
    std::vector<uint64_t> bits;
    std::string text = elementwise(from, to, body);
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    if (!modules.back()) {
      ADD_FAILURE() << "does not parse:\n" << text;
      return std::vector<uint64_t>(operands.size());
    }
    edit(*modules.back());
    llvm::Expected<Emulator> emulator = Emulator::create(*modules.back(), options);
    if (!emulator) {
      ADD_FAILURE() << llvm::toString(emulator.takeError());
      return std::vector<uint64_t>(operands.size());
    }
    for (size_t first = 0; first < operands.size(); first += 1024) {
      size_t count = std::min<size_t>(1024, operands.size() - first);
      std::vector<char> in(count * 3 * from.bytes), out(count * to.bytes);
      for (size_t i = 0; i < 3 * count; ++i)
        std::memcpy(&in[i * from.bytes], &operands[first + i / 3][i % 3], from.bytes);
      Buffer inBuffer("in", in.data(), static_cast<int64_t>(in.size()), true, false);
      Buffer outBuffer("out", out.data(), static_cast<int64_t>(out.size()), false);
      llvm::Expected<KernelReport> report =
          emulator->run("k", {1, static_cast<int64_t>(count), 0, {{&inBuffer, 0}, {&outBuffer, 0}}});
      if (!report)
        ADD_FAILURE() << llvm::toString(report.takeError());
      else
        EXPECT_TRUE(report->passed()) << toText(*report);
      for (size_t i = 0; i < count; ++i) {
        uint64_t value = 0;
        std::memcpy(&value, &out[i * to.bytes], to.bytes);
        bits.push_back(value);
      }
    }
    return bits;
  }
};

} // namespace idc::emulator
