// The elaborator: an interpreter of the AST whose values are compile-time integers, untyped expressions, scalars of a
// body under construction, and sequences of the program under construction. Private to the front end.
//
// A mistake is reported where it is found, with notes for the calls that led there, and ends the elaboration by an
// exception that elaborate() catches; nothing of LLVM or MLIR is on the stack in between.
#pragma once

#include "compiler/frontend/Arrangement.h"
#include "compiler/frontend/DeepStack.h"
#include "compiler/frontend/Elaborate.h"
#include "compiler/frontend/Value.h"

#include <functional>
#include <list>
#include <set>

namespace idc::frontend {

struct ElaborationFailed {};

/// Elements of a small array, and so values of the digits of a node: a body is unrolled over them.
constexpr int64_t maxArrayElements = 4096;
/// Numbers of an element of a sequence, and of all elements of a small array together.
constexpr int64_t maxElementNumbers = 4096, maxArrayNumbers = 65536;

/// Digits as the arguments of a stage see them.
struct StageDigits {
  std::vector<int> places;  // own digit number - 1 → place in the arrangement of the body
  std::vector<int> radices; // of own digits, least significant first
  std::vector<std::pair<std::string, int>> split;
  std::set<int> nodeDigits; // own numbers of the node's digits, which its arguments may not use
  bool isIndex = false;     // says where elements are: integers are exact, and divisions round down
  /// What named expressions of digits are here, by the body that uses them.
  mutable std::map<std::pair<const NamedDigits *, const BodyBuilder *>, Value> named = {};
};

/// What the name of a function means: a declared one, or a built-in one when there is none. A parameter's also has the
/// signature that it declares.
struct Bindings;
struct Callable {
  const Function *function = nullptr;
  std::string builtin;
  const Function *signature = nullptr;
  std::shared_ptr<const Bindings> bound; // what was bound where it was given
  llvm::SMRange given;                   // where that is
};

/// What a use binds by name: `<k = 3, T = f64, op = max>`.
struct Bindings {
  std::map<std::string, TypeRef> types;
  std::map<std::string, Value> values;
  std::map<std::string, Callable> functions;
};

/// "add", "scale<k = 3>"
std::string spell(const Callable &callable);
/// "n = 3, T = f32, op = add": what is known of these.
std::string spell(const std::map<std::string, Value> &values, const std::map<std::string, TypeRef> &types,
                  const std::map<std::string, Callable> &functions);

/// What names mean at one point of a body.
struct Context {
  const Function *function = nullptr;
  const SourceFile *file = nullptr;
  std::map<std::string, TypeRef> types;
  std::map<std::string, Callable> functions;        // that are parameters
  std::vector<std::map<std::string, Value>> scopes; // scopes[0]: sizes, and numbers that are parameters
  BodyBuilder *builder = nullptr;                   // receives scalar operations
  const StageDigits *stage = nullptr;

  Value *find(const std::string &name);
  bool isAlgorithm() const { return function && function->kind == Function::Kind::Algorithm; }
};

/// The radices of a sequence's own digits, least significant first.
std::vector<int> radicesOf(const SequenceView &view, const Program &program);
/// Its dimensions as types have them: "[y: 2^3][x: 5]".
std::string shapeOf(const SequenceView &view, const Program &program);

/// Is told what expressions and names are while a program is elaborated.
class Observer {
public:
  virtual ~Observer() = default;
  /// `place`: a name, a call, or a stage; `depth`: of calls, 1 in the entry; `program`: the steps so far.
  virtual void saw(llvm::SMRange place, const Value &value, size_t depth, const Program &program) = 0;
};

struct NamedDigits {
  const Statement *statement; // that binds the name
  Context context;            // without what depends on the stage
};

/// Whether an expression is made of digits, or of names for which `isNamed` holds; what pipes and algorithms in it take
/// does not count.
bool namesDigits(const Expr &expr, const SourceFile &file, const std::function<bool(const std::string &)> &isNamed);

class Elaborator {
public:
  Elaborator(const Source &source, Diagnostics &diagnostics, Observer *observer = nullptr)
      : source(source), diagnostics(diagnostics), observer(observer) {}

