//===- ElementType.cpp - element types of a module's operands -------------===//

#include "host/ElementType.h"
#include "host/Error.h"
#include "host/Scanner.h"

#include <algorithm>

namespace idc::host {

namespace {

struct ScalarInfo {
  const char *name;
  ScalarKind kind;
  int64_t bytes;
};
constexpr ScalarInfo scalars[] = { // in the order of ScalarKind
    {"bool", ScalarKind::Bool, 1}, {"i8", ScalarKind::I8, 1},     {"i16", ScalarKind::I16, 2},
    {"i32", ScalarKind::I32, 4},   {"i64", ScalarKind::I64, 8},   {"u8", ScalarKind::U8, 1},
    {"u16", ScalarKind::U16, 2},   {"u32", ScalarKind::U32, 4},   {"u64", ScalarKind::U64, 8},
    {"f16", ScalarKind::F16, 2},   {"bf16", ScalarKind::BF16, 2}, {"f32", ScalarKind::F32, 4},
    {"f64", ScalarKind::F64, 8}};

/// The rule `type` of docs/command-line.md#values-of-options.
class TypeParser {
public:
  explicit TypeParser(const std::string &name) : whole(name), text(name) {}

  ElementType parse() {
    Laid laid = type(0);
    if (!text.atEnd())
      unknown();
    return laid.element;
  }

private:
  static constexpr int64_t maxFields = 4096;
  static constexpr int maxDepth = 32;
  struct Laid {
    ElementType element;
    int64_t alignment = 1;
  };

  static std::string quoted(npy::DType type) {
    return std::string(npy::size(type) == 1 ? "'|" : "'<") + npy::name(type) + "'";
  }
  static Laid scalar(Field field, int64_t bytes) {
    Laid laid;
    laid.element.fields = {field};
    laid.element.bytes = laid.alignment = bytes;
    laid.element.description = quoted(laid.element.dtype());
    return laid;
  }

  [[noreturn]] void unknown() const {
    throw Error("the element type '" + whole + "' cannot be read from or written to a file");
  }

  void expect(std::string_view wanted) {
    if (!text.accept(wanted))
      unknown();
  }
  uint64_t integer() {
    const std::optional<uint64_t> value = text.number<uint64_t>();
    if (value.value_or(0) == 0)
      unknown();
    return *value;
  }

  Laid type(int depth) {
    if (depth > maxDepth)
      unknown();
    Laid laid = text.accept("{") ? record(depth) : named(depth);
    while (text.accept("[")) {
      uint64_t length = integer();
      expect("]");
      if (length * laid.element.fields.size() > uint64_t(maxFields) || length > uint64_t(maxFields))
        unknown();
      Laid array;
      array.alignment = laid.alignment;
      for (uint64_t i = 0; i < length; ++i)
        append(array, laid, "");
      array.element.description = laid.element.description;
      array.element.shape = laid.element.shape;
      array.element.shape.insert(array.element.shape.begin(), int64_t(length));
      laid = array;
    }
    return laid;
  }
  Laid named(int depth) {
    const std::string name(text.name());
    for (const ScalarInfo &scalar : scalars)
      if (name == scalar.name)
        return this->scalar({scalar.kind}, scalar.bytes);
    if (name != "complex" && name != "mod")
      unknown();
    expect("<");
    Laid laid;
    if (name == "mod") {
      uint64_t modulus = integer();
      bool small = modulus <= uint64_t(1) << 32;
      laid = scalar({small ? ScalarKind::U32 : ScalarKind::U64, false, modulus}, small ? 4 : 8);
    } else {
      laid = type(depth + 1);
      if (laid.element.fields.size() != 1 || laid.element.fields[0].complex || laid.element.fields[0].modulus)
        unknown();
      laid.element.fields[0].complex = true;
      laid.element.bytes *= 2;
      laid.alignment = laid.element.bytes / 2;
      laid.element.description = quoted(laid.element.dtype());
      if (laid.element.components() == 2)
        laid.element.shape = {2};
    }
    expect(">");
    return laid;
  }
  Laid record(int depth) {
    Laid laid;
    std::string &description = laid.element.description;
    do {
      const std::string name(text.name());
      if (name.empty())
        unknown();
      expect(":");
      const Laid member = type(depth + 1);
      append(laid, member, name);
      description += (description.empty() ? "[('" : ", ('") + name + "', " + member.element.description;
      for (size_t i = 0; i < member.element.shape.size(); ++i)
        description += (i ? ", " : ", (") + std::to_string(member.element.shape[i]);
      description += member.element.shape.empty() ? ")" : member.element.shape.size() == 1 ? ",))" : "))";
      if (int64_t(laid.element.fields.size()) > maxFields)
        unknown();
    } while (text.accept(","));
    expect("}");
    description += "]";
    laid.element.bytes = roundUp(laid.element.bytes, laid.alignment);
    return laid;
  }

