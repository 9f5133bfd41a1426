//===- Scalars.cpp - run-time scalars from text ---------------------------===//

#include "host/Scalars.h"
#include "host/ElementType.h"
#include "host/Error.h"
#include "host/HalfFloat.h"
#include "host/Memory.h"
#include "host/NamedValues.h"
#include "host/Scanner.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace idc::host {

namespace {

/// A scalar that is being given a value.
class ScalarParser {
public:
  ScalarParser(std::string name, std::string type, int64_t bytes)
      : name(std::move(name)), type(std::move(type)), field(ElementType::parse(this->type, bytes).fields.at(0)),
        bytes(size_t(bytes)) {}

  std::vector<char> parse(const std::string &text) const {
    std::vector<char> data(bytes);
    if (!field.complex) {
      component(text, text, data.data());
      return data;
    }
    Scanner parts(text);
    component(std::string(parts.until(",")), text, data.data());
    component(parts.accept(",") ? std::string(parts.until("")) : "0", text, &data[bytes / 2]);
    return data;
  }

private:
  std::string name, type;
  Field field;
  size_t bytes;

  [[noreturn]] void fail(const std::string &text, const std::string &why) const {
    throw Error("scalar '" + name + "' is of type " + type + ": '" + text + "' " + why);
  }

  template <typename T> static void store(char *to, T value) { std::memcpy(to, &value, sizeof value); }

  /// One number of the value `whole`.
  void component(const std::string &text, const std::string &whole, char *to) const {
    switch (field.kind) {
    case ScalarKind::Bool:
      if (text != "true" && text != "false" && text != "1" && text != "0")
        fail(whole, "is neither true nor false");
      return store<uint8_t>(to, text == "true" || text == "1");
    case ScalarKind::I8:
      return store(to, int8_t(integer<long long>(text, std::strtoll, INT8_MIN, INT8_MAX)));
    case ScalarKind::I16:
      return store(to, int16_t(integer<long long>(text, std::strtoll, INT16_MIN, INT16_MAX)));
    case ScalarKind::U8:
      return store(to, uint8_t(natural(text, UINT8_MAX)));
    case ScalarKind::U16:
      return store(to, uint16_t(natural(text, UINT16_MAX)));
    case ScalarKind::I32:
      return store(to, int32_t(integer<long long>(text, std::strtoll, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max())));
    case ScalarKind::I64:
      return store(to, int64_t(integer<long long>(text, std::strtoll, std::numeric_limits<int64_t>::min(),
                                                  std::numeric_limits<int64_t>::max())));
    case ScalarKind::U32:
      return store(to, uint32_t(natural(text, std::numeric_limits<uint32_t>::max())));
    case ScalarKind::U64:
      return store(to, uint64_t(natural(text, std::numeric_limits<uint64_t>::max())));
    case ScalarKind::F16:
      return store(to, toHalf(float(real(text, whole))));
    case ScalarKind::BF16:
      return store(to, toBFloat16(float(real(text, whole))));
    case ScalarKind::F32: {
      char *end = nullptr;
      real(text, whole);
      return store(to, std::strtof(text.c_str(), &end)); // rounded once
    }
    case ScalarKind::F64:
      return store(to, real(text, whole));
    }
  }

  double real(const std::string &text, const std::string &whole) const {
    char *end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end)
      fail(whole, field.complex ? "is not RE,IM" : "is no number");
    return value;
  }

  uint64_t natural(const std::string &text, uint64_t most) const {
    if (text.find('-') != std::string::npos)
      fail(text, "is negative");
    return integer<unsigned long long>(text, std::strtoull, 0, field.modulus ? field.modulus - 1 : most);
  }

  template <typename T>
  T integer(const std::string &text, T (*convert)(const char *, char **, int), T least, T most) const {
    char *end = nullptr;
    errno = 0;
    T value = convert(text.c_str(), &end, 10);
    if (text.empty() || *end)
      fail(text, "is no integer");
    if (errno || value < least || value > most)
      fail(text, "is outside " + std::to_string(least) + " .. " + std::to_string(most));
    return value;
  }
};

} // namespace

std::vector<std::vector<char>> scalarValues(const idc_module *module, const std::vector<std::string> &settings) {
  std::map<std::string, std::string> given = namedValues("--scalar", settings);
  std::vector<idc_operand> scalars(static_cast<size_t>(idc_scalar_count(module)));
  std::string known;
  for (size_t i = 0; i < scalars.size(); ++i) {
    check(idc_scalar(module, static_cast<int32_t>(i), &scalars[i]));
    known += (i ? ", " : "") + std::string(scalars[i].name);
  }
  for (const auto &[name, value] : given)
    if (std::none_of(scalars.begin(), scalars.end(), [&](const idc_operand &scalar) { return name == scalar.name; }))
      throw Error("the program has no scalar '" + name + "'" + (known.empty() ? "" : "; it has " + known));
  std::vector<std::vector<char>> values;
  for (const idc_operand &scalar : scalars) {
    auto found = given.find(scalar.name);
    if (found == given.end())
      throw Error("scalar '" + std::string(scalar.name) + "' of type " + scalar.type +
                  " has no value; set it with --scalar " + scalar.name + "=VALUE");
    values.push_back(ScalarParser(scalar.name, scalar.type, scalar.element_bytes).parse(found->second));
  }
  return values;
}

} // namespace idc::host
