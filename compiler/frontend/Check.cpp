// Checks that need no sizes: names, numbers of arguments, places. All mistakes of all files are reported in one run.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Names.h"
#include "compiler/frontend/Parse.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace idc::frontend {

const char *kindName(Function::Kind kind) {
  return kind == Function::Kind::Func ? "func" : kind == Function::Kind::Node ? "node" : "algorithm";
}

namespace {

/// Calls `found` with the declarations of `name`, which those of a file hide in what it imports, until it returns
/// false.
template <typename Decl, typename Found>
bool search(const SourceFile &file, const std::string &name, const std::vector<std::unique_ptr<Decl>> SourceFile::*list,
            std::set<const SourceFile *> &seen, const Found &found) {
  if (!seen.insert(&file).second)
    return true;
  for (const auto &decl : file.*list)
    if (decl->name.text == name)
      return found(decl.get());
  for (const Import &import : file.imports)
    if (import.file && !search<Decl>(*import.file, name, list, seen, found))
      return false;
  return true;
}

template <typename Decl>
const Decl *findDecl(const SourceFile &file, const std::string &name,
                     const std::vector<std::unique_ptr<Decl>> SourceFile::*list, const Decl **other) {
  const Decl *first = nullptr;
  if (other)
    *other = nullptr;
  std::set<const SourceFile *> seen;
  search<Decl>(file, name, list, seen, [&](const Decl *decl) {
    if (first && other)
      *other = decl;
    first = first ? first : decl;
    return other && !*other;
  });
  return first;
}

} // namespace

std::vector<std::string> algorithmsOf(const Source &source) {
  std::vector<std::string> names;
  for (const auto &function : source.main().functions)
    if (function->kind == Function::Kind::Algorithm)
      names.push_back(function->name.text);
  return names;
}

const Function *findFunction(const SourceFile &file, const std::string &name, const Function **other) {
  return findDecl<Function>(file, name, &SourceFile::functions, other);
}
const TypeDecl *findType(const SourceFile &file, const std::string &name, const TypeDecl **other) {
  return findDecl<TypeDecl>(file, name, &SourceFile::types, other);
}
const Const *findConst(const SourceFile &file, const std::string &name, const Const **other) {
  return findDecl<Const>(file, name, &SourceFile::consts, other);
}

namespace {

class Checker {
public:
  /// `uses`, if given, gets every name that is found out to be declared.
  Checker(const Source &source, Diagnostics &diagnostics, std::vector<NameUse> *uses = nullptr)
      : folders(source.folders), diagnostics(diagnostics), uses(uses) {
    for (const auto &each : source.files)
      for (const auto &function : each->functions) {
        for (const Param &param : function->params)
          collectDimensions(*param.type);
        for (const TypeExprPtr &result : function->results)
          collectDimensions(*result);
        collectDimensions(function->body);
      }
  }

  void checkFile(const SourceFile &checked) {
    file = &checked;
    std::map<std::string, llvm::SMLoc> functions, types, consts;
    for (const auto &decl : checked.consts) {
      declare(consts, decl->name, "constant", false);
      use(decl->name.range, decl->name.range, NameKind::Constant);
      names.clear();
      openFunction = nullptr;
      expr(*decl->value, Place::Plain);
    }
    for (const auto &decl : checked.types) {
      declare(types, decl->name, "type", scalarType(decl->name.text) && !isLaterScalar(decl->name.text));
      use(decl->name.range, decl->name.range, NameKind::Record);
      openFunction = nullptr;
      setGenerics(decl->generics);
      for (const Generic &generic : decl->generics)
        if (generic.kind != Generic::Kind::Type)
          error(generic.name.range, "the parameters of a record are types");
      std::map<std::string, llvm::SMLoc> fields;
      for (const Param &field : decl->fields) {
        declare(fields, field.name, "field", false);
        use(field.name.range, field.name.range, NameKind::Field);
        names.clear();
        type(*field.type, Shape::Array);
      }
    }
    for (const auto &decl : checked.functions) {
      declare(functions, decl->name, "function",
              (isBuiltinFunction(decl->name.text) && !isRedeclarable(decl->name.text)) ||
                  isBuiltinPermutation(decl->name.text) ||
                  (scalarType(decl->name.text) && !isLaterScalar(decl->name.text)));
      use(decl->name.range, decl->name.range, NameKind::Function);
      declaration(*decl);
    }
    openFunction = nullptr;
    for (const auto &decl : checked.schedules) {
      const Function *entry = functionNamed(decl->entry.text, decl->entry.range);
      if (!entry || entry->kind != Function::Kind::Algorithm)
        error(decl->entry.range, "there is no algorithm '" + decl->entry.text + "' to schedule");
      if (const Name &plan = decl->plan; !plan.text.empty() && plan.text != "throughput" && plan.text != "latency")
        error(plan.range, "a plan is 'throughput' or 'latency', not '" + plan.text + "'");
      std::map<std::string, llvm::SMLoc> choices;
      for (const ScheduleChoice &choice : decl->choices) {
        declare(choices, choice.name, "choice", false);
        const Generic *generic = entry ? findGeneric(*entry, choice.name.text) : nullptr;
        if (entry && (!generic || generic->kind != Generic::Kind::Choice))
          error(choice.name.range, "'" + decl->entry.text + "' has no choice '" + choice.name.text + "'");
        else if (entry)
          use(choice.name.range, generic->name.range, NameKind::Parameter);
      }
      if (entry && decl->condition)
        conditionNames(*decl->condition, *entry);
    }
  }

