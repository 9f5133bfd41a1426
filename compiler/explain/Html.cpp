#include "compiler/explain/Html.h"

#include "compiler/explain/Pictures.h"
#include "compiler/explain/Player.h"
#include "compiler/explain/Svg.h"
#include "compiler/explain/Text.h"
#include "compiler/frontend/SourceText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace idc;
using namespace idc::explain;
using llvm::formatv;

static constexpr llvm::StringRef pageStyle = R"(
:root{color-scheme:light dark;--ink:#222;--paper:#fff;--edge:#ccc;--faint:#666;--block:#f6f6f6;--mark:#fff2b0;--access:#bfe3c6}
@media (prefers-color-scheme:dark){:root{--ink:#e4e4e4;--paper:#181818;--edge:#555;--faint:#aaa;--block:#242424;--mark:#554c10;--access:#1d4d2a}}
body{font:15px/1.5 sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:var(--ink);background:var(--paper)}
h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}
table{border-collapse:collapse}td,th{border:1px solid var(--edge);padding:.25em .7em;text-align:left}
.picture{overflow:auto;border:1px solid var(--edge);padding:.5em}
pre{overflow:auto;background:var(--block);padding:1em}
.source{max-height:24em}
.player{border:1px solid var(--edge);padding:.5em;overflow:auto}
.player table{margin:.5em 0;font-size:13px;font-variant-numeric:tabular-nums}
.player td{text-align:right;white-space:nowrap}
.player .note{min-height:1.5em}
.player caption{text-align:left;white-space:nowrap}
.player th{white-space:nowrap}
.player th:first-child{position:sticky;left:0;background:var(--paper)}
.player .changed{font-weight:bold}
.player .accessed{background:var(--access)}
.elements td{color:var(--faint);font-size:11px;padding:.15em .4em}
.elements .value{display:block;color:var(--ink);font-size:13px}
.player .same{background:var(--mark)}
.source :target{background:var(--mark)}
)";

/// The files that the steps stand in, with lines that links lead to.
static void printSources(llvm::raw_ostream &os, const Facts &facts) {
  std::vector<std::string> files;
  for (const StepSource &source : facts.stepSources)
    if (std::string file = llvm::StringRef(source.place).rsplit(':').first.str();
        !file.empty() && !llvm::is_contained(files, file))
      files.push_back(std::move(file));
  for (const std::string &file : files) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = frontend::readSource(file);
    if (!text) { // programs that are no files
      llvm::consumeError(text.takeError());
      continue;
    }
    const llvm::StringRef name = llvm::sys::path::filename(file);
    os << "<h2>" << escaped(name) << "</h2>\n<pre class=\"source\">";
    llvm::SmallVector<llvm::StringRef> lines;
    (*text)->getBuffer().rtrim().split(lines, '\n');
    for (auto [number, line] : llvm::enumerate(lines))
      os << formatv("<span id=\"{0}:{1}\">{1,4}  {2}</span>\n", escaped(name), number + 1, escaped(line));
    os << "</pre>\n";
  }
}

std::string explain::htmlPage(const Facts &facts) {
  std::string page;
  llvm::raw_string_ostream os(page);
  auto section = [&](llvm::StringRef title, const std::string &picture) {
    os << "<h2>" << escaped(title) << "</h2>\n<div class=\"picture\">\n" << picture << "</div>\n";
  };
  auto row = [&](llvm::StringRef what, const std::string &value) {
    if (!value.empty())
      os << "<tr><th>" << escaped(what) << "</th><td>" << escaped(value) << "</td></tr>\n";
  };
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" << escaped(facts.symbol)
     << "</title>\n<style>" << pageStyle << "</style>\n</head>\n<body>\n<h1>" << escaped(facts.symbol) << "</h1>\n"
     << "<table>\n";
  row("Algorithm", facts.program->entry + (settingsOf(facts).empty() ? "" : ", " + settingsOf(facts)));
  row("Target", facts.target + ", plan " + facts.plan);
  row("Schedule", facts.schedule);
  for (const std::vector<Array> *arrays : {&facts.inputs, &facts.outputs})
    for (const Array &array : *arrays)
      row(arrays == &facts.inputs ? "Input" : "Result",
          formatv("{0}: {1} of {2}, {3} bytes", array.name, array.elements, array.type,
                  array.elements * array.elementBytes));
  row("Kernels", std::to_string(facts.kernels.size()));
  row("Moved", movedBy(facts));
  row("Predicted", predictedFor(facts));
  row("Measured", measuredFor(facts));
  os << "</table>\n";
  if (std::optional<std::string> circuit = circuitPicture(facts, Links::Lines))
    section("Circuit: elements as wires", *circuit);
  section("Steps on the digits of the index", digitPicture(facts, Links::Lines));
  section("Kernels: who holds which digit", mappingPicture(facts));
  os << players(facts);
  printSources(os, facts);
  std::string text;
  llvm::raw_string_ostream textStream(text);
  printText(textStream, facts);
  os << "<h2>As text</h2>\n<pre>" << escaped(text) << "</pre>\n</body>\n</html>\n";
  return page;
}
