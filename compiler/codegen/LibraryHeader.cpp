// The C header of a library.
#include "compiler/codegen/Library.h"
#include "compiler/codegen/LibrarySignature.h"

#include "idc/library.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace idc;
using namespace idc::codegen;

static std::string declaration(const CParameter &parameter) {
  return parameter.type + (parameter.type.back() == '*' ? "" : " ") + parameter.name;
}

/// The parameters up to `last`, which comes after the sizes.
static std::string sizeParameters(const LibraryFunction &function, CParameter::Role last = CParameter::Role::Size) {
  std::string text = function.hasGroup ? std::string("int64_t ") + devicesName : "";
  for (const CParameter &parameter : signature(function))
    if (parameter.role == CParameter::Role::Size || parameter.role == last)
      text += (text.empty() ? "" : ", ") + declaration(parameter);
  return text.empty() ? "void" : text;
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

//===--- documentation ------------------------------------------------------------------------------------------===//

/// Whether a line ends in a backslash or the trigraph for one, so that the next line is part of it.
static bool continues(llvm::StringRef line) { return line.ends_with("\\") || line.ends_with("?\?/"); }

/// The text as lines of comment, of which none continues in the next one.
static std::string comment(llvm::StringRef text) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> lines;
  text.rtrim().split(lines, '\n');
  for (llvm::StringRef line : lines)
    result +=
        ("///" + llvm::StringRef(line.empty() ? "" : " ") + line + (continues(line.rtrim()) ? "." : "") + "\n").str();
  return result;
}

/// "complex<T>[2^n], T = f32; pairs of real and imaginary part"
static std::string describeArray(const LibraryParameter &array, size_t plane, const LibraryFunction &function) {
  std::string text = array.declared.empty() ? array.type : array.declared;
  for (const auto &[variable, type] : function.types)
    text += ", " + variable + " = " + type;
  llvm::StringRef type = array.type;
  if (!array.planes.empty())
    text += "; " + array.planes[plane].first + " of each element";
  else if (type.starts_with("complex<"))
    text += "; pairs of real and imaginary part";
  else if (type.starts_with("{"))
    text += "; structs " + array.type;
  else if (type == "bool")
    text += "; one byte each, 0 or 1";
  else if (type == "f16" || type == "bf16")
    text += "; 16 bits each";
  else if (type.starts_with("mod<"))
    text += "; residues below the modulus";
  if (!array.layout.empty())
    text += "; layout " + array.layout;
  if (array.distribution == "all")
    text += "; each rank has all of it";
  else if (array.distribution == "top" || array.distribution == "low")
    text += "; a rank has the part with its number in the " +
            std::string(array.distribution == "top" ? "highest" : "lowest") + " digits of the index";
  else if (!array.distribution.empty())
    text += "; a rank has the part with its number in the digits " + array.distribution + " of the index";
  if (array.alignment < IDC_POINTER_ALIGNMENT)
    text += "; a multiple of " + std::to_string(array.alignment) + " bytes";
  return text;
}

