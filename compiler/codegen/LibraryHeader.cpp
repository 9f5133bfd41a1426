// The C header of a library.
#include "compiler/codegen/Library.h"
#include "compiler/codegen/LibrarySignature.h"

#include "idc/library.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

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
  auto pointer = [](const LibraryParameter &array, llvm::StringRef qualifier) {
    std::string type = numberType(array.type);
    return (qualifier + (type.empty() ? "void" : type) + " *").str();
  };
  for (auto [i, input] : llvm::enumerate(function.inputs))
    add(Role::Input, pointer(input, "const "), input.name, int(i));
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
    add(Role::Output, pointer(output, ""), output.name, int(i));
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

static std::string declaration(const CParameter &parameter) {
  return parameter.type + (parameter.type.back() == '*' ? "" : " ") + parameter.name;
}

static std::string sizeParameters(const LibraryFunction &function) {
  std::string text;
  for (const CParameter &parameter : signature(function))
    if (parameter.role == CParameter::Role::Size)
      text += declaration(parameter) + ", ";
  return text;
}

/// The function's prototype, in lines of at most 100 characters.
static std::string prototype(const LibraryFunction &function) {
  std::string text, line = "int " + function.name + "(", indent(line.size(), ' ');
  for (const CParameter &parameter : signature(function)) {
    std::string next = declaration(parameter) + (parameter.role == CParameter::Role::Stream ? ");" : ", ");
    if (line.size() + next.size() > 100) {
      text += llvm::StringRef(line).rtrim().str() + "\n";
      line = indent;
    }
    line += next;
  }
  return text + line + "\n";
}

std::string codegen::interfaceSymbol(const Library &library) {
  std::string text = std::to_string(IDC_LIBRARY_ABI);
  for (const LibraryFunction &function : library.functions) {
    text += ";" + prototype(function);
    for (const std::vector<LibraryParameter> *side : {&function.inputs, &function.scalars, &function.outputs})
      for (const LibraryParameter &parameter : *side)
        text += "," + parameter.type;
  }
  std::string symbol;
  llvm::raw_string_ostream(symbol) << library.name << "_header_matches_library_"
                                   << llvm::format_hex_no_prefix(llvm::xxh3_64bits(text) >> 32, 8);
  return symbol;
}

//===--- documentation ------------------------------------------------------------------------------------------===//

static std::string comment(llvm::StringRef text, llvm::StringRef mark) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> lines;
  text.rtrim().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    std::string safe = line.str();
    for (size_t at; (at = safe.find("*/")) != std::string::npos;)
      safe.replace(at, 2, "* /");
    result += (mark + (safe.empty() ? "" : " ") + safe + "\n").str();
  }
  return result;
}

/// "complex<T>[2^n], T = f32: pairs of real and imaginary part".
static std::string describeArray(const LibraryParameter &array, const LibraryFunction &function) {
  std::string text = array.declared.empty() ? array.type : array.declared;
  for (const auto &[variable, type] : function.types)
    text += ", " + variable + " = " + type;
  llvm::StringRef type = array.type;
  if (type.starts_with("complex<"))
    text += "; pairs of real and imaginary part";
  else if (type.starts_with("{"))
    text += "; structs " + array.type;
  else if (type == "bool")
    text += "; one byte each, 0 or 1";
  else if (type == "f16" || type == "bf16")
    text += "; 16 bits each";
  else if (type.starts_with("mod<"))
    text += "; residues below the modulus";
  return text;
}

static std::string sizeRanges(const LibraryFunction &function) {
  std::string text;
  for (auto [i, size] : llvm::enumerate(function.sizes)) {
    std::vector<int64_t> values;
    for (const std::vector<int64_t> &point : function.points)
      values.push_back(point[i]);
    llvm::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    bool range = values.size() > 2 && values.back() - values.front() + 1 == int64_t(values.size());
    text += (i ? "; " : "") + size + " = ";
    for (auto [k, value] : llvm::enumerate(values))
      if (!range || k == 0)
        text += (k ? ", " : "") + std::to_string(value);
    if (range)
      text += " .. " + std::to_string(values.back());
  }
  return text;
}