  /// A type that stands outside of all files, with the names of `place`.
  void checkType(const TypeExpr &checked, const SourceFile &place) {
    file = &place;
    openFunction = nullptr;
    generics.clear();
    names.clear();
    type(checked, Shape::Array);
  }
  void checkEntry(const SourceFile &main, const std::string &name) {
    file = &main;
    functionNamed(name, {});
  }

private:
  // Stage: arguments of a func or node after |>; Digits: dimension names too; Length: of a type
  enum class Place { Plain, Stage, Digits, Length };
  enum class Shape { None, Array, Sequence };

  /// What is known of a name in scope.
  struct Known {
    llvm::SMRange declared;
    NameKind kind;
  };

  void use(llvm::SMRange place, llvm::SMRange declared, NameKind kind) {
    if (uses)
      uses->push_back({place, declared, kind});
  }
  void bindName(const Name &name, NameKind kind) {
    names.back().insert({name.text, {name.range, kind}});
    use(name.range, name.range, kind);
  }

  /// The condition of a schedule names what its entry does.
  void conditionNames(const Expr &condition, const Function &entry) {
    if (condition.kind == Expr::Kind::Variable) {
      const std::vector<const Expr *> sizes = sizesOf(entry);
      auto size =
          std::find_if(sizes.begin(), sizes.end(), [&](const Expr *named) { return named->name == condition.name; });
      if (size != sizes.end())
        use(condition.range, (*size)->range, NameKind::Size);
      else if (const Generic *generic = findGeneric(entry, condition.name))
        use(condition.range, generic->name.range, NameKind::Parameter);
      else if (const Const *constant = findConst(*file, condition.name))
        use(condition.range, constant->name.range, NameKind::Constant);
    }
    for (const ExprPtr &argument : condition.arguments)
      conditionNames(*argument, entry);
  }

  void error(llvm::SMRange range, const std::string &message) { diagnostics.error(range.Start, message, range); }
  void error(const Expr &where, const std::string &message) { diagnostics.error(where.loc, message, where.range); }

  /// What is declared under a name, and an error when several imported files declare it.
  template <typename Decl>
  const Decl *unique(const Decl *found, const Decl *other, llvm::SMRange place, NameKind kind) {
    if (!other) {
      if (found && place.isValid())
        use(place, found->name.range, kind);
      return found;
    }
    error(place, "several imported files declare '" + found->name.text + "'; one in this file would hide them");
    diagnostics.note(found->name.range.Start, "it is declared here");
    diagnostics.note(other->name.range.Start, "and here");
    return found;
  }
  /// The function of a name; for a parameter in <..> its signature.
  const Function *functionNamed(const std::string &name, llvm::SMRange place) {
    const Generic *parameter = openFunction ? findGeneric(*openFunction, name) : nullptr;
    if (parameter && parameter->kind == Generic::Kind::Function) {
      use(place, parameter->name.range, NameKind::Parameter);
      return parameter->signature.get();
    }
    const Function *other, *found = findFunction(*file, name, &other);
    return unique(found, other, place, NameKind::Function);
  }
  const TypeDecl *typeNamed(const std::string &name, llvm::SMRange place) {
    const TypeDecl *other, *found = findType(*file, name, &other);
    return unique(found, other, place, NameKind::Record);
  }
  const Const *constantNamed(const Expr &named) {
    const Const *other, *found = findConst(*file, named.name, &other);
    return unique(found, other, named.range, NameKind::Constant);
  }
  /// Whether a type variable has the name, used at a place.
  bool isTypeVariable(const std::string &name, llvm::SMRange place) {
    auto known = generics.find(name);
    if (known != generics.end())
      use(place, known->second, NameKind::TypeVariable);
    return known != generics.end();
  }
  static llvm::SMRange wordAt(llvm::SMLoc loc, const std::string &word) {
    return {loc, llvm::SMLoc::getFromPointer(loc.getPointer() + word.size())};
  }

