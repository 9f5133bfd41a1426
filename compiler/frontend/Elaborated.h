// The elaborated program: what the front end hands to every later level.
//
// All shapes, loops, recursion, generics and compile-time conditions are gone; what is left is a straight line of
// steps on sequences of known digits, each step with a straight-line scalar body. It is plain data with no parser and
// no MLIR in it: irgen turns it into the `id` dialect, Evaluate.h runs it directly as the oracle of the tests.
//
// Digits are numbered from 1, the least significant; radices are listed least significant first
// (radices[0] belongs to digit 1).
#pragma once

#include "dialect/digits/Permutation.h"
#include "dialect/digits/Polynomial.h"

#include "llvm/Support/SMLoc.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace idc::frontend {

/// One leaf of an element. Reals and complex numbers are `re` and `im`, in long double whatever their type says
/// (nothing is rounded to it); bool, integers and mod<P> are `integer`, exact, wrapped to the type's width, unsigned
/// values and residues by their bits.
struct Scalar {
  long double re = 0, im = 0;
  int64_t integer = 0;
};

/// A type of sequence elements and scalars. Leaves are bool, the integers, the reals, complex and mod<P>;
/// records nest; arrays exist only in nodes.
struct Type;
using TypeRef = std::shared_ptr<const Type>;
struct Type {
  enum class Kind { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, Complex, Mod, Record, Array };
  Kind kind;
  TypeRef element;                                     // Complex: its real type; Array: its element
  uint64_t modulus = 0;                                // Mod
  int64_t length = 0;                                  // Array
  std::string name;                                    // Record: as written, with its type arguments
  std::vector<std::pair<std::string, TypeRef>> fields; // Record
  std::vector<TypeRef> arguments;                      // Record: its type arguments
};
std::string spell(const Type &type);
/// The same with records by their fields, as manifests have it: "{a: f32, b: complex<f32>}".
std::string spellStructure(const Type &type);
bool equal(const Type &a, const Type &b);
/// The scalar leaves of a type in layout order (a record's fields, an array's elements, recursively).
std::vector<TypeRef> leaves(const TypeRef &type);
/// Their number, or `most` + 1 when they are more than `most`.
int64_t countLeaves(const Type &type, int64_t most);
/// Names for the leaves of a value called `name`: "name", "name.field", "name[2]", recursively.
std::vector<std::string> leafNames(const std::string &name, const Type &type);

/// Scalar operations of a body. Operand and result types are leaves; integers made of digits are I64.
// clang-format off
enum class Op {
  Constant,                            // value
  Digit,                               // the digit `digit` of the arrangement that arrives at this step, as I64
  Omega,                               // omega(root, exponent): `poly` when polynomial in the digits, else operand 0 (I64)
  Add, Sub, Mul, Div, Rem, Neg,
  And, Or, Xor, Not, Shl, Shr,         // bitwise on integers, logical on bool
  Eq, Ne, Lt, Le, Gt, Ge,              // result Bool
  Select,                              // operands: Bool, a, b
  Lookup,                              // operands: I64 from 0 to n - 1, n constants
  Min, Max, Abs, Fma,
  Sqrt, Rsqrt, Exp, Log, Sin, Cos, Tanh, Erf, Pow, Atan2, // reals only
  Floor, Ceil, Round,                                     // of reals; Round: halves to the even neighbour
  Popcount, Clz,                                          // of integers: ones, zeros above the highest one
  Conj, Re, Im, MakeComplex,
  Convert,                             // to `type`
  ScalarParam                          // run-time scalar parameter number `digit` of the entry
};
// clang-format on

struct Instr {
  Op op;
  TypeRef type;
  std::vector<int> operands; // numbers of earlier values: parameters first, then instructions
  // Constant: integers, bool and mod as int64 (unsigned values by their bits), reals as real, complex as (real, imag).
  int64_t intValue = 0;
  long double real = 0, imag = 0;
  int digit = 0;           // Digit, ScalarParam
  int64_t root = 0;        // Omega: the order N
  bool hasPoly = false;    // Omega
  digits::Polynomial poly; // Omega: exponent over the digits of the arrangement, reduced mod root
  llvm::SMLoc loc;
};

