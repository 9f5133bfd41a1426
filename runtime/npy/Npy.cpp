//===- Npy.cpp - NumPy array files ----------------------------------------===//

#include "npy/Npy.h"

#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace idc::npy {

namespace {

struct DTypeInfo {
  DType type;
  const char *name; // kind and bytes
  int64_t bytes;
};
constexpr DTypeInfo dtypes[] = {
    {DType::B1, "b1", 1}, {DType::I4, "i4", 4}, {DType::I8, "i8", 8}, {DType::U4, "u4", 4}, {DType::U8, "u8", 8},
    {DType::F2, "f2", 2}, {DType::F4, "f4", 4}, {DType::F8, "f8", 8}, {DType::C8, "c8", 8}, {DType::C16, "c16", 16}};

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
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<std::vector<int64_t>> shape;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          error("has records; only plain element types are supported");
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
    if (!descr || !fortran || !shape)
      error("lacks 'descr', 'fortran_order' or 'shape' in its header");
    if (*fortran && shape->size() > 1)
      error("is in Fortran order; save it with numpy.ascontiguousarray");
    Array array;
    array.type = dtype(*descr);
    array.shape = std::move(*shape);
    return array;
  }

  [[noreturn]] void error(const std::string &what) const { throw Error("'" + path + "' " + what); }

private:
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

int64_t Array::elements() const {
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  return total;
}

Array read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error("cannot open '" + path + "'");
  auto take = [&](char *to, int64_t bytes) {
    if (!file.read(to, bytes))
      throw Error("'" + path + "' is truncated");
  };
  char start[8];
  if (!file.read(start, sizeof start) || std::memcmp(start, magic, sizeof magic) != 0)
    throw Error("'" + path + "' is not a .npy file");
  int version = static_cast<unsigned char>(start[6]);
  if (version != 1 && version != 2)
    throw Error("'" + path + "' has .npy version " + std::to_string(version) + "; versions 1 and 2 are supported");
  unsigned char lengthBytes[4] = {};
  take(reinterpret_cast<char *>(lengthBytes), version == 1 ? 2 : 4);
  uint32_t length = lengthBytes[0] | lengthBytes[1] << 8 | lengthBytes[2] << 16 | uint32_t(lengthBytes[3]) << 24;

  // Before anything of a length that the file claims is allocated, compare it with what the file has.
  std::streamoff headerStart = file.tellg();
  file.seekg(0, std::ios::end);
  std::streamoff fileBytes = file.tellg();
  file.seekg(headerStart);
  if (fileBytes - headerStart < std::streamoff(length))
    throw Error("'" + path + "' is truncated");
  std::string header(length, '\0');
  take(header.data(), length);

  HeaderParser parser(header, path);
  Array array = parser.parse();
  std::optional<int64_t> bytes = checkedBytes(array.shape, size(array.type));
  if (!bytes)
    parser.error("has a shape that is too large");
  std::streamoff available = fileBytes - headerStart - std::streamoff(length);
  if (*bytes > available)
    parser.error("is truncated: " + std::to_string(available) + " bytes of data, " + std::to_string(*bytes) +
                 " expected");
  array.data.resize(size_t(*bytes));
  take(array.data.data(), *bytes);
  return array;
}

void write(const std::string &path, const Array &array) {
  if (checkedBytes(array.shape, size(array.type)) != std::optional(int64_t(array.data.size())))
    throw std::invalid_argument("the data of a .npy array must fill its shape");
  std::string shape = "(";
  for (size_t i = 0; i < array.shape.size(); ++i)
    shape += (i ? ", " : "") + std::to_string(array.shape[i]);
  shape += array.shape.size() == 1 ? ",)" : ")";
  std::string header = std::string("{'descr': '") + (size(array.type) == 1 ? "|" : "<") + name(array.type) +
                       "', 'fortran_order': False, 'shape': " + shape + ", }";
  // The data begins at a multiple of 64 bytes; the header is padded with spaces and ends with a newline.
  int version = header.size() + 64 + 10 > 0xffff ? 2 : 1;
  size_t prefix = version == 1 ? 10 : 12;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';

  std::ofstream file(path, std::ios::binary);
  if (!file)
    throw Error("cannot create '" + path + "'");
  file.write(magic, sizeof magic);
  file.put(char(version)).put(0);
  for (size_t i = 0; i < prefix - 8; ++i)
    file.put(char(header.size() >> 8 * i));
  file.write(header.data(), std::streamsize(header.size()));
  file.write(array.data.data(), std::streamsize(array.data.size()));
  file.close();
  if (!file)
    throw Error("cannot write '" + path + "'");
}

} // namespace idc::npy
