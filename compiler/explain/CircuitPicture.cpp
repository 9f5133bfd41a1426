#include "compiler/explain/Pictures.h"

#include "compiler/explain/StepLabel.h"
#include "compiler/explain/Svg.h"
#include "compiler/explain/Text.h"
#include "compiler/frontend/Evaluate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>
#include <set>

using namespace idc;
using namespace idc::explain;
using frontend::Step;

namespace {

constexpr size_t maxWires = 64, maxSteps = 200;
constexpr double spacing = 16, gap = 14;

/// Values of digits at a linear index and back, least significant first.
std::vector<int64_t> digitsAt(int64_t index, const std::vector<int> &radices) {
  std::vector<int64_t> values;
  for (int radix : radices) {
    values.push_back(index % radix);
    index /= radix;
  }
  return values;
}
int64_t indexOf(const std::vector<int64_t> &values, const std::vector<int> &radices) {
  int64_t index = 0;
  for (size_t digit = radices.size(); digit-- > 0;)
    index = index * radices[digit] + values[digit];
  return index;
}
int64_t count(const std::vector<int> &radices) {
  return std::accumulate(radices.begin(), radices.end(), int64_t(1), std::multiplies<>());
}

class Circuit {
public:
  Circuit(const Facts &facts, Links links)
      : facts(facts), program(*facts.program), links(links), values(program.values.size()) {
    for (const Step &step : program.steps)
      for (int input : step.inputs)
        ++values[input].uses;
    for (int output : program.outputs)
      ++values[output].uses;
  }

  std::optional<std::string> draw() {
    if (program.steps.size() > maxSteps || llvm::any_of(program.values, [](const frontend::Sequence &value) {
          return value.radices.size() > 6 || count(value.radices) > static_cast<int64_t>(maxWires);
        }))
      return std::nullopt;
    for (const Step &step : program.steps) {
      drawStep(step);
      if (wires > maxWires)
        return std::nullopt;
    }
    x += gap;
    for (auto [k, output] : llvm::enumerate(program.outputs)) {
      const Rows rows = take(output);
      for (auto [i, row] : llvm::enumerate(rows))
        svg.text(x + 6, top(row) + 4, "y" + std::to_string(k) + "[" + std::to_string(i) + "]", Svg::Align::Left,
                 "digit");
      extend(output, x);
    }
    if (wires > maxWires)
      return std::nullopt;
    drawLegend(svg, {{"wire", "an element"},
                     {"moved", "an element that a permutation moves"},
                     {"link", "a node, on the elements with dots"},
                     {"point", "a function of the element; the number is the exponent of its root of unity"},
                     {"carried", "a value that is used again"}});
    return svg.document("Circuit of " + program.entry);
  }

private:
  using Rows = std::vector<int>; // of the elements of a value
  struct Value {
    Rows rows;
    double from = 0; // where its wires begin
    int uses = 0;
  };
  const Facts &facts;
  const frontend::Program &program;
  const Links links;
  Svg svg;
  std::vector<Value> values;
  size_t wires = 0;
  double x = 90;

  static double top(int row) { return 40 + row * spacing; }
  const std::vector<int> &radicesOf(int value) const { return program.values[value].radices; }

  Rows freshRows(int64_t number) {
    Rows rows(number);
    std::iota(rows.begin(), rows.end(), static_cast<int>(wires));
    wires += number;
    return rows;
  }

  /// The wire next to `row` on which no value is, nor in `held`; a new one if there is none.
  int nearestFree(int row, const std::set<int> &held) {
    std::optional<int> nearest;
    for (int other = 0; other < static_cast<int>(wires); ++other) {
      bool free = !held.count(other) && llvm::none_of(values, [&](const Value &value) {
        return value.uses > 0 && llvm::is_contained(value.rows, other);
      });
      if (free && (!nearest || std::abs(other - row) < std::abs(*nearest - row)))
        nearest = other;
    }
    return nearest ? *nearest : freshRows(1)[0];
  }

  /// Draws the wires of a value from where they end so far.
  void extend(int value, double to) {
    for (int row : values[value].rows)
      svg.line(values[value].from, top(row), to, top(row), "wire");
  }

