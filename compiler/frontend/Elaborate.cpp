// The entry, calls of functions and algorithms, and statements.
#include "compiler/frontend/Elaborate.h"

#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Parse.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

namespace idc::frontend {

namespace {
constexpr size_t maxBody = 65536; // operations of one func or node on its elements
constexpr size_t maxSteps = 200000;

/// The sizes, types and functions that a call is bound to.
std::string spellSplit(const Context &context) {
  return spell(context.scopes.empty() ? std::map<std::string, Value>() : context.scopes[0], context.types,
               context.functions);
}
} // namespace

Value *Context::find(const std::string &name) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto value = scope->find(name);
    if (value != scope->end())
      return &value->second;
  }
  return nullptr;
}

void Elaborator::fail(llvm::SMLoc loc, const std::string &message, llvm::SMRange range) {
  mistake.loc = loc;
  mistake.message = message;
  diagnostics.error(loc, message, range);
  if (aside.first.isValid() && aside.first != loc)
    diagnostics.note(aside.first, aside.second);
  size_t shown = 0;
  for (auto frame = frames.rbegin(); frame != frames.rend() && shown < 6; ++frame, ++shown)
    if (frame->loc.isValid() && (frame->loc == loc || frame->loc == frame->declared))
      continue;
    else if (frame->loc.isValid())
      diagnostics.note(frame->loc, "in '" + frame->name + "'" +
                                       (frame->instance.empty() ? "" : " with " + frame->instance) + ", used here");
    else
      diagnostics.note(frame->declared, "in the entry '" + frame->name + "'" +
                                            (frame->instance.empty() ? "" : " with " + frame->instance));
  throw ElaborationFailed();
}

void Elaborator::fail(const Expr &expr, const std::string &message) { fail(expr.loc, message, expr.range); }

Context Elaborator::contextIn(const SourceFile &file, const Function *function) {
  Context context;
  context.function = function;
  context.file = &file;
  builders.emplace_back();
  context.builder = &builders.back();
  context.scopes.emplace_back();
  return context;
}

