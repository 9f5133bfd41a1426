// Options that give something for each of several names: --scalar a=1 --scalar b=2.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace idc::host {

/// What `option` gives, by name, from texts NAME=VALUE. Throws Error when one has another form or a name comes twice.
std::map<std::string, std::string> namedValues(const std::string &option, const std::vector<std::string> &texts);

} // namespace idc::host
