// The abstract syntax tree of a source file. Plain data: names are unresolved, nothing is typed.
#pragma once

#include "dialect/digits/Launch.h"

#include "llvm/Support/SMLoc.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace idc::frontend {

struct Expr;
struct TypeExpr;
using ExprPtr = std::unique_ptr<Expr>;
using TypeExprPtr = std::unique_ptr<TypeExpr>;

/// `[y: 2^m]` of a type: an optional dimension name and the length.
struct Dimension {
  std::string name;
  ExprPtr length;
  llvm::SMRange range, nameRange;
};

struct TypeExpr {
  enum class Kind { Name, Complex, Mod };
  Kind kind = Kind::Name;
  std::string name;                   // Name: scalar type, record or type variable
  std::vector<TypeExprPtr> arguments; // Name: type arguments; Complex: its real type
  ExprPtr modulus;                    // Mod
  std::vector<Dimension> dimensions;  // most significant first; empty: a scalar
  llvm::SMRange range;
};

struct Setting;

/// One expression. `arguments` are operands, call arguments, elements or field values, by kind.
struct Expr {
  enum class Kind {
    Integer,  // text
    Real,     // text
    Boolean,  // value
    Variable, // name
    Unary,    // name is the operator
    Binary,   // name is the operator, `^` (power) included
    Call,     // name(arguments)
    TypeCall, // type(arguments): a conversion to complex<T> or mod<P>
    TypeName, // a type where a value stands: only in a schedule's condition and as a setting
    Tuple,    // (a, b); parentheses around one expression leave no trace
    Array,    // [a, b]
    Range,    // hi..lo, in digit lists
    Index,    // arguments[0][arguments[1]]
    Field,    // arguments[0].name
    Record,   // name{fields[i]: arguments[i]}
    Pipe      // arguments[0] |> stage
  };
  Kind kind = Kind::Integer;
  llvm::SMRange range;
  llvm::SMLoc loc; // where a message points: the operator of a binary expression, else the beginning
  std::string name, text;
  bool value = false;
  std::vector<ExprPtr> arguments;
  std::vector<std::pair<std::string, llvm::SMLoc>> fields;
  TypeExprPtr type;
  int depth = 1;                 // nesting below this expression, itself included
  std::vector<Setting> settings; // Call, Pipe, Variable as a setting: `<k = 3>` behind the function's name

  // Pipe: `|> name|type (stageArguments) ^ power @ digits`; power and digits may be absent.
  std::vector<ExprPtr> stageArguments;
  bool hasArguments = false; // parentheses were written
  ExprPtr power, digits;
};

struct Name {
  std::string text;
  llvm::SMRange range;
};

/// What a use binds by name: a number, a type (a Variable or TypeName) or a function (a Variable).
struct Setting {
  Name name;
  ExprPtr value;
};

struct Statement;
using Block = std::vector<std::unique_ptr<Statement>>;

struct Statement {
  enum class Kind { Let, Assign, AssignElement, For, If, Require, Return };
  Kind kind;
  llvm::SMRange range;
  std::vector<Name> names;     // Let, Assign: targets; AssignElement, For: the variable
  bool tuple = false;          // Let, Assign: the targets stand in parentheses
  std::vector<ExprPtr> values; // Let, Assign, Return: the value; AssignElement: index, value; If: one condition per
                               // arm; For: from, to and, when written, by; Require: the condition
  bool down = false;           // For: `downto`
  std::string message;         // Require
  TypeExprPtr type;            // Let: may be null
  std::vector<Block> blocks;   // For: the body; If: one per arm and, when written, the else block
};

struct Function;

/// A parameter in `<…>`: known when the program is compiled.
struct Generic {
  enum class Kind { Type, Integer, Real, Boolean, Choice, Function };
  Name name;
  Kind kind = Kind::Type;
  TypeExprPtr fallback;                      // Type; may be null
  ExprPtr value;                             // all others: the default; may be null
  ExprPtr low, high;                         // Choice: its values
  std::shared_ptr<const Function> signature; // Function: kind, types of parameters and results