void Elaborator::countWork(llvm::SMLoc loc) {
  if (++work > most.work || program.steps.size() > maxSteps) {
    mistake.isOutside = mistake.isTooLong = true;
    fail(loc,
         "the program is too large: its loops and calls unroll to more than " +
             (work > most.work ? std::to_string(most.work) + " expressions" : std::to_string(maxSteps) + " steps"));
  }
  if (!builders.empty() && builders.back().body.instrs.size() > maxBody)
    fail(loc,
         "the body is too large: its loops and calls unroll to more than " + std::to_string(maxBody) + " operations");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Elaborator::enter(const Function &function, const Context &context, llvm::SMLoc loc) {
  std::string instance = spellSplit(context);
  if (!running.insert({&function, instance}).second)
    fail(loc, std::string(kindName(function.kind)) + " '" + function.name.text +
                  "' uses itself without end: this call has the same " + (instance.empty() ? "arguments" : instance) +
                  " as one it is part of");
  if (frames.size() >= most.calls)
    fail(loc, "recursion without end, or too deep: '" + function.name.text + "' is more than " +
                  std::to_string(most.calls) + " calls deep");
  frames.push_back({function.name.text, function.name.range.Start, &function, loc, std::move(instance)});
  for (const Param &param : function.params)
    tell(param.name.range, context.scopes[1].at(param.name.text));
}

Elaborator::Frame Elaborator::leave() {
  Frame frame = std::move(frames.back());
  frames.pop_back();
  running.erase({frame.function, frame.instance});
  return frame;
}

void Elaborator::leaveAlgorithm(size_t firstStep) {
  Frame frame = leave();
  if (program.steps.size() > firstStep)
    calls.push_back({std::move(frame), firstStep, program.steps.size()});
}

Value Elaborator::runBody(const Function &function, Context &context) {
  std::optional<Value> result = execute(function.body, context);
  if (!result)
    fail(function.name.range.Start, "'" + function.name.text + "' ends without a return", function.name.range);
  std::vector<Value> values = result->kind == Value::Kind::Tuple ? result->members : std::vector<Value>{*result};
  llvm::SaveAndRestore also(aside, {returned.Start, "it is returned here"});
  if (values.size() != function.results.size())
    fail(function.results[0]->range.Start, "'" + function.name.text + "' returns " + std::to_string(values.size()) +
                                               " value" + (values.size() == 1 ? "" : "s") + ", but declares " +
                                               std::to_string(function.results.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const TypeExpr &declared = *function.results[i];
    std::string what = "the result of '" + function.name.text + "'";
    std::set<std::string> open;
    for (const Dimension &dimension : declared.dimensions)
      freeNames(*dimension.length, context, open);
    if (!open.empty())
      fail(declared.range.Start,
           "the size '" + *open.begin() + "' is bound by no parameter of '" + function.name.text + "'" +
               unsized(function, *open.begin()),
           declared.range);
    if (function.kind != Function::Kind::Algorithm || declared.dimensions.empty()) {
      values[i] = coerce(values[i], resolveType(declared, context, true), declared.range.Start, *context.builder, what);
      continue;
    }
    if (values[i].kind != Value::Kind::Sequence)
      fail(declared.range.Start, what + " is " + describe(values[i]) + ", but a sequence is declared", declared.range);
    TypeRef element = resolveType(declared, context, false);
    const Sequence &have = sequence(*values[i].sequence);
    if (!equal(*have.element, *element))
      fail(declared.range.Start,
           what + " has elements of type " + spell(*have.element) + ", but " + spell(*element) + " is declared",
           declared.range);
    values[i] = Value::of(matchShape(declared, *values[i].sequence, context, declared.range.Start, what));
  }
  return values.size() == 1 ? values[0] : Value::group(Value::Kind::Tuple, std::move(values));
}

Value Elaborator::callFunction(const Function &function, std::vector<Value> arguments,
                               const std::vector<llvm::SMLoc> &places, llvm::SMLoc loc, BodyBuilder &builder,
                               Bindings bindings) {
  if (arguments.size() != function.params.size())
    fail(loc, std::string(kindName(function.kind)) + " '" + function.name.text + "' takes " +
                  std::to_string(function.params.size()) + " argument" + (function.params.size() == 1 ? "" : "s") +
                  ", but " + std::to_string(arguments.size()) + (arguments.size() == 1 ? " is" : " are") + " given");
  Context context;
  context.function = &function;
  context.file = function.file;
  context.builder = &builder;
  context.scopes.emplace_back();
  take(bindings, context);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == Value::Kind::Tuple || arguments[i].kind == Value::Kind::Sequence)
      fail(loc, "argument '" + function.params[i].name.text + "' of '" + function.name.text + "' cannot be " +
                    describe(arguments[i]));
    if (TypeRef type = typeOf(arguments[i]))
      bindTypes(*function.params[i].type, true, type, function, context.types);
    // A free name as the length of an array parameter is bound by the argument.
    const Value *part = &arguments[i];
    for (const Dimension &dimension : function.params[i].type->dimensions) {
      if (part->kind != Value::Kind::Array)
        break;
      const Expr &length = *dimension.length;
      if (length.kind == Expr::Kind::Variable && !context.find(length.name) && !findConst(*context.file, length.name) &&
          !findGeneric(function, length.name))
        context.scopes[0][length.name] = Value::integer(static_cast<Int>(part->members.size()), length.loc);
      part = &part->members[0];
    }
  }
  bindDefaults(function, context, loc);
  bindNumbers(function, context, loc);
  checkGiven(function, context);
  context.scopes.emplace_back();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Param &param = function.params[i];
    std::set<std::string> open;
    for (const Dimension &dimension : param.type->dimensions)
      freeNames(*dimension.length, context, open);
    if (!open.empty())
      fail(loc, "the length '" + *open.begin() + "' of argument '" + param.name.text +
                    "' is not known: " + describe(arguments[i]) + " is given");
    TypeRef type = resolveType(*param.type, context, true);
    context.scopes[1][param.name.text] = coerce(arguments[i], type, places[i], builder,
                                                "argument '" + param.name.text + "' of '" + function.name.text + "'");
  }
  enter(function, context, loc);
  Value result = runBody(function, context);
  leave();
  return result;
}