  /// `folds`: what is known when compiling is computed (Generate.cpp); else it stays steps.
  Program run(const Function &entry, const SizeMap &sizes, const TypeMap &types, bool folds = true);
  bool holds(const ScheduleDecl &schedule, const Program &program);
  /// What ends an elaboration: as much as is worth the wait for a program that was asked for, and a twentieth for sizes
  /// that are only tried.
  struct Limits {
    int64_t work; // evaluated expressions and statements
    size_t calls; // one in the other; DeepStack has room for so many
  };
  static constexpr Limits asked{40000000, 10000}, tried{asked.work / 20, asked.calls / 20};
  Limits most = asked;
  /// What the elaboration has taken, in the same unit: a number of an array or record is made in the time of five.
  int64_t taken() const { return work + 5 * madeNumbers; }
  /// Runs a func or node on values of its parameters' types, unless the length of an array is open.
  void probe(const Function &function);
  /// Makes a record, of reals where its types are open.
  void probe(const TypeDecl &type);
  /// What ended the elaboration.
  struct Mistake {
    llvm::SMLoc loc;
    std::string message;
    bool isOutside = false; // of what the program requires, or of what any machine holds
    bool isTooLong = false; // more work than the limit
    bool isField = false;   // something has no fields, or not this one
  };
  Mistake mistake;
  int64_t sizeOf(const Expr &expression, const SizeMap &sizes, const char *what);

private:
  struct Frame {
    std::string name; // of the function or expression that is evaluated
    llvm::SMLoc declared;
    const Function *function; // null for an expression
    llvm::SMLoc loc;          // of the use
    std::string instance;
  };

  void runEntry(const Function &entry, const SizeMap &sizes, const TypeMap &types);

  // Elaborate.cpp: messages, calls, statements.
  [[noreturn]] void fail(llvm::SMLoc loc, const std::string &message, llvm::SMRange range = {});
  [[noreturn]] void fail(const Expr &expr, const std::string &message);
  /// Fails when an array or record of these members is too large for the registers of any machine.
  void checkNumbers(const Expr &expr, const std::vector<Value> &members);
  Value callAlgorithm(const Function &algorithm, Bindings bindings, std::vector<Value> arguments, llvm::SMLoc loc);
  /// `places` are the locations of the arguments; `bindings` may have lengths of arrays, too.
  Value callFunction(const Function &function, std::vector<Value> arguments, const std::vector<llvm::SMLoc> &places,
                     llvm::SMLoc loc, BodyBuilder &builder, Bindings bindings);
  Value runBody(const Function &function, Context &context);
  void enter(const Function &function, const Context &context, llvm::SMLoc loc);
  Frame leave();
  /// Ends the call of an algorithm whose first step is number `firstStep`.
  void leaveAlgorithm(size_t firstStep);
  std::optional<Value> execute(const Block &block, Context &context);
  std::optional<Value> execute(const Statement &statement, Context &context);
  std::optional<Value> executeLoop(const Statement &statement, Context &context);
  void assign(const Statement &statement, Context &context);
  void assignElement(const Statement &statement, Context &context);
  Value declared(const Statement &let, Context &context);
  void countWork(llvm::SMLoc loc);
  void tell(llvm::SMRange place, const Value &value) {
    if (observer)
      observer->saw(place, value, frames.size(), program);
  }
  /// What names mean in a file outside of all functions, or in a function before anything is bound; with a builder.
  Context contextIn(const SourceFile &file, const Function *function = nullptr);

  // NamedDigits.cpp: names for expressions of digits, which every stage evaluates anew.
  bool bindsDigits(const Statement &statement, Context &context) const;
  Value namedDigits(const Statement &statement, const Context &context);
  Value evalNamed(const Expr &use, const NamedDigits &named, Context &context);

