// What the fuzzer's mutator makes of programs is mostly programs again, and other ones.
#include "test/fuzz/GrammarMutator.h"

#include "compiler/frontend/Parse.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <set>

using namespace idc;

namespace {

std::string libraryText(const char *file) {
  return (*llvm::MemoryBuffer::getFile(std::string(IDC_STDLIB) + "/" + file))->getBuffer().str();
}

bool parses(const std::string &text) {
  frontend::Diagnostics diagnostics;
  return frontend::parseText(text, "mutant.id", {IDC_STDLIB}, diagnostics) != nullptr;
}

TEST(GrammarMutator, MakesManyProgramsThatParse) {
  const std::string text = libraryText("scan.id");
  std::set<std::string> made;
  int parsed = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const std::string mutant = fuzz::mutateProgram(text, random);
    made.insert(mutant);
    parsed += parses(mutant);
  }
  EXPECT_GT(made.size(), 300u);
  EXPECT_GT(parsed, 250);
}

TEST(GrammarMutator, DependsOnItsSeedAlone) {
  const std::string text = libraryText("haar.id");
  std::mt19937 first(7), second(7);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(fuzz::mutateProgram(text, first), fuzz::mutateProgram(text, second));
}

TEST(GrammarMutator, ReplacesTheRequestInTheFirstLine) {
  std::string text = "//! f n=3 for sm_90\nalgorithm f<T>(x: T[2^n]) -> T[2^n] { return x; }\n";
  std::set<std::string> requests;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::string mutant = fuzz::mutateProgram(text, random);
    const llvm::StringRef line = llvm::StringRef(mutant).split('\n').first;
    EXPECT_TRUE(line.starts_with("//! f ")) << line.str();
    requests.insert(line.str());
  }
  EXPECT_GT(requests.size(), 10u);
}

TEST(GrammarMutator, CrossesPartsOfOneRule) {
  const std::string text = libraryText("scan.id"), other = libraryText("hadamard.id");
  std::set<std::string> made;
  int parsed = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::string crossed = fuzz::crossPrograms(text, other, random);
    made.insert(crossed);
    parsed += parses(crossed);
  }
  EXPECT_GT(made.size(), 50u);
  EXPECT_GT(parsed, 150);
}

TEST(GrammarMutator, LeavesWhatIsNoText) {
  std::mt19937 random(1);
  for (const std::string &text : {std::string(), std::string("\xff\xfe"), std::string(300, '(')})
    EXPECT_EQ(fuzz::mutateProgram(text, random), text);
}

} // namespace
