//===- Npy.cpp - NumPy array files ----------------------------------------===//

#include "npy/Npy.h"

#include "lib/WholeFile.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <unistd.h>
#include <utility>

namespace idc::npy {

namespace {

struct DTypeInfo {
  DType type;
  const char *name; // kind and bytes
  int64_t bytes;
};
constexpr DTypeInfo dtypes[] = {
    {DType::B1, "b1", 1}, {DType::I1, "i1", 1}, {DType::I2, "i2", 2}, {DType::I4, "i4", 4},   {DType::I8, "i8", 8},
    {DType::U1, "u1", 1}, {DType::U2, "u2", 2}, {DType::U4, "u4", 4}, {DType::U8, "u8", 8},   {DType::F2, "f2", 2},
    {DType::F4, "f4", 4}, {DType::F8, "f8", 8}, {DType::C8, "c8", 8}, {DType::C16, "c16", 16}};

const DTypeInfo &info(DType type) { return dtypes[static_cast<int>(type)]; }

constexpr char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/// Product of the dimensions times `bytes`, or nothing when it overflows.
std::optional<int64_t> checkedBytes(const std::vector<int64_t> &shape, int64_t bytes) {
  for (int64_t extent : shape)
    if (extent == 0)
      return 0;
  int64_t total = bytes;
  for (int64_t extent : shape) {
    if (extent < 0 || total > std::numeric_limits<int64_t>::max() / extent)
      return std::nullopt;
    total *= extent;
  }
  return total;
}

/// Reads the header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
public:
  HeaderParser(const std::string &text, const std::string &path) : text(text), path(path) {}

  Array parse() {
    Array array;
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<std::vector<int64_t>> shape;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          records(array);
        else
          descr = string();
      } else if (key == "fortran_order") {
        fortran = boolean();
      } else if (key == "shape") {
        shape = tuple();
      } else {
        malformed();
      }
      if (peek() != '}')
        expect(',');
    }
    if ((!descr && array.fields.empty()) || !fortran || !shape)
      error("lacks 'descr', 'fortran_order' or 'shape' in its header");
    if (*fortran && shape->size() > 1)
      error("is in Fortran order; save it with numpy.ascontiguousarray");
    if (descr)
      array.type = dtype(*descr);
    array.shape = std::move(*shape);
    return array;
  }

  /// [('v', '<f4'), …]
  void records(Array &array) {
    peek();
    const size_t begin = position;
    array.recordBytes = record("", 0, 0, array.fields);
    if (array.fields.empty())
      error("has records without fields");
    array.description = text.substr(begin, position - begin);
  }

  [[noreturn]] void error(const std::string &what) const { throw Error("'" + path + "' " + what); }

private:
  static constexpr size_t mostFields = 4096;
  static constexpr int mostRecords = 32; // in each other

  /// The fields of a record that begins at `offset`; returns its bytes.
  int64_t record(const std::string &before, int64_t offset, int depth, std::vector<Field> &fields) {
    if (depth > mostRecords)
      error("has records that are nested too deeply");
    const int64_t begin = offset;
    expect('[');
    while (!accept(']')) {
      expect('(');
      const std::string name = string();
      expect(',');
      offset += member(before + name, offset, depth, fields);
      expect(')');
      if (peek() != ']')
        expect(',');
    }
    return offset - begin;
  }

  /// A field's type, and its shape when it is an array; returns its bytes.
  int64_t member(const std::string &name, int64_t offset, int depth, std::vector<Field> &fields) {
    std::vector<Field> one; // of an element
    int64_t bytes = 0;
    if (peek() == '[') {
      bytes = record(name + ".", 0, depth + 1, one);
    } else if (const std::string spelled = string(); spelled.compare(0, 2, "|V") == 0 && spelled.size() < 8) {
      for (char digit : spelled.substr(2)) // bytes between fields
        bytes = std::isdigit(static_cast<unsigned char>(digit)) ? 10 * bytes + (digit - '0') : (malformed(), 0);
    } else {
      one.push_back({name, dtype(spelled), 0});
      bytes = size(one[0].type);
    }
    int64_t count = 1;
    if (accept(',') && peek() == '(')
      for (int64_t extent : tuple()) {
        if (extent < 1 || extent > int64_t(mostFields) / count)
          error("has an array of too many elements in a record");
        count *= extent;
      }
    for (int64_t i = 0; i < count; ++i)
      for (const Field &field : one) {
        fields.push_back({field.name, field.type, offset + i * bytes + field.offset});
        if (fields.size() > mostFields)
          error("has records of more than " + std::to_string(mostFields) + " numbers");
      }
    return count * bytes;
  }

  [[noreturn]] void malformed() const { error("has a malformed header"); }

  char peek() {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
    return position < text.size() ? text[position] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted)
      return false;
    ++position;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted))
      malformed();
  }
  std::string string() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      malformed();
    size_t end = text.find(quote, position + 1);
    if (end == std::string::npos)
      malformed();
    std::string result = text.substr(position + 1, end - position - 1);
    position = end + 1;
    return result;
  }
  bool boolean() {
    peek();
    for (auto [word, value] : {std::pair("True", true), std::pair("False", false)})
      if (text.compare(position, std::strlen(word), word) == 0) {
        position += std::strlen(word);
        return value;
      }
    malformed();
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> result;
    expect('(');
    while (!accept(')')) {
      result.push_back(number());
      if (peek() != ')')
        expect(',');
    }
    return result;
  }
  int64_t number() {
    int64_t value = 0;
    if (!std::isdigit(static_cast<unsigned char>(peek())))
      malformed();
    while (position < text.size() && std::isdigit(static_cast<unsigned char>(text[position]))) {
      int digit = text[position++] - '0';
      if (value > (std::numeric_limits<int64_t>::max() - digit) / 10)
        malformed();
      value = 10 * value + digit;
    }
    return value;
  }
  DType dtype(const std::string &descr) {
    std::string spelled = descr.empty() ? "" : descr.substr(1);
    for (const DTypeInfo &candidate : dtypes)
      if (spelled == candidate.name) {
        if (descr[0] == '>')
          error("is big-endian");
        if (descr[0] == '<' || descr[0] == '=' || descr[0] == '|')
          return candidate.type;
      }
    error("has element type '" + descr + "'; supported are b1, i4, i8, u4, u8, f2, f4, f8, c8 and c16");
  }

  const std::string &text;
  const std::string &path;
  size_t position = 0;
};

} // namespace

