#include "compiler/frontend/Format.h"

#include "compiler/frontend/Layout.h"
#include "compiler/frontend/Reader.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace idc::frontend {

namespace {

using antlr4::ParserRuleContext;
using antlr4::Token;
using antlr4::tree::ParseTree;

/// A program as pieces and groups, from its tokens and its parse tree.
class Pieces {
public:
  std::vector<Piece> pieces;
  std::vector<Group> groups;

  Pieces(const std::vector<Token *> &tokens, IdParser::ProgramContext *program) {
    addTokens(tokens);
    for (IdParser::ItemContext *item : program->item())
      pieces[first(item)].item = true;
    pieces.back().item = true; // the end of the file
    visit(program, 0);
  }

private:
  void addTokens(const std::vector<Token *> &tokens) {
    Piece piece;
    size_t end = 1; // the line on which the latest token ends
    char before = 0;
    for (Token *token : tokens) {
      std::string text = token->getType() == Token::EOF ? "" : token->getText();
      llvm::StringRef spelling(text);
      bool newline = token->getLine() > end, blank = token->getLine() > end + 1;
      end = token->getLine() + spelling.count('\n');
      if (token->getChannel() != Token::DEFAULT_CHANNEL) {
        piece.comments.push_back({spelling.rtrim(" \t\r\f\v").str(), newline, blank});
        continue;
      }
      piece.text = text;
      piece.newline = newline;
      piece.blankBefore = blank;
      piece.space = before && !llvm::StringRef("([").contains(before) &&
                    !llvm::StringRef(",;)]:").contains(text.empty() ? ' ' : text[0]);
      indices[token->getTokenIndex()] = static_cast<int>(pieces.size());
      written.push_back({token->getStartIndex(), token->getStopIndex()});
      before = text.empty() ? ' ' : text.back();
      pieces.push_back(std::move(piece));
      piece = Piece();
    }
  }
  int first(ParserRuleContext *context) const { return indices.at(context->getStart()->getTokenIndex()); }
  int last(ParserRuleContext *context) const { return indices.at(context->getStop()->getTokenIndex()); }
  int at(ParseTree *tree) const {
    if (auto *terminal = dynamic_cast<antlr4::tree::TerminalNode *>(tree))
      return indices.at(terminal->getSymbol()->getTokenIndex());
    return first(static_cast<ParserRuleContext *>(tree));
  }
  static bool is(ParseTree *tree, llvm::StringRef text) {
    auto *terminal = dynamic_cast<antlr4::tree::TerminalNode *>(tree);
    return terminal && terminal->getSymbol()->getText() == text;
  }
  void tight(int piece) { pieces[piece].space = false; }
  void tightAround(int piece) {
    tight(piece);
    tight(piece + 1);
  }

  /// A group of pieces that belong to none yet; without any there is none.
  int group(Group::Kind kind, int depth, int anchor, const std::vector<int> &points) {
    if (points.empty() && kind != Group::Kind::Braces)
      return -1;
    int index = static_cast<int>(groups.size());
    Group group;
    group.kind = kind;
    group.depth = depth;
    group.anchor = anchor;
    group.points = points;
    for (int point : points)
      pieces[point].group = index;
    groups.push_back(std::move(group));
    return index;
  }

  /// `members` in braces, each of which may have its own line.
  template <typename Context> int braces(int opener, int closer, const std::vector<Context *> &members, int depth) {
    std::vector<int> points;
    for (Context *member : members)
      points.push_back(first(member));
    if (points.empty() && pieces[closer].comments.empty())
      tight(closer);
    int index = group(Group::Kind::Braces, depth, opener, points);
    groups[index].closer = closer;
    return index;
  }

  /// Fields in braces: indented lines when the author began one after the brace, else a list.
  template <typename Context> void fields(int opener, int closer, const std::vector<Context *> &members, int depth) {
    if (members.empty() || pieces[opener + 1].newline || !pieces[opener + 1].comments.empty()) {
      braces(opener, closer, members, depth);
      return;
    }
    std::vector<int> points;
    for (size_t i = 1; i < members.size(); ++i)
      points.push_back(first(members[i]));
    group(Group::Kind::Fill, depth, opener + 1, points);
  }

