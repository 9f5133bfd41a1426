// Options that give something for each of several names: --scalar a=1 --scalar b=2.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace idc::host {

/// NAME and VALUE of a text NAME=VALUE, without blanks around them; empty where one is missing.
std::pair<std::string, std::string> namedValue(std::string_view text);

/// What `option` gives, by name, from texts NAME=VALUE. Throws Error when one has another form or a name comes twice.
std::map<std::string, std::string> namedValues(const std::string &option, const std::vector<std::string> &texts);

} // namespace idc::host
