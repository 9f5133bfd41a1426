#include "SelectionOption.h"

namespace gpucheck {

static void select(const std::string &text, Selection &selection) {
  const size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  std::vector<std::string> *part = key == "program" ? &selection.programs
                                   : key == "type"  ? &selection.types
                                   : key == "n"     ? &selection.sizes
                                                    : nullptr;
  if (!part || equals == text.npos || equals + 1 == text.size())
    throw CLI::ValidationError("--only", "needs n=…, program=… or type=…, not '" + text + "'");
  *part = CLI::detail::split(text.substr(equals + 1), ',');
}

void addSelection(CLI::App &tool, Selection &selection) {
  tool.add_option_function<std::vector<std::string>>(
          "--only",
          [&selection](const std::vector<std::string> &texts) {
            for (const std::string &text : texts)
              select(text, selection);
          },
          "n=3,8 program=fft,ifft type=f32: only these")
      ->type_name("PART…");
}

} // namespace gpucheck
