#include "compiler/frontend/AstBuilder.h"

#include <algorithm>

namespace idc::frontend {

using antlr4::ParserRuleContext;
using antlr4::Token;

namespace {
// Deeper trees than people write; later passes over the AST recurse.
constexpr int maxDepth = 400;

/// Whether a part of the tree is free of syntax errors but for those in the blocks in it, which are looked at on their
/// own. A semicolon that the parser has put at the end is none.
bool isWhole(antlr4::tree::ParseTree *tree) {
  if (dynamic_cast<IdParser::BlockContext *>(tree))
    return true;
  if (antlr4::tree::ErrorNode *error = dynamic_cast<antlr4::tree::ErrorNode *>(tree)) {
    const bool isPut = error->getSymbol()->getTokenIndex() == INVALID_INDEX;
    return isPut && error->getSymbol()->getText() == "<missing ';'>" && tree->parent->children.back() == tree;
  }
  auto *context = dynamic_cast<ParserRuleContext *>(tree);
  return !context || (!context->exception && std::all_of(tree->children.begin(), tree->children.end(), isWhole));
}
} // namespace

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

llvm::SMRange AstBuilder::range(Token *first, Token *last) const {
  size_t begin = first->getStartIndex(), end = last->getStopIndex() + 1;
  return {locate(begin), locate(std::max(begin, end))};
}

llvm::SMRange AstBuilder::range(ParserRuleContext *context) const {
  Token *last = context->getStop() ? context->getStop() : context->getStart();
  return range(context->getStart(), last);
}

Name AstBuilder::name(IdParser::NameContext *context) const { return {context->getText(), range(context)}; }

std::string AstBuilder::doc(ParserRuleContext *context) const {
  std::string text;
  for (Token *token : tokens.getHiddenTokensToLeft(context->getStart()->getTokenIndex())) {
    if (token->getType() != IdParser::DOC)
      continue;
    std::string line = token->getText().substr(3);
    text += (line.empty() || line[0] != ' ' ? line : line.substr(1)) + "\n";
  }
  return text;
}

std::string AstBuilder::unquote(antlr4::tree::TerminalNode *string) const {
  std::string text = string->getText();
  return text.substr(1, text.size() - 2);
}

int AstBuilder::number(antlr4::tree::TerminalNode *integer) {
  std::string text = integer->getText();
  if (text.size() > 6) {
    diagnostics.error(locate(integer->getSymbol()->getStartIndex()), "number out of range");
    return 0;
  }
  return std::stoi(text);
}

ExprPtr AstBuilder::make(Expr::Kind kind, llvm::SMRange range) const {
  auto result = std::make_unique<Expr>();
  result->kind = kind;
  result->range = range;
  result->loc = range.Start;
  return result;
}

void AstBuilder::adopt(Expr &parent, ExprPtr child) {
  if (child->depth + 1 > maxDepth) {
    if (!tooDeep)
      diagnostics.error(child->loc, "expression is nested too deeply (more than " + std::to_string(maxDepth) +
                                        " levels); use let to name parts of it");
    tooDeep = true;
    child = make(Expr::Kind::Boolean, child->range);
  }
  parent.depth = std::max(parent.depth, child->depth + 1);
  parent.arguments.push_back(std::move(child));
}

ExprPtr AstBuilder::binary(const std::string &op, ParserRuleContext *opContext, ExprPtr left, ExprPtr right) {
  ExprPtr result = make(Expr::Kind::Binary, {left->range.Start, right->range.End});
  result->name = op;
  if (opContext)
    result->loc = range(opContext).Start;
  adopt(*result, std::move(left));
  adopt(*result, std::move(right));
  return result;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

ExprPtr AstBuilder::expr(IdParser::ExprContext *context) {
  ExprPtr result = logicalOr(context->logicalOr());
  for (IdParser::StageContext *next : context->stage())
    result = stage(next, std::move(result));
  return result;
}

ExprPtr AstBuilder::stage(IdParser::StageContext *context, ExprPtr piped) {
  ExprPtr result = make(Expr::Kind::Pipe, range(context));
  adopt(*result, std::move(piped));
  if (IdParser::GenericTypeContext *type = context->stageName()->genericType())
    result->type = genericType(type);
  else
    result->name = context->stageName()->getText();
  result->settings = settings(context->settings());
  if (context->arguments()) {
    result->hasArguments = true;
    for (IdParser::ExprContext *argument : context->arguments()->expr()) {
      ExprPtr value = expr(argument);
      result->depth = std::max(result->depth, value->depth + 1);
      result->stageArguments.push_back(std::move(value));
    }
  }
  if (context->exponent())
    result->power = exponent(context->exponent());
  if (IdParser::DigitListContext *list = context->digitList()) {
    result->digits = additive(list->additive(0));
    if (list->additive().size() > 1)
      result->digits = rangeExpr(std::move(result->digits), additive(list->additive(1)), range(list));
  }
  return result;
}

ExprPtr AstBuilder::rangeExpr(ExprPtr high, ExprPtr low, llvm::SMRange range) {
  ExprPtr result = make(Expr::Kind::Range, range);
  adopt(*result, std::move(high));
  adopt(*result, std::move(low));
  return result;
}

ExprPtr AstBuilder::logicalOr(IdParser::LogicalOrContext *context) {
  auto operands = context->logicalAnd();
  ExprPtr result = logicalAnd(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i)
    result = binary("||", nullptr, std::move(result), logicalAnd(operands[i]));
  return result;
}

ExprPtr AstBuilder::logicalAnd(IdParser::LogicalAndContext *context) {
  auto operands = context->comparison();
  ExprPtr result = comparison(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i)
    result = binary("&&", nullptr, std::move(result), comparison(operands[i]));
  return result;
}

ExprPtr AstBuilder::comparison(IdParser::ComparisonContext *context) {
  auto operands = context->bitOr();
  auto operators = context->comparisonOperator();
  ExprPtr result = bitOr(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    IdParser::ComparisonOperatorContext *op = operators[i - 1];
    if (i == 2)
      diagnostics.error(range(op).Start, "comparisons do not chain; join two of them with '&&'", range(op));
    result = binary(op->getText(), op, std::move(result), bitOr(operands[i]));
  }
  return result;
}

ExprPtr AstBuilder::bitOr(IdParser::BitOrContext *context) {
  auto operands = context->bitAnd();
  ExprPtr result = bitAnd(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i)
    result = binary("|", nullptr, std::move(result), bitAnd(operands[i]));
  return result;
}

ExprPtr AstBuilder::bitAnd(IdParser::BitAndContext *context) {
  auto operands = context->shift();
  ExprPtr result = shift(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i)
    result = binary("&", nullptr, std::move(result), shift(operands[i]));
  return result;
}

ExprPtr AstBuilder::shift(IdParser::ShiftContext *context) {
  auto operands = context->additive();
  auto operators = context->shiftOperator();
  ExprPtr result = additive(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    IdParser::ShiftOperatorContext *op = operators[i - 1];
    if (op->getStop()->getStartIndex() > op->getStart()->getStartIndex() + 1)
      diagnostics.error(range(op).Start, "expected an expression after '>'", range(op));
    result = binary(op->getText(), op, std::move(result), additive(operands[i]));
  }
  return result;
}

ExprPtr AstBuilder::additive(IdParser::AdditiveContext *context) {
  auto operands = context->multiplicative();
  auto operators = context->additiveOperator();
  ExprPtr result = multiplicative(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    IdParser::AdditiveOperatorContext *op = operators[i - 1];
    result = binary(op->getText(), op, std::move(result), multiplicative(operands[i]));
  }
  return result;
}

ExprPtr AstBuilder::multiplicative(IdParser::MultiplicativeContext *context) {
  auto operands = context->unary();
  auto operators = context->multiplicativeOperator();
  ExprPtr result = unary(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    IdParser::MultiplicativeOperatorContext *op = operators[i - 1];
    result = binary(op->getText(), op, std::move(result), unary(operands[i]));
  }
  return result;
}

ExprPtr AstBuilder::unary(IdParser::UnaryContext *context) {
  ExprPtr result = power(context->power());
  std::vector<IdParser::UnaryOperatorContext *> ops = context->unaryOperator();
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    ExprPtr outer = make(Expr::Kind::Unary, {range(*op).Start, result->range.End});
    outer->name = (*op)->getText();
    adopt(*outer, std::move(result));
    result = std::move(outer);
  }
  return result;
}

ExprPtr AstBuilder::power(IdParser::PowerContext *context) {
  std::vector<IdParser::ExponentContext *> exponents = context->exponent();
  if (exponents.empty())
    return postfix(context->postfix());
  ExprPtr result = exponent(exponents.back());
  for (size_t i = exponents.size() - 1; i > 0; --i)
    result = binary("^", nullptr, exponent(exponents[i - 1]), std::move(result));
  return binary("^", nullptr, postfix(context->postfix()), std::move(result));
}

ExprPtr AstBuilder::exponent(IdParser::ExponentContext *context) {
  ExprPtr result = postfix(context->postfix());
  for (size_t i = 1; i < context->children.size(); ++i) {
    ExprPtr outer = make(Expr::Kind::Unary, {range(context).Start, result->range.End});
    outer->name = "-";
    adopt(*outer, std::move(result));
    result = std::move(outer);
  }
  return result;
}

ExprPtr AstBuilder::postfix(IdParser::PostfixContext *context) {
  ExprPtr result = primary(context->primary());
  for (IdParser::SuffixContext *suffix : context->suffix()) {
    ExprPtr outer =
        make(suffix->name() ? Expr::Kind::Field : Expr::Kind::Index, {result->range.Start, range(suffix).End});
    outer->loc = range(suffix).Start;
    adopt(*outer, std::move(result));
    if (suffix->name())
      outer->name = suffix->name()->getText();
    else
      adopt(*outer, expr(suffix->expr()));
    result = std::move(outer);
  }
  return result;
}

ExprPtr AstBuilder::element(IdParser::ElementContext *context) {
  ExprPtr result = expr(context->expr(0));
  if (context->expr().size() > 1)
    result = rangeExpr(std::move(result), expr(context->expr(1)), range(context));
  return result;
}

TypeExprPtr AstBuilder::genericType(IdParser::GenericTypeContext *context) {
  auto result = std::make_unique<TypeExpr>();
  result->range = range(context);
  if (context->additive()) {
    result->kind = TypeExpr::Kind::Mod;
    result->modulus = additive(context->additive());
  } else {
    result->kind = TypeExpr::Kind::Complex;
    result->arguments.push_back(type(context->type()));
  }
  return result;
}

ExprPtr AstBuilder::primary(IdParser::PrimaryContext *context) {
  llvm::SMRange here = range(context);
  auto arguments = [&](Expr &call, IdParser::ArgumentsContext *list) {
    for (IdParser::ExprContext *argument : list->expr())
      adopt(call, expr(argument));
  };
  if (auto *integer = dynamic_cast<IdParser::IntegerContext *>(context)) {
    ExprPtr result = make(Expr::Kind::Integer, here);
    result->text = integer->getText();
    return result;
  }
  if (auto *real = dynamic_cast<IdParser::RealContext *>(context)) {
    ExprPtr result = make(Expr::Kind::Real, here);
    result->text = real->getText();
    return result;
  }
  if (auto *boolean = dynamic_cast<IdParser::BooleanContext *>(context)) {
    ExprPtr result = make(Expr::Kind::Boolean, here);
    result->value = boolean->getText() == "true";
    return result;
  }
  if (auto *variable = dynamic_cast<IdParser::VariableContext *>(context)) {
    ExprPtr result = make(Expr::Kind::Variable, here);
    result->name = variable->name()->getText();
    return result;
  }
  if (auto *call = dynamic_cast<IdParser::CallContext *>(context)) {
    ExprPtr result = make(Expr::Kind::Call, here);
    result->name = call->name()->getText();
    result->settings = settings(call->settings());
    arguments(*result, call->arguments());
    return result;
  }
  if (auto *call = dynamic_cast<IdParser::ComplexCallContext *>(context)) {
    ExprPtr result = make(Expr::Kind::Call, here);
    result->name = "complex";
    arguments(*result, call->arguments());
    return result;
  }
  if (auto *call = dynamic_cast<IdParser::TypeCallContext *>(context)) {
    ExprPtr result = make(call->arguments() ? Expr::Kind::TypeCall : Expr::Kind::TypeName, here);
    result->type = genericType(call->genericType());
    if (call->arguments())
      arguments(*result, call->arguments());
    return result;
  }
  if (auto *record = dynamic_cast<IdParser::RecordContext *>(context)) {
    ExprPtr result = make(Expr::Kind::Record, here);
    result->name = record->name()->getText();
    for (IdParser::FieldValueContext *field : record->fieldValue()) {
      result->fields.push_back({field->name()->getText(), range(field->name()).Start});
      adopt(*result, expr(field->expr()));
    }
    return result;
  }
  if (auto *tuple = dynamic_cast<IdParser::TupleContext *>(context)) {
    if (tuple->element().size() == 1 && tuple->element(0)->expr().size() == 1)
      return expr(tuple->element(0)->expr(0));
    ExprPtr result = make(Expr::Kind::Tuple, here);
    for (IdParser::ElementContext *member : tuple->element())
      adopt(*result, element(member));
    return result;
  }
  ExprPtr result = make(Expr::Kind::Array, here);
  if (auto *array = dynamic_cast<IdParser::ArrayContext *>(context))
    for (IdParser::ElementContext *member : array->element())
      adopt(*result, element(member));
  return result;
}

//===----------------------------------------------------------------------===//
// Types and declarations
//===----------------------------------------------------------------------===//

TypeExprPtr AstBuilder::type(IdParser::TypeContext *context) {
  auto result = std::make_unique<TypeExpr>();
  result->range = range(context);
  IdParser::BaseTypeContext *base = context->baseType();
  if (base->additive()) {
    result->kind = TypeExpr::Kind::Mod;
    result->modulus = additive(base->additive());
  } else {
    if (base->name())
      result->name = base->name()->getText();
    else
      result->kind = TypeExpr::Kind::Complex;
    for (IdParser::TypeContext *argument : base->type())
      result->arguments.push_back(type(argument));
  }
  for (IdParser::DimensionContext *dimension : context->dimension())
    result->dimensions.push_back({dimension->name() ? dimension->name()->getText() : "", expr(dimension->expr()),
                                  range(dimension), dimension->name() ? range(dimension->name()) : llvm::SMRange()});
  return result;
}

Generic AstBuilder::generic(IdParser::GenericContext *context) {
  Generic result;
  result.name = name(context->name());
  if (context->type())
    result.fallback = type(context->type());
  if (IdParser::ParameterKindContext *kind = context->parameterKind())
    parameterKind(kind, result);
  if (context->additive())
    result.value = additive(context->additive());
  else if (IdParser::FunctionNameContext *given = context->functionName())
    result.value = functionName(given->name(), given->settings());
  return result;
}

ExprPtr AstBuilder::functionName(IdParser::NameContext *name, IdParser::SettingsContext *bound) {
  ExprPtr result = make(Expr::Kind::Variable, range(name));
  result->name = name->getText();
  result->settings = settings(bound);
  return result;
}

void AstBuilder::parameterKind(IdParser::ParameterKindContext *context, Generic &generic) {
  if (context->kind) {
    generic.kind = Generic::Kind::Function;
    auto signature = std::make_shared<Function>();
    signature->kind = context->kind->getText() == "func" ? Function::Kind::Func : Function::Kind::Node;
    signature->name = generic.name;
    signature->range = range(context);
    for (IdParser::TypeContext *parameter : context->type())
      signature->params.push_back({{"", range(parameter)}, type(parameter)});
    results(context->result(), *signature);
    generic.signature = std::move(signature);
    return;
  }
  static const std::vector<std::pair<std::string, Generic::Kind>> kinds = {{"int", Generic::Kind::Integer},
                                                                           {"real", Generic::Kind::Real},
                                                                           {"bool", Generic::Kind::Boolean},
                                                                           {"choice", Generic::Kind::Choice}};
  const std::string word = context->name()->getText();
  auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto &kind) { return kind.first == word; });
  const bool hasRange = !context->additive().empty();
  if (known == kinds.end() || hasRange != (known->second == Generic::Kind::Choice)) {
    diagnostics.error(range(context).Start,
                      "what is known when compiling is a type, which has no ':', or int, real, bool, choice LOW..HIGH, "
                      "func(..) -> .. or node(..) -> ..",
                      range(context));
    return;
  }
  generic.kind = known->second;
  if (hasRange) {
    generic.low = additive(context->additive(0));
    generic.high = additive(context->additive(1));
  }
}

