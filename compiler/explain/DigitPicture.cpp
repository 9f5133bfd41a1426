#include "compiler/explain/Pictures.h"

#include "compiler/explain/StepLabel.h"
#include "compiler/explain/Svg.h"
#include "compiler/explain/Text.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc;
using namespace idc::explain;
using frontend::Step;

namespace {

class DigitPicture {
public:
  DigitPicture(const Facts &facts, Links links)
      : facts(facts), program(*facts.program), links(links), madeAt(program.values.size(), -1) {
    for (const frontend::Sequence &value : program.values)
      places = std::max(places, static_cast<int>(value.radices.size()));
    for (const Step &step : program.steps)
      labels = std::max(labels, 7.5 * static_cast<double>(describe(program, step).size()) + 40);
    for (const frontend::Parameter &input : program.inputs)
      names.emplace_back(input.value, input.name);
  }

  std::string draw() {
    for (int digit = 1; digit <= places; ++digit)
      svg.text(column(digit), y - 8, std::to_string(digit), Svg::Align::Middle, "digit");
    int current = -1; // the value whose lines arrive here
    for (auto [number, step] : llvm::enumerate(program.steps)) {
      if (step.inputs.front() != current)
        begin(step.inputs.front(), current);
      for (int input : llvm::ArrayRef<int>(step.inputs).drop_front())
        bring(input);
      drawStepLabel(svg, 0, y + height / 2 + 4, std::to_string(number + 1) + "  " + describe(program, step),
                    facts.stepSources[number], links);
      drawStep(step);
      y += height;
      for (int output : step.outputs)
        madeAt[output] = y;
      current = step.outputs.front();
    }
    for (auto [k, output] : llvm::enumerate(program.outputs))
      if (output != current)
        bring(output);
    drawLegend(svg, {{"wire", "a digit, which stays in its place"},
                     {"moved", "a digit that a permutation moves"},
                     {"node", "a digit that a node works on"},
                     {"step", "a function of every element, or a change of length"},
                     {"carried", "a value that a later step takes"}});
    return svg.document("Steps of " + program.entry + " on digits");
  }

private:
  const Facts &facts;
  const frontend::Program &program;
  const Links links;
  Svg svg;
  std::pair<double, double> lastName{0, -1}; // where the last name of an input ends, and its height
  int places = 0;
  double labels = 60, y = 40;
  std::vector<double> madeAt; // of every value; -1: an input
  std::vector<std::pair<int, std::string>> names;
  static constexpr double spacing = 26, height = 30;

  double column(int digit) const { return labels + (places - digit) * spacing + spacing / 2; }
  double edge() const { return labels + places * spacing + 6; }
  int digitsOf(int value) const { return static_cast<int>(program.values[value].radices.size()); }

  /// The lines of a value that is not what the step before has made.
  void begin(int value, int current) {
    if (current >= 0)
      y += height / 2;
    bring(value);
    for (int digit = 1; digit <= digitsOf(value); ++digit)
      svg.circle(column(digit), y, 2.5, "lane");
  }

  /// A value comes along the right side.
  void bring(int value) {
    for (const auto &[input, name] : names)
      if (input == value) {
        const double x = lastName.second == y ? lastName.first : edge() + 4;
        svg.text(x, y + 4, name);
        lastName = {x + 8 * static_cast<double>(name.size() + 1), y};
      }
    if (madeAt[value] >= 0 && madeAt[value] < y)
      svg.arc(edge(), madeAt[value], y, std::min(160.0, 12 + (y - madeAt[value]) / 4), "carried");
  }

  void drawStep(const Step &step) {
    const int in = step.inputs.front(), out = step.outputs.front();
    const double middle = y + height / 2, below = y + height;
    switch (step.kind) {
    case Step::Kind::Permute:
      for (int place = 1; place <= step.permutation.size(); ++place) {
        const int digit = step.permutation.source(place);
        svg.line(column(digit), y, column(place), below, digit == place ? "wire" : "moved");
        if (step.permutation.complemented(place))
          svg.circle((column(digit) + column(place)) / 2, middle, 4, "point");
      }
      return;
    case Step::Kind::Pointwise:
      svg.box(column(places) - spacing / 2, middle - 4, places * spacing, 8, "step", describe(program, step));
      for (int digit = 1; digit <= digitsOf(out); ++digit)
        svg.line(column(digit), digit <= digitsOf(in) ? y : middle, column(digit), below, "wire");
      return;
    case Step::Kind::Gather:
    case Step::Kind::Scatter:
    case Step::Kind::Resize: {
      const int above = digitsOf(in) - step.lowest, newLowest = digitsOf(out) - above;
      const int widest = std::max(step.lowest, newLowest);
      if (widest > 0)
        svg.box(column(widest) - spacing / 2, middle - 8, widest * spacing, 16, "step", describe(program, step));
      for (int digit = 1; digit <= above; ++digit)
        svg.line(column(step.lowest + digit), y, column(newLowest + digit), below, "wire");
      for (int digit = 1; digit <= step.lowest; ++digit)
        svg.line(column(digit), y, column(digit), middle, "wire");
      for (int digit = 1; digit <= newLowest; ++digit)
        svg.line(column(digit), middle, column(digit), below, "wire");
      return;
    }
    case Step::Kind::Node: {
      const std::vector<int> before = fullDigits(step, step.arrayInput[0], digitsOf(in), broadcastOf(step));
      const std::vector<int> after = fullDigits(step, step.arrayOutput[0], digitsOf(out), {});
      for (auto [k, digit] : llvm::enumerate(before))
        svg.line(column(static_cast<int>(k) + 1), y, column(digit), middle, "wire");
      for (auto [k, digit] : llvm::enumerate(after))
        svg.line(column(digit), middle, column(static_cast<int>(k) + 1), below, "wire");
      const auto [low, high] = std::minmax_element(step.digits.begin(), step.digits.end());
      svg.line(column(*high), middle, column(*low), middle, "link");
      for (int digit : step.digits)
        svg.box(column(digit) - 8, middle - 8, 16, 16, "node", describe(program, step));
      return;
    }
    }
  }

  static std::vector<int> broadcastOf(const Step &step) {
    return step.broadcastDigits.empty() ? std::vector<int>() : step.broadcastDigits[0];
  }

  /// Of every digit of a node's operand or result, the digit of the arrangement that has all of them.
  static std::vector<int> fullDigits(const Step &step, bool isArray, int count, const std::vector<int> &broadcast) {
    if (!broadcast.empty())
      return broadcast;
    std::vector<int> digits;
    for (int digit = 1; static_cast<int>(digits.size()) < count; ++digit)
      if (isArray || !llvm::is_contained(step.digits, digit))
        digits.push_back(digit);
    return digits;
  }
};

} // namespace

std::string explain::digitPicture(const Facts &facts, Links links) { return DigitPicture(facts, links).draw(); }
