// ANTLR's lexer and parser run over one buffer. What is checked before ANTLR sees the text: that it is UTF-8 (ANTLR's
// stream throws on other bytes) and that brackets do not nest so deeply that recursive descent runs out of stack.
#include "compiler/frontend/Reader.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MemoryBuffer.h"

namespace idc::frontend {

namespace {

constexpr int maxNesting = 120;
constexpr size_t maxName = 255; // characters; names of fields make up names of leaves

/// "expected ';', found 'x'" from ANTLR's state; places a missing end of a statement after the last token before it.
class ErrorListener : public antlr4::BaseErrorListener {
public:
  ErrorListener(std::function<llvm::SMLoc(size_t)> locate, Diagnostics &diagnostics)
      : locate(std::move(locate)), diagnostics(diagnostics) {}

  void syntaxError(antlr4::Recognizer *recognizer, antlr4::Token *offending, size_t, size_t, const std::string &message,
                   std::exception_ptr exception) override {
    auto *parser = dynamic_cast<antlr4::Parser *>(recognizer);
    if (!parser || !offending) {
      diagnostics.error(llvm::SMLoc(), message);
      return;
    }
    llvm::SMLoc begin = locate(offending->getStartIndex());
    llvm::SMLoc end = locate(offending->getStopIndex() + 1);
    if (offending->getType() == IdLexer::OPEN_COMMENT)
      return diagnostics.error(begin, "comment is not closed");
    if (offending->getType() == IdLexer::OPEN_STRING)
      return diagnostics.error(begin, "string is not closed");
    bool atEnd = offending->getType() == antlr4::Token::EOF;
    std::string found = atEnd ? "the end of the file" : "'" + offending->getText() + "'";
    std::string text = leavesAssignment(*parser, exception, offending) ? "'='" : expected(*parser);
    std::string hint = advice(*parser, text, offending);
    text = text.empty() ? "unexpected " + found : "expected " + text + ", found " + found;
    text += hint;
    // A missing ';' is missed where the line ends, not where the next one begins.
    antlr4::Token *previous = parser->getTokenStream()->LT(-1);
    const bool isAtEnd = previous && text.rfind("expected ';'", 0) == 0 && previous->getLine() < offending->getLine();
    // What else is wrong on a line mostly follows from its first error.
    const size_t line = (isAtEnd ? previous : offending)->getLine();
    if (line == lastLine)
      return;
    lastLine = line;
    if (isAtEnd)
      return diagnostics.error(locate(previous->getStopIndex() + 1), text);
    diagnostics.error(begin, text,
                      atEnd || end.getPointer() <= begin.getPointer() ? llvm::SMRange() : llvm::SMRange(begin, end));
  }

private:
  /// Whether only '=' can follow what begins a statement: the parser itself does not know, because two kinds of
  /// assignment begin with a name.
  static bool leavesAssignment(antlr4::Parser &parser, const std::exception_ptr &exception,
                               const antlr4::Token *offending) {
    if (!exception || parser.getContext()->getRuleIndex() != IdParser::RuleStatement)
      return false;
    try {
      std::rethrow_exception(exception);
    } catch (const antlr4::NoViableAltException &failure) {
      return failure.getStartToken()->getTokenIndex() < offending->getTokenIndex();
    } catch (const std::exception &) {
      return false;
    }
  }

  /// How what was probably meant is written, after a semicolon; empty when nothing is known to help.
  static std::string advice(antlr4::Parser &parser, const std::string &expected, const antlr4::Token *offending) {
    size_t index = offending->getTokenIndex();
    auto text = [&](size_t i) { return parser.getTokenStream()->get(i)->getText(); };
    auto type = [&](size_t i) { return parser.getTokenStream()->get(i)->getType(); };
    auto adjacent = [&](size_t i) {
      return parser.getTokenStream()->get(i)->getStopIndex() + 1 ==
             parser.getTokenStream()->get(i + 1)->getStartIndex();
    };
    std::string found = offending->getText();
    if (offending->getType() == antlr4::Token::EOF)
      return "";
    if (found == "?")
      return "; select(c, a, b) chooses between two values";
    if (found == "#")
      return "; a comment begins with '//'";
    if (index > 0 && text(index - 1) == "while")
      return "; there is no 'while', a loop runs over a range that is known when compiling: for i in a..b { .. }";
    if (index > 0 && text(index - 1) == "for" && found == "(")
      return "; a loop runs over a range that is known when compiling: for i in a..b { .. }";
    if (expected == "'='" && found == ".")
      return "; fields are not assigned, a record is made anew: Name{ field: value, .. }";
    if (index > 0 && text(index - 1) == "<" && expected == "a name" && type(index) == IdLexer::INT)
      return "; a setting has a name: f<k = " + found + ">";
    if (index > 0 && text(index - 1) == "0" && adjacent(index - 1) && found.front() == 'x')
      return "; integers are written in decimal";
    if (found == "xor")
      return "; exclusive or is a function: xor(a, b)";
    if (found == "@")
      return "; '@' stands after a stage: x |> f @ 1";
    if (found == "{" && (expected == "';'" || expected == "an expression"))
      return index > 0 && text(index - 1) == ">"
                 ? "; a record literal has its types from its fields: Name{ field: value, .. }"
                 : "; a record literal is written Name{ field: value, .. }";
    if (index > 1 && text(index - 1) == "=" && expected == "a name" &&
        (type(index) == IdLexer::INT || type(index) == IdLexer::REAL))
      return "; a parameter that is a number has its type: " + text(index - 2) + ": " +
             (type(index) == IdLexer::INT ? "int" : "real") + " = " + found;
    if (expected == "'='" && found == "|>")
      return "; the result of a pipe must be assigned or returned";
    if (expected == "'='" && adjacent(index) && text(index + 1) == "=")
      return "; there is no '" + found + "=', the operation stands on the right of '='";
    bool noFraction = index > 1 && text(index - 1) == "." && type(index - 2) == IdLexer::INT && adjacent(index - 2);
    bool noWhole = found == "." && expected == "an expression" && adjacent(index) && type(index + 1) == IdLexer::INT;
    if (noFraction || noWhole)
      return "; a real number needs digits on both sides of its point";
    if (expected.rfind("a name", 0) == 0 && std::islower(static_cast<unsigned char>(found.front())))
      return ", which is a word of the language";
    return "";
  }