int64_t size(DType type) { return info(type).bytes; }
const char *name(DType type) { return info(type).name; }

std::string longName(DType type) {
  const std::string bits = std::to_string(8 * info(type).bytes);
  switch (*info(type).name) {
  case 'b':
    return "bool";
  case 'i':
    return "int" + bits;
  case 'u':
    return "uint" + bits;
  case 'f':
    return "float" + bits;
  default:
    return "complex" + bits;
  }
}

int64_t Array::elements() const {
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  return total;
}

namespace {

/// A file that is read from its beginning on.
class Reader {
public:
  explicit Reader(const std::string &path) : path(path) {
    try {
      descriptor = runtime::openRegularFile(path, left);
    } catch (const runtime::FileError &error) {
      throw Error(error.what());
    }
  }
  Reader(const Reader &) = delete;
  ~Reader() { close(descriptor); }

  /// Bytes that are not read yet.
  int64_t available() const { return left; }

  void take(char *to, int64_t bytes) {
    while (bytes > 0) {
      const ssize_t got = ::read(descriptor, to, size_t(bytes));
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        throw Error("cannot read '" + path + "': " + std::strerror(errno));
      if (got == 0)
        throw Error("'" + path + "' is truncated");
      to += got;
      bytes -= got;
      left -= got;
    }
  }

private:
  const std::string &path;
  int descriptor = -1;
  int64_t left = 0;
};

} // namespace

int64_t Array::elementBytes() const { return fields.empty() ? size(type) : recordBytes; }

Array recordArray(const std::string &description) {
  Array array;
  HeaderParser(description, description).records(array);
  array.shape = {0};
  return array;
}

Array read(const std::string &path) {
  Reader file(path);
  auto take = [&](char *to, int64_t bytes) { file.take(to, bytes); };
  char start[8] = {};
  if (file.available() >= int64_t(sizeof start))
    take(start, sizeof start);
  if (std::memcmp(start, magic, sizeof magic) != 0)
    throw Error("'" + path + "' is not a .npy file");
  int version = static_cast<unsigned char>(start[6]);
  if (version != 1 && version != 2)
    throw Error("'" + path + "' has .npy version " + std::to_string(version) + "; versions 1 and 2 are supported");
  unsigned char lengthBytes[4] = {};
  take(reinterpret_cast<char *>(lengthBytes), version == 1 ? 2 : 4);
  uint32_t length = lengthBytes[0] | lengthBytes[1] << 8 | lengthBytes[2] << 16 | uint32_t(lengthBytes[3]) << 24;

  // Before anything of a length that the file claims is allocated, compare it with what the file has.
  if (file.available() < int64_t(length))
    throw Error("'" + path + "' is truncated");
  std::string header(length, '\0');
  take(header.data(), length);

  HeaderParser parser(header, path);
  Array array = parser.parse();
  std::optional<int64_t> bytes = checkedBytes(array.shape, array.elementBytes());
  if (!bytes)
    parser.error("has a shape that is too large");
  const int64_t available = file.available();
  if (*bytes > available)
    parser.error("is truncated: " + std::to_string(available) + " bytes of data, " + std::to_string(*bytes) +
                 " expected");
  array.data.resize(size_t(*bytes));
  take(array.data.data(), *bytes);
  return array;
}

void write(const std::string &path, const Array &array) {
  if (checkedBytes(array.shape, array.elementBytes()) != std::optional(int64_t(array.data.size())))
    throw std::invalid_argument("the data of a .npy array must fill its shape");
  std::string shape = "(";
  for (size_t i = 0; i < array.shape.size(); ++i)
    shape += (i ? ", " : "") + std::to_string(array.shape[i]);
  shape += array.shape.size() == 1 ? ",)" : ")";
  const std::string plain = std::string(size(array.type) == 1 ? "'|" : "'<") + name(array.type) + "'";
  std::string header = "{'descr': " + (array.fields.empty() ? plain : array.description) +
                       ", 'fortran_order': False, 'shape': " + shape + ", }";
  // The data begins at a multiple of 64 bytes; the header is padded with spaces and ends with a newline.
  int version = header.size() + 64 + 10 > 0xffff ? 2 : 1;
  size_t prefix = version == 1 ? 10 : 12;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';

  std::string start(magic, sizeof magic);
  start += {char(version), 0};
  for (size_t i = 0; i < prefix - 8; ++i)
    start += char(header.size() >> 8 * i);
  try {
    runtime::FileInProgress file(path);
    file.write(start + header);
    file.write({array.data.data(), array.data.size()});
    file.commit();
  } catch (const runtime::FileError &error) {
    throw Error(error.what());
  }
}

} // namespace idc::npy
