#include "dialect/digits/Mapping.h"
#include "dialect/digits/Gf2.h"

#include "host/Scanner.h"

#include <algorithm>
#include <map>
#include <set>

namespace idc::digits {

const char *fieldName(Field field) {
  static const char *const names[numFields] = {"reg", "lane", "warp", "rank", "block", "device", "turn"};
  return names[static_cast<int>(field)];
}

void Mapping::push(Field field, int digit, int radix) { (*this)[field].push_back({{digit}, radix}); }

bool Mapping::find(int digit, Place &place) const {
  for (int f = 0; f < numFields; ++f)
    for (size_t i = 0; i < columns[f].size(); ++i)
      if (columns[f][i].digits.size() == 1 && columns[f][i].digits.front() == digit) {
        place = {static_cast<Field>(f), static_cast<int>(i)};
        return true;
      }
  return false;
}

bool Mapping::isDigitForm() const {
  for (const auto &field : columns)
    for (const Column &column : field)
      if (column.digits.size() != 1)
        return false;
  return true;
}

std::vector<int> Mapping::digits() const {
  std::set<int> held;
  for (const auto &field : columns)
    for (const Column &column : field)
      held.insert(column.digits.begin(), column.digits.end());
  return {held.begin(), held.end()};
}

std::vector<int> Mapping::missing(int numDigits) const {
  const std::vector<int> held = digits();
  std::vector<int> result;
  for (int digit = 1; digit <= numDigits; ++digit)
    if (!std::binary_search(held.begin(), held.end(), digit))
      result.push_back(digit);
  return result;
}

std::vector<Column> Mapping::threads() const {
  std::vector<Column> all = (*this)[Field::Lane];
  all.insert(all.end(), (*this)[Field::Warp].begin(), (*this)[Field::Warp].end());
  return all;
}

void Mapping::splitThreads(int64_t lanes) {
  std::vector<Column> all = threads();
  size_t count = 0;
  for (int64_t extent = 1; count < all.size() && extent * all[count].radix <= lanes; ++count)
    extent *= all[count].radix;
  const auto border = all.begin() + static_cast<std::ptrdiff_t>(count);
  (*this)[Field::Lane].assign(all.begin(), border);
  (*this)[Field::Warp].assign(border, all.end());
}

int64_t Mapping::extent(Field field) const {
  int64_t product = 1;
  for (const Column &column : (*this)[field])
    product *= column.radix;
  return product;
}

int Mapping::radix(int digit) const {
  for (const auto &field : columns)
    for (const Column &column : field)
      if (std::binary_search(column.digits.begin(), column.digits.end(), digit))
        return column.radix;
  return 2;
}

void Mapping::contribute(Field field, int64_t value, std::vector<int64_t> &digitValues) const {
  for (const Column &column : (*this)[field]) {
    const int64_t digitValue = value % column.radix;
    value /= column.radix;
    for (int digit : column.digits) {
      if (static_cast<int>(digitValues.size()) < digit)
        digitValues.resize(digit, 0);
      if (column.radix == 2)
        digitValues[digit - 1] ^= digitValue;
      else
        digitValues[digit - 1] += digitValue;
    }
  }
}

Mapping Mapping::without(const std::vector<int> &digits) const {
  Mapping rest = *this;
  for (std::vector<Column> &field : rest.columns)
    field.erase(std::remove_if(field.begin(), field.end(),
                               [&](const Column &column) {
                                 return column.digits.size() == 1 &&
                                        std::find(digits.begin(), digits.end(), column.digits[0]) != digits.end();
                               }),
                field.end());
  return rest;
}

Mapping Mapping::projected(const std::vector<int> &kept, int numDigits) const {
  Mapping result;
  for (Field field : {Field::Reg, Field::Lane, Field::Warp, Field::Rank, Field::Block, Field::Device, Field::Turn})
    for (const Column &column : (*this)[field]) {
      Column own{{}, column.radix};
      for (int digit : column.digits) {
        const auto place = std::find(kept.begin(), kept.end(), digit);
        if (place != kept.end())
          own.digits.push_back(static_cast<int>(place - kept.begin()) + 1);
        else if (digit > numDigits)
          own.digits.push_back(digit - numDigits + static_cast<int>(kept.size()));
      }
      std::sort(own.digits.begin(), own.digits.end());
      if (!own.digits.empty() || field == Field::Rank || field == Field::Turn)
        result[field].push_back(std::move(own));
    }
  return result;
}

std::string Mapping::check() const {
  std::map<int, int> radices; // of every digit
  std::map<int, int> alone;   // how many columns hold just this digit
  for (const auto &field : columns)
    for (const Column &column : field) {
      if (column.radix < 2)
        return "a column has radix " + std::to_string(column.radix);
      if (column.digits.size() > 1 && column.radix != 2)
        return "an XOR column needs digits of radix 2";
      for (size_t i = 0; i < column.digits.size(); ++i) {
        const int digit = column.digits[i];
        if (digit < 1)
          return "digit " + std::to_string(digit) + " does not exist";
        if (i > 0 && column.digits[i - 1] >= digit)
          return "the digits of an XOR column must be distinct and ascending";
        if (radices.emplace(digit, column.radix).first->second != column.radix)
          return "digit " + std::to_string(digit) + " has two radices";
      }
      if (column.digits.size() == 1 && ++alone[column.digits.front()] > 1)
        return "digit " + std::to_string(column.digits.front()) + " is held twice";
    }
  if (radices.size() > 64)
    return "more than 64 digits are held";

  // Digits of other radices stand alone (checked above); the radix-2 columns must be independent and reach every digit.
  std::map<int, int> bits;
  for (const auto &[digit, radix] : radices)
    if (radix == 2)
      bits.emplace(digit, static_cast<int>(bits.size()));
  gf2::Matrix matrix;
  std::vector<int> owners;
  for (int f = 0; f < numFields; ++f)
    for (const Column &column : columns[f]) {
      if (column.radix != 2 || column.digits.empty())
        continue;
      gf2::Vector vector = 0;
      for (int digit : column.digits)
        vector |= gf2::Vector(1) << bits[digit];
      gf2::Vector earlier;
      if (gf2::solve(matrix, vector, earlier)) {
        std::set<int> fields{f};
        for (size_t i = 0; i < matrix.size(); ++i)
          if (earlier >> i & 1)
            fields.insert(owners[i]);
        std::string names;
        for (int field : fields)
          names += (names.empty()               ? ""
                    : field == *fields.rbegin() ? " and "
                                                : ", ") +
                   std::string(fieldName(static_cast<Field>(field)));
        return "the columns of " + names + " are dependent";
      }
      matrix.push_back(vector);
      owners.push_back(f);
    }
  if (matrix.size() < bits.size())
    return "the columns reach only " + std::to_string(matrix.size()) + " of " + std::to_string(bits.size()) +
           " digits of radix 2";
  return "";
}

std::string Mapping::str() const {
  std::string text;
  for (int f = 0; f < numFields; ++f) {
    const auto &list = columns[f];
    if (list.empty())
      continue;
    text += (text.empty() ? "" : " ") + std::string(fieldName(static_cast<Field>(f))) + "(";
    for (size_t i = list.size(); i > 0;) {
      const Column &column = list[i - 1];
      if (i != list.size())
        text += ", ";
      if (column.digits.empty()) {
        text += column.radix == 2 ? "_" : "_:" + std::to_string(column.radix);
        --i;
      } else if (column.digits.size() > 1) {
        for (size_t k = 0; k < column.digits.size(); ++k)
          text += (k ? "^" : "(") + std::to_string(column.digits[k]);
        text += ")";
        --i;
      } else {
        const int first = column.digits.front();
        int last = first;
        for (--i; i > 0 && list[i - 1].digits == std::vector<int>{last - 1}; --i)
          --last;
        text += std::to_string(first);
        if (last != first)
          text += ".." + std::to_string(last);
      }
    }
    text += ")";
  }
  return text;
}

namespace {
/// Reads the text of Mapping::str(); the first mistake is kept in `error`.
class Reader {
public:
  Reader(const std::string &text, const std::vector<int> &radices, std::string &error)
      : whole(text), radices(radices), error(error) {}