static std::string sizeRanges(const LibraryFunction &function, const std::vector<std::vector<int64_t>> &points) {
  std::string text;
  for (auto [i, size] : llvm::enumerate(function.sizes)) {
    std::vector<int64_t> values;
    for (const std::vector<int64_t> &point : points)
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

/// Whether an instance's output may have the memory of an input, by its manifest.
static bool isInPlace(const LibraryInstance &instance, size_t output, int64_t input) {
  const llvm::json::Value manifest = cantFail(llvm::json::parse(instance.manifest));
  const llvm::json::Array *outputs = manifest.getAsObject()->getArray("outputs");
  const llvm::json::Array *inputs = (*outputs)[output].getAsObject()->getArray("inPlace");
  return inputs && llvm::is_contained(*inputs, llvm::json::Value(input));
}

/// The C names of an array's pointers.
static std::string pointersOf(const LibraryFunction &function, CParameter::Role role, size_t index) {
  std::string names;
  for (const CParameter &parameter : signature(function))
    if (parameter.role == role && parameter.index == int(index))
      names += (names.empty() ? "" : ", ") + parameter.name;
  return names;
}

/// Which results may lie on which inputs, for all targets alike.
static std::string describeInPlace(const LibraryFunction &function) {
  const size_t targets = function.instances.size() / function.points.size();
  std::string text;
  for (size_t output = 0; output < function.outputs.size(); ++output)
    for (size_t input = 0; input < function.inputs.size(); ++input) {
      std::vector<std::vector<int64_t>> points, others;
      for (auto [i, point] : llvm::enumerate(function.points)) {
        auto ofPoint = llvm::ArrayRef(function.instances).slice(i * targets, targets);
        bool all = llvm::all_of(
            ofPoint, [&](const LibraryInstance &instance) { return isInPlace(instance, output, int64_t(input)); });
        (all ? points : others).push_back(point);
      }
      if (points.empty())
        continue;
      text += pointersOf(function, CParameter::Role::Output, output) + " may be " +
              pointersOf(function, CParameter::Role::Input, input);
      if (!others.empty() && function.sizes.size() == 1) {
        text += " for " + sizeRanges(function, points);
      } else if (!others.empty()) {
        text += " but for";
        for (auto [i, other] : llvm::enumerate(others))
          text += (i ? "; " : " ") + sizeRanges(function, {other});
      }
      text += ".\n";
    }
  return text.empty() ? "Results must not overlap inputs: it does not work in place.\n"
                      : "Results must not overlap inputs, except as follows.\nIn place: " + text;
}

static void writeFunction(llvm::raw_ostream &os, const Library &library, const LibraryFunction &function) {
  const std::string &name = function.name;
  const bool cpu = library.targets.back() == "cpu", gpu = library.targets.front() != "cpu", host = function.isHost;
  os << "\n";
  if (!function.documentation.empty())
    os << comment(function.documentation) << "///\n";
  if (!function.sizes.empty())
    os << "/// Compiled for " << sizeRanges(function, function.points) << ".\n";
  bool relaxed = false, laidOut = false;
  for (const std::vector<LibraryParameter> *side : {&function.inputs, &function.outputs})
    for (const LibraryParameter &array : *side) {
      relaxed |= array.alignment < IDC_POINTER_ALIGNMENT;
      laidOut |= !array.layout.empty();
    }
  for (const CParameter &parameter : signature(function)) {
    auto line = [&](std::string text) {
      using Role = CParameter::Role;
      const bool named = llvm::is_contained({Role::Size, Role::Input, Role::Scalar}, parameter.role); // by the program
      if (!parameter.adaptedFrom.empty())
        text +=
            "; '" + parameter.adaptedFrom +
            (named ? "' in the program, a name that is not free in C and C++" : "' where the program has no such name");
      os << comment(llvm::formatv("  {0,-10} {1}", parameter.name, text).str());
    };
    switch (parameter.role) {
    case CParameter::Role::Group:
      line("the rank of this call: every rank makes it, with the same sizes and batch, and all in the same order");
      break;
    case CParameter::Role::Input:
      line(describeArray(function.inputs[parameter.index], size_t(parameter.part), function));
      break;
    case CParameter::Role::Output:
      line("the result: " + describeArray(function.outputs[parameter.index], size_t(parameter.part), function));
      break;
    case CParameter::Role::Scalar:
      line("one value for the whole batch: " + function.scalars[parameter.index].type);
      for (const std::string &required : function.scalars[parameter.index].required)
        line(required + "; other values are refused (IDC_ERROR_INVALID_ARGUMENT)");
      break;
    case CParameter::Role::Batch:
      line("number of problems, which follow each other in every array" +
           std::string(laidOut ? " without a layout" : ""));
      break;
    case CParameter::Role::Workspace:
      line(name + "_workspace_size() bytes" + (host ? " of the host's memory" : "") +
           "; null when that is 0. Its contents do not matter");
      break;
    case CParameter::Role::Memory:
      line("of the GPU; null: it is allocated for the call");
      break;
    case CParameter::Role::MemoryBytes:
      line("at least " + name + "_memory_size(); more lets small problems pass together");
      break;
    case CParameter::Role::Progress:
      line("called when chunks are done; stops the call by another result than 0. Null: nobody is told");
      break;
    case CParameter::Role::User:
      line("handed to progress");
      break;
    case CParameter::Role::Stream:
      line(!gpu  ? "not looked at: it runs on the CPU"
           : cpu ? "CUstream or cudaStream_t; or IDC_CPU: runs on the CPU" +
                       std::string(host ? " alone" : ", on host memory")
                 : "CUstream or cudaStream_t");
      break;
    case CParameter::Role::Size:
      if (!parameter.adaptedFrom.empty())
        line("a size");
      break;
    }
  }
  os << "///\n"
     << comment(
            "Pointers are multiples of 16 bytes" + std::string(relaxed ? " where nothing else is said.\n" : ".\n") +
            (laidOut ? "A layout counts elements: with stride:S, offset:O and batch:B element i of problem b lies at\n"
                       "O + i * S + b * B.\n"
                     : "") +
            describeInPlace(function) + "The workspace must not overlap inputs or results.\n" +
            (host ? "Arrays lie in the host's memory; copies are fastest where it is page-locked.\n" : "") +
            (function.hasGroup
                 ? "Arrays and workspace are registered with the group (idc_group_register()), in the same order by\n"
                   "every rank. Threads may call it at once for different ranks."
                 : "Any number of threads may call it at once, with a workspace and results of their own."));
  if (host)
    os << comment(
        "What was enqueued on the stream comes first; then the arrays pass through the GPU in chunks, and it returns\n"
        "when the results are there. After an error nothing is in flight any more.");
  else if (gpu)
    os << comment(
        "On a GPU it enqueues kernels and returns; nothing is allocated, nothing waits, and the stream may be\n"
        "capturing a graph once " +
        name + "_load() has been called.");
  os << comment("Returns 0, or an idc_status that " + name + "_message() explains.") << prototype(function) << "\n"
     << comment("Bytes of workspace for a batch of this size or a smaller one; below 0: minus an idc_status.")
     << "int64_t " << name << "_workspace_size(" << sizeParameters(function, CParameter::Role::Batch) << ");\n\n";
  if (host)
    os << comment("Bytes of the GPU's memory that a call takes at least; below 0: minus an idc_status.") << "int64_t "
       << name << "_memory_size(" << sizeParameters(function) << ");\n\n";
  os << comment("1 when the library was compiled for these sizes, else 0.") << "int " << name << "_supported("
     << sizeParameters(function) << ");\n\n"
     << comment(
            "Loads the code of all sizes into the calling thread's CUDA context (that of device 0 when it has none).\n"
            "Without it a size is loaded at its first call. Threads may call it at once; the code is loaded once.")
     << "int " << name << "_load(void);\n\n"
     << comment(
            "Frees the code in all contexts; before a context with loaded code is destroyed or reset. No other call\n"
            "may run, and nothing that was enqueued may be unfinished.")
     << "void " << name << "_unload(void);\n\n"
     << comment("What was wrong: details when `code` is of the calling thread's latest failure. Valid until its next "
                "call.")
     << "const char *" << name << "_message(int code);\n";
}

/// The header; `symbol` is interfaceSymbol().
static std::string headerText(const Library &library, llvm::StringRef symbol) {
  std::string text, guard = "IDC_LIBRARY_" + llvm::StringRef(library.name).upper() + "_H";
  llvm::raw_string_ostream os(text);
  os << "/* " << library.name << ".h: made by idc " << IDC_VERSION << " from " << library.source << ".\n"
     << "   Link lib" << library.name << ".a and the runtime of idc (pkg-config --libs idc). */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <idc/"
     << (library.functions.front().hasGroup ? "group"
         : library.functions.front().isHost ? "host_memory"
                                            : "runtime")
     << ".h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const LibraryFunction &function : library.functions)
    writeFunction(os, library, function);
  os << "\n/* Undefined when linking: this header and lib" << library.name
     << ".a do not come from one compilation. */\n"
     << "extern const char " << symbol << ";\n"
     << "#if defined(__GNUC__)\n__attribute__((used)) static const char *const " << library.name
     << "_header_matches = &" << symbol << ";\n#endif\n\n"
     << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

std::string codegen::libraryHeader(const Library &library) { return headerText(library, interfaceSymbol(library)); }

std::string codegen::interfaceSymbol(const Library &library) {
  std::string all = std::to_string(IDC_LIBRARY_ABI);
  auto add = [&](llvm::StringRef text) { (all += std::to_string(text.size()) + ":") += text; };
  add(headerText(library, ""));
  for (const LibraryFunction &function : library.functions) {
    for (const std::vector<int64_t> &point : function.points)
      for (int64_t size : point)
        add(std::to_string(size));
    for (const LibraryInstance &instance : function.instances)
      for (const std::string *part : {&instance.target, &instance.manifest, &instance.image, &instance.object})
        add(*part);
  }
  std::string symbol;
  llvm::raw_string_ostream(symbol) << library.name << "_header_matches_library_"
                                   << llvm::format_hex_no_prefix(llvm::xxh3_64bits(all), 16);
  return symbol;
}