  bool isNumber() const { return kind != Kind::Type && kind != Kind::Function; }
  bool hasDefault() const { return fallback || value || low; }
};
/// "int", "real", "bool", "choice", "func", "type".
const char *kindName(const Generic &generic);

struct Param {
  Name name;
  TypeExprPtr type;
};

struct SourceFile;

struct Function {
  enum class Kind { Func, Node, Algorithm };
  Kind kind;
  Name name;
  std::string doc;
  std::vector<Generic> generics;
  std::vector<Param> params;
  std::vector<TypeExprPtr> results;
  bool tupleResult = false;
  Block body;
  llvm::SMRange range;
  const SourceFile *file = nullptr;
};
/// "func", "node", "algorithm".
const char *kindName(Function::Kind kind);

struct Const {
  Name name;
  std::string doc;
  ExprPtr value;
  const SourceFile *file = nullptr;
};

struct TypeDecl {
  Name name;
  std::string doc;
  std::vector<Generic> generics;
  std::vector<Param> fields;
  const SourceFile *file = nullptr;
};

/// The steps a kernel runs under one mapping. `mapping` is text for digits::Mapping::parse: "reg(13..9) lane(5..1)".
struct ScheduleRange {
  enum class Kind { Load, Steps, Join, Store };
  Kind kind;
  int first = 0, last = 0; // Steps, Join
  std::string mapping;
  llvm::SMRange range;
  int runs = 0; // of Load and Store in place of a mapping: bytes
  bool staged =
      false; // of Load and Store: by the block in one stretch; without a mapping it is that of the steps beside
};

struct ScheduleKernel {
  digits::Launch launch;
  bool apart = false;                // inserted digits have axes of their own
  std::vector<ScheduleRange> ranges; // load, steps and join…, store; load and store may be absent
  std::vector<int> order;            // address digits of the kernel's result from high to low; empty: natural order
  int ring = 0, delay = 0; // the result lies in a ring of so many problems, and the next kernel is part of this
  llvm::SMRange range;
};

/// The value of a choice of the entry that a schedule belongs to.
struct ScheduleChoice {
  Name name;
  int64_t value = 0;
};

struct ScheduleDecl {
  Name entry;
  std::string target; // "sm_90"
  Name plan;          // "latency"; empty: throughput
  std::string doc;
  ExprPtr condition; // over sizes and types; null: always
  std::vector<ScheduleChoice> choices;
  std::vector<ScheduleKernel> kernels;
  std::string measured; // "2.34 copies", "10.5 us"; empty: not said
  llvm::SMRange range;
  const SourceFile *file = nullptr;
};

struct Import {
  std::string path;
  llvm::SMRange range;
  const SourceFile *file = nullptr; // set when the import was found
};

struct SourceFile {
  std::string path;
  std::vector<Import> imports;
  std::vector<std::unique_ptr<Const>> consts;
  std::vector<std::unique_ptr<TypeDecl>> types;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<ScheduleDecl>> schedules;
};

/// A program: the main file first, then what it imports, each file once.
struct Source {
  std::vector<std::unique_ptr<SourceFile>> files;
  std::vector<std::string> folders; // where imports are looked for
  std::vector<std::string> absent;  // where they were looked for before they were found elsewhere
  const SourceFile &main() const { return *files.front(); }
};

/// The names of the main file's algorithms, in order.
std::vector<std::string> algorithmsOf(const Source &source);

/// The declaration of a name that is visible in a file: its own, which hides imported ones, or the imported one. Null
/// when there is none. When several files that are imported declare the name, `other`, if given, becomes a second one,
/// else null: check() refuses such a use.
const Function *findFunction(const SourceFile &file, const std::string &name, const Function **other = nullptr);
const TypeDecl *findType(const SourceFile &file, const std::string &name, const TypeDecl **other = nullptr);
const Const *findConst(const SourceFile &file, const std::string &name, const Const **other = nullptr);

/// The tree as indented text (`--emit=ast`).
std::string printAst(const Source &source);
/// An expression or type in the language's own spelling.
std::string printExpr(const Expr &expr);
std::string printType(const TypeExpr &type);

} // namespace idc::frontend