  /// Inputs that meet in their first step share wires; sequences that are computed when compiling have their own.
  void begin(const std::vector<int> &inputs) {
    const Rows *shared = nullptr;
    for (int input : inputs) {
      Value &value = values[input];
      const int64_t number = count(radicesOf(input));
      auto parameter = llvm::find_if(program.inputs, [&](const auto &each) { return each.value == input; });
      const bool isConstant = llvm::any_of(program.constants, [&](const auto &each) { return each.value == input; });
      if ((parameter == program.inputs.end() && !isConstant) || !value.rows.empty())
        continue;
      const bool shares = !isConstant && shared && static_cast<int64_t>(shared->size()) == number && value.uses == 1;
      value.rows = shares ? *shared : freshRows(number);
      value.from = x;
      std::vector<std::string> names;
      if (isConstant)
        names.push_back("constant");
      for (const auto &other : program.inputs)
        if (other.value == input ||
            (!shares && values[other.value].rows.empty() && values[other.value].uses == 1 &&
             llvm::is_contained(inputs, other.value) && count(radicesOf(other.value)) == number))
          names.push_back(other.name);
      for (auto [i, row] : llvm::enumerate(value.rows))
        if (!shares)
          svg.text(x - 4, top(row) + 4, llvm::join(names, ",") + "[" + std::to_string(i) + "]", Svg::Align::Right,
                   "digit");
      if (!isConstant)
        shared = &value.rows;
    }
  }

  /// The wires on which a step goes on: the value's own at its last use, else others that branch off.
  Rows take(int value) {
    begin({value});
    if (--values[value].uses == 0)
      return values[value].rows;
    Rows rows = freshRows(static_cast<int64_t>(values[value].rows.size()));
    for (auto [from, to] : llvm::zip(values[value].rows, rows))
      svg.line(x, top(from), x + gap, top(to), "carried");
    branched = true;
    return rows;
  }
  bool branched = false;

  void drawStep(const Step &step) {
    if (wires > maxWires)
      return;
    begin(step.inputs);
    x += gap;
    std::vector<Rows> inputs;
    branched = false;
    const double start = x;
    for (int input : step.inputs)
      inputs.push_back(take(input));
    if (wires > maxWires)
      return;
    if (branched)
      x += gap;
    for (auto [input, rows] : llvm::zip(step.inputs, inputs)) {
      extend(input, start);
      for (int row : rows)
        svg.line(start, top(row), x, top(row), "wire");
    }
    drawStepLabel(svg, x, 20, label(step), facts.stepSources[static_cast<size_t>(&step - program.steps.data())], links,
                  "digit");
    switch (step.kind) {
    case Step::Kind::Permute:
      return drawPermute(step, inputs[0]);
    case Step::Kind::Pointwise:
      return drawPointwise(step, inputs);
    case Step::Kind::Node:
      return drawNode(step, inputs);
    case Step::Kind::Resize:
      return drawResize(step, inputs[0]);
    case Step::Kind::Gather:
    case Step::Kind::Scatter:
      return drawMove(step, inputs[0]);
    }
  }

  std::string label(const Step &step) const {
    return step.kind == Step::Kind::Permute ? step.name : describe(program, step);
  }

  void define(int value, Rows rows) {
    values[value].rows = std::move(rows);
    values[value].from = x;
  }

  void drawPermute(const Step &step, const Rows &rows) {
    const double begin = x;
    x += std::max(60.0, 6.5 * static_cast<double>(label(step).size()));
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t to = step.permutation.destinationIndex(radicesOf(step.inputs[0]), static_cast<int64_t>(i));
      svg.line(begin, top(rows[i]), x, top(rows[to]), to == static_cast<int64_t>(i) ? "wire" : "moved");
    }
    define(step.outputs[0], rows);
  }

  void advance(const Step &step, const std::vector<Rows> &inputs, double width) {
    const double end = x + std::max(width, 6.5 * static_cast<double>(label(step).size()));
    std::set<int> drawn;
    for (const Rows &rows : inputs)
      for (int row : rows)
        if (drawn.insert(row).second)
          svg.line(x, top(row), end, top(row), "wire");
    x = end;
  }

  /// The element of input `i` that belongs to the element of the full arrangement.
  int64_t elementOf(const Step &step, size_t i, const std::vector<int64_t> &full) const {
    const std::vector<int> &radices = radicesOf(step.inputs[i]);
    std::vector<int64_t> own(radices.size());
    if (step.broadcastDigits.empty() || step.broadcastDigits[i].empty()) {
      for (size_t digit = 0; digit < own.size(); ++digit)
        own[digit] = digit < full.size() ? full[digit] : 0;
    } else {
      for (size_t digit = 0; digit < own.size(); ++digit)
        own[digit] = full[step.broadcastDigits[i][digit] - 1];
    }
    return indexOf(own, radices);
  }

  /// The only root of unity of a step whose exponent is a polynomial in digits; null when there is none.
  static const frontend::Instr *rootOf(const Step &step) {
    const frontend::Instr *root = nullptr;
    for (const frontend::Instr &instr : step.body.instrs)
      if (instr.op == frontend::Op::Omega && instr.hasPoly) {
        if (root)
          return nullptr;
        root = &instr;
      }
    return root;
  }