static void writeFunction(llvm::raw_ostream &os, const Library &library, const LibraryFunction &function) {
  const std::string &name = function.name;
  bool cpu = library.targets.back() == "cpu", gpu = library.targets.front() != "cpu";
  os << "\n";
  if (!function.documentation.empty())
    os << comment(function.documentation, "///") << "///\n";
  if (!function.sizes.empty())
    os << "/// Compiled for " << sizeRanges(function) << ".\n";
  for (const CParameter &parameter : signature(function)) {
    auto line = [&](const std::string &text) {
      os << comment(llvm::formatv("  {0,-10} {1}", parameter.name, text).str(), "///");
    };
    switch (parameter.role) {
    case CParameter::Role::Input:
      line(describeArray(function.inputs[parameter.index], function));
      break;
    case CParameter::Role::Output:
      line("the result: " + describeArray(function.outputs[parameter.index], function));
      break;
    case CParameter::Role::Scalar:
      line("one value for the whole batch: " + function.scalars[parameter.index].type);
      break;
    case CParameter::Role::Batch:
      line("number of problems, which follow each other in every array");
      break;
    case CParameter::Role::Workspace:
      line(name + "_workspace_size() bytes; null when that is 0. Its contents do not matter");
      break;
    case CParameter::Role::Stream:
      line(!gpu  ? "not looked at: it runs on the CPU"
           : cpu ? "CUstream or cudaStream_t; or IDC_CPU: runs on the CPU, on host memory"
                 : "CUstream or cudaStream_t");
      break;
    case CParameter::Role::Size:
      break;
    }
  }
  os << "///\n"
     << comment("Pointers are multiples of 16 bytes. Results must not overlap inputs: it does not work in place.\n"
                "Any number of threads may call it at once, with a workspace and results of their own.",
                "///");
  if (gpu)
    os << comment(
        "On a GPU it enqueues kernels and returns; nothing is allocated, nothing waits, and the stream may be\n"
        "capturing a graph once " +
            name + "_load() has been called.",
        "///");
  os << comment("Returns 0, or an idc_status that " + name + "_message() explains.", "///") << prototype(function)
     << "\n"
     << comment("Bytes of workspace for a batch of this size or a smaller one; below 0: minus an idc_status.", "///")
     << "int64_t " << name << "_workspace_size(" << sizeParameters(function) << "int64_t batch);\n\n"
     << comment("1 when the library was compiled for these sizes, else 0.", "///") << "int " << name << "_supported("
     << (function.sizes.empty() ? "void" : llvm::StringRef(sizeParameters(function)).drop_back(2)) << ");\n\n"
     << comment(
            "Loads the code of all sizes into the calling thread's CUDA context (that of device 0 when it has none).\n"
            "Without it a size is loaded at its first call. Threads may call it at once; the code is loaded once.",
            "///")
     << "int " << name << "_load(void);\n\n"
     << comment(
            "Frees the code in all contexts; before a context with loaded code is destroyed or reset. No other call\n"
            "may run, and nothing that was enqueued may be unfinished.",
            "///")
     << "void " << name << "_unload(void);\n\n"
     << comment("What was wrong: details when `code` is of the calling thread's latest failure. Valid until its next "
                "call.",
                "///")
     << "const char *" << name << "_message(int code);\n";
}

std::string codegen::libraryHeader(const Library &library) {
  std::string text, guard = "IDC_LIBRARY_" + llvm::StringRef(library.name).upper() + "_H";
  std::string symbol = interfaceSymbol(library);
  llvm::raw_string_ostream os(text);
  os << "/* " << library.name << ".h: made by idc " << IDC_VERSION << " from " << library.source << ".\n"
     << "   Link lib" << library.name << ".a and the runtime of idc (pkg-config --libs idc). */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <idc/runtime.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const LibraryFunction &function : library.functions)
    writeFunction(os, library, function);
  os << "\n/* Undefined when linking: this header and lib" << library.name << ".a do not belong together. */\n"
     << "extern const char " << symbol << ";\n"
     << "#if defined(__GNUC__)\n__attribute__((used)) static const char *const " << library.name
     << "_header_matches = &" << symbol << ";\n#endif\n\n"
     << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
