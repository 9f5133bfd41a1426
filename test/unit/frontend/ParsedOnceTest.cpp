#include "compiler/frontend/ParsedOnce.h"
#include "compiler/frontend/Elaborate.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <thread>

using namespace idc::frontend;
namespace fs = std::filesystem;

namespace {

class ParsedOnceTest : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             ("idc-parsed-once-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder);
    fs::create_directories(folder / "library");
    write("mine.id", "import \"other.id\";\nalgorithm a(x: f32[8]) -> f32[8] { return x |> twice; }\n");
    write("library/other.id", "func twice(x: f32) -> f32 { return x + x; }\n");
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string &name, const std::string &text) { std::ofstream(folder / name) << text; }
  std::shared_ptr<const Source> parse(Diagnostics &diagnostics, const std::string &name = "mine.id") {
    return parseFileOnce((folder / name).string(), {(folder / "library").string()}, diagnostics);
  }
  std::shared_ptr<const Source> parse() {
    Diagnostics diagnostics;
    return parse(diagnostics);
  }

  fs::path folder;
};

TEST_F(ParsedOnceTest, TheSameProgramIsFoundAgain) {
  auto first = parse();
  ASSERT_TRUE(first);
  EXPECT_EQ(first, parse());
  auto text = [](const std::string &value) {
    Diagnostics diagnostics;
    return parseTextOnce("const A = " + value + ";", "a text", {}, diagnostics);
  };
  EXPECT_EQ(text("1"), text("1"));
  EXPECT_NE(text("1"), text("2"));
}

TEST_F(ParsedOnceTest, WhatHasChangedIsParsedAgain) {
  auto first = parse();
  write("library/other.id", "func twice(x: f32) -> f32 { return x * 2; }\n"); // an import, of the same length
  auto second = parse();
  ASSERT_TRUE(second);
  EXPECT_NE(first, second);
  EXPECT_EQ(second, parse());
  write("mine.id", "import \"other.id\";\nalgorithm b(x: f32[8]) -> f32[8] { return x |> twice; }\n");
  auto third = parse();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->main().functions.front()->name.text, "b");
  write("other.id", "func twice(x: f32) -> f32 { return x; }\n"); // imported in the place of the library's
  auto fourth = parse();
  ASSERT_TRUE(fourth);
  EXPECT_EQ(fourth->files[1]->path, (folder / "other.id").string());
  fs::remove(folder / "other.id");
  fs::remove(folder / "library/other.id");
  EXPECT_FALSE(parse());
}

TEST_F(ParsedOnceTest, MistakesAreToldEachTime) {
  write("mine.id", "algorithm a(x: f32[8]) -> f32[8] { return ; }\n");
  for (int i = 0; i < 2; ++i) {
    Diagnostics diagnostics;
    EXPECT_FALSE(parse(diagnostics));
    EXPECT_NE(diagnostics.str().find("mine.id:1:43: error: expected an expression"), std::string::npos)
        << diagnostics.str();
  }
}

/// Messages about a program that was parsed for others show its lines, after all others are gone, too.
TEST_F(ParsedOnceTest, PlacesAreShownByWhoeverAsks) {
  write("mine.id", "algorithm a(x: f32[8]) -> f32[8] { return x |> no_such; }\n");
  parse();
  Diagnostics diagnostics;
  auto source = parse(diagnostics);
  ASSERT_TRUE(source);
  EXPECT_FALSE(check(*source, diagnostics));
  source.reset();
  write("mine.id", "const A = 1;\n");
  parse();
  EXPECT_NE(diagnostics.str().find("mine.id:1:48: error:"), std::string::npos) << diagnostics.str();
  EXPECT_NE(diagnostics.str().find("return x |> no_such;"), std::string::npos) << diagnostics.str();
}

TEST_F(ParsedOnceTest, ThreadsShareIt) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        Diagnostics diagnostics;
        auto source = i % 2 ? parse(diagnostics)
                            : parseTextOnce("const A = " + std::to_string(round) + ";", "t", {}, diagnostics);
        EXPECT_TRUE(source && check(*source, diagnostics));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