  // Generate.cpp: sequences that are made of nothing.
  Value generate(const Expr &expr, const TypeExpr &type, Context &context);

  // FoldConstants.cpp: runs what depends on compile-time values only. What the other steps take of it are numbers in
  // their bodies where all elements are the same, else constants of the program.
  void foldConstants();
  /// Fails at step number `step` of those that were elaborated; the notes name the calls that it is of.
  [[noreturn]] void failAt(size_t step, llvm::SMLoc loc, const std::string &message);

  // Settings.cpp: parameters in <..>, and functions that are such.
  Callable callee(const std::string &name, const Context &context) const;
  Callable functionFor(const Generic &generic, const Function &owner, const Expr &value, Context &context);
  /// Fails where a function is given to one of the owner's parameters that has not the type declared there. All types
  /// of the owner are known by then.
  void checkGiven(const Function &owner, Context &context);
  /// Types of the parameters and results of a function whose parameters are given such types; null for an array whose
  /// length is open.
  std::vector<TypeRef> typesGiven(const Callable &given, const std::vector<TypeRef> &arguments);
  /// A func, declared, built in or a parameter, on values of `builder`.
  Value callFunc(const Expr &expr, const Callable &callee, Bindings bindings, std::vector<Value> arguments,
                 const std::vector<llvm::SMLoc> &places, BodyBuilder &builder, Context &context);
  Value numberFor(const Generic &generic, const Function &owner, const Expr &value, Context &context);
  void checkChoice(const Generic &generic, const Function &owner, const Value &value, Context &context,
                   llvm::SMLoc loc);
  /// What a use's settings bind, evaluated where the use stands.
  Bindings bind(const Function &function, const std::vector<Setting> &settings, Context &context);
  /// The same of a use of a function by its name or as a parameter.
  Bindings bind(const Callable &callee, const Expr &use, Context &context);
  static void take(const Bindings &bindings, Context &context);
  /// Defaults of the numbers, choices and functions that are not bound.
  void bindNumbers(const Function &function, Context &context, llvm::SMLoc loc);
  /// The type that stands where a value may stand, by its name or as written.
  TypeRef givenType(const Expr &value, Context &context);
  Value constantFrom(const std::string &text, const std::string &what);
  void bindEntry(const Function &entry, const SizeMap &sizes, const TypeMap &types, Context &context);

  // Expressions.cpp: evaluation.
  Value eval(const Expr &expr, Context &context);
  Value evalKind(const Expr &expr, Context &context);
  Value evalVariable(const Expr &expr, Context &context);
  Value evalCall(const Expr &expr, Context &context);
  Value evalBuiltin(const Expr &expr, const std::string &name, std::vector<Value> arguments, Context &context);
  Value evalDigitBuiltin(const Expr &expr, Context &context);
  Value evalOmega(const Expr &expr, Context &context);
  Value evalRadix(const Expr &expr, Context &context);
  Value evalTypeFunction(const Expr &expr, Context &context);
  Value evalNumberTheory(const Expr &expr, const std::string &name, const std::vector<Value> &arguments);
  /// Radices and dimensions: in a stage of the sequence that arrives there, elsewhere of the algorithm's first sequence
  /// as it is by now.
  std::pair<std::vector<int>, std::vector<std::pair<std::string, int>>> currentDigits(const Expr &expr,
                                                                                      Context &context);
  Value evalBinary(const Expr &expr, Context &context);
  Value evalPower(const Expr &expr, Context &context);
  Value evalIndex(const Expr &expr, Context &context);
  /// The member that an I64 of the builder, from 0 on, names.
  Value chosenAmong(const std::vector<Value> &members, const Value &index, llvm::SMLoc loc, BodyBuilder &builder);
  Value lookup(const std::vector<Value> &constants, const Value &index, llvm::SMLoc loc, BodyBuilder &builder);
  Value evalField(const Expr &expr, Context &context);
  Value evalRecord(const Expr &expr, Context &context);
  Int evalInteger(const Expr &expr, Context &context, const char *what);
  bool evalCondition(const Expr &expr, Context &context, const char *what);
  bool conditionOf(const Value &value, const Expr &expr, const char *what);
  /// Has every call check a condition of its run-time scalars: value `id` of the body.
  void requireAtCall(const BodyBuilder &builder, int id, const Statement &statement);
  const Value &evalConst(const Const &constant, llvm::SMLoc loc);

