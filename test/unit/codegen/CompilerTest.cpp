// The compiler as a library: levels on demand, errors as values.
#include "compiler/codegen/Compiler.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace idc::codegen;

namespace {

CompileRequest transform(int64_t n) {
  CompileRequest request;
  request.file = std::string(IDC_STDLIB) + "/fft.id";
  request.libraries = {IDC_STDLIB};
  request.entry = "fft";
  request.sizes["n"] = n;
  return request;
}

/// The output of a level, or "error: " and what was said of it.
std::string emit(Compiler &compiler, Level level) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  llvm::Expected<std::string> text = compiler.emit(level, stream);
  return text ? *text : "error: " + llvm::toString(text.takeError()) + errors;
}

TEST(Compiler, LevelNames) {
  for (const char *name : {"ast", "id", "flow", "stages", "gpu", "llvm", "ptx", "cubin", "fatbin", "manifest"}) {
    std::optional<Level> level = findLevel(name);
    ASSERT_TRUE(level) << name;
    EXPECT_STREQ(levelName(*level), name);
    EXPECT_NE(std::string(levelExtension(*level)), "");
  }
  EXPECT_FALSE(findLevel("asm"));
  EXPECT_FALSE(findLevel(""));
}

TEST(Compiler, LevelsInOrder) {
  Compiler compiler(transform(5));
  std::string id = emit(compiler, Level::Id), flow = emit(compiler, Level::Flow), ptx = emit(compiler, Level::Ptx);
  EXPECT_NE(id.find("id.permute"), std::string::npos);
  EXPECT_NE(flow.find("id.node [5]"), std::string::npos);
  EXPECT_NE(ptx.find(".visible .entry"), std::string::npos);
  EXPECT_EQ(emit(compiler, Level::Ptx), ptx) << "asked for again";
  EXPECT_EQ(emit(compiler, Level::Id), "error: level id must be emitted before lower ones");
  Compiler other(transform(5));
  EXPECT_EQ(emit(other, Level::Ptx), ptx) << "the same without the levels between";
}

TEST(Compiler, Errors) {
  CompileRequest request = transform(5);
  request.target = "sm_12";
  Compiler target(request);
  EXPECT_EQ(emit(target, Level::Ptx).rfind("error: unknown target 'sm_12'", 0), 0u);

  request = transform(5);
  request.entry = "";
  Compiler entry(request);
  EXPECT_NE(emit(entry, Level::Id).find("choose one with --entry"), std::string::npos);

  request = transform(5);
  request.file = "none.id";
  Compiler file(request);
  EXPECT_NE(emit(file, Level::Ast).find("none.id"), std::string::npos);
  EXPECT_NE(emit(file, Level::Ast).find("none.id"), std::string::npos) << "and again";

  request = transform(-1);
  Compiler size(request);
  EXPECT_EQ(emit(size, Level::Id).rfind("error: ", 0), 0u);

  Compiler gpu(transform(5));
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  llvm::Expected<const CpuJit *> jit = gpu.jit(stream);
  EXPECT_FALSE(jit) << "the target is no CPU";
  if (!jit)
    llvm::consumeError(jit.takeError());
}

} // namespace