/// So many indices of a gather or scatter are tried one by one.
constexpr int64_t maxTried = 1 << 22;

/// A straight-line scalar function. Values 0 … params.size()-1 are the parameters, then one per instruction.
struct Body {
  std::vector<TypeRef> params; // leaves
  std::vector<Instr> instrs;
  std::vector<int> results; // leaves of all results in order

  /// Whether it depends on a run-time scalar of the entry.
  bool readsScalars() const;
};

struct Sequence {
  std::vector<int> radices; // least significant first; empty: one element
  TypeRef element;
  llvm::SMLoc loc;
};

/// One step. `inputs` and `outputs` number Program::values.
struct Step {
  enum class Kind { Permute, Resize, Gather, Scatter, Pointwise, Node };
  Kind kind;
  std::vector<int> inputs, outputs;
  digits::Permutation permutation; // Permute (one input, one output)
  // Resize (one input, one output): the input's `lowest` lowest digits become the lowest digits of the output; the
  //   digits above are the same. Element k of the new ones is element k of the old ones; where those have none, it is
  //   what the body, which has no parameters, gives for the leaves of an element.
  // Gather (one input, one output): as Resize, but element k of the new ones is that element of the old ones whose
  // number
  //   the body gives: one I64 from the digits of the output, of which it uses the new ones.
  // Scatter (one input, one output): element k of the old ones is that element of the new ones whose number the body
  //   gives, from the digits of the input. It is one-to-one.
  int lowest = 0;
  // Pointwise: body parameters are the leaves of each input's element in turn, results those of each output's.
  // Node: `digits` are the node's digits, most significant first, numbered in the arrangement that has them all.
  //   An input with arrayInput is given to the body as r elements (r = product of the radices of `digits`; element k
  //   is the k-th, leaf by leaf: element 0's leaves, element 1's, …), another input lacks those digits and is one
  //   element. Outputs likewise.
  Body body;
  std::vector<int> digits;
  std::vector<bool> arrayInput, arrayOutput;
  // Non-empty: some input lacks digits of the step's full arrangement (for a node the one with all of the node's
  // digits): a shared argument of an algorithm applied `@` digits, or a sequence repeated along higher digits. For such
  // an input i, broadcastDigits[i] lists which digit of the full arrangement each of its digits is (least significant
  // first). Empty inner vector: the input has all digits (but for the node's, unless arrayInput), or it has none and is
  // one element for the whole step. An output may have digits that no input has.
  std::vector<std::vector<int>> broadcastDigits;
  std::string name; // the func's, node's or permutation's source name: diagnostics only
  llvm::SMLoc loc;
  llvm::SMRange stage;   // where the stage of a pipe stands that the step is of; invalid for none
  std::string iteration; // of the algorithms' loops around it, the outermost first: "i = 2, j = 1"
};

/// A sequence parameter; parameters are in order.
struct Parameter {
  std::string name;
  int value;
};
/// What a call requires of a run-time scalar: that it `is` (<, <=, >, >=, ==, !=) a number.
struct Requirement {
  std::string is;
  long double number = 0;
  std::string message; // of a call that breaks it

  bool operator==(const Requirement &o) const { return is == o.is && number == o.number && message == o.message; }
};

/// A leaf of a parameter without brackets: one value for the whole batch.
struct ScalarParameter {
  std::string name;
  TypeRef type;
  std::vector<Requirement> required = {};
};

/// A choice of the entry: every value makes a right program, and the best one may be searched for.
struct Choice {
  std::string name;
  int64_t value, low, high;
  int64_t fallback; // when nothing is said
};

/// A sequence that is known when the program is compiled: the leaves of its elements in index order.
struct Constant {
  int value;
  std::vector<Scalar> leaves;
};

struct Program {
  std::string entry;
  std::vector<std::pair<std::string, int64_t>> sizes;     // as bound, in order of first appearance
  std::vector<std::pair<std::string, std::string>> types; // and bools, functions, and reals that were set
  std::vector<Choice> choices;
  std::vector<Sequence> values;
  std::vector<Parameter> inputs;
  std::vector<Constant> constants;
  std::vector<ScalarParameter> scalars;
  std::vector<Step> steps;
  std::vector<int> outputs;
};

} // namespace idc::frontend
