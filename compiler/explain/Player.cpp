#include "compiler/explain/Player.h"

#include "compiler/explain/Svg.h"
#include "compiler/explain/Text.h"
#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/ScalarArrays.h"
#include "host/ElementText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace idc;
using namespace idc::explain;
using digits::Field;
using digits::Mapping;
using frontend::Scalar;

static constexpr llvm::StringRef script =
#include "compiler/explain/Player.inc"
    ;

static constexpr int64_t mostElements = 64, mostRegisters = 64, shownThreads = 32;
static constexpr size_t mostSteps = 200;

namespace {

struct Row {
  std::string label;
  std::vector<std::string> cells;
};

struct Table {
  std::string caption;
  std::vector<std::string> columns; // the labels' own first
  std::vector<Row> rows;
};

struct Frame {
  std::string title, note;
  std::vector<Table> tables;
};

std::string toJson(const std::vector<Frame> &frames) {
  llvm::json::Array array;
  for (const Frame &frame : frames) {
    llvm::json::Array tables;
    for (const Table &table : frame.tables) {
      llvm::json::Array rows;
      for (const Row &row : table.rows)
        rows.push_back(llvm::json::Object{{"label", row.label}, {"cells", row.cells}});
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

std::string player(llvm::StringRef heading, const std::vector<Frame> &frames) {
  if (frames.empty())
    return {};
  return "<h2>" + escaped(heading) +
         "</h2>\n<div class=\"player\" tabindex=\"0\">\n<button>←</button> <button>→</button> " +
         "<b class=\"title\"></b><div class=\"note\"></div><div class=\"view\"></div>\n" +
         "<script type=\"application/json\">" + toJson(frames) + "</script>\n</div>\n";
}

//===--- values -------------------------------------------------------------------------------------------------===//

int64_t elementsOf(const frontend::Sequence &sequence) {
  int64_t elements = 1;
  for (int radix : sequence.radices)
    elements *= radix;
  return elements;
}

/// High digits as rows, as many low ones as make up to eight columns.
Table tableOf(const std::string &caption, const std::vector<Scalar> &leaves, const frontend::Sequence &sequence) {
  constexpr int64_t mostColumns = 8;
  const auto type = host::ElementType::parse(frontend::spellStructure(*sequence.element));
  const npy::Array values = frontend::toArray(leaves, type);
  const int64_t elements = elementsOf(sequence);
  std::vector<int> low, high = sequence.radices;
  int64_t columns = 1;
  while (!high.empty() && columns * high.front() <= mostColumns) {
    columns *= high.front();
    low.push_back(high.front());
    high.erase(high.begin());
  }
  const int all = static_cast<int>(sequence.radices.size()), lowest = static_cast<int>(low.size());
  Table table{caption, {""}, {}};
  if (!high.empty())
    table.columns[0] = host::digitNames(all, lowest + 1) + (low.empty() ? "" : " \\ ");
  if (!low.empty())
    table.columns[0] += host::digitNames(lowest, 1);
  for (int64_t column = 0; column < columns; ++column)
    table.columns.push_back(host::digitsText(host::digitsOf(column, low)));
  for (int64_t row = 0; row < elements / columns; ++row) {
    table.rows.push_back({host::digitsText(host::digitsOf(row, high)), {}});
    for (int64_t column = 0; column < columns; ++column)
      table.rows.back().cells.push_back(
          host::elementText(values, row * columns + column, values.elements() / elements));
  }
  return table;
}

/// Every leaf of element k is k, or what its type has of that.
std::vector<Scalar> numbered(const frontend::Sequence &sequence) {
  std::vector<Scalar> leaves;
  const std::vector<frontend::TypeRef> types = frontend::leaves(sequence.element);
  for (int64_t element = 0; element < elementsOf(sequence); ++element)
    for (const frontend::TypeRef &type : types) {
      Scalar leaf;
      leaf.re = static_cast<long double>(element);
      leaf.integer = type->kind == frontend::Type::Kind::Bool ? element % 2
                     : type->kind == frontend::Type::Kind::Mod
                         ? element % static_cast<int64_t>(std::min<uint64_t>(type->modulus, INT64_MAX))
                         : element;
      leaves.push_back(leaf);
    }
  return leaves;
}

/// The inputs, then what every step gives.
std::vector<Frame> valueFrames(const Facts &facts) {
  const frontend::Program &program = *facts.program;
  if (program.steps.size() > mostSteps ||
      llvm::any_of(program.values, [](const auto &value) { return elementsOf(value) > mostElements; }))
    return {};
  std::vector<Frame> frames{{"the inputs", "element k has the value k; scalars are 1", {}}};
  std::vector<std::vector<Scalar>> inputs, results;
  for (const frontend::Parameter &input : program.inputs) {
    const frontend::Sequence &sequence = program.values[static_cast<size_t>(input.value)];
    inputs.push_back(numbered(sequence));
    frames.back().tables.push_back(tableOf(input.name, inputs.back(), sequence));
  }
  std::string error;
  auto observe = [&](size_t number, const std::vector<const std::vector<Scalar> *> &given) {
    const frontend::Step &step = program.steps[number];
    const StepSource &source = facts.stepSources[number];
    frames.push_back({describe(program, step), source.place + (source.text.empty() ? "" : ": " + source.text), {}});
    for (const auto &[value, leaves] : llvm::zip(step.outputs, given))
      frames.back().tables.push_back(tableOf("", *leaves, program.values[static_cast<size_t>(value)]));
  };
  const std::vector<Scalar> scalars(program.scalars.size(), Scalar{1, 0, 1});
  const bool isEvaluated = frontend::evaluate(program, inputs, scalars, results, error, observe);
  return isEvaluated ? frames : std::vector<Frame>();
}

//===--- kernels ------------------------------------------------------------------------------------------------===//

/// The digits of the elements in the registers of a block's first threads, most significant first.
Table heldBy(const Mapping &mapping, int highest) {
  const int64_t registers = mapping.extent(Field::Reg), lanes = mapping.extent(Field::Lane);
  Table table{
      "digits " + (highest > 1 ? std::to_string(highest) + "…1" : "1") + " of the element", {"lane \\ register"}, {}};
  for (int64_t reg = 0; reg < registers; ++reg)
    table.columns.push_back(std::to_string(reg));
  for (int64_t lane = 0; lane < std::min(lanes, shownThreads); ++lane) {
    table.rows.push_back({std::to_string(lane), {}});
    for (int64_t reg = 0; reg < registers; ++reg) {
      std::vector<int64_t> values(static_cast<size_t>(highest), 0);
      mapping.contribute(Field::Lane, lane, values);
      mapping.contribute(Field::Reg, reg, values);
      table.rows.back().cells.push_back(host::digitsText({values.begin(), values.end()}));
    }
  }
  return table;
}

/// What the first warp holds after every load, exchange and group of steps of a kernel.
std::vector<Frame> kernelFrames(const Kernel &kernel) {
  std::vector<std::pair<Frame, Mapping>> held;
  for (const Event &event : kernel.events) {
    if (const auto *access = std::get_if<Access>(&event))
      held.push_back(
          {{(access->isStore ? "store " : "load ") + access->buffer, countedOf(*access), {}}, access->mapping});
    else if (const auto *stage = std::get_if<Stage>(&event))
      held.push_back({{"steps: " + spell(stage->steps), "", {}}, stage->mapping});
    else if (const auto *exchange = std::get_if<Exchange>(&event))
      held.push_back({{"exchange: " + exchange->kind, countedOf(*exchange), {}}, exchange->target});
  }
  int highest = 1;
  for (const auto &[frame, mapping] : held) {
    if (mapping.extent(Field::Reg) > mostRegisters)
      return {};
    for (int digit : mapping.digits())
      highest = std::max(highest, digit);
  }
  std::vector<Frame> frames;
  for (auto &[frame, mapping] : held) {
    frame.note += (frame.note.empty() ? "" : "; ") + mapping.str();
    frame.tables.push_back(heldBy(mapping, highest));
    frames.push_back(std::move(frame));
  }
  return frames;
}

} // namespace

std::string explain::players(const Facts &facts) {
  std::string text = player("Step through: the values", valueFrames(facts));
  for (const Kernel &kernel : facts.kernels)
    text += player("Step through: what the first warp of " + kernel.name + " holds", kernelFrames(kernel));
  return text.empty() ? text : text + "<script>\n" + script.str() + "</script>\n";
}
