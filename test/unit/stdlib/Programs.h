// The list of the standard library's programs, library.json.
//
// A program: "file", "name"; "sizes", the names of its sizes (default n), each an exponent of 2^digitBits, or
// "lengths", the values that a length N takes ("largeLengths": on a GPU only); "variables", its type variables (default
// T), bound to one of "types" each; "unsuitable", types that do not compile; "random", the distributions of its inputs
// (host/Distribution.h; the default is normal); "scalars", the values of its run-time scalars; "roots": a prime field
// of T needs a root of unity of order 2^(n+roots); "accuracy", the relative L2 error allowed in unit roundoffs (default
// 16; more for sums, which may cancel).
#pragma once

#include "compiler/frontend/Elaborate.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace idc::test {

struct LibraryProgram {
  std::string file, name;
  std::vector<std::string> sizes, variables, types, unsuitable;
  std::vector<int64_t> lengths;
  int64_t digitBits = 1;
  std::map<std::string, std::string> distributions;
  std::map<std::string, double> scalars;
  std::optional<int64_t> roots;
  double accuracy = 16;

  /// All sizes the same number (lengths: the first, the second, …).
  frontend::SizeMap everySize(int64_t number) const;
  /// Sizes with which a problem has 2^bits elements, as nearly as the program has them; nullopt when T has not the
  /// roots of unity for it, or there are fewer lengths.
  std::optional<frontend::SizeMap> sizesFor(int64_t bits, const std::string &type) const;
  frontend::TypeMap typesFor(const std::string &type) const;
};

/// In the order of the list. A mistake in the list ends the process with a message.
const std::vector<LibraryProgram> &libraryPrograms();

} // namespace idc::test
