#include "host/NamedValues.h"

#include "host/Error.h"
#include "host/Scanner.h"

std::pair<std::string, std::string> idc::host::namedValue(std::string_view text) {
  Scanner scanner(text);
  const std::string_view name = scanner.until("=");
  return {std::string(name), std::string(scanner.accept("=") ? scanner.until("") : "")};
}

std::map<std::string, std::string> idc::host::namedValues(const std::string &option,
                                                          const std::vector<std::string> &texts) {
  std::map<std::string, std::string> values;
  for (const std::string &text : texts) {
    const auto [name, value] = namedValue(text);
    if (name.empty() || value.empty())
      throw Error(option + " needs NAME=VALUE, not '" + text + "'");
    if (!values.emplace(name, value).second)
      throw Error(option + " " + name + " is given twice");
  }
  return values;
}
