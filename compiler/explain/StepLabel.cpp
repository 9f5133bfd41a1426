#include "compiler/explain/StepLabel.h"

#include "llvm/Support/Path.h"

#include <algorithm>

using namespace idc;
using namespace idc::explain;
using llvm::StringRef;

std::string explain::lineAnchor(const StepSource &source) { return llvm::sys::path::filename(source.place).str(); }

void explain::drawStepLabel(Svg &svg, double x, double y, StringRef label, const StepSource &source, Links links,
                            StringRef style) {
  const bool isLinked = links == Links::Lines && !source.place.empty();
  const std::string hint = source.place + (source.text.empty() ? "" : ": " + source.text);
  svg.text(x, y, label, Svg::Align::Left, style, hint, isLinked ? "#" + lineAnchor(source) : "");
}

void explain::drawLegend(Svg &svg, const std::vector<std::pair<StringRef, StringRef>> &entries) {
  const double edge = std::max(svg.right(), 640.0);
  double x = 0, y = svg.bottom() + 28;
  for (const auto &[style, words] : entries) {
    const double width = 44 + 5.5 * static_cast<double>(words.size());
    if (x > 0 && x + width > edge) {
      x = 0;
      y += 18;
    }
    if (style == "node" || style == "point")
      svg.circle(x + 10, y, 4, style);
    else if (style == "step")
      svg.box(x, y - 5, 20, 10, style);
    else
      svg.line(x, y, x + 20, y, style);
    svg.text(x + 26, y + 4, words, Svg::Align::Left, "digit");
    x += width;
  }
}