  void declare(std::map<std::string, llvm::SMLoc> &space, const Name &name, const std::string &what, bool builtin) {
    if (builtin)
      return error(name.range, "'" + name.text + "' is built in and cannot be declared");
    auto known = space.insert({name.text, name.range.Start});
    if (known.second)
      return;
    error(name.range, what + " '" + name.text + "' is declared twice");
    diagnostics.note(known.first->second, "the first declaration is here");
  }

  void collectDimensions(const TypeExpr &type) {
    for (const Dimension &dimension : type.dimensions)
      if (!dimension.name.empty())
        dimensionNames.insert(dimension.name);
  }

  void collectDimensions(const Block &block) {
    for (const auto &statement : block) {
      if (statement->type)
        collectDimensions(*statement->type);
      for (const Block &inner : statement->blocks)
        collectDimensions(inner);
    }
  }

  void setGenerics(const std::vector<Generic> &list) {
    generics.clear();
    std::map<std::string, llvm::SMLoc> seen;
    for (const Generic &generic : list) {
      const std::string &name = generic.name.text;
      const bool isType = generic.kind == Generic::Kind::Type, isFunction = generic.kind == Generic::Kind::Function;
      declare(seen, generic.name, isType ? "type variable" : "parameter",
              isType ? scalarType(name) && !isLaterScalar(name)
                     : isFunction && (isBuiltinFunction(name) || isBuiltinPermutation(name) || scalarType(name)));
      if (generic.fallback)
        type(*generic.fallback, Shape::None);
      if (isType)
        generics.insert({name, generic.name.range});
      use(generic.name.range, generic.name.range, isType ? NameKind::TypeVariable : NameKind::Parameter);
    }
    for (const Generic &generic : list) // signatures may name types that come later
      if (generic.signature) {
        for (const Param &param : generic.signature->params)
          type(*param.type, Shape::Array);
        for (const TypeExprPtr &result : generic.signature->results)
          type(*result, Shape::Array);
      }
  }

  /// What `<..>` binds, in a use of `callee`.
  void settings(const std::vector<Setting> &list, const Function &callee, Place place) {
    std::map<std::string, llvm::SMLoc> seen;
    for (const Setting &setting : list) {
      declare(seen, setting.name, "parameter", false);
      const Generic *generic = findGeneric(callee, setting.name.text);
      if (!generic)
        error(setting.name.range, "'" + callee.name.text + "' has no parameter '" + setting.name.text + "' in <..>");
      else {
        use(setting.name.range, generic->name.range,
            generic->kind == Generic::Kind::Type ? NameKind::TypeVariable : NameKind::Parameter);
        parameterValue(*setting.value, *generic, place);
      }
    }
  }

  /// The value of a parameter in <..>: a type, the name of a function, or a number.
  void parameterValue(const Expr &value, const Generic &generic, Place place) {
    const bool isName = value.kind == Expr::Kind::Variable;
    if (generic.kind == Generic::Kind::Type) {
      if (value.kind == Expr::Kind::TypeName)
        type(*value.type, Shape::None);
      else if (!isName || !value.settings.empty())
        error(value, "'" + generic.name.text + "' is a type");
      else if (!isTypeVariable(value.name, value.range) && !scalarNamed(value.name, *file) &&
               !typeNamed(value.name, value.range))
        error(value, "unknown type '" + value.name + "'");
    } else if (generic.kind == Generic::Kind::Function) {
      if (!isName)
        error(value, "'" + generic.name.text + "' is a function, given by its name");
      else if (const Function *given = functionNamed(value.name, value.range))
        settings(value.settings, *given, place);
      else if (isBuiltinFunction(value.name))
        noSettings(value);
      else
        unknownFunction(value);
    } else if (!value.settings.empty()) {
      error(value, "'" + generic.name.text + "' is a number");
    } else {
      expr(value, place == Place::Stage ? place : Place::Plain);
    }
  }

  //===------------------------------------------------------------------===//
  // Types and functions
  //===------------------------------------------------------------------===//

