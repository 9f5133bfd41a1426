// Examples in programs: lines that begin with //! and say what an algorithm gives.
//
//   //! ENTRY n=3 T=f64: 0..3, 1 0 0 1 -> 2 4 6 8     these inputs, sequences before scalars, give these results
//   //! ENTRY n=3: random -> np.cumsum(x) - x         NumPy computes the results from the inputs, by their names
//   //! ENTRY n=3 for sm_90                           it compiles to kernels for that machine
//   //! ENTRY n=3 error: MESSAGE                      this is the first error
//   //! error: MESSAGE                                the same without sizes
//
// A number is written as in `3`, `-0.5`, `1/3`, `2-1i`, `inf`; `0..7` are eight of them.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::tools {

struct Example {
  enum class Kind { Values, Compiles, Error, Refused, Unreadable };
  Kind kind = Kind::Values;
  unsigned line = 0;
  std::string text;  // as written, without //!
  std::string entry; // empty: none
  std::vector<std::string> settings;
  std::vector<std::string> inputs; // Values, Refused: the numbers of each, or "random"
  std::string rest;                // Values: the results; Compiles: the machine; Error, Refused: the message
};

/// The examples of a program's text, those that cannot be read among them. Lines "//! file NAME.id" are for collections
/// of programs, and no examples.
std::vector<Example> readExamples(llvm::StringRef text);

/// Parts of a list that lie between commas outside of brackets.
std::vector<std::string> splitList(llvm::StringRef text);

/// Numbers as written, for leaves of these types, which repeat. Nothing when the text is none, or a number does not fit
/// its type.
std::optional<std::vector<frontend::Scalar>> readNumbers(llvm::StringRef text,
                                                         const std::vector<frontend::TypeRef> &leaves);

} // namespace idc::tools
