// The style of `idc format` changes nothing but blanks: checked on every program of the repository and on the examples
// of the language reference, by means that share nothing with the formatter.
#include "compiler/frontend/Format.h"
#include "FrontendFixture.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace idc::frontend;

namespace {

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A text without the blanks around tokens, and its comments apart.
struct Content {
  std::string code;
  std::vector<std::string> comments;
};

Content content(const std::string &text) {
  Content result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text.compare(at, 2, "//") == 0 || text.compare(at, 2, "/*") == 0) {
      end = text[at + 1] == '/' ? text.find('\n', at) : text.find("*/", at + 2) + 2;
      end = std::min(end, text.size());
      std::string comment = text.substr(at, end - at);
      comment.erase(comment.find_last_not_of(" \t\r") + 1);
      result.comments.push_back(comment);
    } else if (text[at] == '"') {
      end = text.find('"', at + 1) + 1;
      result.code += text.substr(at, end - at);
    } else if (!isspace(static_cast<unsigned char>(text[at]))) {
      result.code += text[at];
    }
    at = end;
  }
  return result;
}

std::string tree(const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<Source> source = parseText(text, "x.id", {IDC_STDLIB_DIR}, diagnostics);
  return source ? printAst(*source) : "";
}

/// Formats and checks; false when the text has mistakes.
bool checkFormat(const std::string &text, const std::string &name) {
  Diagnostics diagnostics;
  std::optional<std::string> formatted = format(text, name, diagnostics);
  if (!formatted) {
    EXPECT_GT(diagnostics.errors(), 0u) << name;
    EXPECT_EQ(diagnostics.str().find("internal error"), std::string::npos) << diagnostics.str();
    return false;
  }
  EXPECT_EQ(format(*formatted, name, diagnostics), formatted) << name;
  Content before = content(text), after = content(*formatted);
  EXPECT_EQ(after.code, before.code) << name;
  EXPECT_EQ(after.comments, before.comments) << name;
  EXPECT_EQ(tree(*formatted), tree(text)) << name;
  return true;
}

} // namespace

TEST(Format, EveryProgramOfTheRepositoryStaysTheSame) {
  int formatted = 0;
  for (const char *folder : {"stdlib", "examples", "test"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(std::string(IDC_ROOT_DIR) + "/" + folder))
      if (entry.path().extension() == ".id")
        formatted += checkFormat(read(entry.path()), entry.path().string());
  EXPECT_GT(formatted, 60);
}

TEST(Format, ExamplesOfTheReferenceStayTheSame) {
  std::string page = read(std::string(IDC_ROOT_DIR) + "/docs/language.md");
  const std::string fence = "\n```id\n";
  int formatted = 0;
  for (size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    formatted += checkFormat(page.substr(at, page.find("\n```\n", at) - at), "example at " + std::to_string(at));
  }
  EXPECT_GT(formatted, 40);
}

TEST(Format, TheLibraryIsInTheStyle) {
  for (const char *folder : {"stdlib", "test/gpu/programs"})
    for (const auto &entry : std::filesystem::directory_iterator(std::string(IDC_ROOT_DIR) + "/" + folder))
      if (entry.path().extension() == ".id") {
        Diagnostics diagnostics;
        EXPECT_EQ(format(read(entry.path()), "x.id", diagnostics), read(entry.path())) << entry.path();
      }
}
