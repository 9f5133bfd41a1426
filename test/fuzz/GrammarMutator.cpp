#include "GrammarMutator.h"

#include "compiler/frontend/Reader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace idc;
using namespace idc::fuzz;

namespace {

/// What the grammar's rule `rule` matched: bytes `begin` to `end`.
struct Part {
  size_t rule, begin, end;
  size_t nextBegin; // of what the same rule matched next, in the same list; 0: nothing
};

struct Token {
  size_t type, begin, end;
};

/// The parts and tokens of a text, as far as it can be parsed.
class Tree {
public:
  explicit Tree(llvm::StringRef text) {
    frontend::Diagnostics unseen;
    const unsigned buffer =
        unseen.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "program"), llvm::SMLoc());
    frontend::Reader reader(buffer, unseen);
    if (!reader.lex())
      return;
    const char *start = unseen.sources.getMemoryBuffer(buffer)->getBufferStart();
    offset = [&](size_t codePoint) { return static_cast<size_t>(reader.locate(codePoint).getPointer() - start); };
    for (const antlr4::Token *token : reader.allTokens())
      if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL && token->getType() != antlr4::Token::EOF)
        tokens.push_back({token->getType(), offset(token->getStartIndex()), offset(token->getStopIndex() + 1)});
    reader.parse([&](IdParser &parser, frontend::AstBuilder &, auto) { collect(*parser.program()); });
  }

  std::vector<Part> parts;
  std::vector<Token> tokens;

private:
  /// Adds the parts below a node, each once: a chain of rules that match the same text gives one part of its first.
  void collect(antlr4::ParserRuleContext &node) {
    std::map<size_t, size_t> latest; // of a rule, among the children: index into `parts`
    for (antlr4::tree::ParseTree *child : node.children) {
      auto *inner = dynamic_cast<antlr4::ParserRuleContext *>(child);
      if (!inner || !inner->getStart() || !inner->getStop() ||
          inner->getStart()->getTokenIndex() > inner->getStop()->getTokenIndex())
        continue;
      const Part part{inner->getRuleIndex(), offset(inner->getStart()->getStartIndex()),
                      offset(inner->getStop()->getStopIndex() + 1), 0};
      if (auto before = latest.find(part.rule); before != latest.end())
        parts[before->second].nextBegin = part.begin;
      latest[part.rule] = parts.size();
      parts.push_back(part);
      collect(*inner);
    }
  }

  std::function<size_t(size_t)> offset; // of a code point
};

template <typename Range> const auto &oneOf(const Range &range, std::mt19937 &random) {
  return *std::next(std::begin(range), static_cast<long>(random() % std::size(range)));
}

constexpr llvm::StringLiteral extremes[] = {"0",
                                            "1",
                                            "2",
                                            "3",
                                            "4",
                                            "5",
                                            "7",
                                            "8",
                                            "31",
                                            "32",
                                            "33",
                                            "63",
                                            "64",
                                            "65",
                                            "120",
                                            "257",
                                            "65537",
                                            "104729",
                                            "1048576",
                                            "2147483648",
                                            "998244353",
                                            "9223372036854775807",
                                            "18446744073709551616"};
constexpr llvm::StringLiteral operators[] = {"+", "-",  "*", "/",  "%",  "<<", ">>", "&", "|", "^", "==", "!=",
                                             "<", "<=", ">", ">=", "&&", "||", "!",  "~", "@", ".", "..", "|>"};
constexpr llvm::StringLiteral words[] = {
    "digit", "digits", "index", "omega", "select", "reverse",   "unshuffle", "shuffle",      "complement", "pad",
    "crop",  "gather", "log2",  "pow",   "conj",   "true",      "false",     "mod<5>",       "u64",        "i8",
    "f16",   "bf16",   "bool",  "f64",   "i32",    "log2_ceil", "generate",  "complex<f32>", "scatter",    "x"};
constexpr llvm::StringLiteral values[] = {"0", "1", "2", "3", "4", "5", "6"};
constexpr llvm::StringLiteral types[] = {"f32", "f64", "i32", "u64", "bool", "f16", "complex<f32>", "mod<17>"};
constexpr llvm::StringLiteral targets[] = {"sm_90", "sm_90", "sm_90", "sm_80", "cpu"};

std::string replaced(llvm::StringRef text, size_t begin, size_t end, llvm::StringRef by) {
  return (text.take_front(begin) + by + text.drop_front(end)).str();
}

llvm::StringRef textOf(const Part &part, llvm::StringRef text) { return text.slice(part.begin, part.end); }

