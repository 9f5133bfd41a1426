// One page with everything, which needs no network and no scripts.
#pragma once

#include "compiler/explain/Facts.h"

namespace idc::explain {

std::string htmlPage(const Facts &facts);

} // namespace idc::explain
