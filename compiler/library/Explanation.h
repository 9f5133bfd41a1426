// What `idc explain` shows, as data for applications.
#pragma once

#include "compiler/explain/Facts.h"

#include <string>

namespace idc::library {

/// The JSON that idc_result_explanation() describes.
std::string explanation(const explain::Facts &facts);

} // namespace idc::library
