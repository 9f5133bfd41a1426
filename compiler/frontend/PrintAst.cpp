// The AST as text: expressions in the language's own spelling, everything else as an indented tree.
#include "compiler/frontend/Ast.h"

namespace idc::frontend {

namespace {

std::string list(const std::vector<ExprPtr> &expressions) {
  std::string text;
  for (const ExprPtr &expr : expressions)
    text += (text.empty() ? "" : ", ") + printExpr(*expr);
  return text;
}

/// Binding strength, loosest first.
int precedence(const Expr &expr) {
  static const std::vector<std::vector<std::string>> levels = {
      {"|>"},       {"||"},     {"&&"},         {"==", "!=", "<", "<=", ">", ">="}, {"|"}, {"&"},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  if (expr.kind == Expr::Kind::Pipe)
    return 0;
  if (expr.kind == Expr::Kind::Unary)
    return static_cast<int>(levels.size());
  if (expr.kind != Expr::Kind::Binary)
    return static_cast<int>(levels.size()) + 2;
  for (size_t level = 0; level < levels.size(); ++level)
    for (const std::string &op : levels[level])
      if (op == expr.name)
        return static_cast<int>(level);
  return static_cast<int>(levels.size()) + 1; // ^
}

/// An operand, in parentheses when it binds no stronger than `least`.
std::string operand(const Expr &expr, int least) {
  return precedence(expr) < least ? "(" + printExpr(expr) + ")" : printExpr(expr);
}
constexpr int postfix = 11;

std::string parameter(const Generic &generic) {
  std::string text = generic.name.text;
  if (generic.kind != Generic::Kind::Type)
    text += std::string(": ") + kindName(generic);
  if (generic.low)
    text += " " + printExpr(*generic.low) + ".." + printExpr(*generic.high);
  if (generic.signature) {
    std::string params, results;
    for (const Param &param : generic.signature->params)
      params += (params.empty() ? "" : ", ") + printType(*param.type);
    for (const TypeExprPtr &result : generic.signature->results)
      results += (results.empty() ? "" : ", ") + printType(*result);
    text += "(" + params + ") -> " + (generic.signature->tupleResult ? "(" + results + ")" : results);
  }
  if (generic.fallback)
    text += " = " + printType(*generic.fallback);
  if (generic.value)
    text += " = " + printExpr(*generic.value);
  return text;
}

std::string bound(const std::vector<Setting> &settings) {
  std::string text;
  for (const Setting &setting : settings)
    text += (text.empty() ? "<" : ", ") + setting.name.text + " = " + printExpr(*setting.value);
  return text.empty() ? "" : text + ">";
}

class Printer {
public:
  std::string text;

  void line(int depth, const std::string &content) { text += std::string(2 * depth, ' ') + content + "\n"; }

  void file(const SourceFile &file) {
    line(0, "file \"" + file.path + "\"");
    for (const Import &import : file.imports)
      line(1, "import \"" + import.path + "\"");
    for (const auto &decl : file.consts)
      line(1, "const " + decl->name.text + " = " + printExpr(*decl->value));
    for (const auto &decl : file.types) {
      line(1, "type " + decl->name.text + generics(decl->generics));
      for (const Param &field : decl->fields)
        line(2, "field " + field.name.text + ": " + printType(*field.type));
    }
    for (const auto &decl : file.functions)
      function(*decl);
    for (const auto &decl : file.schedules)
      schedule(*decl);
  }

private:
  static std::string generics(const std::vector<Generic> &list) {
    std::string result;
    for (const Generic &generic : list)
      result += (result.empty() ? "<" : ", ") + parameter(generic);
    return result.empty() ? "" : result + ">";
  }

  void function(const Function &decl) {
    static const char *kinds[] = {"func ", "node ", "algorithm "};
    line(1, kinds[static_cast<int>(decl.kind)] + decl.name.text + generics(decl.generics));
    for (const Param &param : decl.params)
      line(2, "param " + param.name.text + ": " + printType(*param.type));
    for (const TypeExprPtr &result : decl.results)
      line(2, "result " + printType(*result));
    block(2, decl.body);
  }

  void block(int depth, const Block &statements) {
    for (const auto &next : statements)
      statement(depth, *next);
  }

  static std::string targets(const Statement &statement) {
    std::string result;
    for (const Name &name : statement.names)
      result += (result.empty() ? "" : ", ") + name.text;
    return statement.tuple ? "(" + result + ")" : result;
  }

  void statement(int depth, const Statement &next) {
    auto value = [&](size_t i) { return printExpr(*next.values[i]); };
    switch (next.kind) {
    case Statement::Kind::Let:
      return line(depth, "let " + targets(next) + (next.type ? ": " + printType(*next.type) : "") + " = " + value(0));
    case Statement::Kind::Assign:
      return line(depth, "assign " + targets(next) + " = " + value(0));
    case Statement::Kind::AssignElement:
      return line(depth, "assign " + targets(next) + "[" + value(0) + "] = " + value(1));
    case Statement::Kind::For:
      line(depth, "for " + targets(next) + " in " + value(0) + (next.down ? " downto " : "..") + value(1) +
                      (next.values.size() > 2 ? " by " + value(2) : ""));
      return block(depth + 1, next.blocks[0]);
    case Statement::Kind::If:
      for (size_t arm = 0; arm < next.blocks.size(); ++arm) {
        line(depth, arm == next.values.size() ? "else" : (arm == 0 ? "if " : "else if ") + value(arm));
        block(depth + 1, next.blocks[arm]);
      }
      return;
    case Statement::Kind::Require:
      return line(depth, "require " + value(0) + ", \"" + next.message + "\"");
    case Statement::Kind::Return:
      return line(depth, "return " + value(0));
    }
  }

  void schedule(const ScheduleDecl &decl) {
    static const char *ranges[] = {"load", "steps", "join", "store"};
    line(1, "schedule " + decl.entry.text + " for " + decl.target +
                (decl.plan.text.empty() ? "" : " plan " + decl.plan.text) +
                (decl.condition ? " where " + printExpr(*decl.condition) : ""));
    for (const ScheduleChoice &choice : decl.choices)
      line(2, "with " + choice.name.text + " = " + std::to_string(choice.value));
    for (const ScheduleKernel &kernel : decl.kernels) {
      line(2, "kernel " + kernel.launch.str());
      if (kernel.apart)
        line(3, "apart");
      for (const ScheduleRange &range : kernel.ranges) {
        bool steps = range.kind == ScheduleRange::Kind::Steps || range.kind == ScheduleRange::Kind::Join;
        line(3, std::string(ranges[static_cast<int>(range.kind)]) +
                    (steps ? " " + std::to_string(range.first) + ".." + std::to_string(range.last) : "") +
                    (range.staged ? " staged" : "") +
                    (range.runs                                ? " runs " + std::to_string(range.runs)
                     : range.kind == ScheduleRange::Kind::Join ? ""
                     : range.mapping.empty()                   ? ""
                                                               : ": " + range.mapping));
      }
      std::string order;
      for (int digit : kernel.order)
        order += " " + std::to_string(digit);
      if (!order.empty())
        line(3, "order" + order);
      if (kernel.ring)
        line(3, "ring " + std::to_string(kernel.ring) + " delay " + std::to_string(kernel.delay));
    }
    if (!decl.measured.empty())
      line(2, "measured " + decl.measured);
  }
};

} // namespace

std::string printType(const TypeExpr &type) {
  std::string text = type.kind == TypeExpr::Kind::Mod       ? "mod<" + printExpr(*type.modulus) + ">"
                     : type.kind == TypeExpr::Kind::Complex ? "complex"
                                                            : type.name;
  for (size_t i = 0; i < type.arguments.size(); ++i)
    text += (i == 0 ? "<" : ", ") + printType(*type.arguments[i]);
  if (!type.arguments.empty())
    text += ">";
  for (const Dimension &dimension : type.dimensions)
    text += "[" + (dimension.name.empty() ? "" : dimension.name + ": ") + printExpr(*dimension.length) + "]";
  return text;
}

std::string printExpr(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::Integer:
  case Expr::Kind::Real:
    return expr.text;
  case Expr::Kind::Boolean:
    return expr.value ? "true" : "false";
  case Expr::Kind::Variable:
    return expr.name + bound(expr.settings);
  case Expr::Kind::Unary:
    return expr.name + operand(*expr.arguments[0], precedence(expr));
  case Expr::Kind::Binary:
    if (expr.name == "^")
      return operand(*expr.arguments[0], postfix) + "^" + operand(*expr.arguments[1], postfix);
    return operand(*expr.arguments[0], precedence(expr)) + " " + expr.name + " " +
           operand(*expr.arguments[1], precedence(expr) + 1);
  case Expr::Kind::Call:
    return expr.name + bound(expr.settings) + "(" + list(expr.arguments) + ")";
  case Expr::Kind::TypeCall:
    return printType(*expr.type) + "(" + list(expr.arguments) + ")";
  case Expr::Kind::TypeName:
    return printType(*expr.type);
  case Expr::Kind::Tuple:
    return "(" + list(expr.arguments) + ")";
  case Expr::Kind::Array:
    return "[" + list(expr.arguments) + "]";
  case Expr::Kind::Range:
    return printExpr(*expr.arguments[0]) + ".." + printExpr(*expr.arguments[1]);
  case Expr::Kind::Index:
    return operand(*expr.arguments[0], postfix) + "[" + printExpr(*expr.arguments[1]) + "]";
  case Expr::Kind::Field:
    return operand(*expr.arguments[0], postfix) + "." + expr.name;
  case Expr::Kind::Record: {
    std::string text = expr.name + "{ ";
    for (size_t i = 0; i < expr.fields.size(); ++i)
      text += (i == 0 ? "" : ", ") + expr.fields[i].first + ": " + printExpr(*expr.arguments[i]);
    return text + " }";
  }
  case Expr::Kind::Pipe: {
    std::string text =
        printExpr(*expr.arguments[0]) + " |> " + (expr.type ? printType(*expr.type) : expr.name) + bound(expr.settings);
    if (expr.hasArguments)
      text += "(" + list(expr.stageArguments) + ")";
    if (expr.power)
      text += " ^ " + operand(*expr.power, postfix);
    if (expr.digits)
      text += " @ " + printExpr(*expr.digits);
    return text;
  }
  }
  return "";
}

std::string printAst(const Source &source) {
  Printer printer;
  for (const auto &file : source.files)
    printer.file(*file);
  return printer.text;
}

} // namespace idc::frontend