  // Operations.cpp: arithmetic on values.
  Value unary(Op op, const Value &value, llvm::SMLoc loc, BodyBuilder &builder);
  Value binary(Op op, const Value &left, const Value &right, llvm::SMLoc loc, BodyBuilder &builder);
  Value compare(Op op, const Value &left, const Value &right, llvm::SMLoc loc, BodyBuilder &builder);
  Value select(const Value &condition, const Value &yes, const Value &no, llvm::SMLoc loc, BodyBuilder &builder);
  Value fma(const Value &a, const Value &b, const Value &c, llvm::SMLoc loc, BodyBuilder &builder);
  Value makeComplex(const Value &re, const Value &im, llvm::SMLoc loc, BodyBuilder &builder);
  Value convert(const Value &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder);
  Value untyped(Op op, std::vector<UntypedRef> operands, llvm::SMLoc loc);
  /// The same of an op whose first operand is a scalar of the builder.
  Value untyped(Op op, const Value &scalar, std::vector<UntypedRef> operands, llvm::SMLoc loc, BodyBuilder &builder);
  /// Gives two operands one type: the typed one's, promoting a real beside its complex type.
  TypeRef unify(Value &left, Value &right, llvm::SMLoc loc, BodyBuilder &builder, const char *what);
  /// The value as one of exactly `type`; `what` names the place in messages ("argument 'w' of 'scale'").
  Value coerce(const Value &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder, const std::string &what);
  int materialise(const Untyped &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder,
                  const std::string &what);
  int emitInteger(const Untyped &value, BodyBuilder &builder);
  int emitConstant(const Untyped &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder,
                   const std::string &what);
  int emitOmega(const Untyped &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder);
  int use(const Value &value, BodyBuilder &builder);
  /// Leaf numbers of a value that has its full type.
  void flatten(const Value &value, BodyBuilder &builder, std::vector<int> &out);
  /// The reverse: a value of `type` from `leaves`, starting at `next`.
  Value assemble(const TypeRef &type, const BodyBuilder &builder, const std::vector<int> &leaves, size_t &next);

  // Shapes.cpp: types, type variables, sizes.
  TypeRef resolveType(const TypeExpr &type, Context &context, bool withDimensions);
  /// The same with dimensions; null for an array whose length is open.
  TypeRef closedType(const TypeExpr &type, Context &context);
  TypeRef recordType(const TypeDecl &decl, const std::vector<TypeRef> &arguments);
  void bindTypes(const TypeExpr &pattern, bool withDimensions, const TypeRef &actual, const Function &function,
                 std::map<std::string, TypeRef> &types);
  void bindDefaults(const Function &function, Context &context, llvm::SMLoc loc);
  void freeNames(const Expr &expr, Context &context, std::set<std::string> &names);
  /// Binds sizes of `type` to what `sequence` has; false when that must wait for other parameters.
  bool bindShape(const Param &param, const SequenceView &sequence, Context &context, llvm::SMLoc loc,
                 const std::string &callee);
  /// Checks own digits against the declared shape and takes over its split.
  SequenceView matchShape(const TypeExpr &type, const SequenceView &sequence, Context &context, llvm::SMLoc loc,
                          const std::string &what);
  /// Radices (least significant first) and split of a shape whose names are all bound.
  std::vector<int> shapeRadices(const TypeExpr &type, Context &context,
                                std::vector<std::pair<std::string, int>> &split);
  /// The same of one dimension, most significant first, at the end of `radices`; `product` counts the elements.
  void appendRadices(const Expr &length, Context &context, std::vector<int> &radices, Int &product);
  std::vector<int> radicesOf(const SequenceView &view) const { return frontend::radicesOf(view, program); }
  std::string shapeOf(const SequenceView &view) const { return frontend::shapeOf(view, program); }
  int64_t lengthOf(const SequenceView &view) const;
  /// 0 where it is not known, or no sequence has it.
  int64_t lengthOf(const TypeExpr &type, Context &context);