/// A first line that asks for one of the text's algorithms, with a value for whatever its signature leaves open.
std::string requestLine(llvm::StringRef text, const Tree &tree, std::mt19937 &random) {
  std::vector<llvm::StringRef> signatures; // from the name to the body
  for (const Part &part : tree.parts)
    if (part.rule == IdParser::RuleFunction && textOf(part, text).consume_front("algorithm"))
      signatures.push_back(textOf(part, text).drop_front(strlen("algorithm")).split('{').first.ltrim());
  if (signatures.empty())
    return "";
  const llvm::StringRef signature = oneOf(signatures, random);
  auto isName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  const llvm::StringRef entry = signature.take_while(isName);
  std::map<llvm::StringRef, llvm::StringRef> settings;
  for (size_t at = entry.size(); at < signature.size();) {
    const llvm::StringRef name = signature.drop_front(at).take_while(isName);
    if (name.size() == 1 && !llvm::isDigit(name.front())) // what programs call sizes and types
      settings[name] = llvm::isUpper(name.front()) && random() % 4 ? oneOf(types, random) : oneOf(values, random);
    at += std::max<size_t>(name.size(), 1);
  }
  std::string line = "//! " + entry.str();
  for (const auto &[name, value] : settings)
    if (random() % 3)
      line += " " + name.str() + "=" + value.str();
  return line + " for " + oneOf(targets, random).str() + "\n";
}

} // namespace

std::string fuzz::mutateProgram(llvm::StringRef text, std::mt19937 &random) {
  const Tree tree(text);
  if (tree.parts.empty())
    return text.str();
  const Part &part = oneOf(tree.parts, random);
  std::vector<Part> alike;
  llvm::copy_if(tree.parts, std::back_inserter(alike), [&](const Part &other) { return other.rule == part.rule; });
  const Part &other = oneOf(alike, random);
  auto tokenOf = [&](std::initializer_list<size_t> kinds) {
    std::vector<Token> found;
    llvm::copy_if(tree.tokens, std::back_inserter(found),
                  [&](const Token &token) { return llvm::is_contained(kinds, token.type); });
    return found.empty() ? tree.tokens.front() : oneOf(found, random);
  };
  switch (random() % 10) {
  case 0: { // left out, with what separates it from the next one
    return replaced(text, part.begin, part.nextBegin ? part.nextBegin : part.end, "");
  }
  case 1: { // repeated
    const llvm::StringRef separator = part.nextBegin ? text.slice(part.end, part.nextBegin) : " ";
    return replaced(text, part.end, part.end, (separator + textOf(part, text)).str());
  }
  case 2: { // exchanged
    const Part &first = part.begin < other.begin ? part : other, &second = part.begin < other.begin ? other : part;
    if (first.end > second.begin)
      return replaced(text, first.begin, first.end, textOf(second, text));
    return replaced(replaced(text, second.begin, second.end, textOf(first, text)), first.begin, first.end,
                    textOf(second, text));
  }
  case 3:
  case 4:
    return replaced(text, part.begin, part.end, textOf(other, text));
  case 5: {
    const Token token = tokenOf({IdLexer::INT});
    return replaced(text, token.begin, token.end, oneOf(extremes, random));
  }
  case 6: {
    const Token token = tokenOf({IdLexer::NAME}), by = tokenOf({IdLexer::NAME});
    return replaced(text, token.begin, token.end,
                    random() % 3 ? text.slice(by.begin, by.end) : llvm::StringRef(oneOf(words, random)));
  }
  case 7: {
    const Token &token = oneOf(tree.tokens, random);
    return replaced(text, token.begin, token.end, oneOf(operators, random));
  }
  default: {
    const std::string line = requestLine(text, tree, random);
    return line.empty() ? text.str() : replaced(text, 0, text.starts_with("//! ") ? text.find('\n') + 1 : 0, line);
  }
  }
}

std::string fuzz::crossPrograms(llvm::StringRef text, llvm::StringRef other, std::mt19937 &random) {
  const Tree tree(text), others(other);
  if (tree.parts.empty() || others.parts.empty())
    return text.str();
  const Part &by = oneOf(others.parts, random);
  std::vector<Part> alike;
  llvm::copy_if(tree.parts, std::back_inserter(alike), [&](const Part &part) { return part.rule == by.rule; });
  if (by.rule == IdParser::RuleItem || alike.empty())
    return by.rule == IdParser::RuleItem ? (text + "\n" + textOf(by, other) + "\n").str() : text.str();
  const Part &part = oneOf(alike, random);
  return replaced(text, part.begin, part.end, textOf(by, other));
}