  /// What follows the commas of a context's own list, aligned with the list's first piece.
  void list(ParserRuleContext *context, int depth) {
    int anchor = -1;
    std::vector<int> points;
    for (ParseTree *child : context->children) {
      if (is(child, "(") || is(child, "["))
        anchor = at(child) + 1;
      else if (is(child, ",") && anchor >= 0)
        points.push_back(at(child) + 1);
    }
    group(Group::Kind::Fill, depth, anchor, points);
  }

  /// Operands and operators in turn: a line may end with an operator.
  void chain(ParserRuleContext *context, bool arithmetic, int depth) {
    std::vector<int> points;
    bool dense = arithmetic; // no space at any operator
    for (size_t i = 1; i + 1 < context->children.size(); i += 2) {
      int op = at(context->children[i]), operand = at(context->children[i + 1]);
      points.push_back(operand);
      if (operand == op + 2) // `>>`
        tight(op + 1);
      dense &= written[op].first == written[op - 1].second + 1 && written[op].second + 1 == written[operand].first;
    }
    // Density shows what binds how: spaces on both sides of every operator or on none, as it was written.
    if (dense)
      for (int operand : points)
        tightAround(operand - 1);
    group(Group::Kind::Fill, depth, first(context), points);
  }

  void visit(ParseTree *tree, int depth) {
    auto *context = dynamic_cast<ParserRuleContext *>(tree);
    if (!context)
      return;
    style(context, depth);
    for (ParseTree *child : context->children)
      visit(child, depth + 1);
  }

  void style(ParserRuleContext *context, int depth) {
    for (ParseTree *child : context->children)
      if (is(child, "..") || is(child, "."))
        tightAround(at(child));
    switch (context->getRuleIndex()) {
    case IdParser::RuleTypeDecl:
      return typeDecl(static_cast<IdParser::TypeDeclContext *>(context), depth);
    case IdParser::RuleFunction:
      for (ParseTree *child : context->children)
        if (is(child, "("))
          tight(at(child));
      return list(context, depth);
    case IdParser::RulePattern:
    case IdParser::RuleResult:
      return list(context, depth);
    case IdParser::RuleArguments:
      tight(first(context));
      return list(context, depth);
    case IdParser::RuleParameterKind: // func(T) -> T
      for (ParseTree *child : context->children)
        if (is(child, "("))
          tightAround(at(child));
        else if (is(child, ")"))
          tight(at(child));
      return;
    case IdParser::RuleGenerics:
    case IdParser::RuleSettings:
    case IdParser::RuleGenericType:
    case IdParser::RuleBaseType:
      for (ParseTree *child : context->children)
        if (is(child, "<"))
          tightAround(at(child));
        else if (is(child, ">"))
          tight(at(child));
      return;
    case IdParser::RuleDimension:
    case IdParser::RuleSuffix:
      return tight(first(context));
    case IdParser::RuleBlock:
      return block(static_cast<IdParser::BlockContext *>(context), depth);
    case IdParser::RuleStatement:
      if (dynamic_cast<IdParser::ElementAssignmentContext *>(context))
        return tight(at(context->children[1]));
      return;
    case IdParser::RuleExpr:
      return pipe(static_cast<IdParser::ExprContext *>(context), depth);
    case IdParser::RuleExponent:
    case IdParser::RuleUnary:
      for (size_t i = 1; i < context->children.size(); ++i)
        tight(at(context->children[i]));
      return;
    case IdParser::RulePower:
      for (ParseTree *child : context->children)
        if (is(child, "^"))
          tightAround(at(child));
      return;
    case IdParser::RuleLogicalOr:
    case IdParser::RuleLogicalAnd:
    case IdParser::RuleComparison:
    case IdParser::RuleBitOr:
    case IdParser::RuleBitAnd:
    case IdParser::RuleShift:
      return chain(context, false, depth);
    case IdParser::RuleAdditive:
    case IdParser::RuleMultiplicative:
      return chain(context, true, depth);
    case IdParser::RulePrimary:
      if (auto *record = dynamic_cast<IdParser::RecordContext *>(context)) {
        tight(at(record->children[1]));
        return fields(at(record->children[1]), last(record), record->fieldValue(), depth);
      }
      if (dynamic_cast<IdParser::TupleContext *>(context) || dynamic_cast<IdParser::ArrayContext *>(context))
        return list(context, depth);
      return;
    case IdParser::RuleSchedule: {
      auto *schedule = static_cast<IdParser::ScheduleContext *>(context);
      std::vector<ParserRuleContext *> members;
      if (schedule->choices())
        members.push_back(schedule->choices());
      for (IdParser::KernelContext *kernel : schedule->kernel())
        members.push_back(kernel);
      if (schedule->measurement())
        members.push_back(schedule->measurement());
      braces(brace(context), last(context), members, depth);
      return;
    }
    case IdParser::RuleKernel:
      return kernel(static_cast<IdParser::KernelContext *>(context), depth);
    case IdParser::RuleLaunchWord:
      if (context->children.size() >= 3 && is(context->children[1], "-")) // dependent-launch
        tightAround(at(context->children[1]));
      return;
    case IdParser::RuleMapping:
      return fields(first(context), last(context), static_cast<IdParser::MappingContext *>(context)->mappingField(),
                    depth);
    case IdParser::RuleMappingField:
      return tight(at(context->children[1]));
    case IdParser::RuleColumn:
      for (ParseTree *child : context->children)
        if (is(child, "^"))
          tightAround(at(child));
      return;
    default:
      return;
    }
  }

