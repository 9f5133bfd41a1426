#include "compiler/codegen/LibrarySignature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace idc;
using namespace idc::codegen;

static bool isKeyword(llvm::StringRef name) {
  static const llvm::StringSet<> words = {
      "alignas",       "alignof",   "and",       "and_eq",    "asm",       "auto",         "bitand",    "bitor",
      "bool",          "break",     "case",      "catch",     "char",      "class",        "compl",     "concept",
      "const",         "consteval", "constexpr", "constinit", "continue",  "co_await",     "co_return", "co_yield",
      "decltype",      "default",   "delete",    "do",        "double",    "else",         "enum",      "explicit",
      "export",        "extern",    "false",     "float",     "for",       "friend",       "goto",      "if",
      "inline",        "int",       "long",      "mutable",   "namespace", "new",          "noexcept",  "not",
      "not_eq",        "nullptr",   "operator",  "or",        "or_eq",     "private",      "protected", "public",
      "register",      "requires",  "restrict",  "return",    "short",     "signed",       "sizeof",    "static",
      "static_assert", "struct",    "switch",    "template",  "this",      "thread_local", "throw",     "true",
      "try",           "typedef",   "typeid",    "typename",  "typeof",    "union",        "unsigned",  "using",
      "virtual",       "void",      "volatile",  "wchar_t",   "while",     "xor",          "xor_eq"};
  return words.contains(name);
}

bool codegen::isCName(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) && !isKeyword(name) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The C type of a number, or "" for what has none (complex numbers, records, bool, floats of 16 bits).
static std::string numberType(llvm::StringRef type) {
  if (type.consume_front("mod<")) {
    uint64_t modulus = 0;
    type.drop_back().getAsInteger(10, modulus);
    return modulus <= uint64_t(1) << 32 ? "uint32_t" : "uint64_t";
  }
  static const std::pair<const char *, const char *> types[] = {{"i32", "int32_t"},  {"i64", "int64_t"},
                                                                {"u32", "uint32_t"}, {"u64", "uint64_t"},
                                                                {"f32", "float"},    {"f64", "double"}};
  for (auto [own, c] : types)
    if (type == own)
      return c;
  return "";
}

std::vector<CParameter> codegen::signature(const LibraryFunction &function) {
  std::vector<CParameter> result;
  auto add = [&](CParameter::Role role, std::string type, llvm::StringRef wanted, int index, int part = 0) {
    std::string name;
    for (char c : wanted)
      name += llvm::isAlnum(c) ? c : '_';
    auto taken = [&] {
      return isKeyword(name) || llvm::any_of(result, [&](const CParameter &other) { return other.name == name; });
    };
    while (taken())
      name += '_';
    result.push_back({role, std::move(type), std::move(name), index, part});
  };
  using Role = CParameter::Role;
  for (auto [i, size] : llvm::enumerate(function.sizes))
    add(Role::Size, "int64_t", size, int(i));
  add(Role::Batch, "int64_t", "batch", 0);
  auto addArray = [&](Role role, const LibraryParameter &array, llvm::StringRef qualifier, int index) {
    auto planes = array.planes;
    if (planes.empty())
      planes.emplace_back(array.name, array.type);
    for (auto [part, plane] : llvm::enumerate(planes)) {
      std::string type = numberType(plane.second);
      add(role, (qualifier + (type.empty() ? "void" : type) + " *").str(), plane.first, index, int(part));
    }
  };
  for (auto [i, input] : llvm::enumerate(function.inputs))
    addArray(Role::Input, input, "const ", int(i));
  for (auto [i, scalar] : llvm::enumerate(function.scalars)) {
    llvm::StringRef type = scalar.type;
    if (type.consume_front("complex<")) {
      std::string real = scalarType(type.drop_back());
      add(Role::Scalar, real, scalar.name + "_re", int(i), 0);
      add(Role::Scalar, real, scalar.name + "_im", int(i), 1);
    } else {
      add(Role::Scalar, scalarType(type), scalar.name, int(i));
    }
  }
  for (auto [i, output] : llvm::enumerate(function.outputs))
    addArray(Role::Output, output, "", int(i));
  add(Role::Workspace, "void *", "workspace", 0);
  add(Role::Stream, "void *", "stream", 0);
  return result;
}

std::string codegen::scalarType(llvm::StringRef type) {
  if (type == "bool")
    return "uint8_t";
  if (type == "f16" || type == "bf16")
    return "uint16_t";
  return numberType(type);
}
