//===- Distribution.cpp - how random numbers are drawn --------------------===//

#include "host/Distribution.h"
#include "host/Error.h"

#include <regex>

namespace idc::host {

Distribution Distribution::parse(const std::string &text) {
  static const std::regex form(R"((?:([0-9]{1,9}(?:\.[0-9]{1,9})?)\+)?(?:(normal|uniform)|\|(normal|uniform)\|))"
                               R"((?:,zero/([1-9][0-9]{0,8}))?)");
  std::smatch part;
  if (!std::regex_match(text, part, form))
    throw Error("a distribution is [OFFSET+]normal, [OFFSET+]|uniform| and so on, then [,zero/PERIOD], not '" + text +
                "'");
  Distribution result;
  result.offset = part[1].matched ? std::stod(part[1]) : 0;
  result.magnitude = part[3].matched;
  result.uniform = (result.magnitude ? part[3] : part[2]) == "uniform";
  result.zeroPeriod = part[4].matched ? std::stoll(part[4]) : 0;
  return result;
}

} // namespace idc::host
