#include "compiler/explain/Pictures.h"

#include "compiler/explain/Svg.h"
#include "compiler/explain/Text.h"

using namespace idc;
using namespace idc::explain;
using digits::Field;
using digits::Mapping;

namespace {

constexpr double left = 150, cell = 22, row = 30;

int highestDigit(const Kernel &kernel) {
  int highest = 0;
  auto see = [&](const Mapping &mapping) {
    for (int digit : mapping.digits())
      highest = std::max(highest, digit);
  };
  for (const Event &event : kernel.events) {
    if (const auto *access = std::get_if<Access>(&event))
      see(access->mapping);
    else if (const auto *stage = std::get_if<Stage>(&event))
      see(stage->mapping);
  }
  return highest;
}

/// A row of cells, one for each digit, coloured by the field that holds it and marked with the place in it.
void drawMapping(Svg &svg, double y, const Mapping &mapping, int highest) {
  for (int f = 0; f < digits::numFields; ++f) {
    const char *name = digits::fieldName(static_cast<Field>(f));
    for (auto [position, column] : llvm::enumerate(mapping[static_cast<Field>(f)]))
      for (int digit : column.digits) {
        double x = left + (highest - digit) * cell;
        std::string place = std::to_string(position);
        svg.box(x, y, cell - 2, cell - 4, name,
                "digit " + std::to_string(digit) + ": " + name + " digit " + place + " of the mapping");
        svg.text(x + cell / 2 - 1, y + 13, place, Svg::Align::Middle, "cell");
      }
  }
}

double drawKernel(Svg &svg, double y, const Kernel &kernel) {
  svg.text(0, y, kernel.name + ": " + launchOf(kernel), Svg::Align::Left, "title");
  svg.text(0, y + 18, resourcesOf(kernel));
  y += 36;
  int highest = highestDigit(kernel);
  for (int digit = highest; digit >= 1; --digit)
    svg.text(left + (highest - digit) * cell + cell / 2 - 1, y, std::to_string(digit), Svg::Align::Middle, "digit");
  y += 6;
  const double notes = left + highest * cell + 12;
  for (const Event &event : kernel.events) {
    if (const auto *access = std::get_if<Access>(&event)) {
      svg.text(0, y + 13, (access->isStore ? "store " : "load ") + access->buffer);
      drawMapping(svg, y, access->mapping, highest);
      svg.text(notes, y + 13, countedOf(*access));
    } else if (const auto *stage = std::get_if<Stage>(&event)) {
      svg.text(0, y + 13, "steps");
      drawMapping(svg, y, stage->mapping, highest);
      svg.text(notes, y + 13, spell(stage->steps));
    } else {
      const auto &exchange = std::get<Exchange>(event);
      svg.text(0, y + 13, "exchange: " + exchange.kind);
      svg.line(left, y + 9, left + highest * cell, y + 9, "carried");
      svg.text(notes, y + 13, countedOf(exchange));
    }
    y += row;
  }
  return y + 20;
}

} // namespace

std::string explain::mappingPicture(const Facts &facts) {
  Svg svg;
  double y = 16, x = 0;
  for (Field field : {Field::Block, Field::Rank, Field::Warp, Field::Lane, Field::Reg}) {
    svg.box(x, y - 12, cell - 2, cell - 4, digits::fieldName(field));
    svg.text(x + cell + 4, y + 1, digits::fieldName(field));
    x += 90;
  }
  svg.text(x, y + 1, "columns: digits of the index; numbers: places in the field, 0 the lowest");
  y += 40;
  for (const Kernel &kernel : facts.kernels)
    y = drawKernel(svg, y, kernel);
  return svg.document("Mappings of " + facts.symbol);
}