  void type(const TypeExpr &checked, Shape shape) {
    if (checked.kind == TypeExpr::Kind::Mod)
      expr(*checked.modulus, Place::Plain);
    for (const TypeExprPtr &argument : checked.arguments)
      type(*argument, Shape::None);
    if (checked.kind == TypeExpr::Kind::Name &&
        !isTypeVariable(checked.name, wordAt(checked.range.Start, checked.name)) && !scalarNamed(checked.name, *file)) {
      const TypeDecl *decl = typeNamed(checked.name, wordAt(checked.range.Start, checked.name));
      if (!decl) {
        error(checked.range, "unknown type '" + checked.name + "'");
      } else {
        size_t least = 0;
        for (const Generic &generic : decl->generics)
          least += generic.fallback == nullptr;
        if (checked.arguments.size() < least || checked.arguments.size() > decl->generics.size())
          error(checked.range, "type '" + checked.name + "' has " + count(decl->generics.size(), "type parameter") +
                                   ", but " + std::to_string(checked.arguments.size()) +
                                   (checked.arguments.size() == 1 ? " is" : " are") + " given");
      }
    }
    if (shape == Shape::None && !checked.dimensions.empty())
      error(checked.dimensions[0].range, "an array or sequence cannot stand here");
    for (const Dimension &dimension : checked.dimensions) {
      if (shape != Shape::Sequence && !dimension.name.empty())
        error(dimension.range, "only the sequences of algorithms have named dimensions");
      if (!dimension.name.empty())
        use(dimension.nameRange, ownDimensions.insert({dimension.name, dimension.nameRange}).first->second,
            NameKind::Dimension);
      expr(*dimension.length, Place::Length);
    }
  }

  void shapeNames(const Expr &length) {
    if (length.kind == Expr::Kind::Variable && !findConst(*file, length.name))
      names.back().insert({length.name, {length.range, NameKind::Size}});
    for (const ExprPtr &argument : length.arguments)
      shapeNames(*argument);
  }

  void declaration(const Function &checked) {
    openFunction = &checked;
    names.assign(1, {});
    ownDimensions.clear();
    setGenerics(checked.generics);
    for (const Generic &generic : checked.generics) {
      for (const ExprPtr *edge : {&generic.low, &generic.high})
        if (*edge)
          expr(**edge, Place::Plain);
      if (generic.value)
        parameterValue(*generic.value, generic, Place::Plain);
      if (generic.isNumber())
        bindName(generic.name, NameKind::Parameter);
    }
    bool algorithm = checked.kind == Function::Kind::Algorithm;
    for (const Param &param : checked.params)
      for (const Dimension &dimension : param.type->dimensions)
        if (algorithm || dimension.length->kind == Expr::Kind::Variable)
          shapeNames(*dimension.length);
    for (const Param &param : checked.params)
      type(*param.type, algorithm ? Shape::Sequence : Shape::Array);
    for (const TypeExprPtr &result : checked.results)
      type(*result, algorithm ? Shape::Sequence : Shape::Array);
    std::map<std::string, llvm::SMLoc> params;
    for (const Param &param : checked.params) {
      declare(params, param.name, "parameter", false);
      if (names.back().count(param.name.text))
        error(param.name.range, "'" + param.name.text + "' is " + sizeOrNumber(param.name.text) + " and a parameter");
    }
    names.emplace_back();
    for (const Param &param : checked.params)
      bindName(param.name, NameKind::Argument);
    bool sequence = std::any_of(checked.params.begin(), checked.params.end(),
                                [](const Param &param) { return !param.type->dimensions.empty(); });
    if (algorithm && !sequence)
      error(checked.name.range, "algorithm '" + checked.name.text + "' needs a sequence as parameter");
    loopVariables.clear();
    block(checked.body);
    if (!mayReturn(checked.body))
      error(checked.name.range,
            std::string(kindName(checked.kind)) + " '" + checked.name.text + "' ends without a return");
  }

  static bool mayReturn(const Block &block) {
    for (const auto &statement : block) {
      if (statement->kind == Statement::Kind::Return)
        return true;
      for (const Block &inner : statement->blocks)
        if (mayReturn(inner))
          return true;
    }
    return false;
  }

  //===------------------------------------------------------------------===//
  // Statements
  //===------------------------------------------------------------------===//

  const Known *find(const std::string &name) const {
    for (const auto &scope : names)
      if (auto known = scope.find(name); known != scope.end())
        return &known->second;
    return nullptr;
  }
  /// Whether a name in scope stands at a place.
  bool visible(const std::string &name, llvm::SMRange place) {
    const Known *known = find(name);
    if (known)
      use(place, known->declared, known->kind);
    return known;
  }

