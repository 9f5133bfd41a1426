// Reads what people give as text: values of options, element types, mappings. docs/command-line.md has their grammar.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace idc::host {

/// Takes one token after the other from a text, which must live as long. Blanks before a token are passed over; what is
/// not there is left as it was. Needs nothing but C++, for programs without LLVM and for the algebra of digits.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  bool atEnd() {
    skipBlanks();
    return at == text.size();
  }

  /// True when `token` stands next, which is then passed.
  bool accept(std::string_view token) {
    skipBlanks();
    if (text.substr(at, token.size()) != token)
      return false;
    at += token.size();
    return true;
  }

  /// Letters, digits and '_'; empty when there are none.
  std::string_view name() {
    skipBlanks();
    const size_t begin = at;
    while (at < text.size() && isNamed(text[at]))
      ++at;
    return text.substr(begin, at - begin);
  }

  /// A decimal number of the type Number: int64_t with or without '-', uint64_t, or double with a point or exponent.
  template <typename Number> std::optional<Number> number() {
    skipBlanks();
    Number value{};
    const char *const begin = text.data() + at, *const end = text.data() + text.size();
    const char *const digit = begin != end && *begin == '-' ? begin + 1 : begin;
    if (digit == end || !isDigit(*digit)) // from_chars knows inf and nan
      return std::nullopt;
    const auto [after, error] = std::from_chars(begin, end, value);
    if (error != std::errc())
      return std::nullopt;
    at += static_cast<size_t>(after - begin);
    return value;
  }

  /// All up to the first of the characters `ends` that stands in no brackets, or to the end; without blanks around it.
  std::string_view until(std::string_view ends) {
    skipBlanks();
    const size_t begin = at;
    for (int depth = 0; at < text.size(); ++at) {
      if (depth == 0 && ends.find(text[at]) != std::string_view::npos)
        break;
      depth += std::string_view("([{").find(text[at]) != std::string_view::npos;
      depth -= depth > 0 && std::string_view(")]}").find(text[at]) != std::string_view::npos;
    }
    size_t end = at;
    while (end > begin && isBlank(text[end - 1]))
      --end;
    return text.substr(begin, end - begin);
  }

  /// Where the next token begins, from 1; for messages.
  size_t column() {
    skipBlanks();
    return at + 1;
  }

private:
  static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isNamed(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_'; }

  void skipBlanks() {
    while (at < text.size() && isBlank(text[at]))
      ++at;
  }

  const std::string_view text;
  size_t at = 0;
};

} // namespace idc::host