  static std::string expected(antlr4::Parser &parser) {
    antlr4::misc::IntervalSet set = parser.getExpectedTokens();
    if (set.contains(static_cast<ssize_t>(IdLexer::REAL)))
      return "an expression";
    bool anyName = set.contains(static_cast<ssize_t>(IdLexer::NAME));
    std::vector<std::string> names;
    static const std::vector<std::string> operators = {"'|>'", "'||'", "'&&'", "'=='", "'!='", "'<'", "'<='", "'>'",
                                                       "'>='", "'|'",  "'&'",  "'<<'", "'+'",  "'-'", "'*'",  "'/'",
                                                       "'%'",  "'^'",  "'.'",  "'['",  "'('",  "'@'", "'{'"};
    bool closes = false;
    for (ssize_t token : set.toList()) {
      std::string text(parser.getVocabulary().getDisplayName(token));
      if (text == "';'" || text == "')'" || text == "']'" || text == "'{'" || text == "','")
        closes = true;
      names.push_back(text);
    }
    if (std::find(names.begin(), names.end(), "'algorithm'") != names.end())
      return "a declaration";
    std::string result;
    auto add = [&](const std::string &text) { result += (result.empty() ? "" : " or ") + text; };
    if (anyName)
      add("a name");
    // After an expression every operator may follow; only what ends the expression helps.
    for (const std::string &text : names) {
      bool isOperator = std::find(operators.begin(), operators.end(), text) != operators.end();
      if (closes && names.size() > 6 && isOperator && !(text == "'{'" && names.size() < 26 && result.empty()))
        continue;
      bool contextual = anyName && text.size() > 2 && islower(static_cast<unsigned char>(text[1]));
      if (contextual || text == "NAME")
        continue;
      add(text == "INT" ? "a number" : text == "STRING" ? "a string" : text == "EOF" ? "the end" : text);
    }
    return result;
  }

  std::function<llvm::SMLoc(size_t)> locate;
  Diagnostics &diagnostics;
  size_t lastLine = 0; // of an error
};

} // namespace

Reader::Reader(unsigned bufferId, Diagnostics &diagnostics)
    : text(diagnostics.sources.getMemoryBuffer(bufferId)->getBuffer()), diagnostics(diagnostics) {}

bool Reader::lex() {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  for (const llvm::UTF8 *next = begin; next < end; next += llvm::getNumBytesForUTF8(*next)) {
    if (!llvm::isLegalUTF8Sequence(next, end) || *next == 0) {
      diagnostics.error(pointer(next - begin), *next ? "the file is not valid UTF-8" : "the file contains a zero byte");
      return false;
    }
    offsets.push_back(next - begin);
  }
  offsets.push_back(text.size());
  input.load(text.str());
  lexer = std::make_unique<IdLexer>(&input);
  lexer->removeErrorListeners();
  tokens = std::make_unique<antlr4::CommonTokenStream>(lexer.get());
  tokens->fill();
  return checkNesting() && checkNames();
}

bool Reader::parse(llvm::function_ref<void(IdParser &, AstBuilder &, llvm::function_ref<bool()>)> run) {
  IdParser parser(tokens.get());
  auto place = [this](size_t codePoint) { return locate(codePoint); };
  ErrorListener listener(place, diagnostics);
  parser.removeErrorListeners();
  parser.addErrorListener(&listener);
  AstBuilder builder(*tokens, place, diagnostics);
  unsigned before = diagnostics.errors();
  try {
    run(parser, builder, [&] { return diagnostics.errors() == before && parser.getNumberOfSyntaxErrors() == 0; });
  } catch (const std::exception &failure) { // ANTLR's own, on input its recovery cannot handle
    if (diagnostics.errors() == before)
      diagnostics.error(locate(0), std::string("cannot parse: ") + failure.what());
  }
  return diagnostics.errors() == before;
}

bool Reader::checkNames() {
  for (antlr4::Token *token : tokens->getTokens())
    if (token->getType() == IdLexer::NAME && token->getStopIndex() - token->getStartIndex() >= maxName) {
      diagnostics.error(locate(token->getStartIndex()),
                        "a name has at most " + std::to_string(maxName) + " characters");
      return false;
    }
  return true;
}

bool Reader::checkNesting() {
  int depth = 0, angles = 0;
  for (antlr4::Token *token : tokens->getTokens()) {
    std::string spelling = token->getType() == antlr4::Token::EOF ? "" : token->getText();
    if (spelling == "(" || spelling == "[" || spelling == "{")
      ++depth;
    else if (spelling == ")" || spelling == "]" || spelling == "}")
      --depth;
    else if (spelling == "<")
      ++angles;
    else if (spelling == ";")
      angles = 0;
    if (depth > maxNesting || angles > maxNesting) {
      diagnostics.error(locate(token->getStartIndex()),
                        "brackets are nested too deeply (more than " + std::to_string(maxNesting) + " levels)");
      return false;
    }
  }
  return true;
}

} // namespace idc::frontend