Value Elaborator::callAlgorithm(const Function &algorithm, Bindings bindings, std::vector<Value> arguments,
                                llvm::SMLoc loc) {
  const std::string &name = algorithm.name.text;
  if (arguments.size() != algorithm.params.size())
    fail(loc, "algorithm '" + name + "' takes " + std::to_string(algorithm.params.size()) + " argument" +
                  (algorithm.params.size() == 1 ? "" : "s") + ", but " + std::to_string(arguments.size()) +
                  (arguments.size() == 1 ? " is" : " are") + " given");
  Context context = contextIn(*algorithm.file, &algorithm);
  take(bindings, context);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Param &param = algorithm.params[i];
    bool wantsSequence = !param.type->dimensions.empty(), isSequence = arguments[i].kind == Value::Kind::Sequence;
    if (wantsSequence != isSequence)
      fail(loc, "argument '" + param.name.text + "' of '" + name + "' is " + describe(arguments[i]) + ", but " +
                    (wantsSequence ? "a sequence" : "one value") + " is expected");
    TypeRef type = isSequence ? sequence(*arguments[i].sequence).element : typeOf(arguments[i]);
    if (type)
      bindTypes(*param.type, false, type, algorithm, context.types);
  }
  bindDefaults(algorithm, context, loc);
  bindNumbers(algorithm, context, loc);

  // Sizes: parameters are tried until nothing more is learned.
  std::vector<bool> done(arguments.size(), false);
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (done[i] || arguments[i].kind != Value::Kind::Sequence)
        continue;
      size_t before = context.scopes[0].size();
      done[i] = bindShape(algorithm.params[i], *arguments[i].sequence, context, loc, name);
      progress |= done[i] || context.scopes[0].size() > before;
    }
  }
  std::map<std::string, Value> bound;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Param &param = algorithm.params[i];
    std::string what = "argument '" + param.name.text + "' of '" + name + "'";
    if (arguments[i].kind != Value::Kind::Sequence) {
      bound[param.name.text] =
          coerce(arguments[i], resolveType(*param.type, context, true), loc, *context.builder, what);
      continue;
    }
    std::set<std::string> open;
    for (const Dimension &dimension : param.type->dimensions)
      freeNames(*dimension.length, context, open);
    if (!open.empty())
      fail(loc, "the size '" + *open.begin() + "' of '" + name + "' cannot be determined from the arguments");
    TypeRef element = resolveType(*param.type, context, false);
    const Sequence &have = sequence(*arguments[i].sequence);
    if (!equal(*have.element, *element))
      fail(loc, what + " must have elements of type " + spell(*element) + ", not " + spell(*have.element));
    bound[param.name.text] = Value::of(matchShape(*param.type, *arguments[i].sequence, context, loc, what));
  }
  checkGiven(algorithm, context);
  context.scopes.push_back(std::move(bound));
  enter(algorithm, context, loc);
  const size_t firstStep = program.steps.size();
  Value result = runBody(algorithm, context);
  leaveAlgorithm(firstStep);
  return result;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

std::optional<Value> Elaborator::execute(const Block &block, Context &context) {
  context.scopes.emplace_back();
  std::optional<Value> result;
  for (const auto &statement : block) {
    result = execute(*statement, context);
    if (result)
      break;
  }
  context.scopes.pop_back();
  return result;
}

/// The value of `let name: type = e`.
Value Elaborator::declared(const Statement &let, Context &context) {
  const TypeExpr &type = *let.type;
  const Expr &expr = *let.values[0];
  const bool sequence = context.isAlgorithm() && !type.dimensions.empty();
  if (sequence && expr.kind == Expr::Kind::Call && expr.name == "generate" && !callee(expr.name, context).function)
    return generate(expr, type, context);
  Value value = eval(expr, context);
  const std::string what = "'" + let.names[0].text + "'";
  if (!sequence)
    return coerce(value, resolveType(type, context, true), expr.loc, *context.builder, what);
  if (value.kind != Value::Kind::Sequence)
    fail(expr, what + " is " + describe(value) + ", but a sequence is declared");
  TypeRef element = resolveType(type, context, false);
  if (const TypeRef &have = this->sequence(*value.sequence).element; !equal(*have, *element))
    fail(expr, what + " has elements of type " + spell(*have) + ", but " + spell(*element) + " is declared");
  return Value::of(matchShape(type, *value.sequence, context, expr.loc, what));
}

