// From ANTLR's parse tree to the AST. Private to the parser: the only front-end header that knows ANTLR.
#pragma once

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Diagnostics.h"

#include "IdParser.h"

#include <functional>

namespace idc::frontend {

/// Builds the AST of one buffer whose parse had no errors; build() can do with less. `locate` turns a code point index
/// into a location.
class AstBuilder {
public:
  AstBuilder(antlr4::CommonTokenStream &tokens, std::function<llvm::SMLoc(size_t)> locate, Diagnostics &diagnostics)
      : tokens(tokens), locate(std::move(locate)), diagnostics(diagnostics) {}

  /// Declarations and statements with syntax errors are left out; a block loses only those of its statements.
  void build(IdParser::ProgramContext *program, SourceFile &file);
  TypeExprPtr type(IdParser::TypeContext *context);
  ExprPtr expr(IdParser::ExprContext *context);
  /// The name of a function, with what its parameters in <..> are bound to.
  ExprPtr functionName(IdParser::NameContext *name, IdParser::SettingsContext *bound);

private:
  llvm::SMRange range(antlr4::ParserRuleContext *context) const;
  llvm::SMRange range(antlr4::Token *first, antlr4::Token *last) const;
  Name name(IdParser::NameContext *context) const;
  std::string doc(antlr4::ParserRuleContext *context) const;
  std::string unquote(antlr4::tree::TerminalNode *string) const;
  int number(antlr4::tree::TerminalNode *integer);

  ExprPtr make(Expr::Kind kind, llvm::SMRange range) const;
  /// Adds a child and keeps the depth; reports expressions nested too deeply (once) and then drops the child's tree.
  void adopt(Expr &parent, ExprPtr child);
  ExprPtr binary(const std::string &op, antlr4::ParserRuleContext *opContext, ExprPtr left, ExprPtr right);

  ExprPtr stage(IdParser::StageContext *context, ExprPtr piped);
  ExprPtr logicalOr(IdParser::LogicalOrContext *context);
  ExprPtr logicalAnd(IdParser::LogicalAndContext *context);
  ExprPtr comparison(IdParser::ComparisonContext *context);
  ExprPtr bitOr(IdParser::BitOrContext *context);
  ExprPtr bitAnd(IdParser::BitAndContext *context);
  ExprPtr shift(IdParser::ShiftContext *context);
  ExprPtr additive(IdParser::AdditiveContext *context);
  ExprPtr multiplicative(IdParser::MultiplicativeContext *context);
  ExprPtr unary(IdParser::UnaryContext *context);
  ExprPtr power(IdParser::PowerContext *context);
  ExprPtr exponent(IdParser::ExponentContext *context);
  ExprPtr postfix(IdParser::PostfixContext *context);
  ExprPtr primary(IdParser::PrimaryContext *context);
  ExprPtr element(IdParser::ElementContext *context);
  ExprPtr rangeExpr(ExprPtr high, ExprPtr low, llvm::SMRange range);
  TypeExprPtr genericType(IdParser::GenericTypeContext *context);

  Generic generic(IdParser::GenericContext *context);
  void parameterKind(IdParser::ParameterKindContext *context, Generic &generic);
  std::vector<Setting> settings(IdParser::SettingsContext *context);
  void results(IdParser::ResultContext *context, Function &function);
  std::unique_ptr<Function> function(IdParser::FunctionContext *context);
  std::unique_ptr<TypeDecl> typeDecl(IdParser::TypeDeclContext *context);
  Block block(IdParser::BlockContext *context);
  std::unique_ptr<Statement> statement(IdParser::StatementContext *context);

  std::unique_ptr<ScheduleDecl> schedule(IdParser::ScheduleContext *context);
  ScheduleKernel kernel(IdParser::KernelContext *context);
  std::string mapping(IdParser::MappingContext *context);
  std::string columns(IdParser::ColumnsContext *context);

  antlr4::CommonTokenStream &tokens;
  std::function<llvm::SMLoc(size_t)> locate;
  Diagnostics &diagnostics;
  bool tooDeep = false;
};

} // namespace idc::frontend
