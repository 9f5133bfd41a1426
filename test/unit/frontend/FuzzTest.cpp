// Damaged programs: whatever the text, the front end answers with a program or with diagnostics.
#include "FrontendFixture.h"

#include <fstream>
#include <sstream>

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

std::string readInput() {
  std::ifstream file(std::string(IDC_INPUTS_DIR) + "/algorithms.id");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// One to four edits: delete, repeat, overwrite or swap pieces, or insert a token.
std::string damage(std::string text, std::mt19937 &random) {
  static const std::vector<std::string> tokens = {
      "(",   ")",           "{",  "}",  "[",        "]",    ";",        "|>",       "@",      "^",  "..",
      "n",   "0",           "-1", "x",  "T",        "<",    ">",        "digit(1)", "return", "if", "2^70",
      "1.5", "omega(0, 1)", "/*", "\"", "\xce\x93", "\xff", "@ (1, 1)", "/ 0",      "let"};
  auto pick = [&](size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); };
  size_t edits = 1 + pick(4);
  for (size_t edit = 0; edit < edits; ++edit) {
    size_t at = pick(text.size()), length = std::min(text.size() - at, 1 + pick(12));
    switch (pick(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, text.substr(at, length));
      break;
    case 2:
      text[at] = static_cast<char>(pick(256));
      break;
    case 3:
      text.insert(at, tokens[pick(tokens.size())]);
      break;
    default:
      text.replace(at, length, text.substr(pick(text.size()), 1 + pick(12)));
      break;
    }
    if (text.empty())
      text = " ";
  }
  return text;
}

} // namespace

TEST(Fuzz, DamagedProgramsGiveDiagnostics) {
  const std::string text = readInput();
  ASSERT_GT(text.size(), 1000u);
  const std::vector<std::string> entries = {"bitonic_sort", "tridiagonal", "fft2", "ntt", "fft_mixed", "filter_rows"};
  std::mt19937 random(2024);
  for (int round = 0; round < 300; ++round) {
    const std::string &entry = entries[round % entries.size()];
    SizeMap sizes = {{"n", 3}};
    if (entry == "fft2" || entry == "filter_rows")
      sizes["m"] = 2;
    if (entry == "fft_mixed")
      sizes = {{"a", 2}, {"b", 1}};
    TypeMap types;
    if (entry == "bitonic_sort")
      types["T"] = "i32";
    auto result = fromText(damage(text, random), entry, sizes, types);
    EXPECT_TRUE(result->program.has_value() || result->diagnostics.errors() > 0) << "round " << round;
    result->messages();
  }
}