  // Pipes.cpp: stages.
  Value evalPipe(const Expr &expr, Context &context);
  Value applyStage(const Expr &expr, const Value &piped, Context &context);
  Value applyPermutation(const Expr &expr, const Value &piped, Context &context);
  digits::Permutation permutation(const Expr &expr, const SequenceView &view, Context &context);
  Value applyResize(const Expr &expr, const Value &piped, Context &context);
  /// The result of `step` (Resize, Gather, Scatter), which makes digits of these radices from all own digits of a view.
  SequenceView replaceDigits(const SequenceView &view, Step step, const std::vector<int> &radices, Split split);
  using BodyMaker = std::function<Value(BodyBuilder &, std::vector<Value>)>;
  /// The lowest digit of the dimension of `other` that has the name and the digits of dimension `index`; 0 for none.
  int dimensionAlike(const SequenceView &view, size_t index, const SequenceView &other) const;
  /// A sequence whose dimensions `wide` has, too, with the digits numbered as there; else unchanged, as it lies along
  /// the lowest digits. Fails when a dimension of both has different lengths, or would not lie along itself.
  SequenceView alongNames(const Expr &expr, const std::string &name, const SequenceView &narrow,
                          const SequenceView &wide);
  [[noreturn]] void failUnlike(const Expr &expr, const std::string &name, const SequenceView &first,
                               const SequenceView &second);
  [[noreturn]] void failApart(const Expr &expr, const std::string &name, const std::string &dimension,
                              const SequenceView &first, const SequenceView &second);
  /// The tags of the digits of a sequence that lie in dimensions which `main` has, too, by their names, and of which
  /// `inner` (own digit of `main` -> tag) passes no digit on: own digit -> tag.
  std::map<int, int> batchDigits(const SequenceView &view, const SequenceView &main,
                                 const std::map<int, int> &inner) const;
  Value applyPointwise(const Expr &expr, const std::string &name, std::vector<SequenceView> inputs, Context &context,
                       const BodyMaker &make);
  Value applyNode(const Expr &expr, const Function &node, Bindings bindings, const std::vector<SequenceView> &inputs,
                  Context &context);
  Value applyAlgorithm(const Expr &expr, const Function &algorithm, const std::vector<Value> &inputs, Context &context);
  /// `name` applied `@` digits: `apply` does it to the digits named.
  using Application = std::function<Value(std::vector<Value>)>;
  Value applyAt(const Expr &expr, const std::string &name, std::vector<Value> arguments, size_t piped, Context &context,
                const Application &apply);
  /// Locations of what a func or node gets: the pipe for `piped` values, then its arguments.
  static std::vector<llvm::SMLoc> argumentPlaces(const Expr &expr, size_t piped);
  std::vector<Value> stageArguments(const Expr &expr, Context &context, BodyBuilder &builder, const StageDigits &stage);
  /// Digit numbers of a digit list, most significant first, each from 1 to `limit` and none twice.
  std::vector<int> digitList(const Expr &expr, Context &context, const std::vector<std::pair<std::string, int>> &split,
                             int limit);
  void appendDigits(const Expr &expr, Context &context, const std::vector<std::pair<std::string, int>> &split,
                    std::vector<int> &out);
  /// The dimensions that a digit list consists of, as indices of `split`; none when it has other parts.
  std::vector<size_t> dimensionList(const Expr &expr, const std::vector<std::pair<std::string, int>> &split);
  int emptyPlace(const Expr &list, Context &context, int digits);
  SequenceView permuted(const SequenceView &view, const std::vector<int> &tags, llvm::SMLoc loc);
  SequenceView output(const std::vector<int> &tags, const std::map<int, int> &radices, const TypeRef &element,
                      llvm::SMLoc loc, int anchor, std::vector<std::pair<std::string, int>> split);
  SequenceView spread(const SequenceView &narrow, const SequenceView &wide, llvm::SMLoc loc);