  /// The exponent of the step's only root of unity at an element; empty where the root is 1, and without such a root.
  static std::string exponentAt(const Step &step, const std::vector<int64_t> &digits) {
    const frontend::Instr *root = rootOf(step);
    const int64_t exponent = root ? root->poly.evaluate(digits, root->root) : 0;
    return exponent ? std::to_string(exponent) : "";
  }

  void drawPointwise(const Step &step, const std::vector<Rows> &inputs) {
    const std::vector<int> &radices = radicesOf(step.outputs[0]);
    const int64_t elements = count(radices);
    auto leader =
        llvm::find_if(inputs, [&](const Rows &rows) { return static_cast<int64_t>(rows.size()) == elements; });
    const Rows rows = leader != inputs.end() ? *leader : freshRows(elements);
    const double begin = x + 8;
    double at = begin;
    std::set<int> others;
    for (int64_t e = 0; e < elements; ++e) {
      svg.circle(begin, top(rows[e]), 3.5, "point");
      if (const std::string exponent = exponentAt(step, digitsAt(e, radices)); !exponent.empty())
        svg.text(begin + 5, top(rows[e]) - 3, exponent, Svg::Align::Left, "exponent");
      for (size_t i = 0; i < inputs.size(); ++i) {
        const int other = inputs[i][elementOf(step, i, digitsAt(e, radices))];
        if (other == rows[e])
          continue;
        at += 4;
        svg.line(at, top(other), at, top(rows[e]), "link");
        others.insert(other);
      }
    }
    for (int other : others) // as far as its last link
      svg.line(x, top(other), at, top(other), "wire");
    advance(step, {rows}, std::max(at - x + 8, rootOf(step) ? 34.0 : 0.0));
    for (int output : step.outputs)
      define(output, rows);
  }

  void drawResize(const Step &step, const Rows &from) {
    const std::vector<int> &before = radicesOf(step.inputs[0]), &after = radicesOf(step.outputs[0]);
    const int64_t oldLength = count({before.begin(), before.begin() + step.lowest});
    const int64_t newLength = count(after) / (count(before) / oldLength);
    Rows rows;
    for (int64_t e = 0; e < count(after); ++e)
      rows.push_back(e % newLength < oldLength ? from[e / newLength * oldLength + e % newLength] : freshRows(1)[0]);
    if (wires > maxWires)
      return;
    for (int row : rows)
      svg.circle(x + 8, top(row), 3.5, llvm::is_contained(from, row) ? "step" : "point");
    advance(step, {rows}, 16);
    define(step.outputs[0], rows);
  }

  /// Elements from computed places; which these are may depend on scalars that are given at run time, taken for 0.
  void drawMove(const Step &step, const Rows &from) {
    const std::vector<int> &before = radicesOf(step.inputs[0]), &after = radicesOf(step.outputs[0]);
    const bool gathers = step.kind == Step::Kind::Gather;
    const int64_t oldLength = count({before.begin(), before.begin() + step.lowest});
    const int64_t batch = count(before) / oldLength, newLength = count(after) / batch;
    const std::vector<int> &full = gathers ? after : before;
    const auto above = static_cast<std::ptrdiff_t>(before.size()) - step.lowest;
    std::vector<int64_t> places;
    std::string error;
    (void)frontend::forEachIndex(
        step.body, {full.begin(), full.end() - above}, frontend::scalarsNear(program, 0),
        [&](int64_t place) {
          places.push_back(place);
          return true;
        },
        error);
    Rows rows(static_cast<size_t>(count(after)), -1);
    std::set<int> taken;
    for (int64_t b = 0; b < batch; ++b)
      for (auto [i, place] : llvm::enumerate(places)) {
        const int64_t in = b * oldLength + (gathers ? place : static_cast<int64_t>(i));
        int &row = rows[static_cast<size_t>(b * newLength + (gathers ? static_cast<int64_t>(i) : place))];
        row = taken.insert(from[static_cast<size_t>(in)]).second ? from[static_cast<size_t>(in)] : freshRows(1)[0];
      }
    if (wires > maxWires)
      return;
    for (int row : rows)
      svg.circle(x + 8, top(row), 3.5, "step");
    advance(step, {rows}, 16);
    define(step.outputs[0], rows);
  }

  /// The radices of the arrangement that has all digits of a node.
  std::vector<int> fullRadices(const Step &step) const {
    for (auto [array, input] : llvm::zip(step.arrayInput, step.inputs))
      if (array && (step.broadcastDigits.empty() || step.broadcastDigits[&input - step.inputs.data()].empty()))
        return radicesOf(input);
    for (auto [array, output] : llvm::zip(step.arrayOutput, step.outputs))
      if (array)
        return radicesOf(output);
    return radicesOf(step.inputs[0]);
  }

