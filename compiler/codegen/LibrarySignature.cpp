#include "compiler/codegen/LibrarySignature.h"

#include "host/ElementType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

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

/// Whether C's or POSIX's headers, or a compiler of C, define it as a macro that stands for something else wherever it
/// appears; these are the ones in lower case (glibc's, GCC's and Clang's).
static bool isLowerCaseMacro(llvm::StringRef name) {
  static const llvm::StringSet<> macros = {"complex",
                                           "d_fileno",
                                           "errno",
                                           "h_addr",
                                           "h_errno",
                                           "i386",
                                           "imaginary",
                                           "linux",
                                           "math_errhandling",
                                           "noreturn",
                                           "s6_addr",
                                           "s6_addr16",
                                           "s6_addr32",
                                           "sa_handler",
                                           "sa_sigaction",
                                           "sched_priority",
                                           "sigev_notify_attributes",
                                           "sigev_notify_function",
                                           "st_atime",
                                           "st_ctime",
                                           "st_mtime",
                                           "stderr",
                                           "stdin",
                                           "stdout",
                                           "unix"};
  return macros.contains(name) || name.starts_with("si_"); // siginfo_t
}

/// Reserved for compilers and their libraries: __x, _Upper.
static bool isReserved(llvm::StringRef name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || llvm::isUpper(name[1]));
}

/// Whether a parameter in a header that any program may include cannot be called so: a keyword, a type that the header
/// uses, or what may be a macro. Nobody knows all macros; but capitals alone say that it may be one (NULL, M_PI, B50),
/// and I is the imaginary unit. None of these ends in '_'.
static bool isNoParameterName(llvm::StringRef name) {
  const bool shouting = name.size() > 1 && llvm::isUpper(name[0]) && llvm::none_of(name, llvm::isLower);
  static const llvm::StringSet<> types = {"int8_t",  "int16_t",  "int32_t",  "int64_t",
                                          "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  return isKeyword(name) || isLowerCaseMacro(name) || types.contains(name) || shouting || name == "I";
}

std::string codegen::whyNoCName(llvm::StringRef name) {
  if (name.empty() || llvm::isDigit(name[0]) || isKeyword(name) || isReserved(name) ||
      !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return "cannot be the name of a C function";
  if (isLowerCaseMacro(name) || name == "NULL" || name == "EOF" || name == "I")
    return "cannot be the name of a C function: headers of C define it as a macro";
  if (name == "idc" || name.starts_with("idc_"))
    return "cannot be the name of the function: idc's runtime has the names that begin with idc";
  llvm::LibFunc known;
  if (name == "main" ||
      llvm::TargetLibraryInfoImpl(llvm::Triple(llvm::sys::getDefaultTargetTriple())).getLibFunc(name, known))
    return "cannot be the name of the function: C has one of this name";
  return "";
}

/// The C type of a number, or "" for what has none: bool and floats of 16 bits.
static std::string numberType(host::ScalarKind kind) {
  // In the order of ScalarKind.
  static const char *const types[] = {"",         "int8_t",   "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
                                      "uint32_t", "uint64_t", "",        "",        "float",   "double"};
  return types[int(kind)];
}

/// The C type that carries a number by value; floats of 16 bits travel as their bits.
static std::string scalarType(host::ScalarKind kind) {
  if (kind == host::ScalarKind::Bool)
    return "uint8_t";
  if (kind == host::ScalarKind::F16 || kind == host::ScalarKind::BF16)
    return "uint16_t";
  return numberType(kind);
}

/// The C type of an array's elements, or "" for what has none (complex numbers and records, too).
static std::string elementType(const std::string &type) {
  const host::ElementType element = host::ElementType::parse(type);
  const host::Field &first = element.fields.front();
  return element.fields.size() == 1 && !first.complex && element.shape.empty() ? numberType(first.kind) : "";
}

std::vector<CParameter> codegen::signature(const LibraryFunction &function) {
  std::vector<CParameter> result;
  auto add = [&](CParameter::Role role, std::string type, llvm::StringRef wanted, int index, int part = 0) {
    std::string name;
    for (char c : wanted)
      name += llvm::isAlnum(c) ? c : '_';
    const std::string plain = name;
    if (isReserved(name))
      name = llvm::StringRef(name).ltrim('_').str() + "_";
    auto taken = [&] {
      return (name.back() != '_' && isNoParameterName(name)) ||
             llvm::any_of(result, [&](const CParameter &other) { return other.name == name; });
    };
    while (taken())
      name += '_';
    const bool adapted = name != plain;
    result.push_back({role, std::move(type), std::move(name), index, part, adapted ? wanted.str() : ""});
  };
  using Role = CParameter::Role;
  for (auto [i, size] : llvm::enumerate(function.sizes))
    if (i == 0 && function.hasGroup)
      add(Role::Group, "const idc_group *", "group", 0);
    else
      add(Role::Size, "int64_t", size, int(i));
  add(Role::Batch, "int64_t", "batch", 0);
  auto addArray = [&](Role role, const LibraryParameter &array, llvm::StringRef qualifier, int index) {
    auto planes = array.planes;
    if (planes.empty())
      planes.emplace_back(array.name, array.type);
    for (auto [part, plane] : llvm::enumerate(planes)) {
      std::string type = elementType(plane.second);
      add(role, (qualifier + (type.empty() ? "void" : type) + " *").str(), plane.first, index, int(part));
    }
  };
  for (auto [i, input] : llvm::enumerate(function.inputs))
    addArray(Role::Input, input, "const ", int(i));
  for (auto [i, scalar] : llvm::enumerate(function.scalars)) {
    const host::Field field = host::ElementType::parse(scalar.type).fields.front();
    if (field.complex) {
      add(Role::Scalar, scalarType(field.kind), scalar.name + "_re", int(i), 0);
      add(Role::Scalar, scalarType(field.kind), scalar.name + "_im", int(i), 1);
    } else {
      add(Role::Scalar, scalarType(field.kind), scalar.name, int(i));
    }
  }
  for (auto [i, output] : llvm::enumerate(function.outputs))
    addArray(Role::Output, output, "", int(i));
  add(Role::Workspace, "void *", "workspace", 0);
  if (function.isHost) {
    add(Role::Memory, "void *", "memory", 0);
    add(Role::MemoryBytes, "int64_t", "memory_bytes", 0);
    add(Role::Progress, "idc_progress", "progress", 0);
    add(Role::User, "void *", "user", 0);
  }
  add(Role::Stream, "void *", "stream", 0);
  return result;
}
