// One source buffer on its way through ANTLR. Private to the parsing files of the front end.
#pragma once

#include "compiler/frontend/AstBuilder.h"

#include "IdLexer.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace idc::frontend {

/// Lexes and parses a buffer of `diagnostics`. Members refer to each other, so it stays where it is made.
class Reader {
public:
  Reader(unsigned bufferId, Diagnostics &diagnostics);

  /// Decodes and lexes; false with a diagnostic when the text cannot be parsed at all.
  bool lex();
  /// Runs `run` on a parser over the tokens, with a builder for its tree and a function that says whether the tree is
  /// free of errors so far; false when there were syntax errors.
  bool parse(llvm::function_ref<void(IdParser &, AstBuilder &, llvm::function_ref<bool()>)> run);

  /// Every token in order, comments included.
  std::vector<antlr4::Token *> allTokens() const { return tokens->getTokens(); }
  llvm::SMLoc locate(size_t codePoint) const { return pointer(offsets[std::min(codePoint, offsets.size() - 1)]); }

private:
  llvm::SMLoc pointer(size_t byte) const { return llvm::SMLoc::getFromPointer(text.begin() + byte); }
  bool checkNesting();
  bool checkNames();

  llvm::StringRef text;
  Diagnostics &diagnostics;
  std::vector<size_t> offsets; // code point to byte
  antlr4::ANTLRInputStream input;
  std::unique_ptr<IdLexer> lexer;
  std::unique_ptr<antlr4::CommonTokenStream> tokens;
};

} // namespace idc::frontend
