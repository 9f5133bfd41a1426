// Turns the numbers of a draft into statements, one kind of step per function.
#pragma once

#include "Expressions.h"
#include "Source.h"

namespace idc::random {

/// A sequence that the program has at some point.
struct Sequence {
  std::string name;
  Type type;
  std::vector<int> radices; // least significant first
  std::vector<Bound> bounds;

  int64_t elements() const {
    int64_t product = 1;
    for (int radix : radices)
      product *= radix;
    return product;
  }
};

/// "f32[2^3 * 5]"
std::string spell(const std::string &element, const std::vector<int> &radices);

/// What all algorithms of a program share.
struct Shared {
  TypeNames names;
  std::string declarations;
  int number = 0; // of the next name
  int64_t maxElements = 64;

  std::string fresh(const char *stem) { return stem + std::to_string(number++); }
};

/// An operand or argument of a func or node.
struct Slot {
  std::string name;
  Type type;
  std::vector<Bound> bounds; // of its leaves
  bool array = false;
};

/// The statements of an algorithm, and the sequences it has so far. `nesting` counts the algorithms around it.
class Writer {
public:
  Writer(Shared &shared, std::vector<Sequence> values, int nesting = 0)
      : values(std::move(values)), shared(shared), nesting(nesting) {}

  /// Adds one step; false when it cannot be done with the sequences there are.
  bool step(Choices &choices);

  std::string statements;
  std::vector<Sequence> values; // oldest first

private:
  Shared &shared;
  int nesting;

  bool permutation(Choices &choices);
  bool gather(Choices &choices, Sequence value);
  bool length(Choices &choices);
  bool generated(Choices &choices);
  bool pointwise(Choices &choices);
  bool rootOfUnity(Choices &choices);
  bool node(Choices &choices);
  bool loop(Choices &choices);
  bool recursion(Choices &choices);
  bool application(Choices &choices);
  bool dimensions(Choices &choices);
  bool fields(Choices &choices);

  const Sequence &pickValue(Choices &choices) const;
  std::string fresh(const char *stem) { return shared.fresh(stem); }
  /// An expression of digits, or a name for it.
  std::string named(Choices &choices, const std::string &expression);
  /// Arguments in parentheses, made of digits other than `except`: slots for the declaration, text for the pipe.
  std::string makeArguments(Choices &choices, const std::vector<int> &radices, const std::vector<int> &except,
                            std::vector<Slot> &slots);
  void define(const std::vector<Sequence> &results, const std::string &pipe);
};

//===--- pieces of text -----------------------------------------------------------------------------------------===//

/// "a, b"
std::string join(const std::vector<std::string> &texts);
/// "a", or "(a, b)"
std::string tuple(const std::vector<std::string> &texts);
/// "2^3 * 5^1"
std::string shapeText(const std::vector<int> &radices);
/// "(3, 1)", "2", sometimes "3..1" where that is the same.
std::string digitList(Choices &choices, const std::vector<int> &digits);

/// Declares a func (arity 0) or node whose results have these types, arrays of `arity` elements where said. `linear`:
/// sums of constants times leaves of operands, each of a type that some leaf of them has. The bounds of the results.
std::vector<std::vector<Bound>> declare(Shared &shared, Choices &choices, const std::string &name, int arity,
                                        const std::vector<Slot> &operands, const std::vector<Slot> &arguments,
                                        const std::vector<Type> &results, const std::vector<bool> &arrayResult,
                                        bool linear);

/// A permutation as text, of sequences with `radices`, which it moves.
std::string permutationStage(Choices &choices, std::vector<int> &radices);

/// A value made of the digits of a sequence, leaving out `except`, as an argument of a func or node of type `type`.
std::string digitArgument(Choices &choices, const Type &type, const std::vector<int> &radices,
                          const std::vector<int> &except, Bound &bound);

/// A type that digitArgument can make.
Type pickArgumentType(Choices &choices);

/// An order that the field has roots of unity of; 1 for types without.
int64_t pickOrder(Choices &choices, const Type &type, const std::vector<int> &radices);

} // namespace idc::random
