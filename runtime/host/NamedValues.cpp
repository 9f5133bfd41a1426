#include "host/NamedValues.h"

#include "host/Error.h"

std::map<std::string, std::string> idc::host::namedValues(const std::string &option,
                                                          const std::vector<std::string> &texts) {
  std::map<std::string, std::string> values;
  for (const std::string &text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw Error(option + " needs NAME=VALUE, not '" + text + "'");
    if (!values.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw Error(option + " " + text.substr(0, equals) + " is given twice");
  }
  return values;
}
