#include "compiler/explain/Player.h"

#include "compiler/explain/Frames.h"
#include "compiler/explain/Svg.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace idc;
using namespace idc::explain;

static constexpr llvm::StringRef script =
#include "compiler/explain/Player.inc"
    ;

namespace {

/// What no cell of the row has is left out.
llvm::json::Object toJson(const Row &row) {
  llvm::json::Array cells, values, accessed;
  for (const auto &[column, cell] : llvm::enumerate(row.cells)) {
    cells.push_back(cell.text);
    values.push_back(cell.value);
    if (cell.isAccessed)
      accessed.push_back(static_cast<int64_t>(column));
  }
  llvm::json::Object object{{"label", row.label}, {"cells", std::move(cells)}};
  if (llvm::any_of(row.cells, [](const Cell &cell) { return !cell.value.empty(); }))
    object["values"] = std::move(values);
  if (!accessed.empty())
    object["accessed"] = std::move(accessed);
  return object;
}

std::string toJson(const std::vector<Frame> &frames) {
  llvm::json::Array array;
  for (const Frame &frame : frames) {
    llvm::json::Array tables;
    for (const Table &table : frame.tables) {
      llvm::json::Array rows;
      for (const Row &row : table.rows)
        rows.push_back(toJson(row));
      tables.push_back(
          llvm::json::Object{{"caption", table.caption}, {"columns", table.columns}, {"rows", std::move(rows)}});
    }
    array.push_back(llvm::json::Object{{"title", frame.title}, {"note", frame.note}, {"tables", std::move(tables)}});
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(array));
  // Nothing in a script element may look like the end of it.
  std::string escapedText;
  for (char c : text)
    escapedText += c == '<' ? "\\u003c" : std::string(1, c);
  return escapedText;
}

/// `style`: "values", or "elements" where cells name elements, which move.
std::string player(llvm::StringRef heading, llvm::StringRef style, const std::vector<Frame> &frames) {
  if (frames.empty())
    return {};
  return "<h2>" + escaped(heading) + "</h2>\n<div class=\"player " + style.str() +
         "\" tabindex=\"0\">\n<button>←</button> <button>→</button> " +
         "<b class=\"title\"></b><div class=\"note\"></div><div class=\"view\"></div>\n" +
         "<script type=\"application/json\">" + toJson(frames) + "</script>\n</div>\n";
}

} // namespace

std::string explain::players(const Facts &facts) {
  std::string text = player("Step through: the values", "values", valueFrames(facts));
  for (const auto &[number, kernel] : llvm::enumerate(facts.kernels))
    text += player("Step through: where elements are in " + kernel.name, "elements", kernelFrames(facts, number));
  return text.empty() ? text : text + "<script>\n" + script.str() + "</script>\n";
}