  static int64_t roundUp(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

  /// Places `member` after what `laid` holds.
  static void append(Laid &laid, const Laid &member, const std::string &name) {
    laid.alignment = std::max(laid.alignment, member.alignment);
    int64_t base = roundUp(laid.element.bytes, member.alignment);
    for (Field field : member.element.fields) {
      field.offset += base;
      if (!name.empty())
        field.name = field.name.empty() ? name : name + "." + field.name;
      laid.element.fields.push_back(field);
    }
    laid.element.bytes = base + member.element.bytes;
  }

  const std::string &whole;
  Scanner text;
};

/// Complex numbers that NumPy has a type for.
bool numpyComplex(const Field &field) {
  return field.complex && (field.kind == ScalarKind::F32 || field.kind == ScalarKind::F64);
}

} // namespace

int64_t size(ScalarKind kind) {
  return std::find_if(std::begin(scalars), std::end(scalars), [&](const ScalarInfo &s) { return s.kind == kind; })
      ->bytes;
}

bool isReal(ScalarKind kind) {
  return kind == ScalarKind::F16 || kind == ScalarKind::BF16 || kind == ScalarKind::F32 || kind == ScalarKind::F64;
}

bool isUnsigned(ScalarKind kind) { return kind >= ScalarKind::U8 && kind <= ScalarKind::U64; }

ElementType ElementType::parse(const std::string &name) { return TypeParser(name).parse(); }

ElementType ElementType::parse(const std::string &name, int64_t bytes) {
  ElementType type = parse(name);
  if (type.bytes != bytes)
    throw Error("the element type '" + name + "' has " + std::to_string(type.bytes) + " bytes, but the manifest says " +
                std::to_string(bytes));
  return type;
}

std::vector<Leaf> ElementType::leaves() const {
  std::vector<Leaf> result;
  for (const Field &field : fields) {
    ElementType alone;
    alone.fields = {field};
    for (int64_t part = 0; part < alone.components(); ++part)
      result.push_back({field.name, alone.dtype(), field.kind, field.offset + part * host::size(field.kind)});
  }
  return result;
}

bool ElementType::uniform() const {
  int64_t used = 0;
  for (const Field &field : fields) {
    if (field.kind != fields[0].kind || field.complex != fields[0].complex)
      return false;
    used += size(field.kind) * (field.complex ? 2 : 1);
  }
  return used == bytes;
}

npy::DType ElementType::dtype() const {
  bool complex = numpyComplex(fields[0]);
  switch (fields[0].kind) {
  case ScalarKind::Bool:
    return npy::DType::B1;
  case ScalarKind::I8:
    return npy::DType::I1;
  case ScalarKind::I16:
    return npy::DType::I2;
  case ScalarKind::U8:
    return npy::DType::U1;
  case ScalarKind::U16:
    return npy::DType::U2;
  case ScalarKind::I32:
    return npy::DType::I4;
  case ScalarKind::I64:
    return npy::DType::I8;
  case ScalarKind::U32:
    return npy::DType::U4;
  case ScalarKind::U64:
    return npy::DType::U8;
  case ScalarKind::F16:
    return npy::DType::F2;
  case ScalarKind::BF16:
    return npy::DType::F4;
  case ScalarKind::F32:
    return complex ? npy::DType::C8 : npy::DType::F4;
  case ScalarKind::F64:
    return complex ? npy::DType::C16 : npy::DType::F8;
  }
  return npy::DType::F4;
}

int64_t ElementType::components() const {
  return int64_t(fields.size()) * (fields[0].complex && !numpyComplex(fields[0]) ? 2 : 1);
}

} // namespace idc::host