  bool mapping(Mapping &out) {
    while (!text.atEnd())
      if (!field(out))
        return false;
    return true;
  }

private:
  bool failAt(size_t column, const std::string &message) {
    error = message + " at column " + std::to_string(column) + " of '" + whole + "'";
    return false;
  }
  bool fail(const std::string &message) { return failAt(text.column(), message); }
  bool number(int &value) {
    const size_t column = text.column();
    const std::optional<int64_t> read = text.number<int64_t>();
    if (!read || *read < 1 || *read >= 100000)
      return failAt(column, "expected a digit number");
    value = static_cast<int>(*read);
    return true;
  }
  int radix(int digit) const { return digit <= static_cast<int>(radices.size()) ? radices[digit - 1] : 2; }

  bool field(Mapping &out) {
    const size_t column = text.column();
    const std::string_view name = text.name();
    int f = 0;
    while (f < numFields && name != fieldName(static_cast<Field>(f)))
      ++f;
    if (f == numFields)
      return failAt(column, "expected reg, lane, warp, rank, block, device or turn");
    auto &columns = out.columns[f];
    if (!columns.empty())
      return failAt(column, "field " + std::string(name) + " is given twice");
    if (!text.accept("("))
      return fail("expected '('");
    while (!text.accept(")")) {
      if (text.atEnd())
        return fail("expected ')'");
      if (!item(columns))
        return false;
      text.accept(",");
    }
    std::reverse(columns.begin(), columns.end());
    return true;
  }