std::vector<Setting> AstBuilder::settings(IdParser::SettingsContext *context) {
  std::vector<Setting> result;
  if (!context)
    return result;
  for (IdParser::SettingContext *next : context->setting()) {
    ExprPtr value;
    if (next->additive()) {
      value = additive(next->additive());
    } else if (IdParser::FunctionNameContext *given = next->functionName()) {
      value = functionName(given->name(), given->settings());
    } else {
      value = make(Expr::Kind::TypeName, range(next->type()));
      value->type = type(next->type());
    }
    result.push_back({name(next->name()), std::move(value)});
  }
  return result;
}

void AstBuilder::results(IdParser::ResultContext *context, Function &function) {
  for (IdParser::TypeContext *next : context->type())
    function.results.push_back(type(next));
  function.tupleResult = function.results.size() > 1;
}

std::unique_ptr<TypeDecl> AstBuilder::typeDecl(IdParser::TypeDeclContext *context) {
  auto result = std::make_unique<TypeDecl>();
  result->name = name(context->name());
  result->doc = doc(context);
  for (IdParser::GenericContext *parameter : context->generics() ? context->generics()->generic() : context->generic())
    result->generics.push_back(generic(parameter));
  for (IdParser::FieldContext *field : context->field())
    result->fields.push_back({name(field->name()), type(field->type())});
  return result;
}