  /// Of a value that lacks the node's digits, the element at the other digits.
  static int64_t outside(const Step &step, const std::vector<int64_t> &full, const std::vector<int> &radices) {
    std::vector<int64_t> others;
    for (size_t digit = 0; digit < full.size(); ++digit)
      if (!llvm::is_contained(step.digits, static_cast<int>(digit) + 1))
        others.push_back(full[digit]);
    others.resize(radices.size());
    return indexOf(others, radices);
  }

  void drawNode(const Step &step, const std::vector<Rows> &inputs) {
    const std::vector<int> radices = fullRadices(step);
    int64_t arity = 1;
    for (int digit : step.digits)
      arity *= radices[digit - 1];
    std::vector<Rows> outputs;
    for (int output : step.outputs)
      outputs.emplace_back(count(radicesOf(output)));
    std::vector<std::vector<std::pair<int, int>>> columns; // spans of nodes
    const double begin = x + 8;
    std::set<int> held;
    for (const Rows &rows : inputs)
      held.insert(rows.begin(), rows.end());
    for (int64_t e = 0; e < count(radices); ++e) {
      std::vector<int64_t> full = digitsAt(e, radices);
      if (llvm::any_of(step.digits, [&](int digit) { return full[digit - 1] != 0; }))
        continue;
      // The node's elements in the order of its array: the first digit named is the most significant.
      std::vector<std::vector<int64_t>> elements;
      for (int64_t k = 0; k < arity; ++k) {
        int64_t rest = k;
        for (int digit : llvm::reverse(step.digits)) {
          full[digit - 1] = rest % radices[digit - 1];
          rest /= radices[digit - 1];
        }
        elements.push_back(full);
      }
      Rows rows;
      auto meet = [&](int row) {
        if (!llvm::is_contained(rows, row))
          rows.push_back(row);
      };
      for (size_t i = 0; i < inputs.size(); ++i) {
        bool shared = !step.broadcastDigits.empty() && !step.broadcastDigits[i].empty();
        if (!step.arrayInput[i] && !shared)
          meet(inputs[i][outside(step, elements[0], radicesOf(step.inputs[i]))]);
        else
          for (int64_t k = 0; k < (step.arrayInput[i] ? arity : 1); ++k)
            meet(inputs[i][elementOf(step, i, elements[k])]);
      }
      if (!step.arrayInput[0])
        llvm::sort(rows);
      // Where there are too few, others that have ended go on.
      for (bool more = llvm::is_contained(step.arrayOutput, true);
           more && static_cast<int64_t>(rows.size()) < arity && wires <= maxWires;) {
        rows.push_back(nearestFree(rows.front(), held));
        held.insert(rows.back());
        llvm::sort(rows);
      }
      if (wires > maxWires)
        return;
      // Results that lack the digits: the first goes on along the last wire, the next along the one before.
      size_t singles = 0;
      for (size_t o = 0; o < outputs.size(); ++o)
        if (step.arrayOutput[o])
          for (int64_t k = 0; k < arity; ++k)
            outputs[o][indexOf(elements[k], radicesOf(step.outputs[o]))] = rows[k];
        else
          outputs[o][outside(step, elements[0], radicesOf(step.outputs[o]))] =
              rows[rows.size() - 1 - std::min(singles++, rows.size() - 1)];
      // Beside nodes whose spans it would cross.
      const auto [low, high] = std::minmax_element(rows.begin(), rows.end());
      const std::pair<int, int> span(*low, *high);
      size_t place = 0;
      auto crosses = [&](const std::pair<int, int> &other) {
        return other.first <= span.second && span.first <= other.second;
      };
      while (place < columns.size() && llvm::any_of(columns[place], crosses))
        ++place;
      columns.resize(std::max(columns.size(), place + 1));
      columns[place].push_back(span);
      const double at = begin + static_cast<double>(place) * 9;
      svg.line(at, top(*low), at, top(*high), "link");
      for (int row : rows)
        svg.circle(at, top(row), 3, "node");
    }
    std::vector<Rows> lasting = inputs;
    lasting.insert(lasting.end(), outputs.begin(), outputs.end());
    advance(step, lasting, 8 + 9 * static_cast<double>(columns.size()));
    for (auto [output, rows] : llvm::zip(step.outputs, outputs))
      define(output, rows);
  }
};

} // namespace

std::optional<std::string> explain::circuitPicture(const Facts &facts, Links links) {
  return Circuit(facts, links).draw();
}