  /// The first opening brace among the children.
  int brace(ParserRuleContext *context) const {
    for (ParseTree *child : context->children)
      if (is(child, "{"))
        return at(child);
    return first(context);
  }

  void typeDecl(IdParser::TypeDeclContext *context, int depth) {
    for (ParseTree *child : context->children) {
      if (is(child, "<"))
        tightAround(at(child));
      if (is(child, ">=")) {
        pieces[at(child)].text = "> =";
        tight(at(child));
      }
    }
    int closer = last(context) - 1; // before the semicolon
    fields(brace(context), closer, context->field(), depth);
  }

  void kernel(IdParser::KernelContext *context, int depth) {
    std::vector<ParserRuleContext *> members;
    for (ParseTree *child : context->children)
      if (auto *member = dynamic_cast<ParserRuleContext *>(child); member && member != context->launch())
        members.push_back(member);
    braces(brace(context), last(context), members, depth);
  }

  void block(IdParser::BlockContext *context, int depth) {
    int index = braces(first(context), last(context), context->statement(), depth);
    blocks[first(context)] = index;
    auto *statement = dynamic_cast<IdParser::IfStatementContext *>(context->parent);
    if (statement && statement->block(0) != context)
      groups[index].linked = blocks.at(first(statement->block(0)));
  }

  void pipe(IdParser::ExprContext *context, int depth) {
    std::vector<int> points;
    int anchor = -1;
    for (ParseTree *child : context->children)
      if (is(child, "|>")) {
        if (anchor < 0)
          anchor = at(child);
        else
          points.push_back(at(child));
      }
    group(Group::Kind::Pipe, depth, anchor, points);
  }

  std::map<size_t, int> indices;                  // token number to piece
  std::map<int, int> blocks;                      // opening piece to group
  std::vector<std::pair<size_t, size_t>> written; // first and last code point of each piece
};

/// One parsed text: what has to stay the same, and the text in the style.
struct Formatted {
  std::string tree, text;
  std::vector<std::string> comments;
};

std::optional<Formatted> read(const std::string &text, const std::string &name, Diagnostics &diagnostics) {
  unsigned id = diagnostics.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  Reader reader(id, diagnostics);
  Formatted result;
  bool good = reader.lex() && reader.parse([&](IdParser &parser, AstBuilder &builder, auto clean) {
    IdParser::ProgramContext *program = parser.program();
    if (!clean())
      return;
    Source source;
    source.files.push_back(std::make_unique<SourceFile>());
    builder.build(program, *source.files[0]);
    result.tree = printAst(source);
    Pieces pieces(reader.allTokens(), program);
    for (const Piece &piece : pieces.pieces)
      for (const Comment &comment : piece.comments)
        result.comments.push_back(comment.text);
    result.text = layout(pieces.pieces, pieces.groups);
  });
  return good ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace

std::optional<std::string> format(const std::string &text, const std::string &name, Diagnostics &diagnostics) {
  std::optional<Formatted> before = read(text, name, diagnostics);
  if (!before)
    return std::nullopt;
  Diagnostics internal;
  std::optional<Formatted> after = read(before->text, name, internal);
  if (after && after->tree == before->tree && after->comments == before->comments && after->text == before->text)
    return std::move(before->text);
  diagnostics.error(llvm::SMLoc(), "internal error: formatting '" + name + "' would change it; please report this");
  return std::nullopt;
}

} // namespace idc::frontend