  void block(const Block &checked) {
    names.emplace_back();
    for (const auto &next : checked)
      statement(*next);
    names.pop_back();
  }

  /// "a size" or "a number in <..>".
  std::string sizeOrNumber(const std::string &name) const {
    return findGeneric(*openFunction, name) ? "a number in <..>" : "a size";
  }

  void introduce(const Name &name) {
    if (names[0].count(name.text))
      error(name.range, "'" + name.text + "' is " + sizeOrNumber(name.text) + " of '" + openFunction->name.text +
                            "' and cannot be declared again");
    else if (find(name.text))
      error(name.range, "'" + name.text + "' is already declared here; assign to it without 'let'");
    bindName(name, NameKind::Variable);
  }

  bool isGenerate(const Expr &value) {
    return value.kind == Expr::Kind::Call && value.name == "generate" && value.arguments.size() == 1 &&
           !findFunction(*file, value.name);
  }

  void declaredType(const Statement &let) {
    const bool algorithm = openFunction->kind == Function::Kind::Algorithm;
    type(*let.type, algorithm ? Shape::Sequence : Shape::Array);
    if (let.tuple)
      error(let.type->range, "a type is declared for one name");
    if (isGenerate(*let.values[0]) && (!algorithm || let.type->dimensions.empty()))
      error(*let.values[0], "'generate' makes a sequence, in an algorithm");
  }

  /// Whether a name is bound to an expression of digits.
  bool bindsDigits(const Statement &checked) {
    return (checked.kind == Statement::Kind::Let || checked.kind == Statement::Kind::Assign) &&
           checked.names.size() == 1 && openFunction->kind == Function::Kind::Algorithm &&
           namesDigits(*checked.values[0], *file, [](const std::string &) { return false; });
  }

  void statement(const Statement &checked) {
    if (checked.type)
      declaredType(checked);
    for (size_t i = 0; i < checked.values.size(); ++i)
      if (checked.type && isGenerate(*checked.values[i]))
        arguments(checked.values[i]->arguments, Place::Stage);
      else
        expr(*checked.values[i], bindsDigits(checked) ? Place::Stage : Place::Plain);
    std::set<std::string> targets;
    switch (checked.kind) {
    case Statement::Kind::Let:
      for (const Name &name : checked.names)
        introduce(name);
      break;
    case Statement::Kind::Assign:
    case Statement::Kind::AssignElement:
      for (const Name &name : checked.names) {
        if (!visible(name.text, name.range))
          error(name.range, "'" + name.text + "' is not declared; declare it with 'let'");
        else if (loopVariables.count(name.text) || names[0].count(name.text))
          error(name.range, "'" + name.text + "' is " +
                                (names[0].count(name.text) ? sizeOrNumber(name.text) : "a loop variable") +
                                " and cannot be assigned");
        if (!targets.insert(name.text).second)
          error(name.range, "'" + name.text + "' is assigned twice");
      }
      break;
    case Statement::Kind::For: {
      names.emplace_back();
      if (find(checked.names[0].text))
        error(checked.names[0].range, "'" + checked.names[0].text + "' is already declared here");
      bindName(checked.names[0], NameKind::Variable);
      bool added = loopVariables.insert(checked.names[0].text).second;
      block(checked.blocks[0]);
      if (added)
        loopVariables.erase(checked.names[0].text);
      names.pop_back();
      break;
    }
    case Statement::Kind::If:
      for (const Block &arm : checked.blocks)
        block(arm);
      break;
    case Statement::Kind::Require:
      break;
    case Statement::Kind::Return: {
      const Expr &value = *checked.values[0];
      size_t wanted = openFunction->results.size();
      if (value.kind == Expr::Kind::Tuple && value.arguments.size() != wanted)
        error(value, "'" + openFunction->name.text + "' returns " + count(value.arguments.size(), "value") +
                         ", but declares " + std::to_string(wanted));
      break;
    }
    }
  }

  //===------------------------------------------------------------------===//
  // Expressions
  //===------------------------------------------------------------------===//

  static std::string count(size_t number, const std::string &what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  }

  void arguments(const std::vector<ExprPtr> &list, Place place) {
    for (const ExprPtr &argument : list)
      expr(*argument, place);
  }