std::unique_ptr<Function> AstBuilder::function(IdParser::FunctionContext *context) {
  auto result = std::make_unique<Function>();
  std::string kind = context->kind->getText();
  result->kind = kind == "func"   ? Function::Kind::Func
                 : kind == "node" ? Function::Kind::Node
                                  : Function::Kind::Algorithm;
  result->name = name(context->name());
  result->doc = doc(context);
  result->range = range(context);
  if (context->generics())
    for (IdParser::GenericContext *parameter : context->generics()->generic())
      result->generics.push_back(generic(parameter));
  for (IdParser::ParamContext *param : context->param())
    result->params.push_back({name(param->name()), type(param->type())});
  results(context->result(), *result);
  result->body = block(context->block());
  return result;
}

Block AstBuilder::block(IdParser::BlockContext *context) {
  Block result;
  for (IdParser::StatementContext *next : context->statement())
    if (isWhole(next))
      result.push_back(statement(next));
  return result;
}

std::unique_ptr<Statement> AstBuilder::statement(IdParser::StatementContext *context) {
  auto result = std::make_unique<Statement>();
  result->range = range(context);
  auto targets = [&](IdParser::PatternContext *pattern) {
    for (IdParser::NameContext *target : pattern->name())
      result->names.push_back(name(target));
    result->tuple = pattern->name().size() > 1;
  };
  if (auto *let = dynamic_cast<IdParser::LetStatementContext *>(context)) {
    result->kind = Statement::Kind::Let;
    targets(let->pattern());
    if (let->type())
      result->type = type(let->type());
    result->values.push_back(expr(let->expr()));
  } else if (auto *assign = dynamic_cast<IdParser::AssignmentContext *>(context)) {
    result->kind = Statement::Kind::Assign;
    targets(assign->pattern());
    result->values.push_back(expr(assign->expr()));
  } else if (auto *elementOf = dynamic_cast<IdParser::ElementAssignmentContext *>(context)) {
    result->kind = Statement::Kind::AssignElement;
    result->names.push_back(name(elementOf->name()));
    result->values.push_back(expr(elementOf->expr(0)));
    result->values.push_back(expr(elementOf->expr(1)));
  } else if (auto *loop = dynamic_cast<IdParser::ForStatementContext *>(context)) {
    result->kind = Statement::Kind::For;
    result->names.push_back(name(loop->name()));
    for (IdParser::AdditiveContext *bound : loop->additive())
      result->values.push_back(additive(bound));
    for (antlr4::tree::ParseTree *child : loop->children)
      if (child->getText() == "downto" && child->children.empty())
        result->down = true;
    result->blocks.push_back(block(loop->block()));
  } else if (auto *branch = dynamic_cast<IdParser::IfStatementContext *>(context)) {
    result->kind = Statement::Kind::If;
    for (IdParser::ExprContext *condition : branch->expr())
      result->values.push_back(expr(condition));
    for (IdParser::BlockContext *arm : branch->block())
      result->blocks.push_back(block(arm));
  } else if (auto *require = dynamic_cast<IdParser::RequireStatementContext *>(context)) {
    result->kind = Statement::Kind::Require;
    result->values.push_back(expr(require->expr()));
    result->message = unquote(require->STRING());
  } else if (auto *ret = dynamic_cast<IdParser::ReturnStatementContext *>(context)) {
    result->kind = Statement::Kind::Return;
    result->values.push_back(expr(ret->expr()));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

std::string AstBuilder::columns(IdParser::ColumnsContext *context) {
  std::string text;
  for (IdParser::ColumnContext *column : context->column()) {
    if (column->name() && column->name()->getText() != "_")
      diagnostics.error(range(column).Start, "expected a digit, a range of digits, '(a^b)', '_' or '_:3'",
                        range(column));
    text += (text.empty() ? "" : " ") + column->getText();
  }
  return text;
}

std::string AstBuilder::mapping(IdParser::MappingContext *context) {
  static const std::vector<std::string> fields = {"reg", "lane", "warp", "rank", "block", "device", "turn"};
  std::string text;
  for (IdParser::MappingFieldContext *field : context->mappingField()) {
    std::string fieldName = field->name()->getText();
    if (std::find(fields.begin(), fields.end(), fieldName) == fields.end())
      diagnostics.error(range(field).Start,
                        "unknown field '" + fieldName + "'; expected reg, lane, warp, rank, block, device or turn",
                        range(field->name()));
    if (field->columns())
      text += (text.empty() ? "" : " ") + fieldName + "(" + columns(field->columns()) + ")";
  }
  return text;
}

ScheduleKernel AstBuilder::kernel(IdParser::KernelContext *context) {
  ScheduleKernel result;
  result.range = range(context);
  std::string words, error;
  for (IdParser::LaunchWordContext *word : context->launch()->launchWord()) {
    words += words.empty() ? "" : " ";
    for (size_t i = 0; i < word->name().size(); ++i)
      words += (i ? "-" : "") + word->name(i)->getText();
    if (word->INT())
      words += " " + std::to_string(number(word->INT()));
  }
  if (!digits::Launch::parse(words, result.launch, error))
    diagnostics.error(range(context->launch()).Start, error, range(context->launch()));
  result.apart = context->apartClause() != nullptr;
  auto access = [&](ScheduleRange::Kind kind, auto *block) {
    const int runs = block->INT() ? number(block->INT()) : 0;
    if (block->INT() && runs < 1)
      diagnostics.error(range(block).Start, "a run has at least one byte", range(block));
    result.ranges.push_back({kind, 0, 0, block->mapping() ? mapping(block->mapping()) : "", range(block), runs,
                             block->staged() != nullptr});
  };
  for (antlr4::tree::ParseTree *child : context->children) {
    if (auto *load = dynamic_cast<IdParser::LoadBlockContext *>(child))
      access(ScheduleRange::Kind::Load, load);
    auto *steps = dynamic_cast<IdParser::StepBlockContext *>(child);
    if (!steps)
      continue;
    const auto kind = steps->mapping() ? ScheduleRange::Kind::Steps : ScheduleRange::Kind::Join;
    const std::string held = steps->mapping() ? mapping(steps->mapping()) : "";
    for (IdParser::StepRangeContext *part : steps->stepRange()) {
      int first = number(part->INT(0)), last = part->INT().size() > 1 ? number(part->INT(1)) : first;
      if (first < 1 || last < first)
        diagnostics.error(range(part).Start, "steps count up from 1", range(part));
      result.ranges.push_back({kind, first, last, held, range(steps)});
    }
  }
  if (IdParser::StoreBlockContext *store = context->storeBlock())
    access(ScheduleRange::Kind::Store, store);
  if (IdParser::OrderClauseContext *order = context->orderClause()) {
    for (IdParser::ColumnContext *column :
         order->columns() ? order->columns()->column() : std::vector<IdParser::ColumnContext *>()) {
      bool isRange =
          column->children.size() == 3 && column->INT().size() == 2 && column->children[1]->getText() == "..";
      if (column->name() || (!isRange && column->INT().size() != 1)) {
        diagnostics.error(range(column).Start, "an address order lists digits", range(column));
        continue;
      }
      int high = number(column->INT(0)), low = isRange ? number(column->INT(1)) : high;
      for (int digit = high; digit >= low; --digit)
        result.order.push_back(digit);
    }
  }
  if (IdParser::RingClauseContext *ring = context->ringClause()) {
    result.ring = number(ring->INT(0));
    result.delay = number(ring->INT(1));
    if (result.ring < 1)
      diagnostics.error(range(ring).Start, "a ring holds at least one problem", range(ring));
  }
  return result;
}

std::unique_ptr<ScheduleDecl> AstBuilder::schedule(IdParser::ScheduleContext *context) {
  auto result = std::make_unique<ScheduleDecl>();
  result->entry = name(context->name(0));
  result->target = context->name(1)->getText();
  if (context->name().size() > 2)
    result->plan = name(context->name(2));
  result->doc = doc(context);
  result->range = range(context);
  if (context->expr())
    result->condition = expr(context->expr());
  if (context->choices())
    for (IdParser::ChoiceContext *next : context->choices()->choice()) {
      const int value = number(next->INT());
      result->choices.push_back({name(next->name()), next->children[2]->getText() == "-" ? -value : value});
    }
  for (IdParser::KernelContext *next : context->kernel())
    result->kernels.push_back(kernel(next));
  if (IdParser::MeasurementContext *measured = context->measurement()) {
    std::string unit = measured->name()->getText();
    if (unit != "copies" && unit != "us")
      diagnostics.error(range(measured->name()).Start,
                        "what a schedule takes is measured in copies or us, not in '" + unit + "'",
                        range(measured->name()));
    result->measured = measured->children[1]->getText() + " " + unit;
  }
  return result;
}

void AstBuilder::build(IdParser::ProgramContext *program, SourceFile &file) {
  for (IdParser::ItemContext *item : program->item()) {
    if (!isWhole(item))
      continue;
    if (IdParser::ImportDeclContext *import = item->importDecl()) {
      file.imports.push_back(
          {unquote(import->STRING()), range(import->STRING()->getSymbol(), import->STRING()->getSymbol()), nullptr});
    } else if (IdParser::ConstDeclContext *constDecl = item->constDecl()) {
      auto result = std::make_unique<Const>();
      result->name = name(constDecl->name());
      result->doc = doc(constDecl);
      result->value = expr(constDecl->expr());
      result->file = &file;
      file.consts.push_back(std::move(result));
    } else if (item->typeDecl()) {
      file.types.push_back(typeDecl(item->typeDecl()));
      file.types.back()->file = &file;
    } else if (item->function()) {
      file.functions.push_back(function(item->function()));
      file.functions.back()->file = &file;
    } else if (item->schedule()) {
      file.schedules.push_back(schedule(item->schedule()));
      file.schedules.back()->file = &file;
    }
  }
}

} // namespace idc::frontend