  // Gather.cpp: elements taken from, or sent to, computed places.
  Value applyMove(const Expr &expr, const std::vector<Value> &members, Context &context);
  SequenceView gathered(const Expr &expr, const SequenceView &view, Context &context);
  void checkGather(const Expr &index, const Step &step, const Untyped &value, const std::vector<int> &radices,
                   Int from);
  void checkScatter(const Expr &index, const Step &step, const std::vector<int> &radices);

  const Sequence &sequence(const SequenceView &view) const { return program.values[view.value]; }

  const Source &source;
  Diagnostics &diagnostics;
  Observer *observer;
  Program program;
  DeepStack stack;
  std::list<BodyBuilder> builders; // addresses stay
  std::vector<Frame> frames;
  std::set<std::pair<const Function *, std::string>> running; // functions of frames, by their instance
  /// The call of an algorithm, and the numbers of the steps that are of it.
  struct Call {
    Frame frame;
    size_t first, end;
  };
  std::vector<Call> calls;                        // that are over, inner ones before outer ones
  std::vector<std::pair<std::string, Int>> loops; // of algorithms, around what is executed: variable and value
  llvm::SMRange returned;                         // the expression of the last return
  std::pair<llvm::SMLoc, const char *> aside;     // where a mistake lies as well, and what to say of it; or invalid
  std::map<const Const *, std::optional<Value>> constants;
  std::vector<std::pair<std::string, TypeRef>> recordTypes; // cache by spelling and declaration
  std::map<uint64_t, bool> primes;
  int nextBatchTag = -1;
  int64_t work = 0, madeNumbers = 0;
};

/// What is said of a field that a record has not.
std::string noField(const std::string &record, const std::string &field, const std::vector<std::string> &names);
std::vector<std::string> fieldNames(const TypeDecl &record);

/// The parameter in <..> of this name, or null.
const Generic *findGeneric(const Function &function, const std::string &name);

/// The sizes of an algorithm where they are first named, in order: what its parameters' shapes name that is no constant
/// and no parameter in <..>.
std::vector<const Expr *> sizesOf(const Function &algorithm);
/// What a message adds where a length names a run-time parameter of the function.
std::string unsized(const Function &function, const std::string &name);

/// What a name means where no type variable has it: the scalar type, unless the file sees a record of this name and the
/// language got the scalar later; null for other names.
TypeRef scalarNamed(const std::string &name, const SourceFile &file);
bool isLaterScalar(const std::string &name);

/// Names the language defines.
bool isBuiltinFunction(const std::string &name);
bool isBuiltinPermutation(const std::string &name);
/// Steps that change the length of a sequence (pad, crop), and functions, whose names a program may declare itself.
bool isBuiltinResize(const std::string &name);
/// Steps that move elements to or from computed places (gather, scatter); a program may declare these names, too.
bool isBuiltinMove(const std::string &name);
bool isRedeclarable(const std::string &name);
bool isDigitFunction(const std::string &name); // digit, digits, index
/// Functions of a type: largest, smallest, epsilon.
bool isTypeFunction(const std::string &name);
/// pi, infinity: numbers that any declaration hides.
bool isBuiltinConstant(const std::string &name);
/// Least and greatest number of arguments of a built-in function.
std::pair<int, int> builtinArity(const std::string &name);

} // namespace idc::frontend