  void expr(const Expr &checked, Place place) {
    switch (checked.kind) {
    case Expr::Kind::Variable:
      if (place == Place::Digits && ownDimensions.count(checked.name))
        use(checked.range, ownDimensions[checked.name], NameKind::Dimension);
      else if (!visible(checked.name, checked.range) && !constantNamed(checked) &&
               !(isBuiltinConstant(checked.name) && place != Place::Length) &&
               !(place == Place::Digits && dimensionNames.count(checked.name))) {
        if (place == Place::Length && openFunction) {
          error(checked, "the size '" + checked.name + "' is bound by no parameter of '" + openFunction->name.text +
                             "'" + unsized(*openFunction, checked.name));
          return;
        }
        bool isFunction = findFunction(*file, checked.name) || isBuiltinFunction(checked.name);
        error(checked, "unknown name '" + checked.name + "'" +
                           (isFunction               ? "; the function of that name needs its arguments"
                            : place == Place::Digits ? ", and no dimension of that name"
                                                     : ""));
      }
      return;
    case Expr::Kind::Range:
      if (place != Place::Digits)
        error(checked, "a range may stand only in a list of digits");
      break;
    case Expr::Kind::TypeName:
      return error(checked, "a type is not a value; a conversion is written with its operand in parentheses");
    case Expr::Kind::TypeCall:
      type(*checked.type, Shape::None);
      break;
    case Expr::Kind::Call:
      return call(checked, place);
    case Expr::Kind::Record:
      record(checked);
      break;
    case Expr::Kind::Field:
      field(checked);
      break;
    case Expr::Kind::Pipe:
      return pipe(checked, place);
    default:
      break;
    }
    bool group =
        checked.kind == Expr::Kind::Tuple || checked.kind == Expr::Kind::Array || checked.kind == Expr::Kind::Range;
    arguments(checked.arguments, place == Place::Digits && !group ? Place::Plain : place);
  }

  void record(const Expr &checked) {
    const TypeDecl *decl = typeNamed(checked.name, wordAt(checked.loc, checked.name));
    if (!decl)
      return error(checked, "unknown type '" + checked.name + "'");
    for (const auto &field : checked.fields) {
      auto known = std::find_if(decl->fields.begin(), decl->fields.end(),
                                [&](const Param &candidate) { return candidate.name.text == field.first; });
      if (known == decl->fields.end())
        diagnostics.error(field.second, noField(checked.name, field.first, fieldNames(*decl)));
      else
        use(wordAt(field.second, field.first), known->name.range, NameKind::Field);
    }
  }

  /// A field belongs to the record that is the only one here with a field of this name: values have no types yet.
  void field(const Expr &checked) {
    const Param *known = nullptr;
    std::set<const SourceFile *> seen;
    for (const TypeDecl *decl : visibleRecords(*file, seen))
      for (const Param &candidate : decl->fields)
        if (candidate.name.text == checked.name) {
          if (known)
            return;
          known = &candidate;
        }
    if (known)
      use({llvm::SMLoc::getFromPointer(checked.range.End.getPointer() - checked.name.size()), checked.range.End},
          known->name.range, NameKind::Field);
  }

  static std::vector<const TypeDecl *> visibleRecords(const SourceFile &from, std::set<const SourceFile *> &seen) {
    std::vector<const TypeDecl *> records;
    if (!seen.insert(&from).second)
      return records;
    for (const auto &decl : from.types)
      records.push_back(decl.get());
    for (const Import &import : from.imports)
      if (import.file)
        for (const TypeDecl *decl : visibleRecords(*import.file, seen))
          records.push_back(decl);
    return records;
  }

