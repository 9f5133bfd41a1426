#include "compiler/tools/Example.h"

#include "compiler/codegen/RequestOptions.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace idc;
using frontend::Scalar;
using frontend::Type;
using llvm::StringRef;

static bool isWord(StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::vector<std::string> tools::splitList(StringRef text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += StringRef("([{<").contains(c);
    depth -= StringRef(")]}>").contains(c);
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string &part : parts)
    part = StringRef(part).trim().str();
  if (parts.back().empty())
    parts.pop_back();
  return parts;
}

/// One line without its //!.
static tools::Example readExample(StringRef text) {
  using Kind = tools::Example::Kind;
  tools::Example example, unreadable;
  example.text = unreadable.text = text.str();
  unreadable.kind = Kind::Unreadable;
  if (StringRef message = text; message.consume_front("error: ")) {
    example.kind = Kind::Error;
    example.rest = message.str();
    return example;
  }
  // ENTRY and settings come before " for ", " error: " or ": ", whichever is first.
  const std::pair<StringRef, Kind> separators[] = {
      {" for ", Kind::Compiles}, {" error: ", Kind::Error}, {": ", Kind::Values}};
  StringRef head = text, rest;
  for (auto [separator, kind] : separators)
    if (const size_t at = text.find(separator); at < head.size()) {
      head = text.take_front(at);
      rest = text.drop_front(at + separator.size()).trim();
      example.kind = kind;
    }
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(head, words);
  if (rest.empty() || words.empty() || !isWord(words[0]))
    return unreadable;
  example.entry = words[0].str();
  for (StringRef setting : llvm::drop_begin(words)) {
    if (!setting.contains('='))
      return unreadable;
    example.settings.push_back(setting.str());
  }
  example.rest = rest.str();
  if (example.kind != Kind::Values)
    return example;
  const StringRef separator = rest.contains("->") ? "->" : " error: ";
  if (!rest.contains(separator))
    return unreadable;
  if (separator != "->")
    example.kind = Kind::Refused;
  auto [inputs, results] = rest.split(separator);
  example.inputs = tools::splitList(inputs.trim());
  example.rest = results.trim().str();
  return example;
}

std::vector<tools::Example> tools::readExamples(StringRef text) {
  std::vector<Example> examples;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    StringRef example = line.trim();
    if (!example.consume_front("//!"))
      continue;
    example = example.trim();
    if (example.starts_with("file "))
      continue;
    examples.push_back(readExample(example));
    examples.back().line = static_cast<unsigned>(number + 1);
  }
  return examples;
}

//===--- numbers ------------------------------------------------------------------------------------------------===//

/// A real number at the beginning of a text, which it is taken from: "3", "-0.5", "1/3", "1e-3", "inf".
static std::optional<long double> takeReal(StringRef &text) {
  const std::string copy = text.str();
  char *end = nullptr;
  const long double value = std::strtold(copy.c_str(), &end);
  if (end == copy.c_str())
    return std::nullopt;
  text = text.drop_front(static_cast<size_t>(end - copy.c_str()));
  if (!text.consume_front("/"))
    return value;
  int64_t divisor = 0;
  if (text.consumeInteger(10, divisor) || divisor <= 0)
    return std::nullopt;
  return value / static_cast<long double>(divisor);
}

static std::optional<Scalar> readReal(StringRef word, bool isComplex) {
  Scalar value;
  std::optional<long double> part = takeReal(word);
  if (!part)
    return std::nullopt;
  if (isComplex && word == "i") {
    value.im = *part;
    return value;
  }
  value.re = *part;
  if (word.empty())
    return value;
  part = isComplex && (word[0] == '+' || word[0] == '-') ? takeReal(word) : std::nullopt;
  if (!part || word != "i")
    return std::nullopt;
  value.im = *part;
  return value;
}

/// What an integer type or mod<P> holds.
static std::pair<llvm::APSInt, llvm::APSInt> boundsOf(const Type &type) {
  auto number = [](uint64_t value) { return llvm::APSInt(llvm::APInt(128, value), false); };
  auto bits = [&](unsigned count, bool isSigned) {
    const llvm::APSInt one = number(1);
    return isSigned ? std::pair(-(one << (count - 1)), (one << (count - 1)) - one)
                    : std::pair(number(0), (one << count) - one);
  };
  switch (type.kind) {
  case Type::Kind::Bool:
    return {number(0), number(1)};
  case Type::Kind::I8:
    return bits(8, true);
  case Type::Kind::I16:
    return bits(16, true);
  case Type::Kind::I32:
    return bits(32, true);
  case Type::Kind::U8:
    return bits(8, false);
  case Type::Kind::U16:
    return bits(16, false);
  case Type::Kind::U32:
    return bits(32, false);
  case Type::Kind::U64:
    return bits(64, false);
  case Type::Kind::Mod:
    return {number(0), number(type.modulus - 1)};
  default:
    return bits(64, true);
  }
}

static std::optional<Scalar> readNumber(StringRef word, const Type &type) {
  switch (type.kind) {
  case Type::Kind::F16:
  case Type::Kind::BF16:
  case Type::Kind::F32:
  case Type::Kind::F64:
  case Type::Kind::Complex:
    return readReal(word, type.kind == Type::Kind::Complex);
  default:
    break;
  }
  StringRef digits = word;
  const bool isNegative = digits.consume_front("-");
  if (digits.empty() || digits.size() > 20 || !llvm::all_of(digits, llvm::isDigit))
    return std::nullopt;
  llvm::APSInt value(llvm::APInt(128, digits, 10), false);
  if (isNegative)
    value = -value;
  auto [low, high] = boundsOf(type);
  if (value < low || value > high)
    return std::nullopt;
  Scalar scalar;
  scalar.integer = static_cast<int64_t>(value.getRawData()[0]);
  return scalar;
}

std::optional<std::vector<Scalar>> tools::readNumbers(StringRef text, const std::vector<frontend::TypeRef> &leaves) {
  constexpr int64_t mostOfRange = 1 << 20;
  std::vector<Scalar> numbers;
  auto add = [&](StringRef word) {
    std::optional<Scalar> number = readNumber(word, *leaves[numbers.size() % leaves.size()]);
    if (number)
      numbers.push_back(*number);
    return number.has_value();
  };
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    if (!word.contains("..")) {
      if (!add(word))
        return std::nullopt;
      continue;
    }
    std::optional<std::pair<int64_t, int64_t>> range = codegen::readRange(word, mostOfRange);
    if (!range)
      return std::nullopt;
    for (int64_t number = range->first; number <= range->second; ++number)
      if (!add(std::to_string(number)))
        return std::nullopt;
  }
  return numbers;
}
