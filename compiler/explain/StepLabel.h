// What pictures of steps have in common: the labels of steps, and the legend.
#pragma once

#include "compiler/explain/Pictures.h"
#include "compiler/explain/Svg.h"

#include <utility>
#include <vector>

namespace idc::explain {

/// Writes the name of a step, with its text in the source as a hint, and a link if there are any.
void drawStepLabel(Svg &svg, double x, double y, llvm::StringRef label, const StepSource &source, Links links,
                   llvm::StringRef style = "note");

/// Writes below all that is drawn what lines and marks mean: pairs of a style and words.
void drawLegend(Svg &svg, const std::vector<std::pair<llvm::StringRef, llvm::StringRef>> &entries);

} // namespace idc::explain