void Elaborator::assign(const Statement &statement, Context &context) {
  Value value = bindsDigits(statement, context) ? namedDigits(statement, context)
                : statement.type                ? declared(statement, context)
                                                : eval(*statement.values[0], context);
  size_t targets = statement.names.size();
  if (value.kind == Value::Kind::Tuple ? value.members.size() != targets : targets != 1)
    if (!(targets == 1 && value.kind == Value::Kind::Tuple && !statement.tuple))
      fail(*statement.values[0],
           std::to_string(targets) + " name" + (targets == 1 ? "" : "s") + " cannot take " + describe(value));
  for (size_t i = 0; i < targets; ++i) {
    const Name &name = statement.names[i];
    const Value &part = targets == 1 ? value : value.members[i];
    tell(name.range, part);
    Value *known = context.find(name.text);
    if (statement.kind == Statement::Kind::Let) {
      if (known)
        fail(name.range.Start, "'" + name.text + "' is already declared here; assign to it without 'let'", name.range);
      context.scopes.back()[name.text] = part;
    } else {
      if (!known)
        fail(name.range.Start, "'" + name.text + "' is not declared; declare it with 'let'", name.range);
      *known = part;
    }
  }
}

void Elaborator::assignElement(const Statement &statement, Context &context) {
  const Name &name = statement.names[0];
  Int index = evalInteger(*statement.values[0], context, "an array index");
  Value value = eval(*statement.values[1], context);
  Value *array = context.find(name.text);
  if (!array || array->kind != Value::Kind::Array)
    fail(name.range.Start, "'" + name.text + "' is not a small array", name.range);
  if (index < 0 || index >= static_cast<Int>(array->members.size()))
    fail(*statement.values[0], "index " + spell(index) + " is out of range: the array has " +
                                   std::to_string(array->members.size()) + " elements");
  if (value.kind == Value::Kind::Tuple || value.kind == Value::Kind::Sequence)
    fail(*statement.values[1], "an element of an array cannot be " + describe(value));
  if (TypeRef type = typeOf(*array)) {
    value =
        coerce(value, type->element, statement.values[1]->loc, *context.builder, "an element of '" + name.text + "'");
  }
  array->members[static_cast<size_t>(index)] = value;
}

std::optional<Value> Elaborator::executeLoop(const Statement &statement, Context &context) {
  Int from = evalInteger(*statement.values[0], context, "a loop bound");
  Int to = evalInteger(*statement.values[1], context, "a loop bound");
  Int by = 1;
  if (statement.values.size() > 2) {
    by = evalInteger(*statement.values[2], context, "the step of a loop");
    if (by < 1)
      fail(*statement.values[2], "the step of a loop is at least 1, not " + spell(by));
  }
  const Name &name = statement.names[0];
  if (context.find(name.text))
    fail(name.range.Start, "'" + name.text + "' is already declared here", name.range);
  for (Int i = from; statement.down ? i >= to : i <= to; i += statement.down ? -by : by) {
    countWork(name.range.Start);
    context.scopes.emplace_back();
    context.scopes.back()[name.text] = Value::integer(i, name.range.Start);
    tell(name.range, context.scopes.back()[name.text]);
    if (context.isAlgorithm())
      loops.emplace_back(name.text, i);
    std::optional<Value> result = execute(statement.blocks[0], context);
    if (context.isAlgorithm())
      loops.pop_back();
    context.scopes.pop_back();
    if (result)
      return result;
  }
  return std::nullopt;
}

