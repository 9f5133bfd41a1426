//===- ValueTable.cpp - the elements of an operand as a table -------------===//

#include "host/ValueTable.h"
#include "host/ElementText.h"

#include <algorithm>
#include <string>

namespace idc::host {

namespace {

constexpr int64_t mostColumns = 8, mostValuesOfOneDigit = 16;
constexpr size_t mostCharacters = 110; // of a line, but for the margin
constexpr int64_t mostRows = 16, firstRows = 8, lastRows = 2;

int64_t productOf(const std::vector<int> &radices) {
  int64_t product = 1;
  for (int radix : radices)
    product *= radix;
  return product;
}

/// Digits whose values are columns: as many of the lowest as fit side by side; none for elements of several numbers.
size_t columnDigits(const npy::Array &values, int64_t components, const std::vector<int> &radices) {
  if (!values.fields.empty() || components > 1)
    return 0;
  size_t digits = 0;
  for (int64_t columns = 1; digits < radices.size(); ++digits) {
    columns *= radices[digits];
    if (columns > (digits == 0 ? mostValuesOfOneDigit : mostColumns))
      break;
  }
  return digits;
}

/// Columns that a terminal needs: characters, not bytes.
size_t width(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string rightAligned(const std::string &text, size_t columns) {
  return std::string(columns - std::min(columns, width(text)), ' ') + text;
}

} // namespace

using Cells = std::vector<std::vector<std::string>>;

/// The table with `low` digits as columns, row by row, the labels first; an empty row stands for those left out.
static Cells cellsOf(const npy::Array &values, int64_t elements, const std::vector<int> &radices, size_t low) {
  const std::vector<int> columnRadices(radices.begin(), radices.begin() + std::ptrdiff_t(low)),
      rowRadices(radices.begin() + std::ptrdiff_t(low), radices.end());
  const int64_t columns = productOf(columnRadices), rows = elements / columns;
  Cells cells(1);
  cells[0].push_back(rowRadices.empty() ? "" : digitNames(int(radices.size()), int(low) + 1));
  if (low > 0)
    cells[0][0] += (cells[0][0].empty() ? "" : " \\ ") + digitNames(int(low), 1);
  for (int64_t column = 0; column < columns; ++column)
    cells[0].push_back(digitsText(digitsOf(column, columnRadices)));
  for (int64_t row = 0; row < rows; ++row) {
    if (rows > mostRows && row == firstRows) {
      cells.emplace_back();
      row = rows - lastRows;
    }
    cells.push_back({digitsText(digitsOf(row, rowRadices))});
    for (int64_t column = 0; column < columns; ++column)
      cells.back().push_back(elementText(values, row * columns + column, values.elements() / elements));
  }
  return cells;
}

void printTable(std::ostream &out, const npy::Array &values, const std::vector<int> &radices) {
  const int64_t elements = productOf(radices);
  if (radices.empty()) { // one element, which has no digits
    out << "  " << elementText(values, 0, values.elements()) << "\n";
    return;
  }
  Cells cells;
  size_t label = 0, cell = 0;
  for (size_t low = columnDigits(values, values.elements() / elements, radices);; --low) {
    cells = cellsOf(values, elements, radices, low);
    label = cell = 0;
    for (const std::vector<std::string> &row : cells)
      for (size_t i = 0; i < row.size(); ++i)
        (i == 0 ? label : cell) = std::max(i == 0 ? label : cell, width(row[i]));
    if (low == 0 || label + (cells[0].size() - 1) * (cell + 2) <= mostCharacters)
      break;
  }
  for (const std::vector<std::string> &row : cells) {
    if (row.empty()) {
      out << "  " << rightAligned("…", label) << "  ("
          << elements - (firstRows + lastRows) * int64_t(cells[0].size() - 1) << " elements are not shown)\n";
      continue;
    }
    std::string line = "  " + rightAligned(row[0], label);
    for (size_t i = 1; i < row.size(); ++i)
      line += "  " + rightAligned(row[i], cell);
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

} // namespace idc::host
