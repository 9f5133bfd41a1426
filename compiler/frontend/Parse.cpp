// Loading, lexing and parsing of source files. What is checked before ANTLR sees the text: that it is UTF-8 (ANTLR's
// stream throws on other bytes) and that brackets do not nest so deeply that recursive descent runs out of stack.
#include "compiler/frontend/Parse.h"

#include "compiler/frontend/AstBuilder.h"

#include "IdLexer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>

namespace idc::frontend {

namespace {

constexpr int maxNesting = 120;

/// "expected ';', found 'x'" from ANTLR's state; places a missing end of a statement after the last token before it.
class ErrorListener : public antlr4::BaseErrorListener {
public:
  ErrorListener(std::function<llvm::SMLoc(size_t)> locate, Diagnostics &diagnostics)
      : locate(std::move(locate)), diagnostics(diagnostics) {}

  void syntaxError(antlr4::Recognizer *recognizer, antlr4::Token *offending, size_t, size_t, const std::string &message,
                   std::exception_ptr) override {
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
    std::string text = expected(*parser);
    text = text.empty() ? "unexpected " + found : "expected " + text + ", found " + found;
    // A missing ';' is missed where the line ends, not where the next one begins.
    antlr4::Token *previous = parser->getTokenStream()->LT(-1);
    if (previous && text.rfind("expected ';'", 0) == 0 && previous->getLine() < offending->getLine())
      return diagnostics.error(locate(previous->getStopIndex() + 1), text);
    diagnostics.error(begin, text,
                      atEnd || end.getPointer() <= begin.getPointer() ? llvm::SMRange() : llvm::SMRange(begin, end));
  }

private:
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
};

/// One buffer on its way through ANTLR. Members refer to each other, so it stays where it is made.
class Reader {
public:
  Reader(unsigned bufferId, Diagnostics &diagnostics)
      : text(diagnostics.sources.getMemoryBuffer(bufferId)->getBuffer()), diagnostics(diagnostics) {}

  /// Decodes and lexes; false with a diagnostic when the text cannot be parsed at all.
  bool lex() {
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
    const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
    for (const llvm::UTF8 *next = begin; next < end; next += llvm::getNumBytesForUTF8(*next)) {
      if (!llvm::isLegalUTF8Sequence(next, end) || *next == 0) {
        diagnostics.error(pointer(next - begin),
                          *next ? "the file is not valid UTF-8" : "the file contains a zero byte");
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
    return checkNesting();
  }

  llvm::SMLoc locate(size_t codePoint) const { return pointer(offsets[std::min(codePoint, offsets.size() - 1)]); }

  /// Runs `parse` on a parser over the tokens; false when there were syntax errors.
  template <typename Parse> bool parse(Parse parse) {
    IdParser parser(tokens.get());
    auto place = [this](size_t codePoint) { return locate(codePoint); };
    ErrorListener listener(place, diagnostics);
    parser.removeErrorListeners();
    parser.addErrorListener(&listener);
    AstBuilder builder(*tokens, place, diagnostics);
    unsigned before = diagnostics.errors();
    try {
      parse(parser, builder, [&] { return diagnostics.errors() == before && parser.getNumberOfSyntaxErrors() == 0; });
    } catch (const std::exception &failure) { // ANTLR's own, on input its recovery cannot handle
      if (diagnostics.errors() == before)
        diagnostics.error(locate(0), std::string("cannot parse: ") + failure.what());
    }
    return diagnostics.errors() == before;
  }

private:
  llvm::SMLoc pointer(size_t byte) const { return llvm::SMLoc::getFromPointer(text.begin() + byte); }

  bool checkNesting() {
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

  llvm::StringRef text;
  Diagnostics &diagnostics;
  std::vector<size_t> offsets; // code point to byte
  antlr4::ANTLRInputStream input;
  std::unique_ptr<IdLexer> lexer;
  std::unique_ptr<antlr4::CommonTokenStream> tokens;
};

/// Reads a file and its imports, each once.
class Loader {
public:
  Loader(const std::vector<std::string> &folders, Diagnostics &diagnostics)
      : folders(folders), diagnostics(diagnostics), source(std::make_unique<Source>()) {}

  std::unique_ptr<Source> load(std::unique_ptr<llvm::MemoryBuffer> buffer, const std::string &path) {
    add(std::move(buffer), path);
    for (size_t i = 0; i < source->files.size(); ++i) // grows while imports are found
      for (Import &import : source->files[i]->imports)
        import.file = resolve(import, source->files[i]->path);
    return failed ? nullptr : std::move(source);
  }

private:
  const SourceFile *add(std::unique_ptr<llvm::MemoryBuffer> buffer, const std::string &path) {
    unsigned id = diagnostics.sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    source->files.push_back(std::make_unique<SourceFile>());
    SourceFile &file = *source->files.back();
    file.path = path;
    loaded[identity(path)] = &file;
    Reader reader(id, diagnostics);
    bool good = reader.lex() && reader.parse([&](IdParser &parser, AstBuilder &builder, auto clean) {
      IdParser::ProgramContext *program = parser.program();
      if (clean())
        builder.build(program, file);
    });
    failed |= !good;
    return &file;
  }

  const SourceFile *resolve(const Import &import, const std::string &importer) {
    std::vector<std::string> places = {std::string(llvm::sys::path::parent_path(importer))};
    places.insert(places.end(), folders.begin(), folders.end());
    for (const std::string &folder : places) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, import.path);
      auto known = loaded.find(identity(path.str().str()));
      if (known != loaded.end())
        return known->second;
      if (llvm::sys::fs::is_directory(path))
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(path);
      if (buffer)
        return add(std::move(*buffer), path.str().str());
    }
    failed = true;
    diagnostics.error(import.range.Start,
                      "cannot find '" + import.path + "' in this file's folder or the standard library", import.range);
    return nullptr;
  }

  static std::string identity(const std::string &path) {
    llvm::SmallString<128> real;
    return llvm::sys::fs::real_path(path, real) ? path : real.str().str();
  }

  const std::vector<std::string> &folders;
  Diagnostics &diagnostics;
  std::unique_ptr<Source> source;
  std::map<std::string, const SourceFile *> loaded;
  bool failed = false;
};

} // namespace

std::unique_ptr<Source> parseFile(const std::string &path, const std::vector<std::string> &folders,
                                  Diagnostics &diagnostics) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    diagnostics.error(llvm::SMLoc(), "cannot read '" + path + "': " + buffer.getError().message());
    return nullptr;
  }
  return Loader(folders, diagnostics).load(std::move(*buffer), path);
}

std::unique_ptr<Source> parseText(const std::string &text, const std::string &name,
                                  const std::vector<std::string> &folders, Diagnostics &diagnostics) {
  return Loader(folders, diagnostics).load(llvm::MemoryBuffer::getMemBufferCopy(text, name), name);
}

TypeExprPtr parseType(const std::string &text, const std::string &name, Diagnostics &diagnostics) {
  unsigned id = diagnostics.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  Reader reader(id, diagnostics);
  TypeExprPtr result;
  bool good = reader.lex() && reader.parse([&](IdParser &parser, AstBuilder &builder, auto clean) {
    IdParser::TypeOnlyContext *type = parser.typeOnly();
    if (clean())
      result = builder.type(type->type());
  });
  return good ? std::move(result) : nullptr;
}

} // namespace idc::frontend
