#include "compiler/explain/Svg.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace idc;
using namespace idc::explain;
using llvm::formatv;
using llvm::StringRef;

static constexpr StringRef styleSheet = R"(
svg{--ink:#222;--faint:#555;--wire:#444;--moved:#2a6fb0;--carried:#b0662a;--node:#a03040;--step:#f3ead0}
@media (prefers-color-scheme:dark){
svg{--ink:#e4e4e4;--faint:#aaa;--wire:#999;--moved:#6cb0f0;--carried:#e09a5a;--node:#e06a7a;--step:#4a4430}
}
text{font:12px sans-serif;fill:var(--ink)}
a text{text-decoration:underline dotted}
.title{font-weight:bold;font-size:14px}
.digit{font-size:10px;fill:var(--faint)}
.exponent{font-size:9px;fill:var(--faint)}
.cell{font-size:10px;fill:#fff}
.wire{stroke:var(--wire);stroke-width:1.2;fill:none}
.moved{stroke:var(--moved);stroke-width:1.4;fill:none}
.carried{stroke:var(--carried);stroke-width:1;fill:none;stroke-dasharray:4 3}
.link{stroke:var(--node);stroke-width:1.4;fill:none}
.node{fill:var(--node)}
.point{fill:#e0b040}
.step{fill:var(--step)}
.reg{fill:#a03040}.lane{fill:#2a6fb0}.warp{fill:#3a8a5a}.rank{fill:#b0662a}.block{fill:#777}.turn{fill:#4a3a8a}
)";

std::string explain::escaped(StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(text, os);
  return result;
}

void Svg::reach(double x, double y) {
  width = std::max(width, x);
  height = std::max(height, y);
}

void Svg::line(double x1, double y1, double x2, double y2, StringRef style) {
  shapes +=
      formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" y2=\"{3:f1}\" class=\"{4}\"/>\n", x1, y1, x2, y2, style);
  reach(std::max(x1, x2), std::max(y1, y2));
}

void Svg::arc(double x, double y1, double y2, double out, StringRef style) {
  shapes += formatv("<path d=\"M{0:f1} {1:f1}C{2:f1} {1:f1} {2:f1} {3:f1} {0:f1} {3:f1}\" class=\"{4}\"/>\n", x, y1,
                    x + out, y2, style);
  reach(x + out, std::max(y1, y2));
}

void Svg::circle(double x, double y, double radius, StringRef style) {
  shapes += formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"{2:f1}\" class=\"{3}\"/>\n", x, y, radius, style);
  reach(x + radius, y + radius);
}

void Svg::box(double x, double y, double w, double h, StringRef style, StringRef hint) {
  shapes += formatv("<rect x=\"{0:f1}\" y=\"{1:f1}\" width=\"{2:f1}\" height=\"{3:f1}\" rx=\"3\" class=\"{4}\"", x, y,
                    w, h, style);
  shapes += hint.empty() ? std::string("/>\n") : "><title>" + escaped(hint) + "</title></rect>\n";
  reach(x + w, y + h);
}

void Svg::text(double x, double y, StringRef words, Align align, StringRef style, StringRef hint, StringRef link) {
  static constexpr const char *anchors[] = {"start", "middle", "end"};
  if (!link.empty())
    shapes += formatv("<a href=\"{0}\">", escaped(link));
  shapes += formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"{2}\" class=\"{3}\">{4}", x, y,
                    anchors[static_cast<int>(align)], style, escaped(words));
  if (!hint.empty())
    shapes += "<title>" + escaped(hint) + "</title>";
  shapes += link.empty() ? "</text>\n" : "</text></a>\n";
  // No font is at hand: letters are taken to be wide ones.
  double length = 7.5 * static_cast<double>(words.size());
  reach(x + (align == Align::Left ? length : align == Align::Middle ? length / 2 : 0), y + 4);
}

std::string Svg::document(StringRef title) const {
  constexpr double margin = 10;
  auto size = [](double length) { return static_cast<int64_t>(std::ceil(length + margin)); };
  return formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                 "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n{4}</svg>\n",
                 size(width), size(height), escaped(title), styleSheet, shapes)
      .str();
}