  bool item(std::vector<Column> &columns) {
    if (text.accept("_")) {
      int values = 2;
      if (text.accept(":") && !number(values))
        return false;
      columns.push_back({{}, values});
      return true;
    }
    if (text.accept("("))
      return exclusiveOr(columns);
    int high, low;
    if (!number(high))
      return false;
    low = high;
    if (text.accept("..") && !number(low))
      return false;
    if (low > high)
      return fail("a range of digits runs from high to low");
    for (int digit = high; digit >= low; --digit)
      columns.push_back({{digit}, radix(digit)});
    return true;
  }

  bool exclusiveOr(std::vector<Column> &columns) {
    Column column;
    do {
      int digit;
      if (!number(digit))
        return false;
      if (std::find(column.digits.begin(), column.digits.end(), digit) != column.digits.end())
        return fail("digit " + std::to_string(digit) + " stands twice in an XOR column");
      column.digits.push_back(digit);
    } while (text.accept("^"));
    if (!text.accept(")"))
      return fail("expected '^' or ')'");
    std::sort(column.digits.begin(), column.digits.end());
    column.radix = radix(column.digits.front());
    for (int digit : column.digits)
      if (column.digits.size() > 1 && radix(digit) != 2)
        return fail("digit " + std::to_string(digit) + " of an XOR column does not have radix 2");
    columns.push_back(std::move(column));
    return true;
  }

  const std::string &whole;
  const std::vector<int> &radices;
  std::string &error;
  host::Scanner text{whole};
};
} // namespace

bool Mapping::parse(const std::string &text, const std::vector<int> &radices, Mapping &out, std::string &error) {
  Mapping result;
  if (!Reader(text, radices, error).mapping(result))
    return false;
  out = std::move(result);
  return true;
}

AccessCount countAccess(const Mapping &mapping, const AddressOrder &order, int64_t elementBytes, int vectorColumns) {
  const auto &regs = mapping[Field::Reg];
  int64_t vector = 1;
  for (int i = 0; i < vectorColumns && i < static_cast<int>(regs.size()); ++i)
    vector *= regs[i].radix;

  AccessCount worst;
  std::set<int64_t> elements;
  for (int64_t warp = 0; warp < mapping.extent(Field::Warp); ++warp)
    for (int64_t reg = 0; reg < mapping.extent(Field::Reg); reg += vector) {
      elements.clear();
      for (int64_t lane = 0; lane < mapping.extent(Field::Lane); ++lane)
        for (int64_t v = 0; v < vector; ++v) {
          std::vector<int64_t> values;
          mapping.contribute(Field::Reg, reg + v, values);
          mapping.contribute(Field::Lane, lane, values);
          mapping.contribute(Field::Warp, warp, values);
          int64_t address = 0, weight = 1;
          for (int digit : order) {
            if (digit <= static_cast<int>(values.size()))
              address += weight * values[digit - 1];
            weight *= mapping.radix(digit);
          }
          elements.insert(address);
        }
      std::set<int64_t> sectors;
      int64_t shortest = 0, run = 0, previous = -2;
      for (int64_t element : elements) {
        for (int64_t s = element * elementBytes / 32; s <= (element * elementBytes + elementBytes - 1) / 32; ++s)
          sectors.insert(s);
        if (element != previous + 1) {
          if (run && (!shortest || run < shortest))
            shortest = run;
          run = 0;
        }
        ++run;
        previous = element;
      }
      if (run && (!shortest || run < shortest))
        shortest = run;
      if (!worst.minRun || shortest * elementBytes < worst.minRun)
        worst.minRun = shortest * elementBytes;
      worst.sectors = std::max(worst.sectors, static_cast<int64_t>(sectors.size()));
      worst.usefulBytes = std::max(worst.usefulBytes, static_cast<int64_t>(elements.size()) * elementBytes);
    }
  return worst;
}

} // namespace idc::digits