std::optional<Value> Elaborator::execute(const Statement &statement, Context &context) {
  countWork(statement.range.Start);
  switch (statement.kind) {
  case Statement::Kind::Let:
  case Statement::Kind::Assign:
    assign(statement, context);
    return std::nullopt;
  case Statement::Kind::AssignElement:
    assignElement(statement, context);
    return std::nullopt;
  case Statement::Kind::For:
    return executeLoop(statement, context);
  case Statement::Kind::If:
    for (size_t arm = 0; arm < statement.values.size(); ++arm)
      if (evalCondition(*statement.values[arm], context, "the condition of 'if'"))
        return execute(statement.blocks[arm], context);
    if (statement.blocks.size() > statement.values.size())
      return execute(statement.blocks.back(), context);
    return std::nullopt;
  case Statement::Kind::Require:
    if (Value value = eval(*statement.values[0], context);
        value.kind == Value::Kind::Scalar && value.type->kind == Type::Kind::Bool && !context.stage) {
      requireAtCall(*value.builder, value.id, statement);
    } else if (!conditionOf(value, *statement.values[0], "a requirement")) {
      // The mistake is the caller's: the message stands at the call that led here.
      llvm::SMLoc loc = frames.empty() || !frames.back().loc.isValid() ? statement.values[0]->loc : frames.back().loc;
      mistake.isOutside = true;
      fail(loc, statement.message);
    }
    return std::nullopt;
  case Statement::Kind::Return: {
    Value value = eval(*statement.values[0], context);
    returned = statement.values[0]->range;
    return value;
  }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

Program Elaborator::run(const Function &entry, const SizeMap &sizes, const TypeMap &types, bool folds) {
  stack.run([&] { runEntry(entry, sizes, types); });
  if (folds)
    foldConstants();
  return std::move(program);
}

void Elaborator::runEntry(const Function &entry, const SizeMap &sizes, const TypeMap &types) {
  Context context = contextIn(*entry.file, &entry);
  llvm::SMLoc loc = entry.name.range.Start;
  const std::string &name = entry.name.text;
  program.entry = name;

  std::set<std::string> used;
  for (const Expr *named : sizesOf(entry)) {
    auto size = sizes.find(named->name);
    if (auto text = types.find(named->name); size == sizes.end() && text != types.end())
      fail(*named,
           "the size '" + named->name + "' of '" + name + "' is set to '" + text->second + "', which is no integer");
    if (size == sizes.end())
      fail(*named,
           "the size '" + named->name + "' of '" + name + "' is not set; give --set " + named->name + "=<integer>");
    used.insert(named->name);
    program.sizes.push_back(*size);
    context.scopes[0][size->first] = Value::integer(size->second, loc);
  }

  // What is neither a size nor such a parameter is a constant of the entry's file.
  auto byScalar = [&](const std::string &wanted) {
    const bool isScalar = llvm::any_of(
        entry.params, [&](const Param &param) { return param.name.text == wanted && param.type->dimensions.empty(); });
    return isScalar ? "; it is known at run time only: --scalar " + wanted + "=.." : std::string();
  };
  auto ownConstant = [&](const std::string &wanted) -> const Const * {
    for (const auto &constant : entry.file->consts)
      if (constant->name.text == wanted)
        return constant.get();
    return nullptr;
  };
  for (const auto &size : sizes)
    if (!used.count(size.first) && !findGeneric(entry, size.first)) {
      const Const *constant = ownConstant(size.first);
      if (!constant)
        fail(loc, "'" + name + "' has no size '" + size.first + "', but --set gives it a value" + byScalar(size.first),
             entry.name.range);
      constants[constant] = Value::integer(size.second, loc);
      program.sizes.push_back(size);
    }
  for (const auto &type : types)
    if (!used.count(type.first) && !findGeneric(entry, type.first)) {
      const Const *constant = ownConstant(type.first);
      if (!constant)
        fail(loc,
             "'" + name + "' has no parameter '" + type.first + "' in <..>, but --set gives it a value" +
                 byScalar(type.first),
             entry.name.range);
      constants[constant] = constantFrom(type.second, "--set " + type.first);
      program.types.push_back(type);
    }
  bindEntry(entry, sizes, types, context);
  checkGiven(entry, context);

  std::vector<Value> arguments;
  for (const Param &param : entry.params) {
    if (param.type->dimensions.empty()) {
      TypeRef type = resolveType(*param.type, context, true);
      std::vector<TypeRef> parts = leaves(type);
      std::vector<std::string> names = leafNames(param.name.text, *type);
      std::vector<int> ids;
      for (size_t i = 0; i < parts.size(); ++i) {
        Instr instr;
        instr.op = Op::ScalarParam;
        instr.type = parts[i];
        instr.digit = static_cast<int>(program.scalars.size());
        instr.loc = param.name.range.Start;
        program.scalars.push_back({names[i], parts[i]});
        ids.push_back(context.builder->emit(std::move(instr)));
      }
      size_t next = 0;
      arguments.push_back(assemble(type, *context.builder, ids, next));
      continue;
    }
    SequenceView view;
    std::vector<int> radices = shapeRadices(*param.type, context, view.split);
    for (size_t digit = 1; digit <= radices.size(); ++digit)
      view.tags.push_back(static_cast<int>(digit));
    view.value = static_cast<int>(program.values.size());
    TypeRef element = resolveType(*param.type, context, false);
    program.values.push_back({std::move(radices), element, param.name.range.Start});
    program.inputs.push_back({param.name.text, view.value});
    arguments.push_back(Value::of(std::move(view)));
  }
  // The sizes are set, so the body runs with them rather than with what the shapes would give.
  context.scopes.emplace_back();
  for (size_t i = 0; i < arguments.size(); ++i)
    context.scopes[1][entry.params[i].name.text] = arguments[i];
  enter(entry, context, llvm::SMLoc());
  Value result = runBody(entry, context);
  std::vector<Value> outputs = result.kind == Value::Kind::Tuple ? result.members : std::vector<Value>{result};
  for (const Value &value : outputs) {
    if (value.kind != Value::Kind::Sequence)
      fail(entry.results[0]->range.Start, "the result of an entry is a sequence, not " + describe(value),
           entry.results[0]->range);
    std::vector<int> natural = value.sequence->tags;
    std::sort(natural.begin(), natural.end());
    program.outputs.push_back(permuted(*value.sequence, natural, loc).value);
  }
  leaveAlgorithm(/*firstStep=*/0);
}

bool Elaborator::holds(const ScheduleDecl &schedule, const Program &program) {
  if (!schedule.condition)
    return true;
  Context context = contextIn(*schedule.file);
  for (const auto &[name, value] : program.sizes)
    context.scopes[0][name] = Value::integer(value, schedule.entry.range.Start);
  for (const auto &[name, text] : program.types)
    if (text == "true" || text == "false" || text[0] == '-' || (text[0] >= '0' && text[0] <= '9'))
      context.scopes[0][name] = constantFrom(text, name);
  // A comparison of types and functions is decided by their spelling, everything else is an ordinary compile-time
  // condition.
  auto spelling = [&](const Expr &expr) -> std::string {
    if (expr.kind == Expr::Kind::TypeName)
      return printType(*expr.type);
    if (expr.kind != Expr::Kind::Variable || context.find(expr.name))
      return "";
    for (const auto &[name, text] : program.types)
      if (name == expr.name)
        return text;
    const bool isName =
        scalarType(expr.name) || isBuiltinFunction(expr.name) || findFunction(*schedule.file, expr.name);
    return isName ? expr.name : "";
  };
  std::function<bool(const Expr &)> decide = [&](const Expr &expr) {
    if (expr.kind == Expr::Kind::Binary && (expr.name == "&&" || expr.name == "||")) {
      bool left = decide(*expr.arguments[0]), right = decide(*expr.arguments[1]);
      return expr.name == "&&" ? left && right : left || right;
    }
    if (expr.kind == Expr::Kind::Unary && expr.name == "!")
      return !decide(*expr.arguments[0]);
    if (expr.kind == Expr::Kind::Binary && (expr.name == "==" || expr.name == "!=")) {
      std::string left = spelling(*expr.arguments[0]), right = spelling(*expr.arguments[1]);
      auto strip = [](std::string text) {
        text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
        return text;
      };
      if (!left.empty() && !right.empty())
        return (strip(left) == strip(right)) == (expr.name == "==");
    }
    return evalCondition(expr, context, "the condition of a schedule");
  };
  bool result = false;
  stack.run([&] { result = decide(*schedule.condition); });
  return result;
}

int64_t Elaborator::sizeOf(const Expr &expression, const SizeMap &sizes, const char *what) {
  Context context = contextIn(source.main());
  for (const auto &size : sizes)
    context.scopes[0][size.first] = Value::integer(size.second, expression.range.Start);
  Int value = 0;
  stack.run([&] { value = evalInteger(expression, context, what); });
  if (value > INT64_MAX || value < INT64_MIN)
    fail(expression, std::string(what) + " is " + spell(value) + ", which has more than 64 bits");
  return static_cast<int64_t>(value);
}

std::optional<int64_t> evaluateSize(const Source &source, const Expr &expression, const SizeMap &sizes,
                                    const char *what, Diagnostics &diagnostics) {
  try {
    return Elaborator(source, diagnostics).sizeOf(expression, sizes, what);
  } catch (const ElaborationFailed &) {
    return std::nullopt;
  }
}

static std::optional<Program> elaborateEntry(const Source &source, const std::string &entry, const SizeMap &sizes,
                                             const TypeMap &types, bool folds, Diagnostics &diagnostics) {
  if (!check(source, diagnostics) || !checkEntry(entry, source, diagnostics))
    return std::nullopt;
  const Function *function = findFunction(source.main(), entry);
  if (!function || function->kind != Function::Kind::Algorithm) {
    std::string known;
    for (const auto &file : source.files)
      for (const auto &candidate : file->functions)
        if (candidate->kind == Function::Kind::Algorithm)
          known += (known.empty() ? "; there is " : ", ") + candidate->name.text;
    diagnostics.error(function ? function->name.range.Start : llvm::SMLoc(),
                      (function ? "the entry must be an algorithm, and '" + entry + "' is a " + kindName(function->kind)
                                : "there is no algorithm '" + entry + "'") +
                          known);
    return std::nullopt;
  }
  try {
    return Elaborator(source, diagnostics).run(*function, sizes, types, folds);
  } catch (const ElaborationFailed &) {
    return std::nullopt;
  }
}

std::optional<Program> elaborate(const Source &source, const std::string &entry, const SizeMap &sizes,
                                 const TypeMap &types, Diagnostics &diagnostics) {
  return elaborateEntry(source, entry, sizes, types, /*folds=*/true, diagnostics);
}

std::optional<Program> elaborateUnfolded(const Source &source, const std::string &entry, const SizeMap &sizes,
                                         const TypeMap &types, Diagnostics &diagnostics) {
  return elaborateEntry(source, entry, sizes, types, /*folds=*/false, diagnostics);
}

std::optional<const ScheduleDecl *> findSchedule(const Source &source, const Program &program,
                                                 const std::string &target, const std::string &plan, const SizeMap &set,
                                                 Diagnostics &diagnostics) {
  auto hasPlan = [&](const ScheduleDecl &schedule) {
    return (schedule.plan.text.empty() ? "throughput" : schedule.plan.text) == plan;
  };
  auto hasChoices = [&](const ScheduleDecl &schedule) {
    return std::all_of(program.choices.begin(), program.choices.end(), [&](const Choice &choice) {
      auto said = std::find_if(schedule.choices.begin(), schedule.choices.end(),
                               [&](const ScheduleChoice &other) { return other.name.text == choice.name; });
      const int64_t value = said == schedule.choices.end() ? choice.fallback : said->value;
      return !set.count(choice.name) || set.at(choice.name) == value;
    });
  };
  // A file that is imported may mean another algorithm of its own.
  const std::string &entry = program.entry;
  const Function *algorithm = findFunction(source.main(), entry);
  try {
    for (const auto &file : source.files)
      for (const auto &schedule : file->schedules)
        if (schedule->entry.text == entry && findFunction(*file, entry) == algorithm && schedule->target == target &&
            hasPlan(*schedule) && hasChoices(*schedule) && Elaborator(source, diagnostics).holds(*schedule, program))
          return schedule.get();
  } catch (const ElaborationFailed &) {
    return std::nullopt;
  }
  return nullptr;
}

} // namespace idc::frontend
