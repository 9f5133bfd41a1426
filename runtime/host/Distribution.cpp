//===- Distribution.cpp - how random numbers are drawn --------------------===//

#include "host/Distribution.h"
#include "host/Error.h"
#include "host/Scanner.h"

namespace idc::host {

/// An offset and a period are less.
static constexpr int64_t bound = 1000000000;

/// Reads what stands before the period, and after '+' where there is an offset; false when it is something else.
static bool readForm(Scanner &scanner, Distribution &result) {
  if (const std::optional<double> offset = scanner.number<double>()) {
    result.offset = *offset;
    if (result.offset < 0 || result.offset >= bound || !scanner.accept("+"))
      return false;
  }
  result.magnitude = scanner.accept("|");
  const std::string_view form = scanner.name();
  result.uniform = form == "uniform";
  return (result.uniform || form == "normal") && (!result.magnitude || scanner.accept("|"));
}

Distribution Distribution::parse(const std::string &text) {
  Distribution result;
  Scanner scanner(text);
  bool known = readForm(scanner, result);
  if (known && scanner.accept(",")) {
    result.zeroPeriod = scanner.accept("zero") && scanner.accept("/") ? scanner.number<int64_t>().value_or(0) : 0;
    known = result.zeroPeriod > 0 && result.zeroPeriod < bound;
  }
  if (!known || !scanner.atEnd())
    throw Error("a distribution is [OFFSET+]normal, [OFFSET+]|uniform| and so on, then [,zero/PERIOD], not '" + text +
                "'");
  return result;
}

} // namespace idc::host