  /// Reports a function that is not declared, with what the author may have meant.
  void unknownFunction(const Expr &checked) {
    if (const TypeDecl *decl = findType(*file, checked.name)) {
      std::string fields;
      for (const Param &field : decl->fields)
        fields += (fields.empty() ? " " : ", ") + field.name.text + ": ..";
      return error(checked,
                   "'" + checked.name + "' is a record; its literal is written " + checked.name + "{" + fields + " }");
    }
    if (const std::vector<std::string> files = importsDeclaring(checked.name, folders); !files.empty())
      return error(checked, "unknown function '" + checked.name + "'; import \"" + llvm::join(files, "\" or \"") +
                                "\" declares it");
    std::vector<std::string> known = builtinFunctions();
    std::set<const SourceFile *> seen;
    collectFunctions(*file, seen, known);
    std::string nearest;
    // More edits make another word, in a short one fewer.
    unsigned least = std::min<size_t>(3, (checked.name.size() + 2) / 2);
    for (const std::string &name : known) {
      unsigned distance = llvm::StringRef(checked.name).edit_distance(name, /*AllowReplacements=*/true, least);
      if (distance < least) {
        least = distance;
        nearest = name;
      }
    }
    error(checked,
          "unknown function '" + checked.name + "'" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }

  static void collectFunctions(const SourceFile &from, std::set<const SourceFile *> &seen,
                               std::vector<std::string> &names) {
    if (!seen.insert(&from).second)
      return;
    for (const auto &decl : from.functions)
      names.push_back(decl->name.text);
    for (const Import &import : from.imports)
      if (import.file)
        collectFunctions(*import.file, seen, names);
  }

  void call(const Expr &checked, Place place) {
    size_t given = checked.arguments.size();
    if (const Function *callee = functionNamed(checked.name, wordAt(checked.loc, checked.name))) {
      bool fromAlgorithm = openFunction && openFunction->kind == Function::Kind::Algorithm;
      if (callee->kind == Function::Kind::Algorithm && (!fromAlgorithm || place == Place::Stage))
        error(checked, "algorithm '" + checked.name + "' can be used only in an algorithm");
      // A tuple or a call may stand for several values of an algorithm's.
      bool open = callee->kind == Function::Kind::Algorithm;
      if (open ? given > callee->params.size() : given != callee->params.size())
        error(checked, std::string(kindName(callee->kind)) + " '" + checked.name + "' takes " +
                           count(callee->params.size(), "argument") + ", but " + std::to_string(given) +
                           (given == 1 ? " is" : " are") + " given");
      settings(checked.settings, *callee, place);
      return arguments(checked.arguments, place == Place::Stage ? place : Place::Plain);
    }
    noSettings(checked);
    if (isBuiltinPermutation(checked.name) || isBuiltinResize(checked.name) || isBuiltinMove(checked.name)) {
      error(checked, (isBuiltinPermutation(checked.name) ? std::string("a permutation") : "'" + checked.name + "'") +
                         " is applied with |>: x |> " + checked.name + "(..)");
      return;
    }
    bool conversion =
        scalarNamed(checked.name, *file) || isTypeVariable(checked.name, wordAt(checked.loc, checked.name));
    if (!conversion && !isBuiltinFunction(checked.name)) {
      unknownFunction(checked);
      return arguments(checked.arguments, Place::Plain);
    }
    std::pair<int, int> arity = conversion ? std::make_pair(1, 1) : builtinArity(checked.name);
    if (static_cast<int>(given) < arity.first || static_cast<int>(given) > arity.second)
      error(checked, "'" + checked.name + "' takes " + count(arity.first, "argument") +
                         (arity.second > arity.first ? " or " + std::to_string(arity.second) : "") + ", but " +
                         std::to_string(given) + (given == 1 ? " is" : " are") + " given");
    if (checked.name == "generate")
      return error(checked,
                   "'generate' stands alone behind the declared type of a sequence: let x: T[2^n] = generate(..);");
    if (isTypeFunction(checked.name) && given == 1) {
      const Expr &argument = *checked.arguments[0];
      if (argument.kind == Expr::Kind::TypeName)
        type(*argument.type, Shape::None);
      else if (argument.kind != Expr::Kind::Variable ||
               (!isTypeVariable(argument.name, argument.range) && !scalarNamed(argument.name, *file)))
        error(argument, "'" + checked.name + "' takes a type of numbers");
      return;
    }
    if (isDigitFunction(checked.name) && place != Place::Stage)
      error(checked,
            "'" + checked.name +
                "' may stand only in the arguments of a func or node after |>, and of gather, scatter and generate");
    bool digits = checked.name == "digits" || checked.name == "digit" || checked.name == "radix";
    if (digits && place == Place::Stage)
      return arguments(checked.arguments, given == 1 ? Place::Digits : Place::Stage);
    arguments(checked.arguments, place == Place::Digits ? Place::Plain : place);
  }

  void noSettings(const Expr &checked) {
    if (!checked.settings.empty())
      error(checked.settings[0].name.range,
            "'" + (checked.type ? printType(*checked.type) : checked.name) + "' has no parameters in <..>");
  }

  void pipe(const Expr &checked, Place place) {
    if (!openFunction || openFunction->kind != Function::Kind::Algorithm)
      return error(checked, "a pipe may stand only in the body of an algorithm");
    if (place == Place::Stage)
      return error(checked, "a pipe may not stand in the arguments of a func or node");
    expr(*checked.arguments[0], Place::Plain);
    if (checked.power)
      expr(*checked.power, Place::Plain);
    if (checked.digits)
      expr(*checked.digits, Place::Digits);
    if (checked.type) {
      type(*checked.type, Shape::None);
      noSettings(checked);
      return arguments(checked.stageArguments, Place::Stage);
    }
    const Function *callee = functionNamed(checked.name, wordAt(checked.loc, checked.name));
    bool permutation = !callee && isBuiltinPermutation(checked.name);
    if (callee)
      settings(checked.settings, *callee, Place::Plain);
    else
      noSettings(checked);
    if (checked.power && !permutation)
      error(*checked.power, "'^' after a stage is the power of a permutation");
    if (permutation) {
      if (checked.digits)
        error(*checked.digits, "a permutation takes no '@'");
      return arguments(checked.stageArguments, Place::Digits);
    }
    if (!callee && isBuiltinResize(checked.name)) {
      if (checked.digits)
        error(*checked.digits, "'" + checked.name + "' works on all digits of a sequence and takes no '@'");
      size_t wanted = checked.name == "pad" ? 2 : 1;
      if (checked.stageArguments.size() != wanted)
        error(checked,
              wanted == 2 ? "'pad' takes a length and the value of the new elements" : "'crop' takes a length");
      return arguments(checked.stageArguments, Place::Plain);
    }
    if (!callee && isBuiltinMove(checked.name)) {
      size_t given = checked.stageArguments.size();
      if (given != 1 && given != 2)
        return error(checked, "'" + checked.name + "' takes an index, or a length and an index");
      if (given == 2)
        expr(*checked.stageArguments[0], Place::Plain);
      return expr(*checked.stageArguments.back(), Place::Stage);
    }
    if (callee) {
      bool algorithm = callee->kind == Function::Kind::Algorithm;
      if (callee->kind == Function::Kind::Node && !checked.digits)
        error(checked, "node '" + checked.name + "' needs the digits it works on: " + checked.name + " @ digits");
      if (callee->kind == Function::Kind::Func && checked.digits)
        error(*checked.digits, "func '" + checked.name + "' works on single elements and takes no '@'");
      if (checked.stageArguments.size() + 1 > callee->params.size())
        error(checked, std::string(kindName(callee->kind)) + " '" + checked.name + "' takes " +
                           count(callee->params.size(), "argument") + ", but at least " +
                           std::to_string(checked.stageArguments.size() + 1) + " are given");
      return arguments(checked.stageArguments, algorithm ? Place::Plain : Place::Stage);
    }
    if (!scalarNamed(checked.name, *file) && !isTypeVariable(checked.name, wordAt(checked.loc, checked.name)) &&
        (!isBuiltinFunction(checked.name) || isDigitFunction(checked.name) || checked.name == "omega" ||
         checked.name == "radix" || isTypeFunction(checked.name) || checked.name == "generate" ||
         checked.name == "log2" || checked.name == "log2_ceil"))
      unknownFunction(checked);
    arguments(checked.stageArguments, Place::Stage);
  }

  const std::vector<std::string> &folders;
  Diagnostics &diagnostics;
  std::vector<NameUse> *uses;
  const SourceFile *file = nullptr;
  const Function *openFunction = nullptr;
  std::set<std::string> dimensionNames, loopVariables;
  std::map<std::string, llvm::SMRange> generics, ownDimensions; // of the function: type variables, dimensions
  std::vector<std::map<std::string, Known>> names;              // [0]: sizes, [1]: parameters, then blocks
};

} // namespace

bool checkType(const TypeExpr &type, const Source &source, Diagnostics &diagnostics) {
  unsigned before = diagnostics.errors();
  Checker(source, diagnostics).checkType(type, source.main());
  return diagnostics.errors() == before;
}

bool checkEntry(const std::string &name, const Source &source, Diagnostics &diagnostics) {
  unsigned before = diagnostics.errors();
  Checker(source, diagnostics).checkEntry(source.main(), name);
  return diagnostics.errors() == before;
}

std::vector<NameUse> resolveNames(const Source &source) {
  Diagnostics unseen;
  std::vector<NameUse> uses;
  Checker checker(source, unseen, &uses);
  for (const auto &file : source.files)
    checker.checkFile(*file);
  auto place = [](const NameUse &use) { return use.place.Start.getPointer(); };
  std::stable_sort(uses.begin(), uses.end(), [&](auto &a, auto &b) { return std::less<>()(place(a), place(b)); });
  uses.erase(std::unique(uses.begin(), uses.end(), [&](auto &a, auto &b) { return place(a) == place(b); }), uses.end());
  return uses;
}

bool check(const Source &source, Diagnostics &diagnostics) {
  unsigned before = diagnostics.errors();
  Checker checker(source, diagnostics);
  for (const auto &file : source.files)
    checker.checkFile(*file);
  return diagnostics.errors() == before;
}

} // namespace idc::frontend
