// What measuring found: for each problem the compiler's plan that was fastest.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace idc::interfaces {

std::optional<std::string> wisdomOf(const std::string &problem);
void learn(const std::string &problem, const std::string &plan);
void forgetWisdom();

/// All of it as text, in parentheses, and back; false for a text that is none, of which nothing is learned. `next`
/// gives characters, and EOF behind the last.
std::string wisdomText();
bool readWisdom(const std::function<int()> &next);

/// Seconds that measuring may take for a plan; negative: as many as it needs.
void setTimeLimit(double seconds);
double timeLimit();

} // namespace idc::interfaces
